//! Sources in every style that is read, each with its errors.

use super::super::descriptor::Target;
use super::{Reading, read_listing};
use crate::syntax::Source;

mod forms;
mod language;
mod lookup;
mod variables;

/// The ids and messages of errors.
type Errors = Vec<(&'static str, String)>;

/// The instructions and the ids of the notes, or the errors.
fn read(reading: &Reading, text: &str) -> Result<(String, Vec<&'static str>), Errors> {
    let target = Target::builtin("scamp5").unwrap();
    match read_listing(&target, &Source::new("test.cpp", text), reading) {
        Ok(listing) => {
            let lines: Vec<String> =
                listing.program.instructions.iter().map(|i| target.instruction_text(i)).collect();
            Ok((lines.join("; "), listing.notes.iter().map(|note| note.id).collect()))
        }
        Err(all) => Err(all.iter().map(|d| (d.id, d.message.clone())).collect()),
    }
}

/// A program with these statements, behind these declarations.
fn program(before: &str, body: &str) -> String {
    format!("{before} void f() {{ scamp5_kernel_begin(); {body} scamp5_kernel_end(); }}")
}

/// The instructions of a source that is read without notes.
fn code(text: &str) -> String {
    let (code, notes) = read(&Reading::default(), text).unwrap_or_else(|errors| panic!("{errors:?}: {text}"));
    assert!(notes.is_empty(), "{notes:?}: {text}");
    code
}

/// The instructions of a source whose notes these are.
fn noted(text: &str, ids: &[&str]) -> String {
    let (code, notes) = read(&Reading::default(), text).unwrap_or_else(|errors| panic!("{errors:?}: {text}"));
    assert_eq!(notes, ids, "{text}");
    code
}

/// The errors in a source.
fn errors(text: &str) -> Vec<&'static str> {
    let all = read(&Reading::default(), text).unwrap_err();
    all.into_iter().map(|(id, _)| id).collect()
}

fn with(host: &[(&str, &str)]) -> Reading {
    let host = host.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Reading { host, ..Reading::default() }
}

#[test]
fn functions_of_the_source_are_read_in_place_of_their_calls() {
    let text = "inline void twice(areg_t const& y, AREG x, news_t d) { movx(y, x, d); movx(y, y, d); }
        void f() { scamp5_kernel_begin(); twice(B, A, east); twice(C, B, north); scamp5_kernel_end(); }";
    assert_eq!(code(text), "movx(B, A, east); movx(B, B, east); movx(C, B, north); movx(C, C, north)");
    let text = "int half(int n) { return n / 2; } int twice(int n) { return 2 * half(n) + half(n); }
        void f() { scamp5_kernel_begin(); newsblur(B, A, twice(4)); scamp5_kernel_end(); }";
    assert_eq!(code(text), "newsblur(B, A, 6)");
    let text = "void step(AREG y, int n = 2, news_t d = west) { for (int i = 0; i < n; i++) movx(y, y, d); }
        void f() { scamp5_kernel_begin(); step(B); step(A, 1, south); scamp5_kernel_end(); }";
    assert_eq!(code(text), "movx(B, B, west); movx(B, B, west); movx(A, A, south)");
    // A name that the function does not see is not that of its caller.
    let text = "void g() { newsblur(B, A, n); }
        void f() { scamp5_kernel_begin(); const int n = 2; g(); scamp5_kernel_end(); }";
    assert_eq!(errors(text), ["unknown-operand"]);
}

#[test]
fn functions_that_call_themselves_are_refused() {
    let text = "void g(AREG y); void h(AREG y) { g(y); } void g(AREG y) { neg(y, A); h(y); }
        void f() { scamp5_kernel_begin(); g(B); scamp5_kernel_end(); }";
    assert_eq!(errors(text), ["recursion"]);
    // A method that is called as an instruction is means the instruction.
    let text = "struct S { void neg(AREG y, AREG x) { neg(y, x); } }; void f() { S s; scamp5_kernel_begin(); s.neg(B, A); scamp5_kernel_end(); }";
    assert_eq!(code(text), "neg(B, A)");
    let wide: String = (0..40).map(|i| format!("void f{}() {{ f{i}(); f{i}(); }}", i + 1)).collect();
    let text =
        format!("void f0() {{}} {wide} void f() {{ scamp5_kernel_begin(); f40(); scamp5_kernel_end(); }}");
    assert_eq!(errors(&text), ["endless-loop"]);
}

#[test]
fn overloads_are_told_apart_by_registers_and_classes() {
    let text = "void g(AREG y, AREG x) { mov(y, x); } void g(AREG y, news_t d) { movx(y, y, d); }
        void f() { scamp5_kernel_begin(); g(B, A); g(B, east); scamp5_kernel_end(); }";
    assert_eq!(code(text), "mov(B, A); movx(B, B, east)");
    let text = "void P::run() { neg(B, A); } void Q::run() { mov(B, A); }
        void f() { scamp5_kernel_begin(); Q::run(); P::run(); scamp5_kernel_end(); }";
    assert_eq!(code(text), "mov(B, A); neg(B, A)");
}

#[test]
fn aliases_of_registers_and_directions() {
    let text = "#define AREG_in A
        const areg_t AREG_out = B; static constexpr news_t way = north;
        const areg_t all[] = {C, D}; areg_t& other = all[1];
        void f() { scamp5_kernel_begin(); movx(AREG_out, AREG_in, way); mov(other, all[0]); scamp5_kernel_end(); }";
    assert_eq!(code(text), "movx(B, A, north); mov(D, C)");
    let text = "void f() { scamp5_kernel_begin(); mov(SCAMP5_PE::B, AREG_in); scamp5_kernel_end(); }";
    assert_eq!(errors(text), ["unknown-operand"]);
    let given = read(&with(&[("AREG_in", "A")]), text).unwrap();
    assert_eq!(given, ("mov(B, A)".to_owned(), vec![]));
}

#[test]
fn parameters_of_the_function_around_a_program() {
    let text = "void f(AREG y, AREG x, int n) { scamp5_kernel_begin(); newsblur(y, x, n); neg(A, y); scamp5_kernel_end(); }";
    let errors = read(&Reading::default(), text).unwrap_err();
    assert_eq!(errors, [("host-value", "the value of `n` is not known before the program runs".to_owned())]);
    let (code, notes) = read(&with(&[("n", "3")]), text).unwrap();
    assert_eq!((code.as_str(), notes), ("newsblur(B, C, 3); neg(A, B)", vec!["parameter"; 2]));
    let (code, notes) = read(&with(&[("n", "3"), ("y", "F"), ("x", "E")]), text).unwrap();
    assert_eq!((code.as_str(), notes), ("newsblur(F, E, 3); neg(A, F)", vec![]));
}

#[test]
fn directions_are_added_and_compared() {
    let text = "void f(news_t d) { scamp5_kernel_begin(); for (int i = 1; i <= 8; i *= 2) { movx(B, B, i); }
        if ((north | west) == 6 && (east + south) % 2) movx(B, B, north + west - 2); scamp5_kernel_end(); }";
    assert_eq!(
        code(text),
        "movx(B, B, east); movx(B, B, west); movx(B, B, north); movx(B, B, south); movx(B, B, north)"
    );
    assert_eq!(errors("movx(B, A, 3);"), ["operand-kind"]);
}

#[test]
fn branches_and_loops_with_constants() {
    let kernel = |body: &str| format!("void f() {{ scamp5_kernel_begin(); {body} scamp5_kernel_end(); }}");
    let cases = [
        ("if (1 > 2) neg(A, B); else if (3 % 2) mov(A, B); else { res(A); }", "mov(A, B)"),
        ("int n = 2; while (n--) { neg(A, B); }", "neg(A, B); neg(A, B)"),
        ("int n = 0; do { neg(A, B); n += 1; } while (n < 2); mov(B, A);", "neg(A, B); neg(A, B); mov(B, A)"),
        ("for (int i = 0, j = 4; i < j; i++, j--) mov(A, i == 0 ? B : C);", "mov(A, B); mov(A, C)"),
        ("int n = 1; while (n < 0) n++; for (; n > 1; n--) {} newsblur(B, A, n);", "newsblur(B, A, 1)"),
        ("for (auto r : {B, C}) neg(A, r);", "neg(A, B); neg(A, C)"),
        (
            "for (int i = 0; i < 9; i++) { if (i == 1) continue; if (i == 3) break; movx(A, A, i ? east : west); }",
            "movx(A, A, west); movx(A, A, east)",
        ),
        (
            "switch (2) { case 1: neg(A, B); case 2: mov(A, B); case 3: mov(C, B); break; default: res(A); }",
            "mov(A, B); mov(C, B)",
        ),
        ("switch (north) { case south: neg(A, B); break; case north: mov(A, B); }", "mov(A, B)"),
        ("switch (7) { case 1: neg(A, B); }", ""),
        (
            "auto twice = [&](AREG y) { neg(y, B); neg(y, B); }; twice(A); twice(C);",
            "neg(A, B); neg(A, B); neg(C, B); neg(C, B)",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(code(&kernel(body)), expected, "{body}");
    }
    assert_eq!(errors(&kernel("while (true) { neg(A, B); }")), ["endless-loop"]);
    assert_eq!(errors(&kernel("for (;;) neg(A, B);")), ["endless-loop"]);
    assert_eq!(errors(&kernel("for (int i = 0; i < 3) neg(A, B);")), ["unexpected"]);
    assert_eq!(errors(&kernel("if (A) neg(A, B);")), ["unreadable"]);
    assert_eq!(errors(&kernel("int n = 1 / 0; newsblur(A, B, n);")), ["host-value"]);
    assert_eq!(errors(&kernel("goto end;")), ["unreadable"]);
}

#[test]
fn what_the_host_decides_is_asked_for() {
    let text = "void f(int rounds, bool negate) { scamp5_kernel_begin();
        for (int i = 0; i < rounds; i++) { movx(A, A, east); }
        if (negate) neg(B, A); scamp5_kernel_end(); }";
    assert_eq!(errors(text), ["host-value"]);
    let (code, notes) = read(&with(&[("negate", "0")]), text).unwrap();
    assert_eq!((code.matches("movx").count(), notes), (4, vec!["unknown-bound"]));
    let (code, _) = read(&Reading { rounds: 2, ..with(&[("negate", "1")]) }, text).unwrap();
    assert_eq!(code, "movx(A, A, east); movx(A, A, east); neg(B, A)");
    let (code, notes) = read(&with(&[("rounds", "1"), ("negate", "0")]), text).unwrap();
    assert_eq!((code.as_str(), notes), ("movx(A, A, east)", vec![]));
}

#[test]
fn variables_that_nothing_changes_are_constants() {
    let text = "int n = 2; int m = 3; void g() { m++; }
        void f() { scamp5_kernel_begin(); newsblur(B, A, n); scamp5_kernel_end(); }";
    assert_eq!(noted(text, &["assumed-constant"]), "newsblur(B, A, 2)");
    for change in ["n = 3;", "n += 3;", "n++;", "--n;", "n <<= 1;", "slider(\"n\", &n);", "std::cin >> n;"] {
        let text = format!(
            "int n = 2; void g() {{ {change} }}
            void f() {{ scamp5_kernel_begin(); newsblur(B, A, n); scamp5_kernel_end(); }}"
        );
        assert_eq!(errors(&text), ["host-value"], "{change}");
    }
}

#[test]
fn namespaces_classes_and_templates() {
    let text = "namespace a { namespace b { const int n = 2; void g(AREG y) { newsblur(y, A, n); } } }
        using namespace a::b;
        void f() { scamp5_kernel_begin(); a::b::g(B); newsblur(C, A, a::b::n); scamp5_kernel_end(); }";
    assert_eq!(code(text), "newsblur(B, A, 2); newsblur(C, A, 2)");
    let text = "class Edge { public: Edge() {} void run(AREG y); void apply(AREG y) { movx(y, image, way); } private: const areg_t image = A; const news_t way{south}; };
        void Edge::run(AREG y) { scamp5_kernel_begin(); this->apply(y); neg(y, image); scamp5_kernel_end(); }";
    assert_eq!(noted(text, &["parameter"]), "movx(B, A, south); neg(B, A)");
    let text = "class P { AREG y; areg_t x; public: P(AREG a, AREG b) : y(a), x(b) {} void run() { scamp5_kernel_begin(); neg(y, x); scamp5_kernel_end(); } };";
    assert_eq!(noted(text, &["parameter"; 2]), "neg(A, B)");
    let text = "template <int N, news_t D> void shift(AREG y) { for (int i = 0; i < N; i++) movx(y, y, D); }
        void f() { scamp5_kernel_begin(); shift<2, east>(B); if constexpr (1 < 2) shift<1, west>(A); scamp5_kernel_end(); }";
    assert_eq!(code(text), "movx(B, B, east); movx(B, B, east); movx(A, A, west)");
}

#[test]
fn lambdas_are_programs() {
    let text =
        "scamp5_kernel edges([]{ using namespace scamp5_kernel_api; movx(B, A, east); sub(B, A, B); });
        void f() { while (1) { scamp5_launch_kernel(edges); } }";
    assert_eq!(code(text), "movx(B, A, east); sub(B, A, B)");
    let text = "void f() { kernels = new scamp5_kernel[1]; kernels[0]([&]() { using namespace scamp5_kernel_api; neg(B, A); }); }";
    assert_eq!(code(text), "neg(B, A)");
    let (code, _) = read(
        &Reading { function: Some("f".to_owned()), ..Reading::default() },
        "scamp5_kernel g([]{ neg(B, A); }); void f() { scamp5_launch_kernel(g); scamp5_launch_kernel(g); }",
    )
    .unwrap();
    assert_eq!(code, "neg(B, A); neg(B, A)");
}

#[test]
fn sources_for_simulators_have_a_program_in_every_function_with_instructions() {
    let text = "#include \"scamp5.h\"
        inline void sobel(SCAMP5& s) { s.movx(s.B, s.A, south); s.add(s.B, s.B, s.A); }
        int main() { SCAMP5 s; int i = 0; while (i < 200) { int t = cv::ticks(); sobel(s); std::cout << t << std::endl; i++; } }";
    assert_eq!(code(text), "movx(B, A, south); add(B, B, A)");
    let text = "int main() { SCAMP5* s = new SCAMP5(); while (true) { s->neg(s->B, s->A); if (s->done()) { break; } ui.show(\"B\", s->B.value()); } }";
    // What `show` does with B is not known.
    assert_eq!(noted(text, &["host-jump"]), "neg(B, A)");
}

#[test]
fn other_spellings_and_brackets() {
    assert_eq!(code("void f() { scamp7_kernel_begin() neg(B, A); scamp7_kernel_end(); }"), "neg(B, A)");
    assert_eq!(
        code("void f() { scamp5_kernel_begin_print(); neg(B, A); scamp5_kernel_end(); }"),
        "neg(B, A)"
    );
    assert_eq!(code("bus({B}, {A, C}); bus({B, C}, {A});"), "bus(B, A, C); bus2(B, C, A)");
    assert_eq!(
        errors("scamp5_dynamic_kernel_begin(); neg(B, A); scamp7_kernel_end();"),
        ["unpaired-bracket"]
    );
}

#[test]
fn programs_in_macros_and_of_macros() {
    let text = "#define BEGIN scamp5_kernel_begin()
        #define EDGE(y, x) { scamp5_kernel_begin(); movx(y, x, east); sub(y, x, y); scamp5_kernel_end(); }
        void f() { EDGE(B, A); }";
    assert_eq!(code(text), "movx(B, A, east); sub(B, A, B)");
    // In a header the uses are elsewhere.
    let unused = text.replace("EDGE(B, A);", "");
    assert_eq!(noted(&unused, &["parameter"; 2]), "movx(B, A, east); sub(B, A, B)");
    let text = "#define MASK(r, x, d) scamp5_kernel_begin(); where(x); MOV(r, FLAG); DNEWS(S0, r, d); all(); scamp5_kernel_end();";
    assert_eq!(errors(text), ["host-value"]);
    let given = with(&[("d", "west"), ("x", "C"), ("other", "3")]);
    let (code, notes) = read(&given, text).unwrap();
    assert_eq!(code, "where(C); MOV(R11, FLAG); DNEWS(R5, R11, west); all()");
    assert_eq!(notes, ["parameter", "unused-host"]);
}

#[test]
fn a_function_is_read_with_the_hosts_code() {
    let reading = Reading { function: Some("run".to_owned()), ..Reading::default() };
    let text = "void shift(int n) { for (int i = 0; i < n; i++) { scamp5_kernel_begin(); movx(A, A, east); scamp5_kernel_end(); } }
        void run(int show) { int n = 1; n += 1; vs_init(); if (show) { vs_post_text(\"a\"); n++; } else { n = 2; }
            shift(2); while (1) { vs_frame(); scamp5_kernel_begin(); neg(B, A); scamp5_kernel_end(); scamp5_output_image(B, d); } }";
    assert_eq!(
        read(&reading, text).unwrap(),
        ("movx(A, A, east); movx(A, A, east); neg(B, A)".to_owned(), vec![])
    );
    let text = "void run(int fast) { if (fast) { scamp5_kernel_begin(); neg(B, A); scamp5_kernel_end(); } }";
    assert_eq!(read(&reading, text).unwrap_err()[0].0, "host-value");
    let text =
        "void run() { g(B); scamp5_in(C, 3); scamp5_kernel_begin(); add(B, B, C); scamp5_kernel_end(); }";
    let expected = "unknown_values(B); scamp5_in(C, 3); add(B, B, C)";
    assert_eq!(read(&reading, text).unwrap(), (expected.to_owned(), vec!["from-outside"]));
    assert_eq!(read(&reading, "void ru() { neg(B, A); }").unwrap_err()[0].0, "no-such-block");
    let text = "struct P { void run() { neg(B, A); } }; struct Q { void run() { mov(B, A); } };";
    assert_eq!(read(&reading, text).unwrap_err()[0].0, "no-such-block");
    let reading = Reading { function: Some("Q::run".to_owned()), ..Reading::default() };
    assert_eq!(read(&reading, text).unwrap().0, "mov(B, A)");
}

/// The function `f` of a source, with the values of the host's variables.
fn function(text: &str, host: &[(&str, &str)]) -> (String, Vec<&'static str>) {
    read(&Reading { function: Some("f".to_owned()), ..with(host) }, text).unwrap()
}

#[test]
fn jumps_that_the_host_decides_are_noted() {
    let kernel = "scamp5_kernel_begin(); neg(B, A); scamp5_kernel_end();";
    let noted = |body: &str| function(&format!("void f(int n) {{ {body} }}"), &[]).1;
    for body in [
        format!("if (n < 3) {{ return; }} {kernel}"),
        format!("for (int i = 0; i < 2; i++) {{ if (busy()) {{ continue; }} {kernel} }}"),
        format!("for (int i = 0; i < 2; i++) {{ {kernel} if (n == i) break; }}"),
        format!("while (1) {{ if (n) continue; {kernel} }}"),
    ] {
        assert_eq!(noted(&body), ["host-jump"], "{body}");
    }
    // Where nothing is skipped that changes a register, a jump does not matter.
    for body in [
        format!("{kernel} if (n < 3) return; vs_post_text(\"a\");"),
        format!("for (int i = 0; i < 2; i++) {{ {kernel} if (n) continue; n++; }}"),
        format!("while (1) {{ {kernel} if (n) break; }}"),
        format!("if (n) {{ for (;;) {{ break; }} }} {kernel}"),
    ] {
        assert_eq!(noted(&body), [""; 0], "{body}");
    }
    let text = format!("void f(int n) {{ if (n < 3) return; {kernel} }}");
    assert_eq!(function(&text, &[("n", "2")]).0, "");
    assert_eq!(function(&text, &[("n", "3")]).0, "neg(B, A)");
}

#[test]
fn values_from_outside_are_those_at_the_beginning() {
    let shift = "scamp5_kernel_begin(); movx(A, A, east); scamp5_kernel_end();";
    let shifts = |body: &str, n: &str| {
        let text = format!("void g(int n) {{ if (n == 7) {{ {shift} }} }} void f(int n) {{ {body} }}");
        function(&text, &[("n", n)]).0.matches("movx").count()
    };
    assert_eq!(shifts(&format!("while (n > 0) {{ {shift} n--; }}"), "3"), 3);
    assert_eq!(shifts(&format!("n = n - 1; for (int i = 0; i < n; i++) {{ {shift} }}"), "3"), 2);
    assert_eq!(shifts(&format!("if (n > 1) n = 1; switch (n) {{ case 1: {shift} }}"), "5"), 1);
    // Arguments and the variables of loops are the source's own.
    assert_eq!(shifts("g(7);", "3"), 1);
    assert_eq!(shifts(&format!("for (int n = 0; n < 2; n++) {{ {shift} }}"), "3"), 2);
    // What is not known afterwards is what the host says.
    assert_eq!(shifts(&format!("n = slider(); if (n == 3) {{ {shift} }}"), "3"), 1);
}

#[test]
fn programs_that_are_recorded_once_are_noted() {
    let both = |begin: &str| {
        format!(
            "void copy(AREG y, AREG x) {{ {begin}(); mov(y, x); {}(); }} void f() {{ copy(B, A); copy(D, C); }}",
            begin.replace("begin", "end")
        )
    };
    let expected = "mov(B, A); mov(D, C)".to_owned();
    assert_eq!(function(&both("scamp5_kernel_begin"), &[]), (expected.clone(), vec!["recorded-once"]));
    assert_eq!(function(&both("scamp5_dynamic_kernel_begin"), &[]), (expected, vec![]));
    let same =
        "void f() { for (int i = 0; i < 2; i++) { scamp5_kernel_begin(); neg(B, A); scamp5_kernel_end(); } }";
    assert_eq!(function(same, &[]), ("neg(B, A); neg(B, A)".to_owned(), vec![]));
}

#[test]
fn functions_and_lambdas_that_are_not_followed_are_noted() {
    let kernel = "scamp5_kernel_begin(); neg(B, A); scamp5_kernel_end();";
    let noted = |body: &str| function(&format!("void f() {{ {body} {kernel} }}"), &[]);
    let code = "neg(B, A)".to_owned();
    assert_eq!(noted("conv_1(); conv_1(); vs_init();"), (code.clone(), vec!["unseen-function"]));
    assert_eq!(noted("vs_on_connect([&](int n) -> void { show(n); });"), (code.clone(), vec![]));
    assert_eq!(noted(&format!("vs_on_connect([&]() {{ {kernel} }});")), (code.clone(), vec!["lambda"]));
    assert_eq!(noted("Factory<SCAMP5>::make(1);"), (code, vec!["unseen-function"]));
    assert_eq!(
        function(
            &format!("void f() {{ if (log2(8) == 3 && pow(2, 3) == 8 && sqrt(9) == 3) {{ {kernel} }} }}"),
            &[]
        ),
        ("neg(B, A)".to_owned(), vec![])
    );
}

#[test]
fn what_is_passed_over_in_a_program_is_said() {
    assert_eq!(
        noted(
            "void f() { scamp5_kernel_begin(); post_text(\"%d\", 3); vs_post_text(\"a\"); neg(B, A); scamp5_kernel_end(); }",
            &["passed-over"]
        ),
        "neg(B, A)"
    );
    assert_eq!(
        errors("scamp5_kernel_begin(); smooth(B, A); neh(B, A); scamp5_kernel_end();"),
        ["unknown-instruction"; 2]
    );
    // A function of another file.
    let kernel = |body: &str| format!("void f() {{ scamp5_kernel_begin(); {body} scamp5_kernel_end(); }}");
    let text = kernel("neg(B, A); smooth(B, S0, 3); neg(C, B);");
    assert_eq!(noted(&text, &["from-outside"]), "neg(B, A); unknown_values(B); unknown_bits(R5); neg(C, B)");
    assert_eq!(errors(&kernel("neh(B, A);")), ["unknown-instruction"]);
    assert_eq!(errors(&kernel("smooth(B, Q);")), ["unknown-operand"]);
    // An annotation is no function, and old libraries have other names of views.
    let text = "extern \"C\" { __declspec(dllexport) void f(AREG x) { scamp5_kernel_begin(); bus(NEWS, A); bus(A, NORTH); \
         scamp5_kernel_end(); } }";
    assert_eq!(noted(text, &[]), "bus(NEWS, A); bus(A, XN)");
    assert_eq!(errors(&kernel("icw(1, {plrb, bit});")), ["unreadable"]);
}

#[test]
fn digital_registers_are_parameters_aliases_and_arguments() {
    let text = "const dreg_t DREG_edges = S0; const dreg_t planes[] = {R5, S1, R7};
        void grow(DREG y, dreg_t const& x, news_t d = alldir) { DNEWS(y, x, d); OR(y, x); }
        void f() { scamp5_kernel_begin(); where(A); MOV(DREG_edges, FLAG); all(); grow(planes[2], planes[0]);
        grow(R8, R7, north | west); if (DREG_edges == R5) SET(R9, R10); scamp5_kernel_end(); }";
    assert_eq!(
        code(text),
        "where(A); MOV(R5, FLAG); all(); DNEWS(R7, R5, alldir); OR(R7, R5); DNEWS(R8, R7, west|north); OR(R8, R7); SET(R9, R10)"
            .replace("west|north", &code("DNEWS(R8, R7, north|west);")[14..24])
    );
    let text = "void f(DREG a, DREG b, AREG x) { scamp5_kernel_begin(); where(x); MOV(a, FLAG); NOT(b, a); MOV(S6, b); all(); scamp5_kernel_end(); }";
    let code = noted(text, &["parameter"; 3]);
    assert_eq!(code, "where(A); MOV(R10, FLAG); NOT(R9, R10); MOV(R11, R9); all()");
    assert_eq!(errors("MOV(A, FLAG);"), ["operand-kind"]);
    let text = "void g(AREG y, int n) { res(y); } void g(DREG y, int n) { CLR(y); }
        void f() { scamp5_kernel_begin(); g(S0, 1); g(B, 1); scamp5_kernel_end(); }";
    assert_eq!(self::code(text), "CLR(R5); res(B)");
}

#[test]
fn calls_of_the_host_do_what_instructions_do() {
    let host = |body: &str| format!("void f(int t) {{ {body} }}");
    let kernel = |body: &str| host(&format!("scamp5_kernel_begin(); {body} scamp5_kernel_end();"));
    let code = |text: &str| {
        let (code, notes) = function(text, &[]);
        assert_eq!(notes, [""; 0], "{text}");
        code
    };
    let noted = |text: &str, ids: &[&str]| {
        let (code, notes) = function(text, &[]);
        assert_eq!(notes, ids, "{text}");
        code
    };
    assert_eq!(
        code(&host("scamp5_in(C, -128); scamp5_in(B, 3, NEWS);")),
        "scamp5_in(C, -128); scamp5_in(B, 3, NEWS)"
    );
    assert_eq!(
        code(&host(
            "scamp5_load_pattern(R6, 0, 0, 0xFC, 0xE3); scamp5_kernel_begin(); WHERE(R6); scamp5_kernel_end();"
        )),
        "scamp5_load_pattern(R6); WHERE(R6)"
    );
    assert_eq!(code(&host("scamp7_output_image(A, display); scamp5_load_in(20);")), "scamp5_load_in(20)");
    assert_eq!(noted(&host("scamp5_in(C, t * 2);"), &["from-outside"]), "scamp5_in(C)");
    assert_eq!(noted(&host("scamp5_load_in(t);"), &["from-outside"]), "scamp5_load_in()");
    assert_eq!(code(&host("scamp5_load_in(C, 20);")), "scamp5_load_in(C, 20)");
    let diffused = "scamp5_diffuse(A, 5); scamp5_diffuse(A, 5, 1, 0, E)";
    assert_eq!(code(&host(&format!("{diffused};"))), diffused);
    assert_eq!(noted(&host("scamp5_diffuse(A, t, 1, 0, E);"), &["from-outside"]), "scamp5_diffuse(A, E)");
    // A name of another file, where a number is taken.
    assert_eq!(
        noted(&host("scamp5_load_in(LEVEL); scamp5_in(C, slider());"), &["from-outside"; 2]),
        "scamp5_load_in(); scamp5_in(C)"
    );
    assert_eq!(
        code(&host("scamp5_shift(R6, 3, 0); scamp5_shift(A, 3, 0);")),
        "scamp5_shift(R6); scamp5_shift(A)"
    );
    // The second operand is the temporary register, also where the call is part of an expression.
    assert_eq!(
        code(&host("int n = scamp5_global_count(R5, B, 1); scamp5_select_rect(1, 2, 3, 4);")),
        "scamp5_global_count(R5, B); scamp5_select_rect()"
    );
    assert_eq!(errors(&kernel("scamp5_in(G, 3);")), ["unknown-operand"]);
    // The machine carries them out when a program that they stand in is recorded.
    assert_eq!(
        noted(&kernel("scamp5_in(C, 3); scamp5_output_image(C, d);"), &["host-call-inside"]),
        "scamp5_in(C, 3)"
    );
}

//! Variables with several names: references, pointers, captures and arguments.

use super::{code, errors, function, noted, program, read, with};
use crate::backend::array::machine::listing::Reading;

/// What `newsblur(F, A, …)` takes in a program, one number for each time.
fn numbers(functions: &str, body: &str) -> String {
    let text = program(functions, body);
    let (code, _) = read(&Reading::default(), &text).unwrap_or_else(|errors| panic!("{errors:?}: {text}"));
    code.replace("newsblur(F, A, ", "").replace(')', "")
}

#[test]
fn references_are_other_names() {
    let swap = "void swap_regs(areg_t& a, areg_t& b) { areg_t t = a; a = b; b = t; }";
    let text =
        program(swap, "areg_t x = A, y = B; movx(y, x, east); swap_regs(x, y); movx(y, x, east); mov(C, y);");
    assert_eq!(code(&text), "movx(B, A, east); movx(A, B, east); mov(C, A)");
    for (functions, body, expected) in [
        ("void twice(int& n) { n = 2 * n; }", "int n = 1; twice(n);", "2"),
        ("void step(int by, int& n) { n += by; }", "int n = 0; step(3, n); step(4, n);", "7"),
        ("", "int n = 1; int& m = n; m = 3;", "3"),
        ("", "int n = 1; auto& r = n; r++;", "2"),
        ("", "int n = 1; int& r{n}; int& s = r; s = 5;", "5"),
        ("", "uint8_t n = 1; auto& r = n; r = 260;", "4"),
        ("", "int n = 1, m = 2; (1 < 2 ? n : m) = 7;", "7"),
        ("void both(int& a, int& b) { a = 3; b = b + a; }", "int n = 1; both(n, n);", "6"),
        ("int n = 1; void set() { n = 4; }", "n = 2; set();", "4"),
        ("void tick(int& t) { ++t; }", "int n = 0; while (n < 3) tick(n);", "3"),
        ("", "int d[3] = {1, 2, 3}; for (int& e : d) e *= 2; int n = d[0] + d[2];", "8"),
        ("void g(int& e) { e = 9; }", "int d[2] = {1, 2}; g(d[1]); int n = d[0] + d[1];", "10"),
        ("", "int n = 1, m = 2; std::swap(n, m);", "2"),
    ] {
        assert_eq!(numbers(functions, &format!("{body} newsblur(F, A, n);")), expected, "{body}");
    }
    let text =
        program("", "areg_t x = A; areg_t& y = x; y = B; mov(E, x); areg_t* p = &x; *p = C; mov(F, x);");
    assert_eq!(code(&text), "mov(E, B); mov(F, C)");
    let text =
        program("void out(areg_t& r, bool f) { r = f ? B : C; }", "areg_t r = A; out(r, true); mov(r, A);");
    assert_eq!(code(&text), "mov(B, A)");
}

#[test]
fn pointers_lead_to_variables_and_elements() {
    for (functions, body, expected) in [
        ("", "int n = 1; int* p = &n; *p = 3;", "3"),
        ("", "int n = 1; auto p = &n; (*p)++; p[0] += 4;", "6"),
        ("", "int a[3] = {1, 2, 3}; int* p = a; *(p + 1) = 9; p[2] = 8; int n = a[1] + a[2];", "17"),
        ("", "int a[3] = {1, 2, 3}; int* p = a; p++; int n = *p++; n += *p;", "5"),
        ("", "int a[2] = {1, 2}; int n = 0; for (int* p = a; p != a + 2; p++) n += *p;", "3"),
        (
            "void minmax(int a, int b, int* lo, int* hi) { *lo = min(a, b); *hi = max(a, b); }",
            "int lo = 0, hi = 0; minmax(7, 3, &lo, &hi); int n = lo * 4 + hi;",
            "19",
        ),
        (
            "void fill(int* v, int n) { for (int i = 0; i < n; i++) v[i] = i; }",
            "int v[4]; fill(v, 4); int n = v[3];",
            "3",
        ),
        ("void fill(int v[4]) { v[0] = 5; }", "int v[4] = {}; fill(v); int n = v[0];", "5"),
        ("", "int v[2][2] = {{1, 2}, {3}}; v[0][1] = 6; int n = v[0][1] + v[1][0] + v[1][1];", "9"),
    ] {
        assert_eq!(numbers(functions, &format!("{body} newsblur(F, A, n);")), expected, "{body}");
    }
}

#[test]
fn lambdas_see_variables_as_they_capture_them() {
    for (body, expected) in [
        ("int n = 1; auto inc = [&]() { n++; }; inc(); inc();", "3"),
        ("int n = 2; auto dbl = [&n](int k) { n *= k; return n; }; int m = dbl(3); n = m;", "6"),
        ("int m = 3; auto keep = [m] { return m; }; m = 5; int n = keep();", "3"),
        ("int m = 3; auto keep = [=] { return m; }; m = 5; int n = keep();", "3"),
        (
            "int m = 3, k = 1; auto keep = [=, &k] { k = 9; return m + k; }; m = 5; k = 2; int n = keep() + k;",
            "21",
        ),
        ("int m = 3; auto keep = [m]() mutable { return m++; }; int n = keep() + keep() + m;", "10"),
        ("int m = 3; auto keep = [k = m + 1] { return k; }; m = 5; int n = keep();", "4"),
        ("int n = [](int k) { return 2 * k; }(4);", "8"),
        ("int n = 0; for (int i = 0; i < 3; i++) { static int s = 5; s++; n = s; }", "8"),
    ] {
        assert_eq!(numbers("", &format!("{body} newsblur(F, A, n);")), expected, "{body}");
    }
}

#[test]
fn functions_and_lambdas_are_arguments() {
    let repeat = "template <class Fn> void repeat(int n, Fn f) { for (int i = 0; i < n; i++) f(); }";
    let east = "movx(A, A, east)";
    let thrice = [east; 3].join("; ");
    let text = program(repeat, "repeat(3, [&]() { movx(A, A, east); }); mov(B, A);");
    assert_eq!(code(&text), format!("{thrice}; mov(B, A)"));
    let text =
        program("", "auto twice = [&](auto body) { body(); body(); }; twice([&] { movx(A, A, east); });");
    assert_eq!(code(&text), format!("{east}; {east}"));
    let step = "void step() { movx(A, A, east); }";
    let text = program(&format!("{step} {repeat}"), "repeat(3, step);");
    assert_eq!(code(&text), thrice);
    let text = program(
        &format!("{step} void repeat(int n, void (*f)()) {{ for (int i = 0; i < n; i++) f(); }}"),
        "repeat(3, &step);",
    );
    assert_eq!(code(&text), thrice);
    let text = program(step, "void (*g)() = step; g(); auto h = step; h(); (*h)();");
    assert_eq!(code(&text), thrice);
    let text = program("", "[&] { movx(A, A, east); }();");
    assert_eq!(code(&text), east);
    let text = program(repeat, "int n = 0; repeat(3, [&] { n++; }); newsblur(B, A, n);");
    assert_eq!(code(&text), "newsblur(B, A, 3)");
    // What calls the lambda is not in the source.
    let text = program("", "std::for_each(v.begin(), v.end(), [&](AREG r) { neg(r, r); });");
    assert_eq!(errors(&text), ["unreadable"]);
    let text = program("void each(void (*f)());", "int n = 1; each([&] { n++; }); newsblur(B, A, n);");
    assert_eq!(errors(&text), ["host-value"]);
    let text = program("void apply(std::function<void()> f) { f(); }", "std::function<void()> g; apply(g);");
    assert_eq!(errors(&text), ["unreadable"]);
}

#[test]
fn what_is_handed_to_other_files_is_not_known() {
    for (functions, body) in [
        ("", "int n = 1; load_config(&n);"),
        ("void read_it(int& n);", "int n = 1; read_it(n);"),
        ("void read_them(int* v, int n);", "int v[2] = {1, 2}; read_them(v, 2); int n = v[1];"),
        ("int* somewhere();", "int n = 1; int* p = &n; p = somewhere(); *p = 3;"),
        ("", "std::vector<int> v = {1, 2}; v.push_back(3); int n = v[1];"),
        ("", "int v[2] = {1, 2}; int i = slider(); v[i] = 3; int n = v[0];"),
    ] {
        let text = program(functions, &format!("{body} newsblur(F, A, n);"));
        assert_eq!(errors(&text), ["host-value"], "{text}");
    }
    // A reference to a constant, or a copy, changes nothing.
    for functions in ["void show(const int& n);", "void show(int n);", ""] {
        assert_eq!(numbers(functions, "int n = 4; show(n); newsblur(F, A, n);"), "4", "{functions}");
    }
}

#[test]
fn what_is_passed_over_may_change_variables_by_any_name() {
    let shift = "scamp5_kernel_begin(); movx(A, A, east); scamp5_kernel_end();";
    for (functions, body) in [
        ("void twice(int& n) { n = 2 * n; }", "int n = 1; if (busy) twice(n);"),
        ("", "int n = 1; auto inc = [&] { n++; }; if (busy) inc();"),
        ("", "int n = 1; int* p = &n; if (busy) *p = 3;"),
        ("", "int v[2] = {1, 2}; if (busy) v[1] = 3; int n = v[1];"),
        ("", "int n = 1; std::cin >> n;"),
        ("int n = 1; void set() { n = 3; }", "n = 2; if (busy) set();"),
        ("", "int n = 1; int& m = n; if (busy) m = 3;"),
    ] {
        let text = format!("{functions} void f(int busy) {{ {body} switch (n) {{ case 1: {shift} }} }}");
        let reading = Reading { function: Some("f".to_owned()), ..Reading::default() };
        assert_eq!(read(&reading, &text).unwrap_err()[0].0, "host-value", "{text}");
    }
    // Variables of the functions that are called are their own.
    let text = format!(
        "void wait() {{ for (int i = 0; i < 9; i++) {{}} }}
        void f(int busy) {{ for (int i = 0; i < 2; i++) {{ if (busy) wait(); {shift} }} }}"
    );
    assert_eq!(function(&text, &[]).0.matches("movx").count(), 2);
}

#[test]
fn what_changes_before_the_program_is_not_known() {
    let program = "scamp5_kernel_begin(); mov(C, x[0]); scamp5_kernel_end();";
    for before in [
        "areg_t x[] = {A}, y[] = {B}; std::swap(x, y);",
        "std::array<areg_t, 1> x = {A}; x.fill(B);",
        "areg_t x[] = {A}; areg_t* p = x; *p = B;",
        "areg_t x[] = {A}; auto& y = x; y[0] = B;",
    ] {
        assert_eq!(errors(&format!("void f() {{ {before} {program} }}")), ["host-value"], "{before}");
    }
    let text = format!("void f() {{ areg_t x[] = {{A}}; auto& y = x; y.size(); {program} }}");
    assert_eq!(code(&text), "mov(C, A)");
    // A method of the source changes what it changes, and no variable with the name of its object.
    let class = "class Copy { areg_t t = A; public: void run() { scamp5_kernel_begin(); mov(C, t); scamp5_kernel_end(); } };";
    assert_eq!(noted(&format!("{class} int main() {{ Copy t; t.run(); }}"), &[]), "mov(C, A)");
}

#[test]
fn values_from_outside_are_seen_by_all_names() {
    let text = program("void twice(int& k) { k = 2 * k; }", "int n = slider(); twice(n); newsblur(B, A, n);");
    assert_eq!(read(&with(&[("n", "3")]), &text).unwrap().0, "newsblur(B, A, 6)");
}

#[test]
fn members_of_objects_are_not_variables_with_the_same_name() {
    assert_eq!(numbers("", "Box c; int x = 2; c.x = 5; newsblur(F, A, x);"), "2");
    assert_eq!(errors(&program("", "Box c; int x = 2; newsblur(F, A, c.x);")), ["unknown-operand"]);
    let counter =
        "struct Counter { int n = 2; void set(int k) { n = k; } void blur() { newsblur(F, A, n); } };";
    assert_eq!(errors(&program(counter, "Counter a, b; a.set(3); b.blur();")), ["host-value"]);
}

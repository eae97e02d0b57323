//! Which function, variable or member a name means: classes, namespaces, overloads, specialisations and constructors.

use super::{program, read};
use crate::backend::array::machine::listing::Reading;

/// Moves A by one place into B.
const E: &str = "movx(B, A, east);";
const N: &str = "movx(B, A, north);";

/// Checks what programs are: instructions without a `;` at the end, or the id of an error. In all texts, `EAST` and `NORTH` stand for
/// instructions.
fn expect(cases: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (before, body, expected) in cases {
        let spelt = |text: &str| text.replace("EAST;", E).replace("NORTH;", N);
        let text = program(&spelt(before), &spelt(body));
        let found = match read(&Reading::default(), &text) {
            Ok((code, _)) => {
                code.replace(E.trim_end_matches(';'), "east").replace(N.trim_end_matches(';'), "north")
            }
            Err(errors) => errors[0].0.to_owned(),
        };
        if found != *expected {
            wrong.push(format!("{found}, not {expected}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn methods_are_those_of_the_class() {
    let both = "struct X { void run() { EAST; } }; struct Y { void run() { NORTH; } };";
    let outside = "struct X { void run(); }; struct Y { void run(); }; void X::run() { EAST; } void Y::run() { NORTH; }";
    let base = "struct B1 { void run() { EAST; } }; struct D : public B1 { void run() { NORTH; } }; struct D2 : B1 {};";
    let inner =
        "void go() { EAST; } struct S { void go() { NORTH; } void both() { go(); ::go(); this->go(); } };";
    let other = "struct S { void go() { NORTH; } };";
    expect(&[
        (both, "Y y; y.run(); X x; x.run();", "north; east"),
        (outside, "Y y; y.run(); X x; x.run();", "north; east"),
        (base, "D d; d.run(); B1 b; b.run(); D2 e; e.run();", "north; east; east"),
        (base, "D d; B1& b = d; b.run();", "east"),
        (&base.replace("void run", "virtual void run"), "D d; B1& b = d; b.run();", "unreadable"),
        (
            "struct X { virtual void step() { EAST; } void run() { step(); } }; struct Y : X { void step() override { NORTH; } };",
            "Y y; y.run();",
            "unreadable",
        ),
        (both, "auto y = make(); y.run();", "unreadable"),
        (inner, "S s; s.both();", "north; east; north"),
        (&format!("void go() {{ EAST; }} {other}"), "go(); S s; s.go();", "east; north"),
        (
            "struct S { void mov(AREG y, AREG x) { EAST; } };",
            "mov(B, A); S s; s.mov(B, A);",
            "mov(B, A); east",
        ),
        ("struct S { void f() { EAST; } void f() const { NORTH; } };", "const S s; s.f();", "unreadable"),
        (
            "struct P { static const int n = 1; }; struct Q { static const int n = 2; };",
            "newsblur(B, A, Q::n); newsblur(B, A, P::n);",
            "newsblur(B, A, 2); newsblur(B, A, 1)",
        ),
    ]);
}

#[test]
fn constructors_are_not_passed_over() {
    let sets = "struct S { const news_t d = east; int n = 1; S(news_t e, int k = 2) : d(e), n{k} {} void go() { movx(B, A, d); } void blur() { newsblur(B, A, n); } };";
    let plain = "struct S { int n = 1; news_t d = east; void go() { movx(B, A, d); } };";
    expect(&[
        ("struct M { M() { where(A); } ~M() { all(); } };", "M m; mov(B, C);", "unreadable"),
        ("struct M { ~M(); }; M::~M() { all(); }", "M m; mov(B, C);", "unreadable"),
        ("struct M { M(AREG r) { where(r); } };", "M m{A}; mov(B, C);", "unreadable"),
        ("struct M { int n; M() { n = 3; } };", "M m; mov(B, C);", "mov(B, C)"),
        (sets, "S s{north}; s.go();", "host-value"),
        (sets, "S s{north}; s.blur();", "host-value"),
        (plain, "S s{3, north}; s.go();", "host-value"),
        (&plain.replace("void go", "S(int k) { vs_init(k); } void go"), "S s{3}; s.go();", "east"),
        (&plain.replace("void go", "S(int k); void go"), "S s{3}; s.go();", "host-value"),
        (plain, "S s; s.go();", "east"),
        (plain, "S s{}; s.go();", "east"),
    ]);
}

#[test]
fn names_are_those_of_the_innermost_scope() {
    let two = "namespace p { void go() { EAST; } void run() { go(); } } namespace q { void go() { NORTH; } void run() { go(); } }";
    let ways = "namespace p { const news_t d = east; void run() { movx(B, A, d); } } namespace q { const news_t d = north; void run() { movx(B, A, d); } }";
    let nested =
        "namespace a { const int x = 1; namespace b { const int x = 2; int f() { return x + a::x; } } }";
    let deep = "namespace p1 { namespace in { const int x = 1; int f() { return 3; } } } namespace p2 { namespace in { const int x = 2; int f() { return 4; } } } namespace d = p1::in;";
    expect(&[
        (two, "q::run(); p::run();", "north; east"),
        (two, "go();", "unreadable"),
        (two, "using q::go; q::go();", "north"),
        (ways, "q::run(); p::run();", "north; east"),
        (
            "namespace p { void go() { EAST; } } void go() { NORTH; }",
            "go(); ::go(); p::go();",
            "north; north; east",
        ),
        ("const news_t d = east;", "const news_t d = north; movx(B, A, ::d); movx(B, A, d);", "east; north"),
        ("namespace p { const int K = 1; }", "using p::K; newsblur(B, A, K);", "newsblur(B, A, 1)"),
        (
            "const int K = 3; namespace p { const int K = 1; }",
            "using p::K; newsblur(B, A, K);",
            "newsblur(B, A, 1)",
        ),
        (nested, "newsblur(B, A, a::b::f());", "newsblur(B, A, 3)"),
        (
            deep,
            "newsblur(B, A, p2::in::x); newsblur(B, A, p1::in::f()); newsblur(B, A, d::x);",
            "newsblur(B, A, 2); newsblur(B, A, 3); newsblur(B, A, 1)",
        ),
        (deep, "newsblur(B, A, x);", "unknown-operand"),
        (
            "enum class Step { off = 0, on = 1 }; enum class Log { off = 5, on = 6 };",
            "newsblur(B, A, (int)Step::on + 1); newsblur(B, A, (int)Log::off);",
            "newsblur(B, A, 2); newsblur(B, A, 5)",
        ),
        (
            "enum Way { few = 2, many = 4 };",
            "newsblur(B, A, many); newsblur(B, A, Way::few);",
            "newsblur(B, A, 4); newsblur(B, A, 2)",
        ),
    ]);
}

#[test]
fn overloads_are_resolved_or_refused() {
    let two =
        |first: &str, second: &str| format!("void g({first}) {{ EAST; }} void g({second}) {{ NORTH; }}");
    expect(&[
        (&two("int n", "bool b"), "g(true); g(3); g(1 < 2);", "north; east; north"),
        (&two("int n", "uint8_t b"), "uint8_t u = 3; g(u); g(2); g(u + 1);", "north; east; east"),
        (&two("int", "bool"), "g(true); g(1);", "north; east"),
        (&two("int", "uint8_t"), "uint8_t u = 3; g(u);", "north"),
        (&two("bool b", "int n"), "uint8_t u = 3; g(u);", "north"),
        (&two("int n", "float x"), "g(1); g(0.5f);", "unreadable"),
        (&two("int n", "const char* s"), "g(1);", "east"),
        (&two("int* p", "int n"), "int a[2] = {1, 2}; g(a[0]); g(a);", "north; east"),
        (&two("int& n", "const int& n"), "g(3);", "unreadable"),
        (
            &two("AREG y, int n", "AREG y, news_t d"),
            "g(B, (news_t)4); g(B, 4); g(B, east);",
            "north; east; north",
        ),
        ("template <class T> void g(T n) { EAST; } void g(int) { NORTH; }", "g(1);", "north"),
        (&two("int n, long m", "long n, int m"), "g(1, 1);", "unreadable"),
        (
            "void go(int n = 2); void f2() { go(); } void go(int n) { for (int i = 0; i < n; i++) EAST; }",
            "go();",
            "east; east",
        ),
    ]);
}

#[test]
fn specialised_templates_are_refused() {
    expect(&[
        (
            "template <bool W> void g() { EAST; } template <> void g<false>() { NORTH; }",
            "g<false>();",
            "unreadable",
        ),
        (
            "template <class T> struct Tr { static const int n = 1; }; template <> struct Tr<char> { static const int n = 2; };",
            "newsblur(B, A, Tr<char>::n);",
            "unknown-operand",
        ),
        (
            "template <int N> int count() { static int c = N; return c++; }",
            "count<1>(); newsblur(B, A, count<3>());",
            "unknown-operand",
        ),
        (
            "template <int N> int twice() { static const int c = 2 * N; return c; }",
            "newsblur(B, A, twice<1>()); newsblur(B, A, twice<2>());",
            "newsblur(B, A, 2); newsblur(B, A, 4)",
        ),
    ]);
}

//! What C++ says about types, conversions, labels and lists.

use super::{code, errors, noted, program, read};
use crate::backend::array::machine::listing::Reading;

/// Reads `if (TEST) neg(B, A);` behind these statements: whether the test holds.
fn holds(before: &str, body: &str, test: &str) -> bool {
    let text = program(before, &format!("{body} if ({test}) neg(B, A);"));
    let found = read(&Reading::default(), &text).unwrap_or_else(|errors| panic!("{errors:?}: {text}"));
    found.0 == "neg(B, A)"
}

#[test]
fn a_bracket_that_closes_none_is_an_error_at_its_place() {
    for text in [
        "void f() { while (0) { ] } mov(B, A); }",
        "void f(int v) { if (v < 0) { ) } mov(B, A); }",
        "void f() { vs_init(); ) mov(B, A); }",
        "void f() { mov(B, A); } }",
    ] {
        for function in [None, Some("f".to_owned())] {
            let reading = Reading { function, ..Reading::default() };
            match read(&reading, text) {
                Err(wrong) => assert!(wrong.iter().all(|(id, _)| *id == "unexpected"), "{wrong:?}: {text}"),
                Ok(found) => assert_eq!((found.0.as_str(), text.len()), ("mov(B, A)", 25), "{text}"),
            }
        }
    }
}

#[test]
fn types_have_other_names() {
    for (before, body, test) in [
        ("typedef unsigned char u8;", "u8 v = 255; v++;", "v == 0"),
        ("typedef unsigned char u8, *p8;", "u8 v = 256;", "v == 0"),
        ("using uint = unsigned int;", "uint v = 1;", "v - 2 > 0"),
        ("", "using u8 = uint8_t; u8 v[2] = {255, 1}; v[0] += 2;", "v[0] == 1"),
        ("namespace n { typedef uint8_t u8; }", "n::u8 v = 257;", "v == 1"),
        ("typedef uint8_t u8; typedef const u8 k8;", "k8 v = 257;", "v == 1"),
        ("typedef uint8_t u8;", "int v = (u8)257 + u8(257) + static_cast<u8>(257);", "v == 3"),
        ("typedef uint8_t u8; bool g(u8 v) { return v == 1; }", "", "g(257)"),
        ("typedef uint8_t u8; u8 g(int v) { return v; }", "", "g(257) == 1"),
        ("auto g(int v) -> uint8_t { return v; }", "", "g(257) == 1"),
        ("", "auto g = [](int v) -> uint8_t { return v; };", "g(257) == 1"),
        ("", "auto g = [](auto v) { return v - 2 > 0; };", "g(1u) && !g(1)"),
        ("", "uint8_t v = 255; auto w = v; w++;", "w == 0"),
        ("", "auto w = 1u;", "w - 2 > 0"),
        ("", "uint8_t v[1] = {255}; bool all = true; for (auto w : v) { w++; all = w == 0; }", "all"),
        ("template <typename T> T g() { T v = 257; return v; }", "", "g<uint8_t>() == 1 && g<int>() == 257"),
        ("template <typename T> T g() { T v = 257; return v; } typedef uint8_t u8;", "", "g<u8>() == 1"),
        ("template <class T> bool g(T v) { v++; return v == 0; }", "uint8_t v = 255;", "g(v) && !g(255)"),
        ("template <class T> bool g(const T& v) { T w = v + 1; return w == 0; }", "uint8_t v = 255;", "g(v)"),
        ("template <class T> int g(int v) { return static_cast<T>(v); }", "", "g<unsigned char>(257) == 1"),
        ("struct P { typedef uint8_t u8; u8 v = 257; bool g() { return v == 1; } };", "P p;", "p.g()"),
        // An inner name hides an outer one.
        ("typedef uint8_t n;", "int n = 256;", "n == 256"),
        ("typedef uint8_t u8;", "{ typedef int u8; u8 v = 1; v++; } u8 v = 256;", "v == 0"),
        ("float g(float v) { return v; }", "float v = 4; auto w = v / 2;", "w == 2 && g(3) * 2 == 6"),
    ] {
        assert!(holds(before, body, test), "{before} {body} {test}");
    }
    assert_eq!(errors(&program("", "float v = 3; if (v / 2 > 1) neg(B, A);")), ["host-value"]);
}

#[test]
fn numbers_are_computed_in_their_types() {
    for (body, test) in [
        ("unsigned u = 1; int i = -1; long long q = u ? i : u;", "q == 4294967295"),
        ("uint8_t a = 1, b = 2; auto c = true ? a : b; c = 256;", "c == 0"),
        ("", "(1 << 31) < 0"),
        ("uint8_t b = 0xff;", "((b << 24) >> 24) == -1"),
        ("int n = 3; n <<= 31;", "n == -2147483647 - 1"),
        ("", "(1L << 32) > 0 && (1LL << 63) < 0 && (1u << 31) > 0"),
        ("", "2147483647 + 1u == 2147483648"),
        ("", "-1u == 4294967295 && ~0u > 0 && -(1u) > 0"),
        ("uint8_t v[1] = {200}; v[0] /= 300; ", "v[0] == 0"),
        ("unsigned v = 0; v--;", "v == 4294967295"),
    ] {
        assert!(holds("", body, test), "{body} {test}");
    }
    // C++ does not say what these are.
    for test in ["2147483647 + 1 < 0", "1 << 32", "1 << -1", "1u >> 32", "65536 * 65536", "-(1 << 31)"] {
        assert_eq!(errors(&program("", &format!("if ({test}) neg(B, A);"))), ["number-too-large"], "{test}");
    }
}

#[test]
fn labels_are_values_of_the_switch() {
    let switch = |of: &str, body: &str| format!("switch ({of}) {{ {body} default: neg(C, A); }}");
    for (before, of, body) in [
        ("", "2", "enum { P1 = 1, P2 }; case P1: break; case P2: neg(B, A); break;"),
        ("enum { P1 = 1, P2 };", "2", "case P1: break; case P2: neg(B, A); break;"),
        ("", "10", r"case '\n': neg(B, A); break;"),
        ("", "39", r"case '\'': neg(B, A); break;"),
        ("", "65", r"case '\x41': neg(B, A); break;"),
        ("", "-1", "case 0xFFFFFFFF: neg(B, A); break;"),
        ("", "1LL << 32", "case 0: break; case 0x100000000: neg(B, A); break;"),
        // Labels differ, so that one with the value is the one.
        ("", "2", "case MODE: break; case 2: neg(B, A); break;"),
        ("", "2", "case 2: neg(B, A); for (; 0;) { case 1: ; } break;"),
        ("", "2", "case 1: switch (3) { case 2: break; } break; case 2: neg(B, A); break;"),
    ] {
        let (local, body) = match body.split_once("};") {
            Some((local, body)) => (format!("{local}}};"), body),
            None => (String::new(), body),
        };
        assert_eq!(code(&program(before, &format!("{local} {}", switch(of, body)))), "neg(B, A)", "{body}");
    }
    assert_eq!(errors(&program("", &switch("2", "case MODE: neg(B, A); break;"))), ["host-value"]);
    // Labels of a `switch` inside are its own.
    let inner = switch("9", "case 1: { switch (3) { case 2: ; } switch (3) { case 9: ; } } break;");
    assert_eq!(code(&program("", &inner)), "neg(C, A)");
    for body in [
        "case 1: for (;;) { case 2: neg(B, A); break; }",
        "case 0: if (1) { case 2: neg(B, A); }",
        "case 0: do { neg(B, A); case 2: neg(B, A); } while (0);",
        "case 0: if (1) case 2: neg(B, A);",
    ] {
        assert_eq!(errors(&program("", &switch("2", body))), ["unreadable"], "{body}");
    }
    let local = "enum { N = 3 }; ";
    assert_eq!(code(&program(local, "enum { N = 1 }; for (int i = 0; i < N; i++) neg(B, A);")), "neg(B, A)");
    assert_eq!(errors(&program("", "enum { M } m = M; if (m == M) neg(B, A);")), ["unreadable"]);
}

#[test]
fn lists_have_all_the_elements_of_their_arrays() {
    let sum = "int n = 0, k = 0;";
    for (before, body, test) in [
        ("const int W[4] = {1};", format!("{sum} for (int w : W) {{ n += w; k++; }}"), "n == 1 && k == 4"),
        ("", format!("const int W[4] = {{1}}; {sum} for (int w : W) {{ n += w; k++; }}"), "n == 1 && k == 4"),
        (
            "const int W[2][3] = {{1}, {1}};",
            format!("{sum} for (auto& r : W) for (int w : r) {{ n += w; k++; }}"),
            "n == 2 && k == 6",
        ),
        ("const int W[2][3] = {{1, 2}};", String::new(), "W[1][2] == 0 && W[0][1] == 2"),
        ("const int W[1][3] = {{1}};", String::new(), "W[0][2] == 0"),
        ("const int W[2][2] = {1, 2, 3, 4};", String::new(), "W[1][0] == 3 && W[0][1] == 2"),
        ("const int W[][2] = {1, 2, 3};", String::new(), "W[1][0] == 3 && W[1][1] == 0"),
        ("", "int W[2][2][2] = {{1, 2, 3}, 4, 5};".to_owned(), "W[0][1][0] == 3 && W[1][0][1] == 5"),
        ("const std::array<int, 4> W = {1};", format!("{sum} for (int w : W) {{ n += w; k++; }}"), "k == 4"),
        (
            "",
            format!("std::array<int, 3> W{{{{1, 2}}}}; {sum} for (int w : W) n += w;"),
            "n == 3 && W[2] == 0",
        ),
    ] {
        assert!(holds(before, &body, test), "{before} {body} {test}");
    }
}

#[test]
fn sizes_are_those_of_types_variables_and_arrays() {
    for (body, test) in [
        ("", "sizeof(int) == 4 && sizeof(unsigned char) == 1 && sizeof(int) - 5 > 0"),
        ("int16_t a[6] = {1};", "sizeof(a) / sizeof(a[0]) == 6 && sizeof a == 12"),
        ("uint8_t a[2][3];", "sizeof(a) == 6 && sizeof(a[0]) == 3 && sizeof(a[1][2]) == 1"),
        ("int n = 1; unsigned u = 1;", "sizeof(n) == 4 && sizeof(u + n) == 4 && sizeof(1LL) == 8"),
        ("typedef uint8_t u8; u8 v = 1;", "sizeof(u8) == 1 && sizeof(v) == 1"),
        ("int n = 1; int m = sizeof(n++);", "n == 1 && m == 4"),
    ] {
        assert!(holds("", body, test), "{body} {test}");
    }
    for size in ["sizeof(P)", "sizeof(p)", "sizeof(int*)", "sizeof(float)", "sizeof(c[3])", "sizeof(v)"] {
        let body = format!("int n = 1; int* p = &n; int v[TAPS] = {{1, 2}}; if ({size} > 1) neg(B, A);");
        assert_eq!(errors(&program("", &body)), ["host-value"], "{size}");
    }
    let wrong = read(&Reading::default(), &program("", "if (__LINE__ == 1) neg(B, A);")).unwrap_err();
    assert_eq!(wrong, [("host-value", "`__LINE__` is not read".to_owned())]);
    let text = program("", "int v[TAPS] = {1, 2}; for (int w : v) newsblur(B, A, w);");
    assert_eq!(errors(&text), ["unknown-operand"]);
}

#[test]
fn conditions_declare_variables_and_operators_have_words() {
    for (body, test) in [
        ("int n = 3, k = 0; while (int m = n--) k += m;", "k == 6"),
        ("int k = 0; switch (int q = 4; q) { case 4: k = q; }", "k == 4"),
        ("int k = 0; switch (int q = 4) { case 4: k = q; }", "k == 4"),
        ("int n = 6, m = 3; n and_eq m; n or_eq 8; n xor_eq 1;", "n == 11"),
    ] {
        assert!(holds("", body, test), "{body} {test}");
    }
    let text = program("int n = 6; void g() { n and_eq 2; }", "newsblur(B, A, n);");
    assert_eq!(errors(&text), ["host-value"]);
}

#[test]
fn what_is_not_followed_is_refused_at_its_place() {
    assert!(holds("", "int x = 1; const int& r = x; const_cast<int&>(r) = 2;", "x == 2"));
    assert!(holds("", "int x = 1; const int& r = x; int& z = const_cast<int&>(r); z = 2;", "x == 2"));
    assert!(holds("", "int x = 1; int& z = static_cast<int&>(x); z = 2;", "x == 2"));
    assert_eq!(errors(&program("", "long x = 1; (int&)x = 2; neg(B, A);")), ["unreadable"]);
    for body in ["int x = 1 mov(B, A); mov(C, A);", "int x[1] = {1} mov(B, A);", "areg_t x = A mov(B, A);"] {
        assert_eq!(errors(&program("", body)), ["unexpected"], "{body}");
    }
    assert_eq!(
        noted(&program("int n = 1; void g() { const_cast<int&>(n) = 2; }", "neg(B, A);"), &[]),
        "neg(B, A)"
    );
}

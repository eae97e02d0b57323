//! Forms of C++ that change nothing of what a program is.

use super::{code, errors, program};

#[test]
fn statements_are_read_in_all_their_forms() {
    for (body, expected) in [
        ("int n = 2; (void)n; (void)(n + 1); neg(B, A);", "neg(B, A)"),
        ("(void)0; static_cast<void>(1); neg(B, A);", "neg(B, A)"),
        ("[[maybe_unused]] int n = 2; newsblur(B, A, n);", "newsblur(B, A, 2)"),
        (
            "switch (1) { case 1: neg(B, A); [[fallthrough]]; case 2: neg(C, A); [[likely]] default: ; }",
            "neg(B, A); neg(C, A)",
        ),
        ("if (int n = 2) newsblur(B, A, n); else neg(B, A);", "newsblur(B, A, 2)"),
        ("if (int n = 2; n > 2) neg(B, A); else newsblur(B, A, n);", "newsblur(B, A, 2)"),
        ("int n = 1; if (n = 3; n == 3) newsblur(B, A, n);", "newsblur(B, A, 3)"),
        ("if (auto d = east; d == east) movx(B, A, d);", "movx(B, A, east)"),
    ] {
        assert_eq!(code(&program("", body)), expected, "{body}");
    }
    assert_eq!(errors(&program("", "else neg(B, A);")), ["unexpected"]);
}

#[test]
fn expressions_are_read_in_all_their_forms() {
    for (before, body, expected) in [
        ("", "::add(B, A, A);", "add(B, A, A)"),
        ("void g(AREG y) { neg(y, A); }", "::g(B);", "neg(B, A)"),
        ("", "movx(B, A, (news_t)(north + west - west));", "movx(B, A, north)"),
        ("", "movx(B, A, news_t(east)); movx(B, A, (news_t)east);", "movx(B, A, east); movx(B, A, east)"),
        ("", "movx(B, A, static_cast<news_t>(west + 0 * 2));", "movx(B, A, west)"),
        ("", "newsblur(B, A, (3, 2));", "newsblur(B, A, 2)"),
        ("", "if (not (1 > 2) and 3 not_eq 4 or 1 > 2) neg(B, A);", "neg(B, A)"),
        ("", "int i = 0, j = 3; for (; i < j; ++i, --j) neg(B, A);", "neg(B, A); neg(B, A)"),
    ] {
        assert_eq!(code(&program(before, body)), expected, "{body}");
    }
    let class = "struct P { enum class D { L, R = 4 }; void go(AREG y, D d) { movx(y, y, d == D::R ? east : west); } };";
    assert_eq!(
        code(&program(class, "P p; p.go(A, P::D::R); p.go(A, P::D::L);")),
        "movx(A, A, east); movx(A, A, west)"
    );
}

#[test]
fn a_source_without_a_program_says_so() {
    assert_eq!(errors("int main() { return 0; }"), ["no-such-block"]);
}

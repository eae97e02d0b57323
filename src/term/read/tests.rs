//! Tests that read short kernel files. Messages are compared in `tests/engine/errors.rs`.

use crate::syntax::Source;
use crate::term::{Cell, FilterSource, TermKind, print_filter, read_filter};

fn filter(text: &str) -> FilterSource {
    let source = Source::new("test.sexp", text);
    match read_filter(&source) {
        Ok(filter) => filter,
        Err(diagnostics) => panic!("{}", crate::syntax::render(&source, &diagnostics, false)),
    }
}

fn ids(text: &str) -> Vec<&'static str> {
    let diagnostics = read_filter(&Source::new("test.sexp", text)).unwrap_err();
    diagnostics.iter().map(|diagnostic| diagnostic.id).collect()
}

#[test]
fn equal_filters_are_read_and_others_refused() {
    let written = |head: &str, output: &str, term: &str| {
        let given = "(filter f (inputs a) (let k (kernel (origin 0 0) (1 1))) (output o (compose k k)))";
        format!("({head} {given} (filter f (inputs a) (output {output} {term})))")
    };
    let read = filter(&written("equal", "o", "(kernel (origin 0 0) (1 2 1))"));
    assert!(print_filter(&read).contains("\n  (output o (kernel (origin 0 0) (1 2 1)))"));
    assert_eq!(ids(&written("equal", "o", "(kernel (origin 0 0) (1 2 2))")), ["not-equal"]);
    assert_eq!(ids(&written("equal", "p", "(kernel (origin 0 0) (1 2 1))")), ["not-equal"]);
    assert_eq!(
        ids(&written("equal", "o", "(kernel (1 2 1) (1))")).len(),
        1,
        "the second filter's own mistake"
    );
    assert_eq!(ids(&written("eqaul", "o", "(id)")), ["unknown-form"]);
    assert_eq!(ids("(equal (filter f (output o (id))))"), ["wrong-arity"]);
}

fn errors_in_term(term: &str) -> Vec<&'static str> {
    ids(&format!("(filter f (inputs a b) (let k (kernel (1 2 1))) (output o {term}) (output p (from a k)))"))
}

#[test]
fn reads_what_the_format_allows() {
    let text = "; a comment
        (filter f (doc \"Two \\\"views\\\".\") (semiring min-plus) (dimensions 3) (inputs a b)
          (let k (kernel (origin 0 0) (1 .) (0 inf)))
          (output o (add (scale 1/2 (from a k)) (from b (shift 1 -2 3 (id)))))
          (combine (output p (compose (kernel (plane (1)) (plane (2)) (plane (3))) (from a (id))))))";
    let filter = filter(text);
    assert_eq!((filter.name.as_str(), filter.dimensions, filter.semiring.as_str()), ("f", 3, "min-plus"));
    assert_eq!(filter.doc.as_deref(), Some("Two \"views\"."));
    assert_eq!(filter.inputs, ["a", "b"]);
    assert_eq!(filter.outputs.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["o", "p"]);
    let TermKind::Kernel(grid) = &filter.lets[0].term.kind else { panic!("k is a kernel") };
    assert_eq!((grid.size, grid.origin), ([2, 2, 1], [0, 0, 0]));
    assert_eq!(grid.cells[1], Cell::Empty);
    assert!(filter.warnings.is_empty());
    assert_eq!(read_filter(&Source::new("again", print_filter(&filter))).unwrap(), filter);
}

#[test]
fn defaults_are_one_input_in_the_plane_with_plus_times() {
    let filter = filter("(filter f (output o (id)))");
    assert_eq!(
        (filter.inputs, filter.dimensions, filter.semiring.as_str()),
        (vec!["image".to_owned()], 2, "plus-times")
    );
}

#[test]
fn numbers_are_kept_in_lowest_terms() {
    let filter = filter("(filter f (output o (scale 0.25 (kernel (2/4 +3 -0)))))");
    assert!(print_filter(&filter).contains("\n  (output o (scale 1/4 (kernel (1/2 3 0))))"));
}

#[test]
fn an_unused_name_is_a_warning() {
    let filter = filter("(filter f (let a (id)) (let b a) (output o (id)))");
    let warnings: Vec<_> = filter.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(warnings, ["`b` is never used"]);
}

#[test]
fn all_mistakes_are_found_each_once_in_source_order() {
    let text = "(filter f (inputs a a)
        (let k (kernel (1 2) (3)))
        (output o (add (scale 1/0 k) (kernal (1)) (neg k k) missing))
        (output o (from c (id))) (outputs p k))";
    assert_eq!(
        ids(text),
        [
            "repeated-input",
            "ragged-kernel",
            "zero-denominator",
            "unknown-form",
            "wrong-arity",
            "unknown-variable",
            "repeated-output",
            "unknown-form"
        ]
    );
}

#[test]
fn channels_are_used_as_what_they_are() {
    assert_eq!(errors_in_term("k"), ["no-channel"]);
    assert_eq!(errors_in_term("(add (from a k) (id))"), ["no-channel"]);
    assert_eq!(errors_in_term("(from c k)"), ["unknown-channel"]);
    assert_eq!(errors_in_term("(from a (from b k))"), ["not-plain"]);
    assert_eq!(errors_in_term("(compose (from a k) (from b k))"), ["channels-read-twice"]);
    assert_eq!(errors_in_term("(combine (output x (from a k)))"), ["filter-as-value"]);
    assert_eq!(errors_in_term("(compose (from a k) (combine (output x (from b k))))"), ["unknown-channel"]);
    assert_eq!(errors_in_term("(add (from a k) (combine (output x (from b k))))"), ["filter-as-value"]);
    assert_eq!(errors_in_term("(from a (kernel (1 + 1)))"), ["stored-outside-instruction"]);
}

#[test]
fn a_name_is_checked_where_it_is_used() {
    // `step` reads channel `x`, which exists at its use inside the program, but not in the filter.
    let program = "(filter f (let step (combine (output x (from x (kernel (. 1 +))))))
        (output o (compose (from x (id)) (|> (combine (output x (id))) step step))))";
    filter(program);
    let outside = program.replace("(output o ", "(output o step) (output p ");
    assert_eq!(ids(&outside), ["unknown-channel", "stored-outside-instruction"]);
}

//! Printed filters read back equal, and no text makes the reader panic.

use proptest::prelude::*;

use crate::syntax::{Diagnostics, Sexp, Source, Span, quote, read, render};
use crate::term::IndexSpace;
use crate::term::{
    Cell, Coefficient, Direction, FilterSource, Grid, Name, OutputSource, Term, TermKind, filter_placed,
    footprints, print_filter, read_filter,
};

fn term(kind: TermKind) -> Term {
    Term { span: Span::default(), kind }
}

fn named(name: impl Into<String>, term: Term) -> OutputSource {
    OutputSource { name: name.into(), span: Span::default(), term }
}

fn coefficient(ring: bool) -> BoxedStrategy<Coefficient> {
    let number =
        (-40i64..40, 1i64..9).prop_map(|(n, d)| crate::algebra::Rational::new(n, d).unwrap().to_string());
    let text = if ring { number.boxed() } else { prop_oneof![number, Just("inf".to_owned())].boxed() };
    text.prop_map(|text| Coefficient(text.into())).boxed()
}

fn grid(ring: bool, stored: bool) -> impl Strategy<Value = Grid> {
    let cell = move || {
        let marked = if stored { Cell::Stored } else { Cell::Empty };
        prop_oneof![1 => Just(Cell::Empty), 1 => Just(marked), 4 => coefficient(ring).prop_map(Cell::Value)]
    };
    (1usize..5, 1usize..5, 1usize..4).prop_flat_map(move |(w, h, d)| {
        let cells = prop::collection::vec(cell(), w * h * d);
        (cells, 0..w, 0..h, 0..d).prop_map(move |(cells, x, y, z)| Grid {
            size: [w, h, d],
            origin: [x, y, z],
            cells,
        })
    })
}

/// Plain terms of a three-dimensional file whose names are `k0` to `k(names - 1)`.
fn plain(ring: bool, names: usize) -> BoxedStrategy<Term> {
    let mut leaves =
        vec![Just(TermKind::Identity).boxed(), grid(ring, false).prop_map(TermKind::Kernel).boxed()];
    if names > 0 {
        leaves.push((0..names).prop_map(|i| TermKind::Variable(format!("k{i}"))).boxed());
    }
    if ring {
        let direction = prop_oneof![
            prop::sample::select(Direction::names().collect::<Vec<_>>()).prop_map(Direction::parse),
            [-3i32..4, -3i32..4, -3i32..4].prop_map(Direction::along),
        ];
        let direction = direction.prop_filter_map("a scan needs a direction", |d| d.map(TermKind::Scan));
        leaves.push(direction.boxed());
    }
    let leaf = prop::strategy::Union::new(leaves).prop_map(term);
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let list = || prop::collection::vec(inner.clone(), 1..4);
        let shift = [-9i32..9, -9i32..9, -9i32..9];
        let mut kinds = vec![
            (coefficient(ring), boxed()).prop_map(|(factor, inner)| TermKind::Scale(factor, inner)).boxed(),
            (shift, boxed()).prop_map(|(by, inner)| TermKind::Shift(by, inner)).boxed(),
            list().prop_map(TermKind::Add).boxed(),
            list().prop_map(TermKind::Compose).boxed(),
            (
                boxed(),
                prop::collection::vec(grid(ring, true).prop_map(|grid| term(TermKind::Kernel(grid))), 1..3),
            )
                .prop_map(|(program, instructions)| TermKind::Instruct { program, instructions })
                .boxed(),
        ];
        if ring {
            kinds.push(boxed().prop_map(TermKind::Negate).boxed());
            kinds.push((boxed(), boxed()).prop_map(|(a, b)| TermKind::Subtract(a, b)).boxed());
        }
        prop::strategy::Union::new(kinds).prop_map(term)
    })
    .boxed()
}

/// `inner` summed along x, as a recursion.
fn recursion(inner: Term) -> Term {
    let again = Box::new(term(TermKind::Variable("again".to_owned())));
    let sum = term(TermKind::Add(vec![term(TermKind::Shift([1, 0, 0], again)), inner]));
    term(TermKind::Fix(Name { text: "again".to_owned(), span: Span::default() }, Box::new(sum)))
}

/// Terms that yield one value from channels with these `names`.
fn row(ring: bool, names: &'static [&'static str]) -> BoxedStrategy<Term> {
    let from = (prop::sample::select(names), plain(ring, 2)).prop_map(|(channel, kernel)| {
        let channel = Name { text: channel.to_owned(), span: Span::default() };
        term(TermKind::From(channel, Box::new(kernel)))
    });
    prop::collection::vec(from, 1..4).prop_map(|rows| term(TermKind::Add(rows))).boxed()
}

fn filter() -> impl Strategy<Value = FilterSource> {
    let doc = prop::option::of("[ -~\n\té⊳]{0,20}");
    any::<bool>().prop_flat_map(move |ring| {
        let combined = (row(ring, &["1", "s", "2"]), row(ring, &["a", "2"]), row(ring, &["a", "2"]))
            .prop_map(|(outer, r, s)| {
                let outputs = vec![named("1", r), named("s", s)];
                let inner = term(TermKind::Combine { outputs, passes: true });
                term(TermKind::Compose(vec![outer, inner]))
            });
        let lets = (plain(ring, 0), plain(ring, 1))
            .prop_map(move |(a, b)| vec![named("k0", a), named("k1", recursion(b))]);
        (doc.clone(), lets, row(ring, &["a", "2"]), combined).prop_map(move |(doc, lets, plain, combined)| {
            FilterSource {
                name: "f-1".to_owned(),
                doc,
                semiring: if ring { "plus-times" } else { "min-plus" }.to_owned(),
                dimensions: 3,
                space: if ring { IndexSpace::Grid } else { IndexSpace::Torus([7, 1, 1 << 20]) },
                inputs: vec!["a".to_owned(), "2".to_owned()],
                lets,
                outputs: vec![named("x", plain), named("y'", combined)],
                warnings: Diagnostics::new(),
            }
        })
    })
}

/// S-expressions made of the words of kernel files.
fn soup() -> impl Strategy<Value = Sexp> {
    let words = prop::sample::select(
        &[
            "filter",
            "doc",
            "semiring",
            "min-plus",
            "plus-times",
            "dimensions",
            "inputs",
            "let",
            "output",
            "kernel",
            "plane",
            "origin",
            "scale",
            "add",
            "sub",
            "neg",
            "compose",
            "shift",
            "id",
            "scan",
            "x",
            "west",
            "from",
            "combine",
            "|>",
            "a",
            "b",
            "1",
            "-3",
            "1/2",
            "0",
            "inf",
            ".",
            "+",
            "_",
            "fix",
            "3",
        ][..],
    );
    let leaf = prop_oneof![8 => words.prop_map(Sexp::atom), 1 => "[ -~]{0,4}".prop_map(Sexp::text)];
    leaf.prop_recursive(6, 60, 6, |inner| prop::collection::vec(inner, 0..6).prop_map(Sexp::list))
}

/// Reads and evaluates a source; any result without a panic is fine.
fn answer(source: &Source) {
    match read_filter(source) {
        Ok(filter) => {
            for result in [filter_placed(&filter).err(), footprints(&filter).err()].into_iter().flatten() {
                assert!(!render(source, &result, true).is_empty());
            }
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            assert!(!render(source, &diagnostics, false).is_empty());
            let places: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.place().start).collect();
            assert!(places.is_sorted(), "diagnostics are in source order");
        }
    }
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(filter in filter()) {
        let source = Source::new("printed", print_filter(&filter));
        let read = read_filter(&source)
            .map_err(|found| TestCaseError::fail(format!("{}\n{}", render(&source, &found, false), source.text())))?;
        prop_assert_eq!(&read, &filter, "{}", source.text());
        prop_assert_eq!(print_filter(&read), source.text());
    }

    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        answer(&Source::from_bytes("bytes", bytes));
    }

    #[test]
    fn any_text_of_the_right_characters_has_an_answer(text in "[()\\.;\"\\\\ \n\t+a-f0-9/é\u{0}-]{0,200}") {
        answer(&Source::new("text", text));
    }

    #[test]
    fn any_forms_have_an_answer(sexps in prop::collection::vec(soup(), 0..4)) {
        let print = |sexps: &[Sexp]| sexps.iter().map(|sexp| crate::syntax::Layout::default().print(sexp)).collect::<Vec<_>>().join(" ");
        answer(&Source::new("soup", print(&sexps)));
        answer(&Source::new("items", format!("(filter f {})", print(&sexps))));
        answer(&Source::new("term", format!("(filter f (inputs a b) (output o (from a {})))", print(&sexps))));
        answer(&Source::new("terms", format!("(filter f (dimensions 3) (output o (add (id) {})))", print(&sexps))));
    }

    #[test]
    fn a_file_with_a_hole_has_an_answer(filter in filter(), at in any::<prop::sample::Index>(), length in 1usize..30) {
        let text: Vec<char> = print_filter(&filter).chars().collect();
        let start = at.index(text.len());
        let kept = text[..start].iter().chain(text[(start + length).min(text.len())..].iter());
        answer(&Source::new("hole", kept.collect::<String>()));
    }

    #[test]
    fn quoted_texts_read_back(text in any::<String>()) {
        let source = Source::new("quoted", quote(&text));
        prop_assert_eq!(read(&source), Ok(vec![Sexp::text(text)]));
    }
}

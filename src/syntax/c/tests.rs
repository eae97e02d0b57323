//! Sources after preprocessing, and the diagnostics for them.

use super::*;

/// The remaining tokens and the ids of the diagnostics: warnings, then errors.
fn left(source: &str) -> (String, Vec<&'static str>) {
    let source = Source::new("a.cpp", source);
    let text = Text::of(source.text());
    let found = preprocess(&source, &text, &[]).unwrap();
    let all = Span::new(0, source.text().len());
    let (warnings, errors) = found.remarks(&[all], std::iter::empty());
    let ids = warnings.iter().chain(&errors).map(|d| d.id).collect();
    (found.tokens.iter().map(|t| t.text).collect::<Vec<_>>().join(" "), ids)
}

fn refused(source: &str) -> Vec<&'static str> {
    let source = Source::new("a.cpp", source);
    let text = Text::of(source.text());
    preprocess(&source, &text, &[]).unwrap_err().iter().map(|d| d.id).collect()
}

#[test]
fn definitions_hold_from_where_they_stand_until_they_are_undone() {
    assert_eq!(left("R\n#define R A\nR\n#define R B\nR\n#undef R\nR").0, "R A B R");
    assert_eq!(left("\u{FEFF}#define R A\nR"), ("A".to_owned(), vec![]));
    assert_eq!(left("#def\\\nine R A /* a\n */ B \\\n C\nR\\\n").0, "A B C");
    assert_eq!(left("// a \\\nb\nc").0, "c");
    assert_eq!(left("# define R A // B\n#\nR").0, "A");
}

#[test]
fn conditions_are_evaluated() {
    let cases = [
        ("#if 0\na\n#endif\nb", "b"),
        ("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"),
        ("#define N 3\n#if N > 2 && defined(N) && !defined M\na\n#else\nb\n#endif", "a"),
        ("#define N\n#ifdef N\na\n#else\nb\n#endif\n#undef N\n#ifndef N\nc\n#endif", "a c"),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#if 1\nd\n#endif\n#endif", "c d"),
        ("#if 0\n#define R A\n#else\n#define R B\n#endif\nR", "B"),
        ("#if 0\nit's \"odd\n#error never\n#endif\na", "a"),
        ("#if 010 == 8 && 0b11 == 3 && 0x10u == 16\na\n#endif", "a"),
        ("#define F(x) x == 2\n#if F(2)\na\n#endif", "a"),
        ("#ifdef __cplusplus\na\n#endif", "a"),
        ("#if 1 || 1 / 0\na\n#endif", "a"),
        ("#ifndef X\n#elifndef Y\na\n#endif", ""),
    ];
    for (source, expected) in cases {
        assert_eq!(left(source).0, expected, "{source}");
    }
}

#[test]
fn what_an_undefined_name_decides_is_said() {
    assert_eq!(left("#ifdef SIM\na\n#else\nb\n#endif"), ("b".to_owned(), vec!["undefined-condition"]));
    assert_eq!(left("#if SIM > 0\na\n#endif"), (String::new(), vec!["undefined-condition"]));
    assert_eq!(left("#ifndef FILE_H\n#define FILE_H\na\n#endif"), ("a".to_owned(), vec![]));
    assert_eq!(left("#undef SIM\n#ifdef SIM\na\n#endif"), (String::new(), vec![]), "known to be none");
    assert_eq!(left("#if 0\n#ifdef SIM\na\n#endif\n#endif"), (String::new(), vec![]), "never asked");
    let source =
        Source::new("a.cpp", "#if N\n#define R A\n#else\n#define R B\n#endif\nx R y\n#ifdef Z\nz\n#endif");
    let text = Text::of(source.text());
    let found = preprocess(&source, &text, &[]).unwrap();
    let said = |from: usize, to: usize| {
        let (warnings, _) = found.remarks(&[Span::new(from, to)], std::iter::empty());
        warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(said(43, 44), Vec::<String>::new(), "`x` does not depend on it");
    assert_eq!(said(43, 46), ["the source does not define `N`: the code after `#else` is read"]);
    let given = [("N".to_owned(), 1)];
    let found = preprocess(&source, &text, &given).unwrap();
    assert_eq!(found.tokens.iter().map(|t| t.text).collect::<String>(), "xAy");
}

#[test]
fn what_is_not_followed_is_said() {
    assert_eq!(left("a\n#include \"b.h\"\nc").1, ["unreadable"]);
    assert_eq!(left("#error a").1, ["unreadable"]);
    assert_eq!(left("#if (\na\n#endif"), (String::new(), vec!["bad-condition"]));
    assert_eq!(left("#if 1 2\na\n#endif\n#if 1 / 0\n#endif").1, ["bad-condition", "bad-condition"]);
    assert_eq!(left("#pragma once\n#line 3\na"), ("a".to_owned(), vec![]));
}

#[test]
fn conditions_pair() {
    for source in [
        "#if 1",
        "#endif",
        "#else",
        "#elif 1",
        "#if 0\n#else\n#else\n#endif",
        "#if 0\n#else\n#elif 1\n#endif",
    ] {
        assert_eq!(refused(source), ["unpaired-condition"], "{source}");
    }
    assert_eq!(refused("a /* b"), ["open-comment"]);
}

#[test]
fn a_file_is_read_wherever_it_is_included() {
    let own = "a\n#include \"b.h\"\n#include \"b.h\"\nR\n#include \"c.h\"\nd";
    let mut source = Source::new("a.cpp", own);
    let b =
        source.include("b.h", "#ifndef B_H\n#define B_H\n#define R x\nb\n#include \"c.h\"\n#endif").unwrap();
    for line in own.match_indices("#include \"b").map(|(at, _)| at) {
        source.set_included(line, b);
    }
    let c = source.include("c.h", "c\n#if 1").unwrap();
    let nested = source.text().rfind("#include \"c").unwrap();
    source.set_included(nested, c);
    let text = Text::of(source.text());
    // A condition must end in its own file.
    let wrong = preprocess(&source, &text, &[]).unwrap_err();
    let wrong: Vec<_> = wrong.iter().map(|d| (d.id, d.place().start as usize)).collect();
    let place = source.text().find("#if 1").unwrap();
    assert_eq!(wrong, [("unpaired-condition", place)]);
    assert_eq!((source.name_at(place), source.position(place).line), ("c.h", 2));
    let mut source = Source::new("a.cpp", own);
    let b = source.include("b.h", "#define R x\nb").unwrap();
    for line in own.match_indices("#include \"b").map(|(at, _)| at) {
        source.set_included(line, b);
    }
    let text = Text::of(source.text());
    let found = preprocess(&source, &text, &[]).unwrap();
    assert_eq!(found.tokens.iter().map(|t| t.text).collect::<Vec<_>>(), ["a", "b", "b", "x", "d"]);
}

#[test]
fn a_list_is_included_for_every_meaning_of_its_macro() {
    let read = |list: &str, own: &str| {
        let mut source = Source::new("a.cpp", own);
        let file = source.include("x.inc", list).unwrap();
        let places: Vec<usize> = source.text().match_indices("#include").map(|(at, _)| at).collect();
        places.into_iter().for_each(|at| source.set_included(at, file));
        let text = Text::of(source.text());
        let found = preprocess(&source, &text, &[]);
        found
            .map(|found| found.tokens.iter().map(|t| t.text).collect::<Vec<_>>().join(" "))
            .map_err(|wrong| wrong.iter().map(|d| d.id).collect::<Vec<_>>())
    };
    let twice = "#define X(r) a r\n#include \"x\"\n#undef X\n#define X(r) r b\n#include \"x\"\n";
    assert_eq!(read("X(1) X(2)", twice), Ok("a 1 a 2 1 b 2 b".to_owned()));
    assert_eq!(read("#pragma once\nX(1) X(2)", twice), Ok("a 1 a 2".to_owned()));
    assert_eq!(read("#ifndef G\n#define G\nX(1)\n#endif", twice), Ok("a 1".to_owned()));
    assert_eq!(read("#include \"x\"", twice), Err(vec!["too-deep"]));
    assert_eq!(read("a\n#include \"x\"\n#include \"x\"", twice), Err(vec!["too-deep"]));
}

//! The reader of hand-written kernels in vector intrinsics: a function of a C++ source, or statements alone.
//!
//! It reads declarations of integers, pointers, vectors and accumulators; assignments and calls; `for`, `while` and
//! `if`; functions that the kernel calls. It reports anything else in them, with its place. It ignores other functions
//! of the source. It does not know the meaning of the calls.

mod syntax;
mod types;

pub use crate::syntax::c::{Binary, Unary};
pub use syntax::{Base, Code, Declarator, Expression, Function, Kind, Scalar, Statement, Type};

use std::collections::{BTreeMap, BTreeSet};

use types::{Intrinsics, named};

use crate::syntax::c::{
    self, Cursor, Lexeme, Preprocessed, Token, closing, is_qualifier, preprocess, text_of,
};
use crate::syntax::{Diagnostic, Diagnostics, Source, Span};

/// Words that begin statements, not declarations.
const STATEMENTS: [&str; 6] = ["for", "while", "if", "return", "do", "switch"];

/// Returns the type that a word names, such as `v16int16`.
pub fn type_named(word: &str) -> Option<Base> {
    named(word)
}

/// Whether a word and the parentheses after it have no meaning here.
fn is_annotation(word: &str) -> bool {
    c::is_annotation::<Intrinsics>(word)
}

/// A function of a source: the ranges of tokens of its name, its parameters and its statements.
struct Found<'a> {
    name: &'a str,
    place: Span,
    parameters: std::ops::Range<usize>,
    body: std::ops::Range<usize>,
}

/// The top level of a source.
#[derive(Default)]
struct Outline<'a> {
    functions: Vec<Found<'a>>,
    /// The functions of each name, in order.
    by_name: BTreeMap<&'a str, Vec<usize>>,
    /// Declarations outside of functions.
    globals: Vec<std::ops::Range<usize>>,
    /// Other statements: the place of the first one.
    loose: Option<Span>,
}

/// Reads the kernel of a source: function number `block`, counted from 1 among the candidates, or the only candidate.
/// Without functions, the kernel is the whole text. Conditions of the preprocessor know the values of the names
/// `given`. Also returns the number of candidates.
///
/// # Errors
/// The text cannot be read at all, there are several candidates and none is chosen, or parts of the chosen one cannot
/// be read. The latter are listed in source order.
pub fn read_code(
    source: &Source,
    block: Option<usize>,
    given: &[(String, i64)],
) -> Result<(Code, usize), Diagnostics> {
    let text = text_of(source)?;
    let found = preprocess(source, &text, given)?;
    let all = &found.tokens;
    let outline = outline(all);
    let mut code = Code::default();
    let mut wrong = Diagnostics::new();
    if outline.functions.is_empty() {
        let body = statements(all, &mut wrong);
        code.functions.push(Function { name: String::new(), parameters: Vec::new(), body });
        remarks(
            &found,
            &[Span::new(0, source.text().len())],
            std::slice::from_ref(&(0..all.len())),
            &mut code,
            &mut wrong,
        );
        return wrong.sorted().or((code, 1));
    }
    if let Some(place) = outline.loose {
        let message = "this is outside the functions";
        return Err(Diagnostic::error("unexpected", message)
            .label(place, "expected a function or a declaration")
            .into());
    }
    let candidates = candidates(&outline, all);
    let chosen = choose(&outline, &candidates, source, block)?;
    let (mut extents, mut ranges) = (Vec::new(), outline.globals.clone());
    for range in &outline.globals {
        code.globals.extend(statements(&all[range.clone()], &mut wrong));
    }
    let mut wanted = vec![chosen];
    let mut next = 0;
    while let Some(index) = wanted.get(next).copied() {
        next += 1;
        let found = &outline.functions[index];
        let mut cursor: Cursor<'_, Intrinsics> = Cursor::new(&all[found.parameters.clone()]);
        let parameters = cursor.parameters().unwrap_or_default();
        wrong.append(cursor.diagnostics);
        let body = statements(&all[found.body.clone()], &mut wrong);
        code.functions.push(Function { name: found.name.to_owned(), parameters, body });
        ranges.push(found.parameters.start..found.body.end);
        let called = calls(&outline, &all[found.body.clone()]);
        wanted.extend(called.into_iter().filter(|other| !wanted.contains(other)).collect::<Vec<_>>());
    }
    let places =
        ranges.iter().filter_map(|range| Some(all[range.start].span.to(all.get(range.end - 1)?.span)));
    extents.extend(places);
    remarks(&found, &extents, &ranges, &mut code, &mut wrong);
    wrong.sorted().or((code, candidates.len()))
}

/// Adds the remarks of the preprocessor on the code that is read.
fn remarks(
    found: &Preprocessed<'_>,
    extents: &[Span],
    ranges: &[std::ops::Range<usize>],
    code: &mut Code,
    wrong: &mut Diagnostics,
) {
    let words = ranges.iter().flat_map(|range| &found.tokens[range.clone()]).map(|token| token.text);
    let (notes, mistakes) = found.remarks(extents, words);
    code.notes = notes;
    wrong.append(mistakes);
}

fn statements(tokens: &[Token<'_>], wrong: &mut Diagnostics) -> Vec<Statement> {
    let mut cursor: Cursor<'_, Intrinsics> = Cursor::new(tokens);
    let mut found = cursor.statements();
    while cursor.peek().is_some() {
        let _closing: Result<(), _> = cursor.unexpected("a statement");
        cursor.at += 1;
        found.extend(cursor.statements());
    }
    wrong.append(cursor.diagnostics);
    found
}

/// The index after the group that `tokens[at]` opens.
fn group_end(tokens: &[Token<'_>], at: usize) -> usize {
    closing(tokens, at).map_or(tokens.len(), |close| close + 1)
}

/// The index after the statement or declaration that begins at `tokens[at]`.
fn statement_end(tokens: &[Token<'_>], mut at: usize) -> usize {
    while at < tokens.len() && !tokens[at].is(";") {
        at = if matches!(tokens[at].text, "(" | "{" | "[") { group_end(tokens, at) } else { at + 1 };
    }
    (at + 1).min(tokens.len())
}

fn outline<'a>(tokens: &[Token<'a>]) -> Outline<'a> {
    let mut found = Outline::default();
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        let opens = |at: usize| tokens.get(at).is_some_and(|t| t.is("{"));
        match token.text {
            ";" | "}" => at += 1,
            // Their contents are at the top level, too.
            "namespace" | "extern" if (1..6).any(|n| opens(at + n)) && entered(&tokens[at..]) => {
                at += tokens[at..].iter().position(|t| t.is("{")).map_or(1, |n| n + 1);
            }
            "extern" if tokens.get(at + 1).is_some_and(|next| next.kind == Lexeme::Literal) => at += 2,
            "using" | "typedef" | "struct" | "class" | "enum" | "static_assert" | "template" => {
                at = match token.is("template") {
                    true => template_end(tokens, at),
                    false => statement_end(tokens, at),
                };
            }
            _ => match function(tokens, at) {
                Some((function, end)) => {
                    if let Some(function) = function {
                        found.by_name.entry(function.name).or_default().push(found.functions.len());
                        found.functions.push(function);
                    }
                    at = end;
                }
                None => {
                    let end = statement_end(tokens, at);
                    if token.kind == Lexeme::Word
                        && (is_qualifier(token.text)
                            || is_annotation(token.text)
                            || named(token.text).is_some())
                    {
                        found.globals.push(at..end);
                    } else {
                        found.loose.get_or_insert(token.span);
                    }
                    at = end;
                }
            },
        }
    }
    found
}

/// Whether `namespace a::b {` or `extern "C" {` begins here.
fn entered(tokens: &[Token<'_>]) -> bool {
    let before = tokens.iter().skip(1).take_while(|t| !t.is("{"));
    before.into_iter().all(|t| t.kind == Lexeme::Word || t.kind == Lexeme::Literal || t.is(":"))
}

/// The index after `template <…>`.
fn template_end(tokens: &[Token<'_>], at: usize) -> usize {
    let mut open = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text {
            "<" => open += 1,
            ">" if open <= 1 => return index + 1,
            ">" => open -= 1,
            _ => {}
        }
    }
    tokens.len()
}

/// A function that begins here, and the index after it. The inner `None` is a forward declaration.
fn function<'a>(tokens: &[Token<'a>], at: usize) -> Option<(Option<Found<'a>>, usize)> {
    if STATEMENTS.contains(&tokens[at].text) {
        return None;
    }
    let mut name = at;
    // At least two words, with pointer marks between them and annotations ignored: a type and a name.
    let mut words = 0;
    loop {
        let token = tokens.get(name)?;
        match token.kind {
            Lexeme::Word if is_annotation(token.text) => {
                name += 1;
                if tokens.get(name).is_some_and(|t| t.is("(")) {
                    name = group_end(tokens, name);
                }
                continue;
            }
            Lexeme::Word if tokens.get(name + 1).is_some_and(|t| t.is("(")) => break,
            Lexeme::Word => words += 1,
            _ if token.is("*") || token.is("&") || token.is(":") => {}
            _ => return None,
        }
        name += 1;
    }
    if words == 0 {
        return None;
    }
    let close = group_end(tokens, name + 1);
    let mut behind = close;
    while tokens.get(behind).is_some_and(|t| t.kind == Lexeme::Word) {
        let annotation = is_annotation(tokens[behind].text);
        behind += 1;
        if annotation && tokens.get(behind).is_some_and(|t| t.is("(")) {
            behind = group_end(tokens, behind);
        }
    }
    match tokens.get(behind) {
        Some(next) if next.is("{") => {
            let end = group_end(tokens, behind);
            // Unclosed braces are reported later.
            let closed = end > behind + 1 && tokens[end - 1].is("}");
            let inner = if closed { behind + 1..end - 1 } else { behind..end };
            let found = Found {
                name: tokens[name].text,
                place: tokens[name].span,
                parameters: name + 1..close,
                body: inner,
            };
            Some((Some(found), end))
        }
        Some(next) if next.is(";") => Some((None, behind + 1)),
        _ => None,
    }
}

/// The functions of the source that these tokens call, in order.
fn calls(outline: &Outline<'_>, tokens: &[Token<'_>]) -> Vec<usize> {
    let named = tokens.windows(2).filter(|pair| pair[0].kind == Lexeme::Word && pair[1].is("("));
    let called = named.filter_map(|pair| outline.by_name.get(pair[0].text)).flatten().copied();
    called.collect::<BTreeSet<usize>>().into_iter().collect()
}

/// The candidates: functions that use vectors and that no other such function calls. All functions if there are none.
fn candidates(outline: &Outline<'_>, tokens: &[Token<'_>]) -> Vec<usize> {
    let vectors = |found: &Found<'_>| {
        let own = tokens[found.parameters.start..found.body.end].iter();
        own.filter(|t| t.kind == Lexeme::Word)
            .any(|t| matches!(named(t.text), Some(Base::Vector(..) | Base::Accumulator(..))))
    };
    let mut found: Vec<usize> =
        (0..outline.functions.len()).filter(|i| vectors(&outline.functions[*i])).collect();
    let called: BTreeSet<usize> = found
        .iter()
        .flat_map(|caller| {
            let own = calls(outline, &tokens[outline.functions[*caller].body.clone()]);
            own.into_iter().filter(|called| called != caller).collect::<Vec<_>>()
        })
        .collect();
    if found.iter().any(|index| !called.contains(index)) {
        found.retain(|index| !called.contains(index));
    }
    if found.is_empty() { (0..outline.functions.len()).collect() } else { found }
}

fn choose(
    outline: &Outline<'_>,
    candidates: &[usize],
    source: &Source,
    block: Option<usize>,
) -> Result<usize, Diagnostics> {
    let last = candidates.len();
    let shown = |number: usize| {
        let found = &outline.functions[candidates[number - 1]];
        format!("{number} `{}` in line {}", found.name, source.position(found.place.start as usize).line)
    };
    match block {
        Some(number) if (1..=last).contains(&number) => Ok(candidates[number - 1]),
        Some(number) => {
            let message = format!("there is no program {number}: the source has {last}");
            let place = outline.functions[candidates[last - 1]].place;
            Err(Diagnostic::error("no-such-block", message).label(place, "the last one").into())
        }
        None if last == 1 => Ok(candidates[0]),
        None => {
            let message = format!("the source has {last} functions to choose from");
            let place = outline.functions[candidates[0]].place;
            let list: Vec<String> = (1..=last).map(shown).collect();
            Err(Diagnostic::error("several-blocks", message)
                .label(place, "the first one")
                .help(format!("choose one with --block N: {}", list.join(", ")))
                .into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Code, Vec<&'static str>> {
        let found = read_code(&Source::new("code.cc", text), None, &[]);
        found.map(|(code, _)| code).map_err(|wrong| wrong.iter().map(|d| d.id).collect())
    }

    #[test]
    fn kernels_are_found_among_other_code() {
        let text = "#include <adf.h>\n#ifndef N\n#define N 4\n#endif\nnamespace a::b {\nstatic const int16_t k[N] = {1};\n\
            template <int> inline v16int16 part(v16int16 *p) { return *p; }\n\
            void announced(int);\n\
            extern \"C\" __attribute__((noinline)) void kernel(v16int16 *restrict in, v16int16 (&out)[N]) noexcept { out[0] = part(in); }\n\
            int main() { std::vector<int> v; return v.size(); }\n}";
        let code = read(text).unwrap();
        let names: Vec<&str> = code.functions.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["kernel", "part"]);
        assert_eq!((code.globals.len(), code.functions[0].parameters.len()), (1, 2));
    }

    #[test]
    fn operators_bind_as_in_c() {
        let value = |text: &str| {
            let code = read(&format!("{text};")).unwrap();
            let [Statement::Evaluate(expression)] = &code.functions[0].body[..] else {
                panic!("one statement")
            };
            fn of(e: &Expression) -> i64 {
                match &e.kind {
                    Kind::Integer(value) => *value,
                    Kind::Binary(operator, a, b) => operator.apply(of(a), of(b)).unwrap(),
                    Kind::Unary(Unary::Minus, a) => -of(a),
                    Kind::Choice(a, b, c) => {
                        if of(a) != 0 {
                            of(b)
                        } else {
                            of(c)
                        }
                    }
                    other => panic!("{other:?}"),
                }
            }
            of(expression)
        };
        assert_eq!(value("1 + 2 * 3 - 4 / 2 % 3"), 5);
        assert_eq!(value("1 << 2 + 1 | 3 & 6 ^ 1"), 11);
        assert_eq!(value("2 < 3 == 1 && 4 >= 5 || 0 ? 7 : - -9"), 9);
        assert_eq!(value("0x10 - 10 - 2"), 4);
    }

    #[test]
    fn mistakes_have_names() {
        assert_eq!(read("void f(v16int16 *p) { *p = ; x y; }"), Err(vec!["unexpected", "unreadable"]));
        assert_eq!(read("void f(v16int16 *p) { if (1) { "), Err(vec!["unexpected", "unexpected"]));
        assert_eq!(read("for (;;) {}"), Err(vec!["unreadable"]));
        assert_eq!(read("}"), Err(vec!["unexpected"]));
        assert_eq!(read("/* "), Err(vec!["open-comment"]));
        assert_eq!(read(&"(".repeat(1000)), Err(vec!["too-deep"]));
        assert!(read("void f(v16int16 *p) {\n#if 0\n}\n#endif\n}").is_ok());
        assert_eq!(read("void f(v16int16 *p) {\n#if 1\n}"), Err(vec!["unpaired-condition"]));
        let two = "void f(v16int16 *p) {} void g(v16int16 *p) {}";
        assert_eq!(read(two), Err(vec!["several-blocks"]));
        assert_eq!(read_code(&Source::new("two", two), Some(2), &[]).unwrap().1, 2);
    }
}

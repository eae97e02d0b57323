//! The subset of C and C++ that programs are read in: the preprocessor, and a parser of statements and expressions. A
//! [`Dialect`] defines the types; the callers decide what the code means.
//!
//! The preprocessor joins continued lines, removes comments, evaluates conditions and expands macros. Every token keeps
//! its place in the source.
//!
//! As in C, `#ifdef` of a name that the source does not define is false, and in `#if` such a name is 0. A warning is
//! issued if this decides which code is read. A file that `#include` names is read in place of the line, if the source has it;
//! `#` and `##` in macros are not supported.

mod text;
mod lex;
mod brackets;
mod literal;
mod operator;
mod tree;
mod cursor;
mod expression;
mod declaration;
mod statement;
mod constant;
mod macros;
mod conditional;

pub use operator::Binary;
pub use tree::Unary;

pub(crate) use brackets::{closing, opening, part_end, split};
pub(crate) use cursor::{Cursor, Dialect, Mistake};
pub(crate) use declaration::{is_annotation, is_qualifier};
pub(crate) use lex::{Kind as Lexeme, Token};
pub(crate) use literal::integer;
pub(crate) use macros::{Expanded, Macros};
pub(crate) use text::Text;
pub(crate) use tree::{Declarator, Expression, Kind, Statement, Type};

use std::collections::BTreeSet;

use conditional::{Group, Line, Open};
use lex::Gap;

use crate::syntax::{Diagnostic, Diagnostics, Severity, Source, Span};

/// Macros that every C++ compiler defines.
const PREDEFINED: [(&str, &str); 1] = [("__cplusplus", "201703L")];

/// The maximum number of files that include one another, and of the tokens that are read of included files.
const MAX_FILES: usize = 64;
const MAX_INCLUDED: usize = 1 << 21;

/// The number of tokens up to which the body of a macro is taken for a name or a number.
const SHORT: usize = 6;

/// A source after preprocessing.
#[derive(Debug, Default)]
pub(crate) struct Preprocessed<'a> {
    /// The tokens of the active lines after macro expansion.
    pub(crate) tokens: Vec<Token<'a>>,
    /// Diagnostics that matter only in code that is read: uses of macros, and directives that are not followed.
    mistakes: Vec<Diagnostic>,
    groups: Vec<Group<'a>>,
    /// The macros that were used, each with the place of the token that used it.
    uses: Vec<(&'a str, Span)>,
    /// The macros that nothing uses, apart from short ones.
    pub(crate) unused: Vec<Unused<'a>>,
}

/// A macro that nothing uses.
#[derive(Debug)]
pub(crate) struct Unused<'a> {
    /// The name.
    pub(crate) name: &'a str,
    /// The place of the definition.
    pub(crate) place: Span,
    /// The parameters.
    pub(crate) parameters: Vec<&'a str>,
    /// The body, with the macros in it expanded.
    pub(crate) body: Vec<Token<'a>>,
}

/// The text of a source, ready to be split into tokens.
///
/// # Errors
/// The text cannot be read at all.
pub(crate) fn text_of(source: &Source) -> Result<Text<'_>, Diagnostics> {
    match source.defect() {
        Some(defect) => Err(defect.clone().into()),
        None => Ok(Text::of(source.text())),
    }
}

/// Preprocesses a source with this text. `given` holds the values of names that are defined outside the source.
///
/// # Errors
/// A comment does not end, or a condition lacks its counterpart.
pub(crate) fn preprocess<'a>(
    source: &'a Source,
    text: &'a Text<'_>,
    given: &'a [(String, i64)],
) -> Result<Preprocessed<'a>, Diagnostics> {
    let tokens = lex::tokens(text).map_err(|open| {
        Diagnostics::from(
            Diagnostic::error("open-comment", "the comment is not closed").label(open, "it begins here"),
        )
    })?;
    let mut macros = Macros::default();
    for (name, value) in PREDEFINED {
        macros.add_common(name, None, value);
    }
    let before = |offset: usize| tokens.partition_point(|token| (token.span.start as usize) < offset);
    let files = source.files().into_iter().map(|file| &tokens[before(file.start)..before(file.end)]);
    let preprocessor = Preprocessor {
        source,
        given,
        files: files.collect(),
        once: BTreeSet::new(),
        reading: Vec::new(),
        spent: 0,
        macros,
        open: Vec::new(),
        wrong: Diagnostics::new(),
        found: Preprocessed::default(),
    };
    preprocessor.run()
}

impl Preprocessed<'_> {
    /// Returns the warnings and the errors for the code at the places `read`, which uses the names `words`.
    pub(crate) fn remarks<'w>(
        &self,
        read: &[Span],
        words: impl Iterator<Item = &'w str>,
    ) -> (Diagnostics, Diagnostics) {
        let within = |span: Span| read.iter().any(|place| span.start < place.end && place.start < span.end);
        let mut words: BTreeSet<&str> = words.collect();
        words.extend(self.uses.iter().filter(|(_, place)| within(*place)).map(|(name, _)| *name));
        let groups = self
            .groups
            .iter()
            .filter(|group| within(group.extent) || group.defines.iter().any(|name| words.contains(name)));
        let mistakes = self.mistakes.iter().filter(|mistake| within(mistake.place()));
        let mut found = (Diagnostics::new(), Diagnostics::new());
        for remark in groups.flat_map(|group| &group.remarks).chain(mistakes) {
            let list = if remark.severity == Severity::Warning { &mut found.0 } else { &mut found.1 };
            list.push(remark.clone());
        }
        (found.0.sorted(), found.1.sorted())
    }
}

struct Preprocessor<'t, 'a> {
    source: &'a Source,
    given: &'a [(String, i64)],
    /// The tokens of the source's own text and of every file that it includes.
    files: Vec<&'t [Token<'a>]>,
    /// The files that are read once, by `#pragma once`.
    once: BTreeSet<usize>,
    /// The files that are being read, outermost first.
    reading: Vec<usize>,
    /// The number of tokens that were read of included files.
    spent: usize,
    macros: Macros<'a>,
    open: Vec<Open<'a>>,
    wrong: Diagnostics,
    found: Preprocessed<'a>,
}

impl<'a> Preprocessor<'_, 'a> {
    fn run(mut self) -> Result<Preprocessed<'a>, Diagnostics> {
        self.file(0, Span::at(0));
        self.found.tokens = without_attributes(std::mem::take(&mut self.found.tokens));
        self.unused();
        self.wrong.or(self.found)
    }

    /// Reads a file that is included at a place, unless it was read and is read once.
    fn file(&mut self, file: usize, place: Span) {
        let tokens = self.files[file];
        if self.once.contains(&file) {
            return;
        }
        self.spent += tokens.len();
        if self.reading.len() >= MAX_FILES || !self.reading.is_empty() && self.spent > MAX_INCLUDED {
            let many = Diagnostic::error("too-deep", "files include one another too often");
            self.wrong.push(many.label(place, "in this line").help("`#pragma once` reads a file once"));
            return;
        }
        self.reading.push(file);
        let is_line = |token: &Token<'_>| token.gap == Gap::Line && token.is("#");
        let outside = self.open.len();
        let mut at = 0;
        while at < tokens.len() {
            if is_line(&tokens[at]) {
                let behind = tokens[at + 1..].iter().position(|token| token.gap == Gap::Line);
                let end = behind.map_or(tokens.len(), |length| at + 1 + length);
                self.line(&tokens[at..end], &tokens[end..], outside);
                at = end;
            } else {
                let end = tokens[at..].iter().position(is_line).map_or(tokens.len(), |length| at + length);
                self.code(&tokens[at..end]);
                at = end;
            }
        }
        for open in self.open.split_off(outside) {
            let diagnostic = Diagnostic::error("unpaired-condition", "the condition has no `#endif`");
            self.wrong.push(diagnostic.label(open.begin(), "it begins here"));
        }
        self.reading.pop();
    }

    /// Collects the macros that nothing uses, unless they are short.
    fn unused(&mut self) {
        let used: BTreeSet<&str> = self.found.uses.iter().map(|(name, _)| *name).collect();
        let unused =
            self.macros.all().filter(|(name, _, body, _)| !used.contains(name) && body.len() > SHORT);
        let unused: Vec<Unused<'a>> = unused
            .map(|(name, parameters, body, place)| Unused {
                name,
                place,
                parameters: parameters.to_vec(),
                body: body.to_vec(),
            })
            .collect();
        for mut found in unused {
            found.body = self.macros.expand(&found.body).tokens;
            self.found.unused.push(found);
        }
    }

    fn reads(&self) -> bool {
        self.open.last().is_none_or(|open| open.reads)
    }

    /// Handles lines of code.
    fn code(&mut self, tokens: &[Token<'a>]) {
        if let Some(open) = self.open.last_mut() {
            let assigned = tokens.windows(2).filter(|pair| pair[0].kind == Lexeme::Word && pair[1].is("="));
            assigned.for_each(|pair| open.defines(pair[0].text));
        }
        if self.reads() {
            let Expanded { tokens, mistakes, uses } = self.macros.expand(tokens);
            self.found.tokens.extend(tokens);
            self.found.mistakes.extend(mistakes);
            self.found.uses.extend(uses);
        }
    }

    /// Handles a directive; `below` are the tokens after it. `outside` conditions were open before the file.
    fn line(&mut self, tokens: &[Token<'a>], below: &[Token<'a>], outside: usize) {
        let span = tokens[0].span.to(tokens[tokens.len() - 1].span);
        let (name, rest) = match tokens {
            [_, name, rest @ ..] if name.kind == Lexeme::Word => (name.text, rest),
            _ => ("", &tokens[1..]),
        };
        let line = Line { name, span, rest };
        match name {
            "if" | "ifdef" | "ifndef" => {
                let mut open = Open::new(span, self.reads());
                // An include guard, or a default value for a name, needs no warning.
                let guard = name == "ifndef" && defines_same(rest, below);
                let holds = open.asks() && open.holds(&line, &mut self.macros, self.given, guard);
                let _first = open.branch(&line, holds);
                self.open.push(open);
            }
            "elif" | "elifdef" | "elifndef" | "else" => match self.open[outside..].last_mut() {
                Some(open) => {
                    let holds = open.asks()
                        && (name == "else" || open.holds(&line, &mut self.macros, self.given, false));
                    if let Err(mistake) = open.branch(&line, holds) {
                        self.wrong.push(mistake);
                    }
                }
                None => self.unpaired(&line),
            },
            "endif" if self.open.len() == outside => self.unpaired(&line),
            "endif" => {
                if let Some(open) = self.open.pop() {
                    let group = open.close(span);
                    if let Some(outer) = self.open.last_mut() {
                        outer.defines_all(&group);
                    }
                    self.found.groups.push(group);
                }
            }
            "define" | "undef" => {
                if let (Some(open), Some(name)) = (self.open.last_mut(), rest.first()) {
                    open.defines(name.text);
                }
                if self.reads() {
                    self.definition(&line);
                }
            }
            "include" | "include_next" | "import" | "error" if self.reads() => {
                match self.source.included_by(span.start as usize) {
                    // After an error there is nothing to read.
                    Some(_) if !self.wrong.is_empty() => {}
                    Some(file) => self.file(file, span),
                    None => self.not_followed(&line),
                }
            }
            "pragma" if self.reads() && rest.first().is_some_and(|word| word.is("once")) => {
                self.once.extend(self.reading.last());
            }
            _ => {}
        }
    }

    fn unpaired(&mut self, line: &Line<'_, 'a>) {
        let message = format!("`#{}` without `#if`", line.name);
        let diagnostic = Diagnostic::error("unpaired-condition", message);
        self.wrong.push(diagnostic.label(line.span, "not expected here"));
    }

    fn definition(&mut self, line: &Line<'_, 'a>) {
        match (line.name, line.rest.first()) {
            ("define", _) => {
                let defined = self.macros.define(line.rest, line.span);
                self.found.mistakes.extend(defined.err());
            }
            (_, Some(name)) => self.macros.undefine(name.text),
            _ => {}
        }
    }

    /// Reports an unsupported directive that affects the code read.
    fn not_followed(&mut self, line: &Line<'_, 'a>) {
        // Directives before the first line of code bring in the declarations of the machine.
        if self.found.tokens.is_empty() && line.name != "error" {
            return;
        }
        let (message, label, help) = match line.name {
            "error" => {
                ("`#error` stops the compilation", "this line is active", "define the name it asks for")
            }
            _ => ("other files are not read", "inside a program", "put the lines of that file here"),
        };
        let diagnostic = Diagnostic::error("unreadable", message).label(line.span, label);
        self.found.mistakes.push(diagnostic.help(help));
    }
}

/// The tokens without attributes, `[[fallthrough]]` for instance, which do not change what is computed.
fn without_attributes(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let (mut kept, mut at) = (Vec::with_capacity(tokens.len()), 0);
    while at < tokens.len() {
        let attribute = lex::marks(&tokens[at..], "[[");
        let end = |tokens: &[Token<'_>]| tokens.windows(2).position(|pair| lex::marks(pair, "]]"));
        let length = if attribute { end(&tokens[at..]) } else { None };
        if length.is_none() {
            kept.push(tokens[at]);
        }
        at += length.map_or(1, |length| length + 2);
    }
    kept
}

/// Whether the first line below `#ifndef NAME` defines that name.
fn defines_same(rest: &[Token<'_>], below: &[Token<'_>]) -> bool {
    match (rest, below) {
        ([name, ..], [hash, define, same, ..]) => {
            hash.is("#") && define.is("define") && same.kind == Lexeme::Word && same.text == name.text
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;

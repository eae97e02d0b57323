//! Macros of C++ sources: `#define` without conditions, with and without parameters, and their expansion.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::listing_lex::{Kind, Token, tokens};
use crate::syntax::{Diagnostic, Span};

/// How deep macros may stand in each other.
const MOST_NESTING: usize = 64;

/// How many tokens may be read and written while a source is expanded: more than a kernel of ten thousand instructions,
/// and done in a fraction of a second.
const MOST_TOKENS: usize = 1 << 20;

/// A macro.
#[derive(Clone, Debug)]
struct Macro<'a> {
    /// `None` for a macro that stands for its body without parentheses behind its name.
    parameters: Option<Vec<&'a str>>,
    body: Vec<Token<'a>>,
    /// Where it is defined; `None` for one that every source has.
    place: Option<Span>,
    /// The condition that it stands under, if any.
    condition: Option<Span>,
}

/// The macros of a source, and those that every source has unless it defines them itself.
#[derive(Debug, Default)]
pub(super) struct Macros<'a> {
    /// Definitions in the order of the source; `None` where one ends with `#undef`, with its place.
    defined: BTreeMap<&'a str, Vec<(u32, Option<Macro<'a>>)>>,
    /// Integer constants: `const int N = 3;`.
    constants: BTreeMap<&'a str, i64>,
    /// How many tokens were looked at so far: macros may double without leaving anything.
    spent: Cell<usize>,
}

impl<'a> Macros<'a> {
    /// Reads the definitions among the tokens of a source.
    pub(super) fn of(source: &[Token<'a>]) -> Self {
        let mut macros = Self::default();
        let mut conditions: Vec<Option<Span>> = Vec::new();
        for (index, token) in source.iter().enumerate().filter(|(_, t)| t.kind == Kind::Directive) {
            let (name, rest, at) = directive(token);
            match name {
                "if" | "ifdef" | "ifndef" => {
                    // What guards a header against being read twice is no condition on what it holds.
                    let next = source[index + 1..].iter().find(|t| t.kind == Kind::Directive).map(directive);
                    let same = next.is_some_and(|(n, r, _)| n == "define" && r.trim() == rest.trim());
                    let guard = name == "ifndef" && same;
                    conditions.push((!guard).then_some(token.span));
                }
                "endif" => {
                    conditions.pop();
                }
                "define" => {
                    let condition = conditions.iter().flatten().next().copied();
                    macros.define(rest, at, token.span, condition);
                }
                "undef" => {
                    let name = rest.split_whitespace().next().unwrap_or_default();
                    macros.defined.entry(name).or_default().push((token.span.start, None));
                }
                _ => {}
            }
        }
        macros.constants(source);
        macros
    }

    /// Adds a macro that sources may use without defining it.
    pub(super) fn add_common(&mut self, name: &'a str, parameters: &'a [String], body: &'a str) {
        let body = tokens(body, 0).0;
        let parameters = Some(parameters.iter().map(String::as_str).collect());
        let common = Macro { parameters, body, place: None, condition: None };
        self.defined.entry(name).or_default().insert(0, (0, Some(common)));
    }

    fn define(&mut self, rest: &'a str, at: usize, place: Span, condition: Option<Span>) {
        let body_of = |offset: usize| {
            let (mut body, _) = tokens(&rest[offset..], at + offset);
            body.retain(|t| t.kind != Kind::Directive);
            body
        };
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let name = &rest[..length];
        if name.is_empty() {
            return;
        }
        // Parameters stand directly behind the name; white space begins a body.
        let (parameters, body) = match rest[length..].strip_prefix('(') {
            Some(list) => {
                let Some(end) = list.find(')') else { return };
                let names = list[..end].split(',').map(|p| p.trim().trim_end_matches('\\').trim());
                (Some(names.filter(|p| !p.is_empty()).collect()), body_of(length + end + 2))
            }
            None => (None, body_of(length)),
        };
        let new = Macro { parameters, body, place: Some(place), condition };
        self.defined.entry(name).or_default().push((place.start, Some(new)));
    }

    /// `const int N = 3;` and `constexpr auto N = 3;`, wherever they stand.
    fn constants(&mut self, source: &[Token<'a>]) {
        for (index, token) in source.iter().enumerate() {
            if !(token.is("const") || token.is("constexpr")) {
                continue;
            }
            let words = source[index..].iter().take_while(|t| t.kind == Kind::Word).count();
            let [.., name] = &source[index..index + words] else { continue };
            let behind = &source[index + words..];
            if let [equals, number, end, ..] = behind
                && equals.is("=")
                && end.is(";")
                && let Some(value) = integer(number.text)
            {
                self.constants.insert(name.text, value);
            }
        }
    }

    /// The value of a named constant.
    pub(super) fn constant(&self, name: &str) -> Option<i64> {
        self.constants.get(name).copied()
    }

    /// The macro of this name that is in effect at a place of the source.
    fn at(&self, name: &str, place: u32) -> Option<&Macro<'a>> {
        let definitions = self.defined.get(name)?;
        definitions.iter().rev().find(|(start, _)| *start <= place).and_then(|(_, found)| found.as_ref())
    }

    /// Replaces macros by what they stand for, in `source` and in what comes out, until none is left.
    ///
    /// # Errors
    /// A macro that cannot be used as it is: with another number of arguments, without the end of its arguments, under
    /// a condition, or without end.
    pub(super) fn expand(&self, source: &[Token<'a>]) -> Result<Vec<Token<'a>>, Diagnostic> {
        let mut out = Vec::new();
        self.expand_into(source, &mut Vec::new(), None, &mut out)?;
        Ok(out)
    }

    fn expand_into(
        &self,
        source: &[Token<'a>],
        active: &mut Vec<&'a str>,
        used_at: Option<Span>,
        out: &mut Vec<Token<'a>>,
    ) -> Result<(), Diagnostic> {
        let mut at = 0;
        while at < source.len() {
            let token = source[at];
            let place = used_at.unwrap_or(token.span);
            at += 1;
            self.spent.set(self.spent.get() + 1);
            if self.spent.get() > MOST_TOKENS || active.len() > MOST_NESTING {
                let diagnostic = Diagnostic::error("macro-too-large", "macros stand for too much code");
                return Err(diagnostic.label(place, "in the expansion of this one"));
            }
            let known = if token.kind == Kind::Word { self.at(token.text, place.start) } else { None };
            let called = source.get(at).is_some_and(|next| next.is("("));
            let Some(found) =
                known.filter(|m| (m.parameters.is_none() || called) && !active.contains(&token.text))
            else {
                out.push(Token { span: place, ..token });
                continue;
            };
            let mut whole = place;
            let mut arguments = Vec::new();
            if let Some(parameters) = &found.parameters {
                let Some((given, end)) = split_arguments(&source[at..]) else {
                    let message = format!("the arguments of the macro `{}` do not end", token.text);
                    return Err(
                        Diagnostic::error("unexpected", message).label(place, "expected `)` after this")
                    );
                };
                if used_at.is_none() {
                    whole = place.to(source[at + end - 1].span);
                }
                at += end;
                if given.len() != parameters.len() && !(parameters.is_empty() && given == [[]]) {
                    return Err(wrong_count(token.text, parameters.len(), given.len(), whole, found.place));
                }
                for argument in given {
                    let mut expanded = Vec::new();
                    self.expand_into(argument, active, Some(whole), &mut expanded)?;
                    arguments.push(expanded);
                }
            }
            self.decided(token.text, found, whole)?;
            let mut body = Vec::new();
            for inner in &found.body {
                let parameter = found.parameters.iter().flatten().position(|p| *p == inner.text);
                match parameter.filter(|_| inner.kind == Kind::Word) {
                    Some(index) => body.extend(arguments[index].iter().copied()),
                    None => body.push(*inner),
                }
            }
            active.push(token.text);
            self.expand_into(&body, active, Some(whole), out)?;
            active.pop();
        }
        Ok(())
    }

    /// Whether it is known which definition holds: all of them are alike, or none stands under a condition.
    fn decided(&self, name: &str, found: &Macro<'a>, used: Span) -> Result<(), Diagnostic> {
        let Some(condition) = found.condition else { return Ok(()) };
        let text = |m: &Macro<'a>| m.body.iter().map(|t| t.text).collect::<Vec<_>>();
        let own = self.defined.get(name).into_iter().flatten().filter_map(|(_, m)| m.as_ref());
        if own
            .filter(|m| m.place.is_some())
            .all(|m| text(m) == text(found) && m.parameters == found.parameters)
        {
            return Ok(());
        }
        let message = format!("`{name}` is defined under a condition, and differently elsewhere");
        let diagnostic = Diagnostic::error("conditional-macro", message).label(used, "used here");
        Err(diagnostic
            .label(condition, "conditions are not evaluated")
            .help("keep the definition that is meant"))
    }
}

fn wrong_count(name: &str, expected: usize, found: usize, used: Span, place: Option<Span>) -> Diagnostic {
    let message = format!("the macro `{name}` takes {expected} arguments, found {found}");
    let diagnostic = Diagnostic::error("operand-count", message).label(used, "in this use");
    match place {
        Some(place) => diagnostic.label(place, "defined here"),
        None => diagnostic,
    }
}

/// A preprocessor line's name, what follows it, and where that stands in the source.
fn directive<'a>(token: &Token<'a>) -> (&'a str, &'a str, usize) {
    let text = token.text;
    let begin = 1 + text[1..].len() - text[1..].trim_start().len();
    let length = text[begin..].find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len() - begin);
    let name = &text[begin..begin + length];
    let rest = &text[begin + length..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    (name, &rest[blank..], token.span.start as usize + begin + length + blank)
}

/// The arguments between the parentheses that `tokens` begins with, and how many tokens that are with the parentheses.
fn split_arguments<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<(Vec<&'t [Token<'a>]>, usize)> {
    let (mut depth, mut begin, mut arguments) = (0, 1, Vec::new());
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => {
                depth -= 1;
                if depth == 0 {
                    arguments.push(&tokens[begin..index]);
                    return Some((arguments, index + 1));
                }
            }
            "," if depth == 1 => {
                arguments.push(&tokens[begin..index]);
                begin = index + 1;
            }
            _ => {}
        }
    }
    None
}

/// An integer literal: decimal, `0x…` or `0b…`, with digit-group and type marks.
pub(super) fn integer(text: &str) -> Option<i64> {
    let digits: String = text.chars().filter(|c| *c != '\'').collect::<String>().to_ascii_lowercase();
    let digits = digits.trim_end_matches(['u', 'l']);
    match digits.get(..2) {
        Some("0x") => i64::from_str_radix(&digits[2..], 16).ok(),
        Some("0b") => i64::from_str_radix(&digits[2..], 2).ok(),
        _ => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, &'static str> {
        let (all, _) = tokens(text, 0);
        let macros = Macros::of(&all);
        let code: Vec<Token<'_>> = all.iter().copied().filter(|t| t.kind != Kind::Directive).collect();
        let out = macros.expand(&code).map_err(|d| d.id)?;
        Ok(out.iter().map(|t| t.text).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn parameters_nested_uses_and_names_that_stand_for_themselves() {
        let text = "#define west(X,Y) {mov(X,Y,west);}\n#define IN A\n#define twice(X) west(X,X) west(X, IN)\ntwice(B)";
        assert_eq!(expanded(text).unwrap(), "{ mov ( B , B , west ) ; } { mov ( B , A , west ) ; }");
        assert_eq!(expanded("#define mov(X) mov(X, A)\nmov(B)").unwrap(), "mov ( B , A )");
        assert_eq!(expanded("#define f() g()\nf() f").unwrap(), "g ( ) f");
    }

    #[test]
    fn a_definition_holds_from_where_it_stands_until_it_is_undone() {
        let text = "R\n#define R A\nR\n#define R B\nR\n#undef R\nR";
        assert_eq!(expanded(text).unwrap(), "R A B R");
    }

    #[test]
    fn conditions_are_not_guessed() {
        let two = "#ifdef SIM\n#define R A\n#else\n#define R B\n#endif\nR";
        assert_eq!(expanded(two), Err("conditional-macro"));
        let same = "#ifdef SIM\n#define R A\n#else\n#define R A\n#endif\nR";
        assert_eq!(expanded(same).unwrap(), "A");
        let guard = "#ifndef FILE_H\n#define FILE_H\n#define R A\n#endif\nR";
        assert_eq!(expanded(guard).unwrap(), "A");
    }

    #[test]
    fn mistakes_in_uses_and_bombs_are_reported() {
        assert_eq!(expanded("#define f(X) X\nf(A, B)"), Err("operand-count"));
        assert_eq!(expanded("#define f(X) X\nf(A"), Err("unexpected"));
        let silent: String = (0..40).map(|i| format!("#define m{} m{i} m{i}\n", i + 1)).collect::<String>();
        assert_eq!(expanded(&format!("#define m0\n{silent}m40")), Err("macro-too-large"));
        let bomb: String =
            (0..40).map(|i| format!("#define m{} m{i} m{i}\n", i + 1)).collect::<String>() + "m40";
        assert_eq!(expanded(&bomb), Err("macro-too-large"));
    }

    #[test]
    fn integers_as_they_are_written() {
        assert_eq!(
            ["7", "0x1F", "0b11", "12u", "1'000", "x"].map(integer),
            [Some(7), Some(31), Some(3), Some(12), Some(1000), None]
        );
    }
}

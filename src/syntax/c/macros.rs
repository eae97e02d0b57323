//! Macros: their definitions and their expansion.

use std::collections::BTreeMap;

use super::lex::{Gap, Kind, Token, tokens_of};
use crate::syntax::{Diagnostic, Span};

/// The maximum nesting depth of macros.
const MAX_NESTING: usize = 64;

/// The maximum number of tokens from all macro expansions: more than a kernel of ten thousand instructions needs, and
/// still expanded in a fraction of a second.
const MAX_TOKENS: usize = 1 << 20;

/// A macro.
#[derive(Clone, Debug)]
struct Macro<'a> {
    /// `None` for a macro without a parameter list.
    parameters: Option<Vec<&'a str>>,
    /// Whether the last parameter takes all remaining arguments.
    variadic: bool,
    body: Vec<Token<'a>>,
    /// The place of the definition; `None` for a macro that no source defines.
    place: Option<Span>,
}

/// The macros defined at some place of a source.
#[derive(Debug, Default)]
pub(crate) struct Macros<'a> {
    /// The macros by name; `None` for a name removed by `#undef`.
    defined: BTreeMap<&'a str, Option<Macro<'a>>>,
    /// The number of tokens expanded so far. Counted because expansions may double in size without producing any tokens.
    spent: usize,
}

/// The expansion of a run of tokens.
#[derive(Debug, Default)]
pub(crate) struct Expanded<'a> {
    /// The tokens after expansion.
    pub(crate) tokens: Vec<Token<'a>>,
    /// Invalid uses of macros; they are left unexpanded.
    pub(crate) mistakes: Vec<Diagnostic>,
    /// The macros used, each with the place of the token that used it.
    pub(super) uses: Vec<(&'a str, Span)>,
}

/// Tokens that are still to be read.
struct Frame<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    /// The macro that the tokens come from.
    name: Option<&'a str>,
}

impl<'a> Macros<'a> {
    /// Adds a macro that no source defines.
    pub(crate) fn add_common(&mut self, name: &'a str, parameters: Option<&'a [String]>, body: &'a str) {
        let parameters = parameters.map(|names| names.iter().map(String::as_str).collect());
        let common = Macro { parameters, variadic: false, body: tokens_of(body), place: None };
        self.defined.insert(name, Some(common));
    }

    /// The macros of the source: name, parameters, body and place.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'a str, &[&'a str], &[Token<'a>], Span)> {
        self.defined.iter().filter_map(|(name, found)| {
            let found = found.as_ref()?;
            let parameters = found.parameters.as_deref().unwrap_or_default();
            Some((*name, parameters, found.body.as_slice(), found.place?))
        })
    }

    /// Whether a macro has this name; `None` if the name was neither defined nor undefined.
    pub(super) fn known(&self, name: &str) -> Option<bool> {
        self.defined.get(name).map(Option::is_some)
    }

    /// `#undef NAME`.
    pub(super) fn undefine(&mut self, name: &'a str) {
        self.defined.insert(name, None);
    }

    /// `#define`, followed by these tokens.
    ///
    /// # Errors
    /// The tokens are not a definition.
    pub(super) fn define(&mut self, tokens: &[Token<'a>], place: Span) -> Result<(), Diagnostic> {
        let bad = |span: Span, expected: &str| {
            let diagnostic = Diagnostic::error("unexpected", format!("expected {expected}"));
            Err(diagnostic.label(span, "in this definition"))
        };
        let Some((name, rest)) = tokens.split_first().filter(|(name, _)| name.kind == Kind::Word) else {
            return bad(place, "a name");
        };
        let mut found = Macro { parameters: None, variadic: false, body: Vec::new(), place: Some(place) };
        let mut body = rest;
        // Parameters follow the name directly; white space begins the body.
        if rest.first().is_some_and(|open| open.is("(") && open.gap == Gap::None) {
            let Some(close) = rest.iter().position(|t| t.is(")")) else {
                return bad(place, "`)` after the parameters");
            };
            let mut names = Vec::new();
            for part in rest[1..close].split(|t| t.is(",")) {
                match part {
                    [] if close == 1 => {}
                    [name] if name.kind == Kind::Word && !found.variadic => names.push(name.text),
                    [a, b, c] if [a, b, c].iter().all(|t| t.is(".")) && !found.variadic => {
                        found.variadic = true;
                        names.push("__VA_ARGS__");
                    }
                    [name, ..] => return bad(name.span, "a parameter"),
                    [] => return bad(place, "a parameter"),
                }
            }
            found.parameters = Some(names);
            body = &rest[close + 1..];
        }
        found.body = body.to_vec();
        self.defined.insert(name.text, Some(found));
        Ok(())
    }

    fn at(&self, token: &Token<'a>) -> Option<&Macro<'a>> {
        let named = token.kind == Kind::Word && !token.painted;
        named.then(|| self.defined.get(token.text)).flatten()?.as_ref()
    }

    /// Expands the macros in `source` and in the results until no macro is left.
    pub(crate) fn expand(&mut self, source: &[Token<'a>]) -> Expanded<'a> {
        let mut out = Expanded::default();
        // Most tokens are not macros and are copied unchanged.
        let mut begin = 0;
        while let Some(found) = source[begin..].iter().position(|token| self.at(token).is_some()) {
            out.tokens.extend_from_slice(&source[begin..begin + found]);
            begin += found;
            begin += self.expand_use(&source[begin..], &mut out);
        }
        out.tokens.extend_from_slice(&source[begin..]);
        out
    }

    /// Expands the macro that `source` begins with and returns the number of tokens it takes up. An invalid use stays
    /// unexpanded.
    fn expand_use(&mut self, source: &[Token<'a>], out: &mut Expanded<'a>) -> usize {
        out.uses.push((source[0].text, source[0].span));
        let mut reader = Reader {
            macros: self,
            source,
            taken: 0,
            frames: Vec::new(),
            around: Vec::new(),
            uses: Vec::new(),
        };
        let before = out.tokens.len();
        loop {
            match reader.step(0) {
                Ok(Some(token)) => out.tokens.push(token),
                Ok(None) => break,
                Err(mistake) => {
                    // The whole use stays unexpanded; the macros in it are not tried again.
                    let taken = reader.taken;
                    out.mistakes.push(mistake);
                    out.tokens.truncate(before);
                    out.tokens.push(Token { painted: true, ..source[0] });
                    out.tokens.extend_from_slice(&source[1..taken]);
                    return taken;
                }
            }
            if reader.frames.is_empty() {
                break;
            }
        }
        let place = source[0].span;
        out.uses.extend(reader.uses.iter().map(|name| (*name, place)));
        // An expansion does not join the tokens next to it.
        if let Some(first) = out.tokens.get_mut(before) {
            first.gap = if source[0].gap == Gap::Line { Gap::Line } else { Gap::Space };
        }
        reader.taken
    }
}

/// Reads tokens from the macros that are open, then from the source.
struct Reader<'m, 'a> {
    macros: &'m mut Macros<'a>,
    source: &'m [Token<'a>],
    /// The number of tokens read from the source.
    taken: usize,
    frames: Vec<Frame<'a>>,
    /// The macros whose expansion encloses the argument being read.
    around: Vec<&'a str>,
    uses: Vec<&'a str>,
}

impl<'a> Reader<'_, 'a> {
    /// The macros being expanded. Their names are not expanded again inside.
    fn active(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.frames.iter().filter_map(|frame| frame.name).chain(self.around.iter().copied())
    }

    fn peek(&self) -> Option<&Token<'a>> {
        let open = self.frames.iter().rev().find_map(|frame| frame.tokens.get(frame.at));
        open.or_else(|| self.source.get(self.taken))
    }

    /// The next token, and whether it comes from the source itself.
    fn next(&mut self) -> Option<(Token<'a>, bool)> {
        while let Some(frame) = self.frames.last_mut() {
            if let Some(token) = frame.tokens.get(frame.at) {
                frame.at += 1;
                return Some((*token, false));
            }
            self.frames.pop();
        }
        let token = *self.source.get(self.taken)?;
        self.taken += 1;
        Some((token, true))
    }

    /// Returns the next token that is not a macro, after opening the macros before it. `None` at the end, and after a macro
    /// with an empty expansion.
    fn step(&mut self, depth: usize) -> Result<Option<Token<'a>>, Diagnostic> {
        loop {
            let Some((token, own)) = self.next() else { return Ok(None) };
            let found = self.macros.at(&token).cloned();
            let Some(found) = found else { return self.behind(token) };
            if self.active().any(|name| name == token.text) {
                return self.behind(Token { painted: true, ..token });
            }
            if found.parameters.is_some() && !self.peek().is_some_and(|next| next.is("(")) {
                return self.behind(token);
            }
            self.macros.spent += found.body.len() + 1;
            if self.macros.spent > MAX_TOKENS || self.frames.len() + depth > MAX_NESTING {
                return Err(too_large(token.span));
            }
            if !own {
                self.uses.push(token.text);
            }
            let body = self.body(&token, &found, own, depth)?;
            self.frames.push(Frame { tokens: body, at: 0, name: Some(token.text) });
            self.drop_read();
            if self.frames.is_empty() {
                return Ok(None);
            }
        }
    }

    /// Closes the macros that were read to the end, then returns `token`, which is not a macro.
    fn behind(&mut self, token: Token<'a>) -> Result<Option<Token<'a>>, Diagnostic> {
        self.drop_read();
        Ok(Some(token))
    }

    /// Closes macros that were read to the end.
    fn drop_read(&mut self) {
        while self.frames.last().is_some_and(|frame| frame.at == frame.tokens.len()) {
            self.frames.pop();
        }
    }

    /// The expansion of one use of a macro, with that use as its place.
    fn body(
        &mut self,
        token: &Token<'a>,
        found: &Macro<'a>,
        own: bool,
        depth: usize,
    ) -> Result<Vec<Token<'a>>, Diagnostic> {
        let mut whole = token.span;
        let mut arguments = Vec::new();
        if let Some(parameters) = &found.parameters {
            let (given, last) = self.arguments(token, found)?;
            if own {
                whole = whole.to(last);
            }
            if given.len() != parameters.len() {
                return Err(wrong_count(token.text, parameters.len(), given.len(), whole, found.place));
            }
            for argument in &given {
                arguments.push(self.argument(argument, whole, depth)?);
            }
        }
        let mut body: Vec<Token<'a>> = Vec::new();
        for inner in &found.body {
            if inner.is("#") && (found.parameters.is_some() || inner.gap == Gap::None) {
                let message = format!("the macro `{}` uses `#`, which is not supported", token.text);
                let diagnostic = Diagnostic::error("unreadable", message).label(whole, "used here");
                return Err(match found.place {
                    Some(place) => diagnostic.label(place, "defined here"),
                    None => diagnostic,
                });
            }
            let parameter = found.parameters.iter().flatten().position(|p| *p == inner.text);
            match parameter.filter(|_| inner.kind == Kind::Word) {
                Some(index) => {
                    // Uses inside arguments are already counted; here their tokens are copied.
                    self.macros.spent += arguments[index].len();
                    if self.macros.spent > MAX_TOKENS {
                        return Err(too_large(whole));
                    }
                    body.extend(edged(&arguments[index]));
                }
                None => body.push(Token { span: whole, ..*inner }),
            }
        }
        Ok(edged(&body).collect())
    }

    /// Reads the arguments after the name of a macro, and returns the place of the closing parenthesis.
    fn arguments(
        &mut self,
        name: &Token<'a>,
        found: &Macro<'a>,
    ) -> Result<(Vec<Vec<Token<'a>>>, Span), Diagnostic> {
        let most = if found.variadic { found.parameters.as_ref().map_or(0, Vec::len) } else { usize::MAX };
        let (mut depth, mut given) = (0usize, vec![Vec::new()]);
        while let Some((token, _)) = self.next() {
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                depth -= 1;
                if depth == 0 {
                    let none = given == [[]];
                    match found.parameters.as_deref() {
                        Some([]) if none => given.clear(),
                        // A variadic parameter may receive no arguments.
                        Some(all) if found.variadic && given.len() + 1 == all.len() => given.push(Vec::new()),
                        _ => {}
                    }
                    return Ok((given, token.span));
                }
            } else if token.is(",") && depth == 1 && given.len() < most {
                given.push(Vec::new());
                continue;
            }
            if depth > 1 || !token.is("(") {
                given.last_mut().expect("there is one from the beginning").push(token);
            }
        }
        let message = format!("the arguments of the macro `{}` are not closed", name.text);
        Err(Diagnostic::error("unexpected", message).label(name.span, "expected `)` after this"))
    }

    /// Expands the macros in an argument.
    fn argument(
        &mut self,
        tokens: &[Token<'a>],
        place: Span,
        depth: usize,
    ) -> Result<Vec<Token<'a>>, Diagnostic> {
        if depth >= MAX_NESTING {
            return Err(too_large(place));
        }
        let around = self.active().collect();
        let frames = vec![Frame { tokens: tokens.to_vec(), at: 0, name: None }];
        let mut inner =
            Reader { macros: &mut *self.macros, source: &[], taken: 0, frames, around, uses: Vec::new() };
        let mut out = Vec::new();
        while inner.peek().is_some() {
            out.extend(inner.step(depth + 1)?.map(|token| Token { span: place, ..token }));
        }
        let uses = inner.uses;
        self.uses.extend(uses);
        Ok(out)
    }
}

/// The tokens, separated from the tokens before them.
fn edged<'t, 'a>(tokens: &'t [Token<'a>]) -> impl Iterator<Item = Token<'a>> + use<'t, 'a> {
    let gap = |(index, token): (usize, &Token<'a>)| {
        let edge = index == 0 || token.gap == Gap::Line;
        Token { gap: if edge { Gap::Space } else { token.gap }, ..*token }
    };
    tokens.iter().enumerate().map(gap)
}

fn too_large(place: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error("macro-too-large", "macros expand to too much code");
    diagnostic.label(place, "in the expansion of this one")
}

fn wrong_count(name: &str, expected: usize, found: usize, used: Span, place: Option<Span>) -> Diagnostic {
    let message = format!("the macro `{name}` takes {expected} arguments, found {found}");
    let diagnostic = Diagnostic::error("operand-count", message).label(used, "in this use");
    match place {
        Some(place) => diagnostic.label(place, "defined here"),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expansion of `text` after the given definitions.
    fn expanded(definitions: &[&str], text: &str) -> Result<String, &'static str> {
        let mut macros = Macros::default();
        for definition in definitions {
            macros.define(&tokens_of(definition), Span::default()).map_err(|mistake| mistake.id)?;
        }
        let out = macros.expand(&tokens_of(text));
        let mut ids = out.mistakes.iter().map(|mistake| mistake.id);
        ids.next().map_or(Ok(()), Err)?;
        Ok(out.tokens.iter().map(|t| t.text).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn parameters_nested_uses_and_names_that_stand_for_themselves() {
        let all = ["west(X,Y) {mov(X,Y,west);}", "IN A", "twice(X) west(X,X) west(X, IN)"];
        assert_eq!(
            expanded(&all, "twice(B)").unwrap(),
            "{ mov ( B , B , west ) ; } { mov ( B , A , west ) ; }"
        );
        assert_eq!(expanded(&["mov(X) mov(X, A)"], "mov(mov(B))").unwrap(), "mov ( mov ( B , A ) , A )");
        assert_eq!(expanded(&["f() g()"], "f() f").unwrap(), "g ( ) f");
        assert_eq!(expanded(&["a a b", "f(x) x"], "f(a)").unwrap(), "a b");
        assert_eq!(expanded(&["F (X)"], "F").unwrap(), "( X )", "white space begins a body");
    }

    #[test]
    fn a_name_that_comes_out_of_a_macro_takes_the_arguments_behind_it() {
        assert_eq!(expanded(&["mv mov", "mov(X) mov(X, A)"], "mv(B); mv").unwrap(), "mov ( B , A ) ; mov");
        assert_eq!(expanded(&["nothing", "f(x) [x]"], "nothing f(nothing) nothing").unwrap(), "[ ]");
    }

    #[test]
    fn arguments_are_parted_as_in_c() {
        assert_eq!(expanded(&["f(x, y) y x"], "f((a, b), c)").unwrap(), "c ( a , b )");
        assert_eq!(expanded(&["f(x) x"], "f({a, b})"), Err("operand-count"), "braces hold no commas back");
        assert_eq!(expanded(&["f(x, ...) x __VA_ARGS__"], "f(a, b, c) f(a)").unwrap(), "a b , c a");
    }

    #[test]
    fn what_stands_beside_a_macro_does_not_join_it() {
        let mut macros = Macros::default();
        macros.define(&tokens_of("M -1"), Span::default()).unwrap();
        let out = macros.expand(&tokens_of("-M"));
        assert_eq!(out.tokens.iter().map(|t| t.gap).collect::<Vec<_>>(), [Gap::Line, Gap::Space, Gap::None]);
    }

    #[test]
    fn mistakes_in_uses_and_bombs_are_reported() {
        assert_eq!(expanded(&["f(X) X"], "f(A, B)"), Err("operand-count"));
        assert_eq!(expanded(&["f(X) X"], "f(A"), Err("unexpected"));
        assert_eq!(expanded(&["f(X) R##X"], "f(A)"), Err("unreadable"));
        assert_eq!(expanded(&["f(X, 1) X"], "f"), Err("unexpected"));
        for begin in ["m0", "m0 x"] {
            let bomb: Vec<String> = (0..40).map(|i| format!("m{} m{i} m{i}", i + 1)).collect();
            let all: Vec<&str> = bomb.iter().map(String::as_str).chain([begin]).collect();
            assert_eq!(expanded(&all, "m40"), Err("macro-too-large"), "{begin}");
        }
        let deep = format!("{}A{}", "f(".repeat(10_000), ")".repeat(10_000));
        assert_eq!(expanded(&["f(X) X"], &deep), Err("macro-too-large"));
        // Inner uses are expanded first, and their results double at each outer level.
        let deep = format!("{}A{}", "f(".repeat(40), ")".repeat(40));
        assert_eq!(expanded(&["f(X) X X"], &deep), Err("macro-too-large"));
    }
}

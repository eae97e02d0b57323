//! The functions of a source, methods and lambdas included: their names, parameters and bodies.

use std::collections::BTreeMap;
use std::ops::Range;

use super::declarator::{declarator, listed};
use super::dialect::HostCode;
use crate::backend::array::machine::host_forms::{HostForms, Stands};
use crate::syntax::Span;
use crate::syntax::c::{Lexeme, Token, closing, is_annotation, opening};

/// Words before `(` that do not name a function.
const CONTROL: [&str; 9] = ["if", "for", "while", "switch", "catch", "return", "sizeof", "do", "else"];

/// A function, method or lambda.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Function<'a> {
    /// Its name, without the classes and namespaces before it; empty for a lambda without a name.
    pub(super) name: &'a str,
    /// The class that it belongs to.
    pub(super) class: Option<&'a str>,
    /// The place of its name, or of the bracket that begins a lambda.
    pub(super) place: Span,
    /// The first token of its definition.
    pub(super) start: usize,
    /// The names of its template parameters.
    pub(super) templates: Vec<Parameter<'a>>,
    /// Its parameters.
    pub(super) parameters: Vec<Parameter<'a>>,
    /// The tokens of the type that it returns; none if the value says it.
    pub(super) result: Range<usize>,
    /// Whether it returns a reference, by which a variable can be changed.
    pub(super) reference: bool,
    /// The tokens between its braces.
    pub(super) body: Range<usize>,
    /// Whether it is a lambda.
    pub(super) lambda: bool,
    /// What stands between the brackets that begin a lambda.
    pub(super) captures: Range<usize>,
    /// Whether it is a lambda that holds a program.
    pub(super) program: bool,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The place of the name.
    pub(super) place: Span,
    /// What it stands for, if its type says so.
    pub(super) kind: Option<Stands>,
    /// The tokens of its type.
    pub(super) ty: Range<usize>,
    /// Whether it is another name for its argument.
    pub(super) reference: bool,
    /// Whether it is a pointer or an array.
    pub(super) pointer: bool,
    /// Whether the function cannot change it.
    pub(super) constant: bool,
    /// The tokens of its default value.
    pub(super) default: Range<usize>,
}

/// The functions of a source.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline<'a> {
    pub(super) functions: Vec<Function<'a>>,
    /// Functions by the first token of their bodies.
    by_body: BTreeMap<usize, usize>,
    /// Lambdas by the bracket that begins them.
    by_bracket: BTreeMap<usize, usize>,
    /// The parameters of functions that are declared and not defined here.
    elsewhere: BTreeMap<&'a str, Vec<Parameter<'a>>>,
}

/// What an open brace belongs to.
enum Brace<'a> {
    /// A namespace, or a block of declarations.
    Outer,
    /// A class.
    Class(&'a str),
    /// A function, by its index.
    Function(usize),
    /// Anything else.
    Inner,
}

/// Tokens without the annotations, `__declspec(…)` for instance, that they begin with.
fn without_annotations(tokens: &[Token<'_>], mut range: Range<usize>) -> Range<usize> {
    while let [word, open, ..] = &tokens[range.clone()]
        && is_annotation::<HostCode>(word.text)
        && open.is("(")
    {
        let Some(close) = closing(&tokens[..range.end], range.start + 1) else { break };
        range.start = close + 1;
    }
    range
}

impl<'a> Outline<'a> {
    /// Finds the functions among the tokens of a source.
    pub(super) fn of(forms: &HostForms, tokens: &[Token<'a>]) -> Self {
        let mut found = Self::default();
        let mut open: Vec<(Brace<'a>, usize)> = Vec::new();
        let (mut begin, mut depth) = (0, 0usize);
        for (at, token) in tokens.iter().enumerate() {
            match token.text {
                _ if token.kind != Lexeme::Mark => {}
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                "{" => {
                    let brace = found.brace(forms, tokens, begin..at, open.last().map(|(brace, _)| brace));
                    open.push((brace, depth));
                    depth = 0;
                    begin = at + 1;
                }
                "}" => {
                    if let Some((brace, outer)) = open.pop() {
                        depth = outer;
                        if let Brace::Function(index) = brace {
                            found.functions[index].body.end = at;
                        }
                    }
                    begin = at + 1;
                }
                ";" if depth == 0 => {
                    if matches!(open.last(), None | Some((Brace::Outer | Brace::Class(_), _))) {
                        let declared = function(forms, tokens, begin..at);
                        found.elsewhere.extend(declared.map(|found| (found.name, found.parameters)));
                    }
                    begin = at + 1;
                }
                ":" if matches!(tokens[begin].text, "public" | "private" | "protected") => begin = at + 1,
                _ => {}
            }
        }
        // An unclosed body ends with the source.
        found
            .functions
            .iter_mut()
            .for_each(|function| function.body.end = function.body.end.min(tokens.len()));
        found
    }

    /// The function whose body begins with this token.
    pub(super) fn at_body(&self, token: usize) -> Option<&Function<'a>> {
        self.by_body.get(&token).map(|index| &self.functions[*index])
    }

    /// The lambda, by its index, that begins with this bracket.
    pub(super) fn at_bracket(&self, token: usize) -> Option<usize> {
        self.by_bracket.get(&token).copied()
    }

    /// The parameters of the functions with this name, each with whether the source has the function's body.
    pub(super) fn parameters_of(&self, name: &str) -> Vec<(&[Parameter<'a>], bool)> {
        let own = self.functions.iter().filter(|function| function.name == name);
        let own: Vec<_> = own.map(|function| (&function.parameters[..], true)).collect();
        match self.elsewhere.get(name).filter(|_| own.is_empty()) {
            Some(parameters) => vec![(parameters, false)],
            None => own,
        }
    }

    /// The functions, by index, whose bodies contain this token, outermost first.
    pub(super) fn around(&self, token: usize) -> Vec<usize> {
        let all = self.functions.iter().enumerate();
        all.filter(|(_, function)| function.body.contains(&token)).map(|(index, _)| index).collect()
    }

    fn brace(
        &mut self,
        forms: &HostForms,
        tokens: &[Token<'a>],
        before: Range<usize>,
        around: Option<&Brace<'a>>,
    ) -> Brace<'a> {
        let before = without_annotations(tokens, before);
        let head = &tokens[before.clone()];
        let body = before.end + 1;
        if let Some(mut function) = lambda(forms, tokens, before.clone()) {
            let marked = |token: &&Token<'_>| forms.lambdas.iter().any(|word| token.is(word));
            function.program = head.iter().chain(tokens[body..].iter().take(4)).any(|token| marked(&token));
            return self.add(function, body);
        }
        let outer = matches!(around, None | Some(Brace::Outer | Brace::Class(_)));
        let has = |word: &str| head.iter().any(|token| token.is(word));
        if outer && let Some(mut function) = function(forms, tokens, before) {
            if let Some(Brace::Class(class)) = around {
                function.class = Some(class);
            }
            return self.add(function, body);
        }
        let class = head.iter().position(|token| ["class", "struct", "union"].iter().any(|w| token.is(w)));
        match class.filter(|_| !has("(") && !has("=") && !has("enum")) {
            Some(at) => {
                Brace::Class(head.get(at + 1).filter(|t| t.kind == Lexeme::Word).map_or("", |t| t.text))
            }
            None if outer && (has("namespace") || has("extern")) => Brace::Outer,
            None => Brace::Inner,
        }
    }

    fn add(&mut self, mut function: Function<'a>, body: usize) -> Brace<'a> {
        function.body = body..usize::MAX;
        self.push(function);
        Brace::Function(self.functions.len() - 1)
    }

    /// Adds a function.
    pub(super) fn push(&mut self, function: Function<'a>) {
        self.by_body.insert(function.body.start, self.functions.len());
        if function.lambda {
            self.by_bracket.insert(function.captures.start - 1, self.functions.len());
        }
        self.functions.push(function);
    }
}

/// The function whose head these tokens are.
fn function<'a>(forms: &HostForms, tokens: &[Token<'a>], head: Range<usize>) -> Option<Function<'a>> {
    let (templates, own) = templates(forms, tokens, head.clone());
    let own = own..head.end;
    let open = own.start + tokens[own.clone()].iter().position(|token| token.is("("))?;
    let name = tokens[..open].last().filter(|name| open > own.start && name.kind == Lexeme::Word)?;
    let assigned = tokens[own.start..open].iter().any(|token| token.is("="));
    if assigned || CONTROL.contains(&name.text) || tokens[own.start..open].iter().any(|t| t.is("operator")) {
        return None;
    }
    let close = closing(&tokens[..own.end], open)?;
    // `Class::name`, also with template arguments of the class.
    let mut class = None;
    if let [.., owner, first, second, _] = &tokens[own.start..open]
        && first.is(":")
        && second.is(":")
        && owner.kind == Lexeme::Word
    {
        class = Some(owner.text);
    }
    Some(Function {
        name: name.text,
        class,
        place: name.span,
        start: head.start,
        templates,
        parameters: parameters(forms, tokens, open + 1..close),
        result: arrow(tokens, close + 1..own.end).unwrap_or(own.start..open - 1),
        reference: tokens[own.start..open - 1].last().is_some_and(|mark| mark.is("&"))
            && !tokens[own.start..open - 1].iter().any(|word| word.is("const")),
        body: 0..0,
        lambda: false,
        captures: 0..0,
        program: false,
    })
}

/// The lambda whose head ends these tokens: `[…]`, perhaps with parameters, and words such as `mutable` behind them.
fn lambda<'a>(forms: &HostForms, tokens: &[Token<'a>], before: Range<usize>) -> Option<Function<'a>> {
    let head = &tokens[..before.end];
    let mut end = before.end;
    // `mutable`, `noexcept`, `-> void`
    while end > before.start
        && (head[end - 1].kind == Lexeme::Word || [">", "-"].iter().any(|mark| head[end - 1].is(mark)))
    {
        end -= 1;
    }
    let last = head[..end].last().filter(|_| end > before.start)?;
    let (capture, parameters) = match last.text {
        ")" => {
            let open = opening(head, end - 1, before.start)?;
            let capture = open.checked_sub(1).filter(|at| *at >= before.start && head[*at].is("]"))?;
            (capture, parameters(forms, tokens, open + 1..end - 1))
        }
        "]" => (end - 1, Vec::new()),
        _ => return None,
    };
    let start = opening(head, capture, before.start)?;
    let previous = start.checked_sub(1).filter(|at| *at >= before.start).map(|at| &head[at]);
    // `values[i]` is no lambda.
    let indexed = previous.is_some_and(|token| {
        token.kind == Lexeme::Word && !token.is("return") || token.is("]") || token.is(")")
    });
    if indexed {
        return None;
    }
    // `NAME = [` and `TYPE NAME([`.
    let name = match &head[before.start..start] {
        [.., name, equals] if equals.is("=") && name.kind == Lexeme::Word => Some(name),
        [.., ty, name, open]
            if (open.is("(") || open.is("{")) && name.kind == Lexeme::Word && ty.kind == Lexeme::Word =>
        {
            Some(name)
        }
        _ => None,
    };
    Some(Function {
        name: name.map_or("", |name| name.text),
        class: None,
        place: name.map_or(head[start].span, |name| name.span),
        start: before.start,
        templates: Vec::new(),
        parameters,
        result: arrow(tokens, end..before.end).unwrap_or(end..end),
        reference: false,
        body: 0..0,
        lambda: true,
        captures: start + 1..capture,
        program: false,
    })
}

/// The type behind the `->` among these tokens.
fn arrow(tokens: &[Token<'_>], range: Range<usize>) -> Option<Range<usize>> {
    let mut pairs = tokens[range.clone()].windows(2);
    let at = pairs.position(|pair| pair[0].is("-") && pair[1].is(">"))?;
    Some(range.start + at + 2..range.end)
}

/// The parameters of `template <…>`, and the index of the token behind it.
fn templates<'a>(forms: &HostForms, tokens: &[Token<'a>], head: Range<usize>) -> (Vec<Parameter<'a>>, usize) {
    match &tokens[head.clone()] {
        [word, open, rest @ ..] if word.is("template") && open.is("<") => {
            let length = rest.iter().position(|token| token.is(">")).unwrap_or(rest.len());
            let inner = head.start + 2..head.start + 2 + length;
            (parameters(forms, tokens, inner.clone()), (inner.end + 1).min(head.end))
        }
        _ => (Vec::new(), head.start),
    }
}

/// Parameters separated by commas.
fn parameters<'a>(forms: &HostForms, tokens: &[Token<'a>], all: Range<usize>) -> Vec<Parameter<'a>> {
    let parts = listed(tokens, all).into_iter();
    parts.filter_map(|part| parameter(forms, tokens, part)).collect()
}

/// A parameter; `None` for `void`.
fn parameter<'a>(forms: &HostForms, tokens: &[Token<'a>], range: Range<usize>) -> Option<Parameter<'a>> {
    let part = &tokens[range.clone()];
    let equals = part.iter().position(|token| token.is("="));
    let own = &part[..equals.unwrap_or(part.len())];
    let first = own.first().filter(|first| own.len() > 1 || !first.is("void"))?;
    let ty = matches!(own, [class, name] if class.is("class") && name.kind == Lexeme::Word).then_some(1);
    let name = declarator(part).map(|found| found.name).or(ty);
    let ty = name.map_or(own, |name| &part[..name]);
    let default = equals.filter(|_| name.is_some()).map_or(range.end, |at| range.start + at + 1);
    Some(Parameter {
        name: name.map_or("", |name| part[name].text),
        place: name.map_or(first.span, |name| part[name].span),
        kind: name.and_then(|_| ty.iter().find_map(|word| forms.kind(word.text)).cloned()),
        ty: range.start..range.start + name.unwrap_or(0),
        reference: ty.last().is_some_and(|mark| mark.is("&")),
        pointer: ty.last().is_some_and(|mark| mark.is("*")) || own.last().is_some_and(|mark| mark.is("]")),
        constant: ty.iter().any(|word| word.is("const")),
        default: default..range.end,
    })
}

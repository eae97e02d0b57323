//! The functions of a source, methods and lambdas included: their names, parameters and bodies.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::declarator::{declarator, listed, type_name};
use super::dialect::{Base, HostCode};
use super::memory::Variable;
use crate::backend::array::machine::host_forms::{HostForms, Stands};
use crate::syntax::Span;
use crate::syntax::c::{Lexeme, Token, closing, is_annotation, opening};

/// Words before `(` that do not name a function.
const CONTROL: [&str; 9] = ["if", "for", "while", "switch", "catch", "return", "sizeof", "do", "else"];

impl Function<'_> {
    /// Whether this has parameters of the same kinds as the other one.
    fn takes_what(&self, other: &Self) -> bool {
        self.parameters.iter().map(Parameter::kinds).eq(other.parameters.iter().map(Parameter::kinds))
    }

    /// Its name behind those of its namespaces and classes.
    pub(super) fn full_name(&self) -> String {
        [&self.owners[..], &[self.name]].concat().join("::")
    }

    /// Whether it is a constructor or a destructor.
    pub(super) fn is_constructor(&self) -> bool {
        self.method && self.owners.last() == Some(&self.name)
    }
}

/// Words before the classes that one is derived from.
const ACCESS: [&str; 5] = ["public", "private", "protected", "virtual", "final"];

/// A function, method or lambda.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Function<'a> {
    /// Its name, without the classes and namespaces before it; empty for a lambda without a name.
    pub(super) name: &'a str,
    /// The namespaces and classes that it belongs to, outermost first.
    pub(super) owners: Vec<&'a str>,
    /// Whether the innermost of them is a class.
    pub(super) method: bool,
    /// Whether `~` stands before its name, as in a destructor.
    pub(super) destroys: bool,
    /// Whether another method may run in its place: it is `virtual`, or overrides one that is.
    pub(super) dispatched: bool,
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
    /// The last name of its type.
    pub(super) class: &'a str,
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
    /// The functions that are declared, wherever they are defined.
    declared: Vec<Function<'a>>,
    /// Functions and declared functions by name.
    by_name: BTreeMap<&'a str, [Vec<usize>; 2]>,
    /// The classes that classes are derived from, by name.
    pub(super) bases: BTreeMap<&'a str, Vec<&'a str>>,
    /// The templates that are defined another time for some arguments.
    pub(super) specialised: BTreeSet<&'a str>,
}

/// What an open brace belongs to.
enum Brace<'a> {
    /// Namespaces, or a block of declarations.
    Outer(Vec<&'a str>),
    /// A class.
    Class(&'a str),
    /// A function, by its index.
    Function(usize),
    /// The initial value of a member, in the head of a constructor that begins with this token.
    Initial(usize),
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

/// The names of the namespaces that a brace with this head opens; none for one without a name.
pub(super) fn namespaces<'a>(head: &[Token<'a>]) -> Option<Vec<&'a str>> {
    let at = head.iter().position(|token| token.is("namespace"))?;
    let words = head[at + 1..].iter().filter(|token| token.kind == Lexeme::Word && !token.is("inline"));
    Some(words.map(|token| token.text).collect())
}

/// The name of the class that a brace with this head opens, with the index of the token behind it.
pub(super) fn class<'a>(head: &[Token<'a>]) -> Option<(&'a str, usize)> {
    let has = |word: &str| head.iter().any(|token| token.is(word));
    let at = head.iter().position(|token| ["class", "struct", "union"].iter().any(|word| token.is(word)));
    let at = at.filter(|_| !has("(") && !has("=") && !has("enum"))?;
    let name = head.get(at + 1).filter(|token| token.kind == Lexeme::Word);
    Some((name.map_or("", |token| token.text), at + 2))
}

impl Parameter<'_> {
    /// A variable of its type, which holds numbers of the type `base` if it holds numbers.
    pub(super) fn variable(&self, base: Option<Base>, variable: Variable) -> Variable {
        Variable { base, class: self.class.to_owned(), indirect: self.reference || self.pointer, ..variable }
    }

    /// What tells it from the parameters of other functions with the same name.
    fn kinds(&self) -> (Option<&Stands>, &str, bool, bool) {
        (self.kind.as_ref(), self.class, self.reference, self.pointer)
    }
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
                    let brace = found.brace(forms, tokens, begin..at, &open);
                    open.push((brace, depth));
                    depth = 0;
                    begin = at + 1;
                }
                "}" => {
                    begin = at + 1;
                    if let Some((brace, outer)) = open.pop() {
                        depth = outer;
                        match brace {
                            Brace::Function(index) => found.functions[index].body.end = at,
                            Brace::Initial(head) => begin = head,
                            _ => {}
                        }
                    }
                }
                ";" if depth == 0 => {
                    if matches!(open.last(), None | Some((Brace::Outer(_) | Brace::Class(_), _))) {
                        found.declaration(forms, tokens, begin..at, &open);
                    }
                    begin = at + 1;
                }
                ":" if matches!(tokens[begin].text, "public" | "private" | "protected") => begin = at + 1,
                _ => {}
            }
        }
        found.complete(tokens.len());
        found
    }

    /// Notes a function that is declared and not defined here.
    fn declaration(
        &mut self,
        forms: &HostForms,
        tokens: &[Token<'a>],
        head: Range<usize>,
        open: &[(Brace<'a>, usize)],
    ) {
        self.specialised.extend(specialised(&tokens[head.clone()]));
        let first = tokens[head.clone()].first().map(|token| token.span);
        // Only a constructor has no type before its name: what looks like one elsewhere is a call.
        let is_call =
            |place: Span| first == Some(place) && !matches!(open.last(), Some((Brace::Class(_), _)));
        if let Some(mut function) = function(forms, tokens, head).filter(|found| !is_call(found.place)) {
            self.own(&mut function, open);
            self.declared.push(function);
        }
    }

    /// Ends bodies that are not closed with the source. Functions take the default values of their parameters from their declarations.
    fn complete(&mut self, end: usize) {
        let mut declared: BTreeMap<(&str, &[&str]), Vec<&Function<'_>>> = BTreeMap::new();
        for function in &self.declared {
            declared.entry((function.name, &function.owners)).or_default().push(function);
        }
        for function in &mut self.functions {
            function.body.end = function.body.end.min(end);
            let same = declared.get(&(function.name, &function.owners[..])).into_iter().flatten();
            let same: Vec<_> = same.filter(|declared| declared.takes_what(function)).collect();
            for declared in same {
                for (own, other) in function.parameters.iter_mut().zip(&declared.parameters) {
                    if own.default.is_empty() {
                        own.default = other.default.clone();
                    }
                }
            }
        }
        for (kind, all) in [&self.functions, &self.declared].into_iter().enumerate() {
            for (index, function) in all.iter().enumerate() {
                self.by_name.entry(function.name).or_default()[kind].push(index);
            }
        }
    }

    /// The namespaces and classes that open braces belong to.
    fn owners(&self, open: &[(Brace<'a>, usize)]) -> Vec<&'a str> {
        let mut owners = Vec::new();
        for (brace, _) in open {
            match brace {
                Brace::Outer(names) => owners.extend(names),
                Brace::Class(name) => owners.push(*name),
                Brace::Function(index) => owners.clone_from(&self.functions[*index].owners),
                Brace::Initial(_) | Brace::Inner => {}
            }
        }
        owners
    }

    /// Completes the owners of a function by those of the open braces.
    fn own(&self, function: &mut Function<'a>, open: &[(Brace<'a>, usize)]) {
        let qualified = std::mem::take(&mut function.owners);
        let inside = matches!(open.last(), Some((Brace::Class(_), _)));
        function.method = inside || !qualified.is_empty() && self.is_class(qualified[qualified.len() - 1]);
        function.owners = self.owners(open);
        function.owners.extend(qualified);
    }

    /// A class and all that it is derived from, the nearest first.
    pub(super) fn lineage<'n>(&'n self, class: &'n str) -> Vec<&'n str> {
        let (mut found, mut at) = (vec![class], 0);
        while let Some(class) = found.get(at) {
            let bases = self.bases.get(class).into_iter().flatten().copied();
            let new: Vec<&str> = bases.filter(|base| !found.contains(base)).collect();
            found.extend(new);
            at += 1;
        }
        found
    }

    /// Whether the source defines a class with this name.
    pub(super) fn is_class(&self, name: &str) -> bool {
        self.bases.contains_key(name)
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
        let Some([own, declared]) = self.by_name.get(name) else { return Vec::new() };
        let known = !own.is_empty();
        let (all, named) = if known { (&self.functions, own) } else { (&self.declared, declared) };
        named.iter().map(|index| (&all[*index].parameters[..], known)).collect()
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
        open: &[(Brace<'a>, usize)],
    ) -> Brace<'a> {
        let before = without_annotations(tokens, before);
        let head = &tokens[before.clone()];
        let body = before.end + 1;
        if let Some(mut function) = lambda(forms, tokens, before.clone()) {
            let marked = |token: &&Token<'_>| forms.lambdas.iter().any(|word| token.is(word));
            function.program = head.iter().chain(tokens[body..].iter().take(4)).any(|token| marked(&token));
            function.owners = self.owners(open);
            return self.add(function, body);
        }
        let outer = matches!(open.last(), None | Some((Brace::Outer(_) | Brace::Class(_), _)));
        if outer && initialises(head) {
            return Brace::Initial(before.start);
        }
        self.specialised.extend(specialised(head));
        if outer && let Some(mut function) = function(forms, tokens, before) {
            self.own(&mut function, open);
            return self.add(function, body);
        }
        if let Some((name, behind)) = class(head) {
            let bases = head[behind.min(head.len())..].iter().filter(|token| token.kind == Lexeme::Word);
            let bases = bases.map(|token| token.text).filter(|word| !ACCESS.contains(word));
            self.bases.entry(name).or_default().extend(bases);
            return Brace::Class(name);
        }
        match namespaces(head) {
            Some(names) if outer => Brace::Outer(names),
            None if outer && head.iter().any(|token| token.is("extern")) => Brace::Outer(Vec::new()),
            _ => Brace::Inner,
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
    let destroys = tokens[own.start..open - 1].last().is_some_and(|mark| mark.is("~"));
    let any =
        |words: &[&str]| tokens[own.clone()].iter().any(|token| words.iter().any(|word| token.is(word)));
    Some(Function {
        name: name.text,
        owners: qualifiers(&tokens[own.start..open - 1 - usize::from(destroys)]),
        method: false,
        destroys,
        dispatched: any(&["virtual", "override"]),
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

/// The namespaces and classes in `A::B::`, which ends these tokens, outermost first. Template arguments are passed over.
fn qualifiers<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let (mut found, mut rest) = (Vec::new(), tokens);
    while let [before @ .., first, second] = rest
        && first.is(":")
        && second.is(":")
    {
        let end = match before.last() {
            Some(close) if close.is(">") => before.iter().rposition(|token| token.is("<")).unwrap_or(0),
            _ => before.len(),
        };
        let Some((owner, before)) = before[..end].split_last() else { break };
        if owner.kind != Lexeme::Word {
            break;
        }
        found.insert(0, owner.text);
        rest = before;
    }
    found
}

/// Whether a brace with this head holds the initial value of a member, in a constructor: `S(int k) : n{k}`.
fn initialises(head: &[Token<'_>]) -> bool {
    let behind = |close: usize| matches!(&head[close + 1..], [colon, word, ..] if colon.is(":") && word.kind == Lexeme::Word);
    let closes = head.iter().enumerate().filter(|(_, token)| token.is(")"));
    head.last().is_some_and(|token| token.kind == Lexeme::Word || token.is(">"))
        && closes.map(|(close, _)| close).any(behind)
}

/// The name of the template that a head defines for some arguments: `template <> void f<false>()`, `struct Tr<char>`.
fn specialised<'a>(head: &[Token<'a>]) -> Option<&'a str> {
    let [word, open, ..] = head else { return None };
    if !(word.is("template") && open.is("<")) {
        return None;
    }
    let explicit = head.get(2).is_some_and(|token| token.is(">"));
    let behind = 1 + head.iter().position(|token| token.is(">"))?;
    let open = head[behind..].iter().position(|token| token.is("("));
    match &head[behind..open.map_or(head.len(), |length| behind + length)] {
        [word, name, rest @ ..] if word.is("struct") || word.is("class") => {
            Some(name.text).filter(|_| explicit || rest.first().is_some_and(|token| token.is("<")))
        }
        own => {
            let end = own.iter().rposition(|token| token.is("<"));
            let end = end.filter(|_| own.last().is_some_and(|token| token.is(">"))).unwrap_or(own.len());
            Some(own[..end].last()?.text).filter(|_| explicit)
        }
    }
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
        owners: Vec::new(),
        method: false,
        destroys: false,
        dispatched: false,
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
        kind: ty.iter().find_map(|word| forms.kind(word.text)).cloned(),
        ty: range.start..range.start + ty.len(),
        class: type_name(ty),
        reference: ty.last().is_some_and(|mark| mark.is("&")),
        pointer: ty.last().is_some_and(|mark| mark.is("*")) || own.last().is_some_and(|mark| mark.is("]")),
        constant: ty.iter().any(|word| word.is("const")),
        default: default..range.end,
    })
}

//! The names in scope at a place of a source: constants, variables, parameters and aliases of registers, by C's rules. A
//! parameter or variable hides outer names, including the machine's registers.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{Names, Typed};
use super::dialect::{Base, Expression};
use super::memory::{Memory, Variable};
use super::outline::{Outline, Parameter};
use super::survey::Survey;
use super::types::Reading;
use super::value::{Fault, Place, Unknown, Value, is_operand, last};
use crate::backend::array::machine::descriptor::Target;
use crate::syntax::Span;
use crate::syntax::c::{Lexeme, Token};

/// What is known about a source before it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    pub(super) target: &'a Target,
    pub(super) reading: &'a Reading,
    /// All tokens of the source.
    pub(super) tokens: &'a [Token<'a>],
    pub(super) outline: &'a Outline<'a>,
    pub(super) survey: &'a Survey<'a>,
}

/// What a name is bound to.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    /// The place that it names.
    pub(super) place: Place,
    /// Whether a value from outside is never that of this name: it is that of an argument, or the variable of a loop.
    pub(super) own: bool,
}

/// What a scope is part of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Region {
    /// The source outside functions. There it may declare the machine's own names.
    #[default]
    Source,
    /// A namespace.
    Namespace,
    /// The members of a class.
    Class,
    /// A function.
    Function,
}

/// The names of one block.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'a> {
    pub(super) names: BTreeMap<&'a str, Binding>,
    pub(super) region: Region,
    /// The namespaces and classes around it, its own included, outermost first.
    pub(super) path: Vec<&'a str>,
    /// Whether the members of a class are a scope of their own around this one.
    pub(super) member: bool,
}

/// The members of a class, of a namespace or of an enumeration.
#[derive(Clone, Debug, Default)]
pub(super) struct Members<'a> {
    pub(super) names: BTreeMap<&'a str, Binding>,
    pub(super) region: Region,
}

/// The scopes at a place of a source, innermost last, with what is known of the classes before it.
#[derive(Clone, Debug)]
pub(super) struct Frame<'a> {
    pub(super) scopes: Vec<Scope<'a>>,
    /// The members of the classes, namespaces and enumerations so far, by their names with those around them.
    pub(super) classes: BTreeMap<Vec<&'a str>, Members<'a>>,
}

impl<'a> Frame<'a> {
    /// The namespaces and classes around the innermost scope, outermost first.
    pub(super) fn path(&self) -> &[&'a str] {
        self.scopes.last().map_or(&[], |scope| &scope.path)
    }

    /// The names of the class or namespace that these owners mean here: those of the innermost one around, or of the only one.
    fn members(&self, owners: &[&str]) -> Option<&BTreeMap<&'a str, Binding>> {
        let path = self.path();
        let around = (0..=path.len()).rev().map(|length| [&path[..length], owners].concat());
        let found = around.into_iter().find_map(|key| {
            let is_open = |scope: &&Scope<'_>| scope.path == key && scope.region != Region::Function;
            let open = self.scopes.iter().skip(1).rev().find(is_open).map(|scope| &scope.names);
            open.or_else(|| Some(&self.classes.iter().find(|(own, _)| **own == key)?.1.names))
        });
        found.or_else(|| {
            let mut ends = self.classes.iter().filter(|(key, _)| key.ends_with(owners));
            ends.next().filter(|_| ends.next().is_none()).map(|(_, members)| &members.names)
        })
    }
}

impl Default for Frame<'_> {
    /// The scope of a whole source, at its beginning.
    fn default() -> Self {
        Self { scopes: vec![Scope::default()], classes: BTreeMap::new() }
    }
}

/// A function or lambda as a value.
#[derive(Clone, Debug)]
pub(super) struct Closure<'a> {
    /// The function, by its index.
    pub(super) function: usize,
    /// The names that a lambda sees.
    pub(super) frame: Option<Frame<'a>>,
}

/// The names in scope and the variables of a source.
pub(super) struct Scopes<'a> {
    pub(super) given: Given<'a>,
    pub(super) frame: Frame<'a>,
    pub(super) memory: Memory,
    /// The functions and lambdas that values stand for.
    pub(super) closures: Vec<Closure<'a>>,
    /// The names with values from outside that were used.
    pub(super) used: BTreeSet<String>,
}

impl<'a> Scopes<'a> {
    /// The scope of a whole source, at its beginning.
    pub(super) fn new(given: Given<'a>) -> Self {
        Self {
            given,
            frame: Frame::default(),
            memory: Memory::new(),
            closures: Vec::new(),
            used: BTreeSet::new(),
        }
    }

    /// The value that a name is given from outside.
    pub(super) fn given(&mut self, name: &str) -> Option<Value> {
        let own = |(given, _): &&(String, String)| given == name || given == last(name);
        let (given, value) = self.given.reading.host.iter().rev().find(own)?;
        self.used.insert(given.clone());
        Some(outside(value))
    }

    /// Whether the source itself says what a name's value is now, after a change that was followed.
    pub(super) fn is_followed(&self, name: &str) -> bool {
        let known = |place: &Place| !matches!(self.memory.read(place), Value::Open(_));
        self.binding(name).is_some_and(|binding| {
            (binding.own || self.memory.variable(&binding.place).followed) && known(&binding.place)
        })
    }

    /// Opens a scope.
    pub(super) fn enter(&mut self) {
        self.enter_region(Region::Function, &[]);
    }

    /// Opens a scope of such a region, which adds these names to those around it.
    pub(super) fn enter_region(&mut self, region: Region, names: &[&'a str]) {
        let path = [self.frame.path(), names].concat();
        self.frame.scopes.push(Scope { region, path, ..Scope::default() });
    }

    /// Closes the innermost scope.
    pub(super) fn leave(&mut self) {
        let scopes = &mut self.frame.scopes;
        let Some(scope) = (scopes.len() > 1).then(|| scopes.pop()).flatten() else { return };
        if matches!(scope.region, Region::Class | Region::Namespace) {
            let members = self.frame.classes.entry(scope.path).or_default();
            members.region = scope.region;
            members.names.extend(scope.names);
        }
        if scope.member && scopes.len() > 1 {
            scopes.pop();
        }
    }

    /// What a name that the source declares is bound to. Namespaces or classes may stand before it; what stands before a member
    /// of an object is not looked at.
    pub(super) fn binding(&self, name: &str) -> Option<&Binding> {
        let own = last(name);
        let owner = name.strip_suffix(own).unwrap_or_default();
        let frame = &self.frame;
        if owner.ends_with('.') {
            let classes = frame.scopes.iter().rev().filter(|scope| scope.region == Region::Class);
            return classes.filter_map(|scope| scope.names.get(own)).next();
        }
        if owner == "::" {
            return frame.scopes.first()?.names.get(own);
        }
        let owners: Vec<&str> = owner.split("::").filter(|owner| !owner.is_empty()).collect();
        if owners.iter().any(|owner| self.given.outline.specialised.contains(owner)) {
            return None;
        }
        if !owners.is_empty() {
            return frame.members(&owners)?.get(own);
        }
        let inner = frame.scopes.iter().rev().find_map(|scope| scope.names.get(own));
        inner.or_else(|| {
            // As if each namespace were named by `using namespace`.
            let spaces = frame.classes.values().filter(|members| members.region == Region::Namespace);
            let mut all = spaces.filter_map(|space| space.names.get(own));
            all.next().filter(|first| all.all(|other| other.place == first.place))
        })
    }

    /// `using A::B::NAME`, and `namespace NAME = A::B`: another name in the innermost scope.
    pub(super) fn using(&mut self, statement: &[Token<'a>]) {
        let path = |tokens: &[Token<'a>]| {
            tokens
                .iter()
                .filter(|token| token.kind == Lexeme::Word)
                .map(|token| token.text)
                .collect::<Vec<_>>()
        };
        match statement {
            [using, rest @ ..] if using.is("using") && !rest.iter().any(|token| token.is("=")) => {
                let names = path(rest);
                let Some(name) = names.last().filter(|_| names.len() > 1 && names[0] != "namespace") else {
                    return;
                };
                if let Some(binding) = self.binding(&names.join("::")).cloned() {
                    self.bind(name, binding.place, binding.own);
                }
            }
            [space, name, equals, rest @ ..] if space.is("namespace") && equals.is("=") => {
                if let Some(names) = self.frame.members(&path(rest)).cloned() {
                    let key = [self.frame.path(), &[name.text]].concat();
                    self.frame.classes.insert(key, Members { names, region: Region::Class });
                }
            }
            _ => {}
        }
    }

    /// Whether the source declares a name.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.binding(name).is_some()
    }

    /// The value of a name that the source declares.
    pub(super) fn known(&self, name: &str) -> Option<Value> {
        Some(self.memory.read(&self.binding(name)?.place))
    }

    /// The variable that a name is bound to, or an element of.
    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        Some(self.memory.variable(&self.binding(name)?.place))
    }

    /// The place of a name that the source declares. A value from outside is there from now on.
    pub(super) fn place(&mut self, name: &str) -> Option<Place> {
        let place = self.binding(name)?.place.clone();
        if !self.is_followed(name)
            && let Some(value) = self.given(name)
        {
            self.memory.write(&place, value);
        }
        Some(place)
    }

    /// Declares a variable in the innermost scope.
    pub(super) fn declare_as(&mut self, name: &'a str, variable: Variable, own: bool) {
        let place = self.memory.add(variable);
        self.bind(name, place, own);
    }

    /// Binds a name in the innermost scope to a place.
    pub(super) fn bind(&mut self, name: &'a str, place: Place, own: bool) {
        let Some(scope) = self.frame.scopes.last_mut() else { return };
        if scope.region == Region::Function || self.given.target.operand(name).is_none() {
            scope.names.insert(name, Binding { place, own });
        }
    }

    /// Declares a parameter whose value is not known.
    pub(super) fn parameter(&mut self, parameter: &Parameter<'a>) {
        let unknown = Unknown {
            name: parameter.name.to_owned(),
            place: parameter.place,
            kind: parameter.kind.clone(),
            named: true,
        };
        let variable = Variable::new(parameter.name, parameter.place, Value::Open(unknown));
        let base = self.base_of(parameter.ty.clone());
        self.declare_as(parameter.name, parameter.variable(base, variable), false);
    }

    /// Changes a variable.
    pub(super) fn change(&mut self, name: &str, value: Value) {
        if let Some(binding) = self.binding(name) {
            let place = binding.place.clone();
            self.memory.write(&place, value);
        }
    }

    /// What a variable holds is no longer known.
    pub(super) fn lose(&mut self, name: &str) {
        if let Some(binding) = self.binding(name) {
            let place = binding.place.clone();
            self.memory.lose(&place);
        }
    }

    /// A name in the innermost scope takes no value from outside.
    pub(super) fn own(&mut self, name: &str) {
        if let Some(binding) = self.frame.scopes.last_mut().and_then(|scope| scope.names.get_mut(name)) {
            binding.own = true;
        }
    }

    /// Gives the members of classes in scope, which every object has for itself, cells of their own.
    pub(super) fn another_object(&mut self) {
        for scope in &mut self.frame.scopes {
            if scope.region == Region::Class {
                scope.names.values_mut().for_each(|binding| binding.place = self.memory.copy(&binding.place));
            }
        }
    }

    /// The parameters of functions in scope, and what is like them, whose values are not known, in the order of the source.
    pub(super) fn open(&self) -> Vec<(&'a str, Unknown)> {
        let all = self.frame.scopes.iter().flat_map(|scope| &scope.names);
        let open = |(name, binding): (&&'a str, &Binding)| match self.memory.read(&binding.place) {
            Value::Open(unknown) if unknown.kind.is_some() => Some((*name, unknown)),
            _ => None,
        };
        let mut open: Vec<_> = all.filter_map(open).collect();
        open.sort_by_key(|(_, unknown)| (unknown.place.start, unknown.place.end));
        open
    }
}

/// A value given from outside: a number, or an operand of the machine.
fn outside(text: &str) -> Value {
    text.parse().map_or_else(|_| Value::Operand(text.to_owned()), Value::Number)
}

impl Names for Scopes<'_> {
    fn target(&self) -> &Target {
        self.given.target
    }

    fn name(&mut self, name: &str, span: Span) -> Value {
        if !self.is_followed(name)
            && let Some(value) = self.given(name)
        {
            return value;
        }
        let last = last(name);
        match self.known(name) {
            Some(value) => value,
            None if is_operand(self.given.target, last) => Value::Operand(last.to_owned()),
            None => self.function_named(name).unwrap_or_else(|| Value::variable(name, span)),
        }
    }

    fn call(&mut self, name: &str, _: &[Expression], span: Span) -> Result<Typed, Fault> {
        Ok((Value::computed(name, span), None))
    }

    fn base(&self, name: &str) -> Option<Base> {
        self.variable(name)?.base
    }

    fn alias(&self, name: &str) -> Option<Base> {
        Scopes::alias(self, name)
    }

    fn memory(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Nothing is changed: declarations are followed, and statements are not.
    fn write(&mut self, _: &Place, _: Value) {}

    fn place(&mut self, name: &str) -> Option<Place> {
        Scopes::place(self, name)
    }

    fn assigned_to(&mut self, _: &Expression) {}

    fn lambda(&mut self, at: usize, span: Span) -> Value {
        Scopes::lambda(self, at, span)
    }

    fn apply(&mut self, _: &Expression, _: &[Expression], span: Span) -> Result<Typed, Fault> {
        Ok((Value::computed("a call", span), None))
    }

    fn reference(&mut self, _: &str, _: &[Expression], _: Span) -> Result<(), Fault> {
        Ok(())
    }
}

//! Finds the function that a call means, by C++'s rules: which functions its name stands for at the place of the call, and which of
//! them takes the arguments. Where these rules need what is not known, the call is refused.

use super::dialect::{Base, Expression};
use super::evaluate::decayed;
use super::integers::shares;
use super::outline::{Function, Parameter};
use super::reader::Reader;
use super::value::{Place, Value, last};
use crate::backend::array::machine::host_forms::Stands;
use crate::backend::array::machine::instruction::Operand;
use crate::syntax::c::{Kind, Mistake, Unary};
use crate::syntax::{Diagnostic, Span};

/// What is said of objects whose making changes registers.
const UNFOLLOWED: &str = "constructors and destructors are not followed";

/// A call as written: the name, the arguments, the template arguments, the place.
pub(super) struct Call<'e> {
    pub(super) name: &'e str,
    pub(super) arguments: &'e [Expression],
    pub(super) templates: &'e [Expression],
    pub(super) span: Span,
}

/// The function or lambda that a call means.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callee {
    /// The function, by its index.
    pub(super) function: usize,
    /// The closure that was called, by its number.
    pub(super) closure: Option<usize>,
}

/// What stands before the name of a function.
enum Before<'n> {
    /// Nothing, or `this`.
    Nothing,
    /// An object: the name of its class, if that is known, and whether the object is of that class itself.
    Object(Option<(String, bool)>),
    /// `::` and nothing else.
    Source,
    /// Namespaces and classes, outermost first.
    Owners(Vec<&'n str>),
}

/// How well an argument fits a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Not at all.
    Never,
    /// By a conversion.
    Converted,
    /// By an integral promotion.
    Promoted,
    /// As it is.
    Exact,
}

/// Whether a function can be called with these arguments, by their number.
fn takes(function: &Function<'_>, arguments: &[Expression]) -> bool {
    let needed = function.parameters.iter().filter(|p| p.default.is_empty()).count();
    (needed..=function.parameters.len()).contains(&arguments.len())
}

/// Those of `all` that belong to what one set of owners names, if there is only one.
fn only(functions: &[Function<'_>], all: Vec<usize>) -> Option<Vec<usize>> {
    let alike = all.windows(2).all(|pair| functions[pair[0]].owners == functions[pair[1]].owners);
    alike.then_some(all)
}

impl<'a> Reader<'a> {
    /// The function or lambda of the source that a call means; `None` if it means none, after a report if it may mean several.
    pub(super) fn callee(&mut self, call: &Call<'_>) -> Result<Option<Callee>, Mistake> {
        if let Some(Value::Function(closure)) = self.scopes.known(call.name) {
            return Ok(self.called(closure, call.arguments));
        }
        let own = last(call.name);
        let functions = &self.given.outline.functions;
        // Inside a method that is called as an instruction is, its name means the instruction.
        let instruction = self.given.target.has_instruction(&self.given.target.sources.host.usual(own));
        // A variable or parameter hides functions: what it holds is not known, or is no function.
        let hidden = self.scopes.declares(call.name);
        let named: Vec<usize> = (0..functions.len())
            .filter(|index| functions[*index].name == own)
            .filter(|index| {
                functions[*index].program || !(hidden || functions[*index].lambda && call.name != own)
            })
            .filter(|index| !(instruction && self.calls.contains(index)))
            .collect();
        if named.is_empty() {
            return Ok(None);
        }
        let meant = self.meant(call.name, &named).map_or(Err(()), |meant| {
            let fitting: Vec<usize> =
                meant.into_iter().filter(|index| takes(&functions[*index], call.arguments)).collect();
            match fitting.len() {
                0 | 1 => Ok(fitting.first().copied()),
                _ => self.best(&fitting, call).map(Some).ok_or(()),
            }
        });
        match meant {
            Ok(Some(function)) if functions[function].is_constructor() => self.not_told(call, &[function]),
            Ok(function) => Ok(function.map(|function| Callee { function, closure: None })),
            Err(()) => self.not_told(call, &named),
        }
    }

    /// The function of a closure, if it can be called with these arguments, by their number.
    pub(super) fn called(&self, closure: usize, arguments: &[Expression]) -> Option<Callee> {
        let function = self.scopes.closures[closure].function;
        let closure = Some(closure);
        takes(&self.given.outline.functions[function], arguments).then_some(Callee { function, closure })
    }

    /// Reports a call of one of these functions, if that makes a difference. Otherwise the call is one of a function that is not
    /// known, and what it is given by reference is lost.
    fn not_told(&mut self, call: &Call<'_>, functions: &[usize]) -> Result<Option<Callee>, Mistake> {
        let all = &self.given.outline.functions;
        let constructor = functions.iter().any(|index| all[*index].is_constructor());
        if self.inside && !constructor || functions.iter().any(|index| self.touches(all[*index].body.clone()))
        {
            let what = match constructor {
                true => UNFOLLOWED.to_owned(),
                false => format!("which of the functions `{}` this calls is not known", last(call.name)),
            };
            let diagnostic = Diagnostic::error("unreadable", what).label(call.span, "called here");
            return self.code.mistake(diagnostic.label(all[functions[0]].place, "perhaps this one"));
        }
        for argument in call.arguments {
            if let Kind::Name(name) = &argument.kind {
                self.scopes.lose(name);
            }
        }
        Ok(None)
    }

    /// Reports an object of a class whose constructors or destructors change registers.
    pub(super) fn constructed(&mut self, class: &str, span: Span) -> Result<(), Mistake> {
        let outline = self.given.outline;
        if !outline.is_class(class) {
            return Ok(());
        }
        let classes = outline.lineage(class);
        let functions = outline.functions.iter().filter(|function| function.is_constructor());
        let mut own = functions.filter(|function| classes.contains(&function.name));
        let Some(function) = own.find(|function| self.touches(function.body.clone())) else { return Ok(()) };
        let diagnostic = Diagnostic::error("unreadable", UNFOLLOWED);
        let diagnostic = diagnostic.label(span, "this object is made here");
        self.code.mistake(diagnostic.label(function.place, "this changes registers"))
    }

    /// Whether a name of this type for a place hides that an object of another class stands there.
    pub(super) fn hides_class(&self, class: &str, place: &Place) -> bool {
        self.given.outline.is_class(class) && self.scopes.memory.variable(place).class != class
    }

    /// What stands before the name of a function.
    fn before<'n>(&self, name: &'n str) -> Before<'n> {
        let before = name.strip_suffix(last(name)).unwrap_or_default();
        if let Some(object) = before.strip_suffix('.') {
            if object == "this" {
                return Before::Nothing;
            }
            let variable =
                self.scopes.variable(object).filter(|variable| !object.contains('.') && !variable.array);
            let class = variable.filter(|variable| self.given.outline.is_class(&variable.class));
            return Before::Object(class.map(|variable| (variable.class.clone(), !variable.indirect)));
        }
        match before {
            "" => Before::Nothing,
            "::" => Before::Source,
            owners => Before::Owners(owners.split("::").filter(|owner| !owner.is_empty()).collect()),
        }
    }

    /// The functions among those with its last name that a name means here, which may be none; `None` if that is not known.
    fn meant(&self, name: &str, named: &[usize]) -> Option<Vec<usize>> {
        let outline = self.given.outline;
        let functions = &outline.functions;
        let path: &[&str] = self.calls.last().map_or(&[], |at| &functions[*at].owners);
        let special = |index: &usize| {
            let function = &functions[*index];
            function.owners.iter().chain([&function.name]).any(|name| outline.specialised.contains(name))
        };
        if named.iter().any(special) {
            return None;
        }
        let of = |owners: &[&str]| -> Vec<usize> {
            named.iter().copied().filter(|index| functions[*index].owners == owners).collect()
        };
        let found = |all: Vec<usize>| Some(all).filter(|all| !all.is_empty());
        // The innermost of the scopes around the call; those of a class come before those that it is derived from.
        let around = |owners: &[&str]| {
            (0..=path.len()).rev().find_map(|length| {
                let key = [&path[..length], owners].concat();
                found(of(&key)).map(Some).or_else(|| {
                    let class = key.last().filter(|class| outline.is_class(class))?;
                    self.inherited(outline.lineage(class).split_off(1), named)
                })
            })
        };
        match self.before(name) {
            Before::Source => found(of(&[])).or_else(|| only(functions, self.visible(named, path))),
            Before::Nothing => {
                let found = around(&[]).unwrap_or_else(|| only(functions, self.visible(named, path)))?;
                // A method of the object's own class may run in place of a virtual one.
                let dispatched = found.iter().any(|index| functions[*index].dispatched);
                if dispatched { only(functions, named.to_vec()) } else { Some(found) }
            }
            Before::Owners(owners) => around(&owners).unwrap_or_else(|| {
                let ends = |index: &usize| functions[*index].owners.ends_with(&owners);
                let ending: Vec<usize> = named.iter().copied().filter(ends).collect();
                only(functions, if ending.is_empty() { named.to_vec() } else { ending })
            }),
            Before::Object(Some((class, exact))) => {
                let dispatched = !exact && named.iter().any(|index| functions[*index].dispatched);
                match self.inherited(outline.lineage(&class), named) {
                    Some(found) if !dispatched => found,
                    _ => only(functions, named.to_vec()),
                }
            }
            Before::Object(None) => only(functions, named.to_vec()),
        }
    }

    /// The functions of the first of these classes that has any: `None` if none has, `Some(None)` if which is not known.
    fn inherited(&self, classes: Vec<&str>, named: &[usize]) -> Option<Option<Vec<usize>>> {
        let functions = &self.given.outline.functions;
        classes.into_iter().find_map(|class| {
            let is_own = |index: &usize| functions[*index].owners.last() == Some(&class);
            let own: Vec<usize> = named.iter().copied().filter(is_own).collect();
            (!own.is_empty()).then(|| only(functions, own))
        })
    }

    /// The functions that may be seen without their owners: methods are not, unless a class around the call is derived from another.
    fn visible(&self, named: &[usize], path: &[&str]) -> Vec<usize> {
        let outline = self.given.outline;
        let derived =
            path.iter().any(|owner| outline.bases.get(owner).is_some_and(|bases| !bases.is_empty()));
        named.iter().copied().filter(|index| derived || !outline.functions[*index].method).collect()
    }

    /// The function among these, all with the same owners, that takes the arguments best, if there is one. Of two that take them alike,
    /// a template is not meant.
    fn best(&mut self, functions: &[usize], call: &Call<'_>) -> Option<usize> {
        let values: Vec<Option<Value>> =
            call.arguments.iter().map(|argument| decayed(&mut self.scopes, argument).ok()).collect();
        let all = &self.given.outline.functions;
        let fits = |index: &usize| -> Option<(usize, Vec<Fit>)> {
            let parameters = all[*index].parameters.iter().zip(call.arguments.iter().zip(&values));
            let fits = parameters
                .map(|(own, (written, value))| self.fit(&all[*index], own, written, value.as_ref()?));
            Some((*index, fits.collect::<Option<_>>()?))
        };
        let found: Option<Vec<(usize, Vec<Fit>)>> = functions.iter().map(fits).collect();
        let found: Vec<_> = found?.into_iter().filter(|(_, fits)| !fits.contains(&Fit::Never)).collect();
        let is_better = |(one, fits): &(usize, Vec<Fit>), (other, than): &(usize, Vec<Fit>)| {
            let worse = fits.iter().zip(than).any(|(one, other)| one < other);
            let plain = all[*one].templates.is_empty() && !all[*other].templates.is_empty();
            !worse && (fits != than || plain)
        };
        let best =
            found.iter().find(|one| found.iter().all(|other| one.0 == other.0 || is_better(one, other)));
        best.map(|(index, _)| *index)
    }

    /// How well an argument fits a parameter; `None` if that is not known.
    fn fit(
        &self,
        function: &Function<'_>,
        parameter: &Parameter<'_>,
        written: &Expression,
        value: &Value,
    ) -> Option<Fit> {
        let target = self.given.target;
        let exactly = |fits: bool| Some(if fits { Fit::Exact } else { Fit::Never });
        if parameter.class == "auto"
            || function.templates.iter().any(|template| template.name == parameter.class)
        {
            return Some(Fit::Exact).filter(|_| !parameter.pointer);
        }
        // `(news_t)2` is a direction.
        let named = match &written.kind {
            Kind::Call(name, arguments) if arguments.len() == 1 => target.sources.host.kind(last(name)),
            _ => None,
        };
        let ty = self.exact_type(written);
        match (value, &parameter.kind) {
            (_, Some(kind)) if named.is_some() => exactly(named == Some(kind)),
            (Value::Open(unknown), Some(kind)) if unknown.kind.is_some() => {
                exactly(unknown.kind.as_ref() == Some(kind))
            }
            (Value::Operand(name), kind) => match (target.operand(name)?, kind) {
                (Operand::Register(register), Some(Stands::Register(file))) => {
                    let file = target.files.iter().find(|own| own.name == *file);
                    exactly(file.is_some_and(|file| file.registers.contains(&register)))
                }
                (Operand::Direction(_) | Operand::Directions(_), Some(Stands::Direction))
                | (Operand::Bit(_), Some(Stands::Bit)) => Some(Fit::Exact),
                (Operand::Direction(_), None) if !parameter.pointer => Some(Fit::Converted),
                _ => Some(Fit::Never),
            },
            (Value::Pointer(_), None) => exactly(parameter.pointer),
            (Value::Pointer(_) | Value::Number(_), Some(_)) => Some(Fit::Never),
            (Value::Open(_), Some(_)) => ty.map(|_| Fit::Never),
            (Value::Number(_), None) if parameter.pointer => Some(Fit::Never),
            (Value::Open(unknown), None) if parameter.pointer || unknown.kind.is_some() => None,
            // A type that is not known is so for all functions.
            (Value::Number(_) | Value::Open(_), None) => {
                Some(match (ty, self.scopes.base_of(parameter.ty.clone())) {
                    (Some(given), Some(wanted)) if given == wanted => Fit::Exact,
                    (Some(given), Some(wanted)) if promoted(given) == wanted => Fit::Promoted,
                    _ => Fit::Converted,
                })
            }
            _ => None,
        }
    }

    /// The type of a number, if it is certain.
    fn exact_type(&self, expression: &Expression) -> Option<Base> {
        match &expression.kind {
            Kind::Integer(value) => {
                let token = self.given.tokens.iter().find(|token| token.span == expression.span)?;
                match token.text {
                    "true" | "false" => Some(Base::Truth),
                    text if text.starts_with(|first: char| first.is_ascii_digit()) => {
                        i32::try_from(*value).ok().map(|_| INT)
                    }
                    _ => None,
                }
            }
            Kind::Name(name) => self.scopes.variable(name)?.base,
            Kind::Cast(ty, _) if ty.pointers == 0 => Some(ty.base),
            Kind::Unary(Unary::Plus | Unary::Minus | Unary::Complement, operand) => {
                self.exact_type(operand).map(promoted)
            }
            Kind::Unary(Unary::Not, _) => Some(Base::Truth),
            Kind::Binary(operator, left, right) => match shares(*operator) {
                [true, true] => {
                    let [left, right] = [self.exact_type(left)?, self.exact_type(right)?].map(promoted);
                    Some(left).filter(|left| *left == right)
                }
                [false, true] => self.exact_type(left).map(promoted),
                [_, false] => Some(Base::Truth),
            },
            _ => None,
        }
    }
}

/// The type `int`.
const INT: Base = Base::Integer { bits: 32, signed: true };

/// The type in which an integer is computed.
fn promoted(base: Base) -> Base {
    match base {
        Base::Truth => INT,
        Base::Integer { bits, .. } if bits < 32 => INT,
        base => base,
    }
}

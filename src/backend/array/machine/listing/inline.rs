//! Follows calls of functions that the source defines: the body is read in place of the call.

use super::blocks::{Form, Found};
use super::context::Typed;
use super::dialect::{Base, Expression, within};
use super::evaluate::{passed, place_of};
use super::lookup::{Call, Callee};
use super::memory::Variable;
use super::outline::Parameter;
use super::reader::{Flow, Reader};
use super::scope::{Frame, Region, Scope};
use super::value::{Place, Value, held, last};
use crate::backend::array::machine::descriptor::{BitId, Target};
use crate::backend::array::machine::host_forms::Stands;
use crate::backend::array::machine::instruction::Operand;
use crate::backend::array::machine::logic::BitKind;
use crate::syntax::c::{Kind, Lexeme, Mistake};
use crate::syntax::{Diagnostic, Source, Span};

/// The maximum number of calls that are followed: more than a program of ten thousand instructions needs.
const MAX_CALLS: usize = 10_000;

/// What a parameter is given.
pub(super) enum Argument {
    /// Another name for this place.
    Place(Place),
    /// This value, of this type.
    Value(Value, Option<Base>),
}

impl<'a> Reader<'a> {
    /// Reads the body of a function in place of a call.
    pub(super) fn inline(&mut self, callee: Callee, call: &Call<'_>, inside: bool) -> Result<Typed, Mistake> {
        let index = callee.function;
        let function = &self.given.outline.functions[index];
        let name = if function.name.is_empty() { "a lambda" } else { function.name };
        if self.calls.contains(&index) {
            let message = format!("`{name}` calls itself");
            let diagnostic = Diagnostic::error("recursion", message).label(call.span, "called here");
            return self.code.mistake(diagnostic.label(function.place, "within this function"));
        }
        self.inlined += 1;
        if self.inlined > MAX_CALLS {
            self.stop();
            let message = "the functions call one another too often";
            return self
                .code
                .mistake(Diagnostic::error("endless-loop", message).label(call.span, "in this call"));
        }
        let arguments = self.arguments(&function.parameters, call.arguments)?;
        let templates = self.arguments(&function.templates, call.templates)?;
        self.code.enter()?;
        let frame = self.frame_of(callee);
        let outer = std::mem::replace(&mut self.scopes.frame, frame);
        let templates = self.with_types(function, templates, &arguments);
        self.bind_parameters(&function.templates, templates);
        self.bind_parameters(&function.parameters, arguments);
        self.calls.push(index);
        let flow = self.run(function.body.clone(), inside);
        self.calls.pop();
        let result = self.scopes.base_of(function.result.clone());
        self.scopes.frame = outer;
        self.code.leave();
        self.extents.extend(self.extent(function.body.clone()));
        Ok(match flow {
            Flow::Return((value, base)) => (held(result, value), result.or(base)),
            _ => (Value::computed(name, call.span), None),
        })
    }

    /// What a call gives these parameters: places for references, values for others.
    fn arguments(
        &mut self,
        parameters: &[Parameter<'a>],
        arguments: &[Expression],
    ) -> Result<Vec<Argument>, Mistake> {
        let mut found = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let reference = parameters.get(at).is_some_and(|parameter| parameter.reference);
            let place = if reference { place_of(self, argument) } else { Ok(None) };
            found.push(match self.reported(place)? {
                Some(place) => Argument::Place(place),
                None => {
                    let value = passed(self, argument);
                    let (value, base) = self.reported(value)?;
                    Argument::Value(value, base)
                }
            });
        }
        Ok(found)
    }

    /// Reads a program.
    pub(super) fn whole(&mut self, found: &Found) {
        let range = found.tokens.clone();
        self.calls = self.given.outline.around(range.start);
        self.name_parameters(range.clone());
        (self.strict, self.bracketed) = (found.form != Form::Function, found.form == Form::Marked);
        self.extents.extend(self.extent(range.clone()));
        self.extents.push(found.extent);
        self.run(range, self.strict);
    }

    /// Notes the values from outside that were not used.
    pub(super) fn unused(&mut self, source: &Source) {
        let directive = |name: &str| {
            source.text().lines().any(|line| line.trim_start().starts_with('#') && line.contains(name))
        };
        for (name, _) in &self.given.reading.host {
            if !self.scopes.used.contains(name) && !directive(name) {
                let message = format!("--host {name} is not used: what is read does not depend on `{name}`");
                self.note(Diagnostic::warning("unused-host", message).label(Span::at(0), "in this source"));
            }
        }
    }

    /// The place of some tokens.
    pub(super) fn extent(&self, range: std::ops::Range<usize>) -> Option<Span> {
        let tokens = self.given.tokens;
        Some(tokens.get(range.start)?.span.to(tokens.get(range.end.min(tokens.len()).checked_sub(1)?)?.span))
    }

    fn bind_parameters(&mut self, parameters: &[Parameter<'a>], arguments: Vec<Argument>) {
        let given = arguments.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
        for (parameter, argument) in parameters.iter().zip(given) {
            let argument = argument.or_else(|| {
                let default = within(self.given.tokens, parameter.default.clone())?;
                passed(self, &default).ok().map(|(value, base)| Argument::Value(value, base))
            });
            match argument {
                Some(Argument::Place(place)) if self.hides_class(parameter.class, &place) => {
                    self.scopes.parameter(parameter);
                }
                Some(Argument::Place(place)) => self.scopes.bind(parameter.name, place, true),
                Some(Argument::Value(Value::Type(base), _)) => {
                    self.scopes.declare_type(parameter.name, parameter.place, base);
                }
                Some(Argument::Value(value, base)) => {
                    let base = self.scopes.base_for(parameter.ty.clone(), &value, base);
                    let variable = Variable::new(parameter.name, parameter.place, held(base, value));
                    self.scopes.declare_as(parameter.name, parameter.variable(base, variable), true);
                }
                None => self.scopes.parameter(parameter),
            }
        }
    }

    /// The names in scope at the beginning of the body of a closure's function.
    pub(super) fn frame_of_closure(&mut self, closure: usize) -> Frame<'a> {
        let function = self.scopes.closures[closure].function;
        self.frame_of(Callee { function, closure: Some(closure) })
    }

    /// The names in scope at the beginning of a function's body. A lambda sees what it captured where it stands; one that no variable
    /// holds sees the names at the call.
    fn frame_of(&mut self, callee: Callee) -> Frame<'a> {
        let function = &self.given.outline.functions[callee.function];
        let closure = callee.closure.and_then(|closure| self.scopes.closures[closure].frame.clone());
        let mut frame = match closure {
            Some(frame) => frame,
            None if function.lambda && !function.program => self.scopes.frame.clone(),
            None => {
                let scopes = &mut self.scopes;
                let walked = self.walked.entry(callee.function);
                let mut frame = walked.or_insert_with(|| scopes.frame_at(function.body.start)).clone();
                std::mem::swap(&mut frame, &mut self.scopes.frame);
                self.scopes.another_object();
                std::mem::replace(&mut self.scopes.frame, frame)
            }
        };
        let path = function.owners.clone();
        frame.scopes.push(Scope { region: Region::Function, path, ..Scope::default() });
        frame
    }

    /// The program that a name stands for: a lambda.
    pub(super) fn program_named(&self, argument: &Expression) -> Option<Callee> {
        let Kind::Name(name) = &argument.kind else { return None };
        let functions = &self.given.outline.functions;
        let function =
            functions.iter().position(|function| function.program && function.name == last(name))?;
        Some(Callee { function, closure: None })
    }

    /// Gives registers that nothing else in the program uses to the parameters of the functions around it.
    pub(super) fn name_parameters(&mut self, range: std::ops::Range<usize>) {
        let words = self.words(range);
        let target = self.given.target;
        let mut taken: Vec<Operand> = words.iter().filter_map(|word| target.operand(word)).collect();
        for (name, unknown) in self.scopes.open() {
            if !words.iter().any(|word| word == name) || self.scopes.given(name).is_some() {
                continue;
            }
            let Some(free) = free(target, unknown.kind.as_ref(), &taken) else { continue };
            taken.push(free);
            let free = target.operand_text(free);
            self.scopes.change(name, Value::Operand(free.clone()));
            let message =
                format!("`{name}` may be any register: it is read as {free}, which nothing else here uses");
            let note = Diagnostic::warning("parameter", message).label(unknown.place, "declared here");
            self.note(note.help(format!("--host {name}=REGISTER names another")));
        }
    }

    /// The words of some code and of the functions that it calls.
    fn words(&self, range: std::ops::Range<usize>) -> Vec<String> {
        let given = &self.given;
        let mut ranges = vec![range];
        let mut found: Vec<String> = Vec::new();
        let mut seen = vec![false; given.outline.functions.len()];
        while let Some(range) = ranges.pop() {
            let tokens =
                &given.tokens[range.start.min(given.tokens.len())..range.end.min(given.tokens.len())];
            for token in tokens.iter().filter(|token| token.kind == Lexeme::Word) {
                found.push(token.text.to_owned());
                for (index, function) in given.outline.functions.iter().enumerate() {
                    if function.name == token.text && !std::mem::replace(&mut seen[index], true) {
                        ranges.push(function.body.clone());
                    }
                }
            }
        }
        // Aliases of registers use these registers.
        let aliases: Vec<String> = found
            .iter()
            .filter_map(|word| match self.scopes.known(word) {
                Some(Value::Operand(register)) => Some(register),
                _ => None,
            })
            .collect();
        found.extend(aliases);
        found
    }
}

/// A register or bit for a parameter of this kind that is none of those taken.
fn free(target: &Target, kind: Option<&Stands>, taken: &[Operand]) -> Option<Operand> {
    let all: Vec<Operand> = match kind? {
        Stands::Register(name) => {
            let file = target.files.iter().find(|file| file.name == *name)?;
            file.registers.iter().map(|register| Operand::Register(*register)).collect()
        }
        // The last bits are ordinary registers: the first ones have parts to play in instructions.
        Stands::Bit => {
            let ordinary =
                |bit: &usize| target.bits[*bit].kind == BitKind::Register && target.bits[*bit].gate.is_none();
            (0..target.bits.len()).filter(ordinary).rev().map(|bit| Operand::Bit(BitId(bit))).collect()
        }
        Stands::Direction => return None,
    };
    all.into_iter().find(|operand| !taken.contains(operand))
}

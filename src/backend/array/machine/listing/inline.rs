//! Follows calls of functions that the source defines: the body is read in place of the call.

use super::blocks::{Form, Found};
use super::dialect::Expression;
use super::outline::{Function, Parameter};
use super::reader::{Flow, Reader};
use super::scope::Scopes;
use super::value::{Value, evaluate, held, last};
use crate::backend::array::machine::descriptor::{BitId, Target};
use crate::backend::array::machine::host_forms::Stands;
use crate::backend::array::machine::instruction::Operand;
use crate::backend::array::machine::logic::BitKind;
use crate::syntax::c::{Lexeme, Mistake, Token};
use crate::syntax::{Diagnostic, Source, Span};

/// The maximum number of calls that are followed: more than a program of ten thousand instructions needs.
const MAX_CALLS: usize = 10_000;

/// A call as written: the name, the arguments, the template arguments, the place.
pub(super) struct Call<'e> {
    pub(super) name: &'e str,
    pub(super) arguments: &'e [Expression],
    pub(super) templates: &'e [Expression],
    pub(super) span: Span,
}

impl<'a> Reader<'a> {
    /// The function of the source that a call means, by its index.
    pub(super) fn callee(&mut self, call: &Call<'_>) -> Option<usize> {
        let own = last(call.name);
        let functions = &self.given.outline.functions;
        let fits = |function: &Function<'_>| {
            let needed = function.parameters.iter().filter(|p| p.default.is_empty()).count();
            function.name == own && (needed..=function.parameters.len()).contains(&call.arguments.len())
        };
        // Inside a method that is called as an instruction is, its name means the instruction.
        let instruction = self.given.target.has_instruction(&self.given.target.sources.host.usual(own));
        let candidates: Vec<usize> = (0..functions.len())
            .filter(|index| fits(&functions[*index]) && !(instruction && self.calls.contains(index)))
            .collect();
        if candidates.len() < 2 {
            return candidates.first().copied();
        }
        let class =
            call.name.rsplit("::").nth(1).or_else(|| self.calls.last().and_then(|at| functions[*at].class));
        let values: Vec<Option<Value>> =
            call.arguments.iter().map(|argument| evaluate(&mut self.scopes, argument).ok()).collect();
        let matching = |index: &&usize| {
            let function = &functions[**index];
            let kinds = function.parameters.iter().zip(&values);
            let alike = kinds.filter(|(parameter, value)| self.matches(parameter, value.as_ref())).count();
            (alike, class.is_some() && function.class == class, std::cmp::Reverse(**index))
        };
        candidates.iter().max_by_key(matching).copied()
    }

    /// Whether a value is of a parameter's kind.
    fn matches(&self, parameter: &Parameter<'_>, value: Option<&Value>) -> bool {
        let target = self.given.target;
        let operand = match value {
            Some(Value::Operand(name)) => target.operand(name),
            _ => None,
        };
        match (&parameter.kind, operand) {
            (Some(Stands::Register(name)), Some(Operand::Register(register))) => {
                let file = target.files.iter().find(|file| file.name == *name);
                file.is_some_and(|file| file.registers.contains(&register))
            }
            (Some(Stands::Direction), Some(Operand::Direction(_) | Operand::Directions(_))) => true,
            (Some(Stands::Bit), Some(Operand::Bit(_))) => true,
            (None, None) => true,
            _ => false,
        }
    }

    /// Reads the body of a function in place of a call.
    pub(super) fn inline(&mut self, index: usize, call: &Call<'_>, inside: bool) -> Result<Value, Mistake> {
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
        let mut values = Vec::new();
        for argument in call.arguments {
            values.push(self.value(argument)?);
        }
        let mut templates = Vec::new();
        for argument in call.templates {
            templates.push(self.value(argument)?);
        }
        self.code.enter()?;
        let scopes = self.scopes_of(index);
        let outer = std::mem::replace(&mut self.scopes, scopes);
        let given = values.into_iter().map(Some).chain(std::iter::repeat(None));
        for (parameter, value) in function.parameters.iter().zip(given) {
            self.bind_parameter(parameter, value);
        }
        let given = templates.into_iter().map(Some).chain(std::iter::repeat(None));
        for (parameter, value) in function.templates.iter().zip(given) {
            self.bind_parameter(parameter, value);
        }
        self.calls.push(index);
        let flow = self.run(function.body.clone(), inside);
        self.calls.pop();
        let used = std::mem::replace(&mut self.scopes, outer).used;
        self.scopes.used.extend(used);
        self.code.leave();
        self.extents.extend(self.extent(function.body.clone()));
        Ok(match flow {
            Flow::Return(value) => held(self.given.outline.functions[index].result, value),
            _ => Value::computed(name, call.span),
        })
    }

    /// Reads a program.
    pub(super) fn whole(&mut self, found: &Found) {
        let range = found.tokens.clone();
        self.calls = self.given.outline.around(range.start);
        self.parameters(range.clone());
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

    fn bind_parameter(&mut self, parameter: &Parameter<'a>, value: Option<Value>) {
        let tokens: &'a [Token<'a>] = &self.given.tokens[parameter.default.clone()];
        let default = || super::dialect::whole(tokens);
        let value = match value {
            Some(value) => Some(value),
            None => default().and_then(|default| evaluate(self, &default).ok()),
        };
        match value {
            Some(value) => self.scopes.argument(parameter, value),
            None => self.scopes.parameter(parameter),
        }
    }

    /// The names in scope at the beginning of a function's body. A lambda also sees those at the call, which are more than
    /// those where it stands.
    fn scopes_of(&mut self, index: usize) -> Scopes<'a> {
        let function = &self.given.outline.functions[index];
        let mut scopes = match function.lambda && !function.program {
            true => self.scopes.clone(),
            false => {
                let given = self.given;
                let walked = self.walked.entry(index).or_insert_with(|| {
                    let mut scopes =
                        Scopes::new(given.target, given.outline, given.survey, &given.reading.host);
                    scopes.walk(given.tokens, function.body.start);
                    scopes
                });
                walked.clone()
            }
        };
        scopes.function(None, &[]);
        scopes
    }

    /// The program that a name stands for: a lambda.
    pub(super) fn program_named(&self, argument: &Expression) -> Option<usize> {
        let crate::syntax::c::Kind::Name(name) = &argument.kind else { return None };
        let functions = &self.given.outline.functions;
        functions.iter().position(|function| function.program && function.name == last(name))
    }

    /// Gives registers that nothing else in the program uses to the parameters of the functions around it.
    pub(super) fn parameters(&mut self, range: std::ops::Range<usize>) {
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
            .filter_map(|word| match self.scopes.meaning(word).map(|meaning| &meaning.value) {
                Some(Value::Operand(register)) => Some(register.clone()),
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

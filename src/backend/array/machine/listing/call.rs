//! Reads calls: instructions, masks, calls that load an image, functions of the source, calls of the host.

use super::context::Names as _;
use super::dialect::Expression;
use super::evaluate::place_of;
use super::lookup::Call;
use super::reader::Reader;
use super::types::{Loaded, MAX_INSTRUCTIONS};
use super::value::{Unknown, Value, is_operand, last};
use crate::algebra::Rational;
use crate::backend::array::machine::descriptor::{Load, RegisterId};
use crate::backend::array::machine::instruction::{Instruction, Operand};
use crate::backend::array::machine::operation::{Access, Transfer};
use crate::syntax::c::{Kind, Mistake};
use crate::syntax::{Diagnostic, Span, closest};

impl<'a> Reader<'a> {
    /// Carries out a call that is a statement.
    pub(super) fn execute(
        &mut self,
        name: &str,
        arguments: &[Expression],
        span: Span,
    ) -> Result<(), Mistake> {
        let call = split(name, arguments, span);
        let forms = &self.given.target.sources;
        let usual = forms.host.usual(last(call.name));
        if let Some(callee) = self.callee(&call)? {
            return self.inline(callee, &call, self.inside).map(drop);
        }
        if self.swaps(&call)? {
            return Ok(());
        }
        if let Some(discarded) = self.same(name, arguments) {
            match discarded.kind {
                Kind::Call(..) => self.execute_expression(discarded),
                _ => drop(self.value(discarded)?),
            }
            return Ok(());
        }
        let is = |names: &[String]| names.contains(&usual);
        let instruction = self.given.target.has_instruction(&usual);
        // A mask that the machine has as an instruction is followed, unless options ignore it.
        let ignored = self.given.reading.assume_all || !instruction;
        if is(&forms.masks) && ignored {
            return self.mask(&usual, span);
        }
        if is(&forms.unmasks) && ignored {
            self.mask = None;
            return Ok(());
        }
        if let Some(effect) = forms.host.effect(&usual) {
            return self.host_call(&usual, effect, &call);
        }
        let known = instruction || forms.loads.iter().any(|load| load.name == usual);
        if !known && let Some((_, what)) = forms.foreign.iter().find(|(n, _)| *n == usual) {
            let message = format!("`{usual}` works on {what}");
            let diagnostic = Diagnostic::error("unreadable", message);
            return self.code.mistake(diagnostic.label(span, "not followed"));
        }
        if self.inside
            && let Some(value) = self.scopes.known(name)
        {
            return self.not_called(&value, span);
        }
        if !known && self.is_of_host(&call, &usual) {
            return self.unknown_call(&call);
        }
        let (usual, arguments) = self.braces(usual, call.arguments);
        let mut operands = Vec::new();
        let mut read = Ok(());
        for argument in &arguments {
            match self.operand(argument) {
                Ok(operand) => operands.push(operand),
                Err(Mistake) => read = Err(Mistake),
            }
        }
        read?;
        let first = self.listing.spans.is_empty() && self.listing.load.is_none();
        match forms.loads.iter().any(|load| load.name == usual) && (first || !instruction) {
            true => self.load(&usual, &operands, span),
            false => self.instruction(&usual, &operands, span),
        }
    }

    /// Whether a name is one of this source or of the machine.
    fn is_declared(&mut self, name: &str) -> bool {
        self.scopes.declares(name)
            || is_operand(self.given.target, last(name))
            || !self.given.outline.parameters_of(last(name)).is_empty()
    }

    /// Reports a call of something that is not known to be a function, or that takes other arguments.
    pub(super) fn not_called<T>(&mut self, value: &Value, span: Span) -> Result<T, Mistake> {
        let what = match value {
            Value::Function(_) => "this call gives a function more or fewer arguments than it takes",
            _ => "which function this calls is not known",
        };
        self.code.unreadable(span, what, "expected a function or a lambda of the source")
    }

    /// Whether a call is one of `std::swap`, which is carried out.
    fn swaps(&mut self, call: &Call<'_>) -> Result<bool, Mistake> {
        let [first, second] = call.arguments else { return Ok(false) };
        if !matches!(call.name, "swap" | "std::swap") {
            return Ok(false);
        }
        let places = place_of(self, first).and_then(|first| Ok((first, place_of(self, second)?)));
        let (Some(first), Some(second)) = self.reported(places)? else { return Ok(false) };
        let memory = &mut self.scopes.memory;
        let (one, other) = (memory.read(&first), memory.read(&second));
        memory.write(&first, other);
        memory.write(&second, one);
        Ok(true)
    }

    /// Whether an unknown call is one of a function that is not in this source: its name is not nearly that of an instruction,
    /// and nothing that it is given is misspelt. In bare instructions there are no such calls.
    fn is_of_host(&mut self, call: &Call<'_>, usual: &str) -> bool {
        if !self.inside || self.given.outline.functions.is_empty() {
            return !self.inside;
        }
        let target = self.given.target;
        let masks = target.sources.masks.iter().chain(&target.sources.unmasks).map(String::as_str);
        if closest(usual, target.instruction_names().chain(masks)).is_some() {
            return false;
        }
        call.arguments.iter().all(|argument| {
            let undeclared = match &argument.kind {
                Kind::Name(name) => !self.is_declared(name),
                _ => false,
            };
            !matches!(argument.kind, Kind::List(_)) && !undeclared
        })
    }

    /// `name({dst, …}, {src, …})` as the operation with this number of destinations.
    fn braces(&self, name: String, arguments: &[Expression]) -> (String, Vec<Expression>) {
        let lists: Vec<&Vec<Expression>> = arguments
            .iter()
            .filter_map(|argument| match &argument.kind {
                Kind::List(values) => Some(values),
                _ => None,
            })
            .collect();
        let primitives = &self.given.target.primitives;
        if lists.len() == arguments.len()
            && let [destinations, _] = lists[..]
            && let Some(operation) =
                primitives.iter().find(|p| p.name.starts_with(&name) && p.destinations == destinations.len())
        {
            return (operation.name.clone(), lists.into_iter().flatten().cloned().collect());
        }
        (name, arguments.to_vec())
    }

    /// Adds an instruction to the program.
    pub(super) fn instruction(
        &mut self,
        name: &str,
        operands: &[(String, Span)],
        span: Span,
    ) -> Result<(), Mistake> {
        let target = self.given.target;
        let texts: Vec<(&str, Span)> = operands.iter().map(|(text, place)| (text.as_str(), *place)).collect();
        match target.resolve(name, &texts, span) {
            Ok(instruction) => self.push(instruction, span),
            Err(mistakes) => {
                for diagnostic in mistakes {
                    let undeclared = texts.iter().find(|(_, place)| *place == diagnostic.place());
                    let help = undeclared.filter(|_| diagnostic.id == "unknown-operand").map(|(text, _)| {
                        let given = format!("--host {text}=VALUE says what it is");
                        diagnostic.help.iter().cloned().chain([given]).collect::<Vec<_>>().join("; ")
                    });
                    let _reported: Result<(), Mistake> = self.code.mistake(diagnostic.help_if(help));
                }
                Ok(())
            }
        }
    }

    fn push(&mut self, instruction: Instruction, span: Span) -> Result<(), Mistake> {
        if self.listing.spans.len() >= MAX_INSTRUCTIONS {
            self.stop();
            let message = format!("the program has more than {MAX_INSTRUCTIONS} instructions");
            return self.code.mistake(Diagnostic::error("too-long", message).label(span, "at this one"));
        }
        self.listing.program.instructions.push(instruction);
        self.listing.spans.push(span);
        self.listing.masked.push(self.mask.is_some());
        Ok(())
    }

    /// An operand: a register, a direction or a number.
    pub(super) fn operand(&mut self, argument: &Expression) -> Result<(String, Span), Mistake> {
        let span = argument.span;
        match self.value(argument)? {
            Value::Number(value) => Ok((value.to_string(), span)),
            Value::Operand(operand) => Ok((operand, span)),
            // The machine says what it has instead.
            Value::Open(unknown) if !self.scopes.declares(&unknown.name) && unknown.named => {
                Ok((last(&unknown.name).to_owned(), span))
            }
            Value::Open(unknown) => {
                self.open_operand(&unknown, span);
                Err(Mistake)
            }
            other => {
                let what = match other {
                    Value::Pointer(_) => "a pointer",
                    Value::Function(_) => "a function",
                    _ => "a list of values",
                };
                let diagnostic = Diagnostic::error("operand-kind", format!("{what} is no operand"));
                self.code.mistake(diagnostic.label(span, "expected a register, a direction or a number"))
            }
        }
    }

    /// Reports a parameter or variable used as an operand.
    fn open_operand(&mut self, unknown: &Unknown, span: Span) {
        let name = &unknown.name;
        if unknown.kind.is_none() && unknown.named && self.given.target.operand(name).is_some() {
            let message = format!("`{name}` is declared in the source and is not the machine's `{name}`");
            let diagnostic = Diagnostic::error("host-value", message);
            let diagnostic = diagnostic.label(span, "used here").label(unknown.place, "declared here");
            let help = format!("--host {name}=VALUE says what it is");
            let _reported: Result<(), Mistake> = self.code.mistake(diagnostic.help(help));
            return;
        }
        self.not_known(unknown, span);
    }

    fn mask(&mut self, name: &str, span: Span) -> Result<(), Mistake> {
        if !self.given.reading.assume_all {
            let message = format!("after `{}` not all elements execute what follows", name);
            let diagnostic = Diagnostic::error("masked", message).label(span, "this depends on the image");
            return self.code.mistake(
                diagnostic.help("with --assume-all the program is read as if every element were chosen"),
            );
        }
        self.mask = Some(span);
        let message = format!("`{}` is taken as choosing every element", name);
        self.listing
            .notes
            .push(Diagnostic::warning("mask-not-followed", message).label(span, "as --assume-all says"));
        Ok(())
    }

    /// A call that loads an image; it must be the first call of the program.
    fn load(&mut self, name: &str, operands: &[(String, Span)], span: Span) -> Result<(), Mistake> {
        if !self.listing.spans.is_empty() || self.listing.load.is_some() {
            let message = format!("`{}` takes a new image inside a program", name);
            let diagnostic = Diagnostic::error("unreadable", message);
            return self.code.mistake(diagnostic.label(span, "only a program's first call may do so"));
        }
        let forms: Vec<&'a Load> =
            self.given.target.sources.loads.iter().filter(|l| l.name == name).collect();
        let Some(form) = forms.iter().find(|form| form.results.len() == operands.len()) else {
            let counts: Vec<String> = forms.iter().map(|form| form.results.len().to_string()).collect();
            let message =
                format!("`{}` takes {} operands, found {}", name, counts.join(" or "), operands.len());
            return self
                .code
                .mistake(Diagnostic::error("operand-count", message).label(span, "in this call"));
        };
        let general = self.given.target.general_registers();
        let mut registers: Vec<RegisterId> = Vec::new();
        for (text, place) in operands {
            match self.given.target.operand(text) {
                Some(Operand::Register(register)) if registers.contains(&register) => {
                    let message = format!("`{}` needs different registers, `{text}` appears twice", name);
                    let diagnostic = Diagnostic::error("distinct-operands", message);
                    return self.code.mistake(diagnostic.label(*place, "for the second time"));
                }
                Some(Operand::Register(register)) if general.contains(&register) => registers.push(register),
                _ => {
                    let message = format!("`{}` needs a register that takes the image", name);
                    return self.code.mistake(
                        Diagnostic::error("operand-kind", message).label(*place, "this is not one"),
                    );
                }
            }
        }
        self.listing.load = Some(loaded(form, registers));
        Ok(())
    }
}

/// The effect of a call that loads an image on these registers.
fn loaded(form: &Load, registers: Vec<RegisterId>) -> Loaded {
    let here = |register| Access { register, offset: [0; 3] };
    let image = registers[form.image];
    let parts = || registers.iter().zip(&form.results).filter(|(register, _)| **register != image);
    let transfer = |(register, factor): (&RegisterId, &Option<Rational>)| {
        factor.map(|factor| Transfer { writes: vec![here(*register)], reads: vec![(here(image), factor)] })
    };
    Loaded {
        register: image,
        transfers: parts().filter_map(transfer).collect(),
        overwritten: parts().map(|(register, _)| *register).chain(form.clobbers.iter().copied()).collect(),
        instruction: Instruction {
            name: form.name.clone(),
            operands: registers.into_iter().map(Operand::Register).collect(),
        },
    }
}

/// A call with its template arguments apart.
pub(super) fn split<'e>(name: &'e str, arguments: &'e [Expression], span: Span) -> Call<'e> {
    match (name.strip_suffix("<>"), arguments) {
        (Some(name), [Expression { kind: Kind::List(templates), .. }, arguments @ ..]) => {
            Call { name, arguments, templates, span }
        }
        _ => Call { name, arguments, templates: &[], span },
    }
}

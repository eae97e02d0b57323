//! Follows calls of the host: those that do what an instruction does, those that leave something that is not known, and those of
//! functions that are not in the source.

use super::evaluate::evaluate;
use super::lookup::Call;
use super::reader::Reader;
use super::value::{Unknown, Value};
use crate::backend::array::machine::effect::Effect;
use crate::backend::array::machine::host_forms::{HostEffect, Stands};
use crate::backend::array::machine::instruction::Operand;
use crate::backend::array::machine::logic::ParameterKind;
use crate::syntax::c::Mistake;
use crate::syntax::{Diagnostic, Span};

impl Reader<'_> {
    /// A call of the host whose effect is known.
    pub(super) fn host_call(
        &mut self,
        name: &str,
        effect: &HostEffect,
        call: &Call<'_>,
    ) -> Result<(), Mistake> {
        if self.bracketed && matches!(effect, HostEffect::Instruction(_) | HostEffect::Unknown(_)) {
            let message = format!(
                "`{name}` is a call of the host: the machine carries it out when this program is recorded; it is read in its place"
            );
            self.note(Diagnostic::warning("host-call-inside", message).label(call.span, "inside a program"));
        }
        match effect {
            HostEffect::Nothing => {
                self.observe(call);
                Ok(())
            }
            HostEffect::Runs(at) => {
                let program =
                    self.argument(call.arguments, *at).and_then(|program| self.program_named(program));
                let Some(program) = program else {
                    let message = format!("the program that `{name}` runs is not in this source");
                    return self.code.unreadable(call.span, message, "expected the name of a lambda");
                };
                let none = Call { name, arguments: &[], templates: &[], span: call.span };
                self.inline(program, &none, true).map(drop)
            }
            HostEffect::Instruction(operands) => self.host_instruction(name, operands, call),
            HostEffect::Unknown(operands) => self.outside(call, operands, "what it does is not described"),
        }
    }

    /// A call of the host that does what an instruction does. If some of its numbers are not known, that is the instruction without
    /// numbers.
    fn host_instruction(&mut self, name: &str, operands: &[usize], call: &Call<'_>) -> Result<(), Mistake> {
        let count = operands.iter().filter(|at| **at < call.arguments.len()).count();
        let (mut texts, mut open) = (Vec::new(), None);
        for (operand, at) in operands.iter().enumerate() {
            let Some(argument) = self.argument(call.arguments, *at).cloned() else { continue };
            let value = self.value(&argument)?;
            let is_number = matches!(value, Value::Number(_));
            match value {
                Value::Open(unknown)
                    if self.is_number(&unknown)
                        || unknown.kind.is_none() && self.takes_number(name, operand, count) =>
                {
                    open.get_or_insert(unknown.name);
                }
                _ => texts.push((is_number, self.operand(&argument)?)),
            }
        }
        texts.retain(|(is_number, _)| open.is_none() || !is_number);
        let texts: Vec<(String, Span)> = texts.into_iter().map(|(_, text)| text).collect();
        let before = self.listing.program.instructions.len();
        self.instruction(name, &texts, call.span)?;
        if let (Some(open), Some(instruction)) = (open, self.listing.program.instructions.get(before)) {
            let target = self.given.target;
            let lost = target.effects(instruction).unwrap_or_default();
            let lost = lost.iter().flat_map(Effect::writes).map(|cell| target.cell_name(cell).to_owned());
            self.note_lost(call, &lost.collect::<Vec<_>>(), &format!("`{open}` is not known"));
        }
        Ok(())
    }

    /// Whether an instruction of `count` operands takes a number as this one: a name that the source does not declare is then one of
    /// another file.
    fn takes_number(&self, name: &str, operand: usize, count: usize) -> bool {
        let own = self
            .given
            .target
            .logic
            .iter()
            .filter(|logic| logic.name == name && logic.operands.len() == count);
        own.filter_map(|logic| logic.operands.get(operand))
            .any(|parameter| matches!(parameter.kind, ParameterKind::Number { .. }))
    }

    /// Notes the registers and bits that a call of the host reads.
    fn observe(&mut self, call: &Call<'_>) {
        let mut cells = Vec::new();
        for argument in call.arguments {
            if let Ok(Value::Operand(name)) = evaluate(self, argument) {
                cells.extend(self.given.target.cell(&name));
            }
        }
        if !cells.is_empty() {
            self.listing.observed.push((self.listing.spans.len(), cells));
        }
    }

    /// Whether what is not known is a number: no parameter for a register, and no misspelt name of one.
    fn is_number(&self, unknown: &Unknown) -> bool {
        unknown.kind.is_none() && (self.scopes.declares(&unknown.name) || !unknown.named)
    }

    /// A call that leaves something that is not known in some of its operands.
    fn outside(&mut self, call: &Call<'_>, operands: &[usize], why: &str) -> Result<(), Mistake> {
        let mut registers = Vec::new();
        for at in operands {
            let Some(argument) = self.argument(call.arguments, *at).cloned() else { continue };
            if let Value::Operand(name) = self.value(&argument)? {
                registers.push((name, argument.span));
            }
        }
        self.lose(call, registers, why)
    }

    /// The given registers take contents that are not known.
    pub(super) fn lose(
        &mut self,
        call: &Call<'_>,
        registers: Vec<(String, Span)>,
        why: &str,
    ) -> Result<(), Mistake> {
        let target = self.given.target;
        let mut named = Vec::new();
        for (stands, instruction) in &target.sources.host.unknown {
            let is = |operand: Operand| match (stands, operand) {
                (Stands::Bit, Operand::Bit(_)) => true,
                (Stands::Register(file), Operand::Register(register)) => target
                    .files
                    .iter()
                    .any(|known| known.name == *file && known.registers.contains(&register)),
                _ => false,
            };
            let own = registers.iter().filter(|(name, _)| target.operand(name).is_some_and(is));
            let mut own: Vec<(String, Span)> = own.cloned().collect();
            own.sort();
            own.dedup_by(|a, b| a.0 == b.0);
            if !own.is_empty() {
                named.extend(own.iter().map(|(name, _)| name.clone()));
                self.instruction(instruction, &own, call.span)?;
            }
        }
        self.note_lost(call, &named, why);
        Ok(())
    }

    /// Notes what a call of the host leaves with contents that are not known.
    fn note_lost(&mut self, call: &Call<'_>, named: &[String], why: &str) {
        let message = match named.is_empty() {
            true => format!("`{}` is passed over: {why}", call.name),
            false => format!("after `{}` nothing is known of {}: {why}", call.name, listed(named)),
        };
        self.note(Diagnostic::warning("from-outside", message).label(call.span, "not followed"));
    }

    /// A call that nothing is known of.
    pub(super) fn unknown_call(&mut self, call: &Call<'_>) -> Result<(), Mistake> {
        let before = self.listing.notes.len();
        let handed = self.hand_over(call);
        self.reported(handed)?;
        if self.listing.notes.len() > before {
            return Ok(());
        }
        let name = call.name;
        if self.inside {
            let message = format!("`{name}` is no instruction and is given no register: it is passed over");
            self.note(Diagnostic::warning("passed-over", message).label(call.span, "not followed"));
        } else if !name.contains(['.', '>']) && !self.unseen.iter().any(|(known, _)| known == name) {
            self.unseen.push((name.to_owned(), call.span));
        }
        Ok(())
    }

    /// Notes the functions that were called and are not in this source.
    pub(super) fn note_unseen(&mut self) {
        let unseen = std::mem::take(&mut self.unseen);
        let Some((_, first)) = unseen.first() else { return };
        let what = if unseen.len() == 1 { "it is" } else { "they are" };
        let names: Vec<String> = unseen.iter().map(|(name, _)| format!("`{name}`")).collect();
        let message =
            format!("not in this source: {}; {what} read as if no register changed", names.join(", "));
        self.note(Diagnostic::warning("unseen-function", message).label(*first, "the first call"));
    }
}

/// Names in words: `A, B and C`.
fn listed(names: &[String]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}

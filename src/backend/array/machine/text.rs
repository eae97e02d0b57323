//! Instructions as text in the vendor's syntax, `name(operand, …);`: prints them, and resolves names and operands.

use std::fmt::Write as _;

use super::descriptor::{DirectionId, FormalKind, Target};
use super::instruction::{Instruction, Operand};
use super::logic::ParameterKind;
use super::operation::Violation;
use super::program::{Definition, Program};
use crate::syntax::c::integer;
use crate::syntax::{Diagnostic, Span, closest};

impl Target {
    /// The operand that a text names; `None` if it is not a register, view, bit, number, direction or set of directions. A set
    /// is a name, or directions joined by `|` or `+`.
    pub fn operand(&self, text: &str) -> Option<Operand> {
        let register = self.register(text).map(Operand::Register);
        let view = || self.view(text).map(Operand::View);
        let direction = || self.direction(text).map(Operand::Direction);
        let bit = || self.bit(text).map(Operand::Bit);
        let number = || {
            let magnitude = text.strip_prefix('-');
            let value = integer(magnitude.unwrap_or(text))?;
            match magnitude {
                Some(_) if value > 0 => value.checked_neg().map(Operand::Number),
                _ => u32::try_from(value).ok().map(Operand::Count),
            }
        };
        let set = || {
            let mut parts = text.split(['|', '+']).map(|part| self.directions_named(part.trim()));
            parts.try_fold(0, |set, part| Some(set | part?)).map(Operand::Directions)
        };
        register.or_else(view).or_else(direction).or_else(bit).or_else(number).or_else(set)
    }

    /// The set of directions that a name stands for: bit d for direction d.
    fn directions_named(&self, name: &str) -> Option<u32> {
        let set = self.direction_sets.iter().find(|set| set.name == name).map(|set| set.set);
        set.or_else(|| self.direction(name).map(|direction| 1 << direction.0))
    }

    /// An operand in the target's syntax.
    pub fn operand_text(&self, operand: Operand) -> String {
        match operand {
            Operand::Register(register) => self.register_name(register).to_owned(),
            Operand::View(view) => self.views[view.0].name.clone(),
            Operand::Direction(direction) => self.directions[direction.0].name.clone(),
            Operand::Directions(set) => {
                if let Some(named) = self.direction_sets.iter().find(|named| named.set == set) {
                    return named.name.clone();
                }
                let own = (0..self.directions.len()).filter(|d| set >> d & 1 == 1);
                own.map(|d| self.directions[d].name.as_str()).collect::<Vec<_>>().join("|")
            }
            Operand::Bit(bit) => self.bit_name(bit).to_owned(),
            Operand::Count(count) => count.to_string(),
            Operand::Number(number) => number.to_string(),
        }
    }

    /// An instruction in the target's syntax, without a semicolon.
    pub fn instruction_text(&self, instruction: &Instruction) -> String {
        let operands: Vec<String> = instruction.operands.iter().map(|o| self.operand_text(*o)).collect();
        format!("{}({})", instruction.name, operands.join(", "))
    }

    /// The kind of a macro's operand, in words.
    pub(super) fn kind_text(&self, kind: FormalKind) -> String {
        match kind {
            FormalKind::Register { file, .. } => {
                let file = &self.files[file];
                let names: Vec<&str> = file.registers.iter().map(|r| self.register_name(*r)).collect();
                format!("one of the registers {}", names.join(" "))
            }
            FormalKind::Direction => {
                let names: Vec<&str> = self.directions.iter().map(|d| d.name.as_str()).collect();
                format!("one of the directions {}", names.join(" "))
            }
            FormalKind::Count(least, most) => format!("a number from {least} to {most}"),
        }
    }

    /// A program in the target's syntax, one instruction per line, between the calls that begin and end a kernel.
    pub fn print(&self, program: &Program) -> String {
        let mut text = format!("{}();\n", self.brackets[0]);
        for instruction in &program.instructions {
            // Writing to a string cannot fail.
            let _written = writeln!(text, "{};", self.instruction_text(instruction));
        }
        text + &self.brackets[1] + "();\n"
    }

    /// The instruction with this name and these operands, given as texts with their places.
    ///
    /// # Errors
    /// Every operand that the target does not have; otherwise the error in the instruction at `span`.
    pub(super) fn resolve(
        &self,
        name: &str,
        operands: &[(&str, Span)],
        span: Span,
    ) -> Result<Instruction, Vec<Diagnostic>> {
        let found: Vec<Result<Operand, Diagnostic>> =
            operands.iter().map(|(text, place)| self.operand_at(text, *place)).collect();
        let wrong: Vec<Diagnostic> = found.iter().filter_map(|f| f.as_ref().err().cloned()).collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut instruction =
            Instruction { name: name.to_owned(), operands: found.into_iter().flatten().collect() };
        self.name_directions(&mut instruction);
        match self.check_shape(&instruction) {
            Ok(()) => Ok(instruction),
            Err(violation) => Err(vec![self.explain(&violation, operands, span)]),
        }
    }

    /// Replaces numbers by the directions that they stand for where an instruction takes directions.
    fn name_directions(&self, instruction: &mut Instruction) {
        let directions: Vec<bool> = match self.definition(instruction) {
            Ok(Definition::Macro(template)) => {
                template.operands.iter().map(|formal| formal.kind == FormalKind::Direction).collect()
            }
            Ok(Definition::Logic(logic)) => {
                logic.operands.iter().map(|parameter| parameter.kind == ParameterKind::Directions).collect()
            }
            _ => return,
        };
        for (operand, takes) in instruction.operands.iter_mut().zip(directions) {
            let Some(set) = self.direction_set(*operand).filter(|_| takes) else { continue };
            let only = (0..self.directions.len()).find(|d| set == 1 << d);
            *operand = only.map_or(Operand::Directions(set), |d| Operand::Direction(DirectionId(d)));
        }
    }

    /// The number that sources may use for a direction or a set of directions.
    pub fn direction_number(&self, name: &str) -> Option<u32> {
        let set = self.directions_named(name)?;
        let numbers = self.sources.numbers.iter().filter(|(direction, _)| set >> direction.0 & 1 == 1);
        let number = numbers.fold(0, |sum, (_, number)| sum | number);
        (number != 0).then_some(number)
    }

    fn operand_at(&self, text: &str, place: Span) -> Result<Operand, Diagnostic> {
        self.operand(text).ok_or_else(|| {
            let message = format!("`{text}` is not a register, view or direction of `{}`", self.name);
            let registers = self.registers.iter().map(|r| r.name.as_str());
            let views = self.views.iter().map(|v| v.name.as_str());
            let bits = self.bits.iter().map(|bit| bit.name.as_str());
            let sets = self.direction_sets.iter().map(|set| set.name.as_str());
            let known: Vec<&str> = registers
                .chain(views)
                .chain(self.directions.iter().map(|d| d.name.as_str()))
                .chain(sets)
                .chain(bits)
                .collect();
            let help = closest(text, known.iter().copied()).map(|n| format!("did you mean `{n}`?"));
            let label = format!("expected one of {}", known.join(" "));
            Diagnostic::error("unknown-operand", message).label(place, label).help_if(help)
        })
    }

    /// A violation as a diagnostic, at the operand concerned if there is one.
    fn explain(&self, violation: &Violation, operands: &[(&str, Span)], span: Span) -> Diagnostic {
        let message = violation.to_string();
        match violation {
            Violation::UnknownInstruction { name, .. } => {
                let known = self.primitives.iter().map(|p| &p.name);
                let known = known
                    .chain(self.macros.iter().map(|m| &m.name))
                    .chain(self.logic.iter().map(|l| &l.name));
                let known = known.map(String::as_str);
                let help = closest(name, known).map(|n| format!("did you mean `{n}`?"));
                Diagnostic::error(violation.rule(), message).label(span, "not an instruction").help_if(help)
            }
            Violation::OperandKind { position, expected, .. } => {
                let place = operands.get(position - 1).map_or(span, |(_, place)| *place);
                Diagnostic::error(violation.rule(), message).label(place, format!("expected {expected}"))
            }
            _ => Diagnostic::error(violation.rule(), message).label(span, "in this instruction"),
        }
    }
}

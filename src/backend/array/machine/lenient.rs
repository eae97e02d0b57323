//! Instructions on a machine without operand rules, such as the simulators of other compilers: all operands are read before
//! any is written.

use super::descriptor::{FormalKind, RegisterId, Target};
use super::instruction::{Instruction, Operand};
use super::operation::{Access, Transfer, Violation};
use super::program::{Definition, Program};
use crate::algebra::Rational;

/// Instructions, by index, each with a rule that it breaks.
pub type Broken = Vec<(usize, Violation)>;

impl Program {
    /// The meaning of each instruction, and those that have only a `lenient` one, because their operands are not allowed.
    ///
    /// # Errors
    /// The instructions that are unknown or not allowed, each with the first rule that it breaks.
    pub fn meanings<T>(
        &self,
        target: &Target,
        meaning: impl Fn(&Instruction) -> Result<T, Violation>,
        lenient: Option<impl Fn(&Instruction) -> Result<T, Violation>>,
    ) -> Result<(Vec<T>, Broken), Broken> {
        let (mut meanings, mut allowed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for (index, instruction) in self.instructions.iter().enumerate() {
            let own = match (target.check_instruction(instruction), &lenient) {
                (Ok(()), _) => meaning(instruction),
                (Err(violation), Some(lenient)) if violation.is_operand_rule() => {
                    allowed.push((index, violation));
                    lenient(instruction)
                }
                (Err(violation), _) => Err(violation),
            };
            match own {
                Ok(own) => meanings.push(own),
                Err(violation) => refused.push((index, violation)),
            }
        }
        if refused.is_empty() { Ok((meanings, allowed)) } else { Err(refused) }
    }
}

impl Target {
    /// The number of registers that [`Target::lenient_transfers`] may use: the machine's own, and one for each operand of the
    /// macro with the most operands.
    pub fn lenient_registers(&self) -> usize {
        self.registers.len() + self.macros.iter().map(|m| m.operands.len()).max().unwrap_or(0)
    }

    /// The transfers of an instruction whose operands may share a register. A macro works on copies of its operands in
    /// registers beyond the machine's, and its results are copied back at the end. An instruction that obeys the operand rules
    /// has the same effect as with [`Target::transfers`].
    ///
    /// # Errors
    /// Those of [`Target::transfers`], and [`Violation::WrittenTwice`] if two results share a register, because no order of writes is
    /// right.
    pub fn lenient_transfers(&self, instruction: &Instruction) -> Result<Vec<Transfer>, Violation> {
        let twice = |register: RegisterId| Violation::WrittenTwice {
            operation: self.instruction_text(instruction),
            register: self.register_name(register).to_owned(),
        };
        let template = match self.definition(instruction)? {
            Definition::Primitive(_) => {
                let transfers = self.transfers(instruction)?;
                for transfer in &transfers {
                    if let Some(register) = repeated(transfer.writes.iter().map(|w| w.register)) {
                        return Err(twice(register));
                    }
                }
                return Ok(transfers);
            }
            Definition::Macro(template) => template,
            Definition::Logic(_) => return self.transfers(instruction),
        };
        self.check_kinds(template, instruction)?;
        let mut copies = instruction.operands.clone();
        let (mut transfers, mut back, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (formal, operand)) in template.operands.iter().zip(&instruction.operands).enumerate() {
            let (FormalKind::Register { reads, writes, .. }, Operand::Register(register)) =
                (formal.kind, *operand)
            else {
                continue;
            };
            let copy = RegisterId(self.registers.len() + index);
            copies[index] = Operand::Register(copy);
            if reads {
                transfers.push(moved(copy, register));
            }
            if writes {
                back.push(moved(register, copy));
                results.push(register);
            }
        }
        if let Some(register) = repeated(results.into_iter()) {
            return Err(twice(register));
        }
        let mut operations = Vec::new();
        self.expand_into(&template.expansion, &copies, &mut operations);
        for operation in &operations {
            transfers.push(self.transfer(self.primitive_of(operation), operation)?);
        }
        transfers.extend(back);
        Ok(transfers)
    }
}

/// `to := from`, exactly.
fn moved(to: RegisterId, from: RegisterId) -> Transfer {
    let here = |register| Access { register, offset: [0; 3] };
    Transfer { writes: vec![here(to)], reads: vec![(here(from), Rational::ONE)] }
}

/// The first repeated register.
fn repeated(registers: impl Iterator<Item = RegisterId>) -> Option<RegisterId> {
    let mut seen = Vec::new();
    for register in registers {
        if seen.contains(&register) {
            return Some(register);
        }
        seen.push(register);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::{State, Value, builtin_names};
    use crate::syntax::Source;

    /// The contents of a register after an instruction of the first built-in target, as text over register channels.
    fn left(text: &str, register: &str) -> Result<String, &'static str> {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let instruction = target.parse(&Source::new("test", text)).unwrap().program.instructions.remove(0);
        let transfers = target.lenient_transfers(&instruction).map_err(|violation| violation.rule())?;
        let mut state = State::identity(target.lenient_registers());
        state.apply_all(&transfers);
        let value = state.value(target.register(register).unwrap()).clone();
        assert!(matches!(value, Value::Known(_)));
        Ok(value.to_string())
    }

    #[test]
    fn shared_registers_are_read_before_they_are_written() {
        assert_eq!(left("add(A, A, A);", "A").unwrap(), "2·#0(0, 0)");
        assert_eq!(left("neg(A, A);", "A").unwrap(), "-1·#0(0, 0)");
        assert_eq!(left("divq(B, B);", "B").unwrap(), "1/2·#1(0, 0)");
        assert_eq!(left("sub(A, B, A);", "A").unwrap(), "-1·#0(0, 0) + 1·#1(0, 0)");
        assert_eq!(left("bus(A, A, A);", "A").unwrap(), "-2·#0(0, 0)");
        assert_eq!(left("movx(B, A, east);", "B").unwrap(), "1·#0(1, 0)");
    }

    #[test]
    fn two_results_in_one_register_have_no_meaning() {
        assert_eq!(left("div(A, A, B);", "A"), Err("one-writer"));
        assert_eq!(left("bus2(A, A, B);", "A"), Err("one-writer"));
    }
}

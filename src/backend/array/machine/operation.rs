//! One primitive operation with its operands chosen: its reads and writes, and whether the machine allows it.

use thiserror::Error;

use super::descriptor::{Primitive, RegisterId, Target};
use super::ids::Cell;
use super::instruction::{Instruction, Operand};
use crate::algebra::{Offset, Rational};

/// A register as one operation sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The register.
    pub register: RegisterId,
    /// A source reads the value at p + offset. A destination p receives the value computed at p + offset.
    pub offset: Offset,
}

/// A register transfer, the effect of a primitive operation: every write := Σ weight · read. All reads precede all writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The registers written, all different.
    pub writes: Vec<Access>,
    /// The registers read, with their factors.
    pub reads: Vec<(Access, Rational)>,
}

impl Transfer {
    /// Whether it stays within each element.
    pub fn is_local(&self) -> bool {
        let mut places = self.writes.iter().chain(self.reads.iter().map(|(read, _)| read));
        places.all(|access| access.offset == [0; 3])
    }

    /// The registers that it reads.
    pub fn sources(&self) -> Vec<Cell> {
        self.reads.iter().map(|(read, _)| Cell::Register(read.register)).collect()
    }
}

/// Why the target does not accept an instruction. Operations are quoted in the target's syntax.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Violation {
    /// No instruction has this name.
    #[error("no instruction of `{target}` is called `{name}`")]
    UnknownInstruction {
        /// The target's name.
        target: String,
        /// The unknown name.
        name: String,
    },
    /// The number of operands is wrong.
    #[error("`{name}` takes {expected} operands, found {found}")]
    OperandCount {
        /// The instruction.
        name: String,
        /// The accepted numbers, in words.
        expected: String,
        /// The number found.
        found: usize,
    },
    /// An operand is of the wrong kind.
    #[error("operand {position} of `{name}` must be {expected}, found `{found}`")]
    OperandKind {
        /// The instruction.
        name: String,
        /// The operand's position, counted from one.
        position: usize,
        /// The accepted kinds, in words.
        expected: String,
        /// The operand found.
        found: String,
    },
    /// The rule `each-operand-once` is broken.
    #[error("`{operand}` appears twice in `{operation}`: a register may appear only once in one operation")]
    RepeatedOperand {
        /// The operation.
        operation: String,
        /// The operand.
        operand: String,
    },
    /// The rule `written-not-read` is broken.
    #[error("`{operation}` reads `{operand}` while it writes `{register}`")]
    ReadsWritten {
        /// The operation.
        operation: String,
        /// The source.
        operand: String,
        /// The register written.
        register: String,
    },
    /// A register is written twice.
    #[error("`{operation}` writes `{register}` twice")]
    WrittenTwice {
        /// The operation.
        operation: String,
        /// The register.
        register: String,
    },
    /// An operand shares a register with another one or with the own steps of the instruction, which changes a result.
    #[error(
        "`{instruction}` does not leave its stated result in `{register}`, because an operand shares its register with another one or with its own steps"
    )]
    ChangedByAlias {
        /// The instruction.
        instruction: String,
        /// The register whose value differs.
        register: String,
    },
    /// A linear instruction was needed.
    #[error("`{operation}` is not a linear function of analogue registers")]
    NotLinear {
        /// The instruction.
        operation: String,
    },
    /// An operand that programs cannot write is a destination.
    #[error("`{operation}` writes `{operand}`, which can only be read")]
    WritesSource {
        /// The operation.
        operation: String,
        /// The operand.
        operand: String,
    },
    /// A violation in an operation that a macro stands for.
    #[error("{cause} (in the expansion of `{instruction}`)")]
    InExpansion {
        /// The macro.
        instruction: String,
        /// The violation.
        cause: Box<Violation>,
    },
}

impl Violation {
    /// The name of the broken rule, for reports and tests.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::UnknownInstruction { .. } => "unknown-instruction",
            Self::OperandCount { .. } => "operand-count",
            Self::OperandKind { .. } => "operand-kind",
            Self::RepeatedOperand { .. } => "each-operand-once",
            Self::ReadsWritten { .. } => "written-not-read",
            Self::WrittenTwice { .. } => "one-writer",
            Self::ChangedByAlias { .. } => "changed-by-alias",
            Self::NotLinear { .. } => "not-linear",
            Self::WritesSource { .. } => "writes-source",
            Self::InExpansion { cause, .. } => cause.rule(),
        }
    }

    /// Whether the instruction still has a meaning: its operands have the right kinds, but share a register against the rules of
    /// the machine. Other simulators execute such code.
    pub fn is_operand_rule(&self) -> bool {
        match self {
            Self::UnknownInstruction { .. }
            | Self::OperandCount { .. }
            | Self::OperandKind { .. }
            | Self::NotLinear { .. }
            | Self::WritesSource { .. } => false,
            Self::InExpansion { cause, .. } => cause.is_operand_rule(),
            _ => true,
        }
    }
}

impl Target {
    /// The reads and writes of a primitive operation, whether or not it obeys the operand rules.
    ///
    /// # Errors
    /// A [`Violation`] if the number or the kind of the operands is wrong.
    pub fn transfer(&self, primitive: &Primitive, operation: &Instruction) -> Result<Transfer, Violation> {
        let [least, most] = primitive.sources;
        let sources = operation.operands.len().checked_sub(primitive.destinations);
        let Some(sources) = sources.filter(|n| (least..=most).contains(n)) else {
            let (from, to) = (primitive.destinations + least, primitive.destinations + most);
            return Err(Violation::OperandCount {
                name: operation.name.clone(),
                expected: if from == to { from.to_string() } else { format!("{from} to {to}") },
                found: operation.operands.len(),
            });
        };
        let access = |index: usize, writes: bool| match operation.operands[index] {
            Operand::Register(register) => Ok(Access { register, offset: [0; 3] }),
            Operand::View(view) => {
                let seen = self.view_offset(view);
                // A write through a view goes to that neighbour, so the value that arrives here comes from the opposite one.
                let offset = if writes { seen.map(|o| -o) } else { seen };
                Ok(Access { register: self.views[view.0].register, offset })
            }
            _ => Err(Violation::OperandKind {
                name: operation.name.clone(),
                position: index + 1,
                expected: "a register or a view".to_owned(),
                found: self.operand_text(operation.operands[index]),
            }),
        };
        let writes: Vec<Access> =
            (0..primitive.destinations).map(|i| access(i, true)).collect::<Result<_, _>>()?;
        if let Some(index) = writes.iter().position(|write| self.given(write.register).is_some()) {
            return Err(Violation::WritesSource {
                operation: self.instruction_text(operation),
                operand: self.operand_text(operation.operands[index]),
            });
        }
        let reads = (0..sources)
            .map(|i| Ok((access(primitive.destinations + i, false)?, primitive.weight(i))))
            .collect::<Result<_, _>>()?;
        Ok(Transfer { writes, reads })
    }

    /// Checks that `operation`, with the effect `transfer`, obeys the target's operand rules.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check_operands(&self, operation: &Instruction, transfer: &Transfer) -> Result<(), Violation> {
        let quote = || self.instruction_text(operation);
        let text = |index: usize| self.operand_text(operation.operands[index]);
        let operands = &operation.operands;
        let twice = (1..operands.len()).find(|i| operands[..*i].contains(&operands[*i]));
        if let Some(index) = twice.filter(|_| self.operand_rules.each_operand_once) {
            return Err(Violation::RepeatedOperand { operation: quote(), operand: text(index) });
        }
        for (index, write) in transfer.writes.iter().enumerate() {
            let register = || self.register_name(write.register).to_owned();
            if transfer.writes[..index].iter().any(|w| w.register == write.register) {
                return Err(Violation::WrittenTwice { operation: quote(), register: register() });
            }
            let read = transfer.reads.iter().position(|(read, _)| read.register == write.register);
            if let Some(source) = read.filter(|_| self.operand_rules.written_not_read) {
                let operand = text(transfer.writes.len() + source);
                return Err(Violation::ReadsWritten { operation: quote(), operand, register: register() });
            }
        }
        Ok(())
    }
}

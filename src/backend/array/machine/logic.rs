//! One-bit registers, and the instructions whose meaning is more than a linear function of registers, as a descriptor states
//! them: Boolean terms over bits and their neighbours, comparisons with zero, and values that nothing exact is known of.

use super::ids::{BitId, DirectionId, RegisterId, ViewId};
use super::instruction::Operand;

/// One bit in every element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bit {
    /// Its name in the target's syntax.
    pub name: String,
    /// Further names.
    pub aliases: Vec<String>,
    /// What may write it.
    pub kind: BitKind,
    /// The bit that must be 1 in an element for a write to take effect there.
    pub gate: Option<BitId>,
}

/// The kinds of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitKind {
    /// A register, which may be an operand that is written.
    Register,
    /// The flag: analogue registers are written only in elements where it is 1. It is 1 everywhere at the start.
    Flag,
    /// A source that is set from outside.
    Given,
}

/// An instruction that is not a linear function of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logic {
    /// Its name in the target's syntax; several instructions of one name differ in the number of their operands, or in the kind of one.
    pub name: String,
    /// Its operands, in the order in which they are written. Only the last may stand for several.
    pub operands: Vec<Parameter>,
    /// What it does, step by step.
    pub steps: Vec<Step>,
    /// Stated final values of operands, by index: they must hold whatever operands share a register.
    pub means: Vec<(usize, Term)>,
}

impl Logic {
    /// The least and the greatest number of operands.
    pub fn operand_count(&self) -> [usize; 2] {
        let several = self.operands.last().and_then(|last| last.kind.count());
        let others = self.operands.len() - usize::from(several.is_some());
        several.map_or([others; 2], |count| count.map(|n| others + n))
    }
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name that steps and terms use.
    pub name: String,
    /// What it may be.
    pub kind: ParameterKind,
}

/// What an operand may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Bits: registers if they are written, otherwise also the flag and what is set from outside.
    Bit {
        /// Whether it is written.
        writes: bool,
        /// For an operand that stands for several: how many.
        count: Option<[usize; 2]>,
    },
    /// Analogue registers.
    Register {
        /// The register file; `None` for whatever an operation may read, views of neighbours included.
        file: Option<usize>,
        /// For an operand that stands for several: how many.
        count: Option<[usize; 2]>,
    },
    /// A set of directions.
    Directions,
    /// A whole number within these bounds.
    Number(i64, i64),
}

impl ParameterKind {
    /// For an operand that stands for several: how many.
    pub fn count(self) -> Option<[usize; 2]> {
        match self {
            Self::Bit { count, .. } | Self::Register { count, .. } => count,
            Self::Directions | Self::Number(..) => None,
        }
    }
}

/// One step of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Another instruction.
    Call {
        /// Its name.
        name: String,
        /// Its operands.
        operands: Vec<StepOperand>,
    },
    /// All bits take their terms' values at the same time.
    Set {
        /// The bits and their terms.
        sets: Vec<(BitRef, Term)>,
        /// Whether it is repeated, and whether a bit may be read and written.
        how: SetKind,
        /// The cost.
        cycles: u32,
    },
    /// A register takes the number given as an operand; where, [`Effect::Number`](super::effect::Effect::Number) says.
    Number {
        /// The register.
        register: StepOperand,
        /// The operand that holds the number.
        number: usize,
    },
    /// Registers and bits, other than the instruction's digital results, are left with values that are not specified.
    Lost(Vec<StepOperand>),
    /// Registers are left with the result of an analogue process that no exact rule describes.
    Inexact {
        /// What it is, in words.
        what: String,
        /// The registers.
        registers: Vec<StepOperand>,
        /// The cost: a number of cycles, and further ones for each unit of a number given as an operand.
        cycles: (u32, Option<(u32, usize)>),
    },
    /// The step that a number given as an operand selects, counted from its least value.
    Choose {
        /// The operand.
        number: usize,
        /// The steps.
        among: Vec<Step>,
    },
    /// Nothing, for a number of cycles.
    Wait(u32),
}

/// How bits are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetKind {
    /// Once, in one operation of the machine: no bit may be read and written.
    Once,
    /// Once, by operations that are not stated.
    Update,
    /// Again and again, until nothing changes.
    Flood,
}

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOperand {
    /// An operand of the instruction, by index.
    Formal(usize),
    /// A part of the machine.
    Fixed(Operand),
}

/// A bit of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitRef {
    /// An operand of the instruction, by index.
    Formal(usize),
    /// A bit of the machine.
    Fixed(BitId),
}

/// An analogue source of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceRef {
    /// An operand of the instruction, by index.
    Formal(usize),
    /// A register of the machine.
    Register(RegisterId),
    /// A view of the machine.
    View(ViewId),
}

/// A Boolean term over an instruction's operands. An operand that stands for several stands for each of them in `And`, `Or` and
/// `Positive`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// 0 or 1.
    Constant(bool),
    /// A bit of this element.
    Bit(BitRef),
    /// The neighbour's bit in a direction; this value beyond the edge of the array.
    At(BitRef, DirectionId, bool),
    /// Whether the set of directions given as this operand has the direction.
    Has(usize, DirectionId),
    /// Whether the sum of the sources is greater than 0.
    Positive(Vec<SourceRef>),
    /// The opposite.
    Not(Box<Term>),
    /// Whether all are 1.
    And(Vec<Term>),
    /// Whether one is 1.
    Or(Vec<Term>),
}

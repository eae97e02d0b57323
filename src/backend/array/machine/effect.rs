//! What an instruction does to registers and bits: exact effects, or values that nothing exact is known of.

use super::ids::{BitId, Cell, RegisterId};
use super::operation::{Access, Transfer};
use crate::algebra::Offset;

/// One effect of an instruction. Everything is read before anything is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A linear function of analogue registers. Writes take effect in elements where the flag is 1.
    Transfer(Transfer),
    /// Bits take the values of formulas; a bit with a gate only where its gate is 1.
    Bits {
        /// The bits, all different, and their formulas.
        sets: Vec<(BitId, Formula)>,
        /// Whether this is repeated until no bit changes.
        flood: bool,
    },
    /// A register takes a number where the flag is 1; a source that is set from outside, in every element.
    Number {
        /// The register.
        register: RegisterId,
        /// The number.
        value: i64,
    },
    /// Registers and bits are left with values that nothing exact is known of; registers only where the flag is 1.
    Unknown {
        /// The registers.
        registers: Vec<RegisterId>,
        /// The bits.
        bits: Vec<BitId>,
        /// Why.
        cause: Cause,
    },
}

/// Why nothing exact is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The machine's documentation does not say what the instruction leaves there.
    Unspecified,
    /// An analogue process that no exact rule describes, in words.
    Inexact(String),
}

/// A Boolean function of the bits and registers of an element and its neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// 0 or 1.
    Constant(bool),
    /// A bit at an offset.
    Bit {
        /// The bit.
        bit: BitId,
        /// Where it is read.
        offset: Offset,
        /// Its value beyond the edge of the array.
        beyond: bool,
    },
    /// Whether the sum of these registers is greater than 0.
    Positive(Vec<Access>),
    /// The opposite.
    Not(Box<Formula>),
    /// Whether all are 1.
    And(Vec<Formula>),
    /// Whether one is 1.
    Or(Vec<Formula>),
}

impl Effect {
    /// The formula whose value it gives a bit.
    pub fn formula(&self, bit: Option<BitId>) -> Option<&Formula> {
        let Self::Bits { sets, .. } = self else { return None };
        sets.iter().find(|(set, _)| Some(*set) == bit).map(|(_, formula)| formula)
    }

    /// What it reads, besides the flag and gates.
    pub fn reads(&self) -> Vec<Cell> {
        match self {
            Self::Transfer(transfer) => transfer.sources(),
            Self::Bits { sets, .. } => sets.iter().flat_map(|(_, formula)| formula.reads()).collect(),
            Self::Number { .. } | Self::Unknown { .. } => Vec::new(),
        }
    }

    /// What it writes.
    pub fn writes(&self) -> Vec<Cell> {
        match self {
            Self::Transfer(transfer) => {
                transfer.writes.iter().map(|write| Cell::Register(write.register)).collect()
            }
            Self::Bits { sets, .. } => sets.iter().map(|(bit, _)| Cell::Bit(*bit)).collect(),
            Self::Number { register, .. } => vec![Cell::Register(*register)],
            Self::Unknown { registers, bits, .. } => {
                let bits = bits.iter().map(|bit| Cell::Bit(*bit));
                registers.iter().map(|register| Cell::Register(*register)).chain(bits).collect()
            }
        }
    }
}

impl Formula {
    /// The registers and bits that it reads.
    pub fn reads(&self) -> Vec<Cell> {
        match self {
            Self::Constant(_) => Vec::new(),
            Self::Bit { bit, .. } => vec![Cell::Bit(*bit)],
            Self::Positive(sources) => sources.iter().map(|source| Cell::Register(source.register)).collect(),
            Self::Not(inner) => inner.reads(),
            Self::And(terms) | Self::Or(terms) => terms.iter().flat_map(Self::reads).collect(),
        }
    }
}

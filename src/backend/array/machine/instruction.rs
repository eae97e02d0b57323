//! Instructions with their operands, as written.

use super::ids::{BitId, Cell, DirectionId, RegisterId, ViewId};

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operand {
    /// A register.
    Register(RegisterId),
    /// A neighbour's register.
    View(ViewId),
    /// A direction.
    Direction(DirectionId),
    /// A set of directions: bit d for direction d.
    Directions(u32),
    /// A bit of the machine.
    Bit(BitId),
    /// A number.
    Count(u32),
    /// A number below 0.
    Number(i64),
}

impl Operand {
    /// The register or bit that it names; none for a neighbour's register.
    pub fn cell(self) -> Option<Cell> {
        match self {
            Self::Register(register) => Some(Cell::Register(register)),
            Self::Bit(bit) => Some(Cell::Bit(bit)),
            _ => None,
        }
    }
}

/// One instruction. [`check_instruction`](super::Target::check_instruction) checks whether the target has it and allows these operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instruction {
    /// Its name in the target's syntax.
    pub name: String,
    /// Its operands in source order.
    pub operands: Vec<Operand>,
}

//! Instructions with their operands, as written.

use super::descriptor::{DirectionId, RegisterId, ViewId};

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Operand {
    /// A register.
    Register(RegisterId),
    /// A neighbour's register.
    View(ViewId),
    /// A direction.
    Direction(DirectionId),
    /// A number.
    Count(u32),
}

/// One instruction. Whether the target has it, and allows these operands, is for [`check_instruction`](super::Target::check_instruction) to say.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instruction {
    /// Its name in the target's syntax.
    pub name: String,
    /// Its operands in the order in which they are written.
    pub operands: Vec<Operand>,
}

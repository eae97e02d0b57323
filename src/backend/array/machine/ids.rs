//! The numbers by which the parts of a target are referred to.

/// A register of a target: an index into [`Target::registers`](super::Target::registers).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegisterId(pub usize);

/// A neighbour view of a target: an index into [`Target::views`](super::Target::views).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ViewId(pub usize);

/// A direction of a target: an index into [`Target::directions`](super::Target::directions).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DirectionId(pub usize);

/// A one-bit register or source of a target: an index into [`Target::bits`](super::Target::bits).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BitId(pub usize);

/// What holds one value in every element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Cell {
    /// An analogue register.
    Register(RegisterId),
    /// A bit.
    Bit(BitId),
}

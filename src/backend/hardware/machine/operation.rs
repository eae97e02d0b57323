//! What cells compute.

use crate::pipeline::Comparison;

/// The factor of a summand: plus or minus a power of two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Factor {
    /// Whether the summand is subtracted.
    pub negative: bool,
    /// The exponent of two.
    pub shift: u32,
}

/// What a cell computes. All values are integers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Operation {
    /// A pixel of the input with this number.
    Input(usize),
    /// The sum of one or two operands, each with a factor.
    Sum(Vec<Factor>),
    /// The product of two operands.
    Product,
    /// ⌊a / 2^n⌋.
    ShiftRight(u32),
    /// ⌊a / b⌋, where b is positive.
    Quotient,
    /// The absolute value.
    Absolute,
    /// The lesser of two.
    Minimum,
    /// The greater of two.
    Maximum,
    /// 1 if the comparison holds, otherwise 0.
    Compare(Comparison),
    /// The second operand where the first is 1, otherwise the third.
    Select,
    /// An entry of a table.
    Table {
        /// The index of the first entry.
        first: i64,
        /// The entries.
        values: Vec<i64>,
    },
    /// The integer of so many bits, signed or not, that is equal modulo 2^bits.
    Wrap(u32, bool),
}

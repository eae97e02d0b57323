//! What cells compute.

use crate::algebra::Choice;
use crate::pipeline::Comparison;

/// The factor of a summand: plus or minus a power of two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Factor {
    /// Whether the summand is subtracted.
    pub negative: bool,
    /// The exponent of two.
    pub shift: u32,
}

/// What is made of values one after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Since {
    /// The first stays.
    First,
    /// Their sum.
    Sum,
    /// The least or the greatest.
    Extreme(Choice),
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
    /// ⌊√a⌋, where a is not negative.
    Root,
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
    /// The integer of this number of bits, signed or not, that is equal modulo 2^bits.
    Wrap(u32, bool),
    /// Of the operands behind the first, the one whose number the first operand is.
    Choose {
        /// The number of the second operand.
        first: i64,
    },
    /// The operand of the place in the raster: number (row / t mod q) · p + (column / s mod p).
    Interleave {
        /// The operands in a row, p, and the rows of operands, q.
        phases: [u32; 2],
        /// The columns and rows of a phase, s and t.
        step: [u32; 2],
    },
    /// What is made of the values of the operand since the present period of columns or rows began.
    Along {
        /// 0 for columns, from west to east, 1 for rows, from north to south.
        axis: usize,
        /// The columns or rows of a period.
        period: u32,
        /// What is made of them.
        since: Since,
    },
    /// The least or the greatest value of the operand from here to the end of the present period. The operand is read two periods later
    /// in the raster ([`Self::later`]): a period is kept and read from its end, and what that gives is kept and read from its end.
    Until {
        /// 0 for columns, from west to east, 1 for rows, from north to south.
        axis: usize,
        /// The columns or rows of a period.
        period: u32,
        /// Which value.
        choice: Choice,
    },
    /// The sum of `length` pixels of an operand, of which this is the last that comes in: the sum before, and the first operand without the
    /// second, which is `length` pixels older. At the beginning of a frame the sum before is zero, and so is what
    /// left.
    Running {
        /// 0 for columns, from west to east, 1 for rows, from north to south.
        axis: usize,
        /// The pixels.
        length: u32,
    },
}

impl Operation {
    /// The columns and rows after which the operation is the same, 1 where it does not depend on the place.
    pub fn period(&self) -> [u32; 2] {
        match self {
            Self::Interleave { phases, step } => [phases[0] * step[0], phases[1] * step[1]],
            Self::Along { axis: 0, period, .. } | Self::Until { axis: 0, period, .. } => [*period, 1],
            Self::Along { period, .. } | Self::Until { period, .. } => [1, *period],
            _ => [1, 1],
        }
    }

    /// The axis along which the operation reads its own result for the pixel before.
    pub fn goes_along(&self) -> Option<usize> {
        match self {
            Self::Along { axis, .. } | Self::Running { axis, .. } => Some(*axis),
            _ => None,
        }
    }

    /// The places of the memories of [`Self::Until`], for rows of this many pixels: two periods, and what was found last in each column.
    pub fn places(&self, row: usize) -> u64 {
        match self {
            Self::Until { axis: 0, period, .. } => 2 * u64::from(*period) + 1,
            Self::Until { period, .. } => (2 * u64::from(*period) + 1) * row as u64,
            _ => 0,
        }
    }

    /// The offset, east and north, at which the operand of [`Self::Until`] is read for the value at its own place.
    pub fn later(axis: usize, period: u32) -> [i32; 2] {
        let later = 2 * period as i32;
        if axis == 0 { [later, 0] } else { [0, -later] }
    }

    /// The number of the operand that stands at a column and row.
    pub fn phase(&self, place: [i64; 2]) -> usize {
        let Self::Interleave { phases, step } = self else { return 0 };
        let [x, y] = [0, 1]
            .map(|axis| place[axis].div_euclid(step[axis].into()).rem_euclid(phases[axis].into()) as usize);
        y * phases[0] as usize + x
    }
}

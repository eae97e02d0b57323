//! The loops of a convolution and the types of its elements.

use std::fmt;

/// A dimension of a convolution: a loop over outputs (`x y z k`) or a reduction loop (`r s t c`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dim {
    /// Columns of the output, or of the input where a layout has `X'`.
    X,
    /// Rows.
    Y,
    /// Planes of a volume.
    Z,
    /// Output channels.
    K,
    /// Columns of the filter.
    R,
    /// Rows of the filter.
    S,
    /// Planes of the filter.
    T,
    /// Input channels.
    C,
}

impl Dim {
    /// The loops over outputs.
    pub const OUTPUT: [Self; 4] = [Self::X, Self::Y, Self::Z, Self::K];
    /// The reduction loops.
    pub const REDUCTION: [Self; 4] = [Self::R, Self::S, Self::T, Self::C];
    /// All dimensions.
    pub const ALL: [Self; 8] = [Self::X, Self::Y, Self::Z, Self::K, Self::R, Self::S, Self::T, Self::C];

    /// Returns the dimension of a lower-case name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dim| dim.name() == name)
    }

    /// The index in [`Dim::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
            Self::K => "k",
            Self::R => "r",
            Self::S => "s",
            Self::T => "t",
            Self::C => "c",
        }
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The type of tensor elements: two's-complement integers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Element {
    /// 8 bits.
    Int8,
    /// 16 bits.
    Int16,
    /// 32 bits.
    Int32,
}

impl Element {
    /// All types.
    pub const ALL: [Self; 3] = [Self::Int8, Self::Int16, Self::Int32];

    /// Returns the element type of a name such as `int16`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// The name, such as `int16`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
        }
    }

    /// The value of the greatest magnitude that does not fit the type, or `None` if all fit.
    pub fn beyond(self, values: &[i64]) -> Option<i64> {
        let [least, greatest] = self.range();
        let outside = values.iter().copied().filter(|value| !(least..=greatest).contains(value));
        outside.max_by_key(|value| value.unsigned_abs())
    }

    /// The width in bits.
    pub fn bits(self) -> usize {
        match self {
            Self::Int8 => 8,
            Self::Int16 => 16,
            Self::Int32 => 32,
        }
    }

    /// The width in bytes.
    pub fn bytes(self) -> usize {
        self.bits() / 8
    }

    /// The least and the greatest value.
    pub fn range(self) -> [i64; 2] {
        let half = 1i64 << (self.bits() - 1);
        [-half, half - 1]
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

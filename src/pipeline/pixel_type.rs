//! Types of pixels: integers of 1 to 64 bits, and single precision.

use std::fmt;

/// The type of an input, a stage or an output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PixelType {
    /// Integers in two's complement.
    Integer {
        /// The number of bits, 1 to 64.
        bits: u32,
        /// Whether there are negative values.
        signed: bool,
    },
    /// IEEE 754 single precision.
    Float32,
}

impl PixelType {
    /// Unsigned 8-bit integers.
    pub const UINT8: Self = Self::Integer { bits: 8, signed: false };

    /// The type of this name: `float32`, or `uintN` or `intN` with N from 1 to 64.
    pub fn named(name: &str) -> Option<Self> {
        if name == "float32" {
            return Some(Self::Float32);
        }
        let (signed, digits) = match name.strip_prefix("uint") {
            Some(digits) => (false, digits),
            None => (true, name.strip_prefix("int")?),
        };
        let plain =
            !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        let bits = digits.parse().ok().filter(|bits| plain && (1..=64).contains(bits))?;
        Some(Self::Integer { bits, signed })
    }

    /// The least and the greatest integer; `None` for single precision.
    pub fn limits(self) -> Option<[i128; 2]> {
        match self {
            Self::Integer { bits, signed: true } => Some([-(1 << (bits - 1)), (1 << (bits - 1)) - 1]),
            Self::Integer { bits, signed: false } => Some([0, (1 << bits) - 1]),
            Self::Float32 => None,
        }
    }

    /// Whether the type holds all integers from `least` to `greatest`. Single precision holds those up to 2^24.
    pub fn holds(self, least: i128, greatest: i128) -> bool {
        let [low, high] = self.limits().unwrap_or([-(1 << 24), 1 << 24]);
        low <= least && greatest <= high
    }

    /// The narrowest type of 8, 16, 32 or 64 bits that holds `least` to `greatest`.
    pub fn holding(least: i128, greatest: i128) -> Option<Self> {
        let signed = least < 0;
        let types = [8, 16, 32, 64].map(|bits| Self::Integer { bits, signed });
        types.into_iter().find(|of| of.holds(least, greatest))
    }

    /// The number of bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Integer { bits, .. } => bits,
            Self::Float32 => 32,
        }
    }
}

impl fmt::Display for PixelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { bits, signed } => write!(f, "{}int{bits}", if *signed { "" } else { "u" }),
            Self::Float32 => f.write_str("float32"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_as_they_print_and_hold_their_limits() {
        for name in ["uint1", "uint8", "int10", "int16", "uint64", "int64", "float32"] {
            assert_eq!(PixelType::named(name).unwrap().to_string(), name);
        }
        for name in ["uint0", "uint65", "int", "uint08", "int+8", "float64", "uint8x"] {
            assert_eq!(PixelType::named(name), None, "{name}");
        }
        let [low, high] = PixelType::named("int64").unwrap().limits().unwrap();
        assert_eq!((low, high), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!(PixelType::holding(-1, 127).unwrap().to_string(), "int8");
        assert_eq!(PixelType::holding(0, 256).unwrap().to_string(), "uint16");
        assert_eq!(PixelType::holding(-1, 1 << 63), None);
    }
}

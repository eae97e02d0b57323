//! Pixel types, borders of the image, and the treatment of results that do not fit.

use crate::pipeline::Border as Continuation;

/// The type of a pixel: two's-complement integers, or single precision.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pixel {
    /// The number of bits: 8, 16 or 32. A value within a pipeline may have 64, with a sign.
    pub bits: u32,
    /// Whether there are negative values.
    pub signed: bool,
    /// Whether values are of single precision.
    pub float: bool,
}

impl Pixel {
    /// Unsigned 8-bit integers.
    pub const UINT8: Self = Self { bits: 8, signed: false, float: false };
    /// Single precision.
    pub const FLOAT32: Self = Self { bits: 32, signed: true, float: true };

    /// All types, by name.
    pub const ALL: [(&'static str, Self); 7] = [
        ("uint8", Self::UINT8),
        ("int8", Self { bits: 8, signed: true, float: false }),
        ("uint16", Self { bits: 16, signed: false, float: false }),
        ("int16", Self { bits: 16, signed: true, float: false }),
        ("uint32", Self { bits: 32, signed: false, float: false }),
        ("int32", Self { bits: 32, signed: true, float: false }),
        ("float32", Self::FLOAT32),
    ];

    /// Returns the type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, pixel)| *pixel)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, pixel)| *pixel == self).map_or("", |(name, _)| name)
    }

    /// The least and the greatest integer of the type. For single precision, those of 32-bit integers.
    pub fn range(self) -> [i64; 2] {
        if self.signed {
            [i64::MIN, i64::MAX].map(|end| end >> (i64::BITS - self.bits))
        } else {
            [0, (1 << self.bits) - 1]
        }
    }

    /// The type of infinite sums over such pixels. It has 32 bits, because they are kept modulo 2^32.
    pub fn of_tables(self) -> Self {
        if self.bits == 32 { self } else { Self { bits: 32, signed: true, float: false } }
    }

    /// The storage of values of the type.
    pub fn storage(self) -> Storage {
        Storage { bits: self.bits, signed: self.signed, float: self.float }
    }
}

/// The storage of the values of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Storage {
    /// The number of bits: 8, 16, 32 or 64.
    pub bits: u32,
    /// Whether there are negative values.
    pub signed: bool,
    /// Whether values are of single or double precision.
    pub float: bool,
}

impl Storage {
    /// Double precision: the storage of steps on single-precision pixels if there are recurrences, which accumulate errors.
    pub const DOUBLE: Self = Self { bits: 64, signed: true, float: true };

    /// The narrowest integers that hold `least` to `greatest`, or `None` if 64 bits are not enough.
    pub fn holding(least: i128, greatest: i128) -> Option<Self> {
        let signed = least < 0;
        let bits = [8, 16, 32, 64].into_iter().find(|bits| {
            let reach = 1i128 << (bits - u32::from(signed));
            greatest < reach && (!signed || least >= -reach)
        })?;
        Some(Self { bits, signed, float: false })
    }

    /// The number of bytes of a value.
    pub fn bytes(self) -> u64 {
        u64::from(self.bits / 8)
    }
}

/// The values read beyond the image, by OpenCV's names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Border {
    /// None: only pixels whose whole neighbourhood is in the image have a result, so results are smaller.
    Valid,
    /// Zeros: `000|abcd|000`.
    Zero,
    /// The nearest pixel: `aaa|abcd|ddd`.
    Replicate,
    /// Reflection at the edge: `cba|abcd|dcb`.
    Reflect,
    /// Reflection at the outermost pixel: `dcb|abcd|cba`.
    Reflect101,
    /// The other side of the image, as on a torus: `bcd|abcd|abc`.
    Wrap,
}

impl Border {
    /// All borders, by name.
    pub const ALL: [(&'static str, Self); 6] = [
        ("valid", Self::Valid),
        ("zero", Self::Zero),
        ("replicate", Self::Replicate),
        ("reflect", Self::Reflect),
        ("reflect101", Self::Reflect101),
        ("wrap", Self::Wrap),
    ];

    /// Returns the border of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, border)| *border)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, border)| *border == self).map_or("", |(name, _)| name)
    }

    /// How an image is continued by its own pixels; `None` if it is not.
    pub(in crate::backend::scan) fn continuation(self) -> Option<Continuation> {
        match self {
            Self::Valid | Self::Zero => None,
            Self::Replicate => Some(Continuation::Replicate),
            Self::Reflect => Some(Continuation::Reflect),
            Self::Reflect101 => Some(Continuation::Reflect101),
            Self::Wrap => Some(Continuation::Wrap),
        }
    }
}

/// The treatment of results that do not fit the pixel type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Overflow {
    /// Takes the nearest value of the type.
    Saturate,
    /// Drops the upper bits.
    Wrap,
}

impl Overflow {
    /// All modes, by name.
    pub const ALL: [(&'static str, Self); 2] = [("saturate", Self::Saturate), ("wrap", Self::Wrap)];

    /// Returns the mode of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(n, _)| *n == name).map(|(_, overflow)| *overflow)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, overflow)| *overflow == self).map_or("", |(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_storage_is_taken() {
        let held = |low, high| Storage::holding(low, high).map(|s| (s.bits, s.signed));
        assert_eq!(held(0, 255), Some((8, false)));
        assert_eq!(held(0, 256), Some((16, false)));
        assert_eq!(held(-1, 127), Some((8, true)));
        assert_eq!(held(-129, 0), Some((16, true)));
        assert_eq!(held(-1, 1 << 31), Some((64, true)));
        assert_eq!(held(-1, 1 << 63), None);
    }

    #[test]
    fn names_lead_back() {
        for (name, pixel) in Pixel::ALL {
            assert_eq!((Pixel::named(name), pixel.name()), (Some(pixel), name));
        }
        for (name, border) in Border::ALL {
            assert_eq!((Border::named(name), border.name()), (Some(border), name));
        }
        assert_eq!(Pixel::named("int16").unwrap().range(), [-32768, 32767]);
        assert_eq!(Overflow::named("wrap").unwrap().name(), "wrap");
    }
}

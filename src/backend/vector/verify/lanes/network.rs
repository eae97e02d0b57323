//! Lane selection of every multiplying intrinsic that is read: which elements the lanes and columns multiply.
//!
//! What the data operand of 32 and 16 bits takes is said in `target::vliw::Selection`. The coefficients of 16 bits are
//! picked freely, those of 8 bits in pairs; see UG1078, "Multiply accumulate", and UG1079, "MAC intrinsics".

use crate::backend::vector::machine::{Selection, Square};

/// A family of multiplying intrinsics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Family {
    /// Lanes of the accumulator.
    pub(super) lanes: usize,
    /// Whether its lanes have 80 bits, not 48.
    pub(super) long: bool,
    /// Whether it begins a sum.
    pub(super) begins: bool,
    /// Whether products are subtracted.
    pub(super) negative: bool,
    /// With a pre-adder, whether it subtracts.
    pub(super) pre_adder: Option<bool>,
}

impl Family {
    /// The family of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let (stem, pre_adder) = match (name.strip_suffix("_antisym"), name.strip_suffix("_sym")) {
            (Some(stem), _) => (stem, Some(true)),
            (_, Some(stem)) => (stem, Some(false)),
            _ => (name, None),
        };
        let end = stem.find(|c: char| c.is_ascii_digit())?;
        let lanes = match &stem[end..] {
            "4" => 4,
            "8" => 8,
            "16" => 16,
            _ => return None,
        };
        let (long, verb) = match stem[..end].strip_prefix('l') {
            Some(verb) => (true, verb),
            None => (false, &stem[..end]),
        };
        let (begins, negative) = match verb {
            "mul" => (true, false),
            "negmul" => (true, true),
            "mac" => (false, false),
            "msc" => (false, true),
            _ => return None,
        };
        Some(Self { lanes, long, begins, negative, pre_adder })
    }

    /// How its operands are selected, for elements of so many bits; `None` where that is not known.
    pub(super) fn network(self, x_bits: usize, z_bits: usize) -> Option<Network> {
        let network = match (self.lanes, self.long, x_bits, z_bits) {
            (16, false, 16, 16) => Network::Pairs { columns: 2 },
            (8, false, 16, 16) => Network::Pairs { columns: 4 },
            (16, false, 8, 8) => Network::Bytes,
            (16, false, 16, 8) => Network::Mixed,
            (16, false, 32, 16) => Network::Words { columns: 1 },
            (8, true, 32, 32) => Network::Words { columns: 1 },
            (8, true, 32, 16) | (4, true, 32, 32) => Network::Words { columns: 2 },
            _ => return None,
        };
        let pre_adds = matches!(
            (network, self.lanes),
            (Network::Words { columns: 1 }, 8) | (Network::Pairs { columns: 2 }, _)
        );
        (self.pre_adder.is_none() || pre_adds).then_some(network)
    }
}

/// A way to select operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Network {
    /// Every lane picks an element; columns lie a step apart.
    Words {
        /// Products that a lane sums.
        columns: usize,
    },
    /// Pairs of lanes pick pairs of elements, and a square hands them out; pairs of columns lie a step apart.
    Pairs {
        /// Products that a lane sums.
        columns: usize,
    },
    /// Four lanes pick two groups of four bytes; 16 lanes, 8 columns.
    Bytes,
    /// Data of 16 bits as in pairs, coefficients of 8 bits; 16 lanes, 4 columns.
    Mixed,
}

/// The settings of a selection, as the intrinsics take them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) start: i64,
    pub(super) offsets: u64,
    pub(super) step: i64,
    pub(super) square: u16,
}

fn nibble(word: u64, at: usize) -> i64 {
    (word >> (4 * at) & 15) as i64
}

fn wrap(place: i64, length: usize) -> usize {
    place.rem_euclid(length as i64) as usize
}

impl Network {
    /// Products that a lane sums.
    pub(super) fn columns(self) -> usize {
        match self {
            Self::Words { columns } | Self::Pairs { columns } => columns,
            Self::Bytes => 8,
            Self::Mixed => 4,
        }
    }

    /// The multiple at which data must start.
    pub(super) fn granule(self) -> i64 {
        match self {
            Self::Words { .. } => 1,
            Self::Pairs { .. } | Self::Mixed => 2,
            Self::Bytes => 4,
        }
    }

    /// The place that a lane and column take in a data register of `length` elements.
    pub(super) fn data(self, set: &Setting, length: usize, lane: usize, column: usize) -> usize {
        let moved = |by: i64| wrap(set.start.wrapping_add(by.wrapping_mul(set.step)), length);
        match self {
            Self::Words { .. } => Selection {
                start: moved(column as i64),
                offsets: set.offsets,
                step: None,
                square: None,
                unit: 1,
            }
            .place(length, lane, 0),
            Self::Pairs { .. } | Self::Mixed => {
                let square = Some(Square(set.square));
                let start = moved(column as i64 / 2);
                Selection { start, offsets: set.offsets, step: None, square, unit: 1 }.place(
                    length,
                    lane,
                    column % 2,
                )
            }
            Self::Bytes => {
                // The same network; what it moves are pairs of bytes that feed two lanes next to each other.
                let (group, half, byte) = (lane / 4, lane % 4 / 2, lane % 2);
                let first = moved(column as i64 / 2) as i64 + 4 * nibble(set.offsets, 2 * group);
                let second = first + 4 * (nibble(set.offsets, 2 * group + 1) + 1);
                let unit = nibble(set.square.into(), 2 * half + column % 2);
                let base = if unit < 2 { first + 2 * unit } else { second + 2 * (unit - 2) };
                wrap(base + byte as i64, length)
            }
        }
    }

    /// The place that a lane and column take in a coefficient register of `length` elements.
    pub(super) fn coefficient(self, set: &Setting, length: usize, lane: usize, column: usize) -> usize {
        match self {
            Self::Words { .. } | Self::Pairs { .. } => {
                let steps = (column as i64).wrapping_mul(set.step);
                wrap(set.start.wrapping_add(nibble(set.offsets, lane)).wrapping_add(steps), length)
            }
            Self::Bytes | Self::Mixed => {
                // Two lanes, or four, pick two pairs of bytes.
                let group = if self == Self::Mixed { lane / 2 } else { lane / 4 };
                let base = set.start.wrapping_add((column as i64 / 2).wrapping_mul(set.step));
                let unit = nibble(set.square.into(), 2 * (lane % 2) + column % 2);
                let word = nibble(set.offsets, 2 * group + usize::from(unit >= 2));
                wrap(base.wrapping_add(2 * word + unit % 2), length)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_done() {
        let family = |name| Family::named(name).unwrap();
        assert!(family("mul16").begins && !family("mac16").begins);
        assert_eq!(
            family("lmsc8_antisym"),
            Family { lanes: 8, long: true, begins: false, negative: true, pre_adder: Some(true) }
        );
        for name in ["mac", "mac32", "fpmac8", "lmac8_sym_ct", "mac16_max", "16", "l8"] {
            assert_eq!(Family::named(name), None, "{name}");
        }
        assert_eq!(family("mac8_sym").network(16, 16), None);
        assert_eq!(family("mac16").network(16, 8), Some(Network::Mixed));
        assert_eq!(family("mac16_sym").network(16, 8), None);
    }

    #[test]
    fn four_columns_slide_by_pairs() {
        let network = Family::named("mac8").unwrap().network(16, 16).unwrap();
        let set = Setting { start: 4, offsets: 0x0302_0100, step: 2, square: 0x2110 };
        for lane in 0..8 {
            for column in 0..4 {
                assert_eq!(network.data(&set, 32, lane, column), 4 + lane + column);
            }
        }
    }

    #[test]
    fn pairs_of_bytes_are_coefficients_of_two_pairs_of_columns() {
        let network = Network::Mixed;
        let x = Setting { start: 2, offsets: 0x0706_0504_0302_0100, step: 2, square: 0x2110 };
        let z = Setting { start: 4, offsets: 0, step: 2, square: 0x1010 };
        for (lane, column) in (0..16).flat_map(|lane| (0..4).map(move |column| (lane, column))) {
            assert_eq!(network.data(&x, 32, lane, column), 2 + lane + column);
            assert_eq!(network.coefficient(&z, 32, lane, column), 4 + column);
        }
    }

    /// The products of two 8-bit matrices, as UG1079 shows them: 2×8 times 8×8.
    #[test]
    fn bytes_multiply_matrices() {
        let network = Network::Bytes;
        let x = Setting { start: 0, offsets: 0x1110_1110, step: 16, square: 0x3120 };
        let z = Setting { start: 0, offsets: 0x4444_0000, step: 2, square: 0x3210 };
        for lane in 0..16 {
            let (row, column) = (lane / 8, lane % 8);
            let mut found: Vec<_> = (0..8)
                .map(|c| (network.data(&x, 64, lane, c), network.coefficient(&z, 32, lane, c)))
                .collect();
            found.sort_unstable();
            let expected: Vec<_> = (0..8).map(|k| (8 * k + column, 8 * row + k)).collect();
            assert_eq!(found, expected, "lane {lane}");
        }
    }
}

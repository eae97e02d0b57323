//! Lane selection: the elements that the lanes and columns of a multiplying intrinsic take, by the selections that the
//! descriptor declares. See UG1078, "Multiply accumulate", and UG1079, "MAC intrinsics".

use crate::backend::vector::machine::{CoefficientSelection, DataSelection, Selection, Square};

/// The settings of a selection, as operands of the intrinsics.
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

/// The multiple at which data must start.
pub(super) fn granule(selection: DataSelection) -> i64 {
    match selection {
        DataSelection::Each => 1,
        DataSelection::Granules { unit } => 2 * unit as i64,
    }
}

/// The place that a lane and column take in a data register of `length` elements.
pub(super) fn data_place(
    selection: DataSelection,
    set: &Setting,
    length: usize,
    lane: usize,
    column: usize,
) -> usize {
    let (steps, square, unit) = match selection {
        DataSelection::Each => (column, None, 1),
        DataSelection::Granules { unit } => (column / 2, Some(Square(set.square)), unit),
    };
    let start = wrap(set.start.wrapping_add((steps as i64).wrapping_mul(set.step)), length);
    let moved = Selection { start, offsets: set.offsets, step: None, square, unit };
    moved.place(length, lane, column % 2)
}

/// The place that a lane and column take in a coefficient register of `length` elements.
pub(super) fn coefficient_place(
    selection: CoefficientSelection,
    set: &Setting,
    length: usize,
    lane: usize,
    column: usize,
) -> usize {
    let stepped = |steps: usize| set.start.wrapping_add((steps as i64).wrapping_mul(set.step));
    let place = match selection {
        CoefficientSelection::Each => stepped(column).wrapping_add(nibble(set.offsets, lane)),
        CoefficientSelection::Pairs { lanes } => {
            let unit = nibble(set.square.into(), 2 * (lane % 2) + column % 2);
            let pair = nibble(set.offsets, 2 * (lane / lanes) + usize::from(unit >= 2));
            stepped(column / 2).wrapping_add(2 * pair + unit % 2)
        }
    };
    wrap(place, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_columns_slide_by_pairs() {
        let pairs = DataSelection::Granules { unit: 1 };
        let set = Setting { start: 4, offsets: 0x0302_0100, step: 2, square: 0x2110 };
        for lane in 0..8 {
            for column in 0..4 {
                assert_eq!(data_place(pairs, &set, 32, lane, column), 4 + lane + column);
            }
        }
    }

    #[test]
    fn pairs_of_bytes_are_coefficients_of_two_pairs_of_columns() {
        let (data, coefficients) =
            (DataSelection::Granules { unit: 1 }, CoefficientSelection::Pairs { lanes: 2 });
        let x = Setting { start: 2, offsets: 0x0706_0504_0302_0100, step: 2, square: 0x2110 };
        let z = Setting { start: 4, offsets: 0, step: 2, square: 0x1010 };
        for (lane, column) in (0..16).flat_map(|lane| (0..4).map(move |column| (lane, column))) {
            assert_eq!(data_place(data, &x, 32, lane, column), 2 + lane + column);
            assert_eq!(coefficient_place(coefficients, &z, 32, lane, column), 4 + column);
        }
    }

    /// The product of two 8-bit matrices, as in UG1079: 2×8 times 8×8.
    #[test]
    fn bytes_multiply_matrices() {
        let (data, coefficients) =
            (DataSelection::Granules { unit: 2 }, CoefficientSelection::Pairs { lanes: 4 });
        let x = Setting { start: 0, offsets: 0x1110_1110, step: 16, square: 0x3120 };
        let z = Setting { start: 0, offsets: 0x4444_0000, step: 2, square: 0x3210 };
        for lane in 0..16 {
            let (row, column) = (lane / 8, lane % 8);
            let mut found: Vec<_> = (0..8)
                .map(|c| {
                    (data_place(data, &x, 64, lane, c), coefficient_place(coefficients, &z, 32, lane, c))
                })
                .collect();
            found.sort_unstable();
            let expected: Vec<_> = (0..8).map(|k| (8 * k + column, 8 * row + k)).collect();
            assert_eq!(found, expected, "lane {lane}");
        }
    }
}

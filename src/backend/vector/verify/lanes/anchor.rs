//! The input element under the first output, if the user does not give it: the one that brings the outputs nearest to the filter.

use std::collections::BTreeMap;

use super::picture::Taps;
use crate::algebra::{Offset, Rational};

/// An expected tap: channel, offset, coefficient.
pub(super) type Wanted = (u16, Offset, Rational);

/// The translation that maps most of the wanted taps to found ones, and their number. Taps match if their coefficients
/// are equal or the found one is unknown. Of equals, the shortest translation.
pub(super) fn nearest(wanted: &[Wanted], found: &Taps) -> (Offset, usize) {
    let mut moves: Vec<Offset> = Vec::new();
    for (channel, [x, y, z], (weight, factor)) in found {
        let same = |tap: &&Wanted| tap.0 == *channel && (weight.is_some() || tap.2 == *factor);
        moves.extend(
            wanted
                .iter()
                .filter(same)
                .map(|(_, [u, v, w], _)| [x.saturating_sub(*u), y.saturating_sub(*v), z.saturating_sub(*w)]),
        );
    }
    moves.sort_unstable();
    let length = |[x, y, z]: Offset| [x, y, z].map(|n| i64::from(n).abs()).iter().sum::<i64>();
    let counted = moves.chunk_by(|a, b| a == b).map(|same| (same[0], same.len()));
    counted.min_by_key(|(by, count)| (std::cmp::Reverse(*count), length(*by))).unwrap_or(([0; 3], 0))
}

/// The translation that brings most of the given outputs nearest to the wanted taps.
pub(super) fn common(wanted: &[Wanted], outputs: impl Iterator<Item = Taps>) -> Offset {
    let mut counts: BTreeMap<Offset, usize> = BTreeMap::new();
    for taps in outputs {
        *counts.entry(nearest(wanted, &taps).0).or_insert(0) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or([0; 3], |(by, _)| by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::vector::verify::lanes::Symbol;

    fn tap(x: i32, y: i32, value: i64) -> Wanted {
        (0, [x, y, 0], Rational::integer(value))
    }

    #[test]
    fn most_taps_decide_and_unknown_ones_stand_anywhere() {
        let wanted = [tap(-1, 0, 1), tap(0, 0, 2), tap(1, 0, 3)];
        let found = |taps: &[Wanted]| -> Taps {
            taps.iter().map(|(channel, offset, value)| (*channel, *offset, (None, *value))).collect()
        };
        // The last one has another coefficient.
        let moved = found(&[tap(6, -2, 1), tap(7, -2, 2), tap(8, -2, 4)]);
        assert_eq!(nearest(&wanted, &moved), ([7, -2, 0], 2));
        assert_eq!(nearest(&wanted, &found(&[tap(0, 0, 9)])), ([0; 3], 0));
        let weights: Taps = (0..4)
            .map(|x| (0, [x, 1, 0], (Some(Symbol { array: 0, index: i64::from(x) }), Rational::ONE)))
            .collect();
        assert_eq!(nearest(&wanted, &weights), ([1, 1, 0], 3));
        let outputs = [moved.clone(), weights, moved];
        assert_eq!(common(&wanted, outputs.into_iter()), [7, -2, 0]);
    }
}

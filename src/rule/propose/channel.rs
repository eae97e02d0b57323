//! Kernels that read one of several channels.

use crate::algebra::{Placed, Rational, Shape};
use crate::budget::Budget;
use crate::term::Decomposition;

/// K = (from c k): a kernel that reads one channel is a plain kernel after that channel, shared with the other channels.
pub(super) fn channels(shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
    if most == 0 || shape.channels() == 1 || !budget.spend(2 * shape.dense().len() as u64) {
        return Vec::new();
    }
    of_channel(shape).into_iter().collect()
}

fn of_channel(shape: &Shape) -> Option<Decomposition> {
    let (channel, ..) = shape.taps().next()?;
    if shape.tap_count() < 2 || shape.taps().any(|(other, ..)| other != channel) {
        return None;
    }
    let taps: Vec<_> = shape.taps().map(|(_, at, tap)| (0, at, Rational::integer(tap))).collect();
    let Placed { label, shape: outer } = Placed::from_taps(1, &taps)?;
    let inner = Shape::delta(channel, shape.channels());
    Some(Decomposition::Compose { label, outer, inner })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(taps: &[i64]) -> Vec<Decomposition> {
        let size = [taps.len() / 2, 1, 1];
        let kernel = Placed::from_dense(2, [0; 3], size, taps, Rational::ONE).unwrap();
        channels(&kernel.shape, 8, &Budget::unlimited())
    }

    #[test]
    fn one_channel_is_read_by_a_plain_kernel() {
        let plain = Placed::from_dense(1, [0; 3], [2, 1, 1], &[1, 3], Rational::ONE).unwrap().shape;
        let [Decomposition::Compose { outer, inner, .. }] = &of(&[0, 0, 1, 3])[..] else {
            panic!("a composition")
        };
        assert_eq!((outer, inner), (&plain, &Shape::delta(1, 2)));
        assert!(of(&[1, 3, 1, 0]).is_empty(), "it reads both");
        assert!(of(&[1, 0, 0, 0]).is_empty(), "a single tap is the channel itself");
    }
}

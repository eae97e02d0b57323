//! A dense window of integer taps on which proposers decompose kernels.

use crate::algebra::approximate::digit_count;
use crate::algebra::{Label, Offset, Placed, Rational, Shape, place};
use crate::term::Decomposition;

/// Integer taps over x × y × z × channel, with room for arithmetic. Places outside the window read as zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Grid {
    pub(super) size: [usize; 3],
    pub(super) channels: u16,
    pub(super) taps: Vec<i64>,
}

impl Grid {
    pub(super) fn of(shape: &Shape) -> Self {
        Self { size: shape.size().map(usize::from), channels: shape.channels(), taps: shape.dense().to_vec() }
    }

    pub(super) fn empty_like(other: &Self) -> Self {
        Self { taps: vec![0; other.taps.len()], ..other.clone() }
    }

    /// The channel and offset at an index in storage order.
    pub(super) fn place(&self, index: usize) -> (usize, Offset) {
        let ([x, y, z], depth) = (place(self.size, index), self.size[2]);
        (z / depth, [x, y, z % depth].map(|at| at as i32))
    }

    /// The storage index of a place if it is inside the window.
    pub(super) fn index(&self, channel: usize, at: Offset) -> Option<usize> {
        let [w, h, d] = self.size;
        let inside = (0..3).all(|axis| at[axis] >= 0 && (at[axis] as usize) < self.size[axis]);
        inside.then(|| ((channel * d + at[2] as usize) * h + at[1] as usize) * w + at[0] as usize)
    }

    /// The work of one pass over all places.
    pub(super) fn work(&self) -> u64 {
        self.taps.len() as u64
    }

    pub(super) fn l1(&self) -> i64 {
        self.taps.iter().fold(0, |sum, t| sum.saturating_add(t.saturating_abs()))
    }

    pub(super) fn is_zero(&self) -> bool {
        self.taps.iter().all(|t| *t == 0)
    }

    /// The kernel in the window, with the first place of the window at the origin.
    pub(super) fn placed(&self) -> Option<Placed> {
        Placed::from_dense(self.channels, [0; 3], self.size, &self.taps, Rational::ONE)
    }
}

/// A small single-channel pattern: offsets with integer weights.
pub(super) type Pattern = [(Offset, i64)];

/// The decomposition `pattern ∘ quotient + rest`; zero parts are left out.
pub(super) fn pattern_sum(
    pattern: &Pattern,
    quotient: &Placed,
    rest: Option<&Placed>,
) -> Option<Decomposition> {
    let mut terms = Vec::with_capacity(pattern.len() + 1);
    for (offset, weight) in pattern {
        let label = quotient.label.then(Label::new(Rational::integer(*weight), *offset))?;
        terms.push((label, quotient.shape.clone()));
    }
    if let Some(rest) = rest.filter(|r| !r.shape.is_zero()) {
        terms.push((rest.label, rest.shape.clone()));
    }
    Some(Decomposition::Sum(terms))
}

/// The measure by which parts must shrink: the number of non-zero taps, then the sum of absolute coefficients, then the
/// size of the box.
pub(super) fn measure(shape: &Shape) -> (usize, i64, usize) {
    (shape.tap_count(), shape.l1(), shape.size().iter().map(|n| usize::from(*n)).sum())
}

/// A target-independent estimate of the additions of a kernel, for ranking proposals: its signed digits, less what taps of
/// equal weight can share.
pub(super) fn weight(shape: &Shape) -> i64 {
    shape.taps().map(|(_, _, t)| 2 + 2 * i64::from(digit_count(t))).sum()
}

/// The best proposals so far without duplicates, ordered by the total `weight` of their distinct parts. Proposals whose
/// parts do not shrink are dropped.
pub(super) struct Best {
    bound: (usize, i64, usize),
    most: usize,
    kept: Vec<(i64, Decomposition)>,
}

impl Best {
    /// An empty list for at most `most` proposals for `shape`.
    pub(super) fn of(shape: &Shape, most: usize) -> Self {
        Self { bound: measure(shape), most, kept: Vec::new() }
    }

    /// The proposals, best first.
    pub(super) fn into_decompositions(self) -> Vec<Decomposition> {
        self.kept.into_iter().map(|(_, decomposition)| decomposition).collect()
    }
}

impl Extend<Decomposition> for Best {
    fn extend<T: IntoIterator<Item = Decomposition>>(&mut self, found: T) {
        for decomposition in found {
            let mut parts = decomposition.parts();
            if parts.iter().any(|part| measure(part) >= self.bound) {
                continue;
            }
            let terms = parts.len() as i64;
            parts.sort();
            parts.dedup();
            let keyed = (parts.into_iter().map(weight).sum::<i64>() + terms, decomposition);
            if let Err(at) = self.kept.binary_search(&keyed) {
                self.kept.insert(at, keyed);
                self.kept.truncate(self.most);
            }
        }
    }
}

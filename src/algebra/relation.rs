//! The relation between a found kernel and the expected one.

use super::{Label, Offset, Placed, Rational};

/// The relation between a found and an expected kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// The kernels are equal.
    Equal,
    /// The found kernel equals the expected one after this translation and factor, at least one of which is not
    /// trivial.
    UpTo(Label),
    /// The kernels differ at these places, in the order channel, z, y, x.
    Different(Vec<Mismatch>),
    /// A coefficient does not fit in 64 bits.
    Undecided,
}

impl Relation {
    /// The relation of `found` to `expected`, both over the same channels.
    pub fn between(expected: &Placed, found: &Placed) -> Self {
        if found == expected {
            return Self::Equal;
        }
        if let Some(label) = carrier(expected, found) {
            return Self::UpTo(label);
        }
        mismatches(expected, found).map_or(Self::Undecided, Self::Different)
    }

    /// A key for choosing among candidates: better ones have smaller keys.
    pub fn rank(&self) -> (u8, usize) {
        match self {
            Self::Equal => (0, 0),
            Self::UpTo(_) => (1, 0),
            Self::Different(differences) => (2, differences.len()),
            Self::Undecided => (3, 0),
        }
    }
}

/// A coefficient that differs from the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The input channel.
    pub channel: u16,
    /// The offset.
    pub offset: Offset,
    /// The expected coefficient.
    pub expected: Rational,
    /// The found coefficient.
    pub found: Rational,
}

/// The coefficients in which two kernels differ, in the order channel, z, y, x; `None` if one does not fit.
pub fn mismatches(expected: &Placed, found: &Placed) -> Option<Vec<Mismatch>> {
    let (expected, found) = (expected.taps()?, found.taps()?);
    let mut places: Vec<_> =
        expected.iter().chain(&found).map(|(c, [x, y, z], _)| (*c, *z, *y, *x)).collect();
    places.sort_unstable();
    places.dedup();
    let mut mismatches = Vec::new();
    for (channel, z, y, x) in places {
        let offset = [x, y, z];
        let at = |taps: &[(u16, _, Rational)]| {
            taps.iter().find(|t| (t.0, t.1) == (channel, offset)).map_or(Rational::ZERO, |t| t.2)
        };
        let (expected, found) = (at(&expected), at(&found));
        if expected != found {
            mismatches.push(Mismatch { channel, offset, expected, found });
        }
    }
    Some(mismatches)
}

/// The translation and factor that map one kernel to the other; `None` if there are none, and for zero kernels.
pub fn carrier(expected: &Placed, found: &Placed) -> Option<Label> {
    let (expected, found) = (expected.taps()?, found.taps()?);
    let (first, last) = (expected.first()?, found.first()?);
    if expected.len() != found.len() {
        return None;
    }
    // The taps of both are in storage order, which a translation preserves.
    let offset = [0, 1, 2].map(|axis| last.1[axis].checked_sub(first.1[axis]));
    let [Some(x), Some(y), Some(z)] = offset else { return None };
    let label = Label::new(last.2.div(first.2)?, [x, y, z]);
    let carried = |((c, o, k), (d, p, l)): (&(u16, Offset, Rational), &(u16, Offset, Rational))| {
        let there = [0, 1, 2].map(|axis| o[axis].checked_add(label.offset[axis]));
        c == d && there == p.map(Some) && k.mul(label.scale) == Some(*l)
    };
    expected.iter().zip(&found).all(carried).then_some(label)
}

//! How a kernel that was found stands to the one that was wanted.

use super::{Label, Offset, Placed, Rational};

/// How what was found stands to what was wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// The same kernel.
    Equal,
    /// The kernel wanted, after this translation and factor; at least one of them does something.
    UpTo(Label),
    /// Another kernel: where, in the order of channel, z, y, x.
    Different(Vec<Mismatch>),
    /// A coefficient does not fit 64 bits.
    Undecided,
}

impl Relation {
    /// How `found` stands to `expected`, both over the same channels.
    pub fn between(expected: &Placed, found: &Placed) -> Self {
        if found == expected {
            return Self::Equal;
        }
        if let Some(label) = carrier(expected, found) {
            return Self::UpTo(label);
        }
        mismatches(expected, found).map_or(Self::Undecided, Self::Different)
    }

    /// For choosing among candidates: better ones are less.
    pub fn rank(&self) -> (u8, usize) {
        match self {
            Self::Equal => (0, 0),
            Self::UpTo(_) => (1, 0),
            Self::Different(differences) => (2, differences.len()),
            Self::Undecided => (3, 0),
        }
    }
}

/// A coefficient that is not as claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The input channel.
    pub channel: u16,
    /// Where.
    pub offset: Offset,
    /// The coefficient that was claimed.
    pub expected: Rational,
    /// The coefficient that was found.
    pub found: Rational,
}

/// The coefficients in which two kernels differ, in the order of channel, z, y, x; `None` where one does not fit.
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

/// The translation and factor that carry one kernel to the other; `None` where there are none, and for zero kernels.
pub fn carrier(expected: &Placed, found: &Placed) -> Option<Label> {
    let (expected, found) = (expected.taps()?, found.taps()?);
    let (first, last) = (expected.first()?, found.first()?);
    if expected.len() != found.len() {
        return None;
    }
    // Taps of both stand in storage order, which a translation keeps.
    let offset = [0, 1, 2].map(|axis| last.1[axis].checked_sub(first.1[axis]));
    let [Some(x), Some(y), Some(z)] = offset else { return None };
    let label = Label { scale: last.2.div(first.2)?, offset: [x, y, z] };
    let carried = |((c, o, k), (d, p, l)): (&(u16, Offset, Rational), &(u16, Offset, Rational))| {
        let there = [0, 1, 2].map(|axis| o[axis].checked_add(label.offset[axis]));
        c == d && there == p.map(Some) && k.mul(label.scale) == Some(*l)
    };
    expected.iter().zip(&found).all(carried).then_some(label)
}

//! One way to put a kernel together from smaller ones: what proposers return, the e-graph holds and searches read.

use crate::algebra::{Label, Placed, Shape};

/// A decomposition of one canonical kernel: an equality whose left side is the shape that it is listed under.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Decomposition {
    /// K = Σ label · part.
    Sum(Vec<(Label, Shape)>),
    /// K = label · (outer ∘ inner), where `outer` has one channel and `inner` those of K.
    Compose {
        /// What carries the composition to K.
        label: Label,
        /// Applied last; one channel.
        outer: Shape,
        /// Applied first.
        inner: Shape,
    },
}

impl Decomposition {
    /// The kernel that this decomposition denotes, over `channels` input channels; `None` on overflow.
    pub fn denote(&self, channels: u16) -> Option<Placed> {
        match self {
            Self::Sum(terms) => Placed::sum(channels, terms.iter().map(|(label, shape)| (*label, shape))),
            Self::Compose { label, outer, inner } => {
                let placed = |shape: &Shape| Placed { label: Label::IDENTITY, shape: shape.clone() };
                Placed::compose(&placed(outer), &placed(inner))?.apply(*label)
            }
        }
    }

    /// The shapes that it is made of, repetitions included.
    pub fn parts(&self) -> Vec<&Shape> {
        match self {
            Self::Sum(terms) => terms.iter().map(|(_, shape)| shape).collect(),
            Self::Compose { outer, inner, .. } => vec![outer, inner],
        }
    }
}

//! Decompositions of kernels into smaller ones: proposers return them, the e-graph stores them and searches read them.

use std::collections::BTreeSet;

use crate::algebra::{Label, Placed, Shape, add_offsets};

/// A decomposition of a canonical kernel: an equality whose left side is the shape it is listed under.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Decomposition {
    /// K = Σ label · part.
    Sum(Vec<(Label, Shape)>),
    /// K = label · (outer ∘ inner), where `outer` has one channel and `inner` has the channels of K.
    Compose {
        /// The label that carries the composition to K.
        label: Label,
        /// The kernel applied last; one channel.
        outer: Shape,
        /// The kernel applied first.
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

    /// Whether the parts reach places at which their kernel, `whole`, has no tap: there, their weights cancel. So do those of
    /// recurrences.
    pub fn cancels(&self, whole: &Shape) -> bool {
        if !self.parts().into_iter().all(Shape::is_finite) {
            return true;
        }
        let moved = |by, shape: &Shape| -> Option<Vec<_>> {
            shape.taps().map(|(channel, at, _)| Some((channel, add_offsets(at, by).ok()?))).collect()
        };
        let all: Option<Vec<_>> = match self {
            Self::Sum(terms) => terms.iter().map(|(label, shape)| moved(label.offset, shape)).collect(),
            Self::Compose { outer, inner, .. } => outer.taps().map(|(_, at, _)| moved(at, inner)).collect(),
        };
        let places = all.map(|all| all.into_iter().flatten().collect::<BTreeSet<_>>().len());
        places != Some(whole.tap_count())
    }

    /// The shapes of the parts, repetitions included.
    pub fn parts(&self) -> Vec<&Shape> {
        match self {
            Self::Sum(terms) => terms.iter().map(|(_, shape)| shape).collect(),
            Self::Compose { outer, inner, .. } => vec![outer, inner],
        }
    }
}

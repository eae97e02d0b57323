//! The trace of an evaluation: how each value was made.

use std::collections::{BTreeMap, BTreeSet};

/// Kernels on the channels of a scope; `None` for a channel that is not read.
pub(in crate::term) type Row<K> = Vec<Option<K>>;

/// One value.
#[derive(Clone)]
pub(super) enum Single<K> {
    /// A kernel that does not name the channel it reads.
    Plain(K),
    /// A kernel for each channel.
    Row(Row<K>),
}

/// How a value was made. Values are named by their place in the [`Trace`], where the parts of a value come before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::term) enum Made {
    /// It was written out.
    WrittenOut,
    /// Another value translated, scaled or negated.
    Moved(usize),
    /// The sum of these values.
    Sum(Vec<usize>),
    /// A plain kernel applied to another value.
    Compose(usize, usize),
}

impl Made {
    /// The same, with the parts that read channels replaced as in `known`.
    pub(super) fn with(&self, known: &BTreeMap<usize, usize>) -> Self {
        let other = |at: &usize| known.get(at).copied().unwrap_or(*at);
        match self {
            Self::WrittenOut => Self::WrittenOut,
            Self::Moved(inner) => Self::Moved(other(inner)),
            Self::Sum(terms) => Self::Sum(terms.iter().map(other).collect()),
            Self::Compose(outer, inner) => Self::Compose(*outer, other(inner)),
        }
    }
}

/// The values of an evaluation, in the order in which they were made; empty if none were recorded.
pub(in crate::term) struct Trace<K> {
    values: Option<Vec<(Single<K>, Made)>>,
}

impl<K: Clone> Trace<K> {
    /// A trace that records, or one that does not.
    pub(super) fn new(records: bool) -> Self {
        Self { values: records.then(Vec::new) }
    }

    /// Records a value; returns its place.
    pub(super) fn push(&mut self, single: &Single<K>, made: Made) -> usize {
        let Some(values) = &mut self.values else { return 0 };
        values.push((single.clone(), made));
        values.len() - 1
    }

    /// How the value at a place was made.
    pub(in crate::term) fn made(&self, at: usize) -> &Made {
        self.values.as_ref().map_or(&Made::WrittenOut, |values| &values[at].1)
    }

    /// The kernels of the value at a place: one for each channel, or only one for a plain kernel.
    pub(in crate::term) fn kernels(&self, at: usize) -> Vec<Option<&K>> {
        match self.values.as_ref().map(|values| &values[at].0) {
            Some(Single::Plain(kernel)) => vec![Some(kernel)],
            Some(Single::Row(row)) => row.iter().map(Option::as_ref).collect(),
            None => Vec::new(),
        }
    }

    /// The values at `places` and all values they are made of, the last one first.
    pub(in crate::term) fn parts(&self, places: &[usize]) -> Vec<usize> {
        self.reached(places, true)
    }

    /// The value at `at` and the values it is made of, the first one first. Kernels applied to others are left out: they read
    /// no channels.
    pub(super) fn applied_to_channels(&self, at: usize) -> Vec<usize> {
        let mut parts = self.reached(&[at], false);
        parts.reverse();
        parts
    }

    fn reached(&self, places: &[usize], outer_too: bool) -> Vec<usize> {
        if self.values.is_none() {
            return Vec::new();
        }
        let mut open: BTreeSet<usize> = places.iter().copied().collect();
        let mut reached = Vec::new();
        while let Some(at) = open.pop_last() {
            reached.push(at);
            match self.made(at) {
                Made::WrittenOut => {}
                Made::Moved(inner) => drop(open.insert(*inner)),
                Made::Sum(terms) => open.extend(terms),
                Made::Compose(outer, inner) => {
                    open.insert(*inner);
                    open.extend(outer_too.then_some(*outer));
                }
            }
        }
        reached
    }
}

//! Instruction forms for exhaustive search, with results as linear functions of fingerprints.

use std::cmp::Reverse;

use ordered_float::OrderedFloat;
use smallvec::SmallVec;

use super::extent::{Extent, reaches};
use super::fingerprint::{Element, of_view};
use super::pixels::{Pixels, Seen, Size, Weight};
use crate::backend::array::search::program::divisions::{Exponents, Quotient};
use crate::backend::array::search::program::recipe::{CompiledForm, Recipes};
use crate::backend::array::search::program::value::View;

/// A slot that is read, whether it is the wide register, and whether it is also written.
type Read = (usize, bool, bool);

/// A result: its slot, whether it is the wide register, the read that it overwrites, and a coefficient for each read.
type Made = (usize, bool, Option<usize>, Vec<Element>);

/// A form on fingerprints.
pub(crate) struct Linear {
    pub(crate) form: usize,
    pub(crate) cost: u32,
    pub(crate) reads: Vec<Read>,
    /// For each read, the earlier read with which it is interchangeable.
    pub(crate) after: Vec<Option<usize>>,
    /// Pairs of reads that must be different registers.
    pub(crate) apart: Vec<(usize, usize)>,
    pub(crate) results: Vec<Made>,
    /// For each result and read, the displacements of the read.
    pub(crate) reaches: Vec<Vec<Option<Extent>>>,
    /// For each result and read, its offsets and weight.
    pub(crate) views: Vec<Vec<Seen>>,
    pub(crate) clobbers_wide: bool,
    /// For each result and read, the lowest exponents of a factor.
    pub(crate) exponents: Vec<Vec<Exponents>>,
    /// The divisions on the way from an operand to a result.
    pub(crate) quotient: Quotient,
}

impl Linear {
    /// Whether a result is a fraction of an operand.
    pub(crate) fn divides(&self) -> bool {
        self.quotient != Quotient::default()
    }

    /// Whether it overwrites the wide register.
    pub(crate) fn writes_wide(&self) -> bool {
        self.clobbers_wide || self.results.iter().any(|result| result.1)
    }

    /// The results; `value_of` gives the values of the registers that are read.
    pub(crate) fn values(
        &self,
        reads: &[usize],
        value_of: impl Fn(usize) -> Element,
    ) -> SmallVec<[Element; 3]> {
        let sum = |coefficients: &[Element]| {
            let terms = reads.iter().zip(coefficients);
            terms.fold(Element::ZERO, |sum, (read, c)| sum.add(value_of(*read).times(*c)))
        };
        self.results.iter().map(|(.., coefficients)| sum(coefficients)).collect()
    }
}

/// The weights that one instruction can give its operands: the wide one, and the others, heaviest first.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Lever {
    wide: Weight,
    plain: Vec<Weight>,
}

impl Lever {
    pub(crate) fn new(form: &Linear, result: usize, reads: impl Fn(usize) -> bool) -> Self {
        let (mut wide, mut plain) = (Weight::default(), Vec::new());
        let chosen: Vec<usize> = (0..form.reads.len()).filter(|read| reads(*read)).collect();
        for read in &chosen {
            let weight = form.views[result][*read].weight;
            match form.reads[*read].1 {
                true => wide = wide.and(weight),
                false => plain.push(weight),
            }
        }
        // Reads that may be the same register may all be the heaviest one.
        let apart = |a: usize, b: usize| form.apart.contains(&(a, b)) || form.reads[a].1 || form.reads[b].1;
        if !chosen.iter().enumerate().all(|(i, b)| chosen[..i].iter().all(|a| apart(*a, *b))) {
            plain = vec![plain.iter().copied().fold(Weight::default(), Weight::and)];
        }
        plain.sort_unstable_by_key(|weight| Reverse(OrderedFloat(weight.total())));
        Self { wide, plain }
    }

    /// Puts it among levers, without those that another covers.
    pub(crate) fn join(self, levers: &mut Vec<Self>) {
        if !levers.iter().any(|lever| lever.covers(&self)) {
            levers.retain(|lever| !self.covers(lever));
            levers.push(self);
        }
    }

    fn covers(&self, other: &Self) -> bool {
        self.wide.covers(other.wide)
            && (0..self.plain.len().max(other.plain.len())).all(|i| {
                let of = |lever: &Self| lever.plain.get(i).copied().unwrap_or_default();
                of(self).covers(of(other))
            })
    }

    /// The greatest size of a result if general registers have these sizes, greatest first.
    pub(crate) fn lift(&self, top: &[Size], wide: Size) -> Size {
        let plain = self.plain.iter().zip(top).map(|(weight, size)| size.times(*weight));
        plain.fold(wide.times(self.wide), Size::and)
    }
}

/// A form on fingerprints; `None` if it reads and writes a register in which it leaves no result.
pub(crate) fn linear(recipes: &Recipes, index: usize, wide: Option<usize>) -> Option<Linear> {
    let form = &recipes.forms[index];
    let is_wide = |slot: usize| Some(form.slots[slot].0) == wide;
    let reads: Vec<Read> = form
        .slots
        .iter()
        .enumerate()
        .filter(|(_, (_, reads, _))| *reads)
        .map(|(slot, (_, _, writes))| (slot, is_wide(slot), *writes))
        .collect();
    let results: Vec<_> = form
        .results
        .iter()
        .map(|(slot, terms)| {
            let coefficients: Vec<Element> = reads
                .iter()
                .map(|(read, ..)| {
                    let views = terms.iter().filter(|(s, _)| s == read);
                    views.fold(Element::ZERO, |sum, (_, view)| sum.add(of_view(*view)))
                })
                .collect();
            (*slot, is_wide(*slot), reads.iter().position(|(read, ..)| read == slot), coefficients)
        })
        .collect();
    let seen = |view: View| Seen { pixels: Pixels::of_view(view), weight: Weight::of(view.factor) };
    let views = by_read(form, &reads, (Seen::NOT, Seen::and), seen);
    let exponents = |view: View| Exponents::of_factor(view.factor);
    let exponents = by_read(form, &reads, (Exponents::ZERO, Exponents::and), exponents);
    if form.slots.iter().enumerate().any(|(slot, s)| s.2 && !form.results.iter().any(|r| r.0 == slot) && s.1)
    {
        return None;
    }
    let apart = pairs_apart(form, &reads);
    let after = interchangeable(&reads, &apart, &results);
    Some(Linear {
        form: index,
        cost: form.cost,
        reaches: reaches(form, &reads),
        reads,
        after,
        apart,
        results,
        views,
        clobbers_wide: wide.is_some_and(|w| form.clobbers.contains(&w)),
        exponents,
        quotient: form.quotient(),
    })
}

/// For each result and read, all views of the read together: those that `of` describes, from none on.
fn by_read<T: Copy>(
    form: &CompiledForm,
    reads: &[Read],
    (none, and): (T, impl Fn(T, T) -> T),
    of: impl Fn(View) -> T,
) -> Vec<Vec<T>> {
    let seen = |terms: &[(usize, View)], read: usize| {
        terms.iter().filter(|(slot, _)| *slot == read).map(|(_, view)| of(*view)).fold(none, &and)
    };
    form.results
        .iter()
        .map(|(_, terms)| reads.iter().map(|(read, ..)| seen(terms, *read)).collect())
        .collect()
}

/// Pairs of reads that must be different registers.
fn pairs_apart(form: &CompiledForm, reads: &[Read]) -> Vec<(usize, usize)> {
    let pairs = (0..reads.len()).flat_map(|a| (a + 1..reads.len()).map(move |b| (a, b)));
    pairs.filter(|(a, b)| form.differs(reads[*a].0, reads[*b].0)).collect()
}

/// For each read, the last earlier read with which it is interchangeable.
fn interchangeable(reads: &[Read], apart: &[(usize, usize)], results: &[Made]) -> Vec<Option<usize>> {
    let plain = |read: &Read| !read.1 && !read.2;
    let alike = |a: usize, b: usize| {
        let same = results.iter().all(|(.., coefficients)| coefficients[a] == coefficients[b]);
        plain(&reads[a]) && plain(&reads[b]) && apart.contains(&(a, b)) && same
    };
    (0..reads.len()).map(|b| (0..b).rev().find(|a| alike(*a, b))).collect()
}

//! The ways in which the last two or three instructions of a program can fit together, worked out once for an instruction set.
//!
//! An instruction is a sum, and what several instructions of a row leave is one, too: what is held already makes up one part of
//! it, the new values, each with a factor, the other. Where the last instructions read one value that is yet to be made, that
//! value is therefore known: what is wanted, less a sum of what is held, times a factor that does not depend on the state.

use std::hash::Hash;
use std::ops::Deref;

use rustc_hash::FxHashMap;

use super::field::Element;
use super::linear::Lever;
use super::pixels::{Pixels, Seen, Weight};

/// A sum of values that are held: the reads of a form that are not in the mask, with the coefficients of a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Template {
    pub(super) form: usize,
    pub(super) result: usize,
    /// Reads that new values stand in.
    pub(super) mask: u32,
    pub(super) reads_wide: bool,
    /// How general registers and the wide one are seen: a place in [`Endgame::looks`].
    pub(super) look: usize,
}

/// How what is held is seen in a sum: from where general registers and the wide one are, and how heavily.
#[derive(Clone, PartialEq)]
pub(super) struct Look {
    pub(super) plain: Pixels,
    /// Nothing where the wide register is not read.
    pub(super) wide: Pixels,
    pub(super) lever: Lever,
}

/// What one instruction makes of values held.
#[derive(Default)]
pub(super) struct Made {
    pub(super) templates: Vec<usize>,
    /// From where it sees general registers and the wide one, for every way in which it moves what it makes.
    pub(super) moves: Vec<[Pixels; 2]>,
    /// How it sees what is held.
    pub(super) looks: Vec<usize>,
}

/// Things that are met again and again: each has a number.
pub(super) struct Known<T> {
    list: Vec<T>,
    numbers: FxHashMap<T, usize>,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { list: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Eq + Hash + Clone> Known<T> {
    /// The number of an item; a new one where it is not known.
    pub(super) fn number(&mut self, item: T) -> usize {
        *self.numbers.entry(item.clone()).or_insert_with(|| {
            self.list.push(item);
            self.list.len() - 1
        })
    }
}

impl<T> Deref for Known<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.list
    }
}

/// A last instruction that reads one new value: `value = (wanted − held) · factor`.
pub(super) struct Last {
    pub(super) factor: Element,
    /// How the value is seen in what is wanted.
    pub(super) seen: Seen,
}

/// Last instructions with the same values held beside the new one.
pub(super) struct Lasts {
    /// What of the values held may stand beside it: a place in [`Endgame::lists`].
    pub(super) held: usize,
    /// How the value is seen at most.
    pub(super) seen: Seen,
    pub(super) ways: Vec<Last>,
}

/// Two new values, of which neither is made of the other: `first = (wanted − held) · factor − second · ratio`.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) both: Both,
    pub(super) factor: Element,
    pub(super) ratio: Element,
}

/// How the two values of a pair are seen in what is wanted.
#[derive(Clone, Copy)]
pub(super) struct Both {
    /// A place in [`Endgame::firsts`].
    pub(super) first: usize,
    /// A place in [`Endgame::seconds`].
    pub(super) second: usize,
    pub(super) weights: [Weight; 2],
}

/// Pairs of values of the same kinds, with the same values held, each seen in any way that `both` has room for.
pub(super) struct Pairs {
    pub(super) held: usize,
    pub(super) both: Both,
    pub(super) ways: Vec<Pair>,
}

/// Two new values, the second made of the first: `first = (wanted − held) · factor − beside · ratio`, where `beside` are values
/// held that the second one is made of.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    pub(super) looked: Looked,
    pub(super) factor: Element,
    pub(super) ratio: Element,
}

/// How the first value of a chain, and what is beside it, are seen in what is wanted.
#[derive(Clone, Copy)]
pub(super) struct Looked {
    /// What the first value is, and from where it is seen: a place in [`Endgame::firsts`]. `None` where it cancels: then
    /// nothing must be left.
    pub(super) first: Option<usize>,
    /// How heavily it and what is beside it weigh.
    pub(super) weights: [Weight; 2],
}

/// Ways that put the same parts together, each of them seen in any way that `looked` has room for.
pub(super) struct Alike<T> {
    pub(super) held: usize,
    /// What is beside the first value, and from where that is seen: a place in [`Endgame::besides`].
    pub(super) beside: usize,
    pub(super) looked: Looked,
    pub(super) ways: Vec<T>,
}

/// All ways in which the last two or three instructions, each of the least cost, can fit together.
pub(super) struct Endgame {
    pub(super) templates: Vec<Template>,
    /// How sums see what is held.
    pub(super) looks: Vec<Look>,
    /// Sums that go with the same new values.
    pub(super) lists: Known<Vec<usize>>,
    /// What the first of three instructions makes, a place in `opening`, and from where it is seen.
    pub(super) firsts: Known<(usize, Pixels)>,
    /// What the second one makes, a place in `all`, and from where it is seen.
    pub(super) seconds: Known<(usize, Pixels)>,
    /// Lists, and from where they are seen.
    pub(super) besides: Known<(usize, Pixels)>,
    /// What an instruction makes of values held, by the kind of all that it leaves.
    pub(super) all: Vec<Made>,
    /// The same of the first of three instructions: of one result, of which no other is used, or of several that are.
    pub(super) opening: Vec<Made>,
    /// For each kind of `all` how one more instruction ends it.
    pub(super) last: Vec<Vec<Lasts>>,
    pub(super) pairs: Vec<Pairs>,
    /// Chains of the same values, in groups of those whose values beside the first one are seen alike; of these, those by
    /// the same first value stand together.
    pub(super) chains: Vec<Alike<Alike<Chain>>>,
    /// Sums of values held in which a new value cancels.
    pub(super) cancelled: Vec<usize>,
    /// Whether there are instructions between one and two times the least cost, so that three may not be of the least.
    pub(super) uneven: bool,
}

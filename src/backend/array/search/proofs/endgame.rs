//! The ways in which the last two or three instructions of a program can fit together, worked out once for an instruction set.
//!
//! An instruction is a sum, and what several instructions of a row leave is one, too: what is held already makes up one part of
//! it, the new values, each with a factor, the other. Where the last instructions read one value that is yet to be made, that
//! value is therefore known: what is wanted, less a sum of what is held, times a factor that does not depend on the state.

use std::hash::Hash;
use std::ops::Deref;

use rustc_hash::FxHashMap;

use super::fingerprint::Element;
use super::linear::Lever;
use super::pixels::{Pixels, Seen, Weight};

/// A sum of values that are held: the reads of a form that are not in the mask, with the coefficients of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    pub(crate) form: usize,
    pub(crate) result: usize,
    /// Reads that new values stand in.
    pub(crate) mask: u32,
    pub(crate) reads_wide: bool,
    /// How general registers and the wide one are seen: a place in [`Endgame::looks`].
    pub(crate) look: usize,
}

/// How what is held is seen in a sum: from where general registers and the wide one are, and how heavily.
#[derive(Clone, PartialEq)]
pub(crate) struct Look {
    pub(crate) plain: Pixels,
    /// Nothing where the wide register is not read.
    pub(crate) wide: Pixels,
    pub(crate) lever: Lever,
}

/// What one instruction makes of values held.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) templates: Vec<usize>,
    /// From where it sees general registers and the wide one, for every way in which it moves what it makes.
    pub(crate) moves: Vec<[Pixels; 2]>,
    /// How it sees what is held.
    pub(crate) looks: Vec<usize>,
}

/// Things that are met again and again: each has a number.
pub(crate) struct Known<T> {
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
    pub(crate) fn number(&mut self, item: T) -> usize {
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
pub(crate) struct Last {
    pub(crate) factor: Element,
    /// How the value is seen in what is wanted.
    pub(crate) seen: Seen,
}

/// Last instructions with the same values held beside the new one.
pub(crate) struct Lasts {
    /// What of the values held may stand beside it: a place in [`Endgame::lists`].
    pub(crate) held: usize,
    /// How the value is seen at most.
    pub(crate) seen: Seen,
    pub(crate) ways: Vec<Last>,
}

/// Two new values, of which neither is made of the other: `first = (wanted − held) · factor − second · ratio`.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) both: Both,
    pub(crate) factor: Element,
    pub(crate) ratio: Element,
}

/// How the two values of a pair are seen in what is wanted.
#[derive(Clone, Copy)]
pub(crate) struct Both {
    /// A place in [`Endgame::firsts`].
    pub(crate) first: usize,
    /// A place in [`Endgame::seconds`].
    pub(crate) second: usize,
    pub(crate) weights: [Weight; 2],
}

/// Pairs of values of the same kinds, with the same values held, each seen in any way that `both` has room for.
pub(crate) struct Pairs {
    pub(crate) held: usize,
    pub(crate) both: Both,
    pub(crate) ways: Vec<Pair>,
}

/// Two new values, the second made of the first: `first = (wanted − held) · factor − beside · ratio`, where `beside` are values
/// held that the second one is made of.
#[derive(Clone, Copy)]
pub(crate) struct Chain {
    pub(crate) looked: Looked,
    pub(crate) factor: Element,
    pub(crate) ratio: Element,
}

/// How the first value of a chain, and what is beside it, are seen in what is wanted.
#[derive(Clone, Copy)]
pub(crate) struct Looked {
    /// What the first value is, and from where it is seen: a place in [`Endgame::firsts`]. `None` where it cancels: then
    /// nothing must be left.
    pub(crate) first: Option<usize>,
    /// How heavily it and what is beside it weigh.
    pub(crate) weights: [Weight; 2],
}

/// Ways that put the same parts together, each of them seen in any way that `looked` has room for.
pub(crate) struct Alike<T> {
    pub(crate) held: usize,
    /// What is beside the first value, and from where that is seen: a place in [`Endgame::besides`].
    pub(crate) beside: usize,
    pub(crate) looked: Looked,
    pub(crate) ways: Vec<T>,
}

/// All ways in which the last two or three instructions, each of the least cost, can fit together.
pub(crate) struct Endgame {
    pub(crate) templates: Vec<Template>,
    /// How sums see what is held.
    pub(crate) looks: Vec<Look>,
    /// Sums that go with the same new values.
    pub(crate) lists: Known<Vec<usize>>,
    /// What the first of three instructions makes, a place in `opening`, and from where it is seen.
    pub(crate) firsts: Known<(usize, Pixels)>,
    /// What the second one makes, a place in `all`, and from where it is seen.
    pub(crate) seconds: Known<(usize, Pixels)>,
    /// Lists, and from where they are seen.
    pub(crate) besides: Known<(usize, Pixels)>,
    /// What an instruction makes of values held, by the kind of all that it leaves.
    pub(crate) all: Vec<Made>,
    /// The same of the first of three instructions: of one result, of which no other is used, or of several that are.
    pub(crate) opening: Vec<Made>,
    /// For each kind of `all` how one more instruction ends it.
    pub(crate) last: Vec<Vec<Lasts>>,
    pub(crate) pairs: Vec<Pairs>,
    /// Chains of the same values, in groups of those whose values beside the first one are seen alike; of these, those by
    /// the same first value stand together.
    pub(crate) chains: Vec<Alike<Alike<Chain>>>,
    /// Sums of values held in which a new value cancels.
    pub(crate) cancelled: Vec<usize>,
    /// Whether there are instructions between one and two times the least cost, so that three may not be of the least.
    pub(crate) uneven: bool,
}

//! The ways in which the last two or three instructions of a program can fit together, computed once for an instruction set.
//!
//! An instruction is a sum, and so is the result of several consecutive instructions: one part of it are values that are held
//! already, the other part are new values, each with a factor. If the last instructions read a single new value, that value
//! is therefore determined: the wanted value minus a sum of held values, times a factor that does not depend on the state.

use std::hash::Hash;
use std::ops::Deref;

use rustc_hash::FxHashMap;

use super::fingerprint::Element;
use super::linear::Lever;
use super::pixels::{Pixels, Seen, Weight};

/// A sum of held values: the reads of a form that are not in the mask, with the coefficients of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    pub(crate) form: usize,
    pub(crate) result: usize,
    /// The reads of new values.
    pub(crate) mask: u32,
    pub(crate) reads_wide: bool,
    /// How general registers and the wide one are seen: an index into [`Endgame::looks`].
    pub(crate) look: usize,
}

/// How held values are seen in a sum: from where general registers and the wide one are seen, and with what weight.
#[derive(Clone, PartialEq)]
pub(crate) struct Look {
    pub(crate) plain: Pixels,
    /// Empty if the wide register is not read.
    pub(crate) wide: Pixels,
    pub(crate) lever: Lever,
}

/// What one instruction makes of held values.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) templates: Vec<usize>,
    /// From where it sees general registers and the wide one, for every way in which it moves what it makes.
    pub(crate) moves: Vec<[Pixels; 2]>,
    /// How it sees held values.
    pub(crate) looks: Vec<usize>,
}

/// Interned items, each with a number.
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
    /// The number of an item; a new one if it is unknown.
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

/// Last instructions with the same held values beside the new one.
pub(crate) struct Lasts {
    /// The held values that may stand beside it: an index into [`Endgame::lists`].
    pub(crate) held: usize,
    /// The most that is seen of the value.
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
    /// An index into [`Endgame::firsts`].
    pub(crate) first: usize,
    /// An index into [`Endgame::seconds`].
    pub(crate) second: usize,
    pub(crate) weights: [Weight; 2],
}

/// Pairs of values of the same kinds, with the same held values; `both` covers how each is seen.
pub(crate) struct Pairs {
    pub(crate) held: usize,
    pub(crate) both: Both,
    pub(crate) ways: Vec<Pair>,
}

/// Two new values, the second made of the first: `first = (wanted − held) · factor − beside · ratio`, where `beside` are
/// held values that the second one is made of.
#[derive(Clone, Copy)]
pub(crate) struct Chain {
    pub(crate) looked: Looked,
    pub(crate) factor: Element,
    pub(crate) ratio: Element,
}

/// How the first value of a chain, and what is beside it, are seen in what is wanted.
#[derive(Clone, Copy)]
pub(crate) struct Looked {
    /// What the first value is, and from where it is seen: an index into [`Endgame::firsts`]. `None` if it cancels: then
    /// nothing must be left.
    pub(crate) first: Option<usize>,
    /// The weight of it and of what is beside it.
    pub(crate) weights: [Weight; 2],
}

/// Ways to combine the same parts; `looked` covers how each is seen.
pub(crate) struct Alike<T> {
    pub(crate) held: usize,
    /// What is beside the first value, and from where that is seen: an index into [`Endgame::besides`].
    pub(crate) beside: usize,
    pub(crate) looked: Looked,
    pub(crate) ways: Vec<T>,
}

/// All ways in which the last two or three instructions, each of the least cost, can fit together.
pub(crate) struct Endgame {
    pub(crate) templates: Vec<Template>,
    /// How sums see held values.
    pub(crate) looks: Vec<Look>,
    /// Sums that go with the same new values.
    pub(crate) lists: Known<Vec<usize>>,
    /// What the first of three instructions makes, an index into `opening`, and from where it is seen.
    pub(crate) firsts: Known<(usize, Pixels)>,
    /// What the second one makes, an index into `all`, and from where it is seen.
    pub(crate) seconds: Known<(usize, Pixels)>,
    /// Lists, and from where they are seen.
    pub(crate) besides: Known<(usize, Pixels)>,
    /// What an instruction makes of held values, by the kind of all that it leaves.
    pub(crate) all: Vec<Made>,
    /// The same of the first of three instructions: of one result, of which no other is used, or of several that are.
    pub(crate) opening: Vec<Made>,
    /// For each kind of `all` how one more instruction ends it.
    pub(crate) last: Vec<Vec<Lasts>>,
    pub(crate) pairs: Vec<Pairs>,
    /// Chains of the same values, in groups of those whose values beside the first one are seen alike; of these, those by
    /// the same first value stand together.
    pub(crate) chains: Vec<Alike<Alike<Chain>>>,
    /// Sums of held values in which a new value cancels.
    pub(crate) cancelled: Vec<usize>,
    /// Whether some instructions cost more than the least cost and less than twice as much, so that three may not all be of the least.
    pub(crate) uneven: bool,
}

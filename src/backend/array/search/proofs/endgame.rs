//! The ways in which the last two or three instructions of a program can fit together, computed once per instruction set.
//!
//! An instruction is a sum, and so is the result of several consecutive instructions: some terms are held values, the others
//! are new values, each with a factor. If the last instructions read a single new value, that value
//! is therefore determined: the wanted value minus a sum of held values, times a factor that does not depend on the state.

use std::hash::Hash;
use std::ops::Deref;

use rustc_hash::FxHashMap;

use super::fingerprint::Element;
use super::linear::Lever;
use super::pixels::{Pixels, Seen, Weight};

/// A sum of held values: the reads of a form outside the mask, with the coefficients of a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Template {
    pub(crate) form: usize,
    pub(crate) result: usize,
    /// The reads of new values.
    pub(crate) mask: u32,
    pub(crate) reads_wide: bool,
    /// How the sum sees general registers and the wide one: an index into [`Endgame::looks`].
    pub(crate) look: usize,
}

/// How a sum sees held values: the offsets of general registers and of the wide one, and their weights.
#[derive(Clone, PartialEq)]
pub(crate) struct Look {
    pub(crate) plain: Pixels,
    /// Empty if the wide register is not read.
    pub(crate) wide: Pixels,
    pub(crate) lever: Lever,
}

/// The values that one instruction makes of held values.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) templates: Vec<usize>,
    /// The offsets of general registers and of the wide one, for every way in which it moves its result.
    pub(crate) moves: Vec<[Pixels; 2]>,
    /// How it sees held values: indices into [`Endgame::looks`].
    pub(crate) looks: Vec<usize>,
}

/// Interned items, numbered.
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
    /// The number of an item; a new number if the item is unknown.
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
    /// How the wanted value sees the new one.
    pub(crate) seen: Seen,
}

/// Last instructions with the same held values besides the new one.
pub(crate) struct Lasts {
    /// The possible sums of held values: an index into [`Endgame::lists`].
    pub(crate) held: usize,
    /// The join of how `ways` see the value.
    pub(crate) seen: Seen,
    pub(crate) ways: Vec<Last>,
}

/// Two new values, neither of which reads the other: `first = (wanted − held) · factor − second · ratio`.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) both: Both,
    pub(crate) factor: Element,
    pub(crate) ratio: Element,
}

/// How the wanted value sees the two values of a pair.
#[derive(Clone, Copy)]
pub(crate) struct Both {
    /// An index into [`Endgame::firsts`].
    pub(crate) first: usize,
    /// An index into [`Endgame::seconds`].
    pub(crate) second: usize,
    pub(crate) weights: [Weight; 2],
}

/// Pairs of values of the same kinds, with the same held values; `both` is the join of how each is seen.
pub(crate) struct Pairs {
    pub(crate) held: usize,
    pub(crate) both: Both,
    pub(crate) ways: Vec<Pair>,
}

/// Two new values, the second of which reads the first: `first = (wanted − held) · factor − beside · ratio`, where `beside` are
/// the held values that the second one also reads.
#[derive(Clone, Copy)]
pub(crate) struct Chain {
    pub(crate) looked: Looked,
    pub(crate) factor: Element,
    pub(crate) ratio: Element,
}

/// How the wanted value sees the first value of a chain and the values beside it.
#[derive(Clone, Copy)]
pub(crate) struct Looked {
    /// The kind of the first value and its offsets: an index into [`Endgame::firsts`]. `None` if it cancels; then the held values
    /// must be the whole result.
    pub(crate) first: Option<usize>,
    /// The weights of the first value and of the values beside it.
    pub(crate) weights: [Weight; 2],
}

/// Ways to combine the same parts; `looked` is the join of how each is seen.
pub(crate) struct Alike<T> {
    pub(crate) held: usize,
    /// The values beside the first one, and their offsets: an index into [`Endgame::besides`].
    pub(crate) beside: usize,
    pub(crate) looked: Looked,
    pub(crate) ways: Vec<T>,
}

/// All ways in which the last two or three instructions can fit together, if each has the least cost.
pub(crate) struct Endgame {
    pub(crate) templates: Vec<Template>,
    /// How sums see held values.
    pub(crate) looks: Vec<Look>,
    /// Lists of sums that combine with the same new values.
    pub(crate) lists: Known<Vec<usize>>,
    /// The kind of the first of three instructions, as an index into `opening`, and the offsets of its value.
    pub(crate) firsts: Known<(usize, Pixels)>,
    /// The kind of the second one, as an index into `all`, and the offsets of its value.
    pub(crate) seconds: Known<(usize, Pixels)>,
    /// Lists, and their offsets.
    pub(crate) besides: Known<(usize, Pixels)>,
    /// The values that an instruction makes of held values, by the kind of all its results.
    pub(crate) all: Vec<Made>,
    /// The same for the first of three instructions: by one result, if no other is used, or by several used results.
    pub(crate) opening: Vec<Made>,
    /// The ways in which one more instruction can follow each kind of `all`.
    pub(crate) last: Vec<Vec<Lasts>>,
    pub(crate) pairs: Vec<Pairs>,
    /// Chains of the same kinds of values. Within a group, chains that see the values beside the first one alike are together; among
    /// these, chains with the same first value are adjacent.
    pub(crate) chains: Vec<Alike<Alike<Chain>>>,
    /// Sums of held values that one instruction leaves in a general register.
    pub(crate) finals: Vec<usize>,
    /// Sums of held values in which a new value cancels.
    pub(crate) cancelled: Vec<usize>,
    /// Whether some instructions cost more than the least cost and less than twice as much; then three need not all have the least cost.
    pub(crate) uneven: bool,
}

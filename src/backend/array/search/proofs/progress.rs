//! Results of exhaustive searches, kept between searches.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use super::endgame::Endgame;

/// Results of exhaustive searches for one filter. Each search continues the last, because a proof takes longer than any of them.
pub struct Proofs {
    /// Progress for all programs, and for those that do not divide.
    pub(crate) kinds: [Progress; 2],
    /// The endgames of all instructions, and of those that do not divide, computed on first use; `None` if
    /// not supported.
    pub(crate) endgames: [OnceLock<Option<Endgame>>; 2],
    /// The cost of the last program found, `u32::MAX` if there is none.
    pub(crate) found: u32,
    /// The results for each output by itself, if there are several.
    pub(crate) outputs: Vec<Self>,
    /// The states expanded by the other searches of the last round: the next proof may take as long.
    pub(crate) beside: u64,
}

/// How far the programs of a kind have been searched.
#[derive(Default)]
pub(crate) struct Progress {
    /// No program costs less than this.
    pub(crate) floor: u32,
    /// States with their remaining cost, for which no continuation of exactly this cost leads to a program.
    pub(crate) seen: FxHashSet<u128>,
    /// Whether a program was found for which the registers do not suffice; equivalent programs were then skipped.
    pub(crate) infeasible: bool,
}

impl Default for Proofs {
    fn default() -> Self {
        Self {
            kinds: Default::default(),
            endgames: Default::default(),
            found: u32::MAX,
            outputs: Vec::new(),
            beside: 0,
        }
    }
}

impl Proofs {
    /// A proved lower bound of the cost.
    #[must_use]
    pub fn floor(&self) -> u32 {
        self.kinds[0].floor
    }

    /// The same for all programs, or for those that do not divide.
    pub(crate) fn floor_of(&self, divisions: bool) -> u32 {
        if divisions { self.floor() } else { self.kinds[1].floor.max(self.floor()) }
    }

    /// Records a lower bound proved in another way.
    pub(crate) fn raise(&mut self, floor: u32) {
        self.kinds[0].raise(floor);
    }
}

impl Progress {
    pub(crate) fn raise(&mut self, floor: u32) {
        if floor > self.floor {
            *self = Self { floor, ..Self::default() };
        }
    }
}

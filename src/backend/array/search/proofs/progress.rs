//! Results of exhaustive searches, kept from one to the next.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use super::endgame::Endgame;

/// Results of exhaustive searches for one filter. Each search continues the last one: a proof takes longer than any of them.
#[derive(Default)]
pub struct Proofs {
    /// Of all programs, and of those that do not divide.
    pub(crate) kinds: [Progress; 2],
    /// How the last instructions fit together: of all instructions, and of those that do not divide; computed on first use. `None` if
    /// that is not supported.
    pub(crate) endgames: [OnceLock<Option<Endgame>>; 2],
    /// States that the other searches of the last round expanded: the next proof may take as long.
    pub(crate) beside: u64,
}

/// How far the programs of a kind were searched.
#[derive(Default)]
pub(crate) struct Progress {
    /// There is no program below this cost.
    pub(crate) floor: u32,
    /// States, each with the cost that is left, below which there is none of just this cost.
    pub(crate) seen: FxHashSet<u128>,
    /// Whether a program was found for which the registers do not suffice: then equivalent ones were not visited.
    pub(crate) infeasible: bool,
}

impl Proofs {
    /// The cost below which there is known to be no program.
    #[must_use]
    pub fn floor(&self) -> u32 {
        self.kinds[0].floor
    }

    /// The same of all programs, or of those that do not divide.
    pub(crate) fn floor_of(&self, divisions: bool) -> u32 {
        if divisions { self.floor() } else { self.kinds[1].floor.max(self.floor()) }
    }

    /// Another way to know that there is no program below `floor`.
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

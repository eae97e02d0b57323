//! What exhaustive searches have established, kept from one to the next.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use super::endgame::Endgame;

/// What exhaustive searches for one filter have established, to be gone on with: proofs take longer than any one of them.
#[derive(Default)]
pub struct Proofs {
    /// Of all programs, and of those that do not divide.
    pub(crate) kinds: [Progress; 2],
    /// How the last instructions fit together: of all instructions, and of those that do not divide; worked out when asked
    /// for. `None` where it cannot be told.
    pub(crate) endgames: [OnceLock<Option<Endgame>>; 2],
    /// States that other searches expanded beside the last of them: the next one may well take as long.
    pub(crate) beside: u64,
}

/// How far the programs of a kind were gone through.
#[derive(Default)]
pub(crate) struct Progress {
    /// There is no program below this cost.
    pub(crate) floor: u32,
    /// States, each with the cost that is left, below which there is none of just this cost.
    pub(crate) seen: FxHashSet<u128>,
    /// Whether there is one that the registers do not suffice for: then others like it were not visited.
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

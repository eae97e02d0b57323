//! Programs met on the way that are worth something beside the cheapest one.

use ordered_float::OrderedFloat;

use crate::backend::array::search::problem::{Code, Wish};

/// Programs of one cost that are kept. By hand.
const KEPT_PER_COST: usize = 3;

/// For every cost the programs that score best, in the order in which they were met where they score the same.
pub(crate) struct Archive<'a> {
    wish: Option<&'a Wish<'a>>,
    kept: Vec<(OrderedFloat<f64>, Code)>,
    changed: bool,
}

impl<'a> Archive<'a> {
    /// An archive that keeps what is wished for: nothing, for no wish.
    pub(crate) fn new(wish: Option<&'a Wish<'a>>) -> Self {
        Self { wish, kept: Vec::new(), changed: false }
    }

    /// By how much a program may cost more than the best one.
    pub(crate) fn slack(&self) -> Option<u32> {
        self.wish.map(|wish| wish.slack)
    }

    /// Keeps a program where it is among the best of its cost.
    pub(crate) fn add(&mut self, code: &Code) {
        let Some(wish) = self.wish else { return };
        let same = |kept: &Code| kept.instructions == code.instructions && kept.outputs == code.outputs;
        if self.kept.iter().any(|(_, kept)| same(kept)) {
            return;
        }
        let Some(score) = (wish.score)(code).map(OrderedFloat) else { return };
        let place = self.kept.partition_point(|(s, kept)| (kept.cost, *s) <= (code.cost, score));
        let alike = self.kept.iter().filter(|(s, kept)| kept.cost == code.cost && *s <= score).count();
        if alike >= KEPT_PER_COST {
            return;
        }
        self.kept.insert(place, (score, Code { trace: None, ..code.clone() }));
        let end = self.kept.partition_point(|(_, kept)| kept.cost <= code.cost);
        let first = self.kept.partition_point(|(_, kept)| kept.cost < code.cost);
        self.kept.drain((first + KEPT_PER_COST).min(end)..end);
        self.changed = true;
    }

    /// Whether anything was kept since this was asked before.
    pub(crate) fn has_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// What is kept, the cheapest first.
    pub(crate) fn into_codes(self) -> Vec<Code> {
        self.kept.into_iter().map(|(_, code)| code).collect()
    }
}

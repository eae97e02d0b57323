//! Programs that are worth keeping beside the cheapest one.

use ordered_float::OrderedFloat;

use crate::backend::array::search::problem::{Code, Wish};

/// Programs of one cost that are kept. The best score decides among them; the others are there in case the best one is refused
/// in the end.
const KEPT_PER_COST: usize = 3;

/// The programs of the best scores for every cost; of equal scores, those that were met first.
pub(crate) struct Archive<'a> {
    wish: Option<&'a Wish<'a>>,
    kept: Vec<(OrderedFloat<f64>, Code)>,
    changed: bool,
}

impl<'a> Archive<'a> {
    /// An archive for a wish; without one it keeps nothing.
    pub(crate) fn new(wish: Option<&'a Wish<'a>>) -> Self {
        Self { wish, kept: Vec::new(), changed: false }
    }

    /// By how much a program may exceed the cost of the best one.
    pub(crate) fn slack(&self) -> Option<u32> {
        self.wish.map(|wish| wish.slack)
    }

    /// Keeps a program if it is among the best of its cost.
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

    /// Whether anything was added since the last call.
    pub(crate) fn has_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// The programs that are kept, the cheapest first.
    pub(crate) fn into_codes(self) -> Vec<Code> {
        self.kept.into_iter().map(|(_, code)| code).collect()
    }
}

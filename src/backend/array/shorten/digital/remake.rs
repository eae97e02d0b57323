//! Searches the cheapest instructions that leave what a window must leave: all sequences of growing cost.

use super::candidates::Candidate;
use super::table::{CONSTANTS, Table};
use super::window::{Bits, Window, apply, table};
use crate::backend::array::machine::{BitId, Formula, Target};

/// The instructions tried for one window, at most.
const TRIALS: u64 = 20_000;

/// The cheapest sequence that costs less than `cost` and not more than `cycles`, as places among the candidates; `None` if there is
/// none, or none was found in time.
pub(super) fn remade<'a>(
    target: &'a Target,
    window: &Window,
    candidates: &'a [Candidate],
    [cost, cycles]: [u32; 2],
) -> Option<Vec<usize>> {
    let varies = |bit: &BitId| {
        let goal = window.goals.iter().find(|(own, _)| own == bit);
        goal.is_some_and(|(_, table)| !CONSTANTS.contains(table))
    };
    let varying =
        window.goals.iter().filter(|(bit, _)| varies(bit)).fold(0, |all, (bit, _)| all | 1 << bit.0);
    let most = |among: u64| candidates.iter().map(|c| (c.writes & among).count_ones()).max().unwrap_or(0);
    let mut formulas: Vec<&Formula> = Vec::new();
    let mut single = |candidate: &'a Candidate| {
        let (bit, formula) = candidate.single(target)?;
        let at = formulas.iter().position(|own| *own == formula).unwrap_or_else(|| {
            formulas.push(formula);
            formulas.len() - 1
        });
        Some((bit, at))
    };
    let singles = candidates.iter().map(&mut single).collect();
    let mut search = Search {
        formulas,
        singles,
        target,
        window: window.clone(),
        candidates,
        varying,
        most: [most(varying), most(u64::MAX)],
        least: candidates.iter().map(|c| c.cost).min().unwrap_or(1).max(1),
        left: TRIALS,
        path: Vec::new(),
    };
    let start = window.start.clone();
    let unmet = search.unmet(&start);
    (0..cost).find(|cost| search.go(&start, unmet, 0, [*cost, cycles])).map(|_| search.path)
}

struct Search<'a> {
    target: &'a Target,
    window: Window,
    candidates: &'a [Candidate],
    /// The formulas of instructions that write one bit, each once.
    formulas: Vec<&'a Formula>,
    /// For each candidate that writes one bit: the bit, and its formula by index.
    singles: Vec<Option<(BitId, usize)>>,
    /// The bits with a goal that is not constant.
    varying: u64,
    /// How many of these, and how many bits at all, one instruction can write.
    most: [u32; 2],
    /// The least cost of an instruction.
    least: u32,
    /// The number of trials left.
    left: u64,
    path: Vec<usize>,
}

impl Search<'_> {
    /// The bits that do not hold what they must.
    fn unmet(&self, bits: &Bits) -> u64 {
        let differs = |(bit, goal): &&(BitId, Table)| bits[bit.0] != Some(*goal);
        self.window.goals.iter().filter(differs).fold(0, |all, (bit, _)| all | 1 << bit.0)
    }

    /// Whether at most `cost` and `cycles` lead from these bits to the goals; then `path` holds the instructions. What was written and
    /// not read yet is `pending`: something must still read it.
    fn go(&mut self, bits: &Bits, unmet: u64, pending: u64, [cost, cycles]: [u32; 2]) -> bool {
        if unmet == 0 {
            return true;
        }
        let steps = cost / self.least;
        let needs = |count: u32, most: u32| count > most.saturating_mul(steps);
        if needs((unmet & self.varying).count_ones(), self.most[0]) || needs(unmet.count_ones(), self.most[1])
        {
            return false;
        }
        // Whether every step that is left must write a goal that is not constant, or some goal.
        let tight = (unmet & self.varying).count_ones() > self.most[0].saturating_mul(steps - 1);
        let mut values: Vec<Option<Option<Table>>> = vec![None; self.formulas.len()];
        for at in 0..self.candidates.len() {
            let candidate = &self.candidates[at];
            let last = cost - candidate.cost.min(cost) < self.least;
            let useless = candidate.cost > cost
                || candidate.cycles > cycles
                || pending & candidate.writes & !candidate.reads != 0
                || tight && candidate.writes & unmet & self.varying == 0
                || last && (unmet & !candidate.writes != 0 || pending & !candidate.reads != 0)
                || self.is_out_of_order(at);
            if useless {
                continue;
            }
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            let Some(new) = self.after(at, bits, last, &mut values) else { continue };
            let still = self.unmet(&new);
            if last && still != 0 {
                continue;
            }
            // Of several results one may be useless.
            let all = candidate.constant || candidate.writes.count_ones() == 1;
            let met = !still & self.goals();
            let pending = pending & !candidate.reads | if all { candidate.writes & !met } else { 0 };
            let left = [cost - candidate.cost, cycles - candidate.cycles];
            self.path.push(at);
            if self.go(&new, still, pending, left) {
                return true;
            }
            self.path.pop();
        }
        false
    }

    /// The bits after a candidate; `None` if that changes nothing, or if it is the last and writes no goal. `values` are those
    /// of formulas that were computed for these bits before.
    fn after(
        &mut self,
        at: usize,
        bits: &Bits,
        last: bool,
        values: &mut [Option<Option<Table>>],
    ) -> Option<Bits> {
        let Some((bit, formula)) = self.singles[at] else {
            let mut new = bits.clone();
            for effect in &self.candidates[at].effects {
                apply(self.target, effect, &mut new, &mut self.window.atoms);
            }
            return (new != *bits).then_some(new);
        };
        let value = *values[formula]
            .get_or_insert_with(|| table(self.formulas[formula], bits, &mut self.window.atoms));
        let goal = || self.window.goals.iter().find(|(own, _)| *own == bit).map(|(_, goal)| *goal);
        if value.is_none() || value == bits[bit.0] || last && value != goal() {
            return None;
        }
        let mut new = bits.clone();
        new[bit.0] = value;
        Some(new)
    }

    fn goals(&self) -> u64 {
        self.window.goals.iter().fold(0, |all, (bit, _)| all | 1 << bit.0)
    }

    /// Whether an instruction and the last one do not depend on each other and stand in the order that is not tried.
    fn is_out_of_order(&self, at: usize) -> bool {
        let Some(last) = self.path.last().filter(|last| at < **last) else { return false };
        let (one, other) = (&self.candidates[*last], &self.candidates[at]);
        one.writes & (other.reads | other.writes) == 0 && other.writes & one.reads == 0
    }
}

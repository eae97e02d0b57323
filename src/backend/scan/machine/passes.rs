//! The cost of a plan on a processor that computes whole rows, several values at a time: one loop for each step or output.

use super::finish::{Division, Finish};
use super::lower::{fused, read_again, upright};
use super::{Cost, Fold, Output, Overflow, Plan, PlanStep, RowCosts, ScanMachine, Storage, Term};

impl Cost {
    /// The operations of all passes, and their cost without memory.
    ///
    /// An operation on values of n bits costs n/8 times as much as on values of 8 bits, because a vector register holds
    /// fewer. Loads and stores cost by the width of the row, and another operation where the loop computes in another width.
    pub(super) fn of_passes(plan: &Plan, machine: &ScanMachine, rows: RowCosts) -> Self {
        let unrolled = plan.without_windows();
        let (fused, upright) = (fused(&unrolled), upright(&unrolled));
        let mut passes = Passes::new(&unrolled, machine, rows);
        for (number, step) in unrolled.steps.iter().enumerate() {
            if let PlanStep::Fold { terms, back } = step
                && fused[number].is_none()
            {
                let storage = unrolled.storage[number];
                passes.step(terms, *back, storage, upright[number]);
                passes.share(read_again(&unrolled, number) as u64, storage);
            }
        }
        for (index, output) in unrolled.outputs.iter().enumerate() {
            let source = output.source;
            let plain = Term { source, offset: [0; 3], weight: unrolled.fold.neutral_weight() };
            let terms = match &unrolled.steps[source] {
                PlanStep::Fold { terms, .. } if fused[source] == Some(index) => terms.clone(),
                _ => vec![plain],
            };
            let plain = output.offset[0] == 0 && terms.iter().all(|t| t.offset[0] == 0 && upright[t.source]);
            passes.output(&terms, &finish(&unrolled, output), plain);
        }
        passes.copies();
        passes.cost
    }

    /// The operations that make each result from the value of its step, in the pass that writes it: factor, rounding, division and
    /// bias, without the limits of its type.
    pub(super) fn of_finishes(plan: &Plan, machine: &ScanMachine, rows: RowCosts) -> Vec<Self> {
        let unrolled = plan.without_windows();
        let cost = |output: &Output| {
            let mut passes = Passes::new(&unrolled, machine, rows);
            passes.scale(&finish(&unrolled, output));
            passes.cost
        };
        unrolled.outputs.iter().map(cost).collect()
    }
}

/// The arithmetic of an output of a plan.
fn finish(plan: &Plan, output: &Output) -> Finish {
    Finish::of(output, plan.storage[output.source], plan.ranges[output.source], Overflow::Saturate)
}

struct Passes<'a> {
    plan: &'a Plan,
    machine: &'a ScanMachine,
    rows: RowCosts,
    cost: Cost,
    /// The inputs that a pass reads with their border.
    copied: Vec<bool>,
}

impl<'a> Passes<'a> {
    fn new(plan: &'a Plan, machine: &'a ScanMachine, rows: RowCosts) -> Self {
        Self { plan, machine, rows, cost: Cost::default(), copied: vec![false; plan.steps.len()] }
    }

    fn step(&mut self, terms: &[Term], back: Option<[i32; 3]>, storage: Storage, upright: bool) {
        self.cost.total += self.rows.pass;
        self.terms(terms, storage, upright);
        if let Some(back) = back {
            self.add(1, storage);
            if back[1] == 0 {
                self.cost.total += self.rows.scalar;
            } else {
                self.load(storage, storage);
            }
        }
        self.load(storage, storage);
    }

    /// Takes off what is read once for two rows that are computed in one loop, which is `again` rows of images.
    ///
    /// That extremes of these rows are shared, too, is not taken off: it pays where rows are short, but many rows of an image, whose
    /// lengths are powers of two, drive one another from the cache.
    fn share(&mut self, again: u64, storage: Storage) {
        if self.rows.in_pairs {
            let pixel = self.plan.pixel.storage();
            let converted = if pixel.bits == storage.bits { 0 } else { self.machine.shift * lanes(storage) };
            self.cost.total -= again * (self.machine.load * lanes(pixel) + converted) / 2;
        }
    }

    fn output(&mut self, terms: &[Term], finish: &Finish, upright: bool) {
        self.cost.total += self.rows.pass;
        let working = finish.dividend;
        self.terms(terms, working, upright);
        self.scale(finish);
        self.add(finish.limits.iter().flatten().count() as u64, working);
        self.load(finish.pixel, working);
    }

    /// The factor, the rounding, the division and the bias of a result.
    fn scale(&mut self, finish: &Finish) {
        let working = finish.dividend;
        self.add(u64::from(finish.added != 0), working);
        if let Some(down) = finish.real {
            // One factor in single precision.
            self.multiply(if down == 1 { finish.up } else { i64::MAX }, working);
            return;
        }
        self.multiply(finish.up, working);
        match finish.division {
            Division::None => {}
            Division::Shift(_) => self.shift(working),
            Division::Multiply { bits, .. } => {
                // The upper half of a product of 32 bits takes two multiplications and their combination.
                let products = if bits > 16 { 4 } else { 1 };
                self.cost.multiplications += 1;
                self.cost.total += products * self.machine.multiplication * lanes(working);
            }
            Division::Plain(_) => {
                self.cost.multiplications += 1;
                self.cost.total += self.rows.scalar;
            }
        }
    }

    /// The inputs that are copied, to have a border.
    fn copies(&mut self) {
        for number in (0..self.copied.len()).filter(|number| self.copied[*number]).collect::<Vec<_>>() {
            let storage = self.plan.storage[number];
            self.cost.total += self.rows.pass;
            self.load(storage, storage);
            self.load(storage, storage);
        }
    }

    /// The fold of terms.
    fn terms(&mut self, terms: &[Term], working: Storage, upright: bool) {
        for term in terms {
            self.load(self.plan.storage[term.source], working);
            self.copied[term.source] |=
                !upright && matches!(self.plan.steps[term.source], PlanStep::Input(_));
        }
        self.add(terms.len().saturating_sub(1) as u64, working);
        let mut weights: Vec<i64> = terms.iter().map(|term| term.weight.abs()).collect();
        weights.sort_unstable();
        if self.plan.fold == Fold::Sum {
            // Values of equal weight are added first.
            weights.dedup();
            weights.into_iter().for_each(|weight| self.multiply(weight, working));
        } else {
            self.add(weights.iter().filter(|weight| **weight != 0).count() as u64, working);
        }
    }

    fn multiply(&mut self, weight: i64, working: Storage) {
        match weight.unsigned_abs() {
            0 | 1 => {}
            weight if weight.is_power_of_two() => self.shift(working),
            _ => {
                self.cost.multiplications += 1;
                self.cost.total += self.machine.multiplication * lanes(working);
            }
        }
    }

    fn add(&mut self, count: u64, working: Storage) {
        self.cost.additions += count;
        self.cost.total += count * self.machine.addition * lanes(working);
    }

    fn shift(&mut self, working: Storage) {
        self.cost.shifts += 1;
        self.cost.total += self.machine.shift * lanes(working);
    }

    /// A load or store of a row of `storage`, in a loop that computes in `working`.
    fn load(&mut self, storage: Storage, working: Storage) {
        self.cost.loads += 1;
        self.cost.total += self.machine.load * lanes(storage);
        if storage.bits != working.bits {
            self.cost.total += self.machine.shift * lanes(working);
        }
    }
}

/// The width of values, in multiples of 8 bits.
fn lanes(storage: Storage) -> u64 {
    storage.bytes()
}

//! The cost of a plan per output pixel in the steady state, and the size of its delay lines.

use super::{Output, Plan, PlanStep, ScanMachine};
use crate::algebra::Offset;

/// Operations per output pixel, bytes, and their total cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cost {
    /// Additions and subtractions; maxima, minima and disjunctions.
    pub additions: u64,
    /// Multiplications and divisions by constants that are not powers of two.
    pub multiplications: u64,
    /// Multiplications and divisions by powers of two.
    pub shifts: u64,
    /// Values from delay lines, and pixels.
    pub loads: u64,
    /// Bytes of all delay lines, for rows of the descriptor's length.
    pub bytes: u64,
    /// The weighted sum, in thousandths of the descriptor's unit.
    pub total: u64,
}

/// The number of pixels from the origin to an offset in scan order.
fn position([x, y, _]: Offset, width: i64) -> i64 {
    i64::from(x) - i64::from(y) * width
}

/// The number of pixels by which each step must be ahead of the results, as its first reader requires.
fn leads(plan: &Plan, width: i64) -> Vec<i64> {
    let mut leads = vec![i64::MIN; plan.steps.len()];
    for output in &plan.outputs {
        leads[output.source] = leads[output.source].max(position(output.offset, width));
    }
    for (number, step) in plan.steps.iter().enumerate().rev() {
        for (source, offset) in step.reads() {
            leads[source] = leads[source].max(leads[number] + position(offset, width));
        }
    }
    leads
}

/// The delay lines of a plan.
struct DelayLines {
    /// The length of each step's line, in pixels.
    lengths: Vec<u64>,
    /// The values read, as (step, delay).
    loads: Vec<(usize, i64)>,
}

impl DelayLines {
    fn new(steps: usize) -> Self {
        Self { lengths: vec![0; steps], loads: Vec::new() }
    }

    /// Records a read of the value of a step from `delay` pixels ago.
    fn read(&mut self, step: usize, delay: i64) {
        self.lengths[step] = self.lengths[step].max(delay.max(0) as u64);
        if delay > 0 {
            self.loads.push((step, delay));
        }
    }

    /// The number of distinct values read.
    fn loads(&mut self) -> u64 {
        self.loads.sort_unstable();
        self.loads.dedup();
        self.loads.len() as u64
    }
}

impl Cost {
    /// The cost of a plan on a machine.
    ///
    /// Every step is computed once per pixel, as late as its first reader allows. A delay line is as long as the time
    /// since the value was computed, in pixels. A value computed for the same pixel costs no load.
    pub fn of(plan: &Plan, machine: &ScanMachine) -> Self {
        let width = machine.width as i64;
        let leads = leads(plan, width);
        let mut cost = Self::default();
        let mut lines = DelayLines::new(plan.steps.len());
        for (number, step) in plan.steps.iter().enumerate() {
            for (source, offset) in step.reads() {
                lines.read(source, leads[source] - leads[number] - position(offset, width));
            }
            cost.add_step(plan, number, width as u64);
            if let PlanStep::Fold { back: Some(back), .. } = step {
                let delay = -position(*back, width);
                // The value of the previous pixel costs no load.
                if delay > 1 {
                    lines.read(number, delay);
                }
            }
        }
        for output in &plan.outputs {
            lines.read(output.source, leads[output.source] - position(output.offset, width));
            let own = Self::of_output(output);
            cost.additions += own.additions;
            cost.multiplications += own.multiplications;
            cost.shifts += own.shifts;
        }
        for ((step, length), storage) in plan.steps.iter().zip(&lines.lengths).zip(&plan.storage) {
            if !(machine.resident && matches!(step, PlanStep::Input(_))) {
                cost.bytes += length * storage.bytes();
            }
        }
        if let Some(rows) = machine.rows {
            return Self { bytes: cost.bytes, ..Self::of_passes(plan, machine, rows) }.with_memory(machine);
        }
        cost.loads += lines.loads();
        cost.total = cost.additions * machine.addition
            + cost.multiplications * machine.multiplication
            + cost.shifts * machine.shift
            + cost.loads * machine.load;
        cost.with_memory(machine)
    }

    fn with_memory(self, machine: &ScanMachine) -> Self {
        Self { total: self.total + self.bytes * machine.kibibyte / 1024, ..self }
    }

    /// Adds the operations of a step, and its memory besides delay lines. `width` is the length of a row.
    fn add_step(&mut self, plan: &Plan, number: usize, width: u64) {
        match &plan.steps[number] {
            PlanStep::Input(_) => self.loads += 1,
            PlanStep::Fold { terms, back } => {
                let positive = back.is_some() || terms.iter().any(|term| term.weight > 0);
                let summands = terms.len() + usize::from(back.is_some());
                self.additions += summands.saturating_sub(1) as u64;
                if plan.fold == super::Fold::Sum {
                    self.additions += u64::from(!positive && !terms.is_empty());
                    for weight in terms.iter().map(|term| term.weight.unsigned_abs()) {
                        self.shifts += u64::from(weight > 1 && weight.is_power_of_two());
                        self.multiplications += u64::from(!weight.is_power_of_two());
                    }
                } else {
                    self.additions += terms.iter().filter(|term| term.weight != 0).count() as u64;
                }
            }
            PlanStep::Window { step, length, .. } => {
                // Van Herk's algorithm keeps the suffixes of one block and the prefix of the next.
                let unit = if step[0] != 0 { 1 } else { width };
                self.additions += 3;
                self.loads += 2;
                self.bytes += (*length as u64 + 1) * unit * plan.storage[number].bytes();
            }
        }
    }

    /// The operations that make each result of a plan from the value of its step, as [`Cost::of`] counts them.
    pub fn of_outputs(plan: &Plan, machine: &ScanMachine) -> Vec<Self> {
        match machine.rows {
            Some(rows) => Self::of_finishes(plan, machine, rows),
            None => plan.outputs.iter().map(Self::of_output).collect(),
        }
    }

    /// The operations that make a result from the value of its step: factor, rounding, division and bias.
    ///
    /// A division by a constant that is not a power of two is a multiplication by its reciprocal. For integers, the upper
    /// half of that product is also shifted. Limiting a result to its type is not counted, because every plan does it.
    pub fn of_output(output: &Output) -> Self {
        let (up, down) = (output.scale.numerator().unsigned_abs(), output.scale.denominator().unsigned_abs());
        let float = output.pixel.float;
        let rounds = down > 1 && !float;
        let reciprocal = !down.is_power_of_two();
        // The rounding constant can be added to the negated value as well.
        let negates = output.scale.numerator() < 0 && up.is_power_of_two() && !rounds;
        Self {
            additions: u64::from(rounds) + u64::from(negates) + u64::from(output.bias != 0),
            multiplications: u64::from(up > 0 && !up.is_power_of_two()) + u64::from(reciprocal),
            shifts: u64::from(up > 1 && up.is_power_of_two())
                + u64::from(down > 1 && (!reciprocal || !float)),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;
    use crate::backend::scan::machine::Pixel;

    #[test]
    fn the_scale_of_an_output_costs_what_its_code_does() {
        let cost = |up: i64, down: i64, pixel: Pixel| {
            let scale = Rational::new(up, down).unwrap();
            let output = Output {
                name: "out".to_owned(),
                source: 0,
                offset: [0; 3],
                scale,
                bias: 0,
                pixel,
                is_table: false,
            };
            let cost = Cost::of_output(&output);
            [cost.additions, cost.multiplications, cost.shifts]
        };
        for (up, down, expected) in [
            (1, 1, [0, 0, 0]),
            (693, 1, [0, 1, 0]),
            (-693, 1, [0, 1, 0]),
            (8, 1, [0, 0, 1]),
            (-1, 1, [1, 0, 0]),
            (1, 16, [1, 0, 1]),
            (-1, 16, [1, 0, 1]),
            (1, 225, [1, 1, 1]),
            (3, 10, [1, 2, 1]),
        ] {
            assert_eq!(cost(up, down, Pixel::UINT8), expected, "{up}/{down}");
        }
        assert_eq!(cost(1, 225, Pixel::FLOAT32), [0, 1, 0]);
        assert_eq!(cost(1, 16, Pixel::FLOAT32), [0, 0, 1]);
    }
}

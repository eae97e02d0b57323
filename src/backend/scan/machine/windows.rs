//! Windows as folds of folds: the form in which code computes them.

use super::{Fold, Plan, PlanStep, Term};
use crate::algebra::Offset;

/// The number of values in the folds that double.
const GROUP: usize = 4;

impl Plan {
    /// The same plan with each window made of folds of four, of sixteen, and so on. Compilers vectorise these, but not the
    /// prefixes and suffixes of van Herk's algorithm, which take fewer operations.
    pub fn without_windows(&self) -> Self {
        let mut plan = Self { steps: Vec::new(), storage: Vec::new(), ranges: Vec::new(), ..self.clone() };
        let mut numbers = Vec::with_capacity(self.steps.len());
        for (number, step) in self.steps.iter().enumerate() {
            let mut add = |step: PlanStep| {
                plan.steps.push(step);
                plan.storage.push(self.storage[number]);
                plan.ranges.push(self.ranges[number]);
                plan.steps.len() - 1
            };
            let own = match step {
                PlanStep::Input(_) => add(step.clone()),
                PlanStep::Fold { terms, back } => {
                    let terms = terms.iter().map(|term| Term { source: numbers[term.source], ..*term });
                    add(PlanStep::Fold { terms: terms.collect(), back: *back })
                }
                PlanStep::Window { source, step, length } => {
                    let (mut source, mut held) = (numbers[*source], 1);
                    while *length > 2 * GROUP * held {
                        let places = (0..GROUP).map(|index| index * held);
                        source = add(fold(self.fold, source, *step, places));
                        held *= GROUP;
                    }
                    let places = (0..length.div_ceil(held)).map(|index| (index * held).min(length - held));
                    add(fold(self.fold, source, *step, places))
                }
            };
            numbers.push(own);
        }
        for output in &mut plan.outputs {
            output.source = numbers[output.source];
        }
        plan
    }
}

/// The fold of a step's values at places along a line.
fn fold(fold: Fold, source: usize, step: Offset, places: impl Iterator<Item = usize>) -> PlanStep {
    let terms = places.map(|place| Term {
        source,
        offset: step.map(|along| along * place as i32),
        weight: fold.neutral_weight(),
    });
    PlanStep::Fold { terms: terms.collect(), back: None }
}

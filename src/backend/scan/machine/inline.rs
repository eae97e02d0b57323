//! Steps computed where they are read, instead of in a loop of their own.

use std::collections::BTreeMap;

use super::{Fold, Plan, PlanStep, Term};
use crate::algebra::{Offset, add_offsets};

/// The greatest number of terms of a step that others are computed in.
const MOST: usize = 512;

impl Plan {
    /// The same plan with a step computed anew wherever other steps read it. `None` if a recurrence or an output needs it, or
    /// a number leaves the exact range.
    pub fn inlined(&self, step: usize) -> Option<Self> {
        let PlanStep::Fold { terms: own, back: None } = &self.steps[step] else { return None };
        if self.outputs.iter().any(|output| output.source == step) {
            return None;
        }
        let mut plan = self.clone();
        for reader in &mut plan.steps {
            match reader {
                PlanStep::Fold { terms, .. } if terms.iter().any(|term| term.source == step) => {
                    *terms = expanded(self.fold, terms, step, own)?;
                }
                PlanStep::Window { source, .. } if *source == step => return None,
                _ => {}
            }
        }
        plan.remove(step);
        Some(plan)
    }

    /// Removes a step that no other reads.
    fn remove(&mut self, step: usize) {
        self.steps.remove(step);
        self.storage.remove(step);
        self.ranges.remove(step);
        let renumber = |source: &mut usize| *source -= usize::from(*source > step);
        for reader in &mut self.steps {
            match reader {
                PlanStep::Fold { terms, .. } => terms.iter_mut().for_each(|term| renumber(&mut term.source)),
                PlanStep::Window { source, .. } => renumber(source),
                PlanStep::Input(_) => {}
            }
        }
        self.outputs.iter_mut().for_each(|output| renumber(&mut output.source));
    }
}

/// The terms with those of a step in its place.
fn expanded(fold: Fold, terms: &[Term], step: usize, own: &[Term]) -> Option<Vec<Term>> {
    let mut merged: BTreeMap<(usize, Offset), i64> = BTreeMap::new();
    let mut add = |term: Term| {
        let weight = merged.entry((term.source, term.offset));
        match fold {
            Fold::Sum => {
                let sum = weight.or_insert(0);
                *sum = sum.checked_add(term.weight)?;
            }
            Fold::Greatest | Fold::Either => {
                weight.and_modify(|known| *known = (*known).max(term.weight)).or_insert(term.weight);
            }
            Fold::Least => {
                weight.and_modify(|known| *known = (*known).min(term.weight)).or_insert(term.weight);
            }
        }
        Some(())
    };
    for term in terms {
        if term.source != step {
            add(*term)?;
            continue;
        }
        for inner in own {
            let weight = match fold {
                Fold::Sum => inner.weight.checked_mul(term.weight)?,
                _ => inner.weight.checked_add(term.weight)?,
            };
            add(Term { source: inner.source, offset: add_offsets(inner.offset, term.offset).ok()?, weight })?;
        }
    }
    let kept = merged.into_iter().filter(|(_, weight)| fold != Fold::Sum || *weight != 0);
    let terms: Vec<Term> = kept.map(|((source, offset), weight)| Term { source, offset, weight }).collect();
    (terms.len() <= MOST && !terms.is_empty()).then_some(terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_expanded_in_its_readers() {
        let term = |source: usize, x: i32, weight: i64| Term { source, offset: [x, 0, 0], weight };
        let pair = [term(0, 0, 1), term(0, 1, 1)];
        // (1 + x) of (1 + x), and of (1 - x): equal places are merged, and what cancels goes.
        let squared = expanded(Fold::Sum, &[term(1, 0, 1), term(1, 1, 1)], 1, &pair).unwrap();
        assert_eq!(squared, [term(0, 0, 1), term(0, 1, 2), term(0, 2, 1)]);
        let difference = expanded(Fold::Sum, &[term(1, 0, 1), term(1, 1, -1)], 1, &pair).unwrap();
        assert_eq!(difference, [term(0, 0, 1), term(0, 2, -1)]);
        let raised = [term(0, 0, 3), term(0, 1, 0)];
        let most = expanded(Fold::Greatest, &[term(1, 0, 0), term(1, 1, 1)], 1, &raised).unwrap();
        assert_eq!(most, [term(0, 0, 3), term(0, 1, 4), term(0, 2, 1)]);
        assert_eq!(expanded(Fold::Sum, &[term(1, 0, i64::MAX)], 1, &[term(0, 0, 2)]), None);
    }
}

//! Rules about several outputs of a filter at once: each pattern matches at a different output, and each right side is added
//! to the e-class of its output.

use egg::Id;

use super::choices::{Visit, choice};
use super::matcher::{Binding, matches_at};
use super::plan::{NoPlan, Plan};
use super::run::{Halt, Run, print_sides};
use crate::algebra::Label;
use crate::rule::{Rewrite, Rule};

/// The number of choices of outputs at which a rule is tried in an iteration: n outputs are n!/(n − k)! choices of k. The
/// others wait for the next iterations.
const MAX_CHOICES: usize = 1024;

/// The number of choices that an iteration looks at, most of which may not be new.
const MAX_SEEN: usize = 1 << 16;

impl Run<'_> {
    /// Applies a rule to choices of different outputs, one per pattern, that include an output that changed. What is left
    /// of one visit comes before what has changed since it began.
    pub(super) fn apply_outputs(
        &mut self,
        index: usize,
        rule: &Rule,
        rewrites: &[Rewrite],
    ) -> Result<(), Halt> {
        let mut visit = std::mem::take(&mut self.state.visits[index]);
        if visit.is_over() {
            visit = Visit { changed: std::mem::take(&mut self.state.queues[index]), next: 0 };
        }
        if visit.is_over() {
            return Ok(());
        }
        let result = self.resume(index, rule, rewrites, &mut visit);
        self.state.visits[index] = visit;
        result
    }

    /// Continues a visit up to the limits of an iteration, or to its end.
    fn resume(
        &mut self,
        index: usize,
        rule: &Rule,
        rewrites: &[Rewrite],
        visit: &mut Visit,
    ) -> Result<(), Halt> {
        let mut tried = 0;
        for _ in 0..MAX_SEEN {
            let Some(choice) = choice(&self.state.outputs, rewrites.len(), visit.next) else {
                *visit = Visit::default();
                return Ok(());
            };
            if choice.iter().any(|(_, id)| visit.changed.contains(id)) {
                if tried == MAX_CHOICES {
                    return Ok(());
                }
                tried += 1;
                let found = matches_at(self.graph, rewrites, &choice, rule.budget, &self.limits.budget);
                self.check_budget()?;
                found.iter().try_for_each(|bindings| self.add_outputs(index, rewrites, &choice, bindings))?;
            }
            visit.next += 1;
        }
        Ok(())
    }

    /// Adds the right sides of one match, each to its output.
    fn add_outputs(
        &mut self,
        index: usize,
        rewrites: &[Rewrite],
        choice: &[(Label, Id)],
        bindings: &[Binding],
    ) -> Result<(), Halt> {
        let plans: Vec<Result<Plan, NoPlan>> = rewrites
            .iter()
            .zip(choice)
            .map(|(rewrite, (label, _))| Plan::of_output(self.graph, rewrite, bindings, *label))
            .collect();
        for ((plan, rewrite), (_, id)) in plans.into_iter().zip(rewrites).zip(choice) {
            self.add_plan(index, *id, plan, |graph| print_sides(graph, rewrite, bindings))?;
        }
        Ok(())
    }
}

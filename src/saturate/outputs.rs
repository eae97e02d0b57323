//! Rules about several outputs of a filter at once: each pattern matches at a different output, and each right side is added
//! to the e-class of its output.

use egg::Id;

use super::graph::Graph;
use super::matcher::{Binding, matches_at};
use super::plan::{NoPlan, Plan};
use super::run::{Halt, Run, print_binding};
use crate::algebra::Label;
use crate::rule::{Rewrite, Rule, VariableId};

/// The maximum number of choices of outputs that a rule visits in an iteration: n outputs are n!/(n − k)! choices of k.
const MAX_CHOICES: usize = 1024;

impl Run<'_> {
    /// Applies a rule to every choice of different outputs, one per pattern, that includes an output in its queue.
    pub(super) fn apply_outputs(
        &mut self,
        index: usize,
        rule: &Rule,
        rewrites: &[Rewrite],
    ) -> Result<(), Halt> {
        let queue = std::mem::take(&mut self.state.queues[index]);
        let choices = choices(&self.state.outputs, rewrites.len());
        let mut new = choices.iter().filter(|choice| choice.iter().any(|(_, id)| queue.contains(id)));
        let result = new.by_ref().take(MAX_CHOICES).try_for_each(|choice| {
            let found = matches_at(self.graph, rewrites, choice, rule.budget, &self.limits.budget);
            self.check_budget()?;
            found.iter().try_for_each(|bindings| self.add_outputs(index, rewrites, choice, bindings))
        });
        if result.is_err() {
            self.state.queues[index] = queue;
        }
        result
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
            let terms = |graph: &Graph| {
                let name = |variable: VariableId| print_binding(graph, &bindings[variable.0]);
                (rewrite.lhs.print_with(&name), rewrite.rhs.print_with(&name))
            };
            self.add_plan(index, *id, plan, terms)?;
        }
        Ok(())
    }
}

/// All ways to choose `count` outputs of different e-classes, in order.
fn choices(outputs: &[(Label, Id)], count: usize) -> Vec<Vec<(Label, Id)>> {
    (0..count).fold(vec![Vec::new()], |choices, _| {
        let longer = choices.iter().flat_map(|choice: &Vec<(Label, Id)>| {
            let unused = outputs.iter().filter(|(_, id)| choice.iter().all(|(_, used)| used != id));
            unused.map(|output| choice.iter().copied().chain([*output]).collect())
        });
        longer.take(MAX_CHOICES).collect()
    })
}

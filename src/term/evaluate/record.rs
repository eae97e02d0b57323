//! The traces of values over other channels: the trace of a term with values substituted for the channels it reads.

use std::collections::BTreeMap;

use super::apply::combine;
use super::{Domain, Evaluator, Made, One, Row, Single};

impl<D: Domain> Evaluator<'_, D> {
    /// A value recorded without its parts.
    pub(super) fn written_out(&mut self, single: Single<D::Kernel>) -> One<D::Kernel> {
        let at = self.trace.push(&single, Made::WrittenOut);
        One::new(single, at)
    }

    /// The plain kernel `one` applied to one of several channels.
    pub(super) fn on_channel(
        &mut self,
        one: &One<D::Kernel>,
        kernel: &D::Kernel,
        index: usize,
        channels: usize,
    ) -> One<D::Kernel> {
        let alone = |kernel: Option<&D::Kernel>| -> Row<D::Kernel> {
            (0..channels).map(|i| kernel.filter(|_| i == index).cloned()).collect()
        };
        let mut known = BTreeMap::new();
        for at in self.trace.applied_to_channels(one.at) {
            let kernel = self.trace.kernels(at).first().copied().flatten();
            let single = Single::Row(alone(kernel));
            let made = self.trace.made(at).with(&known);
            known.insert(at, self.trace.push(&single, made));
        }
        let at = known.get(&one.at).copied().unwrap_or_default();
        One { single: Single::Row(alone(Some(kernel))), stores: one.stores.clone(), at }
    }

    /// Records the value at `at` applied to `outputs`: made as before, with the outputs substituted for its channels. Returns
    /// its place, or `None` if a part of it has no exact kernel.
    pub(super) fn over(
        &mut self,
        at: usize,
        outputs: &[(String, One<D::Kernel>)],
        channels: usize,
    ) -> Option<usize> {
        let mut known = BTreeMap::new();
        for at in self.trace.applied_to_channels(at) {
            let row: Row<D::Kernel> = self.trace.kernels(at).into_iter().map(|k| k.cloned()).collect();
            let single = Single::Row(combine(&self.domain, &row, outputs, channels).ok()?);
            let made = match self.trace.made(at) {
                Made::WrittenOut => self.of_outputs(&row, outputs)?,
                made => made.with(&known),
            };
            known.insert(at, self.trace.push(&single, made));
        }
        known.get(&at).copied()
    }

    /// Σ row[i] ∘ outputs[i], as a sum of compositions.
    fn of_outputs(&mut self, row: &Row<D::Kernel>, outputs: &[(String, One<D::Kernel>)]) -> Option<Made> {
        let mut terms = Vec::new();
        for (kernel, (_, output)) in row.iter().zip(outputs) {
            let Some(kernel) = kernel else { continue };
            let outer = self.written_out(Single::Plain(kernel.clone())).at;
            let value = output.map(&|each| self.domain.compose(kernel, each)).ok()?;
            terms.push((value, Made::Compose(outer, output.at)));
        }
        match &mut terms[..] {
            [(_, made)] => Some(made.clone()),
            _ => {
                let terms = terms.into_iter().map(|(value, made)| self.trace.push(&value.single, made));
                Some(Made::Sum(terms.collect()))
            }
        }
    }
}

//! Folds as the cells of all their steps.

use super::refusal::refusal;
use super::{Lowered, Lowering};
use crate::backend::hardware::machine::{Operand, Operation as Made};
use crate::backend::hardware::schedule::extremes::add_extreme;
use crate::pipeline::{Comparison, Distance, Fold, NodeId, Operation, VariableId};
use crate::syntax::Diagnostic;

impl Lowering<'_> {
    /// The present value of a variable.
    pub(super) fn variable(&self, id: NodeId) -> Result<i32, Box<Diagnostic>> {
        let node = self.pipeline.node(id);
        let value = match node.operation {
            Operation::Variable(variable) => self.values[variable.0],
            _ => None,
        };
        value.ok_or_else(|| refusal(node.span, "a variable outside of its fold"))
    }

    /// Distances for the present values of variables.
    pub(super) fn distances(&self, id: NodeId, of: &[Distance; 2]) -> Result<[i32; 2], Box<Diagnostic>> {
        let values: Vec<i32> = self.values.iter().map(|value| value.unwrap_or(0)).collect();
        let [x, y] = of.each_ref().map(|distance| i32::try_from(distance.value(&values)).ok());
        x.zip(y).map(<[i32; 2]>::from).ok_or_else(|| refusal(self.pipeline.node(id).span, "such a distance"))
    }

    /// A fold: its operand for all values of its variables, combined.
    pub(super) fn fold(&mut self, id: NodeId, fold: Fold, own: &[VariableId], of: NodeId) -> Lowered {
        let (stride, plane) = (self.stride, self.plane);
        let steps = self.steps(own, of);
        let mut values: Vec<(Operand, i32)> = Vec::new();
        let firsts = own.iter().map(|variable| self.pipeline.variables[variable.0].first);
        let mut at: Vec<i32> = firsts.collect();
        loop {
            own.iter().zip(&at).for_each(|(variable, value)| self.values[variable.0] = Some(*value));
            for step in &steps {
                self.lower(*step)?;
            }
            (self.stride, self.plane) = (stride, plane);
            let operand = self.operand(of)?;
            let factor = self.denominator(id) / self.denominator(of);
            let is_place = fold == Fold::ArgumentOfMinimum;
            let operand = if is_place { operand } else { self.over(id, operand, factor)? };
            values.push((operand, at.last().copied().unwrap_or(0)));
            if !self.next(own, &mut at) {
                break;
            }
        }
        own.iter().for_each(|variable| self.values[variable.0] = None);
        self.combined(id, fold, values)
    }

    /// The next values of variables, of which the last changes fastest; whether there are any.
    fn next(&self, own: &[VariableId], at: &mut [i32]) -> bool {
        for (variable, value) in own.iter().zip(at).rev() {
            let variable = &self.pipeline.variables[variable.0];
            *value += 1;
            if *value < variable.end {
                return true;
            }
            *value = variable.first;
        }
        false
    }

    /// The nodes that are made anew for each value of the variables, in order.
    fn steps(&self, own: &[VariableId], of: NodeId) -> Vec<NodeId> {
        let bound = |variable: &VariableId| own.contains(variable) || self.values[variable.0].is_some();
        let mut needed = vec![false; of.index() + 1];
        needed[of.index()] = true;
        for id in (0..=of.index()).rev().map(NodeId::new) {
            let depends = self.pipeline.facts(id).variables.iter().any(|one| own.contains(one));
            needed[id.index()] &= depends;
            if needed[id.index()] {
                let operands = self.pipeline.node(id).operation.operands();
                operands.iter().for_each(|operand| needed[operand.index()] = true);
            }
        }
        let all = (0..=of.index()).map(NodeId::new).filter(|id| needed[id.index()]);
        all.filter(|id| self.pipeline.facts(*id).variables.iter().all(bound)).collect()
    }

    fn combined(&mut self, id: NodeId, fold: Fold, values: Vec<(Operand, i32)>) -> Lowered {
        let stage = self.stages[id.index()].clone();
        let made = match fold {
            Fold::Add => return self.sum(id, values.into_iter().map(|(of, _)| (of, 1)).collect(), 0, true),
            Fold::Minimum => Made::Minimum,
            Fold::Maximum => Made::Maximum,
            Fold::ArgumentOfMinimum => return self.place_of_least(id, values),
        };
        let values: Vec<(Operand, i128)> = values.into_iter().map(|(of, _)| (of, 0)).collect();
        let range = self.range(id);
        add_extreme(&mut self.netlist, &stage, &made, &values, (range, self.blocks))
            .ok_or_else(|| self.too_wide(id))
    }

    /// The number of the least value, of equal ones the first: pairs of values and numbers in a tree.
    fn place_of_least(&mut self, id: NodeId, values: Vec<(Operand, i32)>) -> Lowered {
        let stage = self.stages[id.index()].clone();
        let mut pairs: Vec<[Operand; 2]> =
            values.into_iter().map(|(of, number)| [of, Operand::Number(number.into())]).collect();
        while pairs.len() > 1 {
            let mut next = Vec::new();
            for pair in pairs.chunks(2) {
                let [[a, i], [b, j]] = pair else {
                    next.push(pair[0]);
                    continue;
                };
                let mut add = |operation: Made, operands: Vec<Operand>| {
                    self.netlist.add(&stage, operation, operands, None)
                };
                let chosen = add(Made::Compare(Comparison::AtMost), vec![*a, *b]).and_then(|first| {
                    let least = add(Made::Select, vec![first, *a, *b])?;
                    Some([least, add(Made::Select, vec![first, *i, *j])?])
                });
                next.push(chosen.ok_or_else(|| self.too_wide(id))?);
            }
            pairs = next;
        }
        Ok(pairs[0][1])
    }
}

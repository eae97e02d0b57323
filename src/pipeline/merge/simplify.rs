//! Identities of point-wise operations that intervals prove.

use std::collections::BTreeMap;

use crate::algebra::Rational;
use crate::pipeline::id::NodeId;
use crate::pipeline::{Builder, Comparison, Linear, Node, Number, Operation, Pipeline, Range, Rounding};
use crate::syntax::Span;

/// Copies a pipeline node by node, with simpler operations where they are equal.
struct Simplifier {
    builder: Builder,
    /// For each node of the pipeline, an equal value with the same rate. A known value is a constant without one, but a border
    /// begins where the picture ends.
    rated: Vec<NodeId>,
    applied: BTreeMap<&'static str, usize>,
}

/// A pipeline whose operations are simplified, and what became of each node.
pub(super) struct Simplified {
    pub(super) builder: Builder,
    /// The new node of each node.
    pub(super) map: Vec<NodeId>,
    /// How often each identity applied, by its name.
    pub(super) applied: BTreeMap<&'static str, usize>,
}

/// Simplifies every operation of which intervals prove that a part never acts.
pub(super) fn simplified(pipeline: &Pipeline) -> Simplified {
    let mut simple = Simplifier::new(pipeline);
    let map = pipeline.ids().fold(Vec::new(), |mut map, id| {
        map.push(simple.add(pipeline.node(id), &map));
        map
    });
    Simplified { builder: simple.builder, map, applied: simple.applied }
}

impl Simplifier {
    fn new(pipeline: &Pipeline) -> Self {
        let mut builder = Builder::new(pipeline.inputs.clone(), pipeline.border);
        for variable in &pipeline.variables {
            builder.variable(variable.clone());
        }
        Self { builder, rated: Vec::new(), applied: BTreeMap::new() }
    }

    /// Adds a node whose operands were added as `map` says.
    fn add(&mut self, node: &Node, map: &[NodeId]) -> NodeId {
        let with_rates = node.operation.map(|operand| self.rated[operand.index()]);
        let id = match &with_rates {
            Operation::Border(..) => self.push(node.span, with_rates.clone()),
            _ => self.simpler(node.span, node.operation.map(|operand| map[operand.index()])),
        };
        let id = self.known(node.span, id);
        let keeps_rate = self.builder.facts(id).rate == node.facts.rate;
        let rated = if keeps_rate { id } else { self.push(node.span, with_rates) };
        self.rated.push(rated);
        id
    }

    fn push(&mut self, span: Span, operation: Operation) -> NodeId {
        self.builder.push(span, operation).expect("an equal value was accepted in the pipeline")
    }

    fn note(&mut self, name: &'static str) {
        *self.applied.entry(name).or_default() += 1;
    }

    fn constant(&mut self, span: Span, value: i64) -> NodeId {
        self.push(span, Operation::Constant(Rational::integer(value)))
    }

    /// A value that can only be one number is that number.
    fn known(&mut self, span: Span, id: NodeId) -> NodeId {
        let facts = self.builder.facts(id);
        let is_constant = matches!(self.builder.operation(id), Operation::Constant(_));
        match facts.number {
            Number::Exact(range) if range.is_single() && facts.planes.is_none() && !is_constant => {
                let parts = (i64::try_from(range.least), i64::try_from(range.denominator));
                let (Ok(numerator), Ok(denominator)) = parts else { return id };
                let Some(value) = Rational::new(numerator, denominator) else { return id };
                self.note("known value");
                self.push(span, Operation::Constant(value))
            }
            _ => id,
        }
    }

    fn simpler(&mut self, span: Span, operation: Operation) -> NodeId {
        let range = |of: &Self, id: NodeId| of.builder.facts(id).range();
        match operation {
            Operation::Minimum(list) => self.extreme(span, list, true),
            Operation::Maximum(list) => self.extreme(span, list, false),
            Operation::Absolute(value) => match range(self, value) {
                Some(Range { least: 0.., .. }) => {
                    self.note("absolute value of what is not negative");
                    value
                }
                Some(Range { greatest: ..=0, .. }) => {
                    self.note("absolute value of what is not positive");
                    let minus = self.constant(span, -1);
                    self.push(span, Operation::Multiply(vec![minus, value]))
                }
                _ => self.push(span, operation),
            },
            Operation::Select(condition, then, otherwise) => match range(self, condition) {
                _ if then == otherwise => then,
                Some(Range { least: 1, .. }) => {
                    self.note("known condition");
                    then
                }
                Some(Range { greatest: 0, .. }) => {
                    self.note("known condition");
                    otherwise
                }
                _ => self.push(span, operation),
            },
            Operation::Compare(comparison, a, b) => self.comparison(span, comparison, a, b),
            Operation::Round(_, value) if range(self, value).is_some_and(Range::is_integer) => value,
            Operation::Wrap(pixel, value) => match range(self, value) {
                Some(range) if pixel.holds(range.least, range.greatest) => {
                    self.note("wrap that never acts");
                    value
                }
                _ => self.push(span, operation),
            },
            Operation::Quotient(a, b) => self.quotient(span, a, b),
            Operation::Interleave(period, ref list) => match self.whole(period, list) {
                Some(value) => {
                    self.note("phases interleaved again");
                    value
                }
                None => self.push(span, operation),
            },
            _ => self.push(span, operation),
        }
    }

    /// The least, or the greatest, without operands that never are it.
    fn extreme(&mut self, span: Span, list: Vec<NodeId>, least: bool) -> NodeId {
        let mut flat = Vec::new();
        for id in list {
            match (self.builder.operation(id), least) {
                (Operation::Minimum(inner), true) | (Operation::Maximum(inner), false) => {
                    flat.extend(inner.iter().copied());
                }
                _ => flat.push(id),
            }
        }
        let mut kept: Vec<NodeId> = Vec::new();
        for (index, id) in flat.iter().enumerate() {
            let others = kept.iter().chain(&flat[index + 1..]);
            let beaten = others.copied().any(|other| {
                let (low, high) = if least { (other, *id) } else { (*id, other) };
                other == *id || self.never_above(low, high)
            });
            if beaten { self.note("operand that is never chosen") } else { kept.push(*id) }
        }
        match (kept.as_slice(), least) {
            ([one], _) => *one,
            (_, true) => self.push(span, Operation::Minimum(kept)),
            (_, false) => self.push(span, Operation::Maximum(kept)),
        }
    }

    /// The interval of a − b, by their linear forms.
    fn difference(&self, a: NodeId, b: NodeId) -> Option<Range> {
        let both = [a, b].map(|id| self.builder.facts(id).number);
        if both.contains(&Number::Float) {
            return None;
        }
        let form = Linear::difference(self.builder.linear(a), self.builder.linear(b))?;
        self.builder.range(&form)
    }

    fn never_above(&self, a: NodeId, b: NodeId) -> bool {
        self.difference(a, b).is_some_and(|range| range.greatest <= 0)
    }

    fn comparison(&mut self, span: Span, comparison: Comparison, a: NodeId, b: NodeId) -> NodeId {
        let known = self.difference(a, b).and_then(|range| match comparison {
            Comparison::Less if range.greatest < 0 => Some(1),
            Comparison::Less if range.least >= 0 => Some(0),
            Comparison::AtMost if range.greatest <= 0 => Some(1),
            Comparison::AtMost if range.least > 0 => Some(0),
            Comparison::Equal if range.greatest < 0 || range.least > 0 => Some(0),
            Comparison::Equal if range.is_single() => Some(1),
            _ => None,
        });
        match known {
            Some(value) => {
                self.note("known comparison");
                self.constant(span, value)
            }
            None => self.push(span, Operation::Compare(comparison, a, b)),
        }
    }

    /// A quotient by a constant is a multiple, rounded down.
    fn quotient(&mut self, span: Span, a: NodeId, b: NodeId) -> NodeId {
        let divisor = match self.builder.operation(b) {
            Operation::Constant(value) if self.builder.facts(a).number != Number::Float => Some(*value),
            _ => None,
        };
        let Some(factor) = divisor.and_then(|divisor| Rational::ONE.div(divisor)) else {
            return self.push(span, Operation::Quotient(a, b));
        };
        self.note("quotient by a constant");
        let factor = self.push(span, Operation::Constant(factor));
        let product = self.push(span, Operation::Multiply(vec![factor, a]));
        self.simpler(span, Operation::Round(Rounding::Floor, product))
    }

    /// The value whose phases these are, in order.
    fn whole(&self, period: [u32; 2], list: &[NodeId]) -> Option<NodeId> {
        let mut found = None;
        for (number, id) in (0u32..).zip(list) {
            let at = [number % period[0], number / period[0]];
            match self.builder.operation(*id) {
                Operation::Down { period: own, phase, value } if *own == period && *phase == at => {
                    if found.is_some_and(|before| before != *value) {
                        return None;
                    }
                    found = Some(*value);
                }
                _ => return None,
            }
        }
        found
    }
}

//! Simplifies point-wise operations by identities of rule files, as long as that makes a pipeline cheaper.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::algebra::Rational;
use crate::pipeline::id::NodeId;
use crate::pipeline::identity::{Identity, Nodes, matches};
use crate::pipeline::{Builder, Number, Operation, Pipeline, Range, Rounding};
use crate::syntax::Span;

use super::pattern::patterned;
use super::price::{cost, price_of, uses};

/// The choices of small values that an identity is tried on before it is first used.
const CHOICES: usize = 400;

/// An identity that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsound {
    /// The name of the rule, or of each that was used, one of which does not hold.
    pub rules: Vec<String>,
    /// Values for which its sides differ.
    pub why: String,
}

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rules.as_slice() {
            [rule] => write!(f, "rule `{rule}` is unsound: {}", self.why),
            rules => write!(f, "one of the rules `{}` is unsound: {}", rules.join("`, `"), self.why),
        }
    }
}

impl std::error::Error for Unsound {}

/// A pipeline whose operations are simplified, and what became of each node.
pub(super) struct Simplified {
    pub(super) builder: Builder,
    /// The new node of each node.
    pub(super) map: Vec<NodeId>,
    /// How often each identity applied, by its name.
    pub(super) applied: BTreeMap<String, usize>,
}

/// Applies identities pass by pass, until a pass saves nothing. Each is checked before it is first used.
///
/// # Errors
/// An identity that would be used does not hold.
pub(super) fn simplified(pipeline: &Pipeline, identities: &[Identity]) -> Result<Simplified, Unsound> {
    let outputs = |map: &[NodeId]| -> Vec<NodeId> {
        pipeline.outputs.iter().map(|output| map[output.node.index()]).collect()
    };
    let (source, patterned) = patterned(pipeline);
    let mut checked = BTreeSet::new();
    let mut best = Pass::new(&source, &outputs(&patterned)).run(&[], &mut checked)?;
    best.map = patterned.iter().map(|id| best.map[id.index()]).collect();
    loop {
        let before = outputs(&best.map);
        let next = Pass::new(&best.builder, &before).run(identities, &mut checked)?;
        let map: Vec<NodeId> = best.map.iter().map(|id| next.map[id.index()]).collect();
        if cost(&next.builder, &outputs(&map)) >= cost(&best.builder, &before) {
            return Ok(best);
        }
        for (name, count) in next.applied {
            *best.applied.entry(name).or_default() += count;
        }
        best = Simplified { builder: next.builder, map, applied: best.applied };
    }
}

/// Copies a pipeline node by node, with simpler operations where they are equal.
struct Pass<'s> {
    source: &'s Builder,
    /// How often each node of the source is used.
    uses: Vec<usize>,
    builder: Builder,
    /// The new node of each node of the source.
    map: Vec<NodeId>,
    /// For each node of the source, an equal value with the same rate. A known value is a constant without one, but a border
    /// begins where the picture ends.
    rated: Vec<NodeId>,
    applied: BTreeMap<String, usize>,
}

impl<'s> Pass<'s> {
    fn new(source: &'s Builder, outputs: &[NodeId]) -> Self {
        let (builder, uses) = (source.emptied(), uses(source, outputs));
        Self { source, uses, builder, map: Vec::new(), rated: Vec::new(), applied: BTreeMap::new() }
    }

    fn run<'i>(
        mut self,
        identities: &'i [Identity],
        checked: &mut BTreeSet<&'i str>,
    ) -> Result<Simplified, Unsound> {
        for id in (0..self.source.len()).map(NodeId::new) {
            let made = match self.applied(id, identities) {
                Some((identity, made)) => {
                    if checked.insert(&identity.name)
                        && let Some(why) = identity.check(CHOICES).refuted
                    {
                        return Err(Unsound { rules: vec![identity.name.clone()], why });
                    }
                    *self.applied.entry(identity.name.clone()).or_default() += 1;
                    Some(made)
                }
                None => None,
            };
            self.add(id, made);
        }
        Ok(Simplified { builder: self.builder, map: self.map, applied: self.applied })
    }

    /// The first identity that saves something at a node of the source, and the value that it makes instead.
    fn applied<'i>(&mut self, id: NodeId, identities: &'i [Identity]) -> Option<(&'i Identity, NodeId)> {
        if self.uses[id.index()] == 0 {
            return None;
        }
        let (source, facts) = (self.source, self.source.facts(id));
        identities.iter().find_map(|identity| {
            matches(source, identity, id).into_iter().find_map(|mut found| {
                // What other values need stays.
                found.inner.sort_unstable();
                found.inner.dedup();
                let gone = found.inner.iter().filter(|inner| self.uses[inner.index()] == 1);
                let saved = price_of(source, id) + gone.map(|inner| price_of(source, *inner)).sum::<usize>();
                let meanings = found.mapped(&|id| self.map[id.index()]);
                let before = self.builder.len();
                let mut nodes = Nodes { builder: &mut self.builder, span: source.span(id) };
                let made = identity.rhs.value(&mut nodes, &meanings)?;
                let added: usize =
                    (before..self.builder.len()).map(|new| price_of(&self.builder, NodeId::new(new))).sum();
                (added < saved && self.builder.facts(made).planes == facts.planes).then_some((identity, made))
            })
        })
    }

    /// Adds a node of the source, or what was made in its place.
    fn add(&mut self, id: NodeId, made: Option<NodeId>) {
        let (span, operation) = (self.source.span(id), self.source.operation(id));
        let with_rates = operation.map(|operand| self.rated[operand.index()]);
        let made = match (&with_rates, made) {
            (Operation::Border(..), _) => self.push(span, with_rates.clone()),
            (_, Some(made)) => made,
            (Operation::Down { period, phase, .. }, None) => {
                let value = operation.operands()[0];
                self.thinned(span, value, &|value| Operation::Down { period: *period, phase: *phase, value })
            }
            _ => {
                let flat = self.flat(operation).map(|operand| self.map[operand.index()]);
                self.normal(span, flat)
            }
        };
        let made = self.known(span, made);
        let keeps_rate = self.builder.facts(made).rate == self.source.facts(id).rate;
        let rated = if keeps_rate { made } else { self.push(span, with_rates) };
        self.map.push(made);
        self.rated.push(rated);
    }

    /// A value of the source at a lower rate. Point-wise operations that nothing else needs are carried out at that rate.
    fn thinned(&mut self, span: Span, value: NodeId, down: &dyn Fn(NodeId) -> Operation) -> NodeId {
        let operation = self.source.operation(value);
        if matches!(operation, Operation::Constant(_)) {
            return self.map[value.index()];
        }
        if self.uses[value.index()] > 1 || !operation.is_point_wise() {
            return self.push(span, down(self.map[value.index()]));
        }
        let operation = self.flat(operation).map(|operand| self.thinned(span, operand, down));
        self.normal(self.source.span(value), operation)
    }

    fn push(&mut self, span: Span, operation: Operation) -> NodeId {
        self.builder.push(span, operation).expect("an equal value was accepted in the pipeline")
    }

    /// A value that can only be one number is that number.
    fn known(&mut self, span: Span, id: NodeId) -> NodeId {
        let facts = self.builder.facts(id);
        match facts.number {
            Number::Exact(range) if range.is_single() && facts.planes.is_none() => {
                let parts = (i64::try_from(range.least), i64::try_from(range.denominator));
                let (Ok(numerator), Ok(denominator)) = parts else { return id };
                let Some(value) = Rational::new(numerator, denominator) else { return id };
                self.push(span, Operation::Constant(value))
            }
            _ => id,
        }
    }

    /// The operation with the operands of its operands in their place, where both are a minimum or both a maximum and nothing else
    /// uses them. In single precision they stay: what is not a number counts only where it comes first.
    fn flat(&self, operation: &Operation) -> Operation {
        let inner = |id: &NodeId, least: bool| match self.source.operation(*id) {
            _ if self.source.facts(*id).is_float() => vec![*id],
            Operation::Minimum(list) if least && self.uses[id.index()] == 1 => list.clone(),
            Operation::Maximum(list) if !least && self.uses[id.index()] == 1 => list.clone(),
            _ => vec![*id],
        };
        match operation {
            Operation::Minimum(list) => {
                Operation::Minimum(list.iter().flat_map(|id| inner(id, true)).collect())
            }
            Operation::Maximum(list) => {
                Operation::Maximum(list.iter().flat_map(|id| inner(id, false)).collect())
            }
            other => other.clone(),
        }
    }

    /// The operation in normal form: quotients by numbers as multiples, phases that are interleaved as they were as what they
    /// are phases of.
    fn normal(&mut self, span: Span, operation: Operation) -> NodeId {
        match operation {
            Operation::Quotient(a, b) => self.quotient(span, a, b),
            Operation::Interleave(period, ref list) => match self.whole(period, list) {
                Some(value) => value,
                None => self.push(span, operation),
            },
            _ => self.push(span, operation),
        }
    }

    /// A quotient by a constant is a multiple, rounded down.
    fn quotient(&mut self, span: Span, a: NodeId, b: NodeId) -> NodeId {
        let divisor = match self.builder.operation(b) {
            Operation::Constant(value) if !self.builder.facts(a).is_float() => Some(*value),
            _ => None,
        };
        let Some(factor) = divisor.and_then(|divisor| Rational::ONE.div(divisor)) else {
            return self.push(span, Operation::Quotient(a, b));
        };
        let factor = self.push(span, Operation::Constant(factor));
        let product = self.push(span, Operation::Multiply(vec![factor, a]));
        match self.builder.facts(product).range() {
            Some(range) if Range::is_integer(range) => product,
            _ => self.push(span, Operation::Round(Rounding::Floor, product)),
        }
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

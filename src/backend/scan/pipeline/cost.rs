//! What values cost if every operation is carried out as the pipeline writes it, filters tap by tap.

use serde::Serialize;

use crate::algebra::Rational;
use crate::pipeline::{Linear, NodeId, Operation, Pipeline, Stencil, linear_forms_at_one_rate, price};
use crate::report::Figure;

/// Operations for each pixel of the base grid. A value of half the rate along both axes counts a quarter.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Operations {
    /// Additions and subtractions; maxima and minima in filters.
    pub additions: Figure,
    /// Multiplications by constants that are not powers of two.
    pub multiplications: Figure,
    /// Multiplications by powers of two.
    pub shifts: Figure,
    /// Point-wise operations that are not linear: comparisons, choices, products, roundings. A quotient and a root count 8, a
    /// look-up 4.
    pub point_wise: Figure,
}

impl Operations {
    /// These numbers, `weight` times.
    pub(super) fn counted([additions, multiplications, shifts]: [u64; 3], weight: f64) -> Self {
        let figure = |count: u64| Figure::new(count as f64 * weight);
        Self {
            additions: figure(additions),
            multiplications: figure(multiplications),
            shifts: figure(shifts),
            point_wise: Figure::default(),
        }
    }

    /// The operations of one value, `weight` times.
    pub(super) fn of(pipeline: &Pipeline, forms: &[Linear], id: NodeId, weight: f64) -> Self {
        let operation = &pipeline.node(id).operation;
        let linear = Self::counted(counts(forms, id, operation), weight);
        let is_one = |id: NodeId| match pipeline.node(id).operation {
            Operation::Constant(value) => value.numerator().abs() == 1,
            _ => false,
        };
        let is_point_wise = forms[id.index()].is_itself(id) && !matches!(operation, Operation::Filter(..));
        let points = if is_point_wise { price(operation, &is_one) as f64 } else { 0.0 };
        Self { point_wise: Figure::new(points * weight), ..linear }
    }

    /// The sum.
    pub(super) fn plus(self, other: Self) -> Self {
        let sum = |a: Figure, b: Figure| Figure::new(a.get() + b.get());
        Self {
            additions: sum(self.additions, other.additions),
            multiplications: sum(self.multiplications, other.multiplications),
            shifts: sum(self.shifts, other.shifts),
            point_wise: sum(self.point_wise, other.point_wise),
        }
    }

    /// All operations.
    pub fn total(self) -> f64 {
        [self.additions, self.multiplications, self.shifts, self.point_wise].map(Figure::get).iter().sum()
    }
}

/// How often a value is computed for each pixel of the base grid: its samples, planes, and the values of the variables around it.
pub(super) fn weight(pipeline: &Pipeline, id: NodeId) -> f64 {
    let facts = pipeline.facts(id);
    let samples: f64 = facts.rate.map_or(1.0, |rate| rate.map(Rational::to_f64).iter().product());
    let variables = facts.variables.iter().map(|id| &pipeline.variables[id.0]);
    let times: f64 = variables.map(|variable| f64::from(variable.end - variable.first)).product();
    samples * f64::from(facts.planes.unwrap_or(1)) * times
}

/// The operations that the outputs need, one by one.
pub(super) fn written(pipeline: &Pipeline) -> Operations {
    let forms = linear_forms_at_one_rate(pipeline);
    let mut needed = vec![false; pipeline.nodes.len()];
    pipeline.outputs.iter().for_each(|output| needed[output.node.index()] = true);
    let mut sum = Operations::default();
    for id in pipeline.ids().rev() {
        if needed[id.index()] {
            let operation = &pipeline.node(id).operation;
            operation.operands().iter().for_each(|operand| needed[operand.index()] = true);
            sum = sum.plus(Operations::of(pipeline, &forms, id, weight(pipeline, id)));
        }
    }
    sum
}

/// The operations of a value by its operation: additions, multiplications, shifts.
pub(super) fn counts(forms: &[Linear], id: NodeId, operation: &Operation) -> [u64; 3] {
    let is_linear = !forms[id.index()].is_itself(id);
    match operation {
        Operation::Add(list) => [list.len() as u64 - 1, 0, 0],
        Operation::Multiply(list) if is_linear => {
            let constants = list.iter().map(|id| &forms[id.index()]).filter(|form| form.terms.is_empty());
            product(constants.filter_map(|form| (form.constant != Rational::ONE).then_some(form.constant)))
        }
        Operation::Filter(Stencil::Linear(kernels), _) => {
            tap_by_tap(kernels.iter().flat_map(|kernel| kernel.nonzero_taps().map(|(_, tap)| tap)))
        }
        Operation::Filter(Stencil::Extreme(_, taps), _) => {
            let weighted = taps.iter().flatten().filter(|(_, weight)| *weight != Rational::ZERO).count();
            [(taps.iter().map(Vec::len).sum::<usize>().saturating_sub(1) + weighted) as u64, 0, 0]
        }
        _ => [0; 3],
    }
}

fn product(factors: impl Iterator<Item = Rational>) -> [u64; 3] {
    factors.fold([0; 3], |[additions, multiplications, shifts], factor| {
        let [_, one, other] = multiple(factor);
        [additions, multiplications + one, shifts + other]
    })
}

/// A sum of multiples.
pub(super) fn tap_by_tap(taps: impl Iterator<Item = Rational>) -> [u64; 3] {
    let mut count = 0u64;
    let [_, multiplications, shifts] = product(taps.inspect(|_| count += 1));
    [count.saturating_sub(1), multiplications, shifts]
}

/// A multiple by this factor. Its sign costs nothing, and its denominator is left to whatever rounds the value.
fn multiple(factor: Rational) -> [u64; 3] {
    match factor.numerator().unsigned_abs() {
        0 | 1 => [0; 3],
        up if up.is_power_of_two() => [0, 0, 1],
        _ => [0, 1, 0],
    }
}

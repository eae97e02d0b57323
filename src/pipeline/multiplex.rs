//! Time multiplexing: folds that take their steps one after another, on fewer units.
//!
//! A column of the pipeline becomes n columns, one for each clock of a pixel. Inputs have the same pixel in all n. What depends on the
//! variable of a fold is computed in clock t for the steps t, t + n, t + 2n, …; the results of the n clocks are then combined.
//! Everything else has its value in one column of n.

use std::collections::{BTreeMap, BTreeSet};

use crate::algebra::{Kernel, Rational};
use crate::syntax::{Diagnostic, Span};

use super::{
    Builder, Distance, Fold, NodeId, Operation, Output, Pipeline, PixelType, Rounding, Stage, Stencil,
    Variable, VariableId,
};

type Made = Result<NodeId, Box<Diagnostic>>;

/// The pipeline with `clocks` columns for each of its own. Inputs are expected to have the same pixel in all of them, and outputs have
/// theirs in the first. Folds whose first variable has a multiple of `clocks` values take as many times fewer steps at once. `None` if
/// there is no such fold.
///
/// # Errors
/// Values of too many bits.
pub fn multiplexed(pipeline: &Pipeline, clocks: u32) -> Result<Option<Pipeline>, Box<Diagnostic>> {
    let shared = shared(pipeline, clocks);
    if shared.is_empty() {
        return Ok(None);
    }
    let mut builder = Builder::from_pipeline(pipeline).emptied();
    let shorter = shared.iter().map(|id| {
        let Variable { name, first, end } = &pipeline.variables[id.0];
        let steps = (end - first) / clocks as i32;
        (*id, builder.variable(Variable { name: name.clone(), first: 0, end: steps }))
    });
    let variables = shorter.collect();
    let mut all = Multiplexer {
        pipeline,
        clocks,
        builder,
        variables,
        pixels: vec![None; pipeline.nodes.len()],
        columns: vec![None; pipeline.nodes.len()],
    };
    let readers = pipeline.readers();
    for id in pipeline.ids().filter(|id| readers[id.index()] > 0) {
        if all.depends(id) {
            all.columns[id.index()] = Some(all.column(id)?);
        } else {
            all.pixels[id.index()] = Some(all.pixel(id)?);
        }
    }
    Ok(Some(all.finish()))
}

/// The variables whose steps are taken one after another: the first of each fold that can be shared.
fn shared(pipeline: &Pipeline, clocks: u32) -> BTreeSet<VariableId> {
    let mut shared = BTreeSet::new();
    // Readers come first: a fold within another takes all its steps at once.
    for id in pipeline.ids().rev() {
        let Operation::Fold(fold, own, of) = &pipeline.node(id).operation else { continue };
        let Variable { first, end, .. } = &pipeline.variables[own[0].0];
        let steps = end.abs_diff(*first);
        let is_within = pipeline.facts(id).variables.iter().any(|variable| shared.contains(variable));
        let numbers_one = *fold != Fold::ArgumentOfMinimum || own.len() == 1;
        if !is_within && numbers_one && steps.is_multiple_of(clocks) && can_depend(pipeline, *of, own[0]) {
            shared.insert(own[0]);
        }
    }
    shared
}

/// Whether everything that depends on the variable and that a value is made of can be computed column by column.
fn can_depend(pipeline: &Pipeline, of: NodeId, variable: VariableId) -> bool {
    let mut open = vec![of];
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        let node = pipeline.node(id);
        if !node.facts.variables.contains(&variable) || !seen.insert(id) {
            continue;
        }
        let operation = &node.operation;
        let is_known = matches!(
            operation,
            Operation::Variable(_) | Operation::At(..) | Operation::Filter(..) | Operation::Fold(..)
        );
        if !(is_known || operation.is_point_wise()) || node.facts.is_float() {
            return false;
        }
        open.extend(operation.operands());
    }
    true
}

struct Multiplexer<'p> {
    pipeline: &'p Pipeline,
    clocks: u32,
    builder: Builder,
    /// For the variables of the folds that take their steps one after another, those that count the steps of a clock.
    variables: BTreeMap<VariableId, VariableId>,
    /// The values that are the same in all clocks of a pixel, at the rate of pixels.
    pixels: Vec<Option<NodeId>>,
    /// The values of every clock.
    columns: Vec<Option<NodeId>>,
}

impl Multiplexer<'_> {
    /// Whether a value is another one in each clock.
    fn depends(&self, id: NodeId) -> bool {
        self.pipeline.facts(id).variables.iter().any(|variable| self.variables.contains_key(variable))
    }

    fn span(&self, id: NodeId) -> Span {
        self.pipeline.node(id).span
    }

    fn number(&mut self, span: Span, value: i64) -> Made {
        self.builder.push(span, Operation::Constant(Rational::integer(value)))
    }

    fn times(&mut self, span: Span, factor: Rational, value: NodeId) -> Made {
        let factor = self.builder.push(span, Operation::Constant(factor))?;
        self.builder.push(span, Operation::Multiply(vec![factor, value]))
    }

    /// What a value of every clock is in a clock, at the rate of pixels.
    fn in_clock(&mut self, span: Span, value: NodeId, clock: u32) -> Made {
        self.builder.push(span, Operation::Down { period: [self.clocks, 1], phase: [clock, 0], value })
    }

    /// In each clock the value with its number.
    fn by_clock(&mut self, span: Span, values: Vec<NodeId>) -> Made {
        self.builder.push(span, Operation::Interleave([self.clocks, 1], values))
    }

    /// A value that is the same in all clocks, at the rate of pixels.
    fn pixel(&mut self, id: NodeId) -> Made {
        let span = self.span(id);
        match &self.pipeline.node(id).operation {
            Operation::Input(number) => {
                let input = self.builder.push(span, Operation::Input(*number))?;
                self.in_clock(span, input, 0)
            }
            Operation::Fold(fold, own, of) if self.variables.contains_key(&own[0]) => {
                self.fold(id, *fold, own, *of)
            }
            operation => {
                let made =
                    operation.map(|operand| self.pixels[operand.index()].expect("it precedes its readers"));
                self.builder.push(span, made)
            }
        }
    }

    /// A value in every clock.
    fn every(&mut self, id: NodeId) -> Made {
        if let Some(made) = self.columns[id.index()] {
            return Ok(made);
        }
        let (span, pixel) = (self.span(id), self.pixels[id.index()].expect("it precedes its readers"));
        let made = match &self.pipeline.node(id).operation {
            Operation::Input(number) => self.builder.push(span, Operation::Input(*number))?,
            Operation::Constant(_) | Operation::Variable(_) => pixel,
            _ => self.builder.push(span, Operation::Up([self.clocks, 1], pixel))?,
        };
        self.columns[id.index()] = Some(made);
        Ok(made)
    }

    /// A value that is another one in each clock.
    fn column(&mut self, id: NodeId) -> Made {
        let span = self.span(id);
        let operation = self.pipeline.node(id).operation.clone();
        match &operation {
            Operation::Variable(variable) => self.variable(span, *variable),
            Operation::At(distances, value) => {
                let value = self.every(*value)?;
                let moved: Vec<[Distance; 2]> =
                    (0..self.clocks).map(|clock| self.distances(distances, clock)).collect();
                let is_same = moved.iter().all(|other| *other == moved[0]);
                let made: Result<Vec<NodeId>, _> = moved
                    .into_iter()
                    .map(|distances| self.builder.push(span, Operation::At(distances, value)))
                    .collect();
                let made = made?;
                if is_same {
                    return Ok(made[0]);
                }
                let made: Result<_, _> =
                    (0..).zip(made).map(|(clock, moved)| self.in_clock(span, moved, clock)).collect();
                self.by_clock(span, made?)
            }
            Operation::Filter(stencil, list) => {
                let list: Result<_, _> = list.iter().map(|operand| self.every(*operand)).collect();
                let stencil = spread(stencil, self.clocks as i32).ok_or_else(|| too_large(span))?;
                self.builder.push(span, Operation::Filter(stencil, list?))
            }
            _ => {
                for operand in operation.operands() {
                    self.every(operand)?;
                }
                let made = operation.map(|operand| self.columns[operand.index()].expect("it was just made"));
                self.builder.push(span, made)
            }
        }
    }

    /// The value of the variable in each clock: n times the step, and the clock.
    fn variable(&mut self, span: Span, variable: VariableId) -> Made {
        let Some(steps) = self.variables.get(&variable).copied() else {
            return self.builder.push(span, Operation::Variable(variable));
        };
        let first = i64::from(self.pipeline.variables[variable.0].first);
        let numbers: Result<_, _> =
            (0..self.clocks).map(|clock| self.number(span, first + i64::from(clock))).collect();
        let first = self.by_clock(span, numbers?)?;
        let steps = self.builder.push(span, Operation::Variable(steps))?;
        let steps = self.times(span, Rational::integer(self.clocks.into()), steps)?;
        self.builder.push(span, Operation::Add(vec![first, steps]))
    }

    /// Distances in a clock, in columns.
    fn distances(&self, of: &[Distance; 2], clock: u32) -> [Distance; 2] {
        let clocks = self.clocks as i32;
        [0, 1].map(|axis| {
            let factor = if axis == 0 { clocks } else { 1 };
            let mut constant = of[axis].constant;
            let mut factors = Vec::new();
            for (variable, by) in &of[axis].factors {
                match self.variables.get(variable) {
                    Some(steps) => {
                        constant += by * (self.pipeline.variables[variable.0].first + clock as i32);
                        factors.push((*steps, by * clocks * factor));
                    }
                    None => factors.push((*variable, by * factor)),
                }
            }
            factors.sort_unstable();
            Distance { constant: constant * factor, factors }
        })
    }

    /// A fold that takes its steps one after another, at the rate of pixels.
    fn fold(&mut self, id: NodeId, fold: Fold, own: &[VariableId], of: NodeId) -> Made {
        let span = self.span(id);
        let steps = self.variables[&own[0]];
        let mut counted = own.to_vec();
        counted[0] = steps;
        let value = self.every(of)?;
        if fold == Fold::ArgumentOfMinimum {
            return self.place_of_least(id, own[0], value);
        }
        let all = self.builder.push(span, Operation::Fold(fold, counted, value))?;
        let parts: Result<_, _> = (0..self.clocks).map(|clock| self.in_clock(span, all, clock)).collect();
        let parts = parts?;
        self.builder.push(
            span,
            match fold {
                Fold::Add => Operation::Add(parts),
                Fold::Maximum => Operation::Maximum(parts),
                _ => Operation::Minimum(parts),
            },
        )
    }

    /// The number of the least value, of equal ones the first. The least of numbers whose high bits are the value, followed by the step
    /// and the clock.
    fn place_of_least(&mut self, id: NodeId, variable: VariableId, value: NodeId) -> Made {
        let (span, steps) = (self.span(id), self.variables[&variable]);
        let Variable { first, end, .. } = self.pipeline.variables[variable.0];
        let count = end.abs_diff(first) / self.clocks;
        let [step_bits, clock_bits] = [count, self.clocks].map(|count| count.next_power_of_two().ilog2());
        let whole = self.builder.facts(value).denominator();
        let factor = i64::try_from(whole << step_bits).map_err(|_| too_large(span))?;
        let high = self.times(span, Rational::integer(factor), value)?;
        let step = self.builder.push(span, Operation::Variable(steps))?;
        let key = self.builder.push(span, Operation::Add(vec![high, step]))?;
        let least = self.builder.push(span, Operation::Fold(Fold::Minimum, vec![steps], key))?;
        let mut keys = Vec::new();
        for clock in 0..self.clocks {
            let key = self.in_clock(span, least, clock)?;
            let high = self.times(span, Rational::integer(1 << clock_bits), key)?;
            let low = self.number(span, clock.into())?;
            keys.push(self.builder.push(span, Operation::Add(vec![high, low]))?);
        }
        let least = self.builder.push(span, Operation::Minimum(keys))?;
        let low = |bits: u32| PixelType::Integer { bits, signed: false };
        let mut parts = vec![
            self.builder.push(span, Operation::Wrap(low(clock_bits), least))?,
            self.number(span, first.into())?,
        ];
        if step_bits > 0 {
            let part = Rational::new(1, 1 << clock_bits).ok_or_else(|| too_large(span))?;
            let rest = self.times(span, part, least)?;
            let rest = self.builder.push(span, Operation::Round(Rounding::Floor, rest))?;
            let step = self.builder.push(span, Operation::Wrap(low(step_bits), rest))?;
            parts.push(self.times(span, Rational::integer(self.clocks.into()), step)?);
        }
        let place = self.builder.push(span, Operation::Add(parts))?;
        let greatest = i64::from(end) - 1;
        if self.builder.facts(place).range().is_some_and(|range| range.greatest <= greatest.into()) {
            return Ok(place);
        }
        // Bits that no step sets may be set as far as intervals tell.
        let greatest = self.number(span, greatest)?;
        self.builder.push(span, Operation::Minimum(vec![place, greatest]))
    }

    fn finish(self) -> Pipeline {
        let Self { pipeline, clocks, builder, pixels, columns, .. } = self;
        let made = |id: NodeId| pixels[id.index()].or(columns[id.index()]);
        let outputs = pipeline.outputs.iter().map(|output| {
            let [x, y] = output.rate;
            let x = x.div(Rational::integer(clocks.into())).unwrap_or(x);
            let node = pixels[output.node.index()].expect("outputs are the same in all clocks");
            Output { node, rate: [x, y], ..output.clone() }
        });
        let stages = pipeline
            .stages
            .iter()
            .filter_map(|stage| made(stage.node).map(|node| Stage { node, ..stage.clone() }));
        let (outputs, stages) = (outputs.collect(), stages.collect());
        debug_assert!(pipeline.inputs.iter().all(|input| input.rate[0] == Rational::ONE));
        builder.finish(
            (pipeline.name.clone(), pipeline.doc.clone()),
            stages,
            outputs,
            pipeline.warnings.clone(),
        )
    }
}

/// A stencil whose columns are `by` times as far apart.
fn spread(of: &Stencil, by: i32) -> Option<Stencil> {
    let wider = |[x, y, z]: [i32; 3]| Some([x.checked_mul(by)?, y, z]);
    Some(match of {
        Stencil::Linear(kernels) => {
            let kernels = kernels.iter().map(|kernel| {
                let taps: Option<Vec<_>> =
                    kernel.nonzero_taps().map(|(at, tap)| Some((wider(at)?, tap))).collect();
                Kernel::from_taps(&taps?).ok()
            });
            Stencil::Linear(kernels.collect::<Option<_>>()?)
        }
        Stencil::Extreme(choice, all) => {
            let all = all.iter().map(|taps| taps.iter().map(|(at, tap)| Some((wider(*at)?, *tap))).collect());
            Stencil::Extreme(*choice, all.collect::<Option<_>>()?)
        }
    })
}

fn too_large(span: Span) -> Box<Diagnostic> {
    let message = "a value that is too large where steps follow one another";
    Box::new(Diagnostic::error("too-wide", message).label(span, "this value"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Random;
    use crate::pipeline::{Data, Image, execute, read_pipeline};
    use crate::syntax::Source;

    fn pipeline(text: &str) -> Pipeline {
        read_pipeline(&Source::new("test", text)).unwrap()
    }

    fn exact(image: &Image) -> &[i128] {
        match &image.data {
            Data::Exact(values) => values,
            Data::Float(_) => panic!("no exact values"),
        }
    }

    /// Compares a pipeline with the one whose pixels take several clocks, on random pictures.
    fn compare(text: &str, clocks: u32) -> Pipeline {
        let one = pipeline(text);
        let other = multiplexed(&one, clocks).unwrap().unwrap();
        let mut random = Random::new(1);
        let [width, height] = [24, 6];
        let pictures: Vec<Image> = one
            .inputs
            .iter()
            .map(|_| {
                let values = (0..width * height).map(|_| i128::from(random.integer(0, 255))).collect();
                Image { width, height, data: Data::Exact(values) }
            })
            .collect();
        let wide: Vec<Image> = pictures
            .iter()
            .map(|picture| {
                let values = exact(picture).iter().flat_map(|value| vec![*value; clocks as usize]).collect();
                Image { width: width * clocks as usize, height, data: Data::Exact(values) }
            })
            .collect();
        let (wanted, found) = (execute(&one, &pictures).unwrap(), execute(&other, &wide).unwrap());
        for (wanted, found) in wanted.iter().zip(&found) {
            assert_eq!(exact(wanted), exact(found), "{clocks} clocks: {text}");
        }
        other
    }

    const STEREO: &str =
        "(pipeline p (inputs (a uint8) (b uint8)) (border replicate) (output out (fold argmin (d 0 12)
        (filter (kernel (1 1 1) (1 2 1) (0 1 0)) (absdiff b (at a (+ d 3) 0))))))";

    #[test]
    fn folds_of_fewer_steps_at_a_time_have_the_same_results() {
        for clocks in [2, 3, 4, 6, 12] {
            compare(STEREO, clocks);
        }
        for fold in ["add", "min", "max"] {
            let text = format!(
                "(pipeline p (inputs (a uint8)) (border zero) (output out (* 2 (fold {fold} (d -4 4)
                   (filter (kernel (2 -1 3)) (* (+ d 7) (at a (* 2 d) d)))))))"
            );
            for clocks in [2, 4, 8] {
                compare(&text, clocks);
            }
        }
    }

    #[test]
    fn equal_values_have_the_first_number() {
        let text = "(pipeline p (inputs (a uint8)) (border replicate) (output out (fold argmin (d 0 6) (quotient (at a d 0) 100))))";
        for clocks in [2, 3] {
            compare(text, clocks);
        }
    }

    #[test]
    fn values_beside_folds_are_there_in_all_clocks() {
        // A sum that does not depend on the step, a fold in a fold, one in another's place, and one without a common divisor.
        let text = "(pipeline p (inputs (a uint8)) (border replicate)
            (let sum (filter (kernel (1 2 1)) a))
            (let inner (fold max (e 0 3) (at sum e 0)))
            (output out (+ sum (fold min (d 0 4) (absdiff inner (fold add (f 0 2) (at sum (+ d (* 3 f)) d)))))))";
        let made = compare(text, 2);
        let steps = |node: &Operation| match node {
            Operation::Fold(_, own, _) => Some(made.variables[own[0].0].end),
            _ => None,
        };
        let steps: Vec<i32> = made.nodes.iter().filter_map(|node| steps(&node.operation)).collect();
        assert_eq!(steps, [3, 2, 2]);
    }

    #[test]
    fn folds_whose_steps_have_another_divisor_are_none() {
        assert!(multiplexed(&pipeline(STEREO), 5).unwrap().is_none());
    }
}

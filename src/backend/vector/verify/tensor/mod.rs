//! Decides whether a program for a vector machine computes a convolution: symbolically, for every output of the tile,
//! and by comparing random tiles with direct convolution, bit by bit.

mod expression;
mod reference;

pub use expression::{Expression, Monomial};
pub use reference::convolve;

use rayon::prelude::*;

use crate::algebra::Random;
use crate::backend::vector::machine::{Program, Role, VliwMachine};
use crate::backend::vector::simulate::{Counts, Fault, run};
use crate::backend::vector::workload::{At, Dim, Element, Operand, TensorPlacements, Weights, Workload};

/// The result of both checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The check of every output as an expression in the inputs and the run-time weights.
    pub symbolic: Answer,
    /// The check on random tiles.
    pub simulated: Answer,
    /// The maximum error of an output due to intermediate roundings; 0 if all are exact.
    pub bound: u64,
    /// The least and the greatest output before saturation, for all inputs in their range and all weights of the type.
    pub outputs: [i128; 2],
    /// The cycles of a run, which are the same for all data.
    pub counts: Counts,
}

/// The answer of one check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Every output is right.
    Equal,
    /// An output is wrong.
    Different {
        /// Its coordinates in `x y z k`.
        output: [usize; 4],
        /// The expected value.
        expected: String,
        /// The actual value.
        found: String,
    },
    /// The program does something that the machine cannot do.
    Fault(Fault),
}

impl Answer {
    /// Whether every output is right.
    pub fn is_equal(&self) -> bool {
        *self == Self::Equal
    }
}

impl Verdict {
    /// Whether both checks passed.
    pub fn holds(&self) -> bool {
        self.symbolic.is_equal() && self.simulated.is_equal()
    }
}

/// The magnitudes of random data: small values whose sums are stored unchanged, and the whole range of the type, where
/// sums saturate.
fn magnitudes(element: Element) -> [i64; 2] {
    match element {
        Element::Int8 => [3, 127],
        Element::Int16 => [9, i64::from(i16::MAX)],
        Element::Int32 => [2000, i64::from(i32::MAX)],
    }
}

/// Checks a program whose tensors are placed as `placed` says. Every output must be exact, or within a bound that is
/// derived symbolically, that the workload tolerates, and that holds on the random tiles.
pub fn check(
    machine: &VliwMachine,
    workload: &Workload,
    placed: &TensorPlacements,
    program: &Program,
    seed: u64,
) -> Verdict {
    let streams: Vec<_> = magnitudes(workload.element).into_iter().enumerate().collect();
    let run = |&(stream, magnitude): &(usize, i64)| {
        random(machine, workload, placed, program, &mut Random::stream(seed, stream as u64), magnitude)
    };
    let (symbolic, runs) = rayon::join(
        || symbolic(machine, workload, placed, program),
        || streams.par_iter().map(run).collect::<Vec<_>>(),
    );
    let Symbolic { answer: symbolic, bound, outputs } = symbolic;
    let mut simulated = Answer::Equal;
    let mut counts = Counts::default();
    for run in runs {
        match run {
            Ok((sample, found, counted)) => {
                (simulated, counts) = (sample.compare(workload, placed, &found, bound), counted);
            }
            Err(fault) => simulated = Answer::Fault(fault),
        }
        if !simulated.is_equal() {
            break;
        }
    }
    Verdict { symbolic, simulated, bound, outputs, counts }
}

/// All taps of a workload, as `r s t c`.
pub(super) fn taps(workload: &Workload) -> impl Iterator<Item = [usize; 4]> + use<> {
    let [rs, ss, ts, cs] = workload.filter;
    (0..rs * ss * ts * cs).map(move |i| [i % rs, i / rs % ss, i / (rs * ss) % ts, i / (rs * ss * ts)])
}

/// The coordinates of an output and a tap in all loops.
pub(super) fn at([x, y, z, k]: [usize; 4], [r, s, t, c]: [usize; 4]) -> At {
    let mut at = At::default();
    for (dim, value) in Dim::ALL.into_iter().zip([x, y, z, k, r, s, t, c]) {
        at[dim.index()] = value;
    }
    at
}

/// The memory of the program, with the contents of each tensor from `fill`.
fn memory<D: Clone>(program: &Program, zero: &D, fill: impl Fn(&Role, usize) -> D) -> Vec<Vec<D>> {
    let one = |role: &Role, length: usize| match role {
        Role::Constants(_) => Vec::new(),
        Role::Output | Role::Scratch => vec![zero.clone(); length],
        Role::Input | Role::Weights => (0..length).map(|i| fill(role, i)).collect(),
    };
    program.arrays.iter().map(|array| one(&array.role, array.length)).collect()
}

/// The result of the symbolic check.
struct Symbolic {
    /// Whether every output is the right sum.
    answer: Answer,
    /// The maximum error of outputs due to roundings.
    bound: u64,
    /// The least and the greatest output before saturation.
    outputs: [i128; 2],
}

fn symbolic(
    machine: &VliwMachine,
    workload: &Workload,
    placed: &TensorPlacements,
    program: &Program,
) -> Symbolic {
    let wrong = |answer: Answer| Symbolic { answer, bound: 0, outputs: [0; 2] };
    let zero = Expression::default();
    let mut memory = memory(program, &zero, |role, place| match role {
        Role::Weights => Expression::weight(place, workload.element),
        _ => Expression::input(place, workload.range),
    });
    if let (Weights::RunTime, Some(weights)) = (&workload.weights, memory.get_mut(Operand::Weights as usize))
    {
        lay_out(workload, placed, weights, &zero);
    }
    if let Err(fault) = run(machine, program, &mut memory) {
        return wrong(Answer::Fault(fault));
    }
    let shown: Vec<_> = workload.outputs().collect();
    let found = &memory[Operand::Output as usize];
    let compared = shown.par_iter().map(|output| {
        let found = &found[placed.place(Operand::Output, &at(*output, [0; 4]))];
        one_output(workload, placed, *output, found)
    });
    let compared: Vec<Result<u64, Answer>> = compared.collect();
    let (mut bound, mut reached) = (0, None::<[i128; 2]>);
    for (output, compared) in shown.iter().zip(compared) {
        match compared {
            Ok(error) => bound = bound.max(error),
            Err(different) => return wrong(different),
        }
        let [least, greatest] = found[placed.place(Operand::Output, &at(*output, [0; 4]))].outputs();
        reached = Some(reached.map_or([least, greatest], |[a, b]| [a.min(least), b.max(greatest)]));
    }
    Symbolic { answer: Answer::Equal, bound, outputs: reached.unwrap_or_default() }
}

/// The maximum error of an output. An error if the output is not the expected one or too far off.
fn one_output(
    workload: &Workload,
    placed: &TensorPlacements,
    output: [usize; 4],
    found: &Expression,
) -> Result<u64, Answer> {
    let terms = taps(workload).map(|tap| {
        let at = at(output, tap);
        let input = Some(placed.place(Operand::Input, &at));
        match workload.weight(tap, output[3]) {
            Some(weight) => (Monomial::new(None, input), weight),
            None => (Monomial::new(Some(placed.place(Operand::Weights, &at)), input), 1),
        }
    });
    let mut terms: Vec<(Monomial, i64)> = terms.collect();
    terms.sort_unstable();
    let sums =
        terms.chunk_by(|a, b| a.0 == b.0).map(|of| (of[0].0, of.iter().map(|term| term.1).sum::<i64>()));
    let terms: Vec<(Monomial, i64)> = sums.filter(|(_, coefficient)| *coefficient != 0).collect();
    if !found.is(&terms, workload.shift) {
        let mut expected = Expression::default();
        expected.shift = workload.shift;
        terms.iter().for_each(|(monomial, coefficient)| expected.add_monomial(*monomial, *coefficient));
        return Err(Answer::Different { output, expected: expected.to_string(), found: found.to_string() });
    }
    let error = found.error();
    if error > workload.tolerance {
        let expected = format!("at most {} from the exact result", workload.tolerance);
        return Err(Answer::Different { output, expected, found: format!("up to {error} from it") });
    }
    Ok(error)
}

/// Lays out run-time weights as a program finds them. Those without a tap are zero (columns of padding, gaps between
/// rows). Copies equal their originals.
pub fn lay_out<D: Clone>(workload: &Workload, placed: &TensorPlacements, weights: &mut [D], zero: &D) {
    let held: Vec<D> = placed
        .taps(workload)
        .iter()
        .enumerate()
        .map(|(place, tap)| if tap.is_some() { weights[place].clone() } else { zero.clone() })
        .collect();
    weights.clone_from_slice(&held);
    for (place, of) in &placed.copies {
        weights[*place] = weights[*of].clone();
    }
}

/// The data of a run, with the expected outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The contents of the array of weights.
    pub weights: Vec<i64>,
    /// The contents of the array of inputs.
    pub input: Vec<i64>,
    /// Every output by direct convolution, `x` fastest, then `y z k`.
    pub outputs: Vec<i64>,
}

impl Sample {
    /// Random data over the whole range of the inputs, where results may saturate.
    pub fn random(workload: &Workload, placed: &TensorPlacements, random: &mut Random) -> Self {
        let lengths = [Operand::Weights, Operand::Input].map(|which| placed.length(which));
        Self::within(workload, placed, lengths, random, magnitudes(workload.element)[1])
    }

    fn within(
        workload: &Workload,
        placed: &TensorPlacements,
        [of_weights, of_input]: [usize; 2],
        random: &mut Random,
        magnitude: i64,
    ) -> Self {
        let [least, greatest] = workload.range;
        let ends = (least.max(-magnitude), greatest.min(magnitude));
        // A range may have no values that are as small.
        let (low, high) = if ends.0 <= ends.1 { ends } else { (least, greatest) };
        let [narrow, wide] = workload.element.range();
        let mut draw = |count: usize, low: i64, high: i64| -> Vec<i64> {
            (0..count).map(|_| random.integer(low, high)).collect()
        };
        let input = draw(of_input, low, high);
        let mut weights = draw(of_weights, (-magnitude).max(narrow), magnitude.min(wide));
        if workload.weights == Weights::RunTime {
            lay_out(workload, placed, &mut weights, &0);
        }
        let outputs = convolve(workload, placed, &weights, &input);
        Self { weights, input, outputs }
    }

    /// Checks that the array of outputs holds the expected values, each within a bound.
    pub fn compare(
        &self,
        workload: &Workload,
        placed: &TensorPlacements,
        found: &[i64],
        bound: u64,
    ) -> Answer {
        for (output, expected) in workload.outputs().zip(&self.outputs) {
            let place = placed.place(Operand::Output, &at(output, [0; 4]));
            match found.get(place) {
                Some(found) if found.abs_diff(*expected) <= bound => {}
                other => {
                    let found = other.map_or("nothing".to_owned(), i64::to_string);
                    return Answer::Different { output, expected: expected.to_string(), found };
                }
            }
        }
        Answer::Equal
    }
}

/// Runs the program on random data. Returns the data, the contents of the array of outputs, and the counts.
fn random(
    machine: &VliwMachine,
    workload: &Workload,
    placed: &TensorPlacements,
    program: &Program,
    random: &mut Random,
    magnitude: i64,
) -> Result<(Sample, Vec<i64>, Counts), Fault> {
    let lengths = [Operand::Weights, Operand::Input].map(|which| program.arrays[which as usize].length);
    let sample = Sample::within(workload, placed, lengths, random, magnitude);
    let mut memory = memory(program, &0, |role, place| match role {
        Role::Weights => i128::from(sample.weights[place]),
        _ => i128::from(sample.input[place]),
    });
    let counts = run(machine, program, &mut memory)?;
    // Every element is of its type: the run checks that.
    let found = memory[Operand::Output as usize].iter().map(|value| *value as i64).collect();
    Ok((sample, found, counts))
}

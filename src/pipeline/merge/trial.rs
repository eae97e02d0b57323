//! Compares a pipeline with what rules made of it: the reference executor computes both on a few random pictures.
//!
//! Rules are tried, not proved. What the trials of a rule overlook, this may still see, since it tries the values that the
//! pipeline itself computes.

use crate::algebra::{Random, Rational};
use crate::pipeline::{Data, Image, Input, Operation, Pipeline, execute};

/// The number of trials.
const TRIALS: u64 = 3;
/// The least and the greatest number of columns and rows of the grid that all rates refer to.
const SIZES: [i64; 2] = [16, 256];

/// Where the pipelines differ, if they do. Pictures for which the first is not defined tell nothing, and neither do values of
/// single precision.
pub(super) fn difference(given: &Pipeline, made: &Pipeline) -> Option<String> {
    let grid = grid(given)?;
    let constants = constants(given);
    (0..TRIALS).find_map(|trial| {
        let mut random = Random::stream(1, trial);
        let picture = |input: &Input| picture(input, grid, &constants, &mut random);
        let pictures: Vec<Image> = given.inputs.iter().map(picture).collect::<Option<_>>()?;
        let wanted = execute(given, &pictures).ok()?;
        match execute(made, &pictures) {
            Ok(found) => wanted.iter().zip(&found).zip(&given.outputs).find_map(|((wanted, found), output)| {
                let ([x, y], [wanted, found]) = first_difference(wanted, found)?;
                Some(format!(
                    "in column {x} of row {y} of a random picture, output `{}` would change from {wanted} to {found}",
                    output.name
                ))
            }),
            Err(error) => Some(format!("on a random picture, the outputs would not be defined: {error}")),
        }
    })
}

/// Columns and rows of the least grid that suits all rates, at least sixteen.
fn grid(pipeline: &Pipeline) -> Option<[i64; 2]> {
    let rates = || {
        let inputs = pipeline.inputs.iter().map(|input| input.rate);
        inputs.chain(pipeline.outputs.iter().map(|output| output.rate))
    };
    let suits = |axis: usize, size: i64| {
        rates().all(|rate| rate[axis].mul(Rational::integer(size)).is_some_and(Rational::is_integer))
    };
    let least = |axis: usize| (SIZES[0]..=SIZES[1]).find(|size| suits(axis, *size));
    Some([least(0)?, least(1)?])
}

/// The integers that the pipeline names, each with its neighbours.
fn constants(pipeline: &Pipeline) -> Vec<i64> {
    let mut found: Vec<i64> = pipeline
        .nodes
        .iter()
        .filter_map(|node| match node.operation {
            Operation::Constant(value) => Some(value.floor()),
            _ => None,
        })
        .flat_map(|value| [value.saturating_sub(1), value, value.saturating_add(1)])
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A random picture: places of any values, of small ones, of equal ones and of those that the pipeline names. `None` for pixels of
/// single precision.
fn picture(input: &Input, grid: [i64; 2], constants: &[i64], random: &mut Random) -> Option<Image> {
    let [least, greatest] = input.pixel.limits()?;
    let ends = [least, greatest].map(|end| i64::try_from(end).unwrap_or(i64::MAX));
    let along = |axis: usize| input.rate[axis].mul(Rational::integer(grid[axis])).map(Rational::numerator);
    let [width, height] = [along(0)? as usize, along(1)? as usize];
    let mut before = 0i64;
    let mut pixel = || {
        let value = match random.integer(0, 5) {
            0 | 1 => random.integer(ends[0], ends[1]),
            2 => random.integer(-2, 8),
            3 if !constants.is_empty() => constants[random.integer(0, constants.len() as i64 - 1) as usize],
            4 => before.saturating_add(random.integer(-1, 1)),
            _ => before,
        };
        before = value.clamp(ends[0], ends[1]);
        i128::from(before)
    };
    Some(Image { width, height, data: Data::Exact((0..width * height).map(|_| pixel()).collect()) })
}

/// The first place at which two pictures of exact values differ, and both values.
fn first_difference(wanted: &Image, found: &Image) -> Option<([usize; 2], [i128; 2])> {
    let (Data::Exact(a), Data::Exact(b)) = (&wanted.data, &found.data) else { return None };
    let at = a.iter().zip(b).position(|(a, b)| a != b)?;
    Some(([at % wanted.width, at / wanted.width], [a[at], b[at]]))
}

//! Operations in single precision, in the order in which they are written.

use crate::algebra::{Choice, Kernel, Offset, PlusTimes, Rational};
use crate::pipeline::{Operation, Rounding, Stencil};

use super::exact::{Operands, continued, moved};
use super::plane::{Data, Place, Plane};

/// Computes an operation with a result in single precision. `None` if an index does not exist.
///
/// The sum of a filter runs over its operands in order, over the taps of each from north to south and in rows from west to
/// east, and begins with the first product.
pub(super) fn compute(operation: &Operation, place: Place, of: &Operands<'_>) -> Option<Plane> {
    if let Operation::Border(border, _) = operation {
        return Some(match of.domain {
            Some(size) => continued(place, *border, (&of.planes[0], size), 1),
            None => of.planes[0].spread(place),
        });
    }
    let ordered = match operation {
        Operation::Filter(stencil, _) => taps(stencil),
        _ => Vec::new(),
    };
    let values = place.computed(&|at| single(operation, at, of, &ordered))?;
    Some(Plane { place, data: Data::Float(values) })
}

/// The value of an operation at one pixel.
fn single(
    operation: &Operation,
    at: [i64; 3],
    of: &Operands<'_>,
    taps: &[(usize, Offset, f32)],
) -> Option<f32> {
    let value = |number: usize| of.planes[number].float(at);
    let all =
        |combine: fn(f32, f32) -> f32| (1..of.planes.len()).fold(value(0), |all, n| combine(all, value(n)));
    Some(match operation {
        Operation::Float(_) => match &of.planes[0].data {
            Data::Float(_) => value(0),
            Data::Exact(_) => single_precision(of.planes[0].exact(at), of.denominators[0]),
        },
        Operation::Filter(stencil, _) => {
            let terms = taps.iter().map(|(n, offset, w)| (of.planes[*n].float(moved(at, *offset)), *w));
            match stencil {
                Stencil::Linear(_) => terms.map(|(v, w)| v * w).reduce(|a, b| a + b).unwrap_or(0.0),
                Stencil::Extreme(Choice::Least, _) => terms.map(|(v, w)| v + w).reduce(least)?,
                Stencil::Extreme(Choice::Greatest, _) => terms.map(|(v, w)| v + w).reduce(greatest)?,
            }
        }
        Operation::Add(_) => all(|a, b| a + b),
        Operation::Multiply(_) => all(|a, b| a * b),
        Operation::Minimum(_) => all(least),
        Operation::Maximum(_) => all(greatest),
        Operation::Quotient(..) => value(0) / value(1),
        Operation::Absolute(_) => value(0).abs(),
        Operation::Root(_) => value(0).sqrt(),
        Operation::Round(rounding, _) => rounded(*rounding, value(0)),
        Operation::Select(..) => value(if of.planes[0].exact(at) == 1 { 1 } else { 2 }),
        _ => return of.source(operation, at).map(|(number, at)| of.planes[number].float(at)),
    })
}

/// The lesser; the first if they are equal or one is not a number.
fn least(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The greater; the first if they are equal or one is not a number.
fn greatest(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

fn rounded(rounding: Rounding, value: f32) -> f32 {
    match rounding {
        Rounding::Floor => value.floor(),
        Rounding::Ceiling => value.ceil(),
        Rounding::Zero => value.trunc(),
        Rounding::Even => value.round_ties_even(),
        Rounding::Up => {
            let floor = value.floor();
            if value - floor >= 0.5 { floor + 1.0 } else { floor }
        }
    }
}

/// The taps of all operands in the order of the sum.
fn taps(stencil: &Stencil) -> Vec<(usize, Offset, f32)> {
    let mut taps: Vec<(usize, Offset, Rational)> = match stencil {
        Stencil::Linear(kernels) => {
            let of = |(n, kernel): (usize, &Kernel<PlusTimes>)| {
                kernel.nonzero_taps().map(|(offset, tap)| (n, offset, tap)).collect::<Vec<_>>()
            };
            kernels.iter().enumerate().flat_map(of).collect()
        }
        Stencil::Extreme(_, all) => {
            let of = |(n, taps): (usize, &Vec<(Offset, Rational)>)| {
                taps.iter().map(|(offset, tap)| (n, *offset, *tap)).collect::<Vec<_>>()
            };
            all.iter().enumerate().flat_map(of).collect()
        }
    };
    taps.sort_by_key(|(n, [x, y, z], _)| (*n, *z, -y, *x));
    let single = |(n, offset, tap): (usize, Offset, Rational)| {
        (n, offset, single_precision(tap.numerator().into(), tap.denominator().into()))
    };
    taps.into_iter().map(single).collect()
}

/// The nearest value of single precision; of a fraction, that of the nearest value of double precision.
fn single_precision(numerator: i128, denominator: i128) -> f32 {
    if denominator == 1 { numerator as f32 } else { (numerator as f64 / denominator as f64) as f32 }
}

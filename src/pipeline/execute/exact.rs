//! Exact operations: numerators over the denominators of nodes.

use std::sync::Arc;

use crate::algebra::{Choice, Kernel, Offset, PlusTimes, Rational};
use crate::pipeline::{Border, Comparison, Operation, PixelType, Stencil};

use super::plane::{Data, Place, Plane};

/// The operands of an operation.
pub(super) struct Operands<'r> {
    pub(super) planes: &'r [Arc<Plane>],
    pub(super) denominators: &'r [i128],
    /// The size of the picture at the operation's rate, if it has one and it is whole.
    pub(super) domain: Option<[i64; 2]>,
    /// The present values of variables.
    pub(super) values: &'r [i32],
}

impl Operands<'_> {
    fn value(&self, number: usize, at: [i64; 3]) -> i128 {
        self.planes[number].exact(at)
    }

    /// The factor that brings an operand to this denominator.
    fn factor(&self, number: usize, common: i128) -> i128 {
        common / self.denominators[number]
    }

    fn common(&self) -> Option<i128> {
        self.denominators.iter().try_fold(1, |all, own| multiple(all, *own))
    }

    /// The operand, and its pixel, whose value an operation that only moves values has at this pixel. `None` for other operations,
    /// and if an index does not exist.
    pub(super) fn source(&self, operation: &Operation, at: [i64; 3]) -> Option<(usize, [i64; 3])> {
        let index = |number: usize| i64::try_from(self.value(number, at)).ok();
        let [x, y, z] = at;
        Some(match operation {
            Operation::At([dx, dy], _) => (0, [x + dx.value(self.values), y - dy.value(self.values), z]),
            Operation::Down { period: [p, q], phase: [px, py], .. } => {
                (0, [x * i64::from(*p) + i64::from(*px), y * i64::from(*q) + i64::from(*py), z])
            }
            Operation::Up([p, q], _) => (0, [x.div_euclid((*p).into()), y.div_euclid((*q).into()), z]),
            Operation::Interleave(period, _) => {
                let [p, q] = period.map(i64::from);
                let number = (y.rem_euclid(q) * p + x.rem_euclid(p)) as usize;
                (number, [x.div_euclid(p), y.div_euclid(q), z])
            }
            Operation::Gather { plane, .. } => {
                let plane = plane.map_or(Some(0), |_| index(3))?;
                (0, [x + index(1)?, y - index(2)?, plane])
            }
            _ => return None,
        })
    }
}

/// Computes an operation with an exact result over this denominator. `None` if 127 bits are not enough.
pub(super) fn compute(
    operation: &Operation,
    place: Place,
    of: &Operands<'_>,
    denominator: i128,
) -> Option<Plane> {
    let fill = |value: &(dyn Fn([i64; 3]) -> Option<i128> + Sync)| {
        Some(Plane { place, data: Data::Exact(place.computed(value)?) })
    };
    match operation {
        Operation::Constant(value) => {
            let numerator = i128::from(value.numerator()) * denominator / i128::from(value.denominator());
            fill(&|_| Some(numerator))
        }
        Operation::Variable(id) => fill(&|_| Some(of.values[id.0].into())),
        Operation::Filter(Stencil::Linear(kernels), _) => {
            let (taps, common) = weighed(kernels, of)?;
            fill(&|at| {
                let mut sum = 0i128;
                for (number, offset, weight) in &taps {
                    let value = of.value(*number, moved(at, *offset));
                    sum = sum.checked_add(weight.checked_mul(value)?)?;
                }
                rescaled(sum, common, denominator)
            })
        }
        Operation::Filter(Stencil::Extreme(choice, taps), _) => {
            extreme((*choice, taps), place, of, denominator)
        }
        Operation::Multiply(list) => {
            let common = of.denominators.iter().try_fold(1i128, |all, own| all.checked_mul(*own))?;
            fill(&|at| {
                let product = (0..list.len()).try_fold(1i128, |all, i| all.checked_mul(of.value(i, at)))?;
                rescaled(product, common, denominator)
            })
        }
        Operation::Add(_) | Operation::Minimum(_) | Operation::Maximum(_) => {
            let common = of.common()?;
            fill(&|at| {
                let value = |number| of.value(number, at).checked_mul(of.factor(number, common));
                let mut all = value(0)?;
                for number in 1..of.planes.len() {
                    let next = value(number)?;
                    all = match operation {
                        Operation::Add(_) => all.checked_add(next)?,
                        Operation::Minimum(_) => all.min(next),
                        _ => all.max(next),
                    };
                }
                rescaled(all, common, denominator)
            })
        }
        Operation::Border(border, _) => match of.domain {
            Some(size) => Some(continued(place, *border, (&of.planes[0], size), denominator)),
            None => Some(of.planes[0].spread(place)),
        },
        _ => sampled(operation, place, of, denominator),
    }
}

/// A filter over an idempotent semiring.
fn extreme(
    (choice, taps): (Choice, &[Vec<(Offset, Rational)>]),
    place: Place,
    of: &Operands<'_>,
    denominator: i128,
) -> Option<Plane> {
    let own = |common, weight: &Rational| multiple(common, weight.denominator().into());
    let common = taps.iter().flatten().try_fold(of.common()?, |common, (_, weight)| own(common, weight))?;
    let at = |at: [i64; 3]| {
        let mut found: Option<i128> = None;
        for (number, taps) in taps.iter().enumerate() {
            for (offset, weight) in taps {
                let weight = i128::from(weight.numerator()) * (common / i128::from(weight.denominator()));
                let value = of.value(number, moved(at, *offset)).checked_mul(of.factor(number, common))?;
                let value = value.checked_add(weight)?;
                found = Some(found.map_or(value, |found| match choice {
                    Choice::Least => found.min(value),
                    Choice::Greatest => found.max(value),
                }));
            }
        }
        rescaled(found?, common, denominator)
    };
    Some(Plane { place, data: Data::Exact(place.computed(&at)?) })
}

/// Operations that read one pixel of each operand, or count pixels.
fn sampled(operation: &Operation, place: Place, of: &Operands<'_>, denominator: i128) -> Option<Plane> {
    let one = |at: [i64; 3]| single(operation, at, of, denominator);
    let Operation::Histogram { cell, .. } = operation else {
        return Some(Plane { place, data: Data::Exact(place.computed(&one)?) });
    };
    let [p, q] = cell.map(i64::from);
    let mut counts = Plane::filled(place, 0);
    let rect = place.rect;
    for [c, r, _] in (Place { rect, planes: None }).pixels() {
        for (x, y) in (0..q).flat_map(|y| (0..p).map(move |x| (x, y))) {
            let at = [p * c + x, q * r + y, 0];
            let plane = i64::try_from(of.value(0, at)).ok()?;
            let index = counts.index([c, r, plane])?;
            let Data::Exact(values) = &mut counts.data else { return None };
            values[index] = values[index].checked_add(of.value(1, at))?;
        }
    }
    Some(counts)
}

/// The value of an operation at one pixel.
fn single(operation: &Operation, at: [i64; 3], of: &Operands<'_>, denominator: i128) -> Option<i128> {
    let first = |at: [i64; 3]| of.value(0, at);
    // Where only some of an operand's pixels are read, these may have a lower denominator than all.
    let lifted = |number: usize, at| rescaled(of.value(number, at), of.denominators[number], denominator);
    match operation {
        Operation::Quotient(..) => {
            let above = first(at).checked_mul(of.denominators[1])?;
            let below = of.value(1, at).checked_mul(of.denominators[0])?;
            let rest = above.checked_rem(below)?;
            Some(above / below - i128::from(rest != 0 && (rest < 0) != (below < 0)))
        }
        Operation::Absolute(_) => Some(first(at).abs()),
        Operation::Compare(comparison, ..) if matches!(of.planes[0].data, Data::Float(_)) => {
            let [a, b] = [0, 1].map(|number: usize| of.planes[number].float(at));
            Some(i128::from(match comparison {
                Comparison::Less => a < b,
                Comparison::AtMost => a <= b,
                Comparison::Equal => a == b,
            }))
        }
        Operation::Compare(comparison, ..) => {
            let a = first(at).checked_mul(of.denominators[1])?;
            let b = of.value(1, at).checked_mul(of.denominators[0])?;
            Some(i128::from(match comparison {
                Comparison::Less => a < b,
                Comparison::AtMost => a <= b,
                Comparison::Equal => a == b,
            }))
        }
        Operation::Select(..) => lifted(if first(at) == 1 { 1 } else { 2 }, at),
        Operation::Table { first: from, values, .. } => {
            let index = usize::try_from(first(at) - i128::from(*from)).ok()?;
            values.get(index).map(|value| (*value).into())
        }
        Operation::Root(_) => Some(first(at).div_euclid(of.denominators[0]).isqrt()),
        Operation::Wrap(PixelType::Integer { bits, signed }, _) => {
            let modulus = 1i128 << bits;
            let low = first(at).rem_euclid(modulus);
            Some(if *signed && low >= modulus / 2 { low - modulus } else { low })
        }
        Operation::Round(rounding, _) => rounding.apply(first(at), of.denominators[0]),
        Operation::Saturate(pixel, _) => {
            let [least, greatest] = pixel.limits()?;
            Some((of.planes[0].float(at).round_ties_even() as i128).clamp(least, greatest))
        }
        _ => of.source(operation, at).and_then(|(number, at)| lifted(number, at)),
    }
}

/// The values of a plane on a picture of this size, continued beyond its edges. The plane may be larger.
pub(super) fn continued(
    place: Place,
    border: Border,
    (picture, [width, height]): (&Plane, [i64; 2]),
    denominator: i128,
) -> Plane {
    let inside = |[x, y, z]: [i64; 3]| Some([border.place(x, width)?, border.place(y, height)?, z]);
    let outside = match border {
        Border::Constant(value) => value,
        _ => 0,
    };
    let places = place.pixels().map(inside);
    let data = match &picture.data {
        Data::Exact(_) => {
            let outside = i128::from(outside) * denominator;
            Data::Exact(places.map(|at| at.map_or(outside, |at| picture.exact(at))).collect())
        }
        Data::Float(_) => {
            Data::Float(places.map(|at| at.map_or(outside as f32, |at| picture.float(at))).collect())
        }
    };
    Plane { place, data }
}

/// The pixel at an offset.
pub(super) fn moved([x, y, z]: [i64; 3], [dx, dy, dz]: Offset) -> [i64; 3] {
    [x + i64::from(dx), y - i64::from(dy), z + i64::from(dz)]
}

/// A tap: the operand, the offset, and the weight.
type Weighed = (usize, Offset, i128);

/// The taps of all kernels, as integers over a common denominator of the products.
fn weighed(kernels: &[Kernel<PlusTimes>], of: &Operands<'_>) -> Option<(Vec<Weighed>, i128)> {
    let all = || kernels.iter().enumerate().flat_map(|(n, k)| k.nonzero_taps().map(move |tap| (n, tap)));
    let own = |number: usize, tap: Rational| of.denominators[number].checked_mul(tap.denominator().into());
    let common = all().try_fold(1, |common, (number, (_, tap))| multiple(common, own(number, tap)?))?;
    let taps = all().map(|(number, (offset, tap))| {
        let weight = i128::from(tap.numerator()).checked_mul(common / own(number, tap)?)?;
        Some((number, offset, weight))
    });
    Some((taps.collect::<Option<_>>()?, common))
}

/// A numerator over another denominator, which the value is a multiple of.
fn rescaled(numerator: i128, from: i128, to: i128) -> Option<i128> {
    if from == to {
        return Some(numerator);
    }
    let scaled = numerator.checked_mul(to)?;
    debug_assert!(scaled % from == 0, "every value is a multiple of the denominator");
    Some(scaled / from)
}

fn multiple(a: i128, b: i128) -> Option<i128> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

//! Solutions of recursive definitions K = a·K + b: b/(1 − a), as a finite kernel or a kernel over scans.

use std::collections::BTreeMap;

use super::{Scan, divide, forward_order, multiplied};
use crate::algebra::{AlgebraError, Kernel, MAX_STEPS, NoSolution, ORIGIN, Offset, Ring};

/// The maximum number of factors 1 − x^d that are tried for 1 − a.
const MAX_FACTORS: usize = 32;

impl<R: Ring> Scan<R> {
    /// The solution of K = `a`·K + `b`.
    ///
    /// If `a` reads only to one side, the solution is the series b + a·b + a²·b + …. It is a scan if 1 − a is a product of factors
    /// 1 − x^d, or a quotient of such products, up to a constant. It may be finite, as for a sliding window. For any `a`, b/(1 − a)
    /// is also found if it is a finite kernel.
    ///
    /// # Errors
    /// [`AlgebraError::NoSolution`] with the reason, and overflow and size as in [`Kernel::compose`].
    pub fn recursion(a: &Self, b: &Self) -> Result<Self, AlgebraError> {
        // With a = n/d, K·(d − n)/d = b.
        let one = multiplied(&Kernel::identity(), &a.factors)?;
        let divisor = one.sub(&a.numerator)?.trimmed();
        let numerator = multiplied(&b.numerator, &a.factors)?;
        if divisor.is_zero() {
            return Err(AlgebraError::NoSolution { why: NoSolution::OfItself });
        }
        let why = match as_factors(&divisor) {
            Ok(Factors { unit, above, below }) => {
                let numerator = multiplied(&numerator.scale(unit)?, &above)?;
                return Self::quotient(numerator, [below, b.factors.clone()].concat());
            }
            Err(why) => why,
        };
        match exactly(&numerator.trimmed(), &divisor)? {
            Some(quotient) => Self::quotient(quotient, b.factors.clone()),
            None => Err(AlgebraError::NoSolution { why }),
        }
    }
}

/// `unit` · Π (1 − x^d) over `above` / Π (1 − x^d) over `below`: the inverse of a kernel.
struct Factors<R: Ring> {
    unit: R::Element,
    above: Vec<Offset>,
    below: Vec<Offset>,
}

/// The inverse of a kernel as a series that runs to one side.
///
/// In an order that makes all taps besides the origin positive, the nearest of them belongs to the shortest factors: it is −n
/// for n factors in the denominator, and n for n factors in the numerator.
fn as_factors<R: Ring>(kernel: &Kernel<R>) -> Result<Factors<R>, NoSolution> {
    let unit = R::reciprocal(kernel.coefficient(ORIGIN)).ok_or(NoSolution::NoDirection)?;
    let others: Vec<Offset> = kernel.nonzero_taps().map(|(at, _)| at).filter(|at| *at != ORIGIN).collect();
    let key = forward_order(&others).ok_or(NoSolution::NoDirection)?;
    let none = |_: AlgebraError| NoSolution::NoScan;
    let mut rest = kernel.scale(unit).map_err(none)?.trimmed();
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for _ in 0..=MAX_FACTORS {
        let taps = rest.nonzero_taps().filter(|(at, _)| *at != ORIGIN);
        let Some((nearest, value)) = taps.min_by_key(|(at, _)| key(at)) else {
            return Ok(Factors { unit, above, below });
        };
        if R::number(value).is_some_and(|value| value.numerator() < 0) {
            rest = divide(&rest, nearest).map_err(none)?.ok_or(NoSolution::NoScan)?;
            below.push(nearest);
        } else {
            rest = multiplied(&rest, &[nearest]).map_err(none)?.trimmed();
            above.push(nearest);
        }
    }
    Err(NoSolution::NoScan)
}

/// `kernel` / `divisor` if the quotient is a finite kernel, by polynomial division from the last tap down.
fn exactly<R: Ring>(kernel: &Kernel<R>, divisor: &Kernel<R>) -> Result<Option<Kernel<R>>, AlgebraError> {
    let order = |[x, y, z]: Offset| [z, y, x];
    let by: BTreeMap<[i32; 3], R::Element> =
        divisor.nonzero_taps().map(|(at, value)| (order(at), value)).collect();
    let mut rest: BTreeMap<[i32; 3], R::Element> =
        kernel.nonzero_taps().map(|(at, value)| (order(at), value)).collect();
    let Some((leads, inverse)) =
        by.iter().next_back().and_then(|(at, value)| Some((*at, R::reciprocal(*value)?)))
    else {
        return Ok(None);
    };
    // Extents add up, so the quotient lies in the remaining box.
    let corner = |of: &Kernel<R>, end: fn(crate::algebra::Bounds) -> Offset| order(end(of.bounds()));
    let left = |end| {
        let (whole, part) = (corner(kernel, end), corner(divisor, end));
        [0, 1, 2].map(|axis| whole[axis] - part[axis])
    };
    let (low, high) = (left(|bounds| bounds.low()), left(|bounds| bounds.high()));
    let mut quotient = Vec::new();
    let mut steps = 0;
    while let Some((last, value)) = rest.last_key_value().map(|(at, value)| (*at, *value)) {
        let at = [0, 1, 2].map(|axis| last[axis] - leads[axis]);
        steps += by.len();
        if (0..3).any(|axis| !(low[axis]..=high[axis]).contains(&at[axis])) || steps > MAX_STEPS {
            return Ok(None);
        }
        let factor = R::try_mul(value, inverse)?;
        for (offset, coefficient) in &by {
            let place = [0, 1, 2].map(|axis| at[axis] + offset[axis]);
            let before = rest.remove(&place).unwrap_or_else(R::zero);
            let after = R::try_add(before, R::opposite(R::try_mul(factor, *coefficient)?))?;
            if !R::is_zero(after) {
                rest.insert(place, after);
            }
        }
        quotient.push((order(at), factor));
    }
    Kernel::from_taps(&quotient).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::kernel;
    use crate::algebra::{PlusTimes, Rational};
    use proptest::prelude::*;

    type Line = Scan<PlusTimes>;

    fn taps(taps: &[(i32, i32, i64)]) -> Line {
        let taps: Vec<_> = taps.iter().map(|(x, y, n)| ([*x, *y, 0], Rational::integer(*n))).collect();
        Scan::from_kernel(&Kernel::from_taps(&taps).unwrap())
    }

    fn why(a: &Line, b: &Line) -> NoSolution {
        match Scan::recursion(a, b) {
            Err(AlgebraError::NoSolution { why }) => why,
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #[test]
        fn a_solution_solves_its_equation(b in kernel::<PlusTimes>(), x in -2i32..3, y in -2i32..3) {
            prop_assume!([x, y] != [0, 0]);
            let (a, b) = (taps(&[(x, y, 1)]), Scan::from_kernel(&b));
            let solved = Scan::recursion(&a, &b).unwrap();
            prop_assert!(a.compose(&solved).unwrap().add(&b).unwrap().equals(&solved).unwrap());
        }

        #[test]
        fn a_finite_solution_is_found_whatever_it_is_multiplied_by(k in kernel::<PlusTimes>(), a in kernel::<PlusTimes>()) {
            let divisor = Kernel::identity().sub(&a).unwrap();
            prop_assume!(!divisor.is_zero());
            let b = Scan::from_kernel(&divisor.compose(&k).unwrap());
            let solved = Scan::recursion(&Scan::from_kernel(&a), &b).unwrap();
            prop_assert_eq!(solved.to_kernel(), Some(&k.trimmed()));
        }
    }

    #[test]
    fn one_side_gives_a_scan() {
        let one = taps(&[(0, 0, 1)]);
        // A summed-area table: the sum to the east, plus the sum to the north, minus their overlap.
        let table = Scan::recursion(&taps(&[(1, 0, 1), (0, 1, 1), (1, 1, -1)]), &one).unwrap();
        assert_eq!(table.factors(), [[0, 1, 0], [1, 0, 0]]);
        // 1/(1 + x) = (1 − x)/(1 − x²), and half of K on both sides.
        let alternating = Scan::recursion(&taps(&[(1, 0, -1)]), &one).unwrap();
        assert_eq!(alternating.factors(), [[2, 0, 0]]);
        let half = Scan::from_kernel(&Kernel::monomial(ORIGIN, Rational::new(1, 2).unwrap()).unwrap());
        assert!(Scan::recursion(&half, &one).unwrap().equals(&taps(&[(0, 0, 2)])).unwrap());
        // A recursion with a scan in it: K = (x/(1 − x))·K + 1 doubles with every pixel.
        let scan = Line::along([1, 0, 0]).unwrap().shift([1, 0, 0]).unwrap();
        assert_eq!(why(&scan, &one), NoSolution::NoScan);
    }

    #[test]
    fn other_recursions_are_refused_with_the_reason() {
        let one = taps(&[(0, 0, 1)]);
        assert_eq!(why(&one, &one), NoSolution::OfItself);
        assert_eq!(why(&taps(&[(1, 0, 1), (-1, 0, 1)]), &one), NoSolution::NoDirection);
        assert_eq!(why(&taps(&[(0, 0, 1), (1, 0, 1), (2, 0, 1)]), &one), NoSolution::NoDirection);
        assert_eq!(why(&taps(&[(1, 0, 2)]), &one), NoSolution::NoScan);
        assert_eq!(why(&taps(&[(1, 0, 1), (2, 0, 1)]), &one), NoSolution::NoScan);
    }
}

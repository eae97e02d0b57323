//! Scans: infinite kernels as rational functions, kernels over products of factors 1 − x^d.

mod recursion;

use std::fmt;

use super::{AlgebraError, Bounds, Kernel, ORIGIN, Offset, Ring, negate_offset, within_reach};

/// A kernel divided by scans: numerator / Π (1 − x^d), expanded as a series along the offsets d.
///
/// 1/(1 − x^d) = 1 + x^d + x^2d + … is an infinite sum along a row: out(p) = in(p) + out(p + d). A summed-area table is
/// 1/((1 − x)(1 − y)), and the difference of two of its places is a finite sum again. The algebra needs coefficients with
/// subtraction, hence the bound [`Ring`].
///
/// All factors run forward in one order of the index space. The series then form an integral domain: products are
/// defined, and equality is decided by cross-multiplication. Sums and products of scans that run against each other are
/// rejected: 1/(1 − x) and −x^-1/(1 − x^-1) are the same rational function, but one sums eastwards and the other
/// westwards.
///
/// Factors that divide the numerator are cancelled. Footprints are not tracked, because that of a scan is unbounded.
///
/// ```
/// use kalg::algebra::{Kernel, PlusTimes, Rational, Scan};
/// // What enters minus what leaves, summed for ever, is a window of three.
/// let window = Kernel::<PlusTimes>::identity().sub(&Kernel::monomial([3, 0, 0], Rational::ONE)?)?;
/// let box_3 = Scan::along([1, 0, 0])?.compose(&Scan::from_kernel(&window))?;
/// assert_eq!(box_3.to_kernel().expect("the factor cancels").shift([-1, 0, 0])?.to_string(), "1 1 1");
/// # Ok::<(), kalg::algebra::AlgebraError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scan<R: Ring> {
    /// The numerator, without zeros that are merely touched.
    numerator: Kernel<R>,
    /// The offset of every factor, sorted; repetitions stand for powers. No factor divides the numerator.
    factors: Vec<Offset>,
}

impl<R: Ring> Scan<R> {
    /// A finite kernel.
    pub fn from_kernel(kernel: &Kernel<R>) -> Self {
        Self { numerator: kernel.trimmed(), factors: Vec::new() }
    }

    /// 1/(1 − x^`step`): the infinite sum of the pixels at 0, `step`, 2·`step`, …
    ///
    /// # Errors
    /// [`AlgebraError::ScanWithoutDirection`] for the offset zero.
    pub fn along(step: Offset) -> Result<Self, AlgebraError> {
        Self::quotient(Kernel::identity(), vec![within_reach(step)?])
    }

    /// `numerator` / Π (1 − x^d) over the offsets d of `factors`.
    ///
    /// # Errors
    /// [`AlgebraError::ScanWithoutDirection`], [`AlgebraError::OpposedScans`].
    pub fn quotient(numerator: Kernel<R>, mut factors: Vec<Offset>) -> Result<Self, AlgebraError> {
        if factors.contains(&ORIGIN) {
            return Err(AlgebraError::ScanWithoutDirection);
        }
        factors.sort_unstable();
        let mut numerator = numerator.trimmed();
        let mut kept = Vec::with_capacity(factors.len());
        for step in factors {
            match divide(&numerator, step)? {
                Some(quotient) => numerator = quotient,
                None => kept.push(step),
            }
        }
        forward_together(&kept)?;
        Ok(Self { numerator, factors: kept })
    }

    /// The numerator, after cancellation.
    pub fn numerator(&self) -> &Kernel<R> {
        &self.numerator
    }

    /// The offsets d of the factors 1 − x^d in the denominator, after cancellation, sorted.
    pub fn factors(&self) -> &[Offset] {
        &self.factors
    }

    /// The kernel if it is finite; `None` if it is infinite.
    pub fn to_kernel(&self) -> Option<&Kernel<R>> {
        self.factors.is_empty().then_some(&self.numerator)
    }

    /// The sum.
    pub fn add(&self, other: &Self) -> Result<Self, AlgebraError> {
        let (common, [mine, others]) = self.over_common_denominator(other)?;
        Self::quotient(mine.add(&others)?, common)
    }

    /// The difference.
    pub fn sub(&self, other: &Self) -> Result<Self, AlgebraError> {
        self.add(&other.opposite())
    }

    /// The additive inverse.
    pub fn opposite(&self) -> Self {
        Self { numerator: self.numerator.opposite(), factors: self.factors.clone() }
    }

    /// The multiple by `factor`.
    pub fn scale(&self, factor: R::Element) -> Result<Self, AlgebraError> {
        Self::quotient(self.numerator.scale(factor)?, self.factors.clone())
    }

    /// The product with the monomial of `by`.
    pub fn shift(&self, by: Offset) -> Result<Self, AlgebraError> {
        Ok(Self { numerator: self.numerator.shift(by)?, factors: self.factors.clone() })
    }

    /// The composition.
    pub fn compose(&self, other: &Self) -> Result<Self, AlgebraError> {
        let numerator = self.numerator.compose(&other.numerator)?;
        Self::quotient(numerator, [&self.factors[..], &other.factors[..]].concat())
    }

    /// Whether both are the same infinite kernel: a/b = c/d exactly if a·d = c·b.
    ///
    /// # Errors
    /// [`AlgebraError::OpposedScans`] if one runs against the other: neither answer could be proved. Overflow and size
    /// as in [`Kernel::compose`].
    pub fn equals(&self, other: &Self) -> Result<bool, AlgebraError> {
        let (_, [mine, others]) = self.over_common_denominator(other)?;
        Ok(mine.equal_values(&others))
    }

    /// The factors of the least common denominator, and both numerators over it.
    fn over_common_denominator(&self, other: &Self) -> Result<(Vec<Offset>, [Kernel<R>; 2]), AlgebraError> {
        let mut missing_here = other.factors.clone();
        let mut missing_there = Vec::new();
        for step in &self.factors {
            match missing_here.iter().position(|theirs| theirs == step) {
                Some(index) => drop(missing_here.remove(index)),
                None => missing_there.push(*step),
            }
        }
        let common = [&self.factors[..], &missing_here[..]].concat();
        forward_together(&common)?;
        let numerators =
            [multiplied(&self.numerator, &missing_here)?, multiplied(&other.numerator, &missing_there)?];
        Ok((common, numerators))
    }
}

/// `kernel` · Π (1 − x^d).
fn multiplied<R: Ring>(kernel: &Kernel<R>, factors: &[Offset]) -> Result<Kernel<R>, AlgebraError> {
    factors.iter().try_fold(kernel.clone(), |product, step| product.sub(&product.shift(*step)?))
}

/// `kernel` / (1 − x^`step`) if the quotient is a finite kernel.
///
/// q = k + x^step · q: running sums along `step`, which must end in zero.
fn divide<R: Ring>(kernel: &Kernel<R>, step: Offset) -> Result<Option<Kernel<R>>, AlgebraError> {
    let bounds = kernel.bounds();
    let back = negate_offset(step);
    let mut sums: Vec<R::Element> = vec![R::zero(); bounds.places()];
    for index in in_direction(bounds, step) {
        let offset = bounds.offset(index);
        let before = bounds.index(moved(offset, back)).map_or_else(R::zero, |before| sums[before]);
        sums[index] = R::try_add(before, kernel.coefficient(offset))?;
        if !bounds.contains(moved(offset, step)) && !R::is_zero(sums[index]) {
            return Ok(None);
        }
    }
    Ok(Some(Kernel::from_dense(bounds, sums).trimmed()))
}

/// The storage indices of a box in an order in which every place comes after the place one `step` before it.
fn in_direction(bounds: Bounds, step: Offset) -> impl Iterator<Item = usize> {
    // Storage order is lexicographic by z, y, x: a positive step leads to later places.
    let backwards = [step[2], step[1], step[0]] < [0; 3];
    let last = bounds.places();
    (0..last).map(move |index| if backwards { last - 1 - index } else { index })
}

/// The sum of two offsets within reach.
fn moved(offset: Offset, by: Offset) -> Offset {
    [0, 1, 2].map(|axis| offset[axis] + by[axis])
}

/// Checks that some lexicographic order of the index space, over all orders and directions of its axes, makes all
/// `factors` positive.
fn forward_together(factors: &[Offset]) -> Result<(), AlgebraError> {
    // Report the first offset that the most successful order does not make positive.
    let mut furthest = 0;
    for key in orders() {
        match factors.iter().position(|step| key(step) <= [0; 3]) {
            None => return Ok(()),
            Some(index) => furthest = furthest.max(index),
        }
    }
    Err(AlgebraError::OpposedScans { offset: factors[furthest] })
}

/// The sort key of an order that makes all `steps` positive.
fn forward_order(steps: &[Offset]) -> Option<impl Fn(&Offset) -> Offset> {
    orders().find(|key| steps.iter().all(|step| key(step) > [0; 3]))
}

/// The lexicographic orders of the index space, over all orders and directions of its axes, as keys to sort by.
fn orders() -> impl Iterator<Item = impl Fn(&Offset) -> Offset> {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    ORDERS.into_iter().flat_map(|order| {
        (0..8).map(move |signs| {
            move |step: &Offset| {
                order.map(|axis| if signs >> axis & 1 == 1 { -step[axis] } else { step[axis] })
            }
        })
    })
}

impl<R: Ring> fmt::Display for Scan<R> {
    /// Writes the matrix of the numerator, and below it the factors: `/ (1 - x^d …)` with d written as an offset.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.numerator)?;
        for (index, [x, y, z]) in self.factors.iter().enumerate() {
            let lead = if index == 0 { "\n/ " } else { " " };
            write!(f, "{lead}(1 - x^({x}, {y}, {z}))")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::kernel;
    use crate::algebra::{PlusTimes, Rational};
    use proptest::prelude::*;

    type Line = Scan<PlusTimes>;

    fn scan() -> impl Strategy<Value = Line> {
        let steps = prop::collection::vec(
            prop::sample::select(vec![[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 0, 0], [1, -1, 0]]),
            0..3,
        );
        (kernel::<PlusTimes>(), steps)
            .prop_map(|(numerator, factors)| Scan::quotient(numerator, factors).unwrap())
    }

    fn minus_unit(step: Offset) -> Kernel<PlusTimes> {
        Kernel::identity().sub(&Kernel::monomial(step, Rational::ONE).unwrap()).unwrap()
    }

    proptest! {
        #[test]
        fn scans_are_a_commutative_ring(a in scan(), b in scan(), c in scan()) {
            let add = |x: &Line, y: &Line| x.add(y).unwrap();
            let compose = |x: &Line, y: &Line| x.compose(y).unwrap();
            prop_assert!(add(&add(&a, &b), &c).equals(&add(&a, &add(&b, &c))).unwrap());
            prop_assert!(add(&a, &b).equals(&add(&b, &a)).unwrap());
            prop_assert!(a.sub(&a).unwrap().to_kernel().unwrap().is_zero());
            prop_assert!(compose(&compose(&a, &b), &c).equals(&compose(&a, &compose(&b, &c))).unwrap());
            prop_assert!(compose(&a, &b).equals(&compose(&b, &a)).unwrap());
            prop_assert!(compose(&a, &add(&b, &c)).equals(&add(&compose(&a, &b), &compose(&a, &c))).unwrap());
            prop_assert_eq!(a.equals(&b).unwrap(), a.sub(&b).unwrap().numerator().is_zero());
        }

        #[test]
        fn division_undoes_multiplication(k in kernel::<PlusTimes>(), step in [-3i32..=3, -2i32..=2, -1i32..=1]) {
            prop_assume!(step != ORIGIN);
            let product = k.compose(&minus_unit(step)).unwrap();
            prop_assert_eq!(divide(&product, step).unwrap(), Some(k.trimmed()));
        }

        #[test]
        fn a_finite_result_is_found_whatever_the_order_of_factors(k in kernel::<PlusTimes>(), a in 1i32..4, b in 1i32..4) {
            let steps = vec![[a, 0, 0], [b, 0, 0], [a, b, 0]];
            let product = multiplied(&k, &steps).unwrap();
            let finite = Scan::quotient(product, steps).unwrap();
            prop_assert_eq!(finite.to_kernel(), Some(&k.trimmed()));
        }
    }

    #[test]
    fn equality_sees_through_factors_that_do_not_cancel() {
        // (1 + x)/(1 − x²) = 1/(1 − x), although 1 − x² does not divide 1 + x.
        let pair = Kernel::identity().add(&Kernel::monomial([1, 0, 0], Rational::ONE).unwrap()).unwrap();
        let by_two = Line::quotient(pair, vec![[2, 0, 0]]).unwrap();
        let by_one = Line::along([1, 0, 0]).unwrap();
        assert_eq!(by_two.factors(), [[2, 0, 0]]);
        assert!(by_two.equals(&by_one).unwrap());
        assert!(!by_two.equals(&Line::along([2, 0, 0]).unwrap()).unwrap());
    }

    #[test]
    fn scans_against_each_other_are_refused() {
        let (east, west) = (Line::along([1, 0, 0]).unwrap(), Line::along([-1, 0, 0]).unwrap());
        let flipped = west.shift([-1, 0, 0]).unwrap().opposite();
        // One rational function but two series: cross-multiplication alone would find them equal.
        assert!(
            multiplied(east.numerator(), &[[-1, 0, 0]])
                .unwrap()
                .equal_values(&multiplied(flipped.numerator(), &[[1, 0, 0]]).unwrap())
        );
        assert!(matches!(east.equals(&flipped), Err(AlgebraError::OpposedScans { .. })));
        assert!(east.compose(&west).is_err() && west.add(&east).is_err());
        // After the factor cancels, no scans are opposed.
        let window = Scan::from_kernel(&minus_unit([2, 0, 0]));
        assert_eq!(window.compose(&east).unwrap().compose(&west).unwrap().factors(), [[-1, 0, 0]]);
        assert_eq!(Line::along(ORIGIN).unwrap_err(), AlgebraError::ScanWithoutDirection);
        // Diagonals to both sides of an axis run forward together.
        assert!(Line::along([1, 1, 0]).unwrap().compose(&Line::along([1, -1, 0]).unwrap()).is_ok());
    }

    #[test]
    fn prints_numerator_and_factors() {
        let table = Line::along([1, 0, 0]).unwrap().compose(&Line::along([0, 1, 0]).unwrap()).unwrap();
        assert_eq!(table.to_string(), "1\n/ (1 - x^(0, 1, 0)) (1 - x^(1, 0, 0))");
    }
}

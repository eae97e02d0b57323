//! Arithmetic of kernels with scans: fractions in lowest terms. Finite kernels and other semirings take a shortcut.

use std::sync::Arc;

use super::{Label, Placed, Shape};
use crate::algebra::poles::Pole;
use crate::algebra::{Offset, Rational, add_offsets, negate_offset, without};

impl Shape {
    /// The kernel without its poles. It is canonical because denominators begin with 1.
    pub(super) fn numerator(&self) -> Self {
        Self { poles: None, ..self.clone() }
    }

    fn poles(&self) -> &[Pole] {
        self.poles.as_ref().map_or(&[], |poles| poles)
    }

    /// A lower bound on the number of scans of the kernel.
    pub fn scan_count(&self) -> usize {
        // Each scan has one factor Φ_1.
        let whole = self.poles().iter().filter(|pole| pole.order() == 1).count();
        whole.max(usize::from(!self.is_finite()))
    }

    /// The number of steps of one pixel in all scans.
    pub fn scan_length(&self) -> usize {
        let length = |pole: &Pole| {
            let steps: usize = pole.step().iter().map(|along| along.unsigned_abs() as usize).sum();
            steps * usize::from(pole.order())
        };
        self.poles().iter().map(length).sum()
    }

    /// The kernel as a finite one and recurrences y = in + x^step · y, one for each returned step. `None` on overflow.
    ///
    /// Steps within a plane lead to earlier pixels in scan order: rows from north to south, each from west to east.
    pub fn recurrences(&self) -> Option<(Placed, Vec<Offset>)> {
        let mut finite = Placed { label: Label::IDENTITY, shape: self.numerator() };
        let (mut left, mut steps) = (self.poles().to_vec(), Vec::new());
        while let Some(last) = left.pop() {
            // The longest step comes first: its scan takes the factors of all divisors of its length.
            for order in (1..last.order()).filter(|order| last.order().is_multiple_of(*order)) {
                let factor = last.with_order(order);
                match left.iter().position(|pole| *pole == factor) {
                    Some(at) => drop(left.remove(at)),
                    None => finite = finite.times(&[factor])?,
                }
            }
            let ahead = last.step().map(|along| along * i32::from(last.order()));
            let step = if ahead[1] == 0 && ahead[2] == 0 { negate_offset(ahead) } else { ahead };
            finite = finite.apply(Placed::scan(step)?.label.inverse()?)?;
            steps.push(step);
        }
        Some((finite, steps))
    }
}

impl Placed {
    /// The kernel as a finite one and recurrences: see [`Shape::recurrences`].
    pub fn recurrences(&self) -> Option<(Self, Vec<Offset>)> {
        let (finite, steps) = self.shape.recurrences()?;
        Some((finite.apply(self.label)?, steps))
    }

    /// 1/(1 − x^`step`) as a rational function; `None` for the offset zero, and for steps of more than 64 primitive ones.
    pub fn scan(step: Offset) -> Option<Self> {
        let (poles, is_negative) = Pole::of_scan(step)?;
        // 1/(1 − x^−d) = −x^d / (1 − x^d), and each factor is translated to the beginning of its box.
        let mut label = Label::IDENTITY;
        if is_negative {
            label = Label::new(Rational::integer(-1), negate_offset(step));
        }
        for pole in &poles {
            label.offset = add_offsets(label.offset, negate_offset(pole.corner())).ok()?;
        }
        let shape = Shape { poles: Some(Arc::new(poles)), ..Shape::delta(0, 1) };
        Some(Self { label, shape })
    }

    /// This kernel translated and scaled by `label`; `None` on overflow. A scale with an odd numerator other than ±1 changes the shape.
    pub fn apply(&self, label: Label) -> Option<Self> {
        if !self.shape.arithmetic.is_linear() {
            return self.apply_chosen(label);
        }
        let mut moved = self.apply_finite(label)?;
        if !moved.shape.is_zero() {
            moved.shape.poles.clone_from(&self.shape.poles);
        }
        Some(moved)
    }

    /// Σ label · kernel, exactly; `None` on overflow.
    pub fn sum<'a>(channels: u16, terms: impl IntoIterator<Item = (Label, &'a Shape)>) -> Option<Self> {
        let terms: Vec<(Label, &Shape)> = terms.into_iter().collect();
        if let Some((_, first)) = terms.first()
            && !first.arithmetic.is_linear()
        {
            return Self::sum_chosen(first.arithmetic, channels, &terms);
        }
        if terms.iter().all(|(_, shape)| shape.is_finite()) {
            return Self::sum_finite(channels, terms);
        }
        let mut common: Vec<Pole> = Vec::new();
        for (_, shape) in &terms {
            let missing = without(shape.poles(), &common);
            common.extend(missing);
        }
        let numerators = terms.iter().map(|(label, shape)| {
            Self { label: *label, shape: shape.numerator() }.times(&without(&common, shape.poles()))
        });
        let numerators: Vec<Self> = numerators.collect::<Option<_>>()?;
        Self::sum_finite(channels, numerators.iter().map(|n| (n.label, &n.shape)))?.over(common)
    }

    /// The composition (product) of a single-channel kernel `outer` with `inner`; `None` on overflow.
    pub fn compose(outer: &Self, inner: &Self) -> Option<Self> {
        if !outer.shape.arithmetic.is_linear() {
            return Self::compose_chosen(outer, inner);
        }
        let product = Self::compose_finite(outer, inner)?;
        match (outer.shape.poles(), inner.shape.poles()) {
            ([], []) => Some(product),
            (outer, inner) => product.over([outer, inner].concat()),
        }
    }

    /// A finite kernel multiplied by these factors.
    fn times(&self, factors: &[Pole]) -> Option<Self> {
        factors.iter().try_fold(self.clone(), |product, factor| {
            let taps = factor.taps().into_iter().map(|(offset, tap)| (0, offset, Rational::integer(tap)));
            Self::compose_finite(&Self::from_taps(1, &taps.collect::<Vec<_>>())?, &product)
        })
    }

    /// A finite kernel divided by these factors, in lowest terms.
    fn over(self, factors: Vec<Pole>) -> Option<Self> {
        let (mut fraction, mut poles) = (self, Vec::new());
        for factor in factors {
            let extent = fraction.shape.size().map(usize::from);
            match factor.divide(extent, fraction.shape.dense())? {
                Some(quotient) => {
                    let Label { scale, offset, .. } = fraction.label;
                    let low = add_offsets(offset, factor.corner()).ok()?;
                    fraction = Self::from_dense(fraction.shape.channels(), low, extent, &quotient, scale)?;
                }
                None => poles.push(factor),
            }
        }
        poles.sort_unstable();
        fraction.shape.poles = (!poles.is_empty()).then(|| Arc::new(poles));
        Some(fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::testing::kernel;
    use crate::algebra::{Kernel, PlusTimes, Scan};
    use proptest::prelude::*;

    const STEPS: [Offset; 6] = [[-1, 0, 0], [0, 1, 0], [-2, 0, 0], [-1, 1, 0], [1, 1, 0], [-3, 0, 0]];

    /// A kernel over scans that run forward together, as both kinds of rational functions.
    fn fraction() -> impl Strategy<Value = (Scan<PlusTimes>, Placed)> {
        let steps = prop::collection::vec(prop::sample::select(STEPS.to_vec()), 0..3);
        (kernel::<PlusTimes>(), steps).prop_map(|(numerator, steps)| {
            let mut placed = Placed::from_kernels(std::slice::from_ref(&numerator)).unwrap();
            for step in &steps {
                placed = Placed::compose(&Placed::scan(*step).unwrap(), &placed).unwrap();
            }
            (Scan::quotient(numerator, steps).unwrap(), placed)
        })
    }

    fn sum(a: &Placed, b: &Placed) -> Placed {
        Placed::sum(1, [(a.label, &a.shape), (b.label, &b.shape)]).unwrap()
    }

    proptest! {
        #[test]
        fn fractions_are_one_kernel_exactly_where_cross_multiplication_says_so((a, x) in fraction(), (b, y) in fraction()) {
            prop_assert_eq!(x == y, a.equals(&b).unwrap());
            // The sum and the product are those of scans.
            let (c, z) = (a.add(&b).unwrap(), sum(&x, &y));
            prop_assert_eq!(&sum(&y, &x), &z);
            let minus = Label::scaled(Rational::integer(-1));
            prop_assert_eq!(sum(&z, &y.apply(minus).unwrap()), x.clone());
            prop_assert_eq!(z.shape.is_finite(), c.to_kernel().is_some());
            let product = Placed::compose(&x, &y).unwrap();
            prop_assert_eq!(&product, &Placed::compose(&y, &x).unwrap());
            prop_assert_eq!(a.compose(&b).unwrap().to_kernel().is_some(), product.shape.is_finite());
            if let Some(finite) = a.compose(&b).unwrap().to_kernel() {
                prop_assert_eq!(Placed::from_kernels(std::slice::from_ref(finite)).unwrap(), product);
            }
        }

        #[test]
        fn products_of_canonical_kernels_are_canonical((_, x) in fraction(), (_, y) in fraction()) {
            prop_assume!(!x.shape.is_zero() && !y.shape.is_zero());
            let plain = |shape: &Shape| Placed { label: Label::IDENTITY, shape: shape.clone() };
            let product = Placed::compose(&plain(&x.shape), &plain(&y.shape)).unwrap();
            prop_assert_eq!(product.label, Label::IDENTITY);
        }

        #[test]
        fn recurrences_give_the_kernel_back((_, x) in fraction()) {
            let (finite, steps) = x.shape.recurrences().unwrap();
            let again = steps.iter().fold(finite, |rest, step| {
                Placed::compose(&Placed::scan(*step).unwrap(), &rest).unwrap()
            });
            prop_assert_eq!(again, Placed { label: Label::IDENTITY, shape: x.shape });
        }
    }

    #[test]
    fn a_fraction_whose_factors_do_not_cancel_at_once_is_in_lowest_terms() {
        // (1 + x)/(1 − x²) = 1/(1 − x).
        let pair =
            Kernel::<PlusTimes>::from_taps(&[([0; 3], Rational::ONE), ([1, 0, 0], Rational::ONE)]).unwrap();
        let pair = Placed::from_kernels(&[pair]).unwrap();
        let by_two = Placed::compose(&pair, &Placed::scan([2, 0, 0]).unwrap()).unwrap();
        assert_eq!(by_two, Placed::scan([1, 0, 0]).unwrap());
    }
}

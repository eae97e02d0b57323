//! Semirings as values: kernels over any of them share one type in the e-graph.

use std::fmt;

use super::{CHOICES, Choice, NAMES, PlusTimes, SUMS, Semiring, in_semiring};
use crate::algebra::Rational;

/// The semiring of a kernel's coefficients: ordinary arithmetic, or an idempotent semiring.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arithmetic(u8);

impl Arithmetic {
    /// (+ ×) over the rationals, the first in the list.
    pub const LINEAR: Self = Self(0);

    /// The semiring with this name. `None` if there is none, or if it is neither (+ ×) nor idempotent.
    pub fn named(name: &str) -> Option<Self> {
        let place = NAMES.iter().position(|known| *known == name)?;
        let known = place == 0 || CHOICES[place].is_some();
        known.then(|| u8::try_from(place).map(Self).ok()).flatten()
    }

    /// The value for `S`; `None` as in [`Arithmetic::named`].
    pub fn of<S: Semiring>() -> Option<Self> {
        Self::named(S::NAME)
    }

    /// The name that files use.
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0)]
    }

    /// The infix symbol of sums: `+`, `min`.
    pub fn sum_symbol(self) -> &'static str {
        SUMS[usize::from(self.0)]
    }

    /// Whether this is (+ ×).
    pub fn is_linear(self) -> bool {
        self == Self::LINEAR
    }

    /// Which of two weights is their sum; `None` in (+ ×).
    pub fn choice(self) -> Option<Choice> {
        CHOICES[usize::from(self.0)]
    }

    /// The sum of two weights in an idempotent semiring.
    pub(in crate::algebra) fn choose(self, a: i64, b: i64) -> i64 {
        if self.choice() == Some(Choice::Least) { a.min(b) } else { a.max(b) }
    }

    /// The code of a weight in a dense kernel; the code 0 stands for no tap.
    pub(in crate::algebra) fn encode(weight: i64) -> i64 {
        if weight < 0 { weight } else { weight + 1 }
    }

    /// The weight of a code other than 0 in a dense kernel.
    pub(in crate::algebra) fn decode(code: i64) -> i64 {
        if code < 0 { code } else { code - 1 }
    }

    /// The weight of the coefficient written as this number; `None` for zero, and for weights that are not integers.
    pub fn weight(self, number: Rational) -> Option<i64> {
        in_semiring!(self.name(), |S| S::weight(S::of(number)?))?
    }

    /// The number that denotes the coefficient with this weight; `None` if there is no such coefficient.
    pub fn number(self, weight: i64) -> Option<Rational> {
        in_semiring!(self.name(), |S| S::number(S::of_weight(weight)?))?
    }
}

impl fmt::Debug for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Default for Arithmetic {
    fn default() -> Self {
        debug_assert_eq!(NAMES[0], PlusTimes::NAME);
        Self::LINEAR
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_and_codes_are_one_to_one() {
        for weight in [-3, -1, 0, 1, 7] {
            assert_eq!(Arithmetic::decode(Arithmetic::encode(weight)), weight);
            assert_ne!(Arithmetic::encode(weight), 0);
        }
    }

    #[test]
    fn numbers_are_those_that_files_write() {
        let three = Rational::integer(3);
        let of = |name: &str| Arithmetic::named(name).unwrap();
        assert_eq!((of("max-plus").weight(three), of("max-plus").number(3)), (Some(3), Some(three)));
        assert_eq!(
            (of("or-and").weight(Rational::ONE), of("or-and").number(0)),
            (Some(0), Some(Rational::ONE))
        );
        assert_eq!((of("or-and").weight(Rational::ZERO), of("or-and").number(3)), (None, None));
        assert_eq!(Arithmetic::named("plus"), None);
    }
}

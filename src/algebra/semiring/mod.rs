//! Semirings: coefficients, and how they add and multiply. Here, idempotent means that every sum is one of its terms.
//!
//! A new semiring takes one file here with a type that implements [`Semiring`], and an entry in the list at the end of
//! this file.

mod arithmetic;
mod or_and;
mod plus_times;
mod tropical;

use std::fmt::{Debug, Display};
use std::hash::Hash;

use super::{AlgebraError, CoefficientError, Rational};

pub use arithmetic::Arithmetic;
pub use or_and::{OrAnd, Truth};
pub use plus_times::PlusTimes;
pub use tropical::{Extended, MaxPlus, MinPlus};

/// A commutative semiring: addition and multiplication are associative and commutative, multiplication distributes over
/// addition, zero is neutral for addition and annihilates, one is neutral for multiplication.
///
/// The implementors are unit types that are never used as values; all functions are associated functions. Arithmetic is
/// checked: `None` means that the exact result cannot be represented.
pub trait Semiring: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// A coefficient.
    type Element: Copy + Eq + Ord + Hash + Debug + Display + Send + Sync;

    /// The name that files use.
    const NAME: &'static str;
    /// One sentence on what addition and multiplication are, for listings.
    const DOC: &'static str;
    /// The infix symbols of addition and multiplication.
    const SYMBOLS: [&'static str; 2];
    /// Which of two elements is their sum, by their [`Semiring::weight`]; `None` if the semiring is not idempotent.
    const CHOICE: Option<Choice>;

    /// The neutral element of addition: the coefficient of an offset that contributes nothing.
    fn zero() -> Self::Element;

    /// The neutral element of multiplication: the coefficient of the identity kernel.
    fn one() -> Self::Element;

    /// The sum; `None` on overflow.
    fn add(a: Self::Element, b: Self::Element) -> Option<Self::Element>;

    /// The product; `None` on overflow.
    fn mul(a: Self::Element, b: Self::Element) -> Option<Self::Element>;

    /// The element whose sum with `a` is zero; `None` if the semiring has no negation.
    fn negate(_a: Self::Element) -> Option<Self::Element> {
        None
    }

    /// The element whose product with `a` is one; `None` if it does not exist, and on overflow.
    fn reciprocal(a: Self::Element) -> Option<Self::Element>;

    /// The coefficient written as this number; `None` if the semiring has no such coefficient.
    fn of(number: Rational) -> Option<Self::Element>;

    /// The number that the coefficient is written as; `None` for an infinity.
    fn number(a: Self::Element) -> Option<Rational>;

    /// In an idempotent semiring, the integer that the product with `a` adds to weights; 0 for one. `None` for zero, and for
    /// elements without such an integer.
    fn weight(a: Self::Element) -> Option<i64> {
        Self::CHOICE?;
        if a == Self::one() {
            return Some(0);
        }
        let number = Self::number(a).filter(|number| number.is_integer() && !Self::is_zero(a))?;
        Some(number.numerator())
    }

    /// The element with this [`Semiring::weight`]; `None` if there is none.
    fn of_weight(weight: i64) -> Option<Self::Element> {
        Self::CHOICE?;
        let element = if weight == 0 { Self::one() } else { Self::of(Rational::integer(weight))? };
        (Self::weight(element) == Some(weight)).then_some(element)
    }

    /// Reads a coefficient.
    fn parse(text: &str) -> Result<Self::Element, CoefficientError>;

    /// Whether `a` is zero.
    fn is_zero(a: Self::Element) -> bool {
        a == Self::zero()
    }

    /// Whether elements have negations: the type is a [`Ring`].
    fn has_negation() -> bool {
        Self::negate(Self::one()).is_some()
    }

    /// The sum, or an error that shows the operation.
    fn try_add(a: Self::Element, b: Self::Element) -> Result<Self::Element, AlgebraError> {
        Self::add(a, b).ok_or_else(|| overflow::<Self>(a, 0, b))
    }

    /// The product, or an error that shows the operation.
    fn try_mul(a: Self::Element, b: Self::Element) -> Result<Self::Element, AlgebraError> {
        Self::mul(a, b).ok_or_else(|| overflow::<Self>(a, 1, b))
    }
}

#[cold]
fn overflow<S: Semiring>(a: S::Element, operation: usize, b: S::Element) -> AlgebraError {
    AlgebraError::Overflow { expression: format!("{a} {} {b}", S::SYMBOLS[operation]), semiring: S::NAME }
}

/// Which of two elements is their sum, in a semiring where every sum is one of its terms: a + a = a.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Choice {
    /// The one with the smaller weight.
    Least,
    /// The one with the greater weight.
    Greatest,
}

/// A semiring in which [`Semiring::negate`] always has a result, as subtraction and scans require.
pub trait Ring: Semiring {
    /// The element whose sum with `a` is zero.
    fn opposite(a: Self::Element) -> Self::Element;
}

/// The properties of a semiring for listings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemiringInfo {
    /// [`Semiring::NAME`].
    pub name: &'static str,
    /// [`Semiring::DOC`].
    pub doc: &'static str,
    /// Whether a + a = a for all a: see [`Semiring::CHOICE`].
    pub idempotent: bool,
    /// [`Semiring::has_negation`].
    pub has_negation: bool,
}

impl SemiringInfo {
    /// The properties of `S`.
    pub fn of<S: Semiring>() -> Self {
        Self { name: S::NAME, doc: S::DOC, idempotent: S::CHOICE.is_some(), has_negation: S::has_negation() }
    }
}

macro_rules! semirings {
    ($d:tt $($semiring:ident),+) => {
        /// All semirings that files can name, the default first.
        pub fn semirings() -> Vec<SemiringInfo> {
            vec![$(SemiringInfo::of::<$semiring>()),+]
        }

        /// The names, in the same order.
        const NAMES: &[&str] = &[$($semiring::NAME),+];
        /// The symbols of sums, in the same order.
        const SUMS: &[&str] = &[$($semiring::SYMBOLS[0]),+];
        /// The choices, in the same order.
        const CHOICES: &[Option<Choice>] = &[$($semiring::CHOICE),+];

        /// `in_semiring!(name, |S| value)` is the value where `S` is the semiring with this name; `None` if there is none.
        macro_rules! in_semiring {
            ($d name:expr, |$d s:ident| $d value:expr) => {{
                let name: &str = $d name;
                match name {
                    $(<$crate::algebra::$semiring as $crate::algebra::Semiring>::NAME => {
                        type $d s = $crate::algebra::$semiring;
                        // A closure, so that `?` does not leave the function around it.
                        Some(()).map(|()| $d value)
                    })+
                    _ => None,
                }
            }};
        }
        pub(crate) use in_semiring;
    };
}

// The dollar sign is for the macro inside.
semirings![$ PlusTimes, MinPlus, MaxPlus, OrAnd];

#[cfg(test)]
mod tests;

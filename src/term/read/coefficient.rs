//! The coefficients of semirings, by the names of these.

use crate::algebra::{CoefficientError, Semiring, SemiringVisitor, with_semiring};

/// Reads a coefficient of a semiring and returns it as the semiring prints it.
pub(super) type CoefficientReader = fn(&str) -> Result<String, CoefficientError>;

/// The reader of a semiring's coefficients.
pub(super) fn coefficient_reader(semiring: &str) -> Option<CoefficientReader> {
    struct Visitor;
    impl SemiringVisitor for Visitor {
        type Output = CoefficientReader;

        fn visit<S: Semiring>(self) -> Self::Output {
            |text| S::parse(text).map(|value| value.to_string())
        }
    }
    with_semiring(semiring, Visitor)
}

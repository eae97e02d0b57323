//! The coefficients of semirings, by the names of these.

use crate::algebra::{CoefficientError, Semiring, in_semiring};

/// Reads a coefficient of a semiring and returns it as the semiring prints it.
pub(super) type CoefficientReader = fn(&str) -> Result<String, CoefficientError>;

/// The reader of a semiring's coefficients.
pub(super) fn coefficient_reader(semiring: &str) -> Option<CoefficientReader> {
    in_semiring!(semiring, |S| coefficient::<S> as CoefficientReader)
}

fn coefficient<S: Semiring>(text: &str) -> Result<String, CoefficientError> {
    S::parse(text).map(|value| value.to_string())
}

//! The state of reading one file.

use super::coefficient::{CoefficientReader, coefficient_reader};
use super::names::Names;
use crate::algebra::{CoefficientError, SemiringInfo, semirings};
use crate::syntax::{Diagnostic, Expect, NumberError, Sexp};
use crate::term::source::{DEFAULT_DIMENSIONS, DEFAULT_SEMIRING};
use crate::term::{Coefficient, IndexSpace};

/// The state of reading one file.
pub(super) struct Reader {
    pub(super) expect: Expect,
    pub(super) coefficient: CoefficientReader,
    pub(super) semiring: String,
    /// Whether the semiring has negation.
    pub(super) negation: bool,
    pub(super) dimensions: u8,
    pub(super) space: IndexSpace,
    pub(super) names: Names,
    /// Whether every term could be read.
    pub(super) complete: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            expect: Expect::new(),
            coefficient: coefficient_reader(DEFAULT_SEMIRING)
                .expect("the default semiring is one that is known"),
            semiring: DEFAULT_SEMIRING.to_owned(),
            negation: true,
            dimensions: DEFAULT_DIMENSIONS,
            space: IndexSpace::Grid,
            names: Names::default(),
            complete: true,
        }
    }
}

impl Reader {
    /// Reads a coefficient in the file's semiring.
    pub(super) fn coefficient(&mut self, sexp: &Sexp) -> Option<Coefficient> {
        let what = || match self.semiring.as_str() {
            DEFAULT_SEMIRING => "a number".to_owned(),
            other => format!("a coefficient of `{other}`"),
        };
        let Some(text) = sexp.as_atom() else { return self.expect.mismatch(&what(), sexp) };
        let error = match (self.coefficient)(text) {
            Ok(text) => return Some(Coefficient(text.into_boxed_str())),
            Err(CoefficientError::NotANumber) => return self.no_coefficient(text, &what(), sexp),
            Err(CoefficientError::ZeroDenominator) => NumberError::ZeroDenominator,
            Err(CoefficientError::Overflow) => NumberError::TooLarge,
        };
        self.expect.bad_number(error, &what(), sexp)
    }

    /// Reports an atom that is not a coefficient. The message names the coefficients of the semiring, or a semiring that has
    /// this one.
    fn no_coefficient<T>(&mut self, text: &str, what: &str, sexp: &Sexp) -> Option<T> {
        let elsewhere =
            |info: &SemiringInfo| coefficient_reader(info.name).is_some_and(|read| read(text).is_ok());
        let known = semirings();
        let help = if self.semiring == DEFAULT_SEMIRING {
            let others: Vec<String> = known
                .iter()
                .filter(|info| elsewhere(info))
                .map(|info| format!("`(semiring {})`", info.name))
                .collect();
            if others.is_empty() {
                return self.expect.bad_number(NumberError::Malformed, what, sexp);
            }
            format!("for such coefficients, write {} in the file", others.join(" or "))
        } else {
            let doc = known.iter().find(|info| info.name == self.semiring).map_or("", |info| info.doc);
            format!("the coefficients of `{}`: {doc}", self.semiring)
        };
        self.expect.report(
            Diagnostic::error("not-a-number", format!("expected {what}, found {}", sexp.describe()))
                .label(sexp.span, format!("expected {what}"))
                .help(help),
        )
    }
}

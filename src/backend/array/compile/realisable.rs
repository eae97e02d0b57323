//! Kernels that no program can have, because of their coefficients or their extent.

use std::collections::BTreeSet;

use crate::algebra::{Placed, Rational, gcd};
use crate::backend::array::machine::form::Form;
use crate::backend::array::search::beyond;
use crate::backend::error::OptimizeError;
use crate::syntax::{Diagnostic, Diagnostics};
use crate::term::FilterSource;

/// Refuses outputs with a coefficient that no instruction can produce, for which the search would use up its budget, and
/// outputs that the search cannot hold.
///
/// # Errors
/// [`OptimizeError::BadInput`] with each such output, and its first such coefficient.
pub(super) fn realisable(
    filter: &FilterSource,
    outputs: &[(String, Placed)],
    forms: &[Form],
) -> Result<(), OptimizeError> {
    let denominators = denominators(forms);
    let mut wrong = Diagnostics::new();
    for ((name, kernel), output) in outputs.iter().zip(&filter.outputs) {
        let diagnostic = if let Some(reason) = coefficient(kernel, &denominators) {
            Diagnostic::error("unrealisable-coefficient", format!("`{name}` {reason}"))
                .help("`--max-error E` and `--depth D` compile an approximation that can be made")
        } else if let Some(beyond) = beyond(kernel) {
            Diagnostic::error("unrealisable-kernel", format!("`{name}` {beyond}"))
        } else {
            continue;
        };
        wrong.push(diagnostic.label(output.span, "this output"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(OptimizeError::BadInput(wrong)) }
}

/// Whether instructions can make a kernel, as far as the denominators of its coefficients and its extent tell.
pub(super) fn is_realisable(kernel: &Placed, forms: &[Form]) -> bool {
    coefficient(kernel, &denominators(forms)).is_none() && beyond(kernel).is_none()
}

/// The denominators of the weights of instructions.
fn denominators(forms: &[Form]) -> BTreeSet<u64> {
    let weights = forms.iter().flat_map(|form| &form.results).flat_map(|result| &result.taps);
    weights.map(|tap| tap.coefficient.denominator().unsigned_abs()).collect()
}

/// Why the first coefficient that cannot be made cannot.
fn coefficient(kernel: &Placed, denominators: &BTreeSet<u64>) -> Option<String> {
    let taps = kernel.taps().unwrap_or_default();
    taps.iter().find_map(|(.., value)| unrealisable(*value, denominators))
}

/// Why a coefficient cannot be made, as far as its denominator tells: sums and products of weights have no primes in their
/// denominators but those of the weights.
fn unrealisable(value: Rational, denominators: &BTreeSet<u64>) -> Option<String> {
    let makes = |prime: u64| denominators.iter().any(|denominator| denominator % prime == 0);
    let of_value = value.denominator().unsigned_abs();
    if denominators.iter().fold(of_value, |left, denominator| without_primes(left, *denominator)) > 1 {
        let fractions = match (makes(2), makes(3)) {
            (true, true) => "halvings and thirds",
            (true, false) => "halvings",
            (false, true) => "thirds",
            (false, false) => "whole weights",
        };
        let others = denominators.iter().any(|denominator| without_primes(*denominator, 6) > 1);
        let others = if others { ", and fractions with other denominators" } else { "" };
        Some(format!(
            "has the coefficient {value}, which this instruction set cannot make: it has only {fractions}{others}"
        ))
    } else if without_primes(of_value, 6) > 1 {
        let limit = "the search uses only instructions with weights of ±2^a·3^b";
        Some(format!("has the coefficient {value}, which this instruction set may make, but {limit}"))
    } else {
        None
    }
}

/// A number without the primes of another.
fn without_primes(mut number: u64, other: u64) -> u64 {
    loop {
        match gcd(number, other) {
            1 => return number,
            common => number /= common,
        }
    }
}

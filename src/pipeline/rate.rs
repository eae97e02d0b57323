//! Rates in messages.

use crate::algebra::Rational;

/// A rate: one number if both axes agree.
pub(super) fn rate_text([x, y]: [Rational; 2]) -> String {
    if x == y { format!("{x}") } else { format!("{x} × {y}") }
}

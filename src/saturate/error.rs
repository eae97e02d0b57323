//! The error that ends a run: an unsound rule.

use thiserror::Error;

use crate::algebra::Placed;
use crate::term::matrix;

/// The reason why a run failed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SaturateError {
    /// A rule equates two terms with different kernels. The graph is dropped and cannot be read.
    #[error(
        "rule `{rule}` is unsound: its sides denote different kernels{}\n  left:  {lhs_term}\n{}\n  right: {rhs_term}\n{}",
        if place.is_empty() { String::new() } else { format!(" [{place}]") },
        matrix(lhs_kernel, "    "),
        matrix(rhs_kernel, "    ")
    )]
    Unsound {
        /// The rule or proposer.
        rule: String,
        /// The place of the rule as `FILE:LINE:COLUMN`; empty if it does not come from a file.
        place: String,
        /// The matched term, with its variables replaced by their kernels.
        lhs_term: String,
        /// The term that the rule would have added to the same e-class.
        rhs_term: String,
        /// The kernel that `lhs_term` denotes.
        lhs_kernel: Box<Placed>,
        /// The kernel that `rhs_term` denotes.
        rhs_kernel: Box<Placed>,
    },
}

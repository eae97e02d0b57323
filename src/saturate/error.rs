//! The error that ends a run: a rule is wrong.

use thiserror::Error;

use crate::algebra::Placed;
use crate::term::matrix;

/// Why there is no saturated graph.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SaturateError {
    /// A rule equates two terms whose kernels differ. The graph is dropped, and nothing is read from it.
    #[error(
        "rule `{rule}` is unsound: its sides denote different kernels\n  left:  {lhs_term}\n{}\n  right: {rhs_term}\n{}",
        matrix(lhs_kernel, "    "),
        matrix(rhs_kernel, "    ")
    )]
    Unsound {
        /// The rule or proposer.
        rule: String,
        /// What it found, its variables replaced by their kernels.
        lhs_term: String,
        /// What it would have put into the same class.
        rhs_term: String,
        /// The kernel that `lhs_term` denotes.
        lhs_kernel: Box<Placed>,
        /// The kernel that `rhs_term` denotes.
        rhs_kernel: Box<Placed>,
    },
}

//! Point-wise identities, which rule files state: what they say, whether they hold, and where they match.
//!
//! Both sides are terms over values of one pixel. Conditions ask about intervals. An identity does not say when it is worth
//! applying: `merge` applies it where that makes a pipeline cheaper.

mod check;
mod condition;
mod matching;
mod nodes;
mod number;
mod statement;
mod term;

pub use check::Checked;
pub use condition::Condition;
pub use statement::Identity;
pub use term::{Operator, Sort, Term, Unknown, Word};

pub(super) use matching::matches;
pub(super) use nodes::Nodes;
pub(super) use term::{Domain, Meaning};

#[cfg(test)]
mod tests;

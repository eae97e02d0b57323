//! Rules: rule files, conditions, proposers and their soundness.

mod check;
mod condition;
mod pattern;
pub mod propose;
mod read;
mod set;

pub use check::{CounterExample, Verdict, check};
pub use condition::{Condition, PREDICATES, Predicate};
pub use pattern::{Pattern, Rewrite, Variable, VariableId};
pub use set::{Action, Bounds, Propose, RuleErrors, RuleSet};

/// One rule of a rule file.
#[derive(Clone)]
pub struct Rule {
    /// Unique over all files. A proposer's rule has the proposer's name.
    pub name: String,
    /// What identity it uses.
    pub doc: String,
    /// What it is switched on and off with.
    pub group: String,
    /// The semirings that it holds in, by their names in kernel files.
    pub semirings: Vec<String>,
    /// How many matches of one class it may add; for a proposer, how many decompositions it is asked for.
    pub budget: usize,
    /// What it does.
    pub action: Action,
}

impl Rule {
    /// The semiring of the usual arithmetic, the one that saturation works in.
    pub const PLUS_TIMES: &'static str = "plus-times";
    /// The budget where a rule does not name one: enough for the best few of any proposer.
    pub const DEFAULT_BUDGET: usize = 8;

    /// Whether it holds over the rationals, which is where saturation works.
    pub fn is_exact(&self) -> bool {
        self.semirings.iter().any(|semiring| semiring == Self::PLUS_TIMES)
    }
}

//! Rules: rule files, conditions, proposers and their soundness.

mod check;
mod condition;
mod definition;
mod expression;
mod interpret;
mod load;
mod pattern;
mod peephole;
mod polynomial;
pub mod propose;
mod read;
mod set;
mod subject;
mod variable;

pub use check::{
    CounterExample, Lint, Refutation, Report, Sample, Verdict, check, example_is_equal, report, samples,
};
pub use condition::{Argument, Condition, PREDICATES, Parameter, Predicate, Question, Value};
pub use definition::{Action, BackOff, Bounds, Example, Phase, Propose, Rule};
pub use expression::{Expression, Operation};
pub use load::{OpenFile, RuleErrors};
pub use pattern::{Constant, Pattern, Rewrite, share_a_variable};
pub use peephole::{Peephole, Slot, Step};
pub use read::{as_rule_name, is_rule_name};
pub use set::RuleSet;
pub use subject::Subject;
pub use variable::{Sort, Variable, VariableId};

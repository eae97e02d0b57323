//! Rules in themselves: whether they hold, what they are worth, and which are missing.

mod check;
mod infer;
mod list;
mod stats;

pub use check::{
    CostRecord, ExampleRecord, RuleCheckRecord, Trials, check_rules, read_arrays, rule_check_table,
};
pub use infer::{InferRecord, Inferred, Search, infer_rules, infer_table};
pub use list::{RuleRecord, list_rules, rule_file, rule_table};
pub use stats::{AblationRecord, Measuring, PlanEffect, RuleEffect, StatsRecord, rule_stats, stats_table};

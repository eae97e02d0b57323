//! The library interface: a [`Filter`], a [`Target`], a [`Compiler`], and their results.

mod error;
mod filter;
mod target;
mod result;
mod run;
mod rules;
mod compile;
mod explain;
mod import;
#[cfg(test)]
mod tests;

pub use compile::{Compiler, startable, thread_pool, with_threads};
pub use error::{Error, Place};
pub use explain::{ExplainForm, Part, ReplayProofError, explain, explain_limits, replay_proof};
pub use filter::Filter;
pub use import::{filter_name, import_kernels};
pub use result::{Checked, Compiled, Report};
pub use rules::{
    AblationRecord, CostRecord, ExampleRecord, InferRecord, Inferred, Measuring, PlanEffect, RuleCheckRecord,
    RuleEffect, RuleRecord, Search, StatsRecord, Trials, check_rules, infer_rules, infer_table, list_rules,
    read_arrays, rule_check_table, rule_file, rule_stats, rule_table, stats_table,
};
pub use run::{Runs, run_pipeline};
pub use target::Target;

//! The options of `kalg bench`.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::arguments::whole;
use super::optimize::Seconds;
use super::outcome::CommandError;
use super::rules::RuleFiles;
use super::{bench_hardware, bench_loops};
use crate::backend::Registry;
use crate::backend::array::machine::{Target, builtin_names};
use crate::backend::vector::options::BANKS;

/// `kalg bench`.
#[derive(Debug, Args)]
pub(super) struct Bench {
    /// Kernel files or folders for --ablate [default: those of corpus/ablation.list] and --heuristic [default: corpus]
    #[arg(value_name = "FILE", conflicts_with_all = ["against", "best_known", "set"])]
    pub(super) files: Vec<PathBuf>,
    /// Compare with the programs of other compilers in this JSON file
    #[arg(long, value_name = "FILE")]
    pub(super) against: Option<PathBuf>,
    /// Compare with the best programs that any search of kalg has found, which this file keeps: corpus/best-known/scamp5.json
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    pub(super) best_known: Option<PathBuf>,
    /// Measure what each group of rules and each part of the search is worth, by leaving it out
    #[arg(long, conflicts_with_all = ["against", "best_known", "set", "time"])]
    pub(super) ablate: bool,
    /// With --ablate: also leave out each rule by itself
    #[arg(long, requires = "ablate")]
    pub(super) each_rule: bool,
    /// With --ablate: leave out parts of the search only, no rules
    #[arg(long, requires = "ablate", conflicts_with = "each_rule")]
    pub(super) searches_only: bool,
    /// Sample states that searches meet, search from each, and compare the heuristic's estimate with the cost found; with
    /// --json, also print the quantities of each estimate
    #[arg(long, conflicts_with_all = ["against", "best_known", "ablate", "set", "time"])]
    pub(super) heuristic: bool,
    /// Measure a set of workloads: those of the Vyasa paper on a vector machine; one to ten random kernels on a machine
    /// with 18 registers, together and one by one; C and Rust for processors compared with naive loops in C, and filters and pipelines beside OpenCV if Python finds it; or
    /// line-buffered hardware, synthesized if yosys is installed, beside what others say of the same pipelines
    #[arg(long, conflicts_with_all = ["against", "best_known"], value_parser = PossibleValuesParser::new(["vyasa", "registers", bench_loops::machine(), bench_hardware::machine()]))]
    pub(super) set: Option<String>,
    /// Measure the C of many plans on this machine, and print the descriptor of a processor whose costs fit the times: a file
    /// for `kalg optimize --target`
    #[arg(long, conflicts_with_all = ["against", "best_known", "ablate", "heuristic", "set", "time"])]
    pub(super) calibrate: bool,
    /// With --set vyasa: whether simultaneous accesses to one memory bank wait for each other [default: modelled]
    #[arg(long, requires = "set", value_name = "MODEL", value_parser = PossibleValuesParser::new(BANKS))]
    pub(super) banks: Option<String>,
    /// With --set registers: number of filters for each number of kernels [default: 10]; with --heuristic: number of states
    /// from each of the two searches for a filter [default: 20]
    #[arg(long, value_name = "N")]
    pub(super) samples: Option<NonZero<usize>>,
    /// The machine to compile for; it must be an array except with --ablate [default: the first that kalg knows]
    #[arg(long, value_name = "TARGET", value_parser = PossibleValuesParser::new(Registry::default().names()))]
    pub(super) cost: Option<String>,
    /// Compare only the filters whose names contain this
    #[arg(long, value_name = "NAME")]
    pub(super) only: Option<String>,
    /// Use only this instruction set
    #[arg(long)]
    pub(super) isa: Option<String>,
    /// Time limit of the search per filter and instruction set
    #[arg(long, value_name = "TIME", default_value = "10s", allow_hyphen_values = true)]
    pub(super) time: Seconds,
    /// Number of search nodes to expand, instead of a time limit; with --heuristic: from each state
    #[arg(long, value_name = "N", conflicts_with = "time", allow_negative_numbers = true, value_parser = whole::<u64>)]
    pub(super) nodes: Option<u64>,
    /// With --against, --best-known and --heuristic: seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = ["ablate", "set"], allow_negative_numbers = true, value_parser = whole::<u64>)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) rules: RuleFiles,
    /// Print JSON: one line per result, then a summary line
    #[arg(long)]
    pub(super) json: bool,
    /// Write the tables to this file, all or nothing
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

impl Bench {
    /// The name of the machine.
    pub(super) fn machine(&self) -> &str {
        self.cost.as_deref().or(builtin_names().first().copied()).unwrap_or_default()
    }

    /// The machine, which must be an array.
    pub(super) fn target(&self) -> Result<Arc<Target>, CommandError> {
        let name = self.machine();
        Target::builtin(name).map(Arc::new).ok_or_else(|| {
            CommandError::Usage(format!(
                "`{name}` can only be measured with --ablate, or by a --set of its own"
            ))
        })
    }
}

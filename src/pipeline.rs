//! Joins the stages in order; no algorithm of its own.

use std::sync::Arc;
use std::time::Duration;

use crate::report::OptimizeRecord;
use crate::rule::RuleSet;
use crate::saturate::Clock;
use crate::syntax::{Diagnostics, Source};
use crate::target::{Division, Target};

/// One filter to compile, and how.
#[derive(Clone)]
pub struct OptimizeRequest {
    /// The kernel file's text; its name goes into the record.
    pub source: Source,
    /// The machine.
    pub target: Arc<Target>,
    /// The instruction set, by the target's name for it.
    pub isa: String,
    /// How halvings are done; `None` takes the instruction set's default.
    pub division: Option<Division>,
    /// The registers that may be used, by name; `None` for all.
    pub registers: Option<Vec<String>>,
    /// Registers of inputs that the user fixed: (input, register). The others take the first free ones.
    pub inputs: Vec<(String, String)>,
    /// Registers of outputs that the user fixed: (output, register).
    pub outputs: Vec<(String, String)>,
    /// Whether the inputs must still be in their registers at the end.
    pub keep_input: bool,
    /// How long to search; `None` for no limit of time.
    pub time: Option<Duration>,
    /// How many search states to expand at most; the result is then the same on every machine.
    pub nodes: Option<u64>,
    /// Seed of all that is random.
    pub seed: u64,
    /// Worker threads; they change how fast a result comes, not which one.
    pub threads: usize,
    /// The rules.
    pub rules: RuleSet,
    /// Whether the record explains the decomposition.
    pub explain: bool,
    /// The clock.
    pub clock: Clock,
}

/// What happens while a filter is compiled.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The e-graph is complete: e-nodes and classes.
    Saturated {
        /// E-nodes.
        nodes: u64,
        /// Classes.
        classes: u64,
    },
    /// A better program was found and checked.
    Better {
        /// Its cycles.
        cycles: u32,
        /// Its instructions.
        instructions: u32,
    },
    /// A search begins.
    Searching {
        /// What is tried.
        method: String,
    },
}

/// Why there is no record.
#[derive(Debug)]
pub enum OptimizeError {
    /// The file or an option cannot be used: what is wrong, with places in the source where it has them.
    BadInput(Diagnostics),
    /// A check of kalg's own result failed; the text names what, and holds the program.
    Internal(String),
}

/// Compiles one filter: reads it, saturates, searches, lowers, checks. `progress` is told what happens.
///
/// # Errors
/// [`OptimizeError::BadInput`] where the file or an option is at fault, [`OptimizeError::Internal`] where a program fails its checks or
/// a rule equates different kernels.
pub fn optimize(
    request: &OptimizeRequest,
    progress: &mut dyn FnMut(Progress),
) -> Result<OptimizeRecord, OptimizeError> {
    let _ = (request, progress);
    Err(OptimizeError::Internal("not joined yet".to_owned()))
}

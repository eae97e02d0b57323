//! A request to compile for a vector machine.

use std::sync::Arc;

use crate::backend::vector::machine::VliwMachine;
use crate::backend::vector::schedule::constant::Technique;
use crate::backend::vector::workload::Element;
use crate::budget::Budget;
use crate::rule::RuleSet;
use crate::syntax::Source;

/// The default tile of outputs for filters: that of the Vyasa paper.
pub const USUAL_TILE: [usize; 2] = [256, 16];
/// The default range of pixels: unsigned 8-bit.
pub const USUAL_RANGE: [i64; 2] = [0, 255];

/// Compiles and runs a C++ program. Returns the numbers that it prints, or what went wrong.
pub type RunCode = Arc<dyn Fn(&str) -> Result<Vec<i64>, String> + Send + Sync>;

/// One filter or workload to compile for a vector machine.
#[derive(Clone)]
pub struct VectorRequest {
    /// The file. The record holds its name.
    pub source: Source,
    /// The machine.
    pub machine: Arc<VliwMachine>,
    /// The width and height of the tile of outputs, for filters.
    pub tile: Option<[usize; 2]>,
    /// The element type, for filters.
    pub element: Option<Element>,
    /// The least and the greatest input, for filters.
    pub range: Option<[i64; 2]>,
    /// The maximum difference between an output and the exact result.
    pub tolerance: u64,
    /// Whether to count cycles as if no access ever waited for a bank.
    pub ideal_banks: bool,
    /// The techniques for known coefficients that are switched off.
    pub without: Vec<Technique>,
    /// Whether to allow tensors larger than the machine's memory, with a warning, to count cycles.
    pub oversize: bool,
    /// The rules that decompose filters.
    pub rules: RuleSet,
    /// The seed of the random tiles.
    pub seed: u64,
    /// The runner of the C++ for the third check, if there is one.
    pub run: Option<RunCode>,
    /// Limits on the number of schedules compiled and on time. The search always continues until there is one program.
    pub budget: Budget,
}

//! A request to the compiler for machines in scan order.

use std::sync::Arc;

use crate::backend::OptimizeError;
use crate::backend::scan::machine::{Border, Overflow, Pixel, ScanMachine};
use crate::budget::Budget;
use crate::rule::RuleSet;
use crate::syntax::Source;

/// One filter to compile for a machine in scan order.
#[derive(Clone)]
pub struct StreamRequest {
    /// The text. Its name goes into the record.
    pub source: Source,
    /// The machine.
    pub machine: Arc<ScanMachine>,
    /// The machine by whose costs plans are chosen, if it is not `machine`.
    pub chosen_by: Option<Arc<ScanMachine>>,
    /// The pixel type.
    pub pixel: Pixel,
    /// The least and the greatest value of pixels, 0 included, or `None` for those of the type.
    pub values: Option<[i64; 2]>,
    /// The type of results, or `None` for that of the pixels.
    pub output: Option<Pixel>,
    /// The values beyond the image. `None` for the only border with which the filter has a meaning, or else a reflection.
    pub border: Option<Border>,
    /// The treatment of results that do not fit.
    pub overflow: Overflow,
    /// The rules.
    pub rules: RuleSet,
    /// Whether plans on single-precision pixels may have recurrences, which carry every error on, and read pixels that cancel, whose
    /// errors stay. Plans on integers always may.
    pub float_recurrences: bool,
    /// The budget of the search, which ends with the best plan so far. Work is counted in e-nodes that each growth of the e-graph
    /// adds; without a bound on it, the default holds.
    pub budget: Budget,
    /// The seed of the random images.
    pub seed: u64,
}

impl StreamRequest {
    /// Creates a request with 8-bit pixels, the border that the filter needs, saturated results, default growth and no clock.
    pub fn new(source: Source, machine: Arc<ScanMachine>, rules: RuleSet) -> Self {
        Self {
            source,
            machine,
            chosen_by: None,
            pixel: Pixel::UINT8,
            values: None,
            output: None,
            border: None,
            overflow: Overflow::Saturate,
            rules,
            float_recurrences: false,
            budget: Budget::unlimited(),
            seed: 0,
        }
    }

    /// The border of a filter that has a meaning with one border only.
    ///
    /// # Errors
    /// [`OptimizeError::Usage`] if the request names another border. `what` describes the filter in the message.
    pub(super) fn only_border(&self, only: Border, what: &str) -> Result<Border, OptimizeError> {
        match self.border {
            Some(asked) if asked != only => Err(OptimizeError::Usage(format!(
                "--border {} does not work with {what}: use --border {}",
                asked.name(),
                only.name()
            ))),
            _ => Ok(only),
        }
    }
}

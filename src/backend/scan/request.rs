//! What is asked of the compiler for machines in scan order.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::backend::OptimizeError;
use crate::backend::scan::machine::{Border, Overflow, Pixel, ScanMachine};
use crate::rule::RuleSet;
use crate::saturate::Clock;
use crate::syntax::Source;

/// One filter to compile for a machine in scan order.
#[derive(Clone)]
pub struct StreamRequest {
    /// The text; its name goes into the record.
    pub source: Source,
    /// The machine.
    pub machine: Arc<ScanMachine>,
    /// The pixels.
    pub pixel: Pixel,
    /// What is beyond the image; `None` for the only border that the filter has a meaning with, or else a reflection.
    pub border: Option<Border>,
    /// What happens to results that do not fit.
    pub overflow: Overflow,
    /// The rules.
    pub rules: RuleSet,
    /// Whether plans on single-precision pixels may have recurrences, which carry every error on; those on integers always may.
    pub float_recurrences: bool,
    /// How long to look for plans; `None` for no limit of time.
    pub time: Option<Duration>,
    /// Setting it from outside ends the search with the best plan so far.
    pub interrupted: Arc<AtomicBool>,
    /// How many e-nodes each growth of the e-graph may add; `None` for the default.
    pub nodes: Option<u64>,
    /// Seed of the random images.
    pub seed: u64,
    /// The clock.
    pub clock: Clock,
}

impl StreamRequest {
    /// With pixels of 8 bits, the border that the filter needs, results limited to what pixels hold, the usual growth and no clock.
    pub fn new(source: Source, machine: Arc<ScanMachine>, rules: RuleSet) -> Self {
        Self {
            source,
            machine,
            pixel: Pixel::UINT8,
            border: None,
            overflow: Overflow::Saturate,
            rules,
            float_recurrences: false,
            time: None,
            interrupted: Arc::default(),
            nodes: None,
            seed: 0,
            clock: Arc::new(|| Duration::ZERO),
        }
    }

    /// The border of a filter that has a meaning with one border only.
    ///
    /// # Errors
    /// [`OptimizeError::Usage`] where another one is asked for; `what` says what the filter has.
    pub(super) fn only_border(&self, only: Border, what: &str) -> Result<Border, OptimizeError> {
        match self.border {
            Some(asked) if asked != only => Err(OptimizeError::Usage(format!(
                "--border {} does not go with {what}: --border {} does",
                asked.name(),
                only.name()
            ))),
            _ => Ok(only),
        }
    }
}

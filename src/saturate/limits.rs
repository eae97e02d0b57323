//! The limits of a run, the reason why it stopped, and its statistics.

use std::fmt;

use serde::Serialize;

use crate::budget::Budget;

/// The limits of one run. Counts limit what the run may add to the graph.
#[derive(Clone, Debug)]
pub struct Limits {
    /// E-nodes, the leaf of each e-class included. Exceeded by at most the parts of one decomposition.
    pub nodes: usize,
    /// E-classes.
    pub classes: usize,
    /// Iterations, each of which applies all rules.
    pub iterations: usize,
    /// Limits on work (in coefficients that rules touch) and time, and interruption. With a time limit, the result depends
    /// on the machine.
    pub budget: Budget,
}

impl Default for Limits {
    /// About 40 MB and one or two seconds for a 7 × 7 kernel with 49 distinct coefficients; most 3 × 3 kernels
    /// saturate.
    fn default() -> Self {
        Self { nodes: 20_000, classes: 10_000, iterations: 24, budget: Budget::unlimited() }
    }
}

/// The reason why a run stopped.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// No rule adds anything more: the graph contains everything that the rules find within their own budgets.
    Saturated,
    /// This many e-nodes were added.
    Nodes(usize),
    /// This many e-classes were added.
    Classes(usize),
    /// This many iterations were made.
    Iterations(usize),
    /// The work limit was reached.
    Work,
    /// This many seconds had passed.
    Time(f64),
    /// The run was interrupted from outside.
    Interrupted,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Saturated => f.write_str("saturated"),
            Self::Nodes(n) => write!(f, "node limit ({n})"),
            Self::Classes(n) => write!(f, "class limit ({n})"),
            Self::Iterations(n) => write!(f, "iteration limit ({n})"),
            Self::Work => f.write_str("work limit"),
            Self::Time(seconds) => write!(f, "time limit ({seconds:.1} s)"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// Statistics of one rule over all runs so far.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RuleStatistics {
    /// The rule.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Matches of a pattern, or decompositions that a proposer returned.
    pub matches: usize,
    /// E-nodes that the rule was the first to add.
    pub nodes: usize,
    /// E-classes that the rule was the first to add.
    pub classes: usize,
    /// Matches whose result was already in the graph.
    pub known: usize,
    /// Matches that were rejected: a part did not come before the whole, or a side denoted nothing.
    pub refused: usize,
    /// Matches that were rejected because a coefficient left the exact range.
    pub overflowed: usize,
    /// Seconds spent on matching, proposing and adding; zero without a clock.
    pub seconds: f64,
}

/// Statistics of all runs so far.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Statistics {
    /// E-nodes, the leaf of each e-class included.
    pub nodes: usize,
    /// E-classes.
    pub classes: usize,
    /// Iterations.
    pub iterations: usize,
    /// The reason why the last run stopped.
    pub stop_reason: StopReason,
    /// Seconds in total; zero without a clock.
    pub seconds: f64,
    /// One entry per rule, in the order of the rule set.
    pub rules: Vec<RuleStatistics>,
}

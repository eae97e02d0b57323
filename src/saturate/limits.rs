//! Limits of a run, the reason it stopped, and its statistics.

use std::fmt;

use serde::Serialize;

use crate::budget::Budget;

/// Bounds of one run. The counts are those that the run may add to what the graph holds when it starts.
#[derive(Clone, Debug)]
pub struct Limits {
    /// E-nodes, the leaf of each class included. Exceeded by no more than the parts of one decomposition.
    pub nodes: usize,
    /// Classes.
    pub classes: usize,
    /// Rounds of applying all rules.
    pub iterations: usize,
    /// Work, in coefficients that rules touch, time, and interruption. A limit of time makes the result depend on the machine.
    pub budget: Budget,
}

impl Default for Limits {
    /// Some 40 MB and a second or two for a 7 × 7 kernel of 49 distinct coefficients; most 3 × 3 kernels saturate.
    fn default() -> Self {
        Self { nodes: 20_000, classes: 10_000, iterations: 24, budget: Budget::unlimited() }
    }
}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// No rule adds anything: the graph holds everything that the rules find within their own budgets.
    Saturated,
    /// That many e-nodes were added.
    Nodes(usize),
    /// That many classes were added.
    Classes(usize),
    /// That many iterations were made.
    Iterations(usize),
    /// The work was used up.
    Work,
    /// That many seconds had passed.
    Time(f64),
    /// It was interrupted from outside.
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

/// What one rule did in all runs so far.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RuleStatistics {
    /// The rule.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Matches of a pattern, or decompositions that a proposer returned.
    pub matches: usize,
    /// E-nodes that it added first.
    pub nodes: usize,
    /// Classes that it added first.
    pub classes: usize,
    /// Matches whose result was in the graph already.
    pub known: usize,
    /// Matches that were turned down: a part did not come before the whole, or a side denotes nothing there.
    pub refused: usize,
    /// Matches that were turned down as a coefficient left the exact range.
    pub overflowed: usize,
    /// Seconds spent in matching, proposing and adding; zero without a clock.
    pub seconds: f64,
}

/// What happened in all runs so far.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Statistics {
    /// E-nodes, the leaf of each class included.
    pub nodes: usize,
    /// Classes.
    pub classes: usize,
    /// Rounds of applying all rules.
    pub iterations: usize,
    /// Why the last run ended.
    pub stop_reason: StopReason,
    /// Seconds in all; zero without a clock.
    pub seconds: f64,
    /// One entry per rule, in the order of the rule set.
    pub rules: Vec<RuleStatistics>,
}

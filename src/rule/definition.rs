//! One rule as a file defines it: its action, its clauses and its examples.

use std::fmt;
use std::sync::Arc;

use super::pattern::{Pattern, Rewrite};
use super::propose::Proposer;

/// One rule of a rule file.
#[derive(Clone)]
pub struct Rule {
    /// Unique over all files. A proposer's rule has the proposer's name.
    pub name: String,
    /// What identity it uses.
    pub doc: String,
    /// What it is switched on and off with.
    pub group: String,
    /// The semirings that it holds in, by their names in kernel files.
    pub semirings: Vec<String>,
    /// The targets that it is for; all where there is none.
    pub targets: Vec<String>,
    /// Rules of higher priority are applied first; 0 where the file does not say.
    pub priority: i64,
    /// How many matches of one class it may add. For a proposer, how many decompositions of one kernel are requested.
    pub budget: usize,
    /// When a rewrite that matches too often is banned.
    pub back_off: Option<BackOff>,
    /// What it does.
    pub action: Action,
    /// What it must and must not do, as the file says.
    pub examples: Vec<Example>,
    /// Where it stands, as `FILE:LINE:COLUMN`; empty for rules that no file holds.
    pub place: String,
}

/// When a rewrite is banned: after more than `matches` matches in one iteration it is passed over for `iterations` of them,
/// and both double each time. What it would have looked at waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackOff {
    /// Matches in one iteration.
    pub matches: usize,
    /// Iterations.
    pub iterations: usize,
}

/// A test of a rule that stands in it: terms without variables.
#[derive(Clone, Debug)]
pub struct Example {
    /// What the rule is applied to, at its root.
    pub lhs: Pattern,
    /// What comes out; where there is none, anything.
    pub rhs: Option<Pattern>,
    /// Whether it does: `(example …)`, or does not: `(not …)`.
    pub holds: bool,
    /// Where it stands, as `FILE:LINE:COLUMN`.
    pub place: String,
}

/// A stage of saturation with limits of its own. Groups that no phase names are on in all of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Phase {
    /// Unique over all files.
    pub name: String,
    /// The groups of rules that are on.
    pub groups: Vec<String>,
    /// The most iterations; without one, the limit of the run applies.
    pub iterations: Option<usize>,
    /// How many e-nodes it adds at most.
    pub nodes: Option<usize>,
    /// How many classes it adds at most.
    pub classes: Option<usize>,
}

impl Rule {
    /// The semiring of the usual arithmetic, the one that saturation works in.
    pub const PLUS_TIMES: &'static str = "plus-times";
    /// The budget where a rule does not name one: enough for the best few of any proposer.
    pub const DEFAULT_BUDGET: usize = 8;

    /// A rule that no file says more of.
    pub fn new(name: &str, action: Action) -> Self {
        Self {
            name: name.to_owned(),
            doc: String::new(),
            group: String::new(),
            semirings: vec![Self::PLUS_TIMES.to_owned()],
            targets: Vec::new(),
            priority: 0,
            budget: Self::DEFAULT_BUDGET,
            back_off: None,
            action,
            examples: Vec::new(),
            place: String::new(),
        }
    }

    /// Whether saturation can use it: it holds over the rationals, and its sides are finite kernels.
    pub fn is_exact(&self) -> bool {
        let finite = match &self.action {
            Action::Rewrite(rewrite) => rewrite.is_finite(),
            Action::Propose(_) => true,
        };
        finite && self.semirings.iter().any(|semiring| semiring == Self::PLUS_TIMES)
    }
}

/// What a rule does with a class.
#[derive(Clone)]
pub enum Action {
    /// Matches a pattern and adds another to the class.
    Rewrite(Rewrite),
    /// Asks a proposer for decompositions of the class's kernel.
    Propose(Propose),
}

/// A proposer switched on.
#[derive(Clone)]
pub struct Propose {
    /// The mathematics.
    pub proposer: Arc<dyn Proposer>,
    /// What it is shown.
    pub bounds: Bounds,
}

/// Which kernels a proposer is applied to. All bounds are counts, so that a run does not depend on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Kernels with more taps are not shown.
    pub max_taps: Option<usize>,
    /// Kernels with a longer side are not shown.
    pub max_side: Option<usize>,
    /// The greatest distance from a root at which a kernel is first found: roots are at depth 0, their parts at 1.
    pub max_depth: Option<u32>,
    /// The most kernels that are compared pairwise; 0 switches that off.
    pub max_among: usize,
}

impl Default for Bounds {
    /// No bounds, except that at most 16 kernels are compared pairwise: the number of pairs is quadratic.
    fn default() -> Self {
        Self { max_taps: None, max_side: None, max_depth: None, max_among: 16 }
    }
}

impl fmt::Debug for Propose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Propose").field("proposer", &self.proposer.name()).finish_non_exhaustive()
    }
}

//! A rule as a file defines it: its action, its clauses and its examples.

use std::fmt;
use std::sync::Arc;

use super::pattern::{Pattern, Rewrite};
use super::peephole::Peephole;
use super::propose::Proposer;
use crate::algebra::{Arithmetic, semirings};
use crate::pipeline::identity::Identity;

/// One rule of a rule file.
#[derive(Clone)]
pub struct Rule {
    /// The name, unique over all files. The rule of a proposer has the name of the proposer.
    pub name: String,
    /// The identity that the rule uses, in words.
    pub doc: String,
    /// The group, by which rules are switched on and off.
    pub group: String,
    /// The semirings in which the rule holds, by their names in kernel files.
    pub semirings: Vec<String>,
    /// The targets that the rule is for; empty means all targets.
    pub targets: Vec<String>,
    /// The priority: rules with higher priority are applied first. The default is 0.
    pub priority: i64,
    /// The maximum number of matches per e-class that the rule may add; for a proposer, of decompositions per kernel.
    pub budget: usize,
    /// When to ban a rewrite that matches too often.
    pub back_off: Option<BackOff>,
    /// The action of the rule.
    pub action: Action,
    /// The examples and counter-examples in the file.
    pub examples: Vec<Example>,
    /// The place of the rule as `FILE:LINE:COLUMN`; empty for rules that do not come from a file.
    pub place: String,
}

/// When to ban a rewrite: after more than `matches` matches in one iteration it is skipped for `iterations` iterations,
/// and both numbers double each time. The e-classes that it would have visited stay queued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackOff {
    /// The number of matches in one iteration.
    pub matches: usize,
    /// The number of iterations.
    pub iterations: usize,
}

/// A test case inside a rule: terms without variables.
#[derive(Clone, Debug)]
pub struct Example {
    /// The term to which the rule is applied, at its root.
    pub lhs: Pattern,
    /// The expected result; `None` accepts any result.
    pub rhs: Option<Pattern>,
    /// Whether the rule must apply: `(example …)`, or must not: `(not …)`.
    pub holds: bool,
    /// The place of the example as `FILE:LINE:COLUMN`.
    pub place: String,
}

/// A phase of saturation with its own limits. Groups that no phase names are active in every phase.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Phase {
    /// The name, unique over all files.
    pub name: String,
    /// The active groups of rules.
    pub groups: Vec<String>,
    /// The maximum number of iterations; `None` means the limit of the run.
    pub iterations: Option<usize>,
    /// The maximum number of e-nodes that the phase adds.
    pub nodes: Option<usize>,
    /// The maximum number of e-classes that the phase adds.
    pub classes: Option<usize>,
}

impl Rule {
    /// The semiring of ordinary arithmetic.
    pub const PLUS_TIMES: &'static str = "plus-times";
    /// The default budget: enough for the best few decompositions of any proposer.
    pub const DEFAULT_BUDGET: usize = 8;

    /// A rule with default values for everything that a file may specify.
    pub fn new(name: &str, action: Action) -> Self {
        let semirings = match &action {
            Action::Propose(propose) if propose.proposer.chooses() => {
                let choosing = semirings().into_iter().filter(|semiring| semiring.idempotent);
                choosing.map(|semiring| semiring.name.to_owned()).collect()
            }
            _ => vec![Self::PLUS_TIMES.to_owned()],
        };
        Self {
            name: name.to_owned(),
            doc: String::new(),
            group: String::new(),
            semirings,
            targets: Vec::new(),
            priority: 0,
            budget: Self::DEFAULT_BUDGET,
            back_off: None,
            action,
            examples: Vec::new(),
            place: String::new(),
        }
    }

    /// Whether the rule holds in a semiring.
    pub fn holds_in(&self, arithmetic: Arithmetic) -> bool {
        self.semirings.iter().any(|semiring| semiring == arithmetic.name())
    }

    /// The semirings in which the rule holds and that e-graphs know.
    pub fn arithmetics(&self) -> impl Iterator<Item = Arithmetic> {
        self.semirings.iter().filter_map(|name| Arithmetic::named(name))
    }

    /// Whether the rule holds over the rationals.
    pub fn is_exact(&self) -> bool {
        self.holds_in(Arithmetic::LINEAR)
    }

    /// Whether the rule is for every target or for this one.
    pub fn is_for(&self, target: &str) -> bool {
        self.targets.is_empty() || self.targets.iter().any(|name| name == target)
    }

    /// Whether the rule is about polynomials over the rationals, which machines without memory compute.
    pub fn is_polynomial(&self) -> bool {
        self.is_exact() && self.is_finite()
    }

    /// Whether the rule has no scans, which need a machine with memory.
    pub fn is_finite(&self) -> bool {
        match &self.action {
            Action::Propose(_) | Action::Peephole(_) | Action::Pixel(_) => true,
            action => action.rewrites().iter().all(Rewrite::is_finite),
        }
    }

    /// Whether the rule does for a turned filter or program what it does for the filter or program, because it names no place, no
    /// direction and no register. Proposers treat rows and columns alike.
    pub fn is_isotropic(&self) -> bool {
        match &self.action {
            Action::Propose(_) | Action::Pixel(_) => true,
            Action::Peephole(peephole) => peephole.is_general(),
            action => {
                action.rewrites().iter().all(|rewrite| !rewrite.lhs.has_place() && !rewrite.rhs.has_place())
            }
        }
    }
}

/// The effect of a rule on an e-class.
#[derive(Clone)]
pub enum Action {
    /// Matches a pattern and adds another term to the e-class.
    Rewrite(Rewrite),
    /// Matches a pattern at each of several outputs of the filter and adds a term to the e-class of each. The rewrites
    /// have the same variables and conditions.
    Outputs(Vec<Rewrite>),
    /// Asks a proposer for decompositions of the kernel of the e-class.
    Propose(Propose),
    /// Replaces instructions of a program; e-classes are not involved.
    Peephole(Peephole),
    /// Replaces point-wise operations of a pipeline; e-classes are not involved.
    Pixel(Identity),
}

impl Action {
    /// The rewrites, one for each output that the rule looks at.
    pub fn rewrites(&self) -> &[Rewrite] {
        match self {
            Self::Rewrite(rewrite) => std::slice::from_ref(rewrite),
            Self::Outputs(rewrites) => rewrites,
            Self::Propose(_) | Self::Peephole(_) | Self::Pixel(_) => &[],
        }
    }

    /// Both sides and the conditions as rule files write them; `None` for a proposer.
    pub fn print(&self) -> Option<String> {
        match self {
            Self::Rewrite(rewrite) => {
                let print = |side: &Pattern| side.print(&rewrite.variables);
                Some(format!(
                    "{} => {}{}",
                    print(&rewrite.lhs),
                    print(&rewrite.rhs),
                    rewrite.print_conditions()
                ))
            }
            Self::Outputs(rewrites) => {
                let print = |side: fn(&Rewrite) -> &Pattern| {
                    let sides = rewrites.iter().map(|rewrite| side(rewrite).print(&rewrite.variables));
                    format!("(outputs {})", sides.collect::<Vec<_>>().join(" "))
                };
                let conditions = rewrites.first().map_or_else(String::new, Rewrite::print_conditions);
                Some(format!(
                    "{} => {}{conditions}",
                    print(|rewrite| &rewrite.lhs),
                    print(|rewrite| &rewrite.rhs)
                ))
            }
            Self::Peephole(peephole) => Some(peephole.print()),
            Self::Pixel(identity) => Some(identity.print()),
            Self::Propose(_) => None,
        }
    }
}

/// A proposer that is switched on.
#[derive(Clone)]
pub struct Propose {
    /// The proposer.
    pub proposer: Arc<dyn Proposer>,
    /// The bounds on the kernels it is applied to.
    pub bounds: Bounds,
}

/// Bounds on the kernels that a proposer is applied to. All bounds are counts, so a run does not depend on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The maximum number of taps.
    pub max_taps: Option<usize>,
    /// The maximum length of a side.
    pub max_side: Option<usize>,
    /// The maximum distance from a root at which a kernel is first found: roots have depth 0, their parts depth 1.
    pub max_depth: Option<u32>,
    /// The maximum number of kernels compared pairwise; 0 disables comparisons.
    pub max_among: usize,
}

impl Default for Bounds {
    /// Unbounded, except that at most 16 kernels are compared pairwise, because the number of pairs is quadratic.
    fn default() -> Self {
        Self { max_taps: None, max_side: None, max_depth: None, max_among: 16 }
    }
}

impl fmt::Debug for Propose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Propose").field("proposer", &self.proposer.name()).finish_non_exhaustive()
    }
}

//! A set of rules: what a run of saturation is given.

use std::fmt;
use std::sync::Arc;

use super::propose::{Proposer, registry};
use super::{Rewrite, Rule};

/// What a rule does with a class.
#[derive(Clone)]
pub enum Action {
    /// Matches a pattern and adds another to the class.
    Rewrite(Rewrite),
    /// Asks a proposer for decompositions of the class's kernel.
    Propose(Propose),
}

/// A proposer switched on, with its limits. All are counts, so that a run does not depend on the machine.
#[derive(Clone)]
pub struct Propose {
    /// The mathematics.
    pub proposer: Arc<dyn Proposer>,
    /// Kernels with more taps are not shown to it.
    pub max_taps: Option<usize>,
    /// Kernels with a longer side are not shown to it.
    pub max_side: Option<usize>,
    /// Kernels further from a root are not shown to it: roots are at depth 0, their parts at 1.
    pub max_depth: Option<u32>,
    /// How many kernels at most are compared with each other; 0 switches that off.
    pub max_among: usize,
}

impl Propose {
    /// How many kernels are compared with each other where the rule file does not say: pairs are quadratic.
    pub const DEFAULT_AMONG: usize = 16;

    /// `proposer` with the limits that a rule file without any stands for.
    pub fn new(proposer: Arc<dyn Proposer>) -> Self {
        Self { proposer, max_taps: None, max_side: None, max_depth: None, max_among: Self::DEFAULT_AMONG }
    }
}

impl fmt::Debug for Propose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Propose").field("proposer", &self.proposer.name()).finish_non_exhaustive()
    }
}

/// Rules in the order in which they are applied: by file, then by place in the file. Cloning is cheap.
#[derive(Clone, Default)]
pub struct RuleSet {
    rules: Arc<[Rule]>,
}

impl RuleSet {
    /// A set of these rules, whose names must differ.
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        Self { rules: rules.into_iter().collect() }
    }

    /// The rules that stand in the folder `rules/` of the source, embedded in the binary.
    pub fn builtin() -> Self {
        Self::new(registry().into_iter().map(|p| Rule::propose(Propose::new(Arc::from(p)))))
    }

    /// The rules in the order in which they are applied.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The groups, each once, in the order of their first rules.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups = Vec::new();
        for rule in self.rules.iter() {
            if !groups.contains(&rule.group.as_str()) {
                groups.push(rule.group.as_str());
            }
        }
        groups
    }

    /// The same rules without those of one group.
    pub fn without_group(&self, group: &str) -> Self {
        Self::new(self.rules.iter().filter(|rule| rule.group != group).cloned())
    }
}

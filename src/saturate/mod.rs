//! Equality saturation: finds all decompositions of the kernels of a filter that the rules derive.
//!
//! A class of the e-graph **is** a kernel modulo translation, sign and powers of two: equal kernels share a class
//! without any rule. Rules add decompositions. Each is compared exactly with the kernel that it should denote before it
//! is added, and an unsound rule ends the run with [`SaturateError::Unsound`]. Accepted decompositions descend
//! ([`crate::term::precedes`]), so there are no cycles.

mod best;
mod decompositions;
mod error;
mod explain;
mod exchange;
mod graph;
mod limits;
mod matcher;
mod phases;
mod plan;
mod review;
mod run;

use std::collections::{BTreeMap, BTreeSet};

use egg::{Id, Language};

pub use crate::budget::{Budget, Clock};
pub use crate::term::{decomposition_text, kernel_text};
pub use decompositions::{Decompositions, Provenance};
pub use error::SaturateError;
pub use exchange::Exchange;
pub use explain::Derivation;
pub use limits::{Limits, RuleStatistics, Statistics, StopReason};
pub use plan::Operations;
pub use review::{
    CostChange, ExampleOutcome, Overlap, can_match, cost_change, overlap, try_example, window_change,
};

use crate::algebra::{Placed, Shape};
use crate::rule::RuleSet;
use crate::syntax::{Layout, Sexp};
use crate::term::lang::Node;
use crate::term::text as print;
use best::Best;
use graph::Graph;
use run::State;

/// The kernels of a filter with all decompositions that the rules found.
pub struct Saturated {
    graph: Graph,
    state: State,
    rules: RuleSet,
    roots: Vec<(String, Placed)>,
    best: Best,
    decompositions: Decompositions,
    statistics: Statistics,
    failure: Option<SaturateError>,
}

/// One application of a rule on the path from an output to one of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Application {
    /// The rule that was applied.
    pub rule: String,
    /// The kernel to which the rule was applied.
    pub from: Shape,
    /// The kernel that the rule introduced.
    pub to: Shape,
}

/// Applies `rules` to the outputs of a filter (name, and kernel over all input channels) until nothing new is found or
/// a limit is reached. Deterministic unless time is limited.
///
/// # Errors
/// [`SaturateError::Unsound`] if a rule equates different kernels.
///
/// ```
/// use kalg::algebra::{Placed, Rational};
/// use kalg::rule::RuleSet;
/// use kalg::saturate::{Limits, saturate};
///
/// let binomial = Placed::from_dense(1, [-1, 0, 0], [3, 1, 1], &[1, 2, 1], Rational::new(1, 4).unwrap()).unwrap();
/// let found = saturate(&[("out".to_owned(), binomial.clone())], &RuleSet::builtin(), &Limits::default())?;
/// assert!(!found.decompositions().of(&binomial.shape).is_empty());
/// assert_eq!(found.additions(), 2);
/// # Ok::<(), kalg::saturate::SaturateError>(())
/// ```
pub fn saturate(
    roots: &[(String, Placed)],
    rules: &RuleSet,
    limits: &Limits,
) -> Result<Saturated, SaturateError> {
    let mut saturated = Saturated {
        graph: Graph::new(),
        state: State::new(rules),
        rules: rules.clone(),
        roots: roots.to_vec(),
        best: Best::default(),
        decompositions: Decompositions::default(),
        statistics: Statistics {
            nodes: 0,
            classes: 0,
            iterations: 0,
            stop_reason: StopReason::Saturated,
            seconds: 0.0,
            rules: Vec::new(),
        },
        failure: None,
    };
    let shapes: Vec<Shape> = roots.iter().map(|(_, kernel)| kernel.shape.clone()).collect();
    saturated.grow(&shapes, limits)?;
    Ok(saturated)
}

impl Saturated {
    /// Adds kernels that a search has met and continues with the same rules; `limits` count from here. Kernels that are
    /// already in the graph cost nothing except for work that an earlier limit left undone.
    ///
    /// # Errors
    /// [`SaturateError::Unsound`] as for [`saturate`]. From then on `self` is empty and returns the same error again.
    pub fn grow(&mut self, more: &[Shape], limits: &Limits) -> Result<(), SaturateError> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        let start = limits.budget.now();
        for shape in more {
            let id = self.graph.class_of(shape, None);
            if !self.state.watched.contains(&id) {
                self.state.watched.push(id);
            }
        }
        let stop_reason = match phases::run(&mut self.graph, &mut self.state, &self.rules, limits) {
            Ok(reason) => reason,
            Err(error) => {
                self.graph = Graph::new();
                self.decompositions = Decompositions::default();
                self.best = Best::default();
                self.failure = Some(error.clone());
                return Err(error);
            }
        };
        self.best = Best::of(&self.graph);
        let names: Vec<String> = self.rules.rules().iter().map(|rule| rule.name.clone()).collect();
        self.decompositions =
            Decompositions::read(&self.graph, &names, |id, node| self.best.cost(&self.graph, id, node));
        self.statistics = Statistics {
            nodes: self.graph.node_count(),
            classes: self.graph.class_count(),
            iterations: self.state.iteration,
            stop_reason,
            seconds: self.statistics.seconds + limits.budget.now().saturating_sub(start).as_secs_f64(),
            rules: self.state.statistics.clone(),
        };
        Ok(())
    }

    /// The outputs as they were given.
    pub fn roots(&self) -> &[(String, Placed)] {
        &self.roots
    }

    /// The decompositions of each kernel.
    pub fn decompositions(&self) -> &Decompositions {
        &self.decompositions
    }

    /// Sizes, stop reason, and the statistics of each rule.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The rule applications, starting from an output, that introduced `shape` into the graph. Empty for an output, and
    /// for a kernel that is not in the graph.
    pub fn explain(&self, shape: &Shape) -> Vec<Application> {
        let mut steps = Vec::new();
        let mut at = self.graph.find(shape);
        while let Some(origin) = at.and_then(|id| self.graph.class(id).origin) {
            let kernel =
                |id: Option<Id>| id.map_or_else(|| shape.clone(), |id| Shape::clone(self.graph.shape(id)));
            steps.push(Application {
                rule: self.rules.rules()[origin.rule].name.clone(),
                from: kernel(Some(origin.class)),
                to: kernel(at),
            });
            at = Some(origin.class);
        }
        steps.reverse();
        steps
    }

    /// The additions and subtractions of [`Saturated::best_term`]: shared parts count once, and powers of two are free.
    pub fn additions(&self) -> u64 {
        self.best.additions(&self.root_ids())
    }

    /// The names of the rules whose decompositions [`Saturated::best_term`] uses, in the order of the rule set.
    pub fn rules_used(&self) -> Vec<String> {
        let nodes = self.chosen(&self.root_ids());
        let used: BTreeSet<usize> = nodes
            .keys()
            .filter_map(|id| Some(self.graph.origin(self.best.node(&self.graph, *id))?.rule))
            .collect();
        used.into_iter().map(|rule| self.rules.rules()[rule].name.clone()).collect()
    }

    /// [`Saturated::best_forms`] as text.
    pub fn best_term(&self, inputs: &[String]) -> String {
        let forms = self.best_forms(inputs);
        forms.iter().map(|form| Layout::default().print(form)).collect::<Vec<_>>().join("\n")
    }

    /// The decomposition with the fewest additions that was found, as the `(let …)` and `(output …)` forms of a kernel
    /// file. Extraction is greedy, so a smaller one may exist. Values used more than once have a name. `inputs` names
    /// the channels.
    pub fn best_forms(&self, inputs: &[String]) -> Vec<Sexp> {
        let roots = self.root_ids();
        let uses = self.chosen(&roots);
        let mut names = BTreeMap::new();
        let mut forms = Vec::new();
        let mut shared: Vec<Id> = uses.iter().filter(|(_, count)| **count > 1).map(|(id, _)| *id).collect();
        shared.sort_by(|a, b| crate::term::order(self.graph.shape(*a), self.graph.shape(*b)));
        for id in shared {
            let term = self.term(id, &names, inputs);
            if matches!(self.best.node(&self.graph, id), Node::Channel { .. }) {
                continue;
            }
            let name = format!("k{}", names.len() + 1);
            forms.push(Sexp::form("let", [Sexp::atom(name.as_str()), term]));
            names.insert(id, name);
        }
        for ((output, kernel), id) in self.roots.iter().zip(roots) {
            let term = print::labelled(kernel.label, self.reference(id, &names, inputs));
            forms.push(Sexp::form("output", [Sexp::atom(output.as_str()), term]));
        }
        forms
    }

    fn root_ids(&self) -> Vec<Id> {
        self.roots.iter().filter_map(|(_, kernel)| self.graph.find(&kernel.shape)).collect()
    }

    /// The classes in the chosen terms of the roots, with the number of uses of each.
    fn chosen(&self, roots: &[Id]) -> BTreeMap<Id, usize> {
        let mut uses = BTreeMap::new();
        let mut open = roots.to_vec();
        while let Some(id) = open.pop() {
            let count = uses.entry(id).or_insert(0);
            *count += 1;
            if *count == 1 {
                open.extend(self.best.node(&self.graph, id).children());
            }
        }
        uses
    }

    fn reference(&self, id: Id, names: &BTreeMap<Id, String>, inputs: &[String]) -> Sexp {
        match names.get(&id) {
            Some(name) => Sexp::atom(name.as_str()),
            None => self.term(id, names, inputs),
        }
    }

    fn term(&self, id: Id, names: &BTreeMap<Id, String>, inputs: &[String]) -> Sexp {
        match self.best.node(&self.graph, id) {
            Node::Channel { channels: 1, .. } => Sexp::form("id", []),
            Node::Channel { channel, .. } => {
                let name = inputs.get(usize::from(*channel)).map_or("?", String::as_str);
                Sexp::form("from", [Sexp::atom(name), Sexp::form("id", [])])
            }
            Node::Taps(shape) => {
                let placed = Placed { label: crate::algebra::Label::IDENTITY, shape: Shape::clone(shape) };
                print::kernel_sexp(&placed, inputs)
            }
            Node::Sum(sum) => {
                let terms = sum.terms().map(|(label, part)| {
                    let part = match self.best.node(&self.graph, part) {
                        Node::Taps(shape) if !names.contains_key(&part) => {
                            return print::kernel_sexp(&Placed { label, shape: Shape::clone(shape) }, inputs);
                        }
                        _ => self.reference(part, names, inputs),
                    };
                    print::labelled(label, part)
                });
                Sexp::form("add", terms)
            }
            Node::Compose([outer, inner]) => Sexp::form(
                "compose",
                [self.reference(*outer, names, inputs), self.reference(*inner, names, inputs)],
            ),
        }
    }
}

//! Equality saturation: finds all decompositions of the kernels of a filter that the rules derive.
//!
//! An e-class **is** a kernel modulo translation, sign and powers of two: equal kernels share an e-class without any rule.
//! Rules add decompositions. Each is compared exactly with the kernel it should denote before it is added, and an unsound
//! rule ends the run with [`SaturateError::Unsound`]. Accepted decompositions descend ([`crate::term::precedes`]), so there
//! are no cycles. The decompositions that a file states come first and need not descend: a kernel is ranked after its parts
//! in the file.

mod best;
mod choices;
mod decompositions;
mod error;
mod explain;
mod extract;
mod extracted;
mod exchange;
mod graph;
mod infer;
mod limits;
mod matcher;
mod outputs;
mod phases;
mod plan;
mod review;
mod run;
mod written;

use egg::Id;

pub use crate::budget::{Budget, Clock};
pub use crate::term::{decomposition_text, kernel_text};
pub use decompositions::{Decompositions, Provenance, WRITTEN};
pub use error::SaturateError;
pub use exchange::Exchange;
pub use explain::{Derivation, Rewrite};
pub use extracted::{EXTRACTION, Extracted};
pub use infer::{Identity, infer};
pub use limits::{Limits, RuleStatistics, Statistics, StopReason};
pub use plan::Operations;
pub use review::{
    CostChange, ExampleOutcome, Overlap, comes_to_an_end, cost_change, found_in, overlap, try_example,
    window_change,
};

use crate::algebra::{Arithmetic, Placed, Shape};
use crate::rule::RuleSet;
use crate::term::Definition;
use crate::term::text as print;
use best::Best;
use graph::{Graph, Origin};
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
/// use kalg::saturate::{Budget, EXTRACTION, Limits, saturate};
///
/// let binomial = Placed::from_dense(1, [-1, 0, 0], [3, 1, 1], &[1, 2, 1], Rational::new(1, 4).unwrap()).unwrap();
/// let found = saturate(&[("out".to_owned(), binomial.clone())], &RuleSet::builtin(), &Limits::default())?;
/// assert!(!found.decompositions().of(&binomial.shape).is_empty());
/// assert_eq!(found.extract(&Budget::of_work(EXTRACTION)).additions(), 2);
/// # Ok::<(), kalg::saturate::SaturateError>(())
/// ```
pub fn saturate(
    roots: &[(String, Placed)],
    rules: &RuleSet,
    limits: &Limits,
) -> Result<Saturated, SaturateError> {
    saturate_written(roots, &[], rules, limits)
}

/// As [`saturate`], starting with the decompositions that a file states ([`crate::term::written`], wholes before their
/// parts) in the graph. They count towards no limit.
///
/// # Errors
/// As [`saturate`].
pub fn saturate_written(
    roots: &[(String, Placed)],
    written: &[Definition],
    rules: &RuleSet,
    limits: &Limits,
) -> Result<Saturated, SaturateError> {
    let arithmetic = roots.first().map_or(Arithmetic::LINEAR, |(_, kernel)| kernel.shape.arithmetic());
    let mut saturated = Saturated {
        graph: Graph::new(arithmetic),
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
    for (_, kernel) in roots {
        let id = saturated.graph.class_of(&kernel.shape, None);
        let outputs = &mut saturated.state.outputs;
        if outputs.iter().all(|(_, output)| *output != id) {
            outputs.push((kernel.label, id));
        }
    }
    written::add(&mut saturated.graph, written);
    saturated.grow(&shapes, limits)?;
    Ok(saturated)
}

impl Saturated {
    /// Adds kernels that a search has met and continues with the same rules; `limits` count from here. Kernels already in
    /// the graph cost nothing, except for work that an earlier limit left undone.
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
                self.graph = Graph::new(self.graph.arithmetic());
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
            seconds: self.statistics.seconds + limits.budget.seconds_since(start),
            rules: self.state.statistics.clone(),
        };
        Ok(())
    }

    /// The given outputs.
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
                rule: self.rule_name(origin).to_owned(),
                from: kernel(Some(origin.class)),
                to: kernel(at),
            });
            at = Some(origin.class);
        }
        steps.reverse();
        steps
    }

    fn root_ids(&self) -> Vec<Id> {
        self.roots.iter().filter_map(|(_, kernel)| self.graph.find(&kernel.shape)).collect()
    }

    fn rule_name(&self, origin: Origin) -> &str {
        self.name_of(origin.rule)
    }

    fn name_of(&self, rule: Option<usize>) -> &str {
        rule.map_or(WRITTEN, |rule| &self.rules.rules()[rule].name)
    }
}

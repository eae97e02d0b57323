//! The two e-graphs of a search: that of the filter, and a smaller one grown around the programs found for it.
//!
//! The decompositions in a graph when it reaches its limits determine which programs are near. Both graphs receive the intermediate
//! kernels of the best program so far; the smaller one has more room around them.

use std::ops::Range;

use crate::algebra::{Placed, Shape};
use crate::backend::array::search::Problem;
use crate::rule::{Rule, RuleSet};
use crate::saturate::{Budget, EXTRACTION, Limits, SaturateError, Saturated, saturate_written};
use crate::term::{Decomposition, Definition};

/// How far a graph may grow.
#[derive(Clone, Copy)]
pub(super) struct Size {
    nodes: usize,
    classes: usize,
    iterations: usize,
    work: u64,
}

impl Size {
    fn limits(self, limits: &Limits) -> Limits {
        let Self { nodes, classes, iterations, work } = self;
        Limits { nodes, classes, iterations, budget: limits.budget.with_work(work) }
    }
}

/// The work limit of graphs: more than kernels of ordinary size need for a small graph, and for a larger one.
const SOON: u64 = 1 << 28;
const LATER: u64 = 1 << 32;

/// The sizes of the graphs in a phase, and its rounds of the search.
pub(super) struct Phase {
    filter: Size,
    programs: Option<Size>,
    pub(super) rounds: Range<usize>,
}

/// A graph that saturates quickly.
const SMALL: Size = Size { nodes: 1_500, classes: 300, iterations: 2, work: SOON };

/// No graph, for a first program of a large filter; a small graph, for a first program of any other filter; a graph that fits most
/// filters, twice, so that new programs grow it; and a large graph.
pub(super) const PHASES: [Phase; 5] = [
    Phase { filter: Size { nodes: 0, classes: 0, iterations: 0, work: 0 }, programs: None, rounds: 0..0 },
    Phase { filter: SMALL, programs: None, rounds: 0..2 },
    Phase {
        filter: Size { nodes: 40_000, classes: 2_500, iterations: 20, work: LATER },
        programs: Some(Size { nodes: 30_000, classes: 1_500, iterations: 20, work: LATER }),
        rounds: 1..5,
    },
    Phase {
        filter: Size { nodes: 40_000, classes: 2_500, iterations: 20, work: LATER },
        programs: Some(Size { nodes: 60_000, classes: 3_000, iterations: 20, work: LATER }),
        rounds: 3..6,
    },
    Phase {
        filter: Size { nodes: 120_000, classes: 10_000, iterations: 20, work: LATER },
        programs: Some(Size { nodes: 100_000, classes: 5_000, iterations: 20, work: LATER }),
        rounds: 4..usize::MAX,
    },
];

/// The kernels that the graphs are built around.
#[derive(Clone, Copy)]
pub(super) struct Roots<'a> {
    pub(super) outputs: &'a [(String, Placed)],
    /// The definitions in the file.
    pub(super) written: &'a [Definition],
}

/// The graphs of one search.
pub(super) struct Graphs {
    pub(super) filter: Saturated,
    pub(super) programs: Option<Saturated>,
}

impl Graphs {
    /// The graphs of a first phase.
    ///
    /// # Errors
    /// Those of [`saturate`].
    pub(super) fn new(
        roots: Roots<'_>,
        rules: &RuleSet,
        phase: &Phase,
        limits: &Limits,
    ) -> Result<Self, SaturateError> {
        let filter = saturated(roots, rules, &phase.filter.limits(limits))?;
        Ok(Self { filter, programs: None })
    }

    /// Adds the kernels of the best program, and grows the graphs up to the size of a phase, within `limits`.
    ///
    /// # Errors
    /// Those of [`saturate`].
    pub(super) fn grow(
        &mut self,
        kernels: &[Shape],
        roots: Roots<'_>,
        rules: &RuleSet,
        phase: &Phase,
        limits: &Limits,
    ) -> Result<(), SaturateError> {
        let Self { filter, programs } = self;
        let (grown, other) = rayon::join(
            || filter.grow(kernels, &phase.filter.limits(limits)),
            || -> Result<Option<Saturated>, SaturateError> {
                let Some(size) = phase.programs else { return Ok(None) };
                let mut graph = match programs.take() {
                    Some(graph) => graph,
                    None => saturated(roots, rules, &SMALL.limits(limits))?,
                };
                graph.grow(kernels, &size.limits(limits))?;
                Ok(Some(graph))
            },
        );
        grown?;
        *programs = other?;
        Ok(())
    }

    /// A problem with the decompositions of both graphs.
    pub(super) fn problem<'g>(&'g self, posed: &Problem<'g>) -> Problem<'g> {
        Problem {
            decompositions: decompositions(&self.filter),
            other_decompositions: self.programs.as_ref().map(decompositions).unwrap_or_default(),
            ..posed.clone()
        }
    }

    /// Both graphs, that of the filter first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Saturated> {
        [&self.filter].into_iter().chain(&self.programs)
    }
}

/// The term with the fewest additions for the outputs in a small graph.
pub(super) fn extracted(
    roots: Roots<'_>,
    rules: &RuleSet,
    limits: &Limits,
    least: usize,
) -> Result<Vec<Definition>, SaturateError> {
    let graph = saturated(roots, rules, &SMALL.limits(limits))?;
    Ok(graph.extract(&Budget::of_work(EXTRACTION)).definitions(least))
}

/// The graph of the outputs. Registers hold no sums of whole rows, so rules with scans are left out.
fn saturated(roots: Roots<'_>, rules: &RuleSet, limits: &Limits) -> Result<Saturated, SaturateError> {
    saturate_written(roots.outputs, roots.written, &rules.filtered(Rule::is_finite), limits)
}

/// The decompositions of each kernel in a graph.
fn decompositions(graph: &Saturated) -> Vec<(&Shape, Vec<&Decomposition>)> {
    graph
        .decompositions()
        .iter()
        .map(|(shape, ways)| (shape, ways.iter().map(|(way, _)| way).collect()))
        .collect()
}

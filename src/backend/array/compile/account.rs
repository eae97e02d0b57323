//! What the e-graphs of a search say for its record. The graphs are dropped when it ends.

use super::graphs::Graphs;
use crate::algebra::{Label, Placed, Shape, Turn};
use crate::backend::array::search::Code;
use crate::budget::Budget;
use crate::report::{Derivation, EGraph, Figure, RuleStatistics};
use crate::saturate::{EXTRACTION, Saturated, decomposition_text, kernel_text};
use crate::term::Decomposition;

/// The parts of a record that come from the e-graphs, for any orientation of the filter.
pub(super) struct Account {
    /// The size of the filter's graph, without its best term.
    graph: EGraph,
    /// The best term under each turn that may be asked for.
    terms: Vec<(Turn, String)>,
    pub(super) per_rule: Vec<RuleStatistics>,
    /// The rules that the program uses.
    pub(super) rules_used: Vec<String>,
    /// The kernels of the program that a rule added.
    derived: Vec<Derived>,
}

/// A kernel that a rule added as a part of another one.
struct Derived {
    whole: Shape,
    rule: String,
    way: Decomposition,
}

/// The program that a record describes, if there is one.
pub(super) struct Described<'a> {
    pub(super) code: Option<&'a Code>,
    /// The peephole rules that made it.
    pub(super) peepholes: &'a [String],
}

impl Account {
    /// The account of the graphs for a filter with these inputs. `turns` are those that may be asked for.
    pub(super) fn of(graphs: &Graphs, inputs: &[String], turns: &[Turn], described: &Described<'_>) -> Self {
        let (graph, terms) = size_and_terms(&graphs.filter, inputs, turns);
        let shapes = described.code.map(|code| distinct_shapes(&code.kernels)).unwrap_or_default();
        Self {
            graph,
            terms,
            per_rule: per_rule(&graphs.filter),
            rules_used: rules_used(graphs, &shapes, described.peepholes),
            derived: shapes.iter().filter_map(|shape| derived(graphs, shape)).collect(),
        }
    }

    /// The graph, with the best term of the filter under a turn.
    pub(super) fn graph(&self, turn: Turn) -> EGraph {
        let term = self.terms.iter().find(|(of, _)| *of == turn);
        EGraph { best_term: term.map(|(_, text)| text.clone()), ..self.graph.clone() }
    }

    /// For each kernel of the program that a rule added: the kernel that it is part of, and the rule. All under a turn.
    pub(super) fn explanation(&self, turn: Turn) -> Vec<Derivation> {
        let text = |Derived { whole, rule, way }: &Derived| {
            let (whole, way) = way.turned(whole, turn)?;
            let whole = Placed { label: Label::IDENTITY, shape: whole };
            let (kernel, decomposition) = (kernel_text(&whole), decomposition_text(&way));
            Some(Derivation { kernel, rule: rule.clone(), decomposition })
        };
        self.derived.iter().filter_map(text).collect()
    }
}

fn size_and_terms(graph: &Saturated, inputs: &[String], turns: &[Turn]) -> (EGraph, Vec<(Turn, String)>) {
    let statistics = graph.statistics();
    let extracted = graph.extract(&Budget::of_work(EXTRACTION));
    let size = EGraph {
        nodes: Some(statistics.nodes as u64),
        classes: Some(statistics.classes as u64),
        iterations: Some(statistics.iterations as u64),
        stop_reason: Some(statistics.stop_reason.to_string()),
        best_term: None,
        additions: Some(extracted.additions()),
        additions_at_least: Some(extracted.at_least()),
    };
    (size, turns.iter().map(|turn| (*turn, extracted.turned_text(inputs, *turn))).collect())
}

fn per_rule(graph: &Saturated) -> Vec<RuleStatistics> {
    let of = |rule: &crate::saturate::RuleStatistics| RuleStatistics {
        rule: rule.name.clone(),
        group: rule.group.clone(),
        matches: rule.matches as u64,
        unions: rule.nodes as u64,
        seconds: Figure::new(rule.seconds),
    };
    graph.statistics().rules.iter().map(of).collect()
}

fn distinct_shapes(kernels: &[Placed]) -> Vec<&Shape> {
    let mut shapes: Vec<&Shape> = Vec::new();
    for kernel in kernels.iter().rev().filter(|k| !k.shape.is_delta()) {
        if !shapes.contains(&&kernel.shape) {
            shapes.push(&kernel.shape);
        }
    }
    shapes
}

/// The rules that added the program's kernels to the graphs, and the peephole rules that shortened it, in the order of the rule set.
fn rules_used(graphs: &Graphs, shapes: &[&Shape], peepholes: &[String]) -> Vec<String> {
    let last = |shape: &&Shape| graphs.all().find_map(|graph| graph.explain(shape).pop());
    let used: Vec<String> = shapes.iter().filter_map(last).map(|step| step.rule).collect();
    let names = graphs.filter.statistics().rules.iter().map(|rule| rule.name.clone());
    names.filter(|name| used.contains(name) || peepholes.contains(name)).collect()
}

/// The last step by which rules added a kernel to the graphs; `None` if the kernel was there before any rule.
fn derived(graphs: &Graphs, shape: &Shape) -> Option<Derived> {
    let (graph, step) = graphs.all().find_map(|graph| Some((graph, graph.explain(shape).pop()?)))?;
    let ways = graph.decompositions().of(&step.from);
    let way = ways.iter().map(|(way, _)| way).find(|way| way.parts().contains(&&step.to))?.clone();
    Some(Derived { whole: step.from, rule: step.rule, way })
}

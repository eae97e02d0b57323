//! The input of searches: the decompositions of each kernel in the graph, and the origin of each.

use std::collections::BTreeMap;

use egg::Id;
use rustc_hash::FxHashMap;

use super::graph::Graph;
use crate::algebra::{Label, Shape};
use crate::term::Decomposition;
use crate::term::lang::{Node, Sum, signed_digits};

/// The name that stands for a rule in decompositions that a file states.
pub const WRITTEN: &str = "as written";

/// The origin of a decomposition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provenance {
    /// The name of the rule or proposer, or [`WRITTEN`].
    pub rule: String,
    /// The kernel to which the rule was applied: the decomposed kernel, or one that contains it.
    pub applied_to: Shape,
    /// The iteration, counted from 0 over all runs.
    pub iteration: usize,
}

/// The decompositions of all kernels in a graph. All parts come before the whole in the order of the graph, so there are
/// no cycles.
#[derive(Clone, Default, Debug)]
pub struct Decompositions {
    ways: BTreeMap<Shape, Vec<(Decomposition, usize)>>,
    provenances: Vec<Provenance>,
}

impl Decompositions {
    /// The decompositions of `shape`, those with the fewest additions first. Empty for kernels that are not in the graph
    /// or that no rule decomposes. Each comes with an index for [`Decompositions::provenance`].
    ///
    /// The edges of sums carry only signed powers of two over odd denominators. An odd multiple of a part is written as the
    /// sum of its signed digits, with the same part several times.
    pub fn of(&self, shape: &Shape) -> &[(Decomposition, usize)] {
        self.ways.get(shape).map_or(&[], Vec::as_slice)
    }

    /// All kernels in the graph with their decompositions, in the derived `Ord` of kernels.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Shape, &[(Decomposition, usize)])> {
        self.ways.iter().map(|(shape, ways)| (shape, ways.as_slice()))
    }

    /// Whether the graph contains `shape`, decomposed or not.
    pub fn contains(&self, shape: &Shape) -> bool {
        self.ways.contains_key(shape)
    }

    /// The number of decompositions.
    pub fn len(&self) -> usize {
        self.ways.values().map(Vec::len).sum()
    }

    /// Whether there are no decompositions.
    pub fn is_empty(&self) -> bool {
        self.ways.values().all(Vec::is_empty)
    }

    /// The origin of the decomposition with this index.
    ///
    /// # Panics
    /// If [`Decompositions::of`] and [`Decompositions::iter`] of this value do not return the index.
    pub fn provenance(&self, index: usize) -> &Provenance {
        &self.provenances[index]
    }

    /// Reads the graph; `cost` orders the e-nodes of an e-class.
    pub(super) fn read(graph: &Graph, rule_names: &[String], cost: impl Fn(Id, &Node) -> u64) -> Self {
        let mut all = Self::default();
        let mut indices = FxHashMap::default();
        for class in graph.classes() {
            let mut nodes: Vec<(u64, &Node)> = Vec::new();
            for node in graph.nodes(class.id) {
                nodes.push((cost(class.id, node), node));
            }
            nodes.sort();
            let ways = nodes.iter().filter_map(|(_, node)| {
                let origin = graph.origin(node)?;
                let index =
                    *indices.entry((origin.rule, origin.class, origin.iteration)).or_insert_with(|| {
                        all.provenances.push(Provenance {
                            rule: origin.rule.map_or(WRITTEN, |rule| &rule_names[rule]).to_owned(),
                            applied_to: Shape::clone(graph.shape(origin.class)),
                            iteration: origin.iteration,
                        });
                        all.provenances.len() - 1
                    });
                Some((decomposition(graph, node)?, index))
            });
            let ways = ways.collect();
            all.ways.insert(Shape::clone(graph.shape(class.id)), ways);
        }
        all
    }
}

/// The decomposition of an e-node. `None` for leaves, and if a digit of a multiple leaves the exact range.
pub(super) fn decomposition(graph: &Graph, node: &Node) -> Option<Decomposition> {
    let shape = |id: Id| Shape::clone(graph.shape(id));
    match node {
        Node::Channel { .. } | Node::Taps(_) => None,
        Node::Sum(sum) => {
            Some(Decomposition::Sum(digits(sum)?.into_iter().map(|(label, id)| (label, shape(id))).collect()))
        }
        Node::Compose([outer, inner]) => Some(Decomposition::Compose {
            label: Label::IDENTITY,
            outer: shape(*outer),
            inner: shape(*inner),
        }),
    }
}

/// The terms of a sum with each scale split into its signed digits.
pub(super) fn digits(sum: &Sum) -> Option<Vec<(Label, Id)>> {
    let mut terms = Vec::new();
    for (label, id) in sum.terms() {
        terms.extend(signed_digits(label.scale)?.into_iter().map(|scale| (Label { scale, ..label }, id)));
    }
    Some(terms)
}

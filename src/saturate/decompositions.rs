//! The result that searches read: for each kernel of the graph its decompositions, and where each comes from.

use std::collections::BTreeMap;

use egg::Id;
use rustc_hash::FxHashMap;

use super::graph::Graph;
use crate::algebra::{Label, Shape};
use crate::term::Decomposition;
use crate::term::lang::{Node, Sum, signed_digits};

/// Where a decomposition comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provenance {
    /// The rule's or proposer's name.
    pub rule: String,
    /// The kernel that the rule was applied to: the one decomposed, or one that contains it.
    pub applied_to: Shape,
    /// In which iteration, counted from 0 over all runs.
    pub iteration: usize,
}

/// The decompositions of all kernels of a graph. Each is made of parts that come before the whole
/// ([`crate::term::precedes`]): there are no cycles.
#[derive(Clone, Default, Debug)]
pub struct Decompositions {
    ways: BTreeMap<Shape, Vec<(Decomposition, usize)>>,
    provenances: Vec<Provenance>,
}

impl Decompositions {
    /// The ways to make `shape`, the cheapest by additions first; empty for kernels that are not in the graph or that no
    /// rule takes apart. Each comes with an index for [`Decompositions::provenance`].
    ///
    /// Edges of sums carry signed powers of two over odd denominators only: an odd multiple of a part is written as a sum
    /// of its signed digits, the same part several times.
    pub fn of(&self, shape: &Shape) -> &[(Decomposition, usize)] {
        self.ways.get(shape).map_or(&[], Vec::as_slice)
    }

    /// All kernels that the graph holds, with the ways to make them, in the order of kernels' derived `Ord`.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Shape, &[(Decomposition, usize)])> {
        self.ways.iter().map(|(shape, ways)| (shape, ways.as_slice()))
    }

    /// Whether the graph holds `shape`, decomposed or not.
    pub fn contains(&self, shape: &Shape) -> bool {
        self.ways.contains_key(shape)
    }

    /// How many decompositions there are.
    pub fn len(&self) -> usize {
        self.ways.values().map(Vec::len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ways.values().all(Vec::is_empty)
    }

    /// Where the decomposition with that index comes from.
    ///
    /// # Panics
    /// For an index that [`Decompositions::of`] and [`Decompositions::iter`] of this value do not return.
    pub fn provenance(&self, index: usize) -> &Provenance {
        &self.provenances[index]
    }

    /// Reads the graph; `cost` orders the nodes of a class.
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
                            rule: rule_names[origin.rule].clone(),
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

/// A node as what it is made of; `None` for leaves, and where a digit of a multiple leaves the exact range.
fn decomposition(graph: &Graph, node: &Node) -> Option<Decomposition> {
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

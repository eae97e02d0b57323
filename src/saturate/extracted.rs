//! The term extracted from an e-graph: its additions and its text.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use egg::{Id, Language};

use super::decompositions::decomposition;
use super::extract::{Choice, Extraction};
use super::graph::Origin;
use super::{Budget, Saturated, print};
use crate::algebra::{Label, Placed, Shape};
use crate::syntax::{Layout, Sexp};
use crate::term::Definition;
use crate::term::lang::Node;

/// The budget of work for the extraction of one term: a fraction of a second.
pub const EXTRACTION: u64 = 1 << 22;

/// The cheapest term found for all outputs: an e-node for each kernel that it uses.
///
/// An addition or subtraction of two values costs one; powers of two are free. Values used by several outputs or parts are
/// counted once. A kernel applied after another is computed anew for it.
pub struct Extracted<'g> {
    pub(super) saturated: &'g Saturated,
    roots: Vec<Id>,
    nodes: BTreeMap<Id, usize>,
    additions: u64,
    at_least: u64,
}

impl Saturated {
    /// The cheapest term in the graph that is found within the budget, usually [`EXTRACTION`].
    pub fn extract(&self, budget: &Budget) -> Extracted<'_> {
        let roots = self.root_ids();
        let extraction = Extraction::new(&self.graph, &self.best, &roots, budget);
        let Choice { mut nodes, additions, at_least } = extraction.solve(&roots, budget);
        // A kernel that is also a value is applied in the way the value is computed.
        let mut open: Vec<Id> = nodes.keys().copied().collect();
        while let Some(id) = open.pop() {
            let Node::Compose([outer, _]) = self.graph.nodes(id)[nodes[&id]] else { continue };
            for (part, node) in extraction.applied().get(&outer).into_iter().flat_map(|way| &way.nodes) {
                if let Entry::Vacant(entry) = nodes.entry(*part) {
                    entry.insert(*node);
                    open.push(*part);
                }
            }
        }
        Extracted { saturated: self, roots, nodes, additions, at_least }
    }
}

impl<'g> Extracted<'g> {
    /// Its additions and subtractions.
    pub fn additions(&self) -> u64 {
        self.additions
    }

    /// A lower bound: no term in the graph has fewer additions. Equals [`Extracted::additions`] if the search completed.
    pub fn at_least(&self) -> u64 {
        self.at_least
    }

    /// The names of the rules whose decompositions the term uses, in the order of the rule set;
    /// [`super::WRITTEN`] first.
    pub fn rules_used(&self) -> Vec<String> {
        let used: BTreeSet<Option<usize>> =
            self.uses().keys().filter_map(|id| Some(self.origin(*id)?.rule)).collect();
        used.into_iter().map(|rule| self.saturated.name_of(rule).to_owned()).collect()
    }

    /// [`Extracted::forms`] as text.
    pub fn text(&self, inputs: &[String]) -> String {
        let forms = self.forms(inputs);
        forms.iter().map(|form| Layout::default().print(form)).collect::<Vec<_>>().join("\n")
    }

    /// The `(let …)` and `(output …)` forms of a kernel file. Values used more than once have a name. `inputs` names the
    /// channels.
    pub fn forms(&self, inputs: &[String]) -> Vec<Sexp> {
        let mut names = BTreeMap::new();
        let mut forms = Vec::new();
        let uses = self.uses();
        let mut shared: Vec<Id> = uses.iter().filter(|(_, count)| **count > 1).map(|(id, _)| *id).collect();
        shared.sort_by(|a, b| self.saturated.graph.order(*a, *b));
        for id in shared {
            if matches!(self.node(id), Node::Channel { .. }) {
                continue;
            }
            let term = self.term(id, &names, inputs);
            let name = format!("k{}", names.len() + 1);
            forms.push(Sexp::form("let", [Sexp::atom(name.as_str()), term]));
            names.insert(id, name);
        }
        for ((output, kernel), id) in self.saturated.roots.iter().zip(&self.roots) {
            let term =
                print::labelled(kernel.shape.arithmetic(), kernel.label, self.reference(*id, &names, inputs));
            forms.push(Sexp::form("output", [Sexp::atom(output.as_str()), term]));
        }
        forms
    }

    /// The decompositions in the term, except those of kernels with fewer than `least` taps. Each part is placed with its middle
    /// at the origin.
    pub fn definitions(&self, least: usize) -> Vec<Definition> {
        let graph = &self.saturated.graph;
        let define = |id: &Id| {
            let whole = Shape::clone(graph.shape(*id));
            let way = decomposition(graph, self.node(*id)).filter(|_| whole.tap_count() >= least)?;
            let middle = |part: &&Shape| Label::at(part.size().map(|extent| -i32::from(extent / 2)));
            let labels = way.parts().iter().map(middle).collect();
            Some(Definition { whole, way, labels })
        };
        self.uses().keys().filter_map(define).collect()
    }

    /// The e-node chosen for an e-class; its first one if the term does not use it.
    pub(super) fn node(&self, id: Id) -> &'g Node {
        &self.saturated.graph.nodes(id)[self.nodes.get(&id).copied().unwrap_or(0)]
    }

    /// The origin of the e-node chosen for an e-class.
    pub(super) fn origin(&self, id: Id) -> Option<Origin> {
        self.saturated.graph.origin(self.node(id))
    }

    /// The e-classes in the term, with the number of uses of each.
    pub(super) fn uses(&self) -> BTreeMap<Id, usize> {
        let mut uses = BTreeMap::new();
        let mut open = self.roots.clone();
        while let Some(id) = open.pop() {
            let count = uses.entry(id).or_insert(0);
            *count += 1;
            if *count == 1 {
                open.extend(self.node(id).children());
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
        match self.node(id) {
            Node::Channel { channels: 1, .. } => Sexp::form("id", []),
            Node::Channel { channel, .. } => {
                let name = inputs.get(usize::from(*channel)).map_or("?", String::as_str);
                Sexp::form("from", [Sexp::atom(name), Sexp::form("id", [])])
            }
            Node::Taps(shape) => {
                let placed = Placed { label: Label::IDENTITY, shape: Shape::clone(shape) };
                print::kernel_sexp(&placed, inputs)
            }
            Node::Sum(sum) => {
                let terms = sum.terms().map(|(label, part)| {
                    let part = match self.node(part) {
                        Node::Taps(shape) if !names.contains_key(&part) => {
                            return print::kernel_sexp(&Placed { label, shape: Shape::clone(shape) }, inputs);
                        }
                        _ => self.reference(part, names, inputs),
                    };
                    print::labelled(sum.arithmetic(), label, part)
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

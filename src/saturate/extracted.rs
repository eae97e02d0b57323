//! The term extracted from an e-graph: its additions and its text.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use egg::{Id, Language};

use super::decompositions::decomposition;
use super::extract::{Choice, Extraction};
use super::graph::Origin;
use super::{Budget, Saturated, print};
use crate::algebra::{Label, Placed, Shape, Turn};
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
        self.turned_text(inputs, Turn::IDENTITY)
    }

    /// The text for the filter under a turn.
    pub fn turned_text(&self, inputs: &[String], turn: Turn) -> String {
        let forms = self.turned_forms(inputs, turn);
        forms.iter().map(|form| Layout::default().print(form)).collect::<Vec<_>>().join("\n")
    }

    /// The `(let …)` and `(output …)` forms of a kernel file. Values used more than once have a name. `inputs` names the
    /// channels.
    pub fn forms(&self, inputs: &[String]) -> Vec<Sexp> {
        self.turned_forms(inputs, Turn::IDENTITY)
    }

    fn turned_forms(&self, inputs: &[String], turn: Turn) -> Vec<Sexp> {
        let mut words = Words { names: BTreeMap::new(), inputs, turn };
        let mut forms = Vec::new();
        let uses = self.uses();
        let mut shared: Vec<Id> = uses.iter().filter(|(_, count)| **count > 1).map(|(id, _)| *id).collect();
        shared.sort_by(|a, b| self.saturated.graph.order(*a, *b));
        for id in shared {
            if matches!(self.node(id), Node::Channel { .. }) {
                continue;
            }
            let term = self.term(id, &words);
            let name = format!("k{}", words.names.len() + 1);
            forms.push(Sexp::form("let", [Sexp::atom(name.as_str()), term]));
            words.names.insert(id, name);
        }
        for ((output, kernel), id) in self.saturated.roots.iter().zip(&self.roots) {
            let (arithmetic, label) = (kernel.shape.arithmetic(), kernel.label.turned(turn));
            let term = print::labelled(arithmetic, label, self.reference(*id, &words));
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

    fn reference(&self, id: Id, words: &Words<'_>) -> Sexp {
        match words.names.get(&id) {
            Some(name) => Sexp::atom(name.as_str()),
            None => self.term(id, words),
        }
    }

    fn term(&self, id: Id, words: &Words<'_>) -> Sexp {
        match self.node(id) {
            Node::Channel { channels: 1, .. } => Sexp::form("id", []),
            Node::Channel { channel, .. } => {
                let name = words.inputs.get(usize::from(*channel)).map_or("?", String::as_str);
                Sexp::form("from", [Sexp::atom(name), Sexp::form("id", [])])
            }
            Node::Taps(shape) => words.kernel(Label::IDENTITY, shape),
            Node::Sum(sum) => {
                let terms = sum.terms().map(|(label, part)| match self.node(part) {
                    Node::Taps(shape)
                        if !words.names.contains_key(&part) && print::goes_into_taps(label, shape) =>
                    {
                        words.kernel(label, shape)
                    }
                    _ => {
                        let part = self.reference(part, words);
                        print::labelled(sum.arithmetic(), label.turned(words.turn), part)
                    }
                });
                Sexp::form("add", terms)
            }
            Node::Compose([outer, inner]) => {
                Sexp::form("compose", [self.reference(*outer, words), self.reference(*inner, words)])
            }
        }
    }
}

/// The names in a text, and how the text is turned.
struct Words<'a> {
    names: BTreeMap<Id, String>,
    inputs: &'a [String],
    turn: Turn,
}

impl Words<'_> {
    fn kernel(&self, label: Label, shape: &Shape) -> Sexp {
        let placed = Placed { label, shape: shape.clone() };
        // Only the finite kernels of processor arrays are turned.
        print::kernel_sexp(placed.turned(self.turn).as_ref().unwrap_or(&placed), self.inputs)
    }
}

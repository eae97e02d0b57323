//! The e-graph as data for other programs, in the format of the crate `egraph-serialize`.

use std::collections::{BTreeMap, HashMap};

use egg::{Id, Language};
use egraph_serialize::{ClassData, ClassId, Cost, EGraph, NodeId};

use super::explain::grid;
use super::extract::Extraction;
use super::{Budget, Extracted};
use crate::algebra::Label;
use crate::term::lang::Node;

/// An e-graph for other programs, with the information that the format has no room for.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// All e-nodes, by e-class. The type of an e-class is `kernel`, and its extra datum `kernel` is the kernel that all its
    /// terms denote. The cost of an e-node is its own additions, given the values of its parts; the cost of a composition is
    /// that of applying its outer kernel.
    pub egraph: EGraph,
    /// The rule that added each e-node; the tap e-nodes of kernels have none.
    pub rules: BTreeMap<NodeId, String>,
    /// The e-node chosen for each e-class.
    pub choice: BTreeMap<ClassId, NodeId>,
}

impl Exchange {
    /// The kernel that all terms of an e-class denote.
    pub fn kernel(&self, class: &ClassId) -> &str {
        self.egraph.class_data.get(class).map_or("", |data| &data.extra["kernel"])
    }

    /// Each e-class that the outputs consist of, with its maximum distance from them.
    pub fn layers(&self) -> BTreeMap<&ClassId, usize> {
        let mut layers: BTreeMap<&ClassId, usize> =
            self.egraph.root_eclasses.iter().map(|class| (class, 0)).collect();
        // Parts come before wholes in a well-founded order: no path is longer than the number of e-classes.
        for _ in 0..self.egraph.class_data.len() {
            let mut changed = false;
            for node in self.egraph.nodes.values() {
                let Some(depth) = layers.get(&node.eclass).copied() else { continue };
                for child in &node.children {
                    let known = layers.entry(self.egraph.nid_to_cid(child)).or_insert(0);
                    changed |= *known < depth + 1;
                    *known = (*known).max(depth + 1);
                }
            }
            if !changed {
                break;
            }
        }
        layers
    }

    /// The graph restricted to the e-classes of the chosen decomposition, each with its chosen e-node.
    pub fn chosen(&self) -> Self {
        let mut keep = self.egraph.root_eclasses.clone();
        let mut next = 0;
        while next < keep.len() {
            for child in &self.egraph[&self.choice[&keep[next]]].children {
                let class = self.egraph.nid_to_cid(child);
                if !keep.contains(class) {
                    keep.push(class.clone());
                }
            }
            next += 1;
        }
        let mut chosen =
            Self { egraph: EGraph::default(), rules: self.rules.clone(), choice: self.choice.clone() };
        for (id, node) in &self.egraph.nodes {
            if keep.contains(&node.eclass) && self.choice[&node.eclass] == *id {
                let parts = node.children.iter().map(|part| &self.choice[self.egraph.nid_to_cid(part)]);
                let children = parts.cloned().collect();
                chosen.egraph.add_node(id.clone(), egraph_serialize::Node { children, ..node.clone() });
            }
        }
        chosen.egraph.root_eclasses = self.egraph.root_eclasses.clone();
        chosen.egraph.class_data = self.egraph.class_data.clone();
        chosen.egraph.class_data.retain(|class, _| keep.contains(class));
        chosen
    }
}

impl Extracted<'_> {
    /// The whole e-graph in the format of the crate `egraph-serialize`. The budget bounds the computation of costs.
    pub fn exchange(&self, budget: &Budget) -> Exchange {
        let graph = &self.saturated.graph;
        let all: Vec<Id> = graph.classes().iter().map(|class| class.id).collect();
        let extraction = Extraction::new(graph, &self.saturated.best, &all, budget);
        let mut exchange =
            Exchange { egraph: EGraph::default(), rules: BTreeMap::new(), choice: BTreeMap::new() };
        // Children are given as e-nodes: the first e-node of an e-class stands for it.
        let node_id = |class: Id, i: usize| NodeId::from(format!("{class}.{i}"));
        for class in graph.classes() {
            let eclass = ClassId::from(class.id.to_string());
            for (i, node) in graph.nodes(class.id).iter().enumerate() {
                let id = node_id(class.id, i);
                if let Some(origin) = graph.origin(node) {
                    exchange.rules.insert(id.clone(), self.saturated.rule_name(origin).to_owned());
                }
                if std::ptr::eq(node, self.node(class.id)) {
                    exchange.choice.insert(eclass.clone(), id.clone());
                }
                let cost = Cost::new(extraction.own(class.id, i).map_or(f64::INFINITY, f64::from));
                let serialized = egraph_serialize::Node {
                    op: operator(node),
                    children: node.children().iter().map(|part| node_id(*part, 0)).collect(),
                    eclass: eclass.clone(),
                    cost: cost.expect("a number of additions is a number"),
                    subsumed: false,
                };
                exchange.egraph.add_node(id, serialized);
            }
            let kernel = ("kernel".to_owned(), grid(graph.shape(class.id)));
            let data = ClassData { typ: Some("kernel".to_owned()), extra: HashMap::from([kernel]) };
            exchange.egraph.class_data.insert(eclass, data);
        }
        exchange.egraph.root_eclasses =
            self.saturated.root_ids().iter().map(|id| ClassId::from(id.to_string())).collect();
        exchange
    }
}

/// The operator of an e-node, with its labels.
fn operator(node: &Node) -> String {
    match node {
        Node::Channel { channel, channels: 1, .. } if *channel == 0 => "id".to_owned(),
        Node::Channel { channel, .. } => format!("channel {channel}"),
        Node::Taps(_) => "taps".to_owned(),
        Node::Compose(_) => "compose".to_owned(),
        Node::Sum(sum) => {
            let edge = |label: Label| {
                let ([x, y, z], factor) = (label.offset, label.number(sum.arithmetic()));
                format!("{}@{x},{y},{z}", factor.unwrap_or(label.scale))
            };
            let edges: Vec<String> = sum.terms().map(|(label, _)| edge(label)).collect();
            format!("add {}", edges.join(" "))
        }
    }
}

//! The e-graph as data for other programs, in the terms of the crate `egraph-serialize`.

use std::collections::BTreeMap;

use egg::{Id, Language};

use super::Saturated;
use super::explain::grid;
use crate::algebra::Label;
use crate::term::lang::Node;

/// An e-graph as other programs read it.
#[derive(Clone, PartialEq, Debug)]
pub struct Exchange {
    /// All e-nodes, class by class.
    pub nodes: Vec<ExchangeNode>,
    /// The classes of the outputs.
    pub root_eclasses: Vec<String>,
    /// Each class with its kernel.
    pub class_data: Vec<(String, String)>,
}

/// An e-node as other programs read it.
#[derive(Clone, PartialEq, Debug)]
pub struct ExchangeNode {
    /// Its class and its place there.
    pub id: String,
    /// What it does, edges' labels included.
    pub op: String,
    /// The classes of its parts.
    pub children: Vec<String>,
    /// Its class.
    pub eclass: String,
    /// Additions, what is shared counted once.
    pub cost: f64,
    /// The rule that added it; `None` for the taps of a kernel.
    pub rule: Option<String>,
    /// Whether it is the one chosen for its class.
    pub chosen: bool,
}

impl Exchange {
    /// The first node of a class: the exchange format names a node where a class is meant.
    pub fn representative(&self, class: &str) -> String {
        let node = self.nodes.iter().find(|node| node.eclass == class);
        node.map_or_else(|| class.to_owned(), |node| node.id.clone())
    }

    /// Each class that the outputs are made of, with how far it is from them at most.
    pub fn layers(&self) -> BTreeMap<&str, usize> {
        let mut layers: BTreeMap<&str, usize> = self.root_eclasses.iter().map(|c| (c.as_str(), 0)).collect();
        // Parts come before wholes in a well-founded order: the longest way is no longer than there are classes.
        for _ in 0..self.class_data.len() {
            let mut changed = false;
            for node in &self.nodes {
                let Some(depth) = layers.get(node.eclass.as_str()).copied() else { continue };
                for child in &node.children {
                    let known = layers.entry(child.as_str()).or_insert(0);
                    if *known < depth + 1 {
                        *known = depth + 1;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        layers
    }

    /// Only the classes that the chosen decomposition is made of, each with its chosen node.
    pub fn chosen(mut self) -> Self {
        self.nodes.retain(|node| node.chosen);
        let mut keep = self.root_eclasses.clone();
        let mut next = 0;
        while next < keep.len() {
            let node = self.nodes.iter().find(|node| node.eclass == keep[next]);
            for child in node.map_or(&[][..], |node| &node.children) {
                if !keep.contains(child) {
                    keep.push(child.clone());
                }
            }
            next += 1;
        }
        self.nodes.retain(|node| keep.contains(&node.eclass));
        self.class_data.retain(|(class, _)| keep.contains(class));
        self
    }
}

impl Saturated {
    /// The e-graph in the form of the crate `egraph-serialize`: e-nodes, the classes of the outputs, and for each class its
    /// kernel. The node that is chosen for a class has its additions as cost, the others what they would take.
    pub fn exchange(&self) -> Exchange {
        let mut exchange = Exchange { nodes: Vec::new(), root_eclasses: Vec::new(), class_data: Vec::new() };
        for class in self.graph.classes() {
            for (i, node) in self.graph.nodes(class.id).iter().enumerate() {
                let origin =
                    self.graph.origin(node).map(|origin| self.rules.rules()[origin.rule].name.clone());
                exchange.nodes.push(ExchangeNode {
                    id: format!("{}.{i}", class.id),
                    op: self.operator(node),
                    children: node.children().iter().map(Id::to_string).collect(),
                    eclass: class.id.to_string(),
                    cost: self.best.cost(&self.graph, class.id, node) as f64,
                    rule: origin,
                    chosen: std::ptr::eq(node, self.best.node(&self.graph, class.id)),
                });
            }
            exchange.class_data.push((class.id.to_string(), grid(self.graph.shape(class.id))));
        }
        exchange.root_eclasses = self.root_ids().iter().map(Id::to_string).collect();
        exchange
    }

    fn operator(&self, node: &Node) -> String {
        match node {
            Node::Channel { channel, channels: 1 } if *channel == 0 => "id".to_owned(),
            Node::Channel { channel, .. } => format!("channel {channel}"),
            Node::Taps(_) => "taps".to_owned(),
            Node::Compose(_) => "compose".to_owned(),
            Node::Sum(sum) => {
                let edge = |label: Label| {
                    format!("{}@{},{},{}", label.scale, label.offset[0], label.offset[1], label.offset[2])
                };
                let edges: Vec<String> = sum.terms().map(|(label, _)| edge(label)).collect();
                format!("add {}", edges.join(" "))
            }
        }
    }
}

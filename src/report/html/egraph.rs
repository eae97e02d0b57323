//! An explanation as a page: the e-classes of the chosen decomposition with their e-nodes, and the steps that lead to it.

use egraph_serialize::NodeId;
use serde::Serialize;

use super::page;
use crate::saturate::{Derivation, Exchange};

/// The e-nodes that are listed of an e-class, the chosen one first.
const LISTED: usize = 8;

/// An e-class of the chosen decomposition.
#[derive(Serialize)]
struct Class<'a> {
    id: &'a str,
    kernel: &'a str,
    /// Its greatest distance from an output.
    layer: usize,
    nodes: Vec<Node<'a>>,
    /// The e-nodes that are not listed.
    more: usize,
}

/// An e-node.
#[derive(Serialize)]
struct Node<'a> {
    operation: &'a str,
    rule: Option<&'a str>,
    chosen: bool,
    /// The e-classes of its parts.
    parts: Vec<&'a str>,
}

/// A step: what the outputs are before it, and the kernel that a rule takes apart.
#[derive(Serialize)]
struct Step<'a> {
    before: &'a [String],
    kernel: &'a str,
    rule: &'a str,
    identity: &'a str,
    doc: &'a str,
    place: Option<&'a str>,
}

impl<'a> Step<'a> {
    fn of(step: &'a Derivation) -> Self {
        Self {
            before: &step.before,
            kernel: &step.kernel,
            rule: &step.rule,
            identity: &step.identity,
            doc: &step.doc,
            place: step.place.as_deref(),
        }
    }
}

/// The page of an explanation. `report` is the text for people, `outputs` what the steps lead to.
pub fn egraph_page(
    name: &str,
    report: &str,
    graph: &Exchange,
    steps: &[Derivation],
    outputs: &[String],
) -> String {
    let steps: Vec<Step<'_>> = steps.iter().map(Step::of).collect();
    let data = serde_json::json!({
        "name": name, "report": report, "classes": classes(graph), "steps": steps, "outputs": outputs,
        "nodes": graph.egraph.nodes.len(), "all": graph.egraph.class_data.len(),
    });
    page(name, &[include_str!("egraph.js")], &data)
}

/// The e-classes of the chosen decomposition, outputs first.
fn classes(graph: &Exchange) -> Vec<Class<'_>> {
    let chosen = graph.chosen();
    let layers = chosen.layers();
    let mut classes: Vec<Class<'_>> = Vec::new();
    for (id, class) in graph.egraph.classes() {
        let Some(layer) = layers.get(id).copied() else { continue };
        let choice = graph.choice.get(id);
        let nodes = class.nodes.iter().map(|own| node(graph, own, choice == Some(own)));
        let mut nodes: Vec<Node<'_>> = nodes.collect();
        nodes.sort_by_key(|node| !node.chosen);
        let more = nodes.len().saturating_sub(LISTED);
        nodes.truncate(LISTED);
        classes.push(Class { id: id.as_ref(), kernel: graph.kernel(id), layer, nodes, more });
    }
    classes
}

fn node<'a>(graph: &'a Exchange, id: &'a NodeId, chosen: bool) -> Node<'a> {
    let node = &graph.egraph[id];
    Node {
        operation: &node.op,
        rule: graph.rules.get(id).map(String::as_str),
        chosen,
        parts: node.children.iter().map(|part| graph.egraph.nid_to_cid(part).as_ref()).collect(),
    }
}

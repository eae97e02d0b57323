//! An e-graph in the exchange format of the crate `egraph-serialize`, as a Graphviz graph, and as a picture.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use egraph_serialize::{ClassId, NodeId};

use super::dot::quoted;
use super::json::json_line;
use super::svg::escaped;
use crate::saturate::Exchange;

/// The e-graph in the exchange format of the crate `egraph-serialize`.
pub fn egraph_json(graph: &Exchange) -> String {
    json_line(&graph.egraph)
}

/// The e-graph for Graphviz: one cluster per e-class, one box per e-node.
pub fn egraph_dot(graph: &Exchange) -> String {
    let mut text = "digraph egraph {\n  compound=true; node [shape=box, fontname=monospace];\n".to_owned();
    for (id, class) in graph.egraph.classes() {
        let kernel = quoted(graph.kernel(id));
        let _ = writeln!(text, "  subgraph cluster_{id} {{\n    label={kernel}; style=dashed;");
        for node in &class.nodes {
            let rule = graph.rules.get(node).map_or_else(String::new, |rule| format!("\n{rule}"));
            let label = format!("{}{rule}", graph.egraph[node].op);
            let _ = writeln!(text, "    {} [label={}];", quoted(node.as_ref()), quoted(&label));
        }
        text.push_str("  }\n");
    }
    for (id, node) in &graph.egraph.nodes {
        for part in &node.children {
            let class = graph.egraph.nid_to_cid(part);
            let (from, to) = (quoted(id.as_ref()), quoted(part.as_ref()));
            let _ = writeln!(text, "  {from} -> {to} [lhead=cluster_{class}];");
        }
    }
    text.push_str("}\n");
    text
}

/// The width of a letter, the height of a line and the space between boxes, in pixels.
const LETTER: usize = 7;
const LINE: usize = 16;
const GAP: usize = 28;

/// The box of each e-class: x, y, width and height.
type Boxes<'a> = BTreeMap<&'a ClassId, [usize; 4]>;

/// The e-graph as a picture: e-classes as boxes in rows, outputs on top, with a line from each e-node to its children. Large
/// e-graphs are drawn in full; `--chosen` keeps them readable.
pub fn egraph_svg(graph: &Exchange) -> String {
    let (boxes, [width, height]) = boxes(graph);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"monospace\" font-size=\"12\">\n"
    );
    for node in graph.egraph.nodes.values() {
        let Some([x, top, w, h]) = boxes.get(&node.eclass) else { continue };
        for child in &node.children {
            let Some([cx, cy, cw, _]) = boxes.get(graph.egraph.nid_to_cid(child)) else { continue };
            let _ = writeln!(
                text,
                "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{cy}\" stroke=\"#888\"/>",
                x + w / 2,
                top + h,
                cx + cw / 2
            );
        }
    }
    for (class, [x, top, w, h]) in &boxes {
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" fill=\"#fff\" stroke=\"#333\"/>"
        );
        for (i, line) in class_lines(graph, class).iter().enumerate() {
            let weight = if i == 0 { "bold" } else { "normal" };
            let _ = writeln!(
                text,
                "<text x=\"{}\" y=\"{}\" font-weight=\"{weight}\">{}</text>",
                x + 6,
                top + LINE * (i + 1),
                escaped(line)
            );
        }
    }
    text.push_str("</svg>\n");
    text
}

/// The text of an e-class: its kernel, then its e-nodes, each with the rule that added it.
fn class_lines(graph: &Exchange, class: &ClassId) -> Vec<String> {
    let rule = |node: &NodeId| graph.rules.get(node).map_or_else(String::new, |rule| format!("  ({rule})"));
    let nodes = graph.egraph[class].nodes.iter();
    let mut lines = vec![graph.kernel(class).to_owned()];
    lines.extend(nodes.map(|node| format!("{}{}", graph.egraph[node].op, rule(node))));
    lines
}

/// The boxes of all e-classes, and the size of the picture.
fn boxes(graph: &Exchange) -> (Boxes<'_>, [usize; 2]) {
    let mut rows: BTreeMap<usize, Vec<&ClassId>> = BTreeMap::new();
    for (class, depth) in graph.layers() {
        rows.entry(depth).or_default().push(class);
    }
    let mut boxes = Boxes::new();
    let (mut y, mut width) = (GAP, 0);
    for classes in rows.values() {
        let (mut x, mut tallest) = (GAP, 0);
        for class in classes {
            let lines = class_lines(graph, class);
            let w = LETTER * lines.iter().map(|line| line.chars().count()).max().unwrap_or(1) + 12;
            let h = LINE * lines.len() + 8;
            boxes.insert(class, [x, y, w, h]);
            x += w + GAP;
            tallest = tallest.max(h);
        }
        width = width.max(x);
        y += tallest + 2 * GAP;
    }
    (boxes, [width, y])
}

//! An e-graph in the exchange format of the crate `egraph-serialize`, for Graphviz, and as a picture.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::saturate::{Exchange, ExchangeNode};

/// The exchange format: `{"nodes": {ID: {"op", "children", "eclass", "cost", "subsumed"}}, "root_eclasses", "class_data"}`. A
/// class's `type` is `kernel`, and `kernel` the kernel that all its terms denote.
pub fn egraph_json(graph: &Exchange) -> String {
    let mut nodes = Map::new();
    for node in &graph.nodes {
        let children: Vec<String> = node.children.iter().map(|class| graph.representative(class)).collect();
        let value = json!({
            "op": node.op, "children": children, "eclass": node.eclass, "cost": node.cost, "subsumed": false,
        });
        nodes.insert(node.id.clone(), value);
    }
    let data = graph.class_data.iter();
    let data: Map<String, Value> =
        data.map(|(class, kernel)| (class.clone(), json!({ "type": "kernel", "kernel": kernel }))).collect();
    let value = json!({ "nodes": nodes, "root_eclasses": graph.root_eclasses, "class_data": data });
    format!("{value}\n")
}

/// For Graphviz: a cluster for each class, a box for each e-node.
pub fn egraph_dot(graph: &Exchange) -> String {
    let mut text = "digraph egraph {\n  compound=true; node [shape=box, fontname=monospace];\n".to_owned();
    for (class, kernel) in &graph.class_data {
        let _ = writeln!(text, "  subgraph cluster_{class} {{\n    label={}; style=dashed;", quoted(kernel));
        for node in graph.nodes.iter().filter(|node| node.eclass == *class) {
            let rule = node.rule.as_ref().map_or_else(String::new, |rule| format!("\n{rule}"));
            let label = format!("{}{rule}", node.op);
            let _ = writeln!(text, "    {} [label={}];", quoted(&node.id), quoted(&label));
        }
        text.push_str("  }\n");
    }
    for node in &graph.nodes {
        for class in &node.children {
            let to = graph.representative(class);
            let _ = writeln!(text, "  {} -> {} [lhead=cluster_{class}];", quoted(&node.id), quoted(&to));
        }
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// A picture: classes as boxes in rows, outputs on top, with a line from each e-node to its parts. Large e-graphs are drawn
/// in full; `--chosen` keeps them readable.
pub fn egraph_svg(graph: &Exchange) -> String {
    const LETTER: usize = 7;
    const LINE: usize = 16;
    const GAP: usize = 28;
    let mut rows: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (class, depth) in graph.layers() {
        rows.entry(depth).or_default().push(class);
    }
    let lines = |class: &str| {
        let kernel = graph.class_data.iter().find(|(name, _)| name == class).map_or("", |(_, k)| k.as_str());
        let nodes = graph.nodes.iter().filter(|node| node.eclass == class);
        let rule =
            |node: &ExchangeNode| node.rule.as_ref().map_or_else(String::new, |rule| format!("  ({rule})"));
        let mut lines = vec![kernel.to_owned()];
        lines.extend(nodes.map(|node| format!("{}{}", node.op, rule(node))));
        lines
    };
    let mut boxes: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let (mut y, mut width) = (GAP, 0);
    for classes in rows.values() {
        let (mut x, mut tallest) = (GAP, 0);
        for class in classes {
            let lines = lines(class);
            let w = LETTER * lines.iter().map(|line| line.chars().count()).max().unwrap_or(1) + 12;
            let h = LINE * lines.len() + 8;
            boxes.insert(class, [x, y, w, h]);
            x += w + GAP;
            tallest = tallest.max(h);
        }
        width = width.max(x);
        y += tallest + 2 * GAP;
    }
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" font-family=\"monospace\" font-size=\"12\">\n"
    );
    for node in &graph.nodes {
        let Some([x, top, w, h]) = boxes.get(node.eclass.as_str()) else { continue };
        for child in &node.children {
            let Some([cx, cy, cw, _]) = boxes.get(child.as_str()) else { continue };
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
        for (i, line) in lines(class).iter().enumerate() {
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

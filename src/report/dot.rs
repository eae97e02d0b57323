//! The data flow of a program as a Graphviz graph.

use std::fmt::Write;

use super::equation::place;
use super::{FlowValue, OptimizeRecord, Term, equation};

/// The decomposition in the DOT language: one box per value, and one edge for each value that it reads.
pub fn dot(record: &OptimizeRecord) -> String {
    let mut text = format!(
        "digraph {} {{\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\"];\n",
        quoted(&record.filter)
    );
    for (i, step) in record.decomposition.iter().enumerate() {
        let label = match (step.line, &record.program) {
            (Some(line), Some(program)) => format!("{}\n{}", program[line], equation(record, i)),
            _ => format!("{} in {}", step.name, step.register),
        };
        let style = if step.line.is_none() {
            ", style=rounded".to_owned()
        } else if step.outputs.is_empty() {
            String::new()
        } else {
            format!(", peripheries=2, xlabel={}", quoted(&step.outputs.join(", ")))
        };
        let _ = writeln!(text, "  {} [label={}{style}];", quoted(&step.name), quoted(&label));
    }
    for step in &record.decomposition {
        for (from, terms) in edges(step) {
            let (from, to) = (quoted(&record.decomposition[from].name), quoted(&step.name));
            let _ = writeln!(text, "  {from} -> {to} [label={}];", quoted(&edge_label(&terms)));
        }
    }
    text.push_str("}\n");
    text
}

/// The terms of a step, grouped by the value that they read, in the order of first use.
pub(super) fn edges(step: &FlowValue) -> Vec<(usize, Vec<&Term>)> {
    let mut edges: Vec<(usize, Vec<&Term>)> = Vec::new();
    for term in &step.terms {
        match edges.iter_mut().find(|(from, _)| *from == term.step) {
            Some((_, terms)) => terms.push(term),
            None => edges.push((term.step, vec![term])),
        }
    }
    edges
}

/// How a value enters a sum: `−[east]`, `1/2`, `−[here] −[north]`.
pub(super) fn edge_label(terms: &[&Term]) -> String {
    let label = |term: &&Term| {
        let place = match place(term.offset) {
            here if here.is_empty() && terms.len() > 1 => "[here]".to_owned(),
            place => place,
        };
        match term.coefficient.as_str() {
            "1" => place,
            "-1" => format!("−{place}"),
            other => format!("{other}{place}"),
        }
    };
    terms.iter().map(label).collect::<Vec<_>>().join(" ")
}

/// A quoted DOT string.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn boxes_and_edges() {
        insta::assert_snapshot!(dot(&sample::sobel()), @r#"
        digraph "sobel-x" {
          rankdir=TB;
          node [shape=box, fontname="monospace"];
          "image" [label="image in A", style=rounded];
          "v1" [label="bus(NEWS, A);\nv1 = -image"];
          "v2" [label="bus(B, NEWS, XN, XS);\nv2 = -(v1 + v1[north] + v1[south])"];
          "v3" [label="bus(NEWS, A, B);\nv3 = -(image + v2)"];
          "v4" [label="bus(C, XE);\nv4 = -v3[east]"];
          "v5" [label="bus(D, C, XW);\nv5 = -(v4 + v3[west])", peripheries=2, xlabel="out"];
          "image" -> "v1" [label="−"];
          "v1" -> "v2" [label="−[here] −[north] −[south]"];
          "image" -> "v3" [label="−"];
          "v2" -> "v3" [label="−"];
          "v3" -> "v4" [label="−[east]"];
          "v4" -> "v5" [label="−"];
          "v3" -> "v5" [label="−[west]"];
        }
        "#);
    }

    #[test]
    fn names_cannot_break_out_of_their_quotes() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
    }
}

//! The derivation of the chosen decomposition from the kernels of a filter, one rule at a time.

use std::collections::BTreeSet;

use egg::Id;

use super::Extracted;
use crate::algebra::{Label, Placed, Rational, Shape};
use crate::syntax::Sexp;
use crate::term::lang::Node;
use crate::term::text as print;

/// The marks around the part of a term that the next step rewrites.
const MARKS: [&str; 2] = ["«", "»"];

/// The head and the last item of the list around a marked part.
const MARK: &str = "mark";

/// One place where a rule was applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewrite {
    /// The output.
    pub output: String,
    /// The path from the output's term to the replaced part: at each list the number of the item, the head being 0.
    pub path: Vec<usize>,
    /// The part before.
    pub from: String,
    /// The part after.
    pub to: String,
}

/// One step towards the chosen decomposition: a kernel is replaced by its parts at every occurrence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derivation {
    /// The outputs before the step, with the rewritten parts between « and ».
    pub before: Vec<String>,
    /// The replacements, with their places.
    pub rewrites: Vec<Rewrite>,
    /// The kernel that is taken apart, as in [`Exchange::kernel`](super::Exchange::kernel).
    pub kernel: String,
    /// The rule that found the parts, or [`super::WRITTEN`].
    pub rule: String,
    /// The place of the rule as `FILE:LINE:COLUMN`.
    pub place: Option<String>,
    /// The identity that the rule uses, in the words of the rule.
    pub doc: String,
    /// The equality: `[1 2 1] = [1 1] ∘ [1 1]`. Rows are separated by `/`, north first; `x` is a step east, `y` a step
    /// north.
    pub identity: String,
}

impl Extracted<'_> {
    /// Returns the steps from the outputs to [`Extracted::text`], wholes before parts, and the final outputs. Because an
    /// e-class is a kernel, each step stands alone. Discoveries that the result does not use are left out.
    pub fn derivation(&self, inputs: &[String]) -> (Vec<Derivation>, Vec<String>) {
        let Self { saturated, .. } = self;
        let mut open: Vec<Id> = self.uses().into_keys().collect();
        open.retain(|id| self.origin(*id).is_some());
        open.sort_by(|a, b| saturated.graph.order(*b, *a));
        let mut done = BTreeSet::new();
        let mut steps = Vec::new();
        for id in open {
            let Some(origin) = self.origin(id) else { continue };
            let rule = origin.rule.map(|rule| &saturated.rules.rules()[rule]);
            let marked = self.terms(&done, Some(id), inputs);
            done.insert(id);
            let after = self.terms(&done, None, inputs);
            steps.push(Derivation {
                before: marked.iter().map(|(name, term)| text(name, term)).collect(),
                rewrites: rewrites(&marked, &after),
                kernel: grid(saturated.graph.shape(id)),
                rule: saturated.rule_name(origin).to_owned(),
                place: rule.map(|rule| rule.place.clone()),
                doc: rule.map_or("a term of the file states it", |rule| &rule.doc).to_owned(),
                identity: format!(
                    "{} = {}",
                    grid(self.saturated.graph.shape(id)),
                    self.equation(self.node(id))
                ),
            });
        }
        let outputs = self.terms(&done, None, inputs);
        (steps, outputs.iter().map(|(name, term)| text(name, term)).collect())
    }

    /// The outputs with the e-classes in `done` decomposed and `marked` marked.
    fn terms(&self, done: &BTreeSet<Id>, marked: Option<Id>, inputs: &[String]) -> Vec<(String, Sexp)> {
        let outputs = self.saturated.roots.iter().filter_map(|(name, kernel)| {
            let id = self.saturated.graph.find(&kernel.shape)?;
            Some((name.clone(), self.partial(kernel.label, id, done, marked, inputs)))
        });
        outputs.collect()
    }

    fn partial(
        &self,
        label: Label,
        id: Id,
        done: &BTreeSet<Id>,
        marked: Option<Id>,
        inputs: &[String],
    ) -> Sexp {
        let node = self.node(id);
        let part = |label: Label, id: Id| self.partial(label, id, done, marked, inputs);
        let term = match node {
            Node::Sum(sum) if done.contains(&id) => print::labelled(
                sum.arithmetic(),
                label,
                Sexp::form("add", sum.terms().map(|(edge, id)| part(edge, id))),
            ),
            Node::Compose(parts) if done.contains(&id) => {
                let parts = parts.iter().map(|id| part(Label::IDENTITY, *id));
                print::labelled(self.saturated.graph.arithmetic(), label, Sexp::form("compose", parts))
            }
            _ => {
                let shape = Shape::clone(self.saturated.graph.shape(id));
                if print::goes_into_taps(label, &shape) {
                    print::kernel_sexp(&Placed { label, shape }, inputs)
                } else {
                    let (arithmetic, own) = (shape.arithmetic(), Label::IDENTITY);
                    print::labelled(
                        arithmetic,
                        label,
                        print::kernel_sexp(&Placed { label: own, shape }, inputs),
                    )
                }
            }
        };
        if marked == Some(id) { Sexp::form(MARK, [term, Sexp::atom(MARK)]) } else { term }
    }

    /// The equation of an e-node: `[1 1] ∘ [1 1]`, `2·[1 1] + x·[1]`.
    fn equation(&self, node: &Node) -> String {
        match node {
            Node::Channel { .. } | Node::Taps(_) => "its taps".to_owned(),
            Node::Compose([outer, inner]) => {
                format!(
                    "{} ∘ {}",
                    grid(self.saturated.graph.shape(*outer)),
                    grid(self.saturated.graph.shape(*inner))
                )
            }
            Node::Sum(sum) => {
                let mut text = String::new();
                let (arithmetic, plus) = (sum.arithmetic(), format!(" {} ", sum.arithmetic().sum_symbol()));
                for (label, id) in sum.terms() {
                    let negative = label.scale.is_negative();
                    text.push_str(match (text.is_empty(), negative) {
                        (true, false) => "",
                        (true, true) => "-",
                        (false, false) => &plus,
                        (false, true) => " - ",
                    });
                    let label = Label { scale: label.scale.abs(), ..label };
                    if (label.scale, label.weight) != (Rational::ONE, 0) {
                        let factor = label.number(arithmetic).unwrap_or(label.scale);
                        text.push_str(&format!("{factor}·"));
                    }
                    for (axis, power) in ["x", "y", "z"].into_iter().zip(label.offset) {
                        match power {
                            0 => {}
                            1 => text.push_str(&format!("{axis}·")),
                            _ => text.push_str(&format!("{axis}^{power}·")),
                        }
                    }
                    text.push_str(&grid(self.saturated.graph.shape(id)));
                }
                text
            }
        }
    }
}

/// An output as text; a marked part is between [`MARKS`].
fn text(output: &str, term: &Sexp) -> String {
    let form = Sexp::form("output", [Sexp::atom(output), term.clone()]);
    print::flat(&form).replace(&format!("({MARK} "), MARKS[0]).replace(&format!(" {MARK})"), MARKS[1])
}

/// The replacements at the marked parts of outputs, given the terms after the step.
fn rewrites(marked: &[(String, Sexp)], after: &[(String, Sexp)]) -> Vec<Rewrite> {
    let mut rewrites = Vec::new();
    for ((output, before), (_, after)) in marked.iter().zip(after) {
        let mut open = vec![(Vec::new(), before, after)];
        while let Some((path, before, after)) = open.pop() {
            if let Some(form) = before.as_form().filter(|form| form.head == MARK) {
                let (from, to) = (print::flat(&form.arguments[0]), print::flat(after));
                rewrites.push(Rewrite { output: output.clone(), path, from, to });
                continue;
            }
            let items = before.as_list().unwrap_or_default().iter().zip(after.as_list().unwrap_or_default());
            for (number, (before, after)) in items.enumerate().rev() {
                open.push(([&path[..], &[number]].concat(), before, after));
            }
        }
    }
    rewrites
}

/// A kernel on one line: `[1 2 1 / 2 4 2]`, north first; channels and planes are separated by `|`. With scans, a term.
pub(super) fn grid(shape: &Shape) -> String {
    let [w, h, _] = shape.size().map(usize::from);
    if !shape.is_finite() {
        return print::kernel(&Placed { label: Label::IDENTITY, shape: shape.clone() });
    }
    if shape.is_zero() {
        return "[0]".to_owned();
    }
    let texts = Placed { label: Label::IDENTITY, shape: shape.clone() }.coefficient_texts();
    let row = |row: &[String]| row.join(" ");
    let block = |block: &[String]| block.chunks(w).rev().map(row).collect::<Vec<_>>().join(" / ");
    format!("[{}]", texts.chunks(w * h).map(block).collect::<Vec<_>>().join(" | "))
}

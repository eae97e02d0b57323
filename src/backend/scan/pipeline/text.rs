//! A region as a kernel file. Stages within the region are named terms, so that what the pipeline writes is what the compiler
//! starts from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::algebra::{Choice, Offset, Rational};
use crate::pipeline::{NodeId, Operation, Pipeline, Stencil};

use super::regions::{Region, Values};

/// The text of a region, under a name. Values are numerators over the denominators of their nodes. `None` if a number is
/// beyond the range of rationals.
pub(super) fn kernel_file(
    pipeline: &Pipeline,
    values: &Values,
    region: &Region,
    name: &str,
) -> Option<String> {
    let mut text = format!("(filter {name}\n");
    match region.choice {
        Some(Choice::Greatest) => text.push_str("  (semiring max-plus)\n"),
        Some(Choice::Least) => text.push_str("  (semiring min-plus)\n"),
        None => {}
    }
    let inputs: Vec<String> = region.sources.iter().map(|id| input(*id)).collect();
    let _ = writeln!(text, "  (inputs {})", inputs.join(" "));
    let body = match region.choice {
        Some(_) => extremes(pipeline, region),
        None => sums(pipeline, values, region)?,
    };
    Some(text + &body + ")\n")
}

/// The name of a source.
pub(super) fn input(id: NodeId) -> String {
    format!("v{}", id.index())
}

fn extremes(pipeline: &Pipeline, region: &Region) -> String {
    let mut text = String::new();
    for id in &region.outputs {
        let Operation::Filter(Stencil::Extreme(_, taps), operands) = &pipeline.node(*id).operation else {
            unreachable!("a region of extremes has filters only");
        };
        let parts = operands.iter().zip(taps).filter(|(_, taps)| !taps.is_empty());
        let parts = parts.map(|(operand, taps)| format!("(from {} {})", input(*operand), matrix(taps, ".")));
        let _ = writeln!(text, "  (output o{} {})", id.index(), added(parts.collect()));
    }
    text
}

fn sums(pipeline: &Pipeline, values: &Values, region: &Region) -> Option<String> {
    let inside = inside(pipeline, values, region);
    let denominator = |id: NodeId| i64::try_from(pipeline.facts(id).denominator()).ok();
    let mut terms: BTreeMap<NodeId, String> = BTreeMap::new();
    for id in &region.sources {
        let scale = Rational::new(1, denominator(*id)?)?;
        terms.insert(*id, scaled(scale, format!("(from {} (id))", input(*id))));
    }
    let mut text = String::new();
    for id in inside {
        let term = term(pipeline, values, id, &terms)?;
        let _ = writeln!(text, "  (let t{} {term})", id.index());
        terms.insert(id, format!("t{}", id.index()));
    }
    for id in &region.outputs {
        let scale = Rational::integer(denominator(*id)?);
        let _ = writeln!(text, "  (output o{} {})", id.index(), scaled(scale, terms[id].clone()));
    }
    Some(text)
}

/// The linear values between the sources and the outputs, outputs included, in order.
fn inside(pipeline: &Pipeline, values: &Values, region: &Region) -> BTreeSet<NodeId> {
    let mut inside = BTreeSet::new();
    let mut open = region.outputs.clone();
    while let Some(id) = open.pop() {
        let form = &values.forms[id.index()];
        if form.terms.is_empty() || form.is_itself(id) || !inside.insert(id) {
            continue;
        }
        open.extend(pipeline.node(id).operation.operands());
    }
    inside
}

/// The term of a linear operation, without constants.
fn term(
    pipeline: &Pipeline,
    values: &Values,
    id: NodeId,
    terms: &BTreeMap<NodeId, String>,
) -> Option<String> {
    let operand = |id: &NodeId| terms.get(id).cloned();
    match &pipeline.node(id).operation {
        Operation::Add(list) => Some(added(list.iter().filter_map(operand).collect())),
        Operation::Multiply(list) => {
            let constants = list.iter().filter(|id| !terms.contains_key(id));
            let factor = constants.map(|id| values.forms[id.index()].constant);
            let factor = factor.reduce(|a, b| a.mul(b).unwrap_or(Rational::ZERO)).unwrap_or(Rational::ONE);
            let value = list.iter().find_map(operand)?;
            (factor != Rational::ZERO).then(|| scaled(factor, value))
        }
        Operation::At([x, y], value) => {
            Some(format!("(shift {} {} {})", x.constant, y.constant, operand(value)?))
        }
        Operation::Filter(Stencil::Linear(kernels), list) => {
            let parts = kernels.iter().zip(list).filter_map(|(kernel, id)| {
                let taps: Vec<(Offset, Rational)> = kernel.nonzero_taps().collect();
                (!taps.is_empty()).then_some(())?;
                Some(format!("(compose {} {})", matrix(&taps, "0"), operand(id)?))
            });
            Some(added(parts.collect()))
        }
        _ => None,
    }
}

fn added(parts: Vec<String>) -> String {
    match parts.as_slice() {
        [one] => one.clone(),
        _ => format!("(add {})", parts.join(" ")),
    }
}

fn scaled(factor: Rational, term: String) -> String {
    if factor == Rational::ONE { term } else { format!("(scale {factor} {term})") }
}

/// A kernel in the smallest box that holds its taps and the pixel itself. `nothing` stands where there is no tap.
fn matrix(taps: &[(Offset, Rational)], nothing: &str) -> String {
    let along = |axis: usize| taps.iter().map(move |(offset, _)| offset[axis]);
    let [west, south] = [0, 1].map(|axis| along(axis).min().unwrap_or(0).min(0));
    let [east, north] = [0, 1].map(|axis| along(axis).max().unwrap_or(0).max(0));
    let weights: BTreeMap<[i32; 2], Rational> =
        taps.iter().map(|([x, y, _], tap)| ([*x, *y], *tap)).collect();
    let mut text = format!("(kernel (origin {} {north})", -west);
    for y in (south..=north).rev() {
        let row: Vec<String> = (west..=east)
            .map(|x| weights.get(&[x, y]).map_or_else(|| nothing.to_owned(), Rational::to_string))
            .collect();
        let _ = write!(text, " ({})", row.join(" "));
    }
    text + ")"
}

//! Which values are kept in memory, in which order they are computed, and how far beyond the picture.

use crate::pipeline::{Border, NodeId, Operation, Pipeline};

use super::plans::{Compiled, taps_of_numerators};
use super::regions::Made;

/// Columns west and east, and rows north and south of a picture.
pub(super) type Margin = [i64; 4];

/// A step: a region, or a value that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Item {
    Region(usize),
    Value(NodeId),
}

/// The layout of a compiled pipeline in memory.
pub(super) struct Places {
    /// Whether each value is kept in memory. The others are computed where they are read.
    pub(super) kept: Vec<bool>,
    /// How far beyond the picture each value is needed.
    pub(super) margins: Vec<Margin>,
    /// All steps, each after those that it needs.
    pub(super) order: Vec<Item>,
}

impl Places {
    pub(super) fn of(compiled: &Compiled) -> Self {
        let order = order(compiled);
        let kept = kept(compiled);
        let margins = margins(compiled, &order, &kept);
        Self { kept, margins, order }
    }
}

/// Every value and region that is needed, each after what it is made of.
fn order(compiled: &Compiled) -> Vec<Item> {
    let Compiled { pipeline, values, .. } = compiled;
    let mut done = vec![false; pipeline.nodes.len()];
    let mut open: Vec<Item> = (0..values.regions.len()).map(Item::Region).collect();
    let alone = |id: &NodeId| matches!(values.made[id.index()], Made::Operation | Made::Taps);
    open.extend(pipeline.ids().filter(alone).map(Item::Value));
    let mut order = Vec::new();
    while !open.is_empty() {
        let before = open.len();
        open.retain(|item| {
            let is_ready = match item {
                Item::Region(number) => values.regions[*number].sources.iter().all(|id| done[id.index()]),
                Item::Value(id) => values.sources(pipeline, *id).iter().all(|id| done[id.index()]),
            };
            if is_ready {
                match item {
                    Item::Region(number) => {
                        values.regions[*number].outputs.iter().for_each(|id| done[id.index()] = true);
                    }
                    Item::Value(id) => done[id.index()] = true,
                }
                order.push(*item);
            }
            !is_ready
        });
        assert!(open.len() < before, "regions are layers, and every node follows its operands");
    }
    order
}

/// The value in memory that a gather reads, and the moves and repetitions on the way there, which are no pictures of their own.
pub(super) fn gathered(pipeline: &Pipeline, gather: NodeId) -> (NodeId, Vec<NodeId>) {
    let Operation::Gather { value, by, .. } = &pipeline.node(gather).operation else {
        unreachable!("only gathers are gathered");
    };
    let is_single = |id: &NodeId| pipeline.facts(*id).range().is_some_and(|range| range.is_single());
    let stands = by.iter().all(is_single);
    let (mut value, mut moves) = (*value, Vec::new());
    loop {
        match &pipeline.node(value).operation {
            Operation::At(_, inner) => {
                moves.push(value);
                value = *inner;
            }
            Operation::Up(_, inner) if stands => {
                moves.push(value);
                value = *inner;
            }
            _ => return (value, moves),
        }
    }
}

/// What is known of the uses of a value.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// The number of values that read it.
    count: usize,
    /// Whether one reads it at several places, or repeats it.
    is_far: bool,
    /// Whether it must be in memory.
    is_wanted: bool,
}

fn kept(compiled: &Compiled) -> Vec<bool> {
    let Compiled { pipeline, values, .. } = compiled;
    let mut uses = vec![Uses::default(); pipeline.nodes.len()];
    for region in &values.regions {
        for id in region.sources.iter().chain(&region.outputs) {
            uses[id.index()].is_wanted = true;
            uses[id.index()].count += 1;
        }
    }
    pipeline.outputs.iter().for_each(|output| uses[output.node.index()].count += 1);
    for id in pipeline.ids().rev() {
        // What only gathers pass over is not computed.
        if uses[id.index()].count > 0 {
            note_uses(compiled, id, &mut uses);
        }
    }
    let keep = |id: NodeId| {
        let (of, node) = (uses[id.index()], pipeline.node(id));
        let is_moved = matches!(node.operation, Operation::At(..) | Operation::Down { .. });
        // What depends on a fold is kept for each value of its variable: only where other values need it so.
        let several = of.count > 1 && node.facts.variables.is_empty();
        values.made[id.index()] != Made::Not
            && node.facts.rate.is_some()
            && of.count > 0
            && (of.is_wanted || !is_moved && (of.is_far || several))
    };
    pipeline.ids().map(keep).collect()
}

/// Notes how a value reads others.
fn note_uses(compiled: &Compiled, id: NodeId, uses: &mut [Uses]) {
    let Compiled { pipeline, values, .. } = compiled;
    let operation = &pipeline.node(id).operation;
    match values.made[id.index()] {
        Made::Taps => {
            for (source, offset, _) in taps_of_numerators(pipeline, values, id) {
                uses[source.index()].count += 1;
                uses[source.index()].is_far |= offset != [0; 3];
            }
        }
        Made::Operation => {
            let is_far = matches!(
                operation,
                Operation::At(..) | Operation::Down { .. } | Operation::Up(..) | Operation::Filter(..)
            );
            let in_memory = matches!(
                operation,
                Operation::Input(_)
                    | Operation::Border(..)
                    | Operation::Up(..)
                    | Operation::Interleave(..)
                    | Operation::Histogram { .. }
                    | Operation::Fold(..)
            );
            uses[id.index()].is_wanted |= in_memory;
            let mut operands = operation.operands();
            if matches!(operation, Operation::Gather { .. }) {
                operands[0] = gathered(pipeline, id).0;
                uses[operands[0].index()].is_wanted = true;
            }
            for operand in operands {
                uses[operand.index()].count += 1;
                uses[operand.index()].is_far |= is_far;
                uses[operand.index()].is_wanted |= matches!(operation, Operation::Border(..));
            }
        }
        _ => {}
    }
}

fn margins(compiled: &Compiled, order: &[Item], kept: &[bool]) -> Vec<Margin> {
    let Compiled { pipeline, values, planned, .. } = compiled;
    let mut margins = vec![[0; 4]; pipeline.nodes.len()];
    for item in order.iter().rev() {
        match item {
            Item::Region(number) => {
                let region = &values.regions[*number];
                let all = region.outputs.iter().map(|id| margins[id.index()]).fold([0; 4], greatest);
                region.outputs.iter().for_each(|id| margins[id.index()] = all);
                let [west, east, south, north] = planned[*number].plan.reach.map(i64::from);
                let reach = [all[0] + west, all[1] + east, all[2] + north, all[3] + south];
                region.sources.iter().for_each(|id| add(&mut margins, *id, reach));
            }
            Item::Value(id) if values.made[id.index()] == Made::Taps => {
                let own = margins[id.index()];
                for (source, [x, y, _], _) in taps_of_numerators(pipeline, values, *id) {
                    add(&mut margins, source, moved(own, [[x, x], [y, y]].map(|ends| ends.map(i64::from))));
                }
            }
            Item::Value(id) => {
                let operation = &pipeline.node(*id).operation;
                if kept[id.index()] {
                    margins[id.index()] = whole_cells(operation, margins[id.index()]);
                }
                let own = margins[id.index()];
                for (number, operand) in operation.operands().into_iter().enumerate() {
                    for reach in reaches(pipeline, operation, number, own) {
                        add(&mut margins, operand, reach);
                    }
                }
            }
        }
    }
    margins
}

/// A margin that consists of whole cells of repeated or interleaved pixels.
fn whole_cells(operation: &Operation, margin: Margin) -> Margin {
    match operation {
        Operation::Up(period, _) | Operation::Interleave(period, _) => {
            [0, 1, 2, 3].map(|side| (margin[side] as u64).next_multiple_of(period[side / 2].into()) as i64)
        }
        _ => margin,
    }
}

fn add(margins: &mut [Margin], id: NodeId, reach: Margin) {
    margins[id.index()] = greatest(margins[id.index()], reach);
}

fn greatest(a: Margin, b: Margin) -> Margin {
    [0, 1, 2, 3].map(|side| a[side].max(b[side]))
}

/// A margin at all distances between ends, along x to the east and along y to the north.
fn moved([west, east, north, south]: Margin, [x, y]: [[i64; 2]; 2]) -> Margin {
    [west - x[0], east + x[1], north + y[1], south - y[0]]
}

/// How far beyond its picture an operation that is needed in a margin reads the operand with this number.
fn reaches(pipeline: &Pipeline, operation: &Operation, number: usize, own: Margin) -> Vec<Margin> {
    let [west, east, north, south] = own;
    match operation {
        Operation::At(distances, _) => {
            vec![moved(own, distances.each_ref().map(|distance| distance.limits(&pipeline.variables)))]
        }
        Operation::Filter(stencil, _) => {
            let ends = |[x, y, _]: [i32; 3]| [[x, x], [y, y]].map(|ends| ends.map(i64::from));
            stencil.offsets(number).into_iter().map(|offset| moved(own, ends(offset))).collect()
        }
        Operation::Gather { by, .. } if number == 0 => {
            let limits = by.map(|id| {
                pipeline.facts(id).range().map(|range| [range.least as i64, range.greatest as i64])
            });
            limits[0].zip(limits[1]).map(|(x, y)| moved(own, [x, y])).into_iter().collect()
        }
        Operation::Down { period, phase, .. } => {
            let [p, q] = period.map(i64::from);
            let [x, y] = phase.map(i64::from);
            vec![[p * west - x, p * (east - 1) + x + 1, q * north - y, q * (south - 1) + y + 1]]
        }
        Operation::Histogram { cell, .. } => {
            vec![[0, 1, 2, 3].map(|side| own[side] * i64::from(cell[side / 2]))]
        }
        Operation::Up(period, _) | Operation::Interleave(period, _) => {
            let up =
                |side: usize| (own[side] + i64::from(period[side / 2]) - 1) / i64::from(period[side / 2]);
            vec![[0, 1, 2, 3].map(up)]
        }
        // Of the picture alone. A band needs the rows around it, too, and those that are mirrored into them.
        Operation::Border(Border::Wrap, _) => vec![[0; 4]],
        Operation::Border(..) => vec![[0, 0, north.max(south), north.max(south)]],
        _ => vec![own],
    }
}

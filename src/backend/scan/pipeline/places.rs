//! Which values are kept in memory, in which order they are computed, and how far beyond the picture.

use crate::pipeline::{NodeId, Operation};

use super::plans::{Compiled, whole_taps};
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
        let margins = margins(compiled, &order);
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

/// Whether an operation reads its operand at another place.
fn is_moving(operation: &Operation) -> bool {
    matches!(operation, Operation::At(..) | Operation::Down { .. })
}

fn kept(compiled: &Compiled) -> Vec<bool> {
    let Compiled { pipeline, values, .. } = compiled;
    let mut uses = vec![0; pipeline.nodes.len()];
    let mut far = vec![false; pipeline.nodes.len()];
    let mut wanted = vec![false; pipeline.nodes.len()];
    for region in &values.regions {
        region.sources.iter().chain(&region.outputs).for_each(|id| wanted[id.index()] = true);
    }
    for id in pipeline.ids() {
        let operation = &pipeline.node(id).operation;
        match values.made[id.index()] {
            Made::Taps => {
                for (source, offset, _) in whole_taps(pipeline, values, id) {
                    uses[source.index()] += 1;
                    far[source.index()] |= offset != [0; 3];
                }
            }
            Made::Operation => {
                let moves = is_moving(operation)
                    || matches!(
                        operation,
                        Operation::Up(..) | Operation::Interleave(..) | Operation::Filter(..)
                    );
                for operand in operation.operands() {
                    uses[operand.index()] += 1;
                    far[operand.index()] |= moves;
                    wanted[operand.index()] |= matches!(operation, Operation::Border(..));
                }
                wanted[id.index()] |= matches!(operation, Operation::Border(..) | Operation::Input(_));
            }
            _ => {}
        }
    }
    pipeline.outputs.iter().for_each(|output| uses[output.node.index()] += 1);
    let keep = |id: NodeId| {
        let (index, node) = (id.index(), pipeline.node(id));
        let is_pattern = node.facts.rate.is_none();
        let is_made = values.made[index] != Made::Not;
        is_made
            && (wanted[index]
                || !is_pattern && !is_moving(&node.operation) && (far[index] || uses[index] > 1))
    };
    pipeline.ids().map(keep).collect()
}

fn margins(compiled: &Compiled, order: &[Item]) -> Vec<Margin> {
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
                for (source, [x, y, _], _) in whole_taps(pipeline, values, *id) {
                    add(&mut margins, source, moved(own, x, y));
                }
            }
            Item::Value(id) => {
                let own = margins[id.index()];
                let operation = &pipeline.node(*id).operation;
                for (number, operand) in operation.operands().into_iter().enumerate() {
                    for reach in reaches(operation, number, own) {
                        add(&mut margins, operand, reach);
                    }
                }
            }
        }
    }
    margins
}

fn add(margins: &mut [Margin], id: NodeId, reach: Margin) {
    margins[id.index()] = greatest(margins[id.index()], reach);
}

fn greatest(a: Margin, b: Margin) -> Margin {
    [0, 1, 2, 3].map(|side| a[side].max(b[side]))
}

fn moved([west, east, north, south]: Margin, x: i32, y: i32) -> Margin {
    let (x, y) = (i64::from(x), i64::from(y));
    [west - x, east + x, north + y, south - y]
}

/// How far beyond its picture an operation that is needed in a margin reads the operand with this number.
fn reaches(operation: &Operation, number: usize, own: Margin) -> Vec<Margin> {
    match operation {
        Operation::At([x, y], _) => vec![moved(own, x.constant, y.constant)],
        Operation::Filter(stencil, _) => {
            stencil.offsets(number).into_iter().map(|[x, y, _]| moved(own, x, y)).collect()
        }
        Operation::Down { period, phase, .. } => {
            let [p, q] = period.map(i64::from);
            let [x, y] = phase.map(i64::from);
            let [west, east, north, south] = own;
            vec![[p * west - x, p * (east - 1) + x + 1, q * north - y, q * (south - 1) + y + 1]]
        }
        Operation::Up(period, _) | Operation::Interleave(period, _) => {
            let up =
                |side: usize| (own[side] + i64::from(period[side / 2]) - 1) / i64::from(period[side / 2]);
            vec![[0, 1, 2, 3].map(up)]
        }
        Operation::Border(..) => vec![[0; 4]],
        _ => vec![own],
    }
}

//! When each loop computes which row, and how many rows are kept.
//!
//! At step s, a loop of k rows a step computes rows k·s + lead to k·s + k + lead − 1. What it reads must be there: computed in this
//! step or before, and not yet overwritten.

use std::collections::BTreeMap;

use crate::backend::scan::machine::Place;
use crate::pipeline::{Border, NodeId, Variable};

use super::coordinate::Coordinate;
use super::expression::{Body, From, Operator};
use super::loops::{Copied, Kind, Loops, Picture, Target, Unit, Work};

/// The rows of a value that a loop reads for its row i: ⌊(times · i + low) / down⌋ to ⌊(times · i + high) / down⌋.
#[derive(Clone, Copy)]
struct Need {
    value: NodeId,
    times: i64,
    low: i64,
    high: i64,
    down: i64,
    /// Whether it may be any row.
    is_global: bool,
}

impl Need {
    /// The last row for row i.
    fn last(&self, i: i64) -> i64 {
        (self.times * i + self.high).div_euclid(self.down)
    }

    /// The first row for row i.
    fn first(&self, i: i64) -> i64 {
        (self.times * i + self.low).div_euclid(self.down)
    }
}

/// Gives every loop its phase and lead and every value its depth, and orders the loops by their phases.
pub(super) fn schedule(mut loops: Loops<'_>) -> Loops<'_> {
    let needs: Vec<Vec<Need>> = loops.units.iter().map(|unit| needs(&loops, unit)).collect();
    let makers = makers(&loops);
    for (number, needs) in needs.iter().enumerate() {
        let after = |need: &Need| {
            let before = makers.get(&need.value).map(|maker| loops.units[*maker].phase);
            before.map_or(0, |phase| phase + usize::from(need.is_global))
        };
        loops.units[number].phase = needs.iter().map(after).max().unwrap_or(0);
    }
    // Only the last phase keeps to the band that is asked for.
    let last = loops.units.iter().map(|unit| unit.phase).max().unwrap_or(0);
    let is_output = |unit: &&mut Unit| matches!(unit.work, Work::Rows(Target::Output(_), ..));
    loops.units.iter_mut().filter(is_output).for_each(|unit| unit.phase = last);
    for number in (0..loops.units.len()).rev() {
        let (lead, phase) =
            (loops.units[number].lead.max(loops.units[number].margin[3]), loops.units[number].phase);
        loops.units[number].lead = lead;
        for need in &needs[number] {
            let Some(maker) = makers.get(&need.value) else { continue };
            let ahead = need.last(lead - 1) + 1;
            let cell = cell_rows(&loops.units[*maker]);
            let maker = &mut loops.units[*maker];
            if maker.phase == phase {
                maker.lead = maker.lead.max(-(-ahead).div_euclid(cell));
            }
        }
    }
    for (number, needs) in needs.iter().enumerate() {
        for need in needs {
            let Some(maker) = makers.get(&need.value).map(|maker| &loops.units[*maker]) else { continue };
            let reader = &loops.units[number];
            let rows = loops.rows_of_step(loops.buffers[&need.value].size) + maker.lead * cell_rows(maker);
            let depth = (maker.phase == reader.phase).then(|| rows - need.first(reader.lead));
            let buffer = loops.buffers.get_mut(&need.value).expect("values with makers are in memory");
            buffer.depth = buffer.depth.zip(depth).map(|(a, b)| a.max(b));
        }
    }
    loops.units.sort_by_key(|unit| unit.phase);
    loops
}

/// The rows of the value for each row of the loop.
fn cell_rows(unit: &Unit) -> i64 {
    match &unit.work {
        Work::Rows(_, Kind::Cells([_, q]), _) => i64::from(*q),
        _ => 1,
    }
}

/// The loop that computes each value in memory.
fn makers(loops: &Loops<'_>) -> BTreeMap<NodeId, usize> {
    let mut makers = BTreeMap::new();
    for (number, unit) in loops.units.iter().enumerate() {
        match &unit.work {
            Work::Copy(copied) => {
                makers.insert(copied.to, number);
            }
            Work::Rows(Target::Value(id), ..) => {
                makers.insert(*id, number);
            }
            Work::Rows(Target::Output(_), ..) => {}
            Work::Region(region) => {
                let outputs = &loops.compiled.values.regions[*region].outputs;
                makers.extend(outputs.iter().map(|id| (*id, number)));
            }
        }
    }
    makers
}

/// What a loop reads for each of its rows.
fn needs(loops: &Loops<'_>, unit: &Unit) -> Vec<Need> {
    let variables = &loops.compiled.pipeline.variables;
    match &unit.work {
        Work::Copy(Copied { from: Picture::Value(value), border, .. }) => {
            let [.., north, south] = unit.margin;
            // A row that is mirrored is at most twice as far away as the margin.
            let is_global = *border == Border::Wrap && north + south > 0;
            vec![Need { value: *value, times: 1, low: -2 * south, high: 2 * north, down: 1, is_global }]
        }
        Work::Copy(_) => Vec::new(),
        Work::Rows(_, Kind::Counts([_, q]), bodies) => {
            let q = i64::from(*q);
            bodies.iter().flat_map(|body| rows(body, q, q - 1, variables)).collect()
        }
        Work::Rows(_, _, bodies) => bodies.iter().flat_map(|body| rows(body, 1, 0, variables)).collect(),
        Work::Region(number) => {
            let mut all = Vec::new();
            for pass in &loops.regions[*number].passes {
                for row in &pass.reads {
                    let Place::Image { channel, down, .. } = row.place else { continue };
                    let value = loops.compiled.values.regions[*number].sources[channel];
                    let by = i64::from(pass.lead + down);
                    all.push(Need { value, times: 1, low: by, high: by, down: 1, is_global: false });
                }
            }
            all
        }
    }
}

/// The rows that a body reads. Its row is `times` that of the loop, and up to `more` after it.
fn rows<'b>(
    body: &'b Body,
    times: i64,
    more: i64,
    variables: &'b [Variable],
) -> impl Iterator<Item = Need> + 'b {
    body.code.reads.iter().enumerate().filter_map(move |(number, read)| {
        let From::Value(value) = read.from else { return None };
        // Without the division, to be exact.
        let [low, high] = Coordinate { down: 1, ..read.row.clone() }.limits(0, variables);
        let mut by = [0, 0];
        for node in &body.code.nodes {
            if let Operator::Load(load) = &node.operator
                && load.read == number
                && let Some([_, north]) = load.by
            {
                let [least, greatest] = body.code.range(north);
                by = [by[0].min(-greatest as i64), by[1].max(-least as i64)];
            }
        }
        Some(Need {
            value,
            times: read.row.times * times,
            low: low + by[0],
            high: high + read.row.times * more + by[1],
            down: read.row.down,
            is_global: false,
        })
    })
}

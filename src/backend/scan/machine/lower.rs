//! Lowers a plan to passes over rows: which steps are kept in rows, where their rows lie, and what each pass reads.
//!
//! A step whose kernel has one column commutes with the border to the west and to the east. It is computed from rows of the
//! image as they are, for the columns of the image; the border is then applied to its row. Other steps read rows with borders.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::zip;

use super::finish::Finish;
use super::rows::{CodeOptions, Group, Load, Pass, Place, Ring, Row, Rows, Target, Value};
use super::{Border, Extent, Fold, Layout, Output, Plan, PlanStep, Ports, Storage, Term};
use crate::algebra::Offset;

impl Rows {
    /// The passes of a plan.
    pub(in crate::backend::scan) fn of(plan: &Plan, options: CodeOptions) -> Self {
        Self::lowered(plan, options, false)
    }

    /// The passes of a plan, of which those that read an image with its border compute two rows at every second step.
    pub(super) fn in_pairs(plan: &Plan, options: CodeOptions) -> Self {
        // Without a border, there is no row after the last.
        Self::lowered(plan, options, options.border != Border::Valid)
    }

    fn lowered(plan: &Plan, options: CodeOptions, in_pairs: bool) -> Self {
        let plan = plan.without_windows();
        let layout = Layout::of(&plan);
        let [west, east, south, north] = plan.reach;
        let whole = options.border != Border::Valid;
        let [lost, corner] = if whole { [[0; 2]; 2] } else { [[west + east, south + north], [west, north]] };
        let ports = Ports::of(&plan);
        let lowering = Lowering::new(&plan, options, (&layout, in_pairs), corner[0]);
        let passes = lowering.passes(&ports);
        let rings = lowering.rings(&passes);
        Self {
            lost,
            corner: corner[1],
            rings,
            first_row: layout.first_row(),
            zeros: options.border == Border::Zero || plan.has_recurrence(),
            passes,
            options,
            plan,
            ports,
        }
    }
}

struct Lowering<'a> {
    plan: &'a Plan,
    options: CodeOptions,
    layout: &'a Layout,
    /// The number of rows of each step that are kept.
    depths: Vec<i32>,
    /// Whether each step is computed two rows at a time.
    paired: Vec<bool>,
    /// The extents of rows: those of the layout, and all columns of the image for steps of one column.
    extents: Vec<Extent>,
    /// The column of the image at the first column of the output.
    corner: i32,
    /// Whether the kernel of a step has one column, that of its pixel.
    upright: Vec<bool>,
    /// The output whose loop computes the step as well.
    fused: Vec<Option<usize>>,
    /// The value of each step where all pixels are zero.
    beyond: Vec<i64>,
    /// Whether the row of each step is read beyond the columns of the image.
    read_beyond: Vec<bool>,
}

/// The pass that reads a value: its first row, and whether it reads the image where the border does not matter.
#[derive(Clone, Copy)]
struct Reader {
    north: i32,
    plain: bool,
    /// The first column of the pass.
    west: i32,
    /// The step that the pass writes.
    own: Option<usize>,
}

impl<'a> Lowering<'a> {
    fn new(
        plan: &'a Plan,
        options: CodeOptions,
        (layout, in_pairs): (&'a Layout, bool),
        corner: i32,
    ) -> Self {
        let upright = upright(plan);
        let paired: Vec<bool> =
            (0..plan.steps.len()).map(|number| in_pairs && read_again(plan, number) > 0).collect();
        let depths = zip(&layout.depths, &paired).map(|(depth, paired)| depth + i32::from(*paired)).collect();
        let mut beyond: Vec<i64> = Vec::new();
        for step in &plan.steps {
            beyond.push(match step {
                PlanStep::Fold { terms, .. } => empty(plan, terms, &beyond),
                PlanStep::Input(_) | PlanStep::Window { .. } => 0,
            });
        }
        let mut extents = layout.extents.clone();
        for (extent, _) in extents.iter_mut().zip(&upright).filter(|(_, upright)| **upright) {
            if options.border != Border::Valid {
                extent.west = extent.west.min(0);
                extent.base = extent.base.min(extent.west);
                extent.east = extent.east.max(0);
                extent.edge = extent.edge.max(extent.east);
            }
        }
        let fused = fused(plan);
        let read_beyond = read_beyond(plan, &upright, &fused);
        Self { plan, options, layout, depths, paired, extents, corner, upright, fused, beyond, read_beyond }
    }

    fn is_whole(&self) -> bool {
        self.options.border != Border::Valid
    }

    /// All passes, in the order in which they are executed for a row.
    fn passes(&self, ports: &Ports) -> Vec<Pass> {
        let listing = self.plan.listing();
        let mut steps: Vec<Pass> = Vec::new();
        let outputs = self.plan.outputs.iter().enumerate();
        let outputs: Vec<Pass> = outputs
            .map(|(index, output)| {
                let name = format!("to_{}", ports.outputs[index]);
                self.output((index, output), name, listing[self.plan.steps.len() + index].clone())
            })
            .collect();
        for (number, step) in self.plan.steps.iter().enumerate() {
            match step {
                PlanStep::Fold { terms, back } if self.fused[number].is_none() => {
                    steps.push(self.step(number, terms, *back, listing[number].clone()));
                }
                _ => {}
            }
        }
        // An input is kept in rows only if a pass reads it with its border.
        let inputs = (0..self.plan.steps.len()).filter(|number| {
            let is_read = |pass: &Pass| {
                pass.reads.iter().any(|row| matches!(row.place, Place::Ring { step, .. } if step == *number))
            };
            matches!(self.plan.steps[*number], PlanStep::Input(_))
                && steps.iter().chain(&outputs).any(is_read)
        });
        let mut passes: Vec<Pass> = inputs.map(|number| self.copy(number, listing[number].clone())).collect();
        passes.extend(steps);
        passes.extend(outputs);
        passes
    }

    /// The rings that the passes write.
    fn rings(&self, passes: &[Pass]) -> Vec<Ring> {
        let written = passes.iter().filter_map(|pass| match &pass.target {
            Target::Step { row: Row { place: Place::Ring { step, .. }, .. }, .. } => Some(*step),
            _ => None,
        });
        let mut rings: Vec<Ring> = written
            .map(|step| Ring {
                step,
                storage: self.plan.storage[step],
                depth: self.depths[step],
                base: -self.extents[step].base,
                excess: self.extents[step].edge - self.extents[step].base,
            })
            .collect();
        rings.sort_by_key(|ring| std::cmp::Reverse(ring.storage.bits));
        rings
    }

    /// The row that copies an input, with its border.
    fn copy(&self, number: usize, comment: String) -> Pass {
        let PlanStep::Input(channel) = self.plan.steps[number] else {
            unreachable!("only inputs are copied")
        };
        let place = Place::Image { channel, down: 0, north: self.extents[number].north };
        let start = self.first_column(number) + self.corner;
        let reads = vec![Row { place, storage: self.plan.storage[number], start, more: 0 }];
        Pass {
            value: Value::Keep(vec![(Load { row: Some(0), column: 0 }, 0)]),
            ..self.pass(number, reads, comment)
        }
    }

    fn step(&self, number: usize, terms: &[Term], back: Option<Offset>, comment: String) -> Pass {
        let sum = self.plan.fold == Fold::Sum;
        let continues = back == Some([-1, 0, 0]) && sum;
        let own = back.filter(|_| !continues).map(|back| Term {
            source: number,
            offset: back,
            weight: self.plan.fold.neutral_weight(),
        });
        let all: Vec<Term> = own.into_iter().chain(terms.iter().copied()).collect();
        let reader = self.reader(number, self.upright[number], Some(number));
        let (reads, loads) =
            self.reads(reader, &all.iter().map(|t| (t.source, t.offset)).collect::<Vec<_>>());
        let storage = self.plan.storage[number];
        let working = if sum { unsigned(storage) } else { storage };
        let pass = Pass {
            value: value(self.plan, working, &all, loads),
            working,
            continues,
            ..self.pass(number, reads, comment)
        };
        if self.paired[number] { in_pairs(pass) } else { pass }
    }

    /// A pass that writes a row of a step, without what it computes.
    fn pass(&self, number: usize, reads: Vec<Row>, comment: String) -> Pass {
        let extent = self.extents[number];
        let padded = self.is_padded(number);
        let [west, east] = if padded { [0, 0] } else { [extent.west, extent.east] };
        let storage = self.plan.storage[number];
        let place = self.ring(number, [0; 3], extent.north);
        Pass {
            name: format!("s{number}"),
            comment,
            lead: self.layout.leads[number],
            rows: [extent.north, extent.south],
            more: east - west,
            reads,
            value: Value::Sum(Vec::new()),
            second: None,
            working: storage,
            continues: false,
            target: Target::Step {
                row: Row { place, storage, start: west - extent.base, more: 0 },
                pad: if padded && self.read_beyond[number] { [-extent.west, extent.east] } else { [0; 2] },
                beyond: self.beyond[number],
            },
        }
    }

    fn output(&self, (index, output): (usize, &Output), name: String, comment: String) -> Pass {
        let sum = self.plan.fold == Fold::Sum;
        let source = output.source;
        let mut finish =
            Finish::of(output, self.plan.storage[source], self.plan.ranges[source], self.options.overflow);
        let terms: Vec<Term> = match &self.plan.steps[source] {
            PlanStep::Fold { terms, back: None } if self.fused[source] == Some(index) => terms.clone(),
            _ => vec![Term { source, offset: [0; 3], weight: self.plan.fold.neutral_weight() }],
        };
        let lead = -output.offset[1];
        let storage = self.plan.storage[source];
        // A sum is negated term by term, but where it becomes a number of single precision: there its type is that of the step.
        let stays = finish.real.is_none() || storage.float;
        let negates = sum && stays && finish.up == -1 && terms.iter().all(|term| term.weight != i64::MIN);
        finish.up = if negates { 1 } else { finish.up };
        let moved: Vec<Term> = terms
            .iter()
            .map(|term| Term {
                offset: [term.offset[0] + output.offset[0], term.offset[1], 0],
                weight: if negates { -term.weight } else { term.weight },
                ..*term
            })
            .collect();
        let plain = moved.iter().all(|term| term.offset[0] == 0 && self.upright[term.source]);
        let reader = Reader { north: lead, plain: plain || !self.is_whole(), west: 0, own: None };
        let (reads, loads) =
            self.reads(reader, &moved.iter().map(|t| (t.source, t.offset)).collect::<Vec<_>>());
        let working = match (sum, storage.float, finish.real) {
            (false, ..) | (_, true, _) => storage,
            (true, false, Some(_)) => unsigned(storage),
            (true, false, None) => unsigned(finish.dividend),
        };
        Pass {
            name,
            comment,
            lead,
            rows: [lead, lead],
            more: 0,
            reads,
            value: value(self.plan, working, &moved, loads),
            second: None,
            working,
            continues: false,
            target: Target::Output(index, finish),
        }
    }

    /// Whether the row of a step is computed for the columns of the image, and the border applied to it.
    fn is_padded(&self, number: usize) -> bool {
        self.upright[number] && self.is_whole()
    }

    /// The first column for which a step is computed.
    fn first_column(&self, number: usize) -> i32 {
        if self.is_padded(number) { 0 } else { self.extents[number].west }
    }

    fn reader(&self, number: usize, plain: bool, own: Option<usize>) -> Reader {
        Reader {
            north: self.extents[number].north,
            plain: plain || !self.is_whole(),
            west: self.first_column(number),
            own,
        }
    }

    /// The rows that a pass reads, and the place of each value in them.
    fn reads(&self, reader: Reader, values: &[(usize, Offset)]) -> (Vec<Row>, Vec<Load>) {
        let mut rows: Vec<(Place, Storage, [i32; 2])> = Vec::new();
        let mut found: Vec<(Option<usize>, i32)> = Vec::new();
        for (source, offset) in values {
            let (place, start) = self.place(reader, *source, *offset);
            let depth = self.depths[*source];
            if reader.own == Some(*source) && (depth == 1 || offset[1] % depth == 0) {
                found.push((None, offset[0]));
                continue;
            }
            let column = reader.west + offset[0] + start;
            let index = rows.iter().position(|row| row.0 == place).unwrap_or(rows.len());
            if index == rows.len() {
                rows.push((place, self.plan.storage[*source], [column; 2]));
            }
            let columns = &mut rows[index].2;
            *columns = [columns[0].min(column), columns[1].max(column)];
            found.push((Some(index), column));
        }
        let load = |(row, column): (Option<usize>, i32)| match row {
            Some(index) => Load { row, column: column - rows[index].2[0] },
            None => Load { row, column },
        };
        let loads = found.into_iter().map(load).collect();
        let rows = rows.into_iter().map(|(place, storage, [least, most])| Row {
            place,
            storage,
            start: least,
            more: most - least,
        });
        (rows.collect(), loads)
    }

    /// The row of a source at an offset, and the position of the output's column 0 in it.
    fn place(&self, reader: Reader, source: usize, offset: Offset) -> (Place, i32) {
        let extent = self.extents[source];
        if let PlanStep::Input(channel) = self.plan.steps[source] {
            // Columns beyond the extent are zero, whatever the image has there.
            let zeros = !self.is_whole() && (extent.base < extent.west || extent.edge > extent.east);
            if reader.plain && !zeros {
                let place = Place::Image { channel, down: -offset[1], north: extent.north };
                return (place, self.corner);
            }
        }
        (self.ring(source, offset, reader.north), -extent.base)
    }

    /// The row of a ring that a pass with this first row finds at an offset.
    fn ring(&self, step: usize, offset: Offset, first: i32) -> Place {
        let depth = self.depths[step];
        // Counted from the first row of the source, and never negative.
        let phase = -offset[1] - self.extents[step].north;
        let short = (-(first + phase)).max(0);
        Place::Ring { step, phase: phase + (short + depth - 1) / depth * depth, depth }
    }
}

/// The rows of images that a fold over these alone, in one column, reads again for its next row; none of any other step.
pub(super) fn read_again(plan: &Plan, number: usize) -> usize {
    let PlanStep::Fold { terms, back: None } = &plan.steps[number] else { return 0 };
    let is_image = |term: &Term| matches!(plan.steps[term.source], PlanStep::Input(_));
    if terms.iter().any(|term| !is_image(term) || term.offset[0] != 0) {
        return 0;
    }
    let rows: BTreeSet<(usize, i32)> = terms.iter().map(|term| (term.source, term.offset[1])).collect();
    rows.iter().filter(|(source, y)| rows.contains(&(*source, y + 1))).count()
}

/// Whether the row of each step is read beyond the columns of the image.
fn read_beyond(plan: &Plan, upright: &[bool], fused: &[Option<usize>]) -> Vec<bool> {
    let mut beyond = vec![false; plan.steps.len()];
    for (number, step) in plan.steps.iter().enumerate() {
        let moves = fused[number].is_some_and(|output| plan.outputs[output].offset[0] != 0);
        if !upright[number] || moves {
            step.reads().for_each(|read| beyond[read.0] = true);
        }
    }
    for output in &plan.outputs {
        beyond[output.source] |= output.offset[0] != 0 || !upright[output.source];
    }
    beyond
}

/// A pass that computes the next row, too.
fn in_pairs(mut pass: Pass) -> Pass {
    let below = |row: &Row| match row.place {
        Place::Image { channel, down, north } => {
            Row { place: Place::Image { channel, down: down + 1, north }, ..*row }
        }
        Place::Ring { .. } => *row,
    };
    let mut moved = Vec::new();
    for row in pass.reads.iter().map(below).collect::<Vec<_>>() {
        let known = pass.reads.iter().position(|other| *other == row);
        moved.push(known.unwrap_or(pass.reads.len()));
        if known.is_none() {
            pass.reads.push(row);
        }
    }
    pass.second = Some(pass.value.in_rows(&|row| moved[row]));
    pass
}

/// The value of a fold where the values of all steps are those where pixels are zero.
fn empty(plan: &Plan, terms: &[Term], values: &[i64]) -> i64 {
    let raised = terms.iter().map(|term| values[term.source] + term.weight);
    let empty = match plan.fold {
        Fold::Sum | Fold::Either => None,
        Fold::Greatest => raised.max(),
        Fold::Least => raised.min(),
    };
    empty.unwrap_or(plan.fold.nothing(plan.pixel))
}

/// Whether the kernel of each step has one column, that of its pixel.
pub(super) fn upright(plan: &Plan) -> Vec<bool> {
    let mut upright: Vec<bool> = Vec::new();
    for step in &plan.steps {
        upright.push(match step {
            PlanStep::Fold { terms, back } => {
                let here = |term: &Term| term.offset[0] == 0 && upright[term.source];
                back.is_none_or(|back| back[0] == 0) && terms.iter().all(here)
            }
            PlanStep::Input(_) => true,
            PlanStep::Window { source, step, .. } => step[0] == 0 && upright[*source],
        });
    }
    upright
}

/// For each step that only one output reads, that output. A recurrence is computed in a loop of its own.
pub(super) fn fused(plan: &Plan) -> Vec<Option<usize>> {
    let mut fused = vec![None; plan.steps.len()];
    for (index, output) in plan.outputs.iter().enumerate() {
        let others = plan.outputs.iter().filter(|other| other.source == output.source).count();
        let is_read = plan.steps.iter().any(|step| step.reads().any(|read| read.0 == output.source));
        let plain = matches!(plan.steps[output.source], PlanStep::Fold { back: None, .. });
        if plain && !is_read && others == 1 {
            fused[output.source] = Some(index);
        }
    }
    fused
}

/// What a pass computes in a type, from terms and where it finds them.
fn value(plan: &Plan, working: Storage, terms: &[Term], loads: Vec<Load>) -> Value {
    if plan.fold != Fold::Sum {
        return Value::Keep(loads.into_iter().zip(terms.iter().map(|term| term.weight)).collect());
    }
    let mut groups: BTreeMap<u64, Vec<(&Term, Load)>> = BTreeMap::new();
    for (term, load) in terms.iter().zip(loads) {
        groups.entry(term.weight.unsigned_abs()).or_default().push((term, load));
    }
    let groups = groups.into_iter().map(|(weight, mut values)| {
        values.sort_by_key(|(term, _)| term.weight < 0);
        let narrow = narrow(plan, &values.iter().map(|(term, _)| *term).collect::<Vec<_>>());
        Group {
            weight,
            narrow: narrow.filter(|narrow| narrow.bits < working.bits && values.len() > 1 && !working.float),
            values: values.into_iter().map(|(term, load)| (load, term.weight < 0)).collect(),
        }
    });
    let mut groups: Vec<Group> = groups.collect();
    groups.sort_by_key(Group::is_negative);
    Value::Sum(groups)
}

/// The type that holds the sum of the values of a group, the first of which is added. It is no narrower than the values.
fn narrow(plan: &Plan, terms: &[&Term]) -> Option<Storage> {
    let first = terms.first()?.weight.signum();
    let (mut low, mut high, mut bits) = (0i128, 0i128, 0);
    for term in terms {
        let [least, most] = plan.ranges[term.source]?.map(i128::from);
        let ends = if term.weight.signum() == first { [least, most] } else { [-most, -least] };
        (low, high) = (low + ends[0], high + ends[1]);
        bits = bits.max(plan.storage[term.source].bits);
    }
    Storage::holding(low, high).filter(|held| held.bits >= bits)
}

fn unsigned(storage: Storage) -> Storage {
    Storage { signed: storage.float, ..storage }
}

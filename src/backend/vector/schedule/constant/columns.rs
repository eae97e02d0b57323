//! Columns and rows: sums of columns are rounded into vectors, and outputs are sums of rows of these and of single taps.
//!
//! In registers, one iteration makes two vectors of each column. The first completes the window that the last vector of the
//! previous iteration began, so outputs lag one vector behind. The first and the last outputs of a row lie outside it, in
//! padding of the output's rows. In two passes, columns go to memory, row by row, and outputs lag one turn of the outer
//! loop behind. Those of the first turn lie before the first row. The filter may have any width.

use std::collections::BTreeMap;

use super::super::body::{Body, Origin, Place, Product, Sum, Use, Vector, Widened};
use super::super::row_pitch;
use super::dot::{Line, MultiplyAdd, shifted, steps, symmetry, trimmed};
use super::placing::planes;
use super::plan::{Form, Inapplicable, Plan};
use super::range::narrowed;
use super::split::Split;
use super::table;
use crate::backend::vector::machine::{Address, Array, Mode, PreAdd, Role, VliwMachine};
use crate::backend::vector::workload::{Dim, TensorPlacements, Workload};

/// The indices of the arrays in a program.
const OUTPUT: usize = 0;
const INPUT: usize = 2;
const SCRATCH: usize = 3;

/// The vectors of a column per iteration, if columns stay in registers. With two, each lives less than an iteration.
const BLOCKS: usize = 2;

pub(super) fn body(
    machine: &VliwMachine,
    workload: &Workload,
    mode: &Mode,
    split: &Split,
    plan: Plan,
) -> Result<(Body, TensorPlacements), Inapplicable> {
    let lanes = mode.lanes;
    let in_registers = plan.form == Form::Columns && !split.columns.is_empty();
    let window = window(machine, workload, mode, split, plan)?;
    let shift = narrowed(workload, split)?;
    let extents = Extents::new(workload, plan, lanes, in_registers);
    let Extents { blocks, iterations, turns, reach } = extents;
    let pitch = row_pitch(machine, workload)?;
    let scratch_pitch = reach.max(pitch);
    let out_pitch = reach.max(workload.output[0]);
    let placed = extents.tensors(workload, plan, (window + 1) * lanes, [pitch, out_pitch], lanes);
    let scratch = (turns + 1) * plan.rows * scratch_pitch;
    let loops = [(Dim::Y, turns), (Dim::X, iterations)];
    let mut body = Body::empty(workload, mode, &placed, (Role::Constants(Vec::new()), 0), &loops);
    body.arrays.extend((plan.form == Form::Passes).then(|| Array {
        name: "columns".to_owned(),
        role: Role::Scratch,
        element: workload.element,
        length: split.columns.len() * scratch + (window + 1) * lanes,
    }));
    let mut builder = Builder {
        workload,
        placed: &placed,
        split,
        plan,
        mode,
        body,
        tuples: Vec::new(),
        pitch,
        scratch_pitch,
        out_pitch,
        scratch,
        blocks,
        lag: usize::from(in_registers),
        shift,
    };
    builder.build();
    if plan.shifted && builder.body.sums.iter().all(|sum| sum.widened.is_none()) {
        return Err(Inapplicable::NoShift);
    }
    let Builder { mut body, tuples, .. } = builder;
    let alignment = (machine.alignment / mode.z.bytes()).max(1);
    table::place(&mut body, &tuples, machine.per_vector(mode.z), machine.coefficients.len(), alignment)?;
    Ok((body, placed))
}

/// The extents of the loops.
struct Extents {
    /// Vectors of a column per iteration.
    blocks: usize,
    /// Iterations of the inner loop.
    iterations: usize,
    /// Iterations of the outer loop.
    turns: usize,
    /// Computed elements of a row.
    reach: usize,
}

impl Extents {
    fn new(workload: &Workload, plan: Plan, lanes: usize, in_registers: bool) -> Self {
        let blocks = if in_registers { BLOCKS } else { 1 };
        let vectors = workload.output[0] / lanes;
        let iterations = match plan.form {
            Form::Passes => (workload.output[0] + workload.filter[0] - 1).div_ceil(lanes),
            _ if in_registers => (vectors + 1).div_ceil(BLOCKS),
            _ => vectors,
        };
        let turns = workload.output[1] / plan.rows + usize::from(plan.form == Form::Passes);
        Self { blocks, iterations, turns, reach: iterations * blocks * lanes }
    }

    /// Places the tensors, with padding around them: windows begin a vector before a row and reach `beyond` it.
    fn tensors(
        &self,
        workload: &Workload,
        plan: Plan,
        beyond: usize,
        [pitch, out_pitch]: [usize; 2],
        lanes: usize,
    ) -> TensorPlacements {
        let rows_before = if plan.form == Form::Passes { plan.rows } else { 0 };
        // The last turn of two passes makes columns of rows below the image. Steps that are not full read one more row
        // with a coefficient of zero.
        let rows_read = self.turns * plan.rows + workload.filter[1];
        let after =
            beyond + self.reach.saturating_sub(pitch) + rows_read.saturating_sub(workload.input[1]) * pitch;
        planes(
            workload,
            [pitch, workload.input[1]],
            [out_pitch, workload.output[1]],
            [lanes, after],
            [out_pitch * rows_before + lanes, lanes],
        )
    }
}

/// The number of vectors of a data window, if the split has a program in this form.
fn window(
    machine: &VliwMachine,
    workload: &Workload,
    mode: &Mode,
    split: &Split,
    plan: Plan,
) -> Result<usize, Inapplicable> {
    let (width, lanes) = (workload.filter[0], mode.lanes);
    let in_registers = plan.form == Form::Columns && !split.columns.is_empty();
    let widest = machine.buffers.iter().map(|(_, parts)| parts.len()).max().unwrap_or(0);
    let window = (lanes + width - 2 + mode.columns).div_ceil(lanes).max(1);
    if lanes != machine.per_vector(workload.element)
        || (in_registers && width + mode.columns - 1 > lanes + 1)
        || window > widest
    {
        return Err(Inapplicable::TooWide(width));
    }
    if plan.form == Form::Passes && (split.columns.is_empty() || split.has_rest()) {
        return Err(Inapplicable::NotSeparable);
    }
    Ok(window)
}

struct Builder<'b> {
    workload: &'b Workload,
    placed: &'b TensorPlacements,
    split: &'b Split,
    plan: Plan,
    mode: &'b Mode,
    body: Body,
    tuples: Vec<Vec<i64>>,
    /// The pitch of the image, in elements.
    pitch: usize,
    /// The pitch of a column in memory, in elements.
    scratch_pitch: usize,
    /// The pitch of the output, in elements.
    out_pitch: usize,
    /// The size of a column in memory, in elements.
    scratch: usize,
    blocks: usize,
    /// The lag of outputs, in vectors.
    lag: usize,
    /// The right shift of sums of columns, in bits.
    shift: u32,
}

/// A sum that begins with a row of the image: the sum, the row, its channel and the shift.
type WidenedRow = (usize, usize, usize, u32);

/// The vectors already loaded, by array, first element of the row, and part of the row.
type Loaded = BTreeMap<(usize, i64, i64), usize>;

/// A step of a column for one row of outputs, with the image row at its first place.
struct Reading {
    column: usize,
    row: usize,
    first: usize,
    step: MultiplyAdd,
}

impl Reading {
    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let mirror = self.step.mirror.iter().flat_map(|(mirror, _)| mirror.iter().copied());
        self.step.taps.iter().map(|tap| tap.0).chain(mirror)
    }
}

impl Builder<'_> {
    fn build(&mut self) {
        let columns: Vec<Vec<Vec<usize>>> = (0..self.blocks).map(|block| self.reserve(block)).collect();
        for (block, made) in columns.iter().enumerate() {
            self.columns(block, made);
        }
        for block in 0..self.blocks {
            // The window of an output: the previous vector of a column and the newest.
            let before = match block {
                0 => (&columns[self.blocks - 1], 1),
                _ => (&columns[block - 1], 0),
            };
            self.outputs(block, before, &columns[block]);
        }
        if self.lag > 0 {
            for carried in columns[self.blocks - 1].iter().flatten() {
                // Any vector will do, because its results lie outside the output.
                let at = Address { array: INPUT, pointer: 0, offset: 0, strides: vec![0], step: 0 };
                self.body.vectors[*carried].initial = Some(at);
            }
        }
    }

    /// Reserves the vectors and sums of a block's columns. Returns the vector for each column and row of outputs.
    fn reserve(&mut self, block: usize) -> Vec<Vec<usize>> {
        let mut made = Vec::new();
        for (column, line) in self.split.columns.iter().enumerate() {
            let mut rows: Vec<usize> = Vec::new();
            for row in 0..self.plan.rows {
                let sum = self.body.sums.len();
                let stored = self.plan.form == Form::Passes;
                let purpose = if stored { Use::Result } else { Use::Data };
                self.body.vectors.push(Vector::new(Origin::Sum(sum), purpose));
                let vector = self.body.vectors.len() - 1;
                // The outputs of the first turn read columns that have not been computed.
                let offset = column * self.scratch + (self.plan.rows + row) * self.scratch_pitch;
                let store =
                    stored.then(|| self.address(SCRATCH, offset as i64, self.scratch_pitch, block as i64, 0));
                let continues = (row > 0 && self.runs(&line.coefficients)).then(|| sum - 1);
                self.body.sums.push(Sum { shift: self.shift, vector, store, continues, widened: None });
                rows.push(vector);
            }
            made.push(rows);
        }
        made
    }

    fn runs(&self, line: &[i64]) -> bool {
        self.plan.running && runs(line)
    }

    fn fold(&self, line: &[i64]) -> Option<PreAdd> {
        symmetry(line).filter(|how| self.plan.combines(*how) && self.mode.combines(*how))
    }

    /// An address in rows of a pitch: `part` vectors after `offset`.
    fn address(&self, array: usize, offset: i64, pitch: usize, part: i64, pointer: usize) -> Address {
        let lanes = self.mode.lanes as i64;
        Address {
            array,
            pointer: pointer % self.plan.pointers,
            offset: offset + part * lanes,
            strides: vec![(self.plan.rows * pitch) as i64],
            step: self.blocks as i64 * lanes,
        }
    }

    fn load(&mut self, loaded: &mut Loaded, array: usize, offset: i64, part: i64, pointer: usize) -> usize {
        if let Some(vector) = loaded.get(&(array, offset, part)) {
            return *vector;
        }
        let pitch = if array == SCRATCH { self.scratch_pitch } else { self.pitch };
        let at = self.address(array, offset, pitch, part, pointer);
        self.body.vectors.push(Vector::new(Origin::Memory(at), Use::Data));
        loaded.insert((array, offset, part), self.body.vectors.len() - 1);
        self.body.vectors.len() - 1
    }

    /// The first element of a row of an input channel.
    fn row(&self, channel: usize, row: usize) -> i64 {
        let at = |dim| match dim {
            Dim::Y => row,
            Dim::C => channel,
            _ => 0,
        };
        self.placed.input.index(at) as i64
    }

    /// Adds the products of a block's columns. Each row is loaded once, when first needed, and serves all products. But if
    /// a row is combined with its mirror image or leaves a running sum, rows are loaded again for each row of outputs.
    fn columns(&mut self, block: usize, made: &[Vec<usize>]) {
        let (mut readings, widened, again) = self.readings(made);
        match again {
            true => readings.sort_by_key(|reading| reading.row),
            false => readings.sort_by_key(|r| r.places().map(|place| r.first + place).max()),
        }
        let mut loaded = Loaded::new();
        let mut last = 0;
        for reading in readings {
            if again && reading.row != last {
                loaded.clear();
            }
            last = reading.row;
            let sum = self.sum_of(made[reading.column][reading.row]);
            self.multiply_rows(&mut loaded, &reading, sum, block, again);
        }
        for (sum, row, channel, shift) in widened {
            let (offset, pointer) = (self.row(channel, row), if again { 0 } else { row });
            let vector = self.load(&mut loaded, INPUT, offset, block as i64, pointer);
            self.body.sums[sum].widened = Some(Widened { vector, back: 0, shift });
        }
    }

    /// The multiplications of all columns, the sums that begin with a row, and whether rows are loaded again for each row of outputs.
    fn readings(&self, made: &[Vec<usize>]) -> (Vec<Reading>, Vec<WidenedRow>, bool) {
        let (mut readings, mut widened, mut again) = (Vec::new(), Vec::new(), false);
        for (column, line) in self.split.columns.iter().enumerate() {
            let change = difference(&line.coefficients);
            let runs = self.runs(&line.coefficients);
            for (row, vector) in made[column].iter().enumerate() {
                let runs = runs && row > 0;
                let (start, line) = trimmed(if runs { &change } else { &line.coefficients });
                let fold = |line: &[i64]| self.fold(line).filter(|_| self.plan.in_columns && !runs);
                let may = |_| self.plan.shifted && !runs;
                let (shift, of_line) =
                    shifted(line, self.mode.z, self.mode.columns, Line::Vectors, fold, may);
                again |= runs || of_line.iter().any(|step| step.mirror.is_some());
                if let Some((place, bits)) = shift {
                    let channel = self.split.columns[column].channel;
                    widened.push((self.sum_of(*vector), row + start + place, channel, bits));
                }
                for step in of_line {
                    readings.push(Reading { column, row, first: row + start - usize::from(runs), step });
                }
            }
        }
        (readings, widened, again)
    }

    /// The sum that makes a column vector.
    fn sum_of(&self, vector: usize) -> usize {
        match self.body.vectors[vector].origin {
            Origin::Sum(sum) => sum,
            Origin::Memory(_) | Origin::Resident(_) => unreachable!("columns are sums"),
        }
    }

    /// Loads the rows of a multiplication and adds it.
    fn multiply_rows(
        &mut self,
        loaded: &mut Loaded,
        reading: &Reading,
        sum: usize,
        block: usize,
        again: bool,
    ) {
        let channel = self.split.columns[reading.column].channel;
        let lanes = self.mode.lanes;
        let mut vector = |place: usize, half: usize| {
            let row = reading.first + place;
            let (offset, pointer) = (self.row(channel, row), if again { half } else { row });
            self.load(loaded, INPUT, offset, block as i64, pointer)
        };
        let taps: Vec<usize> = reading.step.taps.iter().map(|tap| vector(tap.0, 0)).collect();
        let mirror: Option<(Vec<usize>, PreAdd)> = reading
            .step
            .mirror
            .as_ref()
            .map(|(places, how)| (places.iter().map(|place| vector(*place, 1)).collect(), *how));
        let all = |vectors: &[usize]| -> Vec<Vec<Place>> {
            let place = |element| move |vector: &usize| Place { vector: *vector, back: 0, element };
            (0..lanes).map(|lane| vectors.iter().map(place(lane)).collect()).collect()
        };
        let y = mirror.map(|(vectors, how)| (all(&vectors), how));
        self.push(sum, all(&taps), y, &reading.step);
    }

    fn push(
        &mut self,
        sum: usize,
        x: Vec<Vec<Place>>,
        y: Option<(Vec<Vec<Place>>, PreAdd)>,
        step: &MultiplyAdd,
    ) {
        self.body.products.push(Product { sum, x, y, z: 0, z_elements: Vec::new(), z_apart: 0 });
        self.tuples.push(step.taps.iter().map(|tap| tap.1).collect());
    }

    /// Adds the outputs of a block: rows of columns, then single taps, row by row of the image.
    fn outputs(&mut self, block: usize, before: (&Vec<Vec<usize>>, usize), newest: &[Vec<usize>]) {
        let first = self.body.sums.len();
        let count = self.split.outputs.len();
        let sum = |output: usize, row: usize| first + row * count + output;
        for row in 0..self.plan.rows {
            for output in 0..count {
                self.store(block, output, row);
            }
        }
        let split = self.split;
        for row in 0..self.plan.rows {
            let mut loaded = Loaded::new();
            for (output, of) in split.outputs.iter().enumerate() {
                for piece in &of.pieces {
                    let (start, line) = trimmed(&piece.coefficients);
                    let lanes = self.mode.lanes;
                    let free = self.plan.shifted && self.body.sums[sum(output, row)].widened.is_none();
                    let may = |place: usize| free && (start + place).is_multiple_of(lanes);
                    let fold = |line: &[i64]| self.fold(line);
                    let (shift, of_line) =
                        shifted(line, self.mode.z, self.mode.columns, Line::Window, fold, may);
                    let at = (piece.column, row);
                    if let Some((place, shift)) = shift {
                        let part = (start + place) / lanes;
                        let (vector, back) = match part {
                            _ if self.lag == 0 => {
                                let offset = at.0 * self.scratch + at.1 * self.scratch_pitch;
                                let part = (block + part) as i64;
                                (self.load(&mut loaded, SCRATCH, offset as i64, part, at.1), 0)
                            }
                            0 => (before.0[at.0][at.1], before.1),
                            _ => (newest[at.0][at.1], 0),
                        };
                        self.body.sums[sum(output, row)].widened = Some(Widened { vector, back, shift });
                    }
                    for step in of_line {
                        let window = |part: usize, builder: &mut Self, loaded: &mut Loaded| match part {
                            _ if builder.lag == 0 => {
                                let offset = at.0 * builder.scratch + at.1 * builder.scratch_pitch;
                                (builder.load(loaded, SCRATCH, offset as i64, (block + part) as i64, at.1), 0)
                            }
                            0 => (before.0[at.0][at.1], before.1),
                            _ => (newest[at.0][at.1], 0),
                        };
                        self.window(sum(output, row), start, &step, &mut loaded, &window);
                    }
                }
            }
        }
        self.rest(block, &sum);
    }

    /// Adds the single taps of all outputs of a block.
    fn rest(&mut self, block: usize, sum: &dyn Fn(usize, usize) -> usize) {
        let split = self.split;
        let [_, height, _, channels] = self.workload.filter;
        for channel in 0..channels {
            for row in 0..height + self.plan.rows - 1 {
                let mut loaded = Loaded::new();
                for above in (0..self.plan.rows).filter(|above| (*above..above + height).contains(&row)) {
                    for (output, of) in split.outputs.iter().enumerate() {
                        for rest in of.rest.iter().filter(|rest| rest.channel == channel) {
                            let line = &rest.rows[row - above];
                            for step in steps(line, self.mode.z, self.mode.columns, Line::Window, None) {
                                let part_of = block as i64 - self.lag as i64;
                                let window = |part: usize, builder: &mut Self, loaded: &mut Loaded| {
                                    let offset = builder.row(channel, row);
                                    (builder.load(loaded, INPUT, offset, part_of + part as i64, row), 0)
                                };
                                self.window(sum(output, above), 0, &step, &mut loaded, &window);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Adds a product of places of a window, whose vectors `part` gives.
    fn window(
        &mut self,
        sum: usize,
        start: usize,
        step: &MultiplyAdd,
        loaded: &mut Loaded,
        part: &dyn Fn(usize, &mut Self, &mut Loaded) -> (usize, usize),
    ) {
        let lanes = self.mode.lanes;
        let mut select = |places: &[usize]| -> Vec<Vec<Place>> {
            let mut select_lane = |lane: usize| -> Vec<Place> {
                let mut place = |place: &usize| {
                    let at = start + place + lane;
                    let (vector, back) = part(at / lanes, self, loaded);
                    Place { vector, back, element: at % lanes }
                };
                places.iter().map(&mut place).collect()
            };
            (0..lanes).map(&mut select_lane).collect()
        };
        let taps: Vec<usize> = step.taps.iter().map(|tap| tap.0).collect();
        let x = select(&taps);
        let y = step.mirror.as_ref().map(|(places, how)| (select(places), *how));
        self.push(sum, x, y, step);
    }

    /// Rounds a sum and stores it.
    fn store(&mut self, block: usize, output: usize, row: usize) {
        let sum = self.body.sums.len();
        self.body.vectors.push(Vector::new(Origin::Sum(sum), Use::Result));
        let at = |dim| match dim {
            Dim::Y => row,
            Dim::K => output,
            _ => 0,
        };
        let late = if self.plan.form == Form::Passes { self.plan.rows * self.out_pitch } else { 0 };
        let offset = self.placed.output.index(at) as i64 - late as i64;
        let at = self.address(OUTPUT, offset, self.out_pitch, block as i64 - self.lag as i64, 0);
        let vector = self.body.vectors.len() - 1;
        let shift = self.workload.shift - self.shift;
        self.body.sums.push(Sum { shift, vector, store: Some(at), continues: None, widened: None });
    }
}

/// Whether a column is cheaper to compute from that of the row above: fewer taps change than it has.
fn runs(line: &[i64]) -> bool {
    let count = |line: &[i64]| line.iter().filter(|c| **c != 0).count();
    count(&difference(line)) < count(line)
}

/// Whether some column of a split is cheaper to compute from that of the row above.
pub(super) fn may_run(split: &Split) -> bool {
    split.columns.iter().any(|column| runs(&column.coefficients))
}

/// The difference between a column and that of the row above, from the first row of the latter.
fn difference(line: &[i64]) -> Vec<i64> {
    let at = |i: usize| line.get(i).copied().unwrap_or(0);
    (0..=line.len()).map(|i| if i == 0 { 0 } else { at(i - 1) } - at(i)).collect()
}

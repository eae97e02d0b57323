//! The form for 8-bit data: the filter is the first operand of the datapath, and the image the second.
//!
//! Windows of a first operand begin at even bytes only. Those of the second begin at any pair of bytes, per four lanes.
//! So four lanes share eight bytes of the image, and each multiplies them with shifted coefficients: lane `l` takes
//! coefficient `i − l` for byte `i`. The coefficients come from a table that holds each row of the filter twice, a byte
//! apart. Its pair `m` is coefficients `m` and `m − 1`, for an even lane and the next odd one. Lanes two further on
//! read two pairs earlier. All sixteen lanes make adjacent outputs, and a row of up to five coefficients is one
//! operation. The table stays in registers if the widest operand holds it. (UG1079, "MAC on 8x8 bits".)

use super::super::body::{Body, Origin, Place, Product, Sum, Use, Vector};
use super::super::lower::Held;
use super::placing::tile;
use super::plan::{Inapplicable, Plan};
use crate::backend::vector::machine::{Address, Mode, Role, VliwMachine};
use crate::backend::vector::schedule::{Infeasible, row_pitch};
use crate::backend::vector::workload::{Dim, Layout, Operand, TensorPlacements, Weights, Workload};

/// The number of lanes that share a window.
const GROUP: usize = 4;
/// The bytes of a window, one per column of the datapath.
const WINDOW: usize = 8;
/// The bytes of a granule: two pairs.
const GRANULE: usize = 4;
/// The granules of the table that an operation reads.
const GRANULES: usize = 5;
/// The number of coefficient vectors that stay in registers if the whole table does not fit.
const KEPT: usize = 4;

/// A granule of the table, for each output channel.
type Granule = Vec<[i64; GRANULE]>;

/// The part of the filter that an operation multiplies: input channel, plane, row, and number of the window along the row.
type Chunk = [usize; 4];

/// The coefficients in the order in which the operations read them.
struct Table {
    granules: Vec<Granule>,
    /// The start of each operation's part, in granules. `None` if all its coefficients are zero.
    starts: Vec<Option<usize>>,
    /// Whether the whole table stays in registers.
    kept: bool,
}

pub(super) fn body(
    machine: &VliwMachine,
    workload: &Workload,
    plan: Plan,
) -> Result<(Body, TensorPlacements), Inapplicable> {
    let mode = applicable(machine, workload, plan)?;
    let element = workload.element;
    let [width, height, depth, outputs] = workload.output;
    let windows = (workload.filter[0] + GROUP - 1).div_ceil(WINDOW);
    let chunks = chunks(workload, windows);
    let per_vector = machine.per_vector(element);
    let widest = machine.buffers.iter().map(|(_, parts)| parts.len()).max().unwrap_or(0);
    let table = Table::new(workload, &chunks, per_vector / GRANULE, widest);
    // Loads of whole vectors reach beyond the last window.
    let pitch = row_pitch(machine, workload)?;
    let slack = (windows.div_ceil(2) + 1) * mode.lanes;
    let mut placed = tensors(workload, pitch, slack);
    let values = table.values(per_vector);
    let length = values.len();
    let role = weights_role(workload, values, &mut placed);
    let row = [(Dim::Y, height / plan.rows), (Dim::X, width / mode.lanes)];
    let around = [(Dim::K, outputs), (Dim::Z, depth)].into_iter().filter(|(_, count)| *count > 1);
    let loops: Vec<(Dim, usize)> = around.chain(row).collect();
    let body = Body::empty(workload, mode, &placed, (role, length), &loops);
    let loops = loops[..loops.len() - 1].iter().map(|(dim, _)| *dim).collect();
    let of_output = length / outputs;
    let mut builder = Builder {
        workload,
        placed: &placed,
        mode,
        plan,
        table,
        body,
        loops,
        of_output,
        per_vector,
        table_vectors: Vec::new(),
        held: Held::new(KEPT),
    };
    builder.build(windows);
    let Builder { body, .. } = builder;
    Ok((body, placed))
}

/// The parts of the filter that the operations multiply, in order.
fn chunks(workload: &Workload, windows: usize) -> Vec<Chunk> {
    let [_, rows, planes, inputs] = workload.filter;
    let chunk = |i: usize| {
        let (row, window) = (i / windows, i % windows);
        [row / (planes * rows), row / rows % planes, row % rows, window]
    };
    (0..inputs * planes * rows * windows).map(chunk).collect()
}

/// The table as constants, or as run-time weights in its order.
fn weights_role(workload: &Workload, values: Vec<i64>, placed: &mut TensorPlacements) -> Role {
    if matches!(workload.weights, Weights::Known(_)) {
        return Role::Constants(values);
    }
    let taps = workload.output[3] * workload.filter.iter().product::<usize>();
    let (places, copies) = places(&values, taps);
    placed.weights = placed.weights.clone().permuted(places, values.len());
    placed.copies = copies;
    Role::Weights
}

/// The mode for bytes by bytes, if the form applies to the workload.
fn applicable<'a>(
    machine: &'a VliwMachine,
    workload: &Workload,
    plan: Plan,
) -> Result<&'a Mode, Inapplicable> {
    let element = workload.element;
    let [columns, rows, planes, inputs] = workload.filter;
    let mode = machine.mode_for(element).ok_or(Infeasible::NoMode { element })?;
    if mode.columns != WINDOW || mode.lanes_of_a_group() != Some(GROUP) {
        return Err(Inapplicable::NotBytes(element));
    }
    if let Some(large) = workload.beyond(element) {
        return Err(Inapplicable::Coefficient(large, element));
    }
    tile(workload, mode.lanes, plan.rows)?;
    Infeasible::accumulators(mode, workload.reach())?;
    let operations = plan.rows * columns.div_ceil(WINDOW) * rows * planes * inputs;
    if operations > machine.program_memory {
        return Err(Infeasible::TooLong { multiplies: operations, most: machine.program_memory }.into());
    }
    Ok(mode)
}

/// The layout of the tensors. The image is in rows of `pitch` elements, with `slack` after the last.
fn tensors(workload: &Workload, pitch: usize, slack: usize) -> TensorPlacements {
    let place = |layout: &str, [x, y, z, channels]: [usize; 4], after: usize| {
        let layout: Layout = layout.parse().expect("a layout of four dimensions");
        let extent = |dim| match dim {
            Dim::X => x,
            Dim::Y => y,
            Dim::Z => z,
            _ => channels,
        };
        layout.place(extent, &[], 1).within(0, after)
    };
    let weights: Layout = "KCTSR".parse().expect("a layout of five dimensions");
    let [_, in_height, in_depth, channels] = workload.input;
    TensorPlacements {
        output: place("KZYX", workload.output, 0),
        weights: weights.place(|dim| workload.extent(dim), &[], 1),
        input: place("CZYX", [pitch, in_height, in_depth, channels], slack),
        depth_wise: workload.depth_wise,
        padded_columns: workload.filter[0],
        slack: 0,
        copies: Vec::new(),
    }
}

impl Table {
    fn new(workload: &Workload, chunks: &[Chunk], in_vector: usize, widest: usize) -> Self {
        let [columns, rows, planes, inputs] = workload.filter;
        let outputs = workload.output[3];
        let coefficient = |[c, t, s, _]: Chunk, column: i64, k: usize| -> i64 {
            let Some(r) = usize::try_from(column).ok().filter(|r| *r < columns) else { return 0 };
            let number = (((k * inputs + c) * planes + t) * rows + s) * columns + r;
            // Run-time coefficients are numbered from one.
            workload.weight([r, s, t, c], k).unwrap_or(number as i64 + 1)
        };
        let granule = |chunk: Chunk, at: usize| -> Granule {
            let first = (chunk[3] * WINDOW + 2 * at) as i64 - 2;
            (0..outputs).map(|k| [0, -1, 1, 0].map(|by| coefficient(chunk, first + by, k))).collect()
        };
        let of_chunks: Vec<Vec<Granule>> =
            chunks.iter().map(|chunk| (0..GRANULES).map(|at| granule(*chunk, at)).collect()).collect();
        let used = |of: &[Granule]| of.iter().flatten().flatten().any(|c| *c != 0);
        let mut granules: Vec<Granule> = Vec::new();
        let mut starts = Vec::new();
        for of in &of_chunks {
            starts.push(used(of).then(|| append(&mut granules, of)));
        }
        if granules.is_empty() {
            // A filter of zeros.
            starts[0] = Some(append(&mut granules, &of_chunks[0]));
        }
        let kept = granules.len() <= widest * in_vector;
        if !kept {
            // Each part gets its own vector.
            let mut listed: Vec<&Vec<Granule>> = Vec::new();
            for (of, start) in of_chunks.iter().zip(&mut starts).filter(|(_, start)| start.is_some()) {
                let at = listed.iter().position(|other| *other == of).unwrap_or_else(|| {
                    listed.push(of);
                    listed.len() - 1
                });
                *start = Some(at * in_vector);
            }
            let blank = vec![[0; GRANULE]; outputs];
            granules = listed
                .into_iter()
                .flat_map(|of| {
                    of.iter().cloned().chain(std::iter::repeat_n(blank.clone(), in_vector - GRANULES))
                })
                .collect();
        }
        Self { granules, starts, kept }
    }

    /// The contents of memory: whole vectors for each output channel, one channel after the other.
    fn values(&self, per_vector: usize) -> Vec<i64> {
        let length = (self.granules.len() * GRANULE).next_multiple_of(per_vector);
        let outputs = self.granules.first().map_or(0, Vec::len);
        let mut values = vec![0; length * outputs];
        for (at, granule) in self.granules.iter().enumerate() {
            for (k, bytes) in granule.iter().enumerate() {
                values[k * length + at * GRANULE..][..GRANULE].copy_from_slice(bytes);
            }
        }
        values
    }
}

/// Returns the start of a part in the table, appending whatever the table does not hold yet.
fn append(table: &mut Vec<Granule>, part: &[Granule]) -> usize {
    if let Some(at) = table.windows(part.len()).position(|window| window == part) {
        return at;
    }
    let shared = (0..part.len()).rev().find(|n| table.ends_with(&part[..*n])).unwrap_or(0);
    table.extend_from_slice(&part[shared..]);
    table.len() - part.len()
}

/// The first place of each numbered coefficient, and its other places paired with the first.
fn places(values: &[i64], count: usize) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut first: Vec<Option<usize>> = vec![None; count];
    let mut copies = Vec::new();
    for (place, number) in values.iter().enumerate().filter(|(_, number)| **number > 0) {
        match first[*number as usize - 1] {
            None => first[*number as usize - 1] = Some(place),
            Some(of) => copies.push((place, of)),
        }
    }
    (first.into_iter().map(|place| place.unwrap_or(0)).collect(), copies)
}

struct Builder<'b> {
    workload: &'b Workload,
    placed: &'b TensorPlacements,
    mode: &'b Mode,
    plan: Plan,
    table: Table,
    body: Body,
    /// The loops around the innermost one.
    loops: Vec<Dim>,
    /// The number of table elements per output channel.
    of_output: usize,
    per_vector: usize,
    /// The vectors of a table that stays in registers.
    table_vectors: Vec<usize>,
    held: Held,
}

impl Builder<'_> {
    fn build(&mut self, windows: usize) {
        if self.table.kept {
            let vectors = self.of_output / self.per_vector;
            self.table_vectors = (0..vectors).map(|vector| self.coefficients(vector, true)).collect();
        }
        for output in 0..self.plan.rows {
            self.body.vectors.push(Vector::new(Origin::Sum(output), Use::Result));
            let (shift, vector) = (self.workload.shift, self.body.vectors.len() - 1);
            let offset = self.placed.output.index(|dim| if dim == Dim::Y { output } else { 0 });
            let at = self.address(Operand::Output, offset, 0);
            self.body.sums.push(Sum { shift, vector, store: Some(at), continues: None, widened: None });
        }
        let [_, rows, planes, inputs] = self.workload.filter;
        for (channel, plane) in (0..inputs * planes).map(|i| (i / planes, i % planes)) {
            for row in 0..rows + self.plan.rows - 1 {
                for vector in 0..windows.div_ceil(2) {
                    self.row([channel, plane, row], vector, windows);
                }
            }
        }
    }

    /// Adds the operations that take a vector of an image row, which holds two windows of each group of lanes.
    fn row(&mut self, [channel, plane, row]: [usize; 3], vector: usize, windows: usize) {
        let [_, rows, planes, _] = self.workload.filter;
        let mut loaded = None;
        for output in (0..self.plan.rows).filter(|output| (*output..output + rows).contains(&row)) {
            for window in (2 * vector..windows).take(2) {
                let line = (channel * planes + plane) * rows + row - output;
                let Some(start) = self.table.starts[line * windows + window] else { continue };
                let z = *loaded.get_or_insert_with(|| {
                    let offset = self.placed.input.index(|dim| match dim {
                        Dim::X => vector * self.mode.lanes,
                        Dim::Y => row,
                        Dim::Z => plane,
                        Dim::C => channel,
                        _ => 0,
                    });
                    let at = self.address(Operand::Input, offset, row % self.plan.pointers);
                    self.body.vectors.push(Vector::new(Origin::Memory(at), Use::Coefficient));
                    self.body.vectors.len() - 1
                });
                let x = (0..self.mode.lanes).map(|lane| self.places(start, lane)).collect();
                let first = window % 2 * WINDOW;
                let z_elements = (first..first + WINDOW).collect();
                self.body.products.push(Product { sum: output, x, y: None, z, z_elements, z_apart: GROUP });
            }
        }
    }

    /// The bytes of the table that a lane multiplies with its window, for an operation whose part begins at `start`.
    fn places(&mut self, start: usize, lane: usize) -> Vec<Place> {
        let (pair, part) = (lane % GROUP / 2, lane % 2);
        let place = |builder: &mut Self, column: usize| {
            let byte = GRANULE * (start + 1) + 2 * column + part - 2 * 2 * pair;
            let at = byte / builder.per_vector;
            let vector = match builder.table_vectors.get(at) {
                Some(vector) => *vector,
                None => builder.held(at),
            };
            Place { vector, back: 0, element: byte % builder.per_vector }
        };
        (0..WINDOW).map(|column| place(self, column)).collect()
    }

    /// A vector of the table that is loaded in every iteration.
    fn held(&mut self, at: usize) -> usize {
        let mut held = std::mem::replace(&mut self.held, Held::new(KEPT));
        let vector = held.hold(at, || self.coefficients(at, false));
        self.held = held;
        vector
    }

    fn coefficients(&mut self, vector: usize, stays: bool) -> usize {
        let at = self.address(Operand::Weights, vector * self.per_vector, 0);
        let at = Address { step: 0, ..at };
        let origin = if stays { Origin::Resident(at) } else { Origin::Memory(at) };
        self.body.vectors.push(Vector::new(origin, Use::Data));
        self.body.vectors.len() - 1
    }

    /// An address with the strides of the loops.
    fn address(&self, which: Operand, offset: usize, pointer: usize) -> Address {
        let stride = |dim: &Dim| {
            let by = if *dim == Dim::Y { self.plan.rows } else { 1 };
            let place = |by: usize| {
                let at = |d: Dim| if d == *dim { by } else { 0 };
                match which {
                    Operand::Output => self.placed.output.index(at),
                    Operand::Weights => at(Dim::K) * self.of_output,
                    // An output channel of a depth-wise convolution reads the input channel of the same number.
                    Operand::Input => self.placed.input.index(|d| match d {
                        Dim::C if self.workload.depth_wise => at(Dim::K),
                        d => at(d),
                    }),
                }
            };
            (place(by) - place(0)) as i64
        };
        let strides = self.loops.iter().map(stride).collect();
        Address {
            array: which as usize,
            pointer,
            offset: offset as i64,
            strides,
            step: self.mode.lanes as i64,
        }
    }
}

//! Separable filters in registers: sums of columns are rounded into registers and multiplied with the row from there.
//!
//! One iteration makes two vectors of column sums for each of its rows of outputs. The first one ends the window that the
//! last one of the iteration before began, so outputs lag one vector behind: the first and the last outputs of a row lie
//! outside it, in room that the output's rows leave for them.

use super::super::body::{Body, Origin, Place, Product, Sum, Use, Vector};
use super::kernel::mirrors;
use super::{Form, Inapplicable, Kernel, Plan, direct, placed, table};
use crate::target::vliw::{Address, Machine, Mode, PreAdd};
use crate::tensor::{Dim, Placed, Workload};

/// Vectors of column sums in one iteration: with two, each lives less than an iteration.
const BLOCKS: usize = 2;

pub(super) fn body(
    machine: &Machine,
    workload: &Workload,
    mode: &Mode,
    kernel: &Kernel,
    plan: Plan,
) -> Result<(Body, Placed), Inapplicable> {
    let (column, row) = kernel.factors().ok_or(Inapplicable::NotSeparable)?;
    let [width, height] = kernel.size();
    let lanes = mode.lanes;
    if lanes != machine.per_vector(workload.element) || width + mode.columns - 1 > lanes + 1 {
        return Err(Inapplicable::TooWide(width));
    }
    let folded = plan.form == Form::SeparableFolded;
    if folded && (!mirrors(&row) || mode.pre_add.is_none()) {
        return Err(Inapplicable::NoSymmetry);
    }
    let [least, greatest] = sums(&column, workload.range);
    let [low, high] = workload.element.range();
    if least < low || greatest > high {
        return Err(Inapplicable::Range { least, greatest });
    }
    let blocks = workload.output[0] / lanes;
    let iterations = (blocks + 1).div_ceil(BLOCKS);
    let pitch = (iterations * BLOCKS * lanes).max(workload.input[0].next_multiple_of(lanes));
    let placed = placed(workload, pitch, workload.output[0] + lanes, lanes);
    let mut body = direct::empty(workload, mode, &placed, plan.rows);
    body.inner.count = iterations;
    let mut builder = Builder { body: &mut body, plan, pitch, mode, lanes, height, tuples: Vec::new() };
    let blocks: Vec<Vec<usize>> = (0..BLOCKS).map(|block| builder.columns(block, &column)).collect();
    for (block, newest) in blocks.iter().enumerate() {
        let (before, back) = if block == 0 { (&blocks[BLOCKS - 1], 1) } else { (&blocks[block - 1], 0) };
        for (output, (newest, before)) in newest.iter().zip(before).enumerate() {
            builder.rows(&row, folded, (*before, back), *newest);
            builder.store(workload, &placed, block, output);
        }
    }
    let tuples = std::mem::take(&mut builder.tuples);
    for carried in &blocks[BLOCKS - 1] {
        // Any vector will do: what is made of it lies outside the output.
        let at = Address { array: 2, pointer: 0, offset: 0, strides: vec![0], step: 0 };
        body.vectors[*carried].initial = Some(at);
    }
    let alignment = (machine.alignment / workload.element.bytes()).max(1);
    table::place(&mut body, &tuples, lanes, machine.coefficients.len(), alignment);
    Ok((body, placed))
}

/// The least and the greatest sum of a column of inputs in a range.
fn sums(column: &[i64], range: [i64; 2]) -> [i64; 2] {
    let mut bounds = [0i64; 2];
    for coefficient in column {
        let ends = range.map(|end| end.saturating_mul(*coefficient));
        bounds[0] = bounds[0].saturating_add(ends[0].min(ends[1]));
        bounds[1] = bounds[1].saturating_add(ends[0].max(ends[1]));
    }
    bounds
}

struct Builder<'b> {
    body: &'b mut Body,
    plan: Plan,
    pitch: usize,
    mode: &'b Mode,
    lanes: usize,
    height: usize,
    tuples: Vec<Vec<i64>>,
}

impl Builder<'_> {
    /// Column sums of a block for all rows of outputs: the vector of each.
    fn columns(&mut self, block: usize, column: &[i64]) -> Vec<usize> {
        let rows: Vec<usize> = (0..self.height + self.plan.rows - 1)
            .map(|row| {
                let at = Address {
                    array: 2,
                    pointer: row % self.plan.pointers,
                    offset: (row * self.pitch + block * self.lanes) as i64,
                    strides: vec![(self.plan.rows * self.pitch) as i64],
                    step: (BLOCKS * self.lanes) as i64,
                };
                self.body.vectors.push(Vector::new(Origin::Memory(at), Use::Data));
                self.body.vectors.len() - 1
            })
            .collect();
        let first = self.body.sums.len();
        let made: Vec<usize> = (0..self.plan.rows)
            .map(|output| {
                self.body.vectors.push(Vector::new(Origin::Sum(first + output), Use::Data));
                let vector = self.body.vectors.len() - 1;
                self.body.sums.push(Sum { shift: 0, vector, store: None });
                vector
            })
            .collect();
        // By the last row that is read, so that rows are loaded as they come.
        let columns = self.mode.columns;
        for last in 0..self.height + self.plan.rows - 1 {
            for output in 0..self.plan.rows.min(last + 1) {
                let taken = (0..self.height)
                    .step_by(columns)
                    .find(|s| (s + columns - 1).min(self.height - 1) + output == last);
                let Some(start) = taken else { continue };
                let tap = |c: usize| (start + c).min(self.height - 1);
                let coefficients: Vec<i64> =
                    (0..columns).map(|c| column.get(start + c).copied().unwrap_or(0)).collect();
                if coefficients.iter().all(|c| *c == 0) {
                    continue;
                }
                let place =
                    |lane: usize, c: usize| Place { vector: rows[tap(c) + output], back: 0, element: lane };
                let x = (0..self.lanes).map(|lane| (0..columns).map(|c| place(lane, c)).collect()).collect();
                self.push(first + output, x, None, coefficients);
            }
        }
        made
    }

    fn push(&mut self, sum: usize, x: Vec<Vec<Place>>, y: Option<Vec<Vec<Place>>>, coefficients: Vec<i64>) {
        let y = y.map(|y| (y, PreAdd::Sum));
        self.body.products.push(Product { sum, x, y, z: 0, z_elements: Vec::new() });
        self.tuples.push(coefficients);
    }

    /// The sums of a row over the window of two vectors of column sums: one sum more.
    fn rows(&mut self, row: &[i64], folded: bool, before: (usize, usize), newest: usize) {
        let (lanes, columns, width) = (self.lanes, self.mode.columns, row.len());
        let sum = self.body.sums.len();
        let place = |at: usize| match at < lanes {
            true => Place { vector: before.0, back: before.1, element: at },
            false => Place { vector: newest, back: 0, element: at - lanes },
        };
        let window = |taps: &[usize]| -> Vec<Vec<Place>> {
            (0..lanes).map(|lane| taps.iter().map(|tap| place(lane + tap)).collect()).collect()
        };
        // With the pre-adder the second half of the row joins the first one, mirrored; what is in the middle is alone.
        let reach = if folded { width / 2 } else { width };
        for start in (0..reach).step_by(columns) {
            let taps: Vec<usize> = (start..start + columns).collect();
            let coefficient = |tap: &usize| if *tap < reach { row[*tap] } else { 0 };
            let coefficients: Vec<i64> = taps.iter().map(coefficient).collect();
            if coefficients.iter().all(|c| *c == 0) {
                continue;
            }
            let y = folded.then(|| {
                window(&taps.iter().map(|tap| (width - 1).saturating_sub(*tap)).collect::<Vec<_>>())
            });
            self.push(sum, window(&taps), y, coefficients);
        }
        if folded && width % 2 == 1 && row[reach] != 0 {
            let taps: Vec<usize> = (reach..reach + columns).collect();
            let coefficients = taps.iter().map(|tap| if *tap == reach { row[reach] } else { 0 }).collect();
            self.push(sum, window(&taps), None, coefficients);
        }
    }

    /// Stores the sum that was just made.
    fn store(&mut self, workload: &Workload, placed: &Placed, block: usize, output: usize) {
        let sum = self.body.sums.len();
        self.body.vectors.push(Vector::new(Origin::Sum(sum), Use::Result));
        let place = |row: usize| placed.output.index(|dim| if dim == Dim::Y { row } else { 0 }) as i64;
        let at = Address {
            array: 0,
            pointer: 0,
            offset: place(output) + (block as i64 - 1) * self.lanes as i64,
            strides: vec![place(self.plan.rows) - place(0)],
            step: (BLOCKS * self.lanes) as i64,
        };
        let vector = self.body.vectors.len() - 1;
        self.body.sums.push(Sum { shift: workload.shift, vector, store: Some(at) });
    }
}

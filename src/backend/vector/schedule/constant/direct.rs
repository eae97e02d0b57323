//! Direct forms: every coefficient is multiplied with a window of its row, or with the sum of two windows.

use super::super::body::{Body, Origin, Place, Product, Sum, Use, Vector, Widened};
use super::super::row_pitch;
use super::dot::{Line, powers, steps as line_steps};
use super::placing::placed;
use super::plan::{Form, Inapplicable, Plan};
use super::{Kernel, table};
use crate::backend::vector::machine::{Address, Mode, PreAdd, Role, VliwMachine};
use crate::backend::vector::workload::{Dim, Element, TensorPlacements, Weights, Workload};

/// A tap of an output: filter row, column, coefficient.
type Tap = (usize, usize, i64);

/// One operation of an output: a tap for each column of the datapath. With `mirror`, the mirrored row is combined first.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PackedTaps {
    taps: Vec<Tap>,
    mirror: Option<PreAdd>,
}

/// The operations of one output with coefficients of a type. Any excess takes further operations, without padding.
fn steps(
    kernel: &Kernel,
    element: Element,
    columns: usize,
    form: Form,
    mirror: Option<PreAdd>,
) -> Vec<PackedTaps> {
    let mut found = Vec::new();
    for (at, part) in kernel.parts(element).iter().enumerate() {
        let form = if at > 0 && form == Form::Padded { Form::Direct } else { form };
        found.extend(steps_of_part(part, element, columns, form, mirror));
    }
    found
}

/// The operations of a kernel, in the order of their last rows.
fn steps_of_part(
    kernel: &Kernel,
    element: Element,
    columns: usize,
    form: Form,
    mirror: Option<PreAdd>,
) -> Vec<PackedTaps> {
    let [width, height] = kernel.size();
    let mut found = Vec::new();
    let mut single: Vec<Tap> = Vec::new();
    let rows = if form == Form::Folded { height.div_ceil(2) } else { height };
    for row in 0..rows {
        let mirror = mirror.filter(|_| row != height - 1 - row);
        let step = |taps: Vec<Tap>| PackedTaps { taps, mirror };
        let coefficients = kernel.row(row);
        let at = |column: usize| (row, column, coefficients.get(column).copied().unwrap_or(0));
        if form == Form::Padded {
            found.extend((0..width).step_by(columns).map(|c| step((c..c + columns).map(at).collect())));
            continue;
        }
        if columns != 2 {
            let of_row = line_steps(coefficients, element, columns, Line::Window, None);
            let of_row =
                of_row.into_iter().map(|s| s.taps.into_iter().map(|(c, value)| (row, c, value)).collect());
            found.extend(of_row.map(step));
            continue;
        }
        let mut column = 0;
        while column < width {
            if at(column).2 == 0 {
                column += 1;
                continue;
            }
            let alone = at(column + 1).2 == 0;
            // An even column can share an operation with the same column of the next row.
            if !(alone && column.is_multiple_of(2) && mirror.is_none()) {
                found.push(step(vec![at(column), at(column + 1)]));
            } else {
                match single.iter().position(|tap| tap.1 == column && tap.0 + 1 == row) {
                    Some(other) => found.push(step(vec![single.remove(other), at(column)])),
                    None => single.push(at(column)),
                }
            }
            column += 2;
        }
    }
    found.extend(
        single.into_iter().map(|tap| PackedTaps { taps: vec![tap, (tap.0, tap.1 + 1, 0)], mirror: None }),
    );
    found
}

/// The operations of an output after a shift replaces one tap, if that saves any. The tap must be a power of two at the
/// first place of a vector. Also returns its row, its distance along the row in vectors, and the shift.
fn shifted(
    kernel: &Kernel,
    element: Element,
    columns: usize,
    per_vector: usize,
    all: Vec<PackedTaps>,
) -> (Option<[usize; 3]>, Vec<PackedTaps>) {
    let mut best = (None, all);
    for row in 0..kernel.size()[1] {
        let aligned = |(column, ..): &(usize, u32, i64)| column.is_multiple_of(per_vector);
        for (column, bits, rest) in powers(kernel.row(row), element).filter(aligned) {
            let steps = steps(&kernel.with(row, column, rest), element, columns, Form::Direct, None);
            if !steps.is_empty() && steps.len() < best.1.len() {
                best = (Some([row, column / per_vector, bits as usize]), steps);
            }
        }
    }
    best
}

pub(super) fn body(
    machine: &VliwMachine,
    workload: &Workload,
    mode: &Mode,
    kernel: &Kernel,
    plan: Plan,
) -> Result<(Body, TensorPlacements), Inapplicable> {
    let mirror = match plan.form {
        Form::Folded => {
            let wanted = |how: &PreAdd| plan.combines(*how) && mode.combines(*how);
            Some(kernel.mirror().filter(wanted).ok_or(Inapplicable::NoSymmetry)?)
        }
        _ => None,
    };
    let per_vector = machine.per_vector(workload.element);
    let [width, height] = kernel.size();
    // A window reaches one column further if columns of the datapath are paired.
    let window = (mode.lanes + width - 2 + mode.columns).div_ceil(per_vector);
    let widest = machine.buffers.iter().map(|(_, parts)| parts.len()).max().unwrap_or(0);
    if window > widest {
        return Err(Inapplicable::TooWide(width));
    }
    let pitch = row_pitch(machine, workload)?;
    let mut placed = placed(workload, pitch, workload.output[0], 2 * per_vector);
    let steps = match workload.weights {
        Weights::Known(_) => steps(kernel, mode.z, mode.columns, plan.form, mirror),
        // These coefficients are tap numbers.
        Weights::RunTime => steps_of_part(kernel, mode.z, mode.columns, plan.form, mirror),
    };
    let (widened, steps) = match plan.shifted {
        true => shifted(kernel, mode.z, mode.columns, per_vector, steps),
        false => (None, steps),
    };
    if plan.shifted && widened.is_none() {
        return Err(Inapplicable::NoShift);
    }
    let [columns_of_tile, rows_of_tile, ..] = workload.output;
    let loops = [(Dim::Y, rows_of_tile / plan.rows), (Dim::X, columns_of_tile / mode.lanes)];
    let mut body = Body::empty(workload, mode, &placed, (Role::Constants(Vec::new()), 0), &loops);
    let mut builder = Builder { body: &mut body, plan, pitch, per_vector, window, lanes: mode.lanes };
    let tuples = if plan.form == Form::Folded {
        builder.one_output_after_the_other(&steps, height)
    } else {
        builder.one_row_after_the_other(&steps, height)
    };
    builder.sums(workload, &placed, widened);
    let room = machine.coefficients.len();
    if workload.weights == Weights::RunTime {
        let places = table::place_run_time(&mut body, &tuples, per_vector, room);
        let length = body.arrays[1].length;
        placed.weights = placed.weights.permuted(places, length);
        return Ok((body, placed));
    }
    let alignment = (machine.alignment / mode.z.bytes()).max(1);
    table::place(&mut body, &tuples, machine.per_vector(mode.z), room, alignment)?;
    Ok((body, placed))
}

struct Builder<'b> {
    body: &'b mut Body,
    plan: Plan,
    pitch: usize,
    per_vector: usize,
    /// The number of vectors of a window.
    window: usize,
    lanes: usize,
}

impl Builder<'_> {
    /// Loads the window of an input row through a pointer. Returns the number of its first vector.
    fn load(&mut self, row: usize, pointer: usize) -> usize {
        let first = self.body.vectors.len();
        for part in 0..self.window {
            let at = Address {
                array: 2,
                pointer: pointer % self.plan.pointers,
                offset: (row * self.pitch + part * self.per_vector) as i64,
                strides: vec![(self.plan.rows * self.pitch) as i64],
                step: self.lanes as i64,
            };
            self.body.vectors.push(Vector::new(Origin::Memory(at), Use::Data));
        }
        first
    }

    fn places(&self, taps: &[Tap], window: impl Fn(usize) -> usize) -> Vec<Vec<Place>> {
        let place = |lane: usize, tap: &Tap| {
            let at = lane + tap.1;
            Place { vector: window(tap.0) + at / self.per_vector, back: 0, element: at % self.per_vector }
        };
        (0..self.lanes).map(|lane| taps.iter().map(|tap| place(lane, tap)).collect()).collect()
    }

    fn push(
        &mut self,
        output: usize,
        step: &PackedTaps,
        window: impl Fn(usize) -> usize + Copy,
        height: usize,
    ) -> Vec<i64> {
        let x = self.places(&step.taps, window);
        let mirrored = |how| (self.places(&step.taps, |row| window(height - 1 - row)), how);
        let y = step.mirror.map(mirrored);
        self.body.products.push(Product { sum: output, x, y, z: 0, z_elements: Vec::new(), z_apart: 0 });
        step.taps.iter().map(|tap| tap.2).collect()
    }

    /// Loads each input row once, for all outputs of the iteration.
    fn one_row_after_the_other(&mut self, steps: &[PackedTaps], height: usize) -> Vec<Vec<i64>> {
        let mut windows: Vec<usize> = Vec::new();
        let mut tuples = Vec::new();
        for row in 0..height + self.plan.rows - 1 {
            let first = self.load(row, row);
            windows.push(first);
            for output in 0..self.plan.rows.min(row + 1) {
                let last = |step: &PackedTaps| step.taps.iter().map(|tap| tap.0).max().unwrap_or(0);
                for step in steps.iter().filter(|step| last(step) + output == row) {
                    let window = |tap_row: usize| windows[tap_row + output];
                    tuples.push(self.push(output, step, window, height));
                }
            }
        }
        tuples
    }

    /// Makes the outputs one by one, each with its rows from the outermost pair to the middle.
    fn one_output_after_the_other(&mut self, steps: &[PackedTaps], height: usize) -> Vec<Vec<i64>> {
        let mut tuples = Vec::new();
        for output in 0..self.plan.rows {
            let mut windows = vec![None; height];
            for row in 0..height.div_ceil(2) {
                for row in [row, height - 1 - row] {
                    if windows[row].is_none() {
                        // A row and its mirror row are needed at once.
                        windows[row] = Some(self.load(row + output, usize::from(row >= height / 2)));
                    }
                }
                for step in steps.iter().filter(|step| step.taps[0].0 == row) {
                    let window = |tap_row: usize| windows[tap_row].unwrap_or(0);
                    tuples.push(self.push(output, step, window, height));
                }
            }
        }
        tuples
    }

    fn sums(&mut self, workload: &Workload, placed: &TensorPlacements, widened: Option<[usize; 3]>) {
        for output in 0..self.plan.rows {
            // The windows of rows were loaded first, in order.
            let widened = widened.map(|[row, part, bits]| Widened {
                vector: (row + output) * self.window + part,
                back: 0,
                shift: bits as u32,
            });
            self.body.vectors.push(Vector::new(Origin::Sum(output), Use::Result));
            let place = |row: usize| placed.output.index(|dim| if dim == Dim::Y { row } else { 0 }) as i64;
            let at = Address {
                array: 0,
                pointer: 0,
                offset: place(output),
                strides: vec![place(self.plan.rows) - place(0)],
                step: self.lanes as i64,
            };
            let vector = self.body.vectors.len() - 1;
            self.body.sums.push(Sum {
                shift: workload.shift,
                vector,
                store: Some(at),
                continues: None,
                widened,
            });
        }
    }
}

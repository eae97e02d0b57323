//! Lowers a workload and a schedule to a body, as Vyasa does: unroll, triplets, covers of connected components, fusion.

use super::Infeasible;
use super::body::{Body, Origin, Place, Product, Sum, Use, Vector};
use super::triplet::{Cover, Fused, Tensors, covers, fuse, scalar_covers, triplets};
use crate::backend::vector::machine::{Address, Mode, Role, VliwMachine};
use crate::backend::vector::workload::{
    At, Dim, Operand, Placement, Schedule, TensorPlacements, Weights, Workload,
};

const OUTPUT: Operand = Operand::Output;
const WEIGHTS: Operand = Operand::Weights;
const INPUT: Operand = Operand::Input;

/// The placement of a workload's tensors for a schedule on a machine.
///
/// # Errors
/// The machine does not multiply such elements.
pub fn tensors(
    machine: &VliwMachine,
    workload: &Workload,
    schedule: &Schedule,
) -> Result<TensorPlacements, Infeasible> {
    let mode = mode(machine, workload)?;
    let alignment = (machine.alignment / workload.element.bytes()).max(1);
    let layouts = &schedule.layouts;
    let input_extent = |dim| match dim {
        Dim::X => workload.input[0],
        Dim::Y => workload.input[1],
        Dim::Z => workload.input[2],
        Dim::C => workload.input[3],
        _ => 1,
    };
    let rows = [Dim::Y, Dim::Z, Dim::K, Dim::C];
    let output = layouts.output.place(|dim| workload.extent(dim), &rows, alignment);
    let input = layouts.input.place(input_extent, &[Dim::Y, Dim::Z], alignment);
    let closest = layouts.input.place(input_extent, &[], 1);
    if workload.laid_out && closest != input {
        return Err(Infeasible::Rows { elements: workload.input[0], alignment });
    }
    let plain = layouts.weights.place(|dim| workload.extent(dim), &[Dim::K], alignment);
    let step = |placement: &Placement, dim| placement.index(|d| usize::from(d == dim));
    // For bytes, the columns are channels: one row of weights per column, each as wide as the lanes of a vector.
    let apart = if mode.columns > 2 { mode.lanes } else { 1 };
    let by_channels = workload.filter[3].is_multiple_of(mode.columns)
        && step(&plain, Dim::C) == apart
        && step(&input, Dim::C) == 1;
    let columns = workload.filter[0];
    let padded_columns = if by_channels { columns } else { columns.next_multiple_of(mode.columns) };
    let padded = |dim| if dim == Dim::R { padded_columns } else { workload.extent(dim) };
    let weights = layouts.weights.place(padded, &[Dim::K], alignment);
    Ok(TensorPlacements {
        output,
        weights,
        input,
        depth_wise: workload.depth_wise,
        padded_columns,
        slack: 2 * machine.per_vector(workload.element),
        copies: Vec::new(),
    })
}

fn mode<'m>(machine: &'m VliwMachine, workload: &Workload) -> Result<&'m Mode, Infeasible> {
    machine.mode_for(workload.element).ok_or(Infeasible::NoMode { element: workload.element })
}

/// Returns the body of a workload with a schedule.
///
/// # Errors
/// The reason why the schedule has no body.
pub fn lower(machine: &VliwMachine, workload: &Workload, schedule: &Schedule) -> Result<Body, Infeasible> {
    let lowering = Lowering::new(machine, workload, schedule)?;
    let body = lowering.body()?;
    let alignment = (machine.alignment / workload.element.bytes()).max(1);
    let aligned = |at: &Address| {
        let parts = at.strides.iter().chain([&at.offset, &at.step]);
        parts.into_iter().all(|part| part.rem_euclid(alignment as i64) == 0)
    };
    let stores = body.sums.iter().filter_map(|sum| sum.store.as_ref());
    let loads = body.vectors.iter().filter_map(|vector| match &vector.origin {
        Origin::Memory(at) | Origin::Resident(at) => Some(at),
        Origin::Sum(_) => None,
    });
    match stores.chain(loads).find(|at| !aligned(at)) {
        Some(at) => Err(Infeasible::Unaligned { tensor: body.arrays[at.array].name.clone(), alignment }),
        None => Ok(body),
    }
}

struct Lowering<'a> {
    machine: &'a VliwMachine,
    workload: &'a Workload,
    schedule: &'a Schedule,
    mode: &'a Mode,
    tensor: TensorPlacements,
    /// Whether the lanes are columns of the image, not output channels.
    along_x: bool,
    loops: Vec<(Dim, usize, usize)>,
}

impl<'a> Lowering<'a> {
    fn new(
        machine: &'a VliwMachine,
        workload: &'a Workload,
        schedule: &'a Schedule,
    ) -> Result<Self, Infeasible> {
        let mode = mode(machine, workload)?;
        let tensor = tensors(machine, workload, schedule)?;
        if schedule.vector == Dim::K && workload.depth_wise {
            return Err(Infeasible::DepthWise);
        }
        if let Some(value) = workload.beyond(mode.z) {
            return Err(Infeasible::Coefficient { value, element: mode.z });
        }
        Infeasible::accumulators(mode, workload.reach())?;
        if schedule.vector != Dim::K && mode.columns > 2 {
            return Err(Infeasible::Windows { dim: schedule.vector });
        }
        let mut lowering = Self {
            machine,
            workload,
            schedule,
            mode,
            tensor,
            along_x: schedule.vector != Dim::K,
            loops: Vec::new(),
        };
        lowering.loops = lowering.nest()?;
        Ok(lowering)
    }

    /// The number of iterations of a loop that one iteration of the program performs.
    fn step(&self, dim: Dim) -> usize {
        let vector = if dim == self.schedule.vector { self.mode.lanes } else { 1 };
        self.schedule.unroll(dim) * vector
    }

    /// The remaining loops, outermost first: dimension, count, step. Loops that run once are dropped. The last is the innermost.
    fn nest(&self) -> Result<Vec<(Dim, usize, usize)>, Infeasible> {
        let mut loops = Vec::new();
        for dim in Dim::OUTPUT {
            let (extent, step) = (self.workload.extent(dim), self.step(dim));
            if !extent.is_multiple_of(step) {
                return Err(Infeasible::Uneven { dim, extent, step });
            }
        }
        for dim in &self.schedule.order {
            let (count, step) = (self.workload.extent(*dim) / self.step(*dim), self.step(*dim));
            if count > 1 {
                loops.push((*dim, count, step));
            }
        }
        if loops.is_empty() {
            loops.push((self.schedule.vector, 1, self.step(self.schedule.vector)));
        }
        Ok(loops)
    }

    /// The distance between lanes in a tensor, if it is constant.
    fn lane_stride(&self, which: Operand, tensor: &'static str) -> Result<usize, Infeasible> {
        let dim = self.schedule.vector;
        let place = |lane: usize| {
            let mut at = At::default();
            at[dim.index()] = lane;
            self.tensor.place(which, &at)
        };
        let stride = place(1) - place(0).min(place(1));
        let even = (0..self.mode.lanes).all(|lane| place(lane) == place(0) + lane * stride);
        if even && stride > 0 { Ok(stride) } else { Err(Infeasible::Stride { dim, tensor }) }
    }

    /// The coordinates of the outputs of one iteration, each the first lane of a vector.
    fn outputs(&self) -> Vec<At> {
        let mut found = vec![At::default()];
        for dim in Dim::OUTPUT {
            let lanes = if dim == self.schedule.vector { self.mode.lanes } else { 1 };
            found = found
                .into_iter()
                .flat_map(|at| {
                    (0..self.schedule.unroll(dim)).map(move |unrolled| {
                        let mut at = at;
                        at[dim.index()] = unrolled * lanes;
                        at
                    })
                })
                .collect();
        }
        found
    }

    fn taps(&self) -> Vec<At> {
        let mut found = vec![At::default()];
        for dim in [Dim::C, Dim::T, Dim::S, Dim::R] {
            let extent = if dim == Dim::R { self.tensor.padded_columns } else { self.workload.extent(dim) };
            found = found
                .into_iter()
                .flat_map(|at| {
                    (0..extent).map(move |i| {
                        let mut at = at;
                        at[dim.index()] = i;
                        at
                    })
                })
                .collect();
        }
        found
    }

    fn body(&self) -> Result<Body, Infeasible> {
        let (vector_tensor, scalar_tensor) = if self.along_x { (INPUT, WEIGHTS) } else { (WEIGHTS, INPUT) };
        let name = |which| if which == INPUT { "input" } else { "weights" };
        if self.lane_stride(OUTPUT, "output")? != 1 {
            return Err(Infeasible::Stride { dim: self.schedule.vector, tensor: "output" });
        }
        let lane_stride = self.lane_stride(vector_tensor, name(vector_tensor))?;
        let widest = self.machine.buffers.iter().map(|(_, parts)| parts.len()).max().unwrap_or(0);
        let tensors = Tensors {
            lanes: self.mode.lanes,
            columns: self.mode.columns,
            lane_stride,
            per_vector: self.machine.per_vector(self.workload.element),
            alignment: (self.machine.alignment / self.workload.element.bytes()).max(1),
            widest,
            joined: self.mode.columns > 2,
        };
        let outputs = self.outputs();
        let all = triplets(outputs.len(), &self.taps(), |output, tap: At| {
            let at: At = std::array::from_fn(|d| outputs[output][d] + tap[d]);
            (self.tensor.place(vector_tensor, &at), self.tensor.place(scalar_tensor, &at))
        });
        let most = self.machine.program_memory;
        if all.len() > most * tensors.columns {
            return Err(Infeasible::TooLong { multiplies: all.len() / tensors.columns, most });
        }
        let span = (tensors.lanes - 1) * lane_stride + 1;
        let vectors = covers(all.iter().map(|t| t.vector), span, &tensors)?;
        let scalars = scalar_covers(all.iter().map(|t| t.scalar), &tensors);
        let fused = fuse(&all, &vectors, &scalars, tensors.columns)?;
        if tensors.columns > 2 {
            // Coefficients come in pairs, from an even place on.
            let follow = |fused: &Fused| {
                let places = || fused.columns.iter().map(|t| t.scalar - scalars[fused.scalars].start);
                places().next().is_some_and(|first| {
                    first.is_multiple_of(2) && places().eq(first..first + tensors.columns)
                })
            };
            if !fused.iter().all(follow) {
                return Err(Infeasible::Apart { columns: tensors.columns });
            }
        }
        let mut builder = Builder { lowering: self, tensors, body: self.empty(), fused, outputs };
        builder.operands(vector_tensor, &vectors, scalar_tensor, &scalars);
        Ok(builder.body)
    }

    fn empty(&self) -> Body {
        let length = self.tensor.length(WEIGHTS);
        let loops: Vec<(Dim, usize)> = self.loops.iter().map(|(dim, count, _)| (*dim, *count)).collect();
        Body::empty(self.workload, self.mode, &self.tensor, (self.weights_role(length), length), &loops)
    }

    fn weights_role(&self, length: usize) -> Role {
        if self.workload.weights == Weights::RunTime {
            return Role::Weights;
        }
        let mut values = vec![0; length];
        let [rs, ss, ts, cs] = self.workload.filter;
        for (k, c, t, s) in nested(self.workload.output[3], cs, ts, ss) {
            for r in 0..rs {
                let place = self.tensor.weights.index(|dim| match dim {
                    Dim::R => r,
                    Dim::S => s,
                    Dim::T => t,
                    Dim::C => c,
                    Dim::K => k,
                    _ => 0,
                });
                values[place] = self.workload.weight([r, s, t, c], k).unwrap_or(0);
            }
        }
        Role::Constants(values)
    }

    /// The address of a place of the first iteration.
    fn address(&self, which: Operand, offset: usize) -> Address {
        let stride = |(dim, _, step): &(Dim, usize, usize)| {
            let mut at = At::default();
            at[dim.index()] = *step;
            self.tensor.place(which, &at) as i64 - self.tensor.place(which, &At::default()) as i64
        };
        let (inner, outer) = self.loops.split_last().expect("a nest has a loop");
        Address {
            array: which as usize,
            pointer: 0,
            offset: offset as i64,
            strides: outer.iter().map(stride).collect(),
            step: stride(inner),
        }
    }
}

/// All (k, c, t, s).
fn nested(ks: usize, cs: usize, ts: usize, ss: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    (0..ks * cs * ts * ss).map(move |i| (i / (cs * ts * ss), i / (ts * ss) % cs, i / ss % ts, i % ss))
}

/// Builds a body.
struct Builder<'a, 'l> {
    lowering: &'l Lowering<'a>,
    tensors: Tensors,
    body: Body,
    fused: Vec<Fused>,
    outputs: Vec<At>,
}

impl Builder<'_, '_> {
    fn operands(
        &mut self,
        vector_tensor: Operand,
        vectors: &[Cover],
        scalar_tensor: Operand,
        scalars: &[Cover],
    ) {
        let per_vector = self.tensors.per_vector;
        let mut data = Vec::new();
        for cover in vectors {
            data.push(self.body.vectors.len());
            for part in 0..cover.vectors {
                let at = self.lowering.address(vector_tensor, cover.start + part * per_vector);
                self.body.vectors.push(Vector::new(Origin::Memory(at), Use::Data));
            }
        }
        let first_coefficient = self.lowering.address(scalar_tensor, 0);
        let kept = first_coefficient.step == 0 && scalars.len() <= self.lowering.machine.coefficients.len();
        let mut held = Held::new(self.lowering.machine.coefficients.len());
        for fused in std::mem::take(&mut self.fused) {
            let cover = scalars[fused.scalars];
            let z = held.hold(fused.scalars, || {
                let at = self.lowering.address(scalar_tensor, cover.start);
                let origin = if kept { Origin::Resident(at) } else { Origin::Memory(at) };
                self.body.vectors.push(Vector::new(origin, Use::Coefficient));
                self.body.vectors.len() - 1
            });
            let base = vectors[fused.cover].start;
            let place = |from: usize| Place {
                vector: data[fused.cover] + (from - base) / per_vector,
                back: 0,
                element: (from - base) % per_vector,
            };
            let lane = |lane: usize| {
                fused.columns.iter().map(|t| place(t.vector + lane * self.tensors.lane_stride)).collect()
            };
            self.body.products.push(Product {
                sum: fused.output,
                x: (0..self.tensors.lanes).map(lane).collect(),
                y: None,
                z,
                z_elements: fused.columns.iter().map(|t| t.scalar - cover.start).collect(),
                z_apart: 0,
            });
        }
        for at in &self.outputs {
            let sum = self.body.sums.len();
            self.body.vectors.push(Vector::new(Origin::Sum(sum), Use::Result));
            let store = self.lowering.address(OUTPUT, self.lowering.tensor.place(OUTPUT, at));
            let shift = self.lowering.workload.shift;
            self.body.sums.push(Sum {
                shift,
                vector: self.body.vectors.len() - 1,
                store: Some(store),
                continues: None,
                widened: None,
            });
        }
    }
}

/// The coefficient vectors in registers: the most recently used ones.
pub(super) struct Held {
    room: usize,
    /// (cover, vector), the most recent last.
    recent: Vec<(usize, usize)>,
}

impl Held {
    /// Creates an empty set with room for `room` vectors.
    pub(super) fn new(room: usize) -> Self {
        Self { room, recent: Vec::new() }
    }

    /// Returns the vector of a cover: the one in a register, or a new one that replaces the least recently used.
    pub(super) fn hold(&mut self, cover: usize, load: impl FnOnce() -> usize) -> usize {
        let found = match self.recent.iter().position(|(c, _)| *c == cover) {
            Some(at) => self.recent.remove(at).1,
            None => {
                if self.recent.len() == self.room {
                    self.recent.remove(0);
                }
                load()
            }
        };
        self.recent.push((cover, found));
        found
    }
}

//! The core: its registers, its memory, and the bundles that change them cycle by cycle.

use super::{Datum, Fault};
use crate::backend::vector::machine::{
    Access, Address, Array, Kind, Mode, Multiply, Operation, PreAdd, Program, Role, Selection, Stage, Timed,
    VliwMachine,
};
use crate::backend::vector::workload::Element;

/// The cycle breakdown of a run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// All cycles.
    pub cycles: usize,
    /// Cycles of the call and of loop set-ups.
    pub set_up: usize,
    /// Cycles in which a pipelined loop fills or empties.
    pub ramps: usize,
    /// Cycles of pipelined loops without a multiplication, ramps included.
    pub idle: usize,
    /// The number of multiply-accumulate operations.
    pub multiplies: usize,
    /// The number of vector loads.
    pub loads: usize,
    /// The number of operations in the store slot.
    pub stores: usize,
    /// Cycles in which accesses waited for a bank.
    pub bank_stalls: usize,
}

/// The contents of a vector register. The type gives the bits of each element.
#[derive(Clone)]
struct Elements<D> {
    element: Element,
    values: Vec<D>,
}

/// A change that has not reached its register yet.
enum Pending<D> {
    Vector(usize, Elements<D>),
    Sum { accumulator: usize, begins: bool, products: Vec<D> },
}

/// An operation with the data that is constant between executions.
struct Decoded<'a> {
    timed: &'a Timed,
    /// For multiplications: the (vector register, element) of each lane and column, lane by lane; those of the second
    /// selection; and the elements of the coefficients.
    x: Vec<(usize, usize)>,
    y: Vec<(usize, usize)>,
    z: Vec<usize>,
}

pub(super) struct Core<'a, D> {
    pub(super) machine: &'a VliwMachine,
    pub(super) program: &'a Program,
    pub(super) mode: &'a Mode,
    memory: Vec<Vec<D>>,
    vectors: Vec<Option<Elements<D>>>,
    accumulators: Vec<Option<Vec<D>>>,
    pending: Vec<Vec<Pending<D>>>,
    /// The accesses of the bundle so far.
    accesses: Vec<Access>,
    pub(super) cycle: usize,
    counts: Counts,
}

/// Runs a program. `memory` holds its arrays, before and after. Constants of the program are put in place first. Checks
/// that the contents of arrays and registers fit their types.
///
/// # Errors
/// The first operation that the machine cannot do.
pub fn run<D: Datum>(
    machine: &VliwMachine,
    program: &Program,
    memory: &mut Vec<Vec<D>>,
) -> Result<Counts, Fault> {
    let mode = machine.mode(&program.mode).ok_or_else(|| Fault::NoMode { mode: program.mode.clone() })?;
    for (array, content) in program.arrays.iter().zip(memory.iter_mut()) {
        if let Role::Constants(values) = &array.role {
            *content = values.iter().map(|value| D::constant(*value)).collect();
        }
        content.resize(array.length, D::zero());
        typed(array, 0, content, 0)?;
    }
    let latencies =
        [&machine.load, &machine.multiply, &machine.round, &machine.widen].map(|timing| timing.latency);
    let latest = latencies.into_iter().max().unwrap_or(0) + 1;
    let mut core = Core {
        machine,
        program,
        mode,
        memory: std::mem::take(memory),
        vectors: vec![None; machine.vectors.len()],
        accumulators: vec![None; machine.accumulators.len()],
        pending: (0..latest).map(|_| Vec::new()).collect(),
        accesses: Vec::new(),
        cycle: 0,
        counts: Counts::default(),
    };
    let result = core.nest();
    *memory = core.memory;
    result.map(|()| core.counts)
}

/// Checks that values in an array, from an index on, are elements of its type.
fn typed<D: Datum>(array: &Array, first: usize, values: &[D], cycle: usize) -> Result<(), Fault> {
    let element = array.element;
    match values.iter().position(|value| !value.within(element)) {
        None => Ok(()),
        Some(at) => Err(Fault::TooWide {
            cycle,
            array: array.name.clone(),
            index: first + at,
            element,
            value: values[at].to_string(),
        }),
    }
}

impl<D: Datum> Core<'_, D> {
    fn nest(&mut self) -> Result<(), Fault> {
        let (program, machine) = (self.program, self.machine);
        self.check_places()?;
        let bundles = program.bundles();
        let decoded: Vec<Decoded<'_>> =
            program.body.iter().map(|timed| self.decode(timed)).collect::<Result<_, _>>()?;
        self.check_bundles(bundles.issued().take(bundles.count() + 1).map(|(_, bundle)| &bundle[..]))?;
        self.check_bundles(bundles.epilogue.iter().map(|bundle| &bundle[..]))?;
        self.advance(machine.call)?;
        self.counts.set_up += machine.call;
        let mut indices = vec![0; program.outer.len()];
        for _ in 0..program.entries() {
            self.set_up(&indices)?;
            let mut executed = vec![0usize; program.body.len()];
            for (stage, bundle) in bundles.issued() {
                let mut multiplied = false;
                for index in bundle {
                    let decoded = &decoded[*index];
                    multiplied |= decoded.timed.operation.kind() == Kind::Multiply;
                    self.execute(decoded, &indices, executed[*index])?;
                    executed[*index] += 1;
                }
                self.wait_for_banks();
                self.counts.ramps += usize::from(stage != Stage::Kernel);
                self.counts.idle += usize::from(!multiplied);
                self.advance(1)?;
            }
            self.next_entry(&mut indices);
        }
        self.counts.cycles = self.cycle + self.counts.bank_stalls;
        self.advance(self.pending.len())
    }

    /// Issues the loads of the set-up, one per cycle. The loop begins when the last has arrived.
    fn set_up(&mut self, indices: &[usize]) -> Result<(), Fault> {
        let program = self.program;
        let cycles = program.set_up(self.machine);
        for (cycle, operation) in program.resident.iter().enumerate() {
            debug_assert!(
                cycle + self.machine.load.latency <= cycles,
                "the set-up is as long as its loads take"
            );
            let timed = Timed { operation: operation.clone(), time: 0, slot: self.machine.load.slots[0] };
            let decoded = self.decode(&timed)?;
            self.execute(&decoded, indices, 0)?;
            self.wait_for_banks();
            self.advance(1)?;
        }
        self.counts.set_up += cycles;
        self.advance(cycles - program.resident.len())
    }

    /// Counts the cycles in which accesses wait for banks. The whole core waits with them, so nothing else changes.
    fn wait_for_banks(&mut self) {
        if let Some(banks) = &self.machine.banks {
            self.counts.bank_stalls += banks.stalls(&self.accesses);
        }
        self.accesses.clear();
    }

    fn next_entry(&self, indices: &mut [usize]) {
        for (index, counted) in indices.iter_mut().zip(&self.program.outer).rev() {
            *index += 1;
            if *index < counted.count {
                return;
            }
            *index = 0;
        }
    }

    fn decode<'t>(&self, timed: &'t Timed) -> Result<Decoded<'t>, Fault> {
        let Operation::Multiply(multiply) = &timed.operation else {
            return Ok(Decoded { timed, x: Vec::new(), y: Vec::new(), z: Vec::new() });
        };
        if !self.machine.coefficients.contains(&multiply.z) {
            let register = self.machine.vectors[multiply.z].clone();
            return Err(Fault::WrongRegister { cycle: self.cycle, register });
        }
        self.check_shape(multiply)?;
        let per_vector = self.machine.per_vector(self.mode.x);
        let places = |buffer: usize, selection: &Selection| -> Vec<(usize, usize)> {
            let parts = &self.machine.buffers[buffer].1;
            let length = parts.len() * per_vector;
            let place = |lane: usize, column: usize| {
                let at = selection.place(length, lane, column);
                (parts[at / per_vector], at % per_vector)
            };
            (0..self.mode.lanes)
                .flat_map(|lane| (0..self.mode.columns).map(move |c| (lane, c)))
                .map(|(l, c)| place(l, c))
                .collect()
        };
        let coefficients = self.machine.per_vector(self.mode.z);
        Ok(Decoded {
            timed,
            x: places(multiply.x, &multiply.selection),
            y: multiply.y.iter().flat_map(|(buffer, selection, _)| places(*buffer, selection)).collect(),
            z: (0..self.mode.lanes)
                .flat_map(|lane| {
                    let start = multiply.z_start + self.mode.further(multiply.z_offsets, lane);
                    (0..self.mode.columns).map(move |c| (start, c))
                })
                .map(|(start, c)| self.mode.coefficient(start, multiply.z_step, c) % coefficients)
                .collect(),
        })
    }

    /// The checked index of an access to some elements.
    fn place(
        &mut self,
        at: &Address,
        count: usize,
        indices: &[usize],
        iteration: usize,
    ) -> Result<usize, Fault> {
        let outer: i64 = at.strides.iter().zip(indices).map(|(stride, index)| stride * *index as i64).sum();
        let index = at.offset + outer + at.step * iteration as i64;
        let array = &self.program.arrays[at.array];
        let (bytes, count) = (array.element.bytes() as i64, count as i64);
        let (cycle, name) = (self.cycle, || array.name.clone());
        if index < 0 || index + count > array.length as i64 {
            return Err(Fault::Outside {
                cycle,
                array: name(),
                index,
                last: index + count - 1,
                length: array.length,
            });
        }
        if index * bytes % self.machine.alignment as i64 != 0 {
            return Err(Fault::Misaligned { cycle, array: name(), index });
        }
        if let Some(place) = self.program.places.get(at.array) {
            let address = place + (index * bytes) as usize;
            self.accesses.push(Access { address, bytes: (count * bytes) as usize });
        }
        Ok(index as usize)
    }

    fn vector(&self, register: usize, wanted: Element) -> Result<&Vec<D>, Fault> {
        let (cycle, name) = (self.cycle, || self.machine.vectors[register].clone());
        match &self.vectors[register] {
            None => Err(Fault::Unwritten { cycle, register: name() }),
            Some(held) if held.element != wanted => {
                Err(Fault::WrongType { cycle, register: name(), found: held.element, wanted })
            }
            Some(held) => Ok(&held.values),
        }
    }

    fn execute(&mut self, decoded: &Decoded<'_>, indices: &[usize], iteration: usize) -> Result<(), Fault> {
        match &decoded.timed.operation {
            Operation::Load { to, at } => {
                let element = self.program.arrays[at.array].element;
                let count = self.machine.per_vector(element);
                let from = self.place(at, count, indices, iteration)?;
                let values = self.memory[at.array][from..from + count].to_vec();
                self.counts.loads += 1;
                self.after(self.machine.load.latency, Pending::Vector(*to, Elements { element, values }));
            }
            Operation::Store { from, at } => {
                let array = &self.program.arrays[at.array];
                let value = self.vector(*from, array.element)?.clone();
                let to = self.place(at, value.len(), indices, iteration)?;
                typed(array, to, &value, self.cycle)?;
                self.counts.stores += 1;
                self.memory[at.array][to..to + value.len()].clone_from_slice(&value);
            }
            Operation::Round { to, from, shift, .. } => {
                let sum = self.accumulators[*from].as_ref().ok_or_else(|| Fault::Unwritten {
                    cycle: self.cycle,
                    register: self.machine.accumulators[*from].clone(),
                })?;
                let element = self.program.element;
                let values = sum.iter().map(|lane| lane.round(*shift, element)).collect();
                self.counts.stores += 1;
                self.after(self.machine.round.latency, Pending::Vector(*to, Elements { element, values }));
            }
            Operation::Widen { to, from, shift } => {
                let factor = D::constant(1 << shift);
                let widen = |lane: &D| {
                    let mut sum = D::zero();
                    sum.accumulate(lane, &factor);
                    sum
                };
                let products = self.vector(*from, self.program.element)?.iter().map(widen).collect();
                let sum = Pending::Sum { accumulator: *to, begins: true, products };
                self.after(self.machine.widen.latency, sum);
            }
            Operation::Multiply(multiply) => {
                let products = self.products(multiply, decoded)?;
                self.counts.multiplies += 1;
                let sum =
                    Pending::Sum { accumulator: multiply.accumulator, begins: multiply.begins, products };
                // The accumulator is read late: one cycle before the sum is written to it.
                debug_assert_eq!(self.machine.accumulate + 1, self.machine.multiply.latency);
                self.after(self.machine.multiply.latency, sum);
            }
            Operation::Move { .. } => {}
        }
        Ok(())
    }

    fn products(&self, multiply: &Multiply, decoded: &Decoded<'_>) -> Result<Vec<D>, Fault> {
        let z = self.vector(multiply.z, self.mode.z)?;
        let columns = self.mode.columns;
        let mut sums = vec![D::zero(); self.mode.lanes];
        for (at, (register, element)) in decoded.x.iter().enumerate() {
            let x = &self.vector(*register, self.mode.x)?[*element];
            let z = &z[decoded.z[at]];
            match decoded.y.get(at) {
                None => sums[at / columns].accumulate(x, z),
                Some((register, element)) => {
                    let y = &self.vector(*register, self.mode.x)?[*element];
                    let how = multiply.y.map_or(PreAdd::Sum, |(.., how)| how);
                    sums[at / columns].accumulate(&x.combine(y, how), z);
                }
            }
        }
        Ok(sums)
    }

    fn after(&mut self, latency: usize, pending: Pending<D>) {
        let at = (self.cycle + latency) % self.pending.len();
        self.pending[at].push(pending);
    }

    /// Advances by some cycles. Pending changes reach their registers at the beginning of their cycle.
    fn advance(&mut self, cycles: usize) -> Result<(), Fault> {
        for _ in 0..cycles {
            self.cycle += 1;
            let at = self.cycle % self.pending.len();
            let mut written: Vec<usize> = Vec::new();
            for pending in std::mem::take(&mut self.pending[at]) {
                match pending {
                    Pending::Vector(register, value) => {
                        if written.contains(&register) {
                            let register = self.machine.vectors[register].clone();
                            return Err(Fault::WriteConflict { cycle: self.cycle, register });
                        }
                        written.push(register);
                        self.vectors[register] = Some(value);
                    }
                    Pending::Sum { accumulator, begins, products } => {
                        self.sum(accumulator, begins, products)?
                    }
                }
            }
        }
        Ok(())
    }

    fn sum(&mut self, accumulator: usize, begins: bool, products: Vec<D>) -> Result<(), Fault> {
        let name = || self.machine.accumulators[accumulator].clone();
        let sum = match (begins, self.accumulators[accumulator].take()) {
            (true, _) => products,
            (false, Some(mut sum)) => {
                sum.iter_mut().zip(&products).for_each(|(lane, product)| lane.add(product));
                sum
            }
            (false, None) => return Err(Fault::Unwritten { cycle: self.cycle, register: name() }),
        };
        if let Some(lane) = sum.iter().position(|lane| !lane.fits(self.mode.accumulator_bits)) {
            return Err(Fault::Overflow { cycle: self.cycle, lane, accumulator: name() });
        }
        self.accumulators[accumulator] = Some(sum);
        Ok(())
    }
}

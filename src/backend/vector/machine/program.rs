//! Programs: a nest of counted loops around one software-pipelined loop of timed operations on physical registers.

use std::collections::BTreeSet;

use thiserror::Error;

use super::{PreAdd, Selection, VliwMachine};
use crate::backend::vector::workload::Element;

/// A loop nest with a software-pipelined innermost loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// The mode of its multiplications.
    pub mode: String,
    /// The element type of its vectors.
    pub element: Element,
    /// The tensors.
    pub arrays: Vec<Array>,
    /// The loops around the innermost one, outermost first.
    pub outer: Vec<Counted>,
    /// The innermost loop.
    pub inner: Counted,
    /// The loads of values that stay in registers during the innermost loop. The set-up makes them.
    pub resident: Vec<Operation>,
    /// The operations of one iteration, in order of time.
    pub body: Vec<Timed>,
    /// The initiation interval: the cycles from one iteration to the next.
    pub interval: usize,
    /// The address of each tensor in the local memory, in bytes. Empty if they do not fit.
    pub places: Vec<usize>,
}

/// The role of a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// Read, supplied by the caller.
    Input,
    /// Read, supplied by the caller at run time.
    Weights,
    /// Read, part of the program.
    Constants(Vec<i64>),
    /// Written.
    Output,
    /// Scratch memory between two passes, written and read again. Its contents before and after do not matter.
    Scratch,
}

/// A tensor in the local memory. It begins at a multiple of a vector's size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The type of its elements.
    pub element: Element,
    /// The number of its elements.
    pub length: usize,
}

impl Array {
    /// The bytes that it takes, in whole vectors.
    pub fn bytes(&self, machine: &VliwMachine) -> usize {
        (self.length * self.element.bytes()).next_multiple_of(machine.vector_bits / 8)
    }
}

/// A loop that runs a fixed number of times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Its name.
    pub name: String,
    /// The number of its iterations.
    pub count: usize,
}

/// A place in memory, in elements: `offset + Σ strides · outer indices + step · iteration`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Address {
    /// The index of the array.
    pub array: usize,
    /// The pointer into the array. Accesses through different pointers can share a bundle.
    pub pointer: usize,
    /// The place in the first iteration of all loops.
    pub offset: i64,
    /// The stride of each outer loop.
    pub strides: Vec<i64>,
    /// The stride of the innermost loop.
    pub step: i64,
}

/// A multiply-accumulate: `accumulator[lane] (+)= Σ over columns x[…] · z[start + column · step]`.
/// [`super::Mode::coefficient`] gives the exact place of each column's coefficient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Multiply {
    /// Whether it begins a sum, discarding the accumulator.
    pub begins: bool,
    /// The accumulator.
    pub accumulator: usize,
    /// The buffer of the first operand.
    pub x: usize,
    /// The selection of its lanes.
    pub selection: Selection,
    /// A second selection of data, combined with the first before the multiplication. It is from the same buffer, which
    /// then is the intrinsic's only buffer, or from another.
    pub y: Option<(usize, Selection, PreAdd)>,
    /// The vector register of the second operand.
    pub z: usize,
    /// The place of column 0 in it, for all lanes.
    pub z_start: usize,
    /// The distance between the places of consecutive columns.
    pub z_step: usize,
    /// For bytes by bytes, the offsets of groups of lanes: [`super::Mode::further`]. Otherwise 0.
    pub z_offsets: u32,
}

/// An operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Memory to a vector register.
    Load {
        /// The register.
        to: usize,
        /// The address.
        at: Address,
    },
    /// A vector register to memory.
    Store {
        /// The register.
        from: usize,
        /// The address.
        at: Address,
    },
    /// An accumulator to a vector register: shifted right, rounded halves up, saturated.
    Round {
        /// The register.
        to: usize,
        /// The accumulator.
        from: usize,
        /// The bits of the shift.
        shift: u32,
        /// Whether something else than its store reads the result.
        is_read: bool,
    },
    /// A vector register to an accumulator, shifted left. It begins a sum.
    Widen {
        /// The accumulator.
        to: usize,
        /// The register.
        from: usize,
        /// The bits of the shift.
        shift: u32,
    },
    /// A multiply-accumulate.
    Multiply(Multiply),
    /// The start of a selection to a scalar register, if there are more starts than scalar registers.
    Move {
        /// The start.
        start: usize,
    },
}

/// The kinds of operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// [`Operation::Load`].
    Load,
    /// [`Operation::Store`].
    Store,
    /// [`Operation::Round`].
    Round,
    /// [`Operation::Widen`].
    Widen,
    /// [`Operation::Multiply`].
    Multiply,
    /// [`Operation::Move`].
    Move,
}

impl Operation {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Load { .. } => Kind::Load,
            Self::Store { .. } => Kind::Store,
            Self::Round { .. } => Kind::Round,
            Self::Widen { .. } => Kind::Widen,
            Self::Multiply(_) => Kind::Multiply,
            Self::Move { .. } => Kind::Move,
        }
    }
}

/// An operation with its issue cycle and slot, counted from the first issue of its iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timed {
    /// The operation.
    pub operation: Operation,
    /// The cycle.
    pub time: usize,
    /// The slot.
    pub slot: usize,
}

/// The resources of a machine that a program uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usage {
    /// The bundles of the innermost loop with its prologue and epilogue, and one for each load of the set-up.
    pub bundles: usize,
    /// The bytes of local memory.
    pub memory: usize,
    /// The number of vector registers.
    pub vectors: usize,
    /// The number of accumulators.
    pub accumulators: usize,
    /// The number of distinct starts of selections.
    pub starts: usize,
    /// The number of distinct offsets and modes of selections.
    pub configurations: usize,
}

/// The reason why a program does not fit a machine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Misfit {
    /// It is too long.
    #[error("needs {needed} bundles of program memory, the machine has {available}")]
    ProgramMemory {
        /// The number of bundles needed.
        needed: usize,
        /// The number of bundles of the machine.
        available: usize,
    },
    /// The tensors are too large.
    #[error("needs {needed} bytes of local memory, the machine has {available}")]
    Memory {
        /// The number of bytes needed.
        needed: usize,
        /// The number of bytes of the machine.
        available: usize,
    },
    /// Too many ways to select lanes.
    #[error("needs {needed} registers for offsets and modes of lane selection, the machine has {available}")]
    Configurations {
        /// The number of registers needed.
        needed: usize,
        /// The number of registers of the machine.
        available: usize,
    },
}

/// The bytes of local memory that the arrays occupy, each aligned to a vector.
fn memory(machine: &VliwMachine, arrays: &[Array]) -> usize {
    arrays.iter().map(|array| array.bytes(machine)).sum()
}

/// Checks that arrays fit the local memory.
///
/// # Errors
/// The numbers of bytes needed and available.
pub fn fits_memory(machine: &VliwMachine, arrays: &[Array]) -> Result<(), Misfit> {
    let (needed, available) = (memory(machine, arrays), machine.memory);
    if needed > available { Err(Misfit::Memory { needed, available }) } else { Ok(()) }
}

impl Program {
    /// The cycles of an iteration from its first issue to its last, inclusive. At least the loop's interval, because a
    /// loop issues all of its bundles.
    pub fn span(&self) -> usize {
        self.body.iter().map(|timed| timed.time + 1).max().unwrap_or(0).max(self.interval)
    }

    /// The number of times that the innermost loop is entered.
    pub fn entries(&self) -> usize {
        self.outer.iter().map(|counted| counted.count).product()
    }

    /// The cycles of the set-up: those of the machine, or more if the resident loads take longer.
    pub fn set_up(&self, machine: &VliwMachine) -> usize {
        match self.resident.len() {
            0 => machine.loop_set_up,
            loads => machine.loop_set_up.max(loads + machine.load.latency - 1),
        }
    }

    /// The total number of cycles: the call, for each entry the set-up and the pipelined iterations, and the bank stalls.
    pub fn cycles(&self, machine: &VliwMachine) -> usize {
        let iterations = (self.inner.count - 1) * self.interval + self.span();
        machine.call + self.entries() * (self.set_up(machine) + iterations) + self.bank_stalls(machine)
    }

    /// The multiplications.
    pub fn multiplies(&self) -> impl Iterator<Item = &Multiply> {
        self.body.iter().filter_map(|timed| match &timed.operation {
            Operation::Multiply(multiply) => Some(multiply),
            _ => None,
        })
    }

    /// The resources that the program uses.
    pub fn usage(&self, machine: &VliwMachine) -> Usage {
        let mut vectors = BTreeSet::new();
        let mut accumulators = BTreeSet::new();
        let mut starts = BTreeSet::new();
        let (mut offsets, mut modes) = (BTreeSet::new(), BTreeSet::new());
        let mut second = BTreeSet::from([0]);
        for operation in self.resident.iter().chain(self.body.iter().map(|timed| &timed.operation)) {
            match operation {
                Operation::Load { to, .. } => drop(vectors.insert(*to)),
                Operation::Store { from, .. } => drop(vectors.insert(*from)),
                Operation::Round { to, from, .. } => {
                    vectors.insert(*to);
                    accumulators.insert(*from);
                }
                Operation::Widen { to, from, .. } => {
                    vectors.insert(*from);
                    accumulators.insert(*to);
                }
                Operation::Multiply(multiply) => {
                    accumulators.insert(multiply.accumulator);
                    starts.insert(multiply.selection.start);
                    offsets.insert(multiply.selection.offsets);
                    second.insert(multiply.z_offsets);
                    let y = multiply.y.map(|(_, selection, _)| selection.square);
                    let steps = (multiply.selection.step, multiply.z_step);
                    modes.insert((multiply.selection.square, y, steps));
                    starts.extend(multiply.y.map(|(_, selection, _)| selection.start));
                }
                Operation::Move { .. } => {}
            }
        }
        Usage {
            bundles: self.resident.len() + self.bundle_count(),
            memory: memory(machine, &self.arrays),
            vectors: vectors.len(),
            accumulators: accumulators.len(),
            starts: starts.len(),
            // One register holds zero offsets, most often those of the second operand.
            configurations: offsets.len() + modes.len() + second.len(),
        }
    }

    /// Checks that the code fits a machine. Starts of selections for which no register is left are moved when needed.
    ///
    /// # Errors
    /// The first resource that does not suffice.
    pub fn fits(&self, machine: &VliwMachine) -> Result<(), Misfit> {
        let usage = self.usage(machine);
        if usage.bundles > machine.program_memory {
            return Err(Misfit::ProgramMemory { needed: usage.bundles, available: machine.program_memory });
        }
        if usage.configurations > machine.configurations {
            let available = machine.configurations;
            return Err(Misfit::Configurations { needed: usage.configurations, available });
        }
        Ok(())
    }
}

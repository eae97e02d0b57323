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
    /// The type of the elements of its vectors.
    pub element: Element,
    /// The tensors.
    pub arrays: Vec<Array>,
    /// The loops around the innermost one, outermost first.
    pub outer: Vec<Counted>,
    /// The innermost loop.
    pub inner: Counted,
    /// Loads of what stays in registers during the innermost loop, made in its set-up.
    pub resident: Vec<Operation>,
    /// The operations of one iteration, in the order of their times.
    pub body: Vec<Timed>,
    /// Cycles from one iteration to the next.
    pub interval: usize,
    /// The byte of the local memory that each tensor begins at; empty where they do not fit.
    pub places: Vec<usize>,
}

/// What a tensor is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// Read, given by the caller.
    Input,
    /// Read, given by the caller when it runs.
    Weights,
    /// Read, part of the program.
    Constants(Vec<i64>),
    /// Written.
    Output,
    /// Scratch memory between two passes, written and read again. Its contents before and after do not matter.
    Scratch,
}

/// A tensor in the local memory; it begins at a multiple of a vector's size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Its use.
    pub role: Role,
    /// The type of its elements.
    pub element: Element,
    /// Its elements.
    pub length: usize,
}

impl Array {
    /// The bytes that it takes, whole vectors.
    pub fn bytes(&self, machine: &VliwMachine) -> usize {
        (self.length * self.element.bytes()).next_multiple_of(machine.vector_bits / 8)
    }
}

/// A loop that runs a fixed number of times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Its name.
    pub name: String,
    /// How often it runs.
    pub count: usize,
}

/// A place in memory, in elements: `offset + Σ strides · outer indices + step · iteration`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Address {
    /// The array, as an index.
    pub array: usize,
    /// Which of the pointers into the array is used: accesses through different ones can share a bundle.
    pub pointer: usize,
    /// The place in the first iteration of all loops.
    pub offset: i64,
    /// What an iteration of each outer loop adds.
    pub strides: Vec<i64>,
    /// What an iteration of the innermost loop adds.
    pub step: i64,
}

/// A multiply-accumulate: `accumulator[lane] (+)= Σ over columns x[…] · z[start + column · step]`; [`super::Mode::coefficient`]
/// says where columns find their coefficients exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Multiply {
    /// Whether it begins a sum, and forgets what the accumulator held.
    pub begins: bool,
    /// The accumulator.
    pub accumulator: usize,
    /// The buffer of the first operand.
    pub x: usize,
    /// What its lanes take of it.
    pub selection: Selection,
    /// A second selection of data, added to the first one before the multiplication: from the same buffer, which then is the
    /// intrinsic's only one, or from another.
    pub y: Option<(usize, Selection, PreAdd)>,
    /// The vector register of the second operand.
    pub z: usize,
    /// The place in it that column 0 of all lanes takes.
    pub z_start: usize,
    /// The distance from a column's place to the next one's.
    pub z_step: usize,
    /// Offsets of groups of lanes from it, for bytes by bytes: [`super::Mode::further`]; else 0.
    pub z_offsets: u32,
}

/// An operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A vector register from memory.
    Load {
        /// The register.
        to: usize,
        /// Where.
        at: Address,
    },
    /// A vector register into memory.
    Store {
        /// The register.
        from: usize,
        /// Where.
        at: Address,
    },
    /// An accumulator into a vector register: shifted right, halves up, saturated.
    Round {
        /// The register.
        to: usize,
        /// The accumulator.
        from: usize,
        /// The bits of the shift.
        shift: u32,
    },
    /// A vector register into an accumulator, shifted left: it begins a sum.
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
    /// The start of a selection into a scalar register: there are more starts than registers for them.
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

/// An operation with the cycle and the slot in which it issues, counted from the first issue of its iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timed {
    /// The operation.
    pub operation: Operation,
    /// The cycle.
    pub time: usize,
    /// The slot.
    pub slot: usize,
}

/// What a program takes of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Usage {
    /// Bundles of the innermost loop, what fills and empties its pipeline included, and one for each load of the set-up.
    pub bundles: usize,
    /// Bytes of local memory.
    pub memory: usize,
    /// Vector registers.
    pub vectors: usize,
    /// Accumulators.
    pub accumulators: usize,
    /// Different starts of selections.
    pub starts: usize,
    /// Different offsets and modes of selections.
    pub configurations: usize,
}

/// Why a program does not fit a machine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Misfit {
    /// It is too long.
    #[error("needs {needed} bundles of program memory, the machine has {available}")]
    ProgramMemory {
        /// Bundles.
        needed: usize,
        /// Bundles.
        available: usize,
    },
    /// The tensors are too large.
    #[error("needs {needed} bytes of local memory, the machine has {available}")]
    Memory {
        /// Bytes.
        needed: usize,
        /// Bytes.
        available: usize,
    },
    /// Too many ways to select lanes.
    #[error("needs {needed} registers for offsets and modes of lane selection, the machine has {available}")]
    Configurations {
        /// Registers.
        needed: usize,
        /// Registers.
        available: usize,
    },
}

/// The bytes of local memory that the arrays occupy, each aligned to a vector.
fn memory(machine: &VliwMachine, arrays: &[Array]) -> usize {
    arrays.iter().map(|array| array.bytes(machine)).sum()
}

/// Whether arrays fit the local memory.
///
/// # Errors
/// The bytes that there are not enough of.
pub fn fits_memory(machine: &VliwMachine, arrays: &[Array]) -> Result<(), Misfit> {
    let (needed, available) = (memory(machine, arrays), machine.memory);
    if needed > available { Err(Misfit::Memory { needed, available }) } else { Ok(()) }
}

impl Program {
    /// The cycles of an iteration from its first issue to its last, inclusive; the loop's interval where that is longer, as a loop
    /// goes through all of its bundles.
    pub fn span(&self) -> usize {
        self.body.iter().map(|timed| timed.time + 1).max().unwrap_or(0).max(self.interval)
    }

    /// How often the innermost loop is entered.
    pub fn entries(&self) -> usize {
        self.outer.iter().map(|counted| counted.count).product()
    }

    /// The cycles of the set-up: the machine's, or as many as the resident loads take.
    pub fn set_up(&self, machine: &VliwMachine) -> usize {
        match self.resident.len() {
            0 => machine.loop_set_up,
            loads => machine.loop_set_up.max(loads + machine.load.latency - 1),
        }
    }

    /// All cycles: call, for each entry the set-up and the pipelined iterations, and what accesses wait for banks.
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

    /// What the program takes.
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
            // One register for offsets of zero, most often those of the second operand.
            configurations: offsets.len() + modes.len() + second.len(),
        }
    }

    /// Whether the code fits a machine; starts of selections beyond the registers for them are moved when needed.
    ///
    /// # Errors
    /// The first thing that there is not enough of.
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

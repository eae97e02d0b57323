//! Compiles tensor convolutions to programs of vector VLIW machines: Vyasa's scheme with extensions.
//!
//! A workload and a schedule become a [`Body`]: the vectors that one iteration of the innermost loop needs, its
//! multiplications in order, and its sums. [`pipeline`] then chooses the initiation interval, the cycle of every
//! operation and every register, together. Nothing here executes programs: `simulate` and `verify` judge the result.
//!
//! (Chatarasi, Neuendorffer, Bayliss, Vissers, Sarkar: "Vyasa: A high-performance vectorizing compiler for tensor
//! convolutions on the Xilinx AI Engine", HPEC 2020.)

mod body;
pub mod constant;
mod triplet;
mod lower;
mod times;
mod operands;
mod registers;
mod places;
mod pipeline;
mod race;
mod tune;

pub use body::{Body, Origin, Place, Product, Sum, Use, Vector, Widened};
pub use lower::{lower, tensors};
pub use pipeline::pipeline;
pub use triplet::{Cover, Fused, Tensors, Triplet, covers, fuse, scalar_covers, triplets};
pub use tune::{Candidate, Tuned, space, tune};

use thiserror::Error;

use crate::backend::vector::machine::{Misfit, Mode, Program, VliwMachine};
use crate::backend::vector::workload::{Dim, Schedule, Workload};

/// The reason why a schedule gives no program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Infeasible {
    /// The machine does not multiply elements of this type.
    #[error("the machine does not multiply elements of type {element}")]
    NoMode {
        /// The element type.
        element: crate::backend::vector::workload::Element,
    },
    /// A loop is not a multiple of its step.
    #[error("the loop `{dim}` of {extent} iterations is not a multiple of {step}")]
    Uneven {
        /// The loop.
        dim: Dim,
        /// Its iterations.
        extent: usize,
        /// The number of them that one iteration of the program performs.
        step: usize,
    },
    /// The vectorised loop does not step through a tensor at a constant stride, or through the output at stride one.
    #[error("the layout of the {tensor} along `{dim}` does not suit vectors")]
    Stride {
        /// The loop.
        dim: Dim,
        /// The tensor.
        tensor: &'static str,
    },
    /// A group of overlapping vector loads is wider than the widest register.
    #[error("overlapping loads span {vectors} vectors, the widest register has {most}")]
    TooWide {
        /// The number of vectors they span.
        vectors: usize,
        /// The number of vectors of the widest register.
        most: usize,
    },
    /// Some multiplications have no partner for the columns of the datapath.
    #[error("{left} multiplications of an output find no partner for the {columns} columns of the datapath")]
    Unfused {
        /// The number of multiplications without a partner.
        left: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A depth-wise convolution along its channels needs vectors for both operands.
    #[error("a depth-wise convolution is not vectorised along `k`")]
    DepthWise,
    /// Windows of bytes cannot be selected at odd columns.
    #[error("windows of 8-bit data are selected at even columns only: no schedule vectorises `{dim}`")]
    Windows {
        /// The loop.
        dim: Dim,
    },
    /// The second operands of the columns of the datapath are not consecutive.
    #[error(
        "the {columns} columns of the datapath need inputs that follow each other, from an even place on"
    )]
    Apart {
        /// The number of columns.
        columns: usize,
    },
    /// Some vectors do not begin at aligned places in every iteration.
    #[error("vectors of the {tensor} do not begin at multiples of {alignment} elements in every iteration")]
    Unaligned {
        /// The tensor.
        tensor: String,
        /// The alignment in elements.
        alignment: usize,
    },
    /// With the row pitch of the workload, some input rows begin where no vector may begin.
    #[error(
        "its `(input …)` has rows or planes of {elements} elements, but vectors begin at multiples of {alignment}: \
         use rows of {}, or leave out `(input …)`", elements.next_multiple_of(*alignment)
    )]
    Rows {
        /// The pitch in elements.
        elements: usize,
        /// The alignment in elements.
        alignment: usize,
    },
    /// No loop divides into vectors.
    #[error(
        "no loop over outputs that can be vectorised is a multiple of {lanes}: the next multiple for `{dim}` is {next}"
    )]
    NoSchedule {
        /// The lanes of a vector.
        lanes: usize,
        /// A loop that can be vectorised.
        dim: Dim,
        /// Its next extent that is a multiple of the lanes.
        next: usize,
    },
    /// A coefficient exceeds the type of second operands.
    #[error("the coefficient {value} does not fit in {element}")]
    Coefficient {
        /// The coefficient.
        value: i64,
        /// The type.
        element: crate::backend::vector::workload::Element,
    },
    /// Sums may exceed the accumulators.
    #[error("sums may reach {most}, which does not fit in the {bits} bits of an accumulator")]
    Accumulator {
        /// The greatest magnitude of a sum.
        most: i128,
        /// The bits of an accumulator's lane.
        bits: usize,
    },
    /// One iteration has too many sums to tell apart, or its code exceeds any program memory.
    #[error("one iteration makes {multiplies} multiply-accumulates, the program memory has {most} bundles")]
    TooLong {
        /// The number of multiply-accumulates.
        multiplies: usize,
        /// The number of bundles.
        most: usize,
    },
    /// No interval was found at which registers suffice.
    #[error("no registers or lane selections at an interval of up to {interval} cycles")]
    Registers {
        /// The longest interval tried.
        interval: usize,
    },
    /// Another program is faster than any of this schedule.
    #[error("takes at least {least} cycles, more than another program")]
    Slower {
        /// A lower bound on its cycles.
        least: usize,
    },
    /// The budget ran out before its turn.
    #[error("not compiled: the budget is used up")]
    Untried,
    /// The program does not fit.
    #[error(transparent)]
    Misfit(#[from] Misfit),
}

impl Infeasible {
    /// Checks that sums up to a magnitude fit the accumulators of a mode.
    fn accumulators(mode: &Mode, most: i128) -> Result<(), Self> {
        let bits = mode.accumulator_bits;
        if most >> (bits - 1) == 0 { Ok(()) } else { Err(Self::Accumulator { most, bits }) }
    }

    /// The lower bound on the cycles, if the program was not compiled because another one is faster.
    pub fn at_least(&self) -> Option<usize> {
        match self {
            Self::Slower { least } => Some(*least),
            _ => None,
        }
    }
}

/// The distance in elements between input rows that are stored in sequence: as the workload says, or else the least
/// distance at which a vector may begin at every row.
fn row_pitch(machine: &VliwMachine, workload: &Workload) -> Result<usize, Infeasible> {
    let alignment = (machine.alignment / workload.element.bytes()).max(1);
    let (elements, [_, height, planes, channels]) = (workload.input[0], workload.input);
    let several = height * planes * channels > 1;
    match workload.laid_out && several && !elements.is_multiple_of(alignment) {
        true => Err(Infeasible::Rows { elements, alignment }),
        false => Ok(elements.next_multiple_of(alignment)),
    }
}

/// Returns the program of a workload with a schedule.
///
/// # Errors
/// The reason why there is no program.
pub fn compile(
    machine: &VliwMachine,
    workload: &Workload,
    schedule: &Schedule,
) -> Result<Program, Infeasible> {
    pipeline(machine, &lower(machine, workload, schedule)?)
}

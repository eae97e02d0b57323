//! The answer of a check: yes; no, with a witness; or why it cannot tell.

use std::fmt;

use crate::algebra::{Label, Mismatch, Placed};
use crate::backend::array::machine::{Value, Violation};

/// The answer of a check whose counterexamples are of type `W`.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<W> {
    /// Everything is as claimed.
    Equal,
    /// The claims that do not hold: at least one, in the order of the claim.
    Different(Vec<W>),
    /// The check could not be carried out.
    Unknown(Reason),
}

/// Why a check could not be carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// The claim names a register that the target does not have.
    NoRegister(String),
    /// The claim has an input channel that its kernels do not have.
    NoChannel(u16),
    /// The claim's kernels differ in their number of input channels.
    MixedChannels,
    /// A register should keep its input, but holds none.
    NotAnInput(String),
    /// An instruction has no meaning.
    Meaningless(Violation),
    /// A coefficient does not fit, so this output cannot be compared.
    Overflow(String),
    /// The simulated array is too small: no pixel of this output is valid.
    NothingValid(String),
    /// This output has kernels with more than two dimensions, which images do not have.
    NotAnImage(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRegister(name) => write!(f, "the target has no register `{name}`"),
            Self::NoChannel(channel) => write!(f, "the filter has no input channel {channel}"),
            Self::MixedChannels => write!(f, "the outputs differ in their number of input channels"),
            Self::NotAnInput(name) => write!(f, "register `{name}` holds no input to keep"),
            Self::Meaningless(violation) => write!(f, "{violation}"),
            Self::Overflow(name) => write!(f, "a coefficient of `{name}` does not fit in 64 bits"),
            Self::NothingValid(name) => write!(f, "the simulated array has no valid pixel of `{name}`"),
            Self::NotAnImage(name) => write!(f, "`{name}` reaches beyond two dimensions"),
        }
    }
}

/// A register that does not hold the kernel claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelWitness {
    /// The output, or the register that must keep its input.
    pub output: String,
    /// The register.
    pub register: String,
    /// The expected kernel.
    pub expected: Placed,
    /// The value found.
    pub found: Value,
    /// The taps that differ, in the order of channel, z, y, x; empty if the value is unknown.
    pub differs_at: Vec<Mismatch>,
    /// If the two differ only by a translation and a factor: the map from the expected kernel to the one found.
    pub up_to: Option<Label>,
}

/// A pixel where simulation and direct convolution differ.
#[derive(Clone, Debug, PartialEq)]
pub struct PixelWitness {
    /// The output, or the register that must keep its input.
    pub output: String,
    /// The register.
    pub register: String,
    /// Column from the west and row from the south of the first pixel that differs.
    pub pixel: [usize; 2],
    /// The value from direct convolution.
    pub expected: f64,
    /// The value from the simulation.
    pub found: f64,
    /// The number of valid pixels that differ.
    pub pixels: usize,
}

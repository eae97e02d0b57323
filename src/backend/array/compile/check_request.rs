//! What is asked of a check.

use std::sync::Arc;

use crate::algebra::Rational;
use crate::backend::array::machine::{Noise, Reading, RegisterId, Target};
use crate::syntax::Source;

/// A program to check, and by what.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// The program's source.
    pub source: Source,
    /// What it should compute: a kernel file, or another program; `None` where nothing is asked.
    pub against: Option<Source>,
    /// The machine.
    pub target: Arc<Target>,
    /// How the program is read.
    pub reading: Reading,
    /// How the program that it is compared with is read.
    pub against_reading: Reading,
    /// Registers of inputs: (input, register). The others are those that the program reads first. An empty name is that
    /// of an only input; the same holds for outputs.
    pub inputs: Vec<(String, String)>,
    /// Registers of outputs: (output, register). The others are looked for.
    pub outputs: Vec<(String, String)>,
    /// Registers of the outputs of the program that it is compared with.
    pub against_outputs: Vec<(String, String)>,
    /// The least and the greatest value of the inputs, where it matters whether values fit.
    pub input_range: Option<[Rational; 2]>,
    /// The model by which noise is predicted; `None` takes the target's first.
    pub noise: Option<Noise>,
    /// Whether instructions that break an operand rule get a meaning all the same.
    pub lenient: bool,
}

/// Those of some registers that instructions may name freely, in the order of the target.
pub(super) fn general(target: &Target, registers: &[RegisterId]) -> Vec<RegisterId> {
    let file = target.files.first().map(|file| file.registers.as_slice()).unwrap_or_default();
    file.iter().copied().filter(|register| registers.contains(register)).collect()
}

//! A request to check a program.

use std::sync::Arc;

use crate::algebra::Rational;
use crate::backend::array::machine::{Noise, Reading, Target};
use crate::backend::error::{CheckError, Whose};
use crate::syntax::{Diagnostic, Source, Span};

/// A program to check, and its reference.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// The program's source.
    pub source: Source,
    /// The reference: a kernel file, or another program; `None` for no comparison.
    pub against: Option<Source>,
    /// The machine.
    pub target: Arc<Target>,
    /// How to read the program.
    pub reading: Reading,
    /// How to read the other program.
    pub against_reading: Reading,
    /// Registers of inputs: (input, register). Other inputs are in the registers that the program reads first. An empty name
    /// means the only input. The same holds for outputs.
    pub inputs: Vec<(String, String)>,
    /// Registers of outputs: (output, register). Other outputs are searched for.
    pub outputs: Vec<(String, String)>,
    /// Registers of the outputs of the other program.
    pub against_outputs: Vec<(String, String)>,
    /// The range of the inputs, if overflow is to be checked.
    pub input_range: Option<[Rational; 2]>,
    /// The noise model; `None` for the target's first.
    pub noise: Option<Noise>,
    /// Whether instructions that break an operand rule still get a meaning.
    pub lenient: bool,
}

impl CheckRequest {
    /// A request to read a program that is compared with nothing, with no options.
    pub fn new(source: Source, target: Arc<Target>, reading: Reading) -> Self {
        Self {
            source,
            against: None,
            target,
            reading,
            against_reading: Reading::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            against_outputs: Vec::new(),
            input_range: None,
            noise: None,
            lenient: false,
        }
    }

    /// The results of the other program, by name: those that the options name, or else what it wrote last.
    ///
    /// # Errors
    /// An option names nothing that the machine has, or there is no result.
    pub(super) fn results<T>(
        &self,
        named: &dyn Fn(&str) -> Result<T, CheckError>,
        last: Option<(String, T)>,
    ) -> Result<Vec<(String, T)>, CheckError> {
        let asked = if self.against_outputs.is_empty() { &self.outputs } else { &self.against_outputs };
        if asked.is_empty() {
            let message = "the program writes no register that could hold a result";
            let none = Diagnostic::error("no-result", message).label(Span::at(0), "compared with this");
            return Ok(vec![last.ok_or_else(|| CheckError::Source(Whose::Against, none.into()))?]);
        }
        let result = |(name, place): &(String, String)| {
            let name = if name.is_empty() { place } else { name };
            Ok((name.clone(), named(place)?))
        };
        asked.iter().map(result).collect()
    }
}

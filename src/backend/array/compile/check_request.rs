//! A request to check a program.

use std::borrow::Cow;
use std::sync::Arc;

use crate::algebra::Rational;
use crate::backend::array::machine::{Cell, Loaded, Noise, Reading, Target};
use crate::backend::error::{CheckError, Whose};
use crate::backend::option::place;
use crate::syntax::{Diagnostic, Source, Span};
use crate::term::DEFAULT_INPUT;

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

    /// The same request without the inputs that options put into bits, except one that is given as the only input.
    pub(super) fn without_bits(&self) -> Cow<'_, Self> {
        let bit = |(name, place): &(String, String)| {
            !name.is_empty() && matches!(self.target.cell(place), Some(Cell::Bit(_)))
        };
        if !self.inputs.iter().any(bit) {
            return Cow::Borrowed(self);
        }
        let mut own = self.clone();
        own.inputs.retain(|input| !bit(input));
        Cow::Owned(own)
    }

    /// The names of the inputs as the options give them, or a single default name.
    pub(super) fn input_names(&self) -> Vec<String> {
        let names = self.inputs.iter().map(|(name, _)| name.as_str());
        let names = if self.inputs.is_empty() { vec![""] } else { names.collect() };
        names.into_iter().map(|name| if name.is_empty() { DEFAULT_INPUT } else { name }.to_owned()).collect()
    }

    /// The registers and bits in which the options want inputs.
    ///
    /// # Errors
    /// An option names no input, or nothing that the machine has.
    pub(super) fn asked_inputs(
        &self,
        names: &[String],
        named: &dyn Fn(&str) -> Result<Cell, CheckError>,
    ) -> Result<Vec<Option<Cell>>, CheckError> {
        let mut asked = vec![None; names.len()];
        for (name, register) in &self.inputs {
            let place = place("input", name, names).map_err(CheckError::Usage)?;
            asked[place] = Some(named(register)?);
        }
        Ok(asked)
    }

    /// The registers and bits of all inputs: those found already, then those that the program reads, then general registers.
    ///
    /// # Errors
    /// Two inputs are in one place, or none is left.
    pub(super) fn all_inputs(
        &self,
        names: &[String],
        found: &[Option<Cell>],
        reads: &[Cell],
        load: Option<&Loaded>,
    ) -> Result<Vec<Cell>, CheckError> {
        let general = self.target.general_registers().iter().copied().map(Cell::Register);
        let lost = |cell: &Cell| load.is_some_and(|load| load.overwrites(*cell));
        let free = reads.iter().copied().chain(general.filter(|cell| !reads.contains(cell)));
        let mut free = free.filter(|cell| !found.contains(&Some(*cell)) && !lost(cell));
        let mut cells = Vec::new();
        for (place, name) in found.iter().zip(names) {
            let cell = place
                .or_else(|| free.next())
                .ok_or_else(|| CheckError::Usage(format!("no register is left for the input `{name}`")))?;
            if cells.contains(&cell) {
                let cell = self.target.cell_name(cell);
                return Err(CheckError::Usage(format!("two inputs cannot both be in `{cell}`")));
            }
            cells.push(cell);
        }
        Ok(cells)
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

/// The index of the output that an option names. Programs are compared register by register, so an output without a name is named
/// after its register.
pub(super) fn output_place(name: &str, register: &str, outputs: &[String]) -> Result<usize, CheckError> {
    let name = if name.is_empty() && outputs.len() != 1 { register } else { name };
    place("output", name, outputs).map_err(CheckError::Usage)
}

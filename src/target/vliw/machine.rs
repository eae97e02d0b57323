//! What a descriptor says of a machine.

use super::BUILTIN;
use crate::syntax::Source;
use crate::tensor::Element;

/// A vector VLIW machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// What it is.
    pub doc: String,
    /// The clock in GHz.
    pub clock: f64,
    /// The local memory in bytes.
    pub memory: usize,
    /// Vector accesses begin at multiples of that many bytes.
    pub alignment: usize,
    /// Bundles that the program memory holds.
    pub program_memory: usize,
    /// The slots of a bundle.
    pub slots: Vec<String>,
    /// The width of a vector register in bits.
    pub vector_bits: usize,
    /// The vector registers.
    pub vectors: Vec<String>,
    /// The registers that operands are taken from: name and vector registers, least significant first.
    pub buffers: Vec<(String, Vec<usize>)>,
    /// The vector registers that second operands are taken from.
    pub coefficients: Vec<usize>,
    /// The accumulators; each holds one output vector.
    pub accumulators: Vec<String>,
    /// Scalar registers for the starts of selections.
    pub scalars: usize,
    /// Registers for offsets and modes of selections.
    pub configurations: usize,
    /// Vector loads.
    pub load: Timing,
    /// Vector stores.
    pub store: Timing,
    /// Accumulator to vector: shift, round, saturate.
    pub round: Timing,
    /// Multiply-accumulate.
    pub multiply: Timing,
    /// A constant into a scalar register.
    pub scalar_move: Timing,
    /// Cycles from the issue of a multiplication to its reading of the accumulator.
    pub accumulate: usize,
    /// The forms of multiply-accumulate.
    pub modes: Vec<Mode>,
    /// Loads through one pointer in one cycle.
    pub loads_per_pointer: usize,
    /// Cycles before each run of the innermost loop.
    pub loop_set_up: usize,
    /// Cycles of a call.
    pub call: usize,
    /// The header that emitted code includes.
    pub header: String,
}

/// Where an operation issues, and when its result can be read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timing {
    /// The slots that it can take, as indices.
    pub slots: Vec<usize>,
    /// Cycles from its issue to the first issue that reads its result.
    pub latency: usize,
}

/// A form of multiply-accumulate: lanes × columns products, those of a lane's columns summed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mode {
    /// The intrinsic that adds to an accumulator.
    pub name: String,
    /// The intrinsic that begins a sum.
    pub start: String,
    /// The intrinsics with a pre-adder, adding and beginning, where there are any.
    pub pre_add: Option<[String; 2]>,
    /// The type of the first operand.
    pub x: Element,
    /// The type of the second operand.
    pub z: Element,
    /// Lanes of an accumulator.
    pub lanes: usize,
    /// Products that are summed in a lane.
    pub columns: usize,
    /// The bits of a lane of the accumulator.
    pub accumulator_bits: usize,
}

impl Mode {
    /// Multiplications in one operation.
    pub fn macs(&self) -> usize {
        self.lanes * self.columns
    }
}

impl Machine {
    /// The names of the machines that are part of the program.
    pub fn builtin_names() -> Vec<&'static str> {
        BUILTIN.iter().map(|(name, ..)| *name).collect()
    }

    /// The built-in machine of this name.
    ///
    /// # Panics
    /// If a built-in descriptor is not valid, which a test excludes.
    pub fn builtin(name: &str) -> Option<Self> {
        let (_, path, text) = BUILTIN.iter().find(|(n, ..)| *n == name)?;
        match super::read_machine(&Source::new(*path, *text)) {
            Ok(machine) => Some(machine),
            Err(diagnostics) => panic!("the built-in machine {path} is not valid: {diagnostics:?}"),
        }
    }

    /// The mode of this name.
    pub fn mode(&self, name: &str) -> Option<&Mode> {
        self.modes.iter().find(|mode| mode.name == name)
    }

    /// The mode that multiplies elements of a type with each other.
    pub fn mode_for(&self, element: Element) -> Option<&Mode> {
        self.modes.iter().find(|mode| mode.x == element && mode.z == element)
    }

    /// Elements of a type in a vector register.
    pub fn per_vector(&self, element: Element) -> usize {
        self.vector_bits / element.bits()
    }

    /// The vector registers that first operands can be taken from, in the order of the file.
    pub fn data_vectors(&self) -> Vec<usize> {
        (0..self.vectors.len()).filter(|v| self.buffers.iter().any(|(_, parts)| parts.contains(v))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_machines_are_valid_and_named_as_listed() {
        for name in Machine::builtin_names() {
            let machine = Machine::builtin(name).unwrap();
            assert_eq!(machine.name, name);
            assert_eq!(machine.data_vectors().len() + machine.coefficients.len(), machine.vectors.len());
        }
        assert_eq!(Machine::builtin("no such machine"), None);
    }
}

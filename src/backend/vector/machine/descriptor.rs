//! The descriptor of a machine.

use super::{Banks, Effect, Function, FunctionKind, Multiplication, PreAdd};
use crate::backend::vector::workload::Element;

/// A vector VLIW machine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct VliwMachine {
    /// The name.
    pub name: String,
    /// The description.
    pub doc: String,
    /// The clock in GHz.
    pub clock: f64,
    /// The size of the local memory in bytes.
    pub memory: usize,
    /// The alignment of vector accesses in bytes.
    pub alignment: usize,
    /// The banks of the local memory. If none are declared, accesses never wait for each other.
    pub banks: Option<Banks>,
    /// The number of bundles that the program memory holds.
    pub program_memory: usize,
    /// The slots of a bundle.
    pub slots: Vec<String>,
    /// The width of a vector register in bits.
    pub vector_bits: usize,
    /// The vector registers.
    pub vectors: Vec<String>,
    /// The registers that supply operands: name and vector registers, least significant first.
    pub buffers: Vec<(String, Vec<usize>)>,
    /// The vector registers that supply second operands.
    pub coefficients: Vec<usize>,
    /// The accumulators. Each holds one output vector.
    pub accumulators: Vec<String>,
    /// The number of scalar registers for the starts of selections.
    pub scalars: usize,
    /// The number of registers for offsets and modes of selections.
    pub configurations: usize,
    /// Vector loads.
    pub load: Timing,
    /// Vector stores.
    pub store: Timing,
    /// Accumulator to vector: shift, round, saturate.
    pub round: Timing,
    /// Multiply-accumulate.
    pub multiply: Timing,
    /// Constant to scalar register.
    pub scalar_move: Timing,
    /// Vector to accumulator, shifted left. No slots if the machine has no such operation.
    pub widen: Timing,
    /// The part of `widen` that is assumed, not documented.
    pub widen_assumed: Option<String>,
    /// The cycles from the issue of a multiplication to the cycle in which it reads the accumulator.
    pub accumulate: usize,
    /// The forms of multiply-accumulate.
    pub modes: Vec<Mode>,
    /// The multiplying intrinsics.
    pub multiplications: Vec<Multiplication>,
    /// The other intrinsics.
    pub functions: Vec<Function>,
    /// The help text for a call of any other function.
    pub functions_help: Option<String>,
    /// The number of loads through one pointer in one cycle.
    pub loads_per_pointer: usize,
    /// The cycles before each run of the innermost loop.
    pub loop_set_up: usize,
    /// The cycles of a call.
    pub call: usize,
    /// The header that emitted code includes.
    pub header: String,
}

/// The issue slots and the latency of an operation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timing {
    /// The slots that it can take, as indices.
    pub slots: Vec<usize>,
    /// The cycles from its issue to the first issue that can read its result.
    pub latency: usize,
}

/// A form of multiply-accumulate: lanes × columns products, with the products of a lane's columns summed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mode {
    /// The intrinsic that adds to an accumulator. A suffix after a colon distinguishes modes of one intrinsic.
    pub name: String,
    /// The intrinsic that begins a sum.
    pub start: String,
    /// The intrinsics with a pre-adder, if any: the one that adds and the one that begins.
    pub pre_add: Option<[String; 2]>,
    /// The same for the difference of two selections.
    pub pre_subtract: Option<[String; 2]>,
    /// The type of the first operand.
    pub x: Element,
    /// The type of the second operand.
    pub z: Element,
    /// The number of lanes of an accumulator.
    pub lanes: usize,
    /// The number of products summed in a lane.
    pub columns: usize,
    /// The bits of a lane of the accumulator.
    pub accumulator_bits: usize,
}

impl Mode {
    /// The number of multiplications in one operation.
    pub fn macs(&self) -> usize {
        self.lanes * self.columns
    }

    /// The place of a column's coefficient in the second operand, if column 0 is at `start`. Coefficients are one
    /// `step` apart. Bytes come two side by side, and the next two a step further on.
    pub fn coefficient(&self, start: usize, step: usize, column: usize) -> usize {
        match self.z {
            Element::Int8 => start + column / 2 * step + column % 2,
            Element::Int16 | Element::Int32 => start + column * step,
        }
    }

    /// The number of lanes that share elements of the second operand, if not all do: four for bytes by bytes.
    pub fn lanes_of_a_group(&self) -> Option<usize> {
        (self.x == Element::Int8).then_some(4)
    }

    /// The distance that these offsets add to a lane's place in the second operand. Nibbles 2p and 2p + 1 count the
    /// pairs of bytes for the p-th four lanes.
    pub fn further(&self, offsets: u32, lane: usize) -> usize {
        self.lanes_of_a_group().map_or(0, |lanes| 2 * (offsets >> (8 * (lane / lanes)) & 15) as usize)
    }

    /// The offsets with which each group of lanes takes coefficients `apart` elements after those of the previous
    /// group. `None` if the mode has no such offsets.
    pub fn offsets(&self, apart: usize) -> Option<u32> {
        if apart == 0 {
            return Some(0);
        }
        let groups = self.lanes / self.lanes_of_a_group()?;
        let nibble = |group: usize| {
            u32::try_from(group * apart / 2).ok().filter(|n| *n < 16 && apart.is_multiple_of(2))
        };
        (0..groups).try_fold(0, |offsets, group| Some(offsets | (nibble(group)? * 0x11) << (8 * group)))
    }

    /// Whether the mode can combine two selections of data in this way.
    pub fn combines(&self, how: PreAdd) -> bool {
        match how {
            PreAdd::Sum => self.pre_add.is_some(),
            PreAdd::Difference => self.pre_subtract.is_some(),
        }
    }

    /// The intrinsic that begins a sum or adds to one, with or without a second selection of data.
    pub fn intrinsic(&self, begins: bool, how: Option<PreAdd>) -> &str {
        let combining = match how {
            Some(PreAdd::Sum) => self.pre_add.as_ref(),
            Some(PreAdd::Difference) => self.pre_subtract.as_ref(),
            None => None,
        };
        match (combining, begins) {
            (Some([add, _]), false) => add,
            (Some([_, start]), true) => start,
            (None, false) => self.name.split(':').next().unwrap_or(&self.name),
            (None, true) => &self.start,
        }
    }
}

impl VliwMachine {
    /// Returns the mode of this name.
    pub fn mode(&self, name: &str) -> Option<&Mode> {
        self.modes.iter().find(|mode| mode.name == name)
    }

    /// Returns the mode that multiplies elements of a type with each other.
    pub fn mode_for(&self, element: Element) -> Option<&Mode> {
        self.modes_for(element).find(|mode| mode.z == element)
    }

    /// The modes whose data has this type.
    pub fn modes_for(&self, element: Element) -> impl Iterator<Item = &Mode> {
        self.modes.iter().filter(move |mode| mode.x == element)
    }

    /// The number of elements of a type in a vector register.
    pub fn per_vector(&self, element: Element) -> usize {
        self.vector_bits / element.bits()
    }

    /// The vector registers that supply first operands, in file order.
    pub fn data_vectors(&self) -> Vec<usize> {
        (0..self.vectors.len()).filter(|v| self.buffers.iter().any(|(_, parts)| parts.contains(v))).collect()
    }

    /// Returns the multiplying intrinsic of this name for data and coefficients of these widths, in bits.
    pub fn multiplication(&self, name: &str, x_bits: usize, z_bits: usize) -> Option<&Multiplication> {
        let types = |m: &&Multiplication| (m.x.bits(), m.z.bits()) == (x_bits, z_bits);
        self.multiplications.iter().filter(types).find(|m| m.effect(name).is_some())
    }

    /// The effect of a multiplying intrinsic on the sum, or `None` for other names.
    pub fn effect(&self, name: &str) -> Option<Effect> {
        self.multiplications.iter().find_map(|m| m.effect(name))
    }

    /// The kind of a non-multiplying intrinsic, and the rest of its name, which names a type or is empty.
    pub fn function<'n>(&self, name: &'n str) -> Option<(&FunctionKind, &'n str)> {
        self.functions.iter().find_map(|function| match function.name.strip_suffix('*') {
            Some(start) => Some((&function.kind, name.strip_prefix(start)?)),
            None => (function.name == name).then_some((&function.kind, "")),
        })
    }

    /// The bits of a buffer.
    pub fn buffer_bits(&self, buffer: usize) -> usize {
        self.buffers[buffer].1.len() * self.vector_bits
    }
}

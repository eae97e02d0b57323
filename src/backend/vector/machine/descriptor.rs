//! What a descriptor says of a machine.

use super::{Banks, Effect, Function, FunctionKind, Multiplication, PreAdd};
use crate::backend::vector::workload::Element;

/// A vector VLIW machine.
#[derive(Clone, PartialEq, Debug)]
pub struct VliwMachine {
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
    /// The banks of the local memory. Without a declaration, accesses never wait for each other.
    pub banks: Option<Banks>,
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
    /// Vector to accumulator, shifted left; no slots where the machine has no such operation.
    pub widen: Timing,
    /// What of that is assumed and not documented.
    pub widen_assumed: Option<String>,
    /// Cycles from the issue of a multiplication to its reading of the accumulator.
    pub accumulate: usize,
    /// The forms of multiply-accumulate.
    pub modes: Vec<Mode>,
    /// The multiplying intrinsics.
    pub multiplications: Vec<Multiplication>,
    /// The other intrinsics.
    pub functions: Vec<Function>,
    /// What is said where code calls a function that is none of these.
    pub functions_help: Option<String>,
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
    /// The intrinsic that adds to an accumulator; what follows a colon tells modes of one intrinsic apart.
    pub name: String,
    /// The intrinsic that begins a sum.
    pub start: String,
    /// The intrinsics with a pre-adder, adding and beginning, where there are any.
    pub pre_add: Option<[String; 2]>,
    /// The same with the difference of two selections.
    pub pre_subtract: Option<[String; 2]>,
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

    /// The place of a column's coefficient in the second operand, where the first one starts at `start`: one `step` after
    /// the other, or, of bytes, two side by side and the next two a step further on.
    pub fn coefficient(&self, start: usize, step: usize, column: usize) -> usize {
        match self.z {
            Element::Int8 => start + column / 2 * step + column % 2,
            Element::Int16 | Element::Int32 => start + column * step,
        }
    }

    /// The number of lanes that share their elements of the second operand, if not all do: four for bytes by bytes.
    pub fn lanes_of_a_group(&self) -> Option<usize> {
        (self.x == Element::Int8).then_some(4)
    }

    /// How much further on in the second operand a lane takes its coefficients, with these offsets: nibble 2p, and 2p + 1,
    /// counts the pairs of bytes for the p-th four lanes.
    pub fn further(&self, offsets: u32, lane: usize) -> usize {
        self.lanes_of_a_group().map_or(0, |lanes| 2 * (offsets >> (8 * (lane / lanes)) & 15) as usize)
    }

    /// The offsets with which each group of lanes takes coefficients `apart` elements after those of the group before;
    /// `None` where the mode has none.
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

    /// Whether it can combine two selections of data in this way.
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
    /// The mode of this name.
    pub fn mode(&self, name: &str) -> Option<&Mode> {
        self.modes.iter().find(|mode| mode.name == name)
    }

    /// The mode that multiplies elements of a type with each other.
    pub fn mode_for(&self, element: Element) -> Option<&Mode> {
        self.modes_for(element).find(|mode| mode.z == element)
    }

    /// The modes whose data is of a type.
    pub fn modes_for(&self, element: Element) -> impl Iterator<Item = &Mode> {
        self.modes.iter().filter(move |mode| mode.x == element)
    }

    /// Elements of a type in a vector register.
    pub fn per_vector(&self, element: Element) -> usize {
        self.vector_bits / element.bits()
    }

    /// The vector registers that first operands can be taken from, in the order of the file.
    pub fn data_vectors(&self) -> Vec<usize> {
        (0..self.vectors.len()).filter(|v| self.buffers.iter().any(|(_, parts)| parts.contains(v))).collect()
    }

    /// The multiplying intrinsic of this name for data and coefficients of these widths, in bits.
    pub fn multiplication(&self, name: &str, x_bits: usize, z_bits: usize) -> Option<&Multiplication> {
        let types = |m: &&Multiplication| (m.x.bits(), m.z.bits()) == (x_bits, z_bits);
        self.multiplications.iter().filter(types).find(|m| m.effect(name).is_some())
    }

    /// What a multiplying intrinsic does with the sum; `None` for other names.
    pub fn effect(&self, name: &str) -> Option<Effect> {
        self.multiplications.iter().find_map(|m| m.effect(name))
    }

    /// What an intrinsic does that does not multiply, and the rest of its name, which names a type, where there is one.
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

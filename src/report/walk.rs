//! What the instructions of a program with conditions or digital registers do, one after the other.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{CaseRecord, Kernel, Port, TransferRecord};

/// A program in steps that can be simulated without knowing an instruction. Registers and bits are 0 at the start, the flag is 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WalkRecord {
    /// The bits among the registers, by name.
    pub bits: Vec<String>,
    /// The bit without which analogue registers keep their values; `null` if the machine has none.
    pub flag: Option<String>,
    /// Bits that are written only where another bit, their gate, is 1: bit, gate.
    pub gates: BTreeMap<String, String>,
    /// The inputs, and the registers or bits that hold them at the start.
    pub inputs: Vec<Port>,
    /// The instructions.
    pub steps: Vec<StepRecord>,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepRecord {
    /// The instruction.
    pub instruction: String,
    /// Its line in the file.
    pub line: usize,
    /// Its cycles.
    pub cycles: u32,
    /// What it does, in order.
    pub effects: Vec<EffectRecord>,
    /// What the registers and bits that it writes then hold.
    pub values: Vec<HeldRecord>,
}

/// One effect of an instruction. Everything is read before anything is written.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectRecord {
    /// A transfer between analogue registers; it writes where the flag is 1.
    Transfer(TransferRecord),
    /// Bits take the values of formulas.
    Bits {
        /// Each bit with its formula.
        sets: Vec<(String, FormulaRecord)>,
        /// Whether this is repeated until no bit changes.
        flood: bool,
    },
    /// A register takes a number, whatever the flag.
    Number {
        /// The register.
        register: String,
        /// The number.
        value: i64,
    },
    /// Nothing exact is known of what these registers and bits then hold.
    Unknown(Vec<String>),
}

/// A Boolean function of the bits and registers of an element and its neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FormulaRecord {
    /// 0 or 1.
    Constant(bool),
    /// A bit at an offset.
    Bit {
        /// The bit.
        bit: String,
        /// East, north and up.
        offset: [i32; 3],
        /// Its value beyond the edge of the array.
        beyond: bool,
    },
    /// Whether the sum of these registers, each at an offset, is greater than 0.
    Positive(Vec<(String, [i32; 3])>),
    /// The opposite.
    Not(Box<FormulaRecord>),
    /// Whether all are 1.
    And(Vec<FormulaRecord>),
    /// Whether one is 1.
    Or(Vec<FormulaRecord>),
}

/// What a register or bit holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HeldRecord {
    /// The register or bit.
    pub register: String,
    /// Its kernels; `null` if there are cases.
    pub kernels: Option<Vec<Kernel>>,
    /// Its cases, if it is not one kernel for each input; `null` if there are too many to list, or if they are not known.
    pub cases: Option<Vec<CaseRecord>>,
    /// Why its value is not known; `null` otherwise.
    pub reason: Option<String>,
}

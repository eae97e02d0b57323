//! What the instructions of a program do to the registers, one after the other.

use serde::{Deserialize, Serialize};

use super::Kernel;

/// One instruction: what it costs, what it does, and what the registers that it writes then hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRecord {
    /// Its cycles.
    pub cycles: u32,
    /// What it does, in order.
    pub transfers: Vec<TransferRecord>,
    /// The new values, by register.
    pub values: Vec<RegisterValue>,
}

/// A register transfer: every write receives the weighted sum of all reads. All reads precede all writes. Beyond the edge of
/// the array, reads give 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferRecord {
    /// The registers written.
    pub writes: Vec<WriteRecord>,
    /// The terms of the sum.
    pub reads: Vec<SummandRecord>,
}

/// A register that is written: at p it receives the sum computed at p + offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteRecord {
    /// The register.
    pub register: String,
    /// East, north and up.
    pub offset: [i32; 3],
}

/// A term of a sum: the coefficient times the value of the register at p + offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummandRecord {
    /// The register.
    pub register: String,
    /// East, north and up.
    pub offset: [i32; 3],
    /// The exact coefficient: `-1`, `1/2`.
    pub coefficient: String,
}

/// The new value of a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterValue {
    /// The register.
    pub register: String,
    /// The index in [`OptimizeRecord::decomposition`](super::OptimizeRecord::decomposition), where the kernels are; `null` for a
    /// value that no output depends on.
    pub step: Option<usize>,
    /// The kernels of a value without index; `null` with one, and if they are not known.
    pub kernels: Option<Vec<Kernel>>,
}

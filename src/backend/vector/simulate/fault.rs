//! The program errors that the simulator detects.

use thiserror::Error;

use crate::backend::vector::machine::Kind;
use crate::backend::vector::workload::Element;

/// An operation that the machine cannot do.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// Two operations of a bundle take one slot.
    #[error("cycle {cycle}: two operations in slot `{slot}`")]
    SlotTaken {
        /// The cycle.
        cycle: usize,
        /// The slot.
        slot: String,
    },
    /// An operation issues in a slot that cannot execute it.
    #[error("cycle {cycle}: slot `{slot}` does not execute {kind:?}")]
    WrongSlot {
        /// The cycle.
        cycle: usize,
        /// The slot.
        slot: String,
        /// The kind of the operation.
        kind: Kind,
    },
    /// More loads through one pointer than a cycle allows.
    #[error("cycle {cycle}: {loads} loads from `{array}` in one bundle")]
    PointerShared {
        /// The cycle.
        cycle: usize,
        /// The array.
        array: String,
        /// The number of loads.
        loads: usize,
    },
    /// A register is read before it is written.
    #[error("cycle {cycle}: `{register}` is read before it is written")]
    Unwritten {
        /// The cycle.
        cycle: usize,
        /// The register.
        register: String,
    },
    /// Two writes reach a register in one cycle.
    #[error("cycle {cycle}: two writes reach `{register}` at once")]
    WriteConflict {
        /// The cycle.
        cycle: usize,
        /// The register.
        register: String,
    },
    /// An access is not aligned.
    #[error("cycle {cycle}: element {index} of `{array}` is not aligned")]
    Misaligned {
        /// The cycle.
        cycle: usize,
        /// The array.
        array: String,
        /// The first element.
        index: i64,
    },
    /// An access is not within its array.
    #[error("cycle {cycle}: elements {index} to {last} of `{array}`, which has {length}")]
    Outside {
        /// The cycle.
        cycle: usize,
        /// The array.
        array: String,
        /// The first element.
        index: i64,
        /// The last element.
        last: i64,
        /// The length of the array.
        length: usize,
    },
    /// Tensors overlap, or exceed the memory.
    #[error("`{array}` lies at bytes {from} to {to}, over another or beyond the memory's {memory}")]
    Misplaced {
        /// The array.
        array: String,
        /// Its first byte.
        from: usize,
        /// The byte after its last.
        to: usize,
        /// The size of the memory in bytes.
        memory: usize,
    },
    /// An array holds, or a store leaves in it, a value that is not an element of its type.
    #[error("cycle {cycle}: element {index} of `{array}` is not an {element}: {value}")]
    TooWide {
        /// The cycle.
        cycle: usize,
        /// The array.
        array: String,
        /// The index.
        index: usize,
        /// The element type.
        element: Element,
        /// The value.
        value: String,
    },
    /// A register holds elements of a type that its reader does not take.
    #[error("cycle {cycle}: `{register}` holds {found}, and is read as {wanted}")]
    WrongType {
        /// The cycle.
        cycle: usize,
        /// The register.
        register: String,
        /// The type of its elements.
        found: Element,
        /// The type that is read.
        wanted: Element,
    },
    /// A second operand from a register that the datapath cannot take it from.
    #[error("cycle {cycle}: `{register}` cannot be a second operand")]
    WrongRegister {
        /// The cycle.
        cycle: usize,
        /// The register.
        register: String,
    },
    /// The intrinsic is not documented with operands of these sizes.
    #[error("cycle {cycle}: `{intrinsic}` is used with {found}; it takes {listed}")]
    Shape {
        /// The cycle.
        cycle: usize,
        /// The intrinsic.
        intrinsic: String,
        /// The sizes.
        found: String,
        /// The sizes that it takes.
        listed: String,
    },
    /// A sum does not fit the accumulator.
    #[error("cycle {cycle}: lane {lane} of `{accumulator}` overflows")]
    Overflow {
        /// The cycle.
        cycle: usize,
        /// The lane.
        lane: usize,
        /// The accumulator.
        accumulator: String,
    },
    /// The program names a mode that the machine does not have.
    #[error("the machine has no mode `{mode}`")]
    NoMode {
        /// The mode.
        mode: String,
    },
}

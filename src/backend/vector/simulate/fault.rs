//! The mistakes of programs that the simulator finds.

use thiserror::Error;

use crate::backend::vector::machine::Kind;
use crate::backend::vector::workload::Element;

/// What a program does that the machine does not.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// Two operations of a bundle take one slot.
    #[error("cycle {cycle}: two operations in slot `{slot}`")]
    SlotTaken {
        /// When.
        cycle: usize,
        /// The slot.
        slot: String,
    },
    /// An operation issues in a slot that cannot execute it.
    #[error("cycle {cycle}: slot `{slot}` does not execute {kind:?}")]
    WrongSlot {
        /// When.
        cycle: usize,
        /// The slot.
        slot: String,
        /// What the operation is.
        kind: Kind,
    },
    /// More loads through one pointer than a cycle takes.
    #[error("cycle {cycle}: {loads} loads from `{array}` in one bundle")]
    PointerShared {
        /// When.
        cycle: usize,
        /// The array.
        array: String,
        /// How many.
        loads: usize,
    },
    /// A register is read that nothing was written to.
    #[error("cycle {cycle}: `{register}` is read before it is written")]
    Unwritten {
        /// When.
        cycle: usize,
        /// The register.
        register: String,
    },
    /// Two writes reach a register in one cycle.
    #[error("cycle {cycle}: two writes reach `{register}` at once")]
    WriteConflict {
        /// When.
        cycle: usize,
        /// The register.
        register: String,
    },
    /// An access at a place that is no multiple of the alignment.
    #[error("cycle {cycle}: element {index} of `{array}` is not aligned")]
    Misaligned {
        /// When.
        cycle: usize,
        /// The array.
        array: String,
        /// The first element.
        index: i64,
    },
    /// An access that is not within its array.
    #[error("cycle {cycle}: elements {index} to {last} of `{array}`, which has {length}")]
    Outside {
        /// When.
        cycle: usize,
        /// The array.
        array: String,
        /// The first element.
        index: i64,
        /// The last element.
        last: i64,
        /// How many there are.
        length: usize,
    },
    /// Tensors that lie over each other, or not within the memory.
    #[error("`{array}` lies at bytes {from} to {to}, over another or beyond the memory's {memory}")]
    Misplaced {
        /// The array.
        array: String,
        /// Its first byte.
        from: usize,
        /// The byte behind its last.
        to: usize,
        /// The bytes of the memory.
        memory: usize,
    },
    /// An array holds, or a store leaves in it, what is no element of its type.
    #[error("cycle {cycle}: element {index} of `{array}` is no {element}: {value}")]
    TooWide {
        /// When.
        cycle: usize,
        /// The array.
        array: String,
        /// The element.
        index: usize,
        /// The type of its elements.
        element: Element,
        /// What is there.
        value: String,
    },
    /// A register holds elements of another type than its reader takes.
    #[error("cycle {cycle}: `{register}` holds {found}, and is read as {wanted}")]
    WrongType {
        /// When.
        cycle: usize,
        /// The register.
        register: String,
        /// The type of what it holds.
        found: Element,
        /// The type that is read.
        wanted: Element,
    },
    /// A second operand from a register that the datapath cannot take it from.
    #[error("cycle {cycle}: `{register}` cannot be a second operand")]
    WrongRegister {
        /// When.
        cycle: usize,
        /// The register.
        register: String,
    },
    /// Operands of sizes that the intrinsic is not documented with.
    #[error("cycle {cycle}: `{intrinsic}` is used with {found}; it takes {listed}")]
    Shape {
        /// When.
        cycle: usize,
        /// The intrinsic.
        intrinsic: String,
        /// The sizes.
        found: String,
        /// Those that it takes.
        listed: String,
    },
    /// A sum does not fit the accumulator.
    #[error("cycle {cycle}: lane {lane} of `{accumulator}` overflows")]
    Overflow {
        /// When.
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

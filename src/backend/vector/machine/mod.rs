//! Vector VLIW machines with an exposed pipeline: descriptors, lane selection, software-pipelined programs, their
//! bundles and their C++.
//!
//! A machine of this class multiplies selections of lanes from wide registers, and adds the products of a lane's
//! columns to an accumulator. A register keeps its old value until the latency of its writer has passed; no hardware
//! waits for it.
//!
//! ```
//! use kalg::backend::vector::machine::VliwMachine;
//!
//! let name = VliwMachine::builtin_names()[0];
//! let machine = VliwMachine::builtin(name).unwrap();
//! assert_eq!(machine.mode("mac16").unwrap().macs(), 32);
//! assert_eq!(machine.load.latency, 8);
//! ```

mod banks;
mod stalls;
mod descriptor;
mod multiplication;
mod function;
mod read;
mod registry;
mod select;
mod program;
mod bundle;
mod listing;
mod contract;
mod cpp;
mod harness;

pub use banks::{Access, Banks};
pub use bundle::{Bundle, Bundles, Stage};
pub use contract::{Buffer, Contract, Indexed, Purpose, Term};
pub use cpp::cpp;
pub use descriptor::{Mode, Timing, VliwMachine};
pub use function::{Function, FunctionKind, Narrowing};
pub use harness::{Trial, harness};
pub use listing::{listing, operation_text};
pub use multiplication::{
    CoefficientSelection, DataSelection, Effect, Multiplication, Operand, Part, PreAdd, Source,
    describe_operands,
};
pub use program::{
    Address, Array, Counted, Kind, Misfit, Multiply, Operation, Program, Role, Timed, Usage, fits_memory,
};
pub use read::read_machine;
pub use select::{Selection, Square, Want, select};

use crate::backend::builtin::{HEADERS, VECTORS as BUILTIN};

/// The text of a header that the code of a built-in machine includes. It is our definition of the intrinsics.
pub fn header(name: &str) -> Option<&'static str> {
    HEADERS.iter().find(|(header, _)| *header == name).map(|(_, text)| *text)
}

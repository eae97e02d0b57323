//! Machines with memory that traverse images in scan order: descriptors, plans, their meaning and cost, their C and Rust.
//!
//! A plan is a list of whole-image steps. A step is a weighted sum (or maximum, minimum, disjunction) of earlier steps at fixed
//! offsets. A recurrence also reads itself at a place earlier in scan order: to the north, or to the west in the same row.
//!
//! ```
//! use kalg::backend::scan::machine::ScanMachine;
//!
//! let name = ScanMachine::builtin_names()[0];
//! assert_eq!(ScanMachine::builtin(name).unwrap().name, name);
//! ```

mod descriptor;
mod plan;
mod layout;
mod cost;
mod meaning;
mod pixel;
mod inline;
mod windows;
mod finish;
mod ports;
mod rows;
mod lower;
mod passes;
mod c;
mod rust;

pub(in crate::backend::scan) use c::{
    ALIGNMENT, C_HEAD, aligned, apart, c_declaration, c_inside, c_passes, c_signature, c_unread, type_name,
};
pub use c::{c, c_header};
pub use cost::Cost;
pub use descriptor::{RowCosts, ScanMachine, read_machine};
pub use layout::{Extent, Layout};
pub use meaning::{Meaning, bounds, cancels, idempotent, linear, linear_step};
pub use pixel::{Border, Overflow, Pixel, Storage};
pub use plan::{Fold, Output, Plan, PlanStep, Term};
pub(in crate::backend::scan) use ports::Ports;
pub use rows::CodeOptions;
pub(in crate::backend::scan) use rows::{Pass, Place, Ring, Row, Rows, Target, added};
pub use rust::rust;
pub(in crate::backend::scan) use rust::{rust_inside, rust_parameters, rust_passes, rust_type};

use crate::backend::builtin::SCANS as BUILTIN;

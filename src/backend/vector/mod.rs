//! Vector machines: VLIW processors with wide registers, an exposed pipeline and no cache.

pub mod workload;
pub mod machine;
pub mod read;
pub mod schedule;
pub mod simulate;
pub mod verify;
pub mod report;
mod compile;
mod claims;
mod check;
pub mod options;
mod class;
mod code_options;

pub use check::check_code;
pub use claims::CodeRequest;
pub use class::Vectors;
pub use compile::{RunCode, USUAL_RANGE, USUAL_TILE, VectorRequest, decompose, optimize_vector};

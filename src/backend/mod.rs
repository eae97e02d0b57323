//! The back ends: one folder for each class of machines, alike inside and blind to one another.
//!
//! Each holds its `machine` (the descriptor, what its programs are and mean), the search for programs, a simulator, the
//! checks, and what it reports. `tests/house/layering.rs` holds them apart.

mod builtin;
mod error;
pub mod array;
pub mod scan;
pub mod vector;

pub use error::{CheckError, OptimizeError, Whose};

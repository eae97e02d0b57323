//! The back ends: one folder for each class of machines, alike inside and blind to one another.
//!
//! Each holds its `machine` (the descriptor, what its programs are and mean), the search for programs, a simulator, the
//! checks, and what it reports; `tests/house/layering.rs` holds them apart. What all of them are to the rest of kalg is a
//! [`Backend`]: it reads the descriptors of its [`Machine`]s, and these compile, check and run. [`Registry`] lists them; a
//! further class is a folder and a line there.

mod builtin;
mod error;
mod interface;
pub mod option;
mod registry;
pub mod array;
pub mod scan;
pub mod vector;

pub use error::{CheckError, OptimizeError, ReplayError, RunError, Whose};
pub use interface::{
    Backend, Builtin, CODE, Cpp, Form, JSON, Machine, Pictures, Progress, Ran, Record, Request, TEXT, Task,
    USUAL_TIME, Watch,
};
pub use registry::{Offered, Registry, refusal};

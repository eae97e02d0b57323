//! The back ends: one folder per class of machines. All have the same structure, and none knows another.
//!
//! Each back end holds its `machine` (the descriptor, the form and meaning of its programs), the search for programs, a
//! simulator, the checks and the reports. `tests/engine/house/layering.rs` enforces the separation. To the rest of kalg, a
//! back end is a [`Backend`]: it reads the descriptors of its [`Machine`]s, which compile, check and run. [`Registry`]
//! lists the back ends; a new class is a folder and a line there.

mod builtin;
mod error;
mod interface;
mod memo;
mod names;
pub mod option;
mod registry;
pub mod array;
pub mod hardware;
pub mod scan;
pub mod vector;

pub use error::{CheckError, OptimizeError, ReplayError, RunError, Whose};
pub use interface::{
    Backend, Builtin, CODE, CTimer, Cpp, Form, HTML, JSON, Machine, Pictures, Price, Progress, Ran, Record,
    Request, TEXT, Task, USUAL_TIME, Watch, open_pictures,
};
pub use memo::Memo;
pub use registry::{Offered, Registry, refusal};

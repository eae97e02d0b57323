//! Sums of products with constants in few additions: adder graphs and common subexpressions.

mod arrange;
mod constants;
mod differences;
mod forms;
mod graph;
mod quotients;
mod share;
mod signs;
mod system;

pub use arrange::{Request, arrangements};
pub use constants::{Found, constants};
pub use graph::Adder;
pub use signs::{Reading, signs};
pub use system::{Summand, System, merged};

//! Machines in scan order: plans, and their C and Rust.

mod stream;
mod constants;
mod tables;

//! Machines in scan order: plans, and the C and Rust that they become.

mod stream;
mod constants;
mod tables;

//! kalg: an e-graph-based compiler for convolution kernels.
//!
//! Data flows one way through the modules below, in this order; `tests/house/layering.rs` holds them to it.

pub mod budget;
pub mod syntax;
pub mod algebra;
pub mod term;
pub mod tensor;
pub mod rule;
pub mod target;
pub mod saturate;
pub mod extract;
pub mod vectorize;
pub mod stream;
pub mod sim;
pub mod verify;
pub mod report;
pub mod pipeline;
pub mod cli;

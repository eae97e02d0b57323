//! kalg: an e-graph-based compiler for convolution kernels.
//!
//! Data flows one way through the modules below, in this order; `tests/house/layering.rs` holds them to it.

pub mod budget;
pub mod syntax;
pub mod algebra;
pub mod term;
pub mod rule;
pub mod saturate;
pub mod picture;
pub mod report;
pub mod backend;
pub mod cli;

//! Exact mathematics: coefficients, semirings, index spaces, kernels, scans, filters and footprints. No text, no I/O.

mod rational;
mod shape;

pub use rational::Rational;
pub use shape::{Label, Offset, Placed, Shape};

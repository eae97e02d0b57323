//! Simulation of a processor array: executes programs on images, ideally or with saturation and noise.
//!
//! It computes with numbers only and knows neither kernels nor rules, so that it can bear witness against both.

mod machine;
mod fit;
mod prediction;

pub use fit::{Fit, Run};
pub use machine::{Machine, Options, SimError, run};
pub use prediction::{Prediction, predict};

//! Simulation of a processor array: executes programs on images, ideally or with saturation and noise.
//!
//! It computes with numbers only. It knows neither kernels nor rules, so it can check both.

mod pixel_array;
mod flagged;
mod fit;
mod prediction;

pub use fit::{Code, Fit, Run};
pub use flagged::FlaggedArray;
pub use pixel_array::{Options, PixelArray, SimError, run};
pub use prediction::{Prediction, predict};

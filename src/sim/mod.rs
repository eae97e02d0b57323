//! Simulation of a processor array: executes programs on images, ideally or with saturation and noise.
//!
//! It computes with numbers only and knows neither kernels nor rules, so that it can bear witness against both.

mod image;
mod machine;
mod random;
pub mod pipelined;

pub use image::{Image, Pattern};
pub use machine::{Machine, Options, SimError, run};
pub use random::Random;

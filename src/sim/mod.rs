//! Simulation of a processor array: executes programs on images, ideally or with saturation and noise.
//!
//! It computes with numbers only and knows neither kernels nor rules, so that it can bear witness against both.

mod image;
mod machine;
mod fit;
mod picture;
mod quality;
mod prediction;
mod samples;
pub mod pipelined;
pub mod stream;

pub use fit::{Fit, Run};
pub use image::{Image, Pattern};
pub use machine::{Machine, Options, SimError, run};
pub use picture::{Picture, PictureError, PictureFormat};
pub use prediction::{Prediction, predict};
pub use quality::{rms, ssim};
pub use samples::{read_samples, write_samples};

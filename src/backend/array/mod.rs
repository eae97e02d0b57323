//! Pixel-processor arrays: registers in every pixel, neighbours, and instructions that all pixels carry out at once.

pub mod machine;
pub mod search;
pub mod simulate;
pub mod verify;
pub mod report;
pub mod compile;
pub mod shorten;
pub mod options;
mod price;
mod host_values;
mod whole;
mod class;
mod run;

pub use class::Arrays;

//! Machines that see the image in scan order: processors with memory and delay lines.

pub mod machine;
pub mod search;
pub mod simulate;
pub mod verify;
pub mod report;
mod request;
mod wanted;
mod compile;
mod stages;
pub mod pipeline;
pub mod measure;
mod options;
mod class;
mod run;

pub use class::Scans;
pub use compile::{Applied, Streamed, apply, optimize_stream};
pub use request::StreamRequest;

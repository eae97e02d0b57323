//! Line-buffered hardware: pipelines as circuits that take a stream of pixels and give one.

pub mod machine;
pub mod schedule;
pub mod simulate;
pub mod verify;
mod wave;
mod picture;
mod depths;
mod front;
mod point;
mod task;
pub mod report;
mod options;
mod compile;
mod class;

pub use class::{Hardware, optimize_hardware};
pub use compile::Designed;
pub use point::FrontRecord;

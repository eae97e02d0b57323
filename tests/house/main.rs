//! The sources and documents keep to the project's own rules.

mod docs;
mod layering;
mod resolve;
mod size;
mod source;

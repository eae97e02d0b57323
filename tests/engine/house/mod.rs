//! Checks that the sources and documents obey the project's own rules.

mod docs;
mod layering;
mod resolve;
mod size;
mod source;

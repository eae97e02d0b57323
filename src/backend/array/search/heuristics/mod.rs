//! What the e-graph knows of a kernel, and estimates of what it takes to make it. They lead searches and prove nothing.

pub(crate) mod common_parts;
pub(crate) mod cost_to_go;
pub(crate) mod decompositions;
pub(crate) mod last_steps;

//! What the e-graph knows about a kernel, and estimates of the cost to make it. They guide searches and prove nothing.

pub(crate) mod common_parts;
pub(crate) mod cost_to_go;
pub(crate) mod decompositions;
pub(crate) mod last_steps;

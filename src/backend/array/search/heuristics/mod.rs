//! Decompositions from the e-graph, and estimates of the cost of a kernel. They guide searches and prove nothing.

pub(crate) mod common_parts;
pub(crate) mod cost_to_go;
pub(crate) mod decompositions;
pub(crate) mod last_steps;
mod lines;
mod quotients;
pub(crate) mod weights;

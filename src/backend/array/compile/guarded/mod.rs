//! Joins the stages of a check of a program with conditions or digital registers.

mod steps;
mod inputs;
mod pipeline;
mod against;
mod words;
mod record;
mod check;

pub use check::{Guarded, check_guarded};
pub use steps::Steps;

pub(super) use steps::{named_cell, trouble_text};
pub(super) use words::{Quoted, Words};

//! Joins the stages of a check of a program with conditions or digital registers.

mod steps;
mod inputs;
mod pipeline;
mod against;
mod record;
mod check;

pub use check::Guarded;
pub use steps::Steps;

pub(super) use check::check_guarded;
pub(super) use steps::named_cell;

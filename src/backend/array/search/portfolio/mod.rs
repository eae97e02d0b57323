//! The whole search for a filter: a fixed schedule of ever wider searches, until the budget ends.

pub(crate) mod archive;
pub(crate) mod schedule;
mod widths;

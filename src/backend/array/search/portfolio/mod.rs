//! The whole search for a filter: a fixed schedule of searches, wider and wider, until the budget ends.

pub(crate) mod archive;
pub(crate) mod schedule;

//! Exhaustive search: it finds optima, and proves that no cheaper program exists.

pub(crate) mod endgame;
pub(crate) mod endgame_table;
pub(crate) mod endgame_ways;
pub(crate) mod exhaustive;
pub(crate) mod extent;
pub(crate) mod fingerprint;
pub(crate) mod growth;
pub(crate) mod held;
pub(crate) mod linear;
pub(crate) mod lookahead;
pub(crate) mod pixels;
pub(crate) mod progress;
pub(crate) mod spread;
pub(crate) mod sums;
pub(crate) mod symmetry;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod totals;

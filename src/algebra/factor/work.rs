//! The work budget of a factorisation.

/// Counts work, in units of about one coefficient touched, and returns whether any budget is left.
pub type Spend<'a> = &'a dyn Fn(u64) -> bool;

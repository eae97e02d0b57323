//! What a factorisation may spend.

/// Counts work, in units of about one coefficient touched, and says whether there is more.
pub type Spend<'a> = &'a dyn Fn(u64) -> bool;

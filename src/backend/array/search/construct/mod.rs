//! Programs that are constructed without a search for the whole: tap by tap, and from programs of coarser instructions.

pub(crate) mod horner;
pub(crate) mod idioms;
pub(crate) mod refine;

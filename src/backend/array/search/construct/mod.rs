//! Programs built without a global search: tap by tap, and from programs of coarser instructions.

pub(crate) mod copies;
pub(crate) mod horner;
pub(crate) mod idioms;
pub(crate) mod refine;
pub(crate) mod repeats;

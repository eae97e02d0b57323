//! Beam search, backwards from the outputs: over whole programs, and over the pieces that a kernel is cut into.

pub(crate) mod beam;
pub(crate) mod expand;
pub(crate) mod pieces;

//! Target machines: descriptors, straight-line programs, and what an instruction search needs to know of an instruction set.

pub mod form;

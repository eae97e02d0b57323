//! Several outputs: searches one by one, and local search on their programs together.

pub(crate) mod one_by_one;
pub(crate) mod together;

//! Several outputs: searched for one by one, and what their programs become together.

pub(crate) mod one_by_one;
pub(crate) mod together;

//! Checks of programs for vector machines: `tensor` of compiled ones, `lanes` of code written by hand.

pub mod lanes;
pub mod tensor;

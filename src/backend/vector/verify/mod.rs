//! Checks of programs for vector machines: `tensor` for compiled programs, `lanes` for hand-written code.

pub mod lanes;
pub mod tensor;

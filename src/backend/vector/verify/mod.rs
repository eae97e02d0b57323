//! Checks of programs for vector machines: `tensor` for compiled programs, `emitted` for their C++, `lanes` for hand-written code.

pub mod lanes;
pub mod tensor;
pub mod emitted;

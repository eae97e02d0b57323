//! The data of all searches: values that registers can hold, instructions, the steps of a program, and its registers.

pub(crate) mod bounds;
pub(crate) mod coverage;
pub(crate) mod divisions;
pub(crate) mod recipe;
pub(crate) mod registers;
pub(crate) mod step;
pub(crate) mod value;

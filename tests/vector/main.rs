//! Vector machines: programs, their C++, and the check of hand-written code.

mod code_request;
mod vliw_bytes;

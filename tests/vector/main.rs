//! Vector machines: programs, their C++, and the check of hand-written code.

#[path = "../listed.rs"]
mod listed;
mod check_code;
mod code_request;
mod vliw_bytes;

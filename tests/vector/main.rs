//! Vector machines: programs, their C++, and the check of hand-written code.

#[path = "../listed.rs"]
mod listed;
mod check_code;
mod vliw_bytes;
mod vliw_command;
mod vliw_cpp;
mod vliw_filters;
mod vliw_operands;
mod vyasa;

//! Vector machines: programs, their C++, and the check of hand-written code.

mod vliw_bytes;

//! See `kalg_fuzz::program`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kalg_fuzz::program(bytes));

//! See `kalg_fuzz::json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kalg_fuzz::json(bytes));

//! See `kalg_fuzz::rules`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kalg_fuzz::rules(bytes));

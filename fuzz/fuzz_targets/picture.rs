//! See `kalg_fuzz::picture`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kalg_fuzz::picture(bytes));

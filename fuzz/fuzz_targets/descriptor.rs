//! See `kalg_fuzz::descriptor`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kalg_fuzz::descriptor(bytes));

//! See `kalg_fuzz::vector_code`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kalg_fuzz::vector_code(bytes));

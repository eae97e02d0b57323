//! See `kalg_fuzz::kernel_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| kalg_fuzz::kernel_file(bytes));

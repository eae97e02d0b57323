//! Pixel-processor arrays: what instructions mean, what programs are found, that each is right.

#[path = "../listed.rs"]
mod listed;
mod check_corpus;
mod check_properties;
mod compiled;
mod generated;
mod scamp5_instructions;
mod scamp5_programs;
mod target_files;

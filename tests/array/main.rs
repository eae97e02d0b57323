//! Pixel-processor arrays: the meaning of instructions, the programs found, and their correctness.

mod best_known;
mod digital_instructions;
mod guarded_properties;
mod scamp5_instructions;
mod target_files;

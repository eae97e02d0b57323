//! Pixel-processor arrays: what instructions mean, what programs are found, that each is right.

#[path = "../listed.rs"]
mod listed;
mod check_corpus;
mod check_properties;
mod compiled;
mod corpus;
mod figures;
mod generated;
mod large;
mod objectives;
mod optimum;
mod properties;
mod scamp5_instructions;
mod scamp5_programs;
mod search_requests;
mod several;
mod target_files;

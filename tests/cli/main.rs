//! The commands as their users run them.

mod batch;
mod bench;
mod book;
mod check;
mod command;
mod explain;
mod fuzz_corpus;
mod run;

//! The commands as users run them.

#[path = "../scratch.rs"]
mod scratch;
mod check;
mod command;
mod import;
mod kinds;
mod pages;
mod pipelines;
mod process;
mod shell;

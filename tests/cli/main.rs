//! The commands as users run them.

mod check;
mod command;
mod import;
mod pages;
mod pipelines;
mod process;
mod shell;

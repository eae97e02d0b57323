//! The commands as users run them.

mod check;
mod command;
mod pages;
mod pipelines;
mod shell;

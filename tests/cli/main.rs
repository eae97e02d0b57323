//! The commands as their users run them.

mod batch;
mod bench;
mod check;
mod command;
mod explain;
mod run;

//! The commands as users run them.

mod batch;
mod bench;
mod check;
mod command;
mod explain;
mod pipelines;
mod run;

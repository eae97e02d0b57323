//! The commands as users run them.

mod batch;
mod check;
mod command;
mod pages;
mod pipelines;
mod run;

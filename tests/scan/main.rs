//! Machines in scan order: what their command takes. Plans and their code are in the sweep.

#[path = "../scratch.rs"]
mod scratch;
mod stream;
mod stream_command;

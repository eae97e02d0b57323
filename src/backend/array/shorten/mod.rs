//! Shortens whole programs with conditions and digital registers: removes what changes nothing that is kept, remakes windows of digital
//! instructions, and searches every linear stretch under one state of the flag for a cheaper program.
//!
//! Linear programs are compiled from the filter that they compute, which leaves the search more freedom.

mod flat;
mod live;
mod stretch;
mod replace;
mod same;
mod digital;
mod order;
mod record;
mod join;

pub use flat::Flat;
pub use join::shorten;

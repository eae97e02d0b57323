//! Shortens the digital part of a program: copies that nothing needs, and windows of a few digital lines, each remade by the cheapest
//! instructions that leave the same in the bits that are live after it, whatever stands at the edge of the array.

mod numbers;
mod table;
mod window;
mod candidates;
mod remake;
mod copies;
mod proof;
mod windows;

pub(super) use windows::{Remake, digital};

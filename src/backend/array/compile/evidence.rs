//! The results of a compilation, from which its record is made.

use super::choose::{Candidate, Compiled};
use super::meter::Meter;
use super::solved::Solved;
use crate::algebra::{Placed, Turn};
use crate::backend::array::verify::Verdict;
use crate::report::{Port, RangeRecord};
use crate::term::FilterSource;

/// A program that passed its checks.
pub(super) struct Checked<'a> {
    pub(super) chosen: &'a Candidate<'a>,
    pub(super) verdict: Verdict,
    pub(super) range: Option<RangeRecord>,
}

/// The results of a compilation.
pub(super) struct Evidence<'a> {
    pub(super) filter: &'a FilterSource,
    /// The outputs as the file states them.
    pub(super) exact: &'a [(String, Placed)],
    /// The variant of the reported program.
    pub(super) of: &'a Compiled,
    pub(super) meter: Option<&'a Meter>,
    pub(super) checked: Option<&'a Checked<'a>>,
    pub(super) front: Option<&'a [Candidate<'a>]>,
    pub(super) solved: &'a Solved,
    /// The turn from the orientation of the search to the filter's.
    pub(super) back: Turn,
    pub(super) seconds: f64,
}

/// Names with their registers.
pub(super) fn port_list(names: &[String], registers: impl Iterator<Item = Option<String>>) -> Vec<Port> {
    names.iter().zip(registers).map(|(name, register)| Port { name: name.clone(), register }).collect()
}

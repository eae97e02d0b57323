//! The results of a compilation, from which its record is made.

use super::choose::{Candidate, Compiled};
use super::meter::Meter;
use crate::algebra::Placed;
use crate::backend::array::verify::Verdict;
use crate::report::{NoProgram, Port, RangeRecord};
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
    pub(super) no_program: Option<NoProgram>,
    /// The number of search states over all searches.
    pub(super) nodes: u64,
    pub(super) seconds: f64,
}

/// Names with their registers.
pub(super) fn port_list(names: &[String], registers: impl Iterator<Item = Option<String>>) -> Vec<Port> {
    names.iter().zip(registers).map(|(name, register)| Port { name: name.clone(), register }).collect()
}

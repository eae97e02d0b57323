//! What the searches for a filter in one orientation found.

use super::account::Account;
use super::choose::{Candidate, Compiled};
use super::meter::Meter;
use crate::report::NoProgram;

/// The result of all searches for a filter in one orientation.
pub(super) struct Solved {
    pub(super) compiled: Vec<Compiled>,
    /// The program to report.
    pub(super) best: Option<Pick>,
    /// The Pareto front, if it was asked for.
    pub(super) front: Option<Vec<Pick>>,
    pub(super) account: Account,
    pub(super) no_program: Option<NoProgram>,
    /// The search states over all searches.
    pub(super) nodes: u64,
    pub(super) seconds: f64,
}

/// A program among those found.
#[derive(Clone, Copy)]
pub(super) struct Pick {
    /// The index of its variant.
    pub(super) of: usize,
    /// Its index among the programs of the variant.
    pub(super) code: usize,
}

impl Pick {
    pub(super) fn new(compiled: &[Compiled], candidate: &Candidate<'_>) -> Option<Self> {
        let of = compiled.iter().position(|compiled| std::ptr::eq(compiled, candidate.of))?;
        let code = compiled[of].codes().position(|code| std::ptr::eq(code, candidate.code))?;
        Some(Self { of, code })
    }

    /// The program with its properties; `None` if it may overflow.
    pub(super) fn candidate<'a>(
        self,
        compiled: &'a [Compiled],
        meter: Option<&'a Meter>,
    ) -> Option<Candidate<'a>> {
        let of = &compiled[self.of];
        of.candidate(of.codes().nth(self.code)?, meter)
    }
}

//! Local search: a program is improved by replacing parts of it.

pub(crate) mod rematerialise;
pub(crate) mod settle;
pub(crate) mod windows;

/// Weight of the noise in the estimates of the beams, so that the same part is replaced in many ways.
const NOISE: f32 = 0.5;

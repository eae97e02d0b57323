//! Exact mathematics: coefficients, semirings, index spaces, kernels, scans, filters and footprints. No text, no I/O.

mod error;
mod rational;
mod semiring;
mod space;
mod matrix;
mod footprint;
mod kernel;
mod filter;
mod scan;
pub mod approximate;
mod shape;
mod convert;
#[cfg(test)]
mod testing;

pub use error::{AlgebraError, CoefficientError};
pub use filter::Filter;
pub use footprint::{Border, Footprint};
pub use kernel::{Difference, Kernel};
pub use rational::Rational;
pub use scan::Scan;
pub use semiring::{
    Extended, MaxPlus, MinPlus, OrAnd, PlusTimes, Ring, Semiring, SemiringInfo, SemiringVisitor, Truth,
    semirings, with_semiring,
};
pub use shape::{Label, Placed, Shape};
use space::within_reach;
pub use space::{
    Axis, Bounds, MAX_PLACES, MAX_REACH, MAX_STEPS, ORIGIN, Offset, Space, add_offsets, negate_offset,
};

/// The greatest common divisor; that of zero and n is n.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

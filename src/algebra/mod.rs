//! Exact mathematics: coefficients, semirings, index spaces, kernels, scans, filters and footprints. It reads and writes
//! neither text nor files.

mod offset;
mod error;
mod rational;
mod semiring;
mod space;
mod matrix;
mod footprint;
mod kernel;
mod filter;
mod scan;
pub mod adders;
pub mod approximate;
pub mod factor;
pub(crate) mod field;
pub mod nearby;
pub mod rank;
mod random;
mod poles;
mod shape;
mod relation;
mod convert;
mod lattice;
mod turn;
#[cfg(test)]
mod testing;

pub use error::{AlgebraError, CoefficientError, NoSolution};
pub use filter::Filter;
pub use footprint::{Border, Footprint};
pub use kernel::{Difference, Kernel};
pub(crate) use matrix::aligned;
pub use offset::{MAX_PLACES, MAX_REACH, MAX_STEPS, ORIGIN, Offset};
pub use random::Random;
pub use rational::Rational;
pub use relation::{Mismatch, Relation, carrier, mismatches};
pub use scan::Scan;
pub(crate) use semiring::in_semiring;
pub use semiring::{
    Arithmetic, Choice, Extended, MaxPlus, MinPlus, OrAnd, PlusTimes, Ring, Semiring, SemiringInfo, Truth,
    semirings,
};
pub use shape::{Label, Placed, Shape};
pub(crate) use space::place;
use space::within_reach;
pub use space::{Axis, Bounds, add_offsets, negate_offset};
pub use turn::Turn;

/// The greatest common divisor; that of zero and n is n.
///
/// It halves and subtracts: most denominators are powers of two, which need no division and only one iteration.
pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if a == 0 || b == 0 {
        return a | b;
    }
    let twos = (a | b).trailing_zeros();
    let (mut a, mut b) = (a >> a.trailing_zeros(), b >> b.trailing_zeros());
    while a != 1 && b != 1 && a != b {
        let difference = a.abs_diff(b);
        b = a.min(b);
        a = difference >> difference.trailing_zeros();
    }
    a.min(b) << twos
}

/// The multiset difference of `all` and `some`.
pub(crate) fn without<T: Copy + PartialEq>(all: &[T], some: &[T]) -> Vec<T> {
    let mut left = some.to_vec();
    let is_extra = |one: &&T| match left.iter().position(|other| other == *one) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    };
    all.iter().filter(is_extra).copied().collect()
}

/// The least common multiple of two positive numbers; `None` if it is too large.
pub(crate) fn lcm<N: TryInto<u64> + TryFrom<u64>>(a: N, b: N) -> Option<N> {
    let (a, b): (u64, u64) = (a.try_into().ok()?, b.try_into().ok()?);
    N::try_from((a / gcd(a, b)).checked_mul(b)?).ok()
}

//! Random elements and kernels of every semiring, for tests of laws.

use proptest::prelude::*;

use super::{Extended, Kernel, MaxPlus, MinPlus, Offset, OrAnd, PlusTimes, Rational, Semiring, Truth};

/// A semiring with random elements, small enough that no test overflows.
pub(super) trait Sample: Semiring {
    /// Random elements, often zero and one.
    fn element() -> BoxedStrategy<Self::Element>;
}

fn rational() -> BoxedStrategy<Rational> {
    (-12i64..=12, prop_oneof![Just(1i64), Just(2), Just(3), Just(8)])
        .prop_map(|(n, d)| Rational::new(n, d).unwrap())
        .boxed()
}

fn extended() -> BoxedStrategy<Extended> {
    prop_oneof![
        6 => rational().prop_map(Extended::Finite),
        1 => Just(Extended::NegativeInfinity),
        1 => Just(Extended::PositiveInfinity),
    ]
    .boxed()
}

impl Sample for PlusTimes {
    fn element() -> BoxedStrategy<Rational> {
        rational()
    }
}

impl Sample for MinPlus {
    fn element() -> BoxedStrategy<Extended> {
        extended()
    }
}

impl Sample for MaxPlus {
    fn element() -> BoxedStrategy<Extended> {
        extended()
    }
}

impl Sample for OrAnd {
    fn element() -> BoxedStrategy<Truth> {
        any::<bool>().prop_map(Truth).boxed()
    }
}

/// Offsets near the origin.
pub(super) fn offset() -> impl Strategy<Value = Offset> {
    [-3i32..=3, -3i32..=3, -1i32..=1]
}

/// Kernels with up to seven taps, including zeros and holes.
pub(super) fn kernel<S: Sample>() -> impl Strategy<Value = Kernel<S>> {
    prop::collection::vec((offset(), S::element()), 0..8).prop_map(|taps| Kernel::from_taps(&taps).unwrap())
}

/// The cases of a law in one semiring: there are four, and each case is a law of several kernels.
pub(super) fn cases() -> proptest::test_runner::Config {
    proptest::test_runner::Config::with_cases(64)
}

/// One property test for each semiring, with `S` standing for it.
macro_rules! laws_for_every_semiring {
    (fn $name:ident<S>($($arg:ident in $strategy:expr),+ $(,)?) $body:block) => {
        mod $name {
            $crate::algebra::testing::laws_for_every_semiring!(@one plus_times, PlusTimes, ($($arg in $strategy),+) $body);
            $crate::algebra::testing::laws_for_every_semiring!(@one min_plus, MinPlus, ($($arg in $strategy),+) $body);
            $crate::algebra::testing::laws_for_every_semiring!(@one max_plus, MaxPlus, ($($arg in $strategy),+) $body);
            $crate::algebra::testing::laws_for_every_semiring!(@one or_and, OrAnd, ($($arg in $strategy),+) $body);
        }
    };
    (@one $module:ident, $semiring:ident, ($($arg:ident in $strategy:expr),+) $body:block) => {
        mod $module {
            #[allow(unused_imports, reason = "each set of laws uses a part of what its file imports")]
            use super::super::*;
            type S = crate::algebra::$semiring;
            proptest::proptest! {
                #![proptest_config($crate::algebra::testing::cases())]
                #[test]
                fn holds($($arg in $strategy),+) $body
            }
        }
    };
}
pub(super) use laws_for_every_semiring;

//! The laws of a commutative semiring, for every semiring; and counter-examples where a law of rings does not hold.

use super::*;
use crate::algebra::Rational;
use crate::algebra::testing::{Sample, laws_for_every_semiring};
use proptest::prelude::*;

fn check_laws<S: Semiring>(a: S::Element, b: S::Element, c: S::Element) -> Result<(), TestCaseError> {
    let add = |x, y| S::add(x, y).unwrap();
    let mul = |x, y| S::mul(x, y).unwrap();
    let (zero, one) = (S::zero(), S::one());
    prop_assert_eq!(add(add(a, b), c), add(a, add(b, c)));
    prop_assert_eq!(add(a, b), add(b, a));
    prop_assert_eq!(add(a, zero), a);
    prop_assert_eq!(mul(mul(a, b), c), mul(a, mul(b, c)));
    prop_assert_eq!(mul(a, b), mul(b, a));
    prop_assert_eq!(mul(a, one), a);
    prop_assert_eq!(mul(a, add(b, c)), add(mul(a, b), mul(a, c)));
    prop_assert_eq!(mul(a, zero), zero);
    prop_assert_eq!(S::is_zero(a), a == zero);
    if let Some(choice) = S::CHOICE {
        prop_assert_eq!(add(a, a), a);
        if let (Some(v), Some(w)) = (S::weight(a), S::weight(b)) {
            let chosen = if choice == Choice::Least { v.min(w) } else { v.max(w) };
            prop_assert_eq!(S::weight(add(a, b)), Some(chosen));
            prop_assert_eq!(S::weight(mul(a, b)), Some(v + w));
            prop_assert_eq!(S::of_weight(v), Some(a));
        }
    }
    match S::negate(a) {
        Some(opposite) => prop_assert_eq!(add(a, opposite), zero),
        None => prop_assert!(!S::has_negation()),
    }
    prop_assert_eq!(S::parse(&a.to_string()), Ok(a));
    if let Some(inverse) = S::reciprocal(a) {
        prop_assert_eq!(mul(a, inverse), one);
    }
    if let Some(number) = S::number(a) {
        prop_assert_eq!(S::of(number), Some(a));
        prop_assert_eq!(number.to_string(), a.to_string());
    }
    Ok(())
}

laws_for_every_semiring! {
    fn semiring_laws<S>(a in S::element(), b in S::element(), c in S::element()) {
        check_laws::<S>(a, b, c)?;
    }
}

#[test]
fn every_semiring_is_listed_under_its_own_name() {
    let names: Vec<_> = semirings().iter().map(|info| info.name).collect();
    assert_eq!(names, ["plus-times", "min-plus", "max-plus", "or-and"]);
    for name in names {
        assert_eq!(in_semiring!(name, |S| S::NAME), Some(name));
    }
    assert_eq!(in_semiring!("plus", |S| S::NAME), None);
}

#[test]
fn only_plus_times_has_negation() {
    let with: Vec<_> =
        semirings().into_iter().filter(|info| info.has_negation).map(|info| info.name).collect();
    assert_eq!(with, ["plus-times"]);
}

#[test]
fn idempotent_addition_leaves_no_room_for_negation() {
    // If a + a = a, a negation of one would imply one = zero: no element adds to one to give zero.
    for value in
        [Extended::NegativeInfinity, Extended::integer(-1), Extended::ZERO, Extended::PositiveInfinity]
    {
        assert_ne!(MinPlus::add(MinPlus::one(), value), Some(MinPlus::zero()));
        assert_ne!(MaxPlus::add(MaxPlus::one(), value), Some(MaxPlus::zero()));
    }
    for value in [Truth(false), Truth(true)] {
        assert_ne!(OrAnd::add(OrAnd::one(), value), Some(OrAnd::zero()));
    }
}

#[test]
fn plus_times_is_not_idempotent() {
    assert_ne!(PlusTimes::add(PlusTimes::one(), PlusTimes::one()), Some(PlusTimes::one()));
}

#[test]
fn the_zero_annihilates_the_other_infinity() {
    use Extended::{NegativeInfinity as Low, PositiveInfinity as High};
    assert_eq!((MinPlus::mul(Low, High), MaxPlus::mul(Low, High)), (Some(High), Some(Low)));
    assert_eq!(
        (MinPlus::mul(Low, MinPlus::one()), MaxPlus::mul(MaxPlus::one(), High)),
        (Some(Low), Some(High))
    );
}

#[test]
fn an_overflow_shows_the_operation() {
    let big = Extended::integer(i64::MAX);
    assert_eq!(MinPlus::add(big, big), Some(big));
    let error = MinPlus::try_mul(big, Extended::integer(1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "overflow: `9223372036854775807 + 1` does not fit in a coefficient of `min-plus`"
    );
    let error = PlusTimes::try_mul(Rational::integer(i64::MAX), Rational::integer(2)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "overflow: `9223372036854775807 × 2` does not fit in a coefficient of `plus-times`"
    );
}

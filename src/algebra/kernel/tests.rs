//! The laws of kernels over every semiring, and the difference between a zero and an untouched place.

use super::*;
use crate::algebra::testing::{Sample, kernel, laws_for_every_semiring, offset};
use crate::algebra::{Extended, MinPlus, ORIGIN, OrAnd, PlusTimes, Rational, Truth};
use proptest::prelude::*;

fn check_laws<S: Sample>(
    [a, b, c]: [&Kernel<S>; 3],
    factor: S::Element,
    by: Offset,
) -> Result<(), TestCaseError> {
    let add = |x: &Kernel<S>, y: &Kernel<S>| x.add(y).unwrap();
    let compose = |x: &Kernel<S>, y: &Kernel<S>| x.compose(y).unwrap();
    let (zero, one) = (Kernel::zero(), Kernel::identity());
    // With footprints, kernels are a commutative semiring whose zero is the kernel that touches nothing.
    prop_assert_eq!(add(&add(a, b), c), add(a, &add(b, c)));
    prop_assert_eq!(add(a, b), add(b, a));
    prop_assert_eq!(&add(a, &zero), a);
    prop_assert_eq!(compose(&compose(a, b), c), compose(a, &compose(b, c)));
    prop_assert_eq!(compose(a, b), compose(b, a));
    prop_assert_eq!(&compose(a, &one), a);
    prop_assert_eq!(compose(a, &add(b, c)), add(&compose(a, b), &compose(a, c)));
    prop_assert_eq!(compose(a, &zero), zero.clone());
    // Scaling is composition with a single entry at the origin, and shifting is composition with a unit elsewhere.
    prop_assert_eq!(a.scale(factor).unwrap(), compose(a, &Kernel::monomial(ORIGIN, factor).unwrap()));
    prop_assert_eq!(a.shift(by).unwrap(), compose(a, &Kernel::monomial(by, S::one()).unwrap()));
    prop_assert_eq!(compose(a, b).scale(factor).unwrap(), compose(&a.scale(factor).unwrap(), b));
    prop_assert_eq!(a.power(3).unwrap(), compose(a, &compose(a, a)));
    // Trimming changes only the footprint, not the values.
    prop_assert!(a.trimmed().equal_values(a) && a.equal_values(&a.trimmed()));
    prop_assert_eq!(a.equal_values(b), a.trimmed() == b.trimmed());
    prop_assert_eq!(a.equal_values(b), a.differences(b).unwrap().is_empty());
    if S::CHOICE.is_some() {
        prop_assert_eq!(&add(a, a), a);
    }
    match a.negate() {
        Some(opposite) => {
            let sum = add(a, &opposite);
            prop_assert!(sum.is_zero());
            prop_assert_eq!(sum.footprint(), a.footprint());
        }
        None => prop_assert_eq!(a.sub(b), Err(AlgebraError::NoNegation { semiring: S::NAME })),
    }
    Ok(())
}

laws_for_every_semiring! {
    fn kernel_laws<S>(a in kernel::<S>(), b in kernel::<S>(), c in kernel::<S>(), factor in S::element(), by in offset()) {
        check_laws([&a, &b, &c], factor, by)?;
    }
}

laws_for_every_semiring! {
    fn composition_is_the_defining_double_sum<S>(a in kernel::<S>(), b in kernel::<S>()) {
        let mut products = Vec::new();
        for (p, x) in a.taps() {
            for (q, y) in b.taps() {
                products.push(([p[0] + q[0], p[1] + q[1], p[2] + q[2]], S::mul(x, y).unwrap()));
            }
        }
        prop_assert_eq!(a.compose(&b).unwrap(), Kernel::from_taps(&products).unwrap());
    }
}

laws_for_every_semiring! {
    fn printed_rows_read_back<S>(a in kernel::<S>()) {
        let flat: Vec<_> = a.taps().filter(|(offset, _)| offset[2] == 0).collect();
        let kernel = Kernel::<S>::from_taps(&flat).unwrap();
        let read = |text: &str| (text != ".").then(|| S::parse(text).unwrap());
        let rows: Vec<Vec<_>> =
            kernel.to_string().lines().map(|line| line.split_whitespace().map(read).collect()).collect();
        prop_assert_eq!(Kernel::from_rows(&rows, None).unwrap(), kernel);
    }
}

fn row(values: &[i64]) -> Kernel<PlusTimes> {
    let row: Vec<_> = values.iter().map(|v| Some(Rational::integer(*v))).collect();
    Kernel::from_rows(&[row], None).unwrap()
}

#[test]
fn zero_is_not_nothing() {
    let (with, without) = (row(&[0, 1, 0]), row(&[1]));
    assert_ne!(with, without);
    assert!(with.equal_values(&without));
    assert_eq!((with.get([1, 0, 0]), without.get([1, 0, 0])), (Some(Rational::ZERO), None));
    assert_eq!((with.border().east, without.border().east), (1, 0));
    // Adding the opposite gives zeros, not the empty kernel: only the values form a ring.
    assert_ne!(with.add(&with.opposite()).unwrap(), Kernel::zero());
    assert_eq!(with.scale(Rational::ZERO).unwrap(), Kernel::zeros(with.footprint().clone()));
}

#[test]
fn composition_has_no_inverse_beyond_monomials() {
    // The product of the extreme taps cannot cancel: a kernel of width two times any kernel is wider than one tap.
    let pair = row(&[0, 1, 1]).trimmed();
    for other in [row(&[1, -1, 1]), row(&[1, 1, 1]), row(&[2, -1, 0])] {
        assert!(pair.compose(&other).unwrap().nonzero_count() > 1);
    }
    let there = Kernel::<PlusTimes>::monomial([2, -1, 0], Rational::integer(4)).unwrap();
    let back = Kernel::monomial([-2, 1, 0], Rational::new(1, 4).unwrap()).unwrap();
    assert_eq!(there.compose(&back).unwrap(), Kernel::identity());
}

#[test]
fn no_kernel_adds_to_another_to_give_nothing_where_sums_are_minima() {
    let one = Kernel::<MinPlus>::identity();
    for value in [Extended::NegativeInfinity, Extended::integer(-3), Extended::PositiveInfinity] {
        assert!(!one.add(&Kernel::monomial(ORIGIN, value).unwrap()).unwrap().is_zero());
    }
    assert_eq!(one.negate(), None);
    assert_eq!(Kernel::<OrAnd>::zero().negate(), None);
}

#[test]
fn cancellation_fails_where_sums_are_or() {
    // a ∘ b = a ∘ c does not give b = c: 1 + x + x² absorbs the middle.
    let taps = |xs: &[i32]| {
        Kernel::<OrAnd>::from_taps(&xs.iter().map(|x| ([*x, 0, 0], Truth(true))).collect::<Vec<_>>()).unwrap()
    };
    let (a, b, c) = (taps(&[0, 1, 2]), taps(&[0, 2]), taps(&[0, 1, 2]));
    assert_ne!(b, c);
    assert_eq!(a.compose(&b), a.compose(&c));
}

#[test]
fn matrices_are_checked() {
    let tap = Some(Rational::ONE);
    let read = |rows: &[Vec<Option<Rational>>], origin| {
        Kernel::<PlusTimes>::from_rows(rows, origin).map_err(|error| error.to_string())
    };
    assert_eq!(
        read(&[vec![tap; 3], vec![tap; 2]], None),
        Err("row 2 has 2 entries, but the first row has 3".into())
    );
    assert_eq!(
        read(&[vec![tap; 2]], None),
        Err("a 2×1 matrix has no middle: give its origin, or an odd width and height".into())
    );
    assert!(read(&[], None).is_err());
    assert_eq!(
        read(&[vec![tap; 2]], Some((2, 0))),
        Err("the origin (column 2, row 0, counted from 0) is outside the 2×1 matrix".into())
    );
    assert_eq!(
        read(&[vec![tap, None], vec![None, tap]], Some((0, 0))).unwrap().to_string(),
        ". . .\n. 1 .\n. . 1"
    );
}

#[test]
fn first_row_is_north() {
    let kernel = Kernel::<PlusTimes>::from_rows(&[[Some(Rational::ONE)], [None], [None]], None).unwrap();
    assert_eq!(kernel.nonzero_taps().collect::<Vec<_>>(), [([0, 1, 0], Rational::ONE)]);
}

#[test]
fn overflow_and_excess_are_errors() {
    let big = row(&[i64::MAX]);
    assert!(matches!(big.add(&big), Err(AlgebraError::Overflow { .. })));
    assert!(matches!(big.compose(&big), Err(AlgebraError::Overflow { .. })));
    assert!(matches!(big.scale(Rational::integer(2)), Err(AlgebraError::Overflow { .. })));
    assert!(matches!(big.shift([i32::MAX, 0, 0]), Err(AlgebraError::TooFar { .. })));
    let far = big.shift([1 << 20, 0, 0]).unwrap();
    assert!(matches!(far.compose(&far), Err(AlgebraError::TooFar { .. })));
    let north = big.shift([0, 1 << 10, 0]).unwrap();
    assert!(matches!(far.add(&north), Err(AlgebraError::TooLarge { .. })));
    let wide = Kernel::<OrAnd>::from_dense(
        Bounds::between(ORIGIN, [999, 999, 0]).unwrap(),
        vec![Truth(true); 1_000_000],
    );
    assert!(matches!(wide.compose(&wide), Err(AlgebraError::TooMuchWork { .. })));
}

#[test]
fn distant_kernels_and_volumes_say_where_they_stand() {
    assert_eq!(
        row(&[1, 2, 3]).shift([100, 0, 0]).unwrap().to_string(),
        "north-west corner at (99, 0):\n1 2 3"
    );
    let volume =
        Kernel::<PlusTimes>::from_taps(&[([0, 0, 1], Rational::ONE), ([0; 3], Rational::integer(-2))]);
    assert_eq!(volume.unwrap().to_string(), "z = 1:\n1\nz = 0:\n-2");
    assert_eq!(Kernel::<PlusTimes>::zero().to_string(), ".");
}

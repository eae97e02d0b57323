//! The laws of filters, and the laws of matrices that they share or lack.

use super::*;
use crate::algebra::testing::{Sample, kernel, laws_for_every_semiring};
use crate::algebra::{MinPlus, PlusTimes, Rational};
use proptest::prelude::*;

const CHANNELS: [&str; 2] = ["a", "b"];

fn filter<S: Sample>() -> impl Strategy<Value = Filter<S>> {
    prop::collection::vec(kernel::<S>(), 4).prop_map(|kernels| Filter {
        inputs: CHANNELS.map(str::to_owned).to_vec(),
        outputs: CHANNELS.map(str::to_owned).to_vec(),
        kernels,
    })
}

fn check_laws<S: Sample>([f, g, h]: [&Filter<S>; 3], factor: S::Element) -> Result<(), TestCaseError> {
    let add = |x: &Filter<S>, y: &Filter<S>| x.add(y).unwrap();
    let compose = |x: &Filter<S>, y: &Filter<S>| x.compose(y).unwrap();
    let (zero, one) = (Filter::zero(CHANNELS, CHANNELS).unwrap(), Filter::identity(CHANNELS).unwrap());
    prop_assert_eq!(add(&add(f, g), h), add(f, &add(g, h)));
    prop_assert_eq!(add(f, g), add(g, f));
    prop_assert_eq!(&add(f, &zero), f);
    prop_assert_eq!(compose(&compose(f, g), h), compose(f, &compose(g, h)));
    prop_assert_eq!(&compose(f, &one), f);
    prop_assert_eq!(&compose(&one, f), f);
    prop_assert_eq!(compose(f, &add(g, h)), add(&compose(f, g), &compose(f, h)));
    prop_assert_eq!(compose(&add(f, g), h), add(&compose(f, h), &compose(g, h)));
    prop_assert_eq!(compose(f, &zero), zero.clone());
    prop_assert_eq!(compose(&zero, f), zero);
    prop_assert_eq!(compose(f, g).scale(factor).unwrap(), compose(&f.scale(factor).unwrap(), g));
    // Composition distributes over the stacking of outputs, from the right.
    let (top, bottom) = (f.select(&["a"]).unwrap(), f.select(&["b"]).unwrap());
    prop_assert_eq!(&Filter::combine(&[top.clone(), bottom.clone()]).unwrap(), f);
    prop_assert_eq!(Filter::combine(&[compose(&top, g), compose(&bottom, g)]).unwrap(), compose(f, g));
    prop_assert!(f.equal_values(&f.select(&["b", "a"]).unwrap()));
    Ok(())
}

laws_for_every_semiring! {
    fn filter_laws<S>(f in filter::<S>(), g in filter::<S>(), h in filter::<S>(), factor in S::element()) {
        check_laws::<S>([&f, &g, &h], factor)?;
    }
}

fn unit<S: Semiring>(x: i32) -> Kernel<S> {
    Kernel::monomial([x, 0, 0], S::one()).unwrap()
}

fn not_commutative<S: Semiring>() {
    let swap = Filter::<S>::zero(CHANNELS, CHANNELS)
        .and_then(|f| f.with("a", "b", unit(0)))
        .and_then(|f| f.with("b", "a", unit(0)))
        .unwrap();
    let move_a = Filter::<S>::identity(CHANNELS).unwrap().with("a", "a", unit(1)).unwrap();
    assert_ne!(swap.compose(&move_a), move_a.compose(&swap));
    assert!(!swap.compose(&move_a).unwrap().equal_values(&move_a.compose(&swap).unwrap()));
}

#[test]
fn composition_of_filters_is_not_commutative() {
    not_commutative::<PlusTimes>();
    not_commutative::<MinPlus>();
}

#[test]
fn pass_through_keeps_what_is_not_named() {
    let program = Filter::<PlusTimes>::row("a", [("image", unit(1))]).unwrap();
    let program = Filter::combine(&[program, Filter::single("image", "b", unit(2))]).unwrap();
    // b := a + b; a is kept.
    let instruction = Filter::row("b", [("a", unit(0)), ("b", unit(0))]).unwrap();
    let after = instruction.pass_through(program.outputs()).unwrap().compose(&program).unwrap();
    assert_eq!(after.outputs(), ["b", "a"]);
    assert_eq!(after.kernel("a", "image"), Some(&unit(1)));
    assert_eq!(after.kernel("b", "image"), Some(&unit(1).add(&unit(2)).unwrap()));
}

#[test]
fn sums_join_channels_by_name() {
    let red = Filter::<PlusTimes>::single("red", "grey", unit(0));
    let green = Filter::single("green", "grey", unit(0).scale(Rational::integer(2)).unwrap());
    let grey = red.add(&green).unwrap();
    assert_eq!((grey.inputs(), grey.outputs().len()), (&["red".to_owned(), "green".to_owned()][..], 1));
    assert_eq!(grey.to_string(), "grey <- red:\n1\ngrey <- green:\n2");
    assert!(grey.sub(&green).unwrap().equal_values(&red));
}

#[test]
fn channels_are_checked() {
    let identity = Filter::<PlusTimes>::identity(CHANNELS).unwrap();
    let message = |result: Result<Filter<PlusTimes>, AlgebraError>| result.unwrap_err().to_string();
    assert_eq!(message(Filter::identity(["a", "a"])), "the channel `a` is given twice");
    assert_eq!(
        message(Filter::combine(&[identity.clone(), identity.clone()])),
        "the channel `a` is given twice"
    );
    assert_eq!(message(identity.select(&["c"])), "there is no channel `c` among `a`, `b`");
    assert_eq!(
        message(Filter::single("c", "out", unit(0)).compose(&identity)),
        "there is no channel `c` among `a`, `b`"
    );
}

#[test]
fn borders_are_those_of_the_worst_output() {
    let both = Filter::<PlusTimes>::combine(&[
        Filter::single("image", "east", unit(2)),
        Filter::single("image", "west", unit(-1)),
    ])
    .unwrap();
    assert_eq!(both.border(), both.footprint().unwrap().border());
    assert_eq!((both.border().west, both.border().east), (1, 2));
}

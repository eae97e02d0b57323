//! The worked examples of two papers, each test named for the equation, example or section that it follows:
//! E. Stow, P. H. J. Kelly, "Convolutional kernel function algebra" (Frontiers in Computer Science 4, 2022), and
//! T. Debrunner, S. Saeedi, P. H. J. Kelly, "AUKE" (ACM TACO 2018).

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use kalg::algebra::approximate::{round_to_depth, signed_digits};
use kalg::algebra::{
    Axis, Bounds, Extended, Filter, Footprint, Kernel, MaxPlus, MinPlus, ORIGIN, Offset, OrAnd, Placed,
    PlusTimes, Rational, Scan, Semiring, Truth,
};
use kalg::rule::RuleSet;
use kalg::saturate::{Limits, saturate};
use kalg::syntax::Source;
use kalg::term::Decomposition;

/// The kernel written in `text`: rows separated by `/`, entries by spaces, `.` for no value.
fn parse<S: Semiring>(text: &str) -> Kernel<S> {
    let entry = |word: &str| (word != ".").then(|| S::parse(word).unwrap());
    let rows: Vec<Vec<_>> =
        text.split(" / ").map(|row| row.split_whitespace().map(entry).collect()).collect();
    Kernel::from_rows(&rows, None).unwrap()
}

fn kernel(text: &str) -> Kernel<PlusTimes> {
    parse(text)
}

fn unit<S: Semiring>(x: i32, y: i32) -> Kernel<S> {
    Kernel::monomial([x, y, 0], S::one()).unwrap()
}

fn compose<S: Semiring>(kernels: &[&Kernel<S>]) -> Kernel<S> {
    kernels.iter().fold(Kernel::identity(), |product, kernel| product.compose(kernel).unwrap())
}

fn sum<S: Semiring>(kernels: &[Kernel<S>]) -> Kernel<S> {
    Kernel::sum(kernels).unwrap()
}

fn rational(n: i64, d: i64) -> Rational {
    Rational::new(n, d).unwrap()
}

mod kernel_algebra {
    use super::*;

    /// The pixels of an image. Unlike a kernel's index space, an image is finite.
    type Image<S> = BTreeMap<(i32, i32), <S as Semiring>::Element>;

    /// Σ k(d) · image(p + d), at the pixels for which all pixels that the kernel reads exist.
    fn apply<S: Semiring>(kernel: &Kernel<S>, image: &Image<S>) -> Image<S> {
        let value = |(x, y): (i32, i32)| {
            kernel.taps().try_fold(S::zero(), |sum, (offset, coefficient)| {
                let pixel = *image.get(&(x + offset[0], y + offset[1]))?;
                S::add(sum, S::mul(coefficient, pixel)?)
            })
        };
        image.keys().filter_map(|at| Some((*at, value(*at)?))).collect()
    }

    fn pixels<S: Semiring>(size: i32, value: impl Fn(i64) -> S::Element) -> Image<S> {
        (0..size * size).map(|i| ((i % size, i / size), value(i64::from(i) * 7919 % 41 - 20))).collect()
    }

    fn check_meaning<S: Semiring>(image: &Image<S>, size: i32, a: &Kernel<S>, b: &Kernel<S>) {
        let composed = a.compose(b).unwrap();
        let by_kernel = apply(&composed, image);
        assert!(!by_kernel.is_empty());
        assert_eq!(by_kernel, apply(a, &apply(b, image)), "{}", S::NAME);
        assert_eq!(by_kernel, apply(b, &apply(a, image)), "{}", S::NAME);
        // The border is exact: the valid pixels are those inside it.
        let border = composed.border();
        let [west, east, south, north] =
            [border.west, border.east, border.south, border.north].map(|n| n as i32);
        let valid = (size - west - east) * (size - south - north);
        assert_eq!(by_kernel.len(), valid as usize);
        assert!(
            by_kernel.keys().all(|(x, y)| *x >= west && *y >= south && *x < size - east && *y < size - north)
        );
        // Application distributes over addition.
        let together = apply(&a.add(b).unwrap(), image);
        let (with_a, with_b) = (apply(a, image), apply(b, image));
        for (at, value) in &together {
            assert_eq!(Some(*value), S::add(with_a[at], with_b[at]));
        }
    }

    #[test]
    fn section_4_composition_is_applying_one_kernel_after_the_other() {
        let image = pixels::<PlusTimes>(9, Rational::integer);
        check_meaning::<PlusTimes>(&image, 9, &kernel("1 0 -1 / 2 0 -2 / 1 . -1"), &kernel(". 3 0"));
        let image = pixels::<MinPlus>(9, Extended::integer);
        check_meaning::<MinPlus>(&image, 9, &parse("1 0 inf / 2 . -2 / 1 . -1"), &parse(". 3 0"));
        let image = pixels::<MaxPlus>(9, Extended::integer);
        check_meaning::<MaxPlus>(&image, 9, &parse("1 0 -inf / 2 . -2 / 1 . -1"), &parse(". 3 0"));
        let image = pixels::<OrAnd>(9, |n| Truth(n > 0));
        check_meaning::<OrAnd>(&image, 9, &parse("1 0 1 / 1 . . / 0 . 1"), &parse(". 1 0"));
    }

    #[test]
    fn section_4_1_a_ring_of_dots_means_nothing_but_a_ring_of_zeros_does() {
        let plain = kernel("1 2 1");
        assert_eq!(kernel(". . . . . / . 1 2 1 . / . . . . ."), plain);
        assert_ne!(kernel("0 1 2 1 0"), plain);
        assert!(kernel("0 1 2 1 0").equal_values(&plain));
        assert_eq!((kernel("0 1 2 1 0").border().west, plain.border().west), (2, 1));
    }

    #[test]
    fn equation_7_a_kernel_is_a_mapping_from_offsets() {
        let sobel = kernel("1 0 -1 / 2 0 -2 / 1 0 -1");
        let mapping: BTreeMap<Offset, Rational> = sobel.taps().collect();
        let expected = [1, 0, -1, 2, 0, -2, 1, 0, -1].into_iter().zip(0..);
        let expected = expected.map(|(n, i)| ([i % 3 - 1, 1 - i / 3, 0], Rational::integer(n)));
        assert_eq!(mapping, expected.collect());
        // An unwritten place is not mapped; a zero is.
        let holes = kernel("1 . -1 / 2 . -2 / 1 . -1");
        assert_eq!((sobel.taps().count(), holes.taps().count()), (9, 6));
    }

    #[test]
    fn section_4_2_convolution_distributes_over_sums_of_kernels() {
        let image = pixels::<PlusTimes>(9, Rational::integer);
        let [a, b] = ["1 0 -1 / 2 0 -2 / 1 0 -1", "1 2 1 / 0 0 0 / -1 -2 -1"].map(kernel);
        let [by_a, by_b, by_sum] = [&a, &b, &sum(&[a.clone(), b.clone()])].map(|k| apply(k, &image));
        let added = by_a.iter().map(|(at, value)| (*at, value.add(by_b[at]).unwrap()));
        assert_eq!(by_sum, added.collect());
        // In (max +) the sum is the maximum.
        let image = pixels::<MaxPlus>(9, Extended::integer);
        let [a, b]: [Kernel<MaxPlus>; 2] =
            ["1 0 3 / . . .", "2 . 1 / . . ."].map(|text| parse(&format!("{text} / . . .")));
        let [by_a, by_b, by_sum] = [&a, &b, &sum(&[a.clone(), b.clone()])].map(|k| apply(k, &image));
        let greater = by_a.iter().map(|(at, value)| (*at, MaxPlus::add(*value, by_b[at]).unwrap()));
        assert_eq!(by_sum, greater.collect());
    }

    #[test]
    fn section_4_3_scaling_is_associative_and_distributes() {
        let [k, l] = ["1 2 1 / 0 . 3 / . . 1", "5 . -2"].map(kernel);
        let (a, b) = (rational(3, 4), rational(-2, 5));
        assert_eq!(k.scale(a).unwrap().scale(b).unwrap(), k.scale(a.mul(b).unwrap()).unwrap());
        assert_eq!(
            k.add(&l).unwrap().scale(a).unwrap(),
            k.scale(a).unwrap().add(&l.scale(a).unwrap()).unwrap()
        );
        assert_eq!(
            k.scale(a.add(b).unwrap()).unwrap(),
            k.scale(a).unwrap().add(&k.scale(b).unwrap()).unwrap()
        );
        assert_eq!(k.scale(Rational::ONE).unwrap(), k);
        // Scaling commutes with composition, in either factor.
        assert_eq!(compose(&[&k.scale(a).unwrap(), &l]), compose(&[&k, &l.scale(a).unwrap()]));
    }

    #[test]
    fn section_4_3_scaling_is_composition_with_a_single_entry() {
        let k = kernel("1 2 1 / 0 . 3 / . . 1");
        let quarter = Kernel::monomial(ORIGIN, rational(1, 4)).unwrap();
        assert_eq!(k.scale(rational(1, 4)).unwrap(), k.compose(&quarter).unwrap());
    }

    #[test]
    fn section_4_2_addition_is_commutative_and_associative_and_zero_is_neutral() {
        let [a, b, c] = ["1 2 1", ". 1 . / 0 . 3 / . -1 .", "-2 . . / . 1/2 . / . . ."].map(kernel);
        assert_eq!(sum(&[a.clone(), b.clone()]), sum(&[b.clone(), a.clone()]));
        assert_eq!(a.add(&b).unwrap().add(&c).unwrap(), a.add(&b.add(&c).unwrap()).unwrap());
        assert_eq!(a.add(&Kernel::zero()).unwrap(), a);
        assert!(a.sub(&a).unwrap().equal_values(&Kernel::zero()));
    }

    #[test]
    fn section_4_4_composition_is_a_product_without_inverses() {
        let [a, b, c] = ["1 2 1 / 0 . 3 / . . 1", ". 3 0", "1 . -1"].map(kernel);
        assert_eq!(compose(&[&a, &b]), compose(&[&b, &a]));
        assert_eq!(compose(&[&compose(&[&a, &b]), &c]), compose(&[&a, &compose(&[&b, &c])]));
        assert_eq!(compose(&[&a, &Kernel::identity()]), a);
        let both = compose(&[&a, &b.add(&c).unwrap()]);
        assert!(both.equal_values(&compose(&[&a, &b]).add(&compose(&[&a, &c])).unwrap()));
        // A single entry has an inverse; the inverse of several entries is infinite.
        assert_eq!(compose(&[&unit::<PlusTimes>(2, -1), &unit(-2, 1)]), Kernel::identity());
        let difference = Kernel::identity().sub(&unit::<PlusTimes>(1, 0)).unwrap();
        let inverse = Scan::<PlusTimes>::along([1, 0, 0]).unwrap();
        assert_eq!(inverse.to_kernel(), None);
        let product = inverse.compose(&Scan::from_kernel(&difference)).unwrap();
        assert_eq!(product.to_kernel(), Some(&Kernel::identity()));
    }

    #[test]
    fn equation_38_sobel_is_a_composition_of_sums_of_unit_kernels() {
        let sobel = kernel("1 0 -1 / 2 0 -2 / 1 0 -1");
        let factors = [
            unit(0, 1).add(&unit(0, 0)).unwrap(),
            unit(0, 0).add(&unit(0, -1)).unwrap(),
            unit(-1, 0).add(&unit(0, 0)).unwrap(),
            unit(0, 0).sub(&unit(1, 0)).unwrap(),
        ];
        assert_eq!(compose(&factors.each_ref()), sobel);
        // The zeros in the middle column come from cancellation: they are in the footprint.
        assert_eq!(sobel.get(ORIGIN), Some(Rational::ZERO));
    }

    #[test]
    fn section_4_4_channels_sum_in_one_output() {
        let weight = |n| Kernel::<PlusTimes>::monomial(ORIGIN, rational(n, 8)).unwrap();
        let grey = Filter::row("grey", [("r", weight(2)), ("g", weight(5)), ("b", weight(1))]).unwrap();
        let edge = Filter::single("grey", "edge", kernel("1 0 -1"));
        let direct = edge.compose(&grey).unwrap();
        assert_eq!(direct.inputs(), ["r", "g", "b"]);
        assert_eq!(direct.kernel("edge", "g"), Some(&kernel("5/8 0 -5/8")));
    }

    #[test]
    fn equation_48_composition_distributes_over_the_combination_of_outputs() {
        let smooth = Filter::single("image", "s", kernel(". 1 . / . 2 . / . 1 ."));
        let (left, right) = (kernel("1 . ."), kernel(". . 1").scale(Rational::integer(-1)).unwrap());
        let parts = [Filter::single("s", "west", left), Filter::single("s", "east", right)];
        let stacked = Filter::combine(&parts).unwrap().compose(&smooth).unwrap();
        let apart: Vec<_> = parts.iter().map(|part| part.compose(&smooth).unwrap()).collect();
        assert_eq!(stacked, Filter::combine(&apart).unwrap());
        // A filter that adds its two inputs does the rest, without an addition outside the filter.
        let add = Filter::row("gx", [("west", unit(0, 0)), ("east", unit(0, 0))]).unwrap();
        let sobel = add.compose(&stacked).unwrap();
        assert!(sobel.kernel("gx", "image").unwrap().equal_values(&kernel("1 0 -1 / 2 0 -2 / 1 0 -1")));
    }

    #[test]
    fn equations_48_to_56_vertical_sobel_by_filters_alone() {
        // Equation 38's four sums of two unit kernels: each is a filter that moves into two channels, and one that adds them.
        let add = Filter::row("o", [("a", unit(0, 0)), ("b", unit(0, 0))]).unwrap();
        let subtract = Filter::row("o", [("a", unit(0, 0)), ("b", unit(0, 0).opposite())]).unwrap();
        let copies = |first: Offset, second: Offset| {
            let [first, second] =
                [first, second].map(|at| Kernel::<PlusTimes>::monomial(at, Rational::ONE).unwrap());
            Filter::combine(&[Filter::single("o", "a", first), Filter::single("o", "b", second)]).unwrap()
        };
        let (west, east, north, south) = ([-1, 0, 0], [1, 0, 0], [0, 1, 0], [0, -1, 0]);
        let program = [
            copies(west, ORIGIN),
            add.clone(),
            copies(ORIGIN, east),
            add.clone(),
            copies(north, ORIGIN),
            add,
            copies(ORIGIN, south),
            subtract,
        ];
        let start = Filter::single("o", "o", Kernel::identity());
        let whole = program.iter().fold(start.clone(), |before, step| step.compose(&before).unwrap());
        let vertical = kernel("1 2 1 / 0 0 0 / -1 -2 -1");
        assert!(whole.kernel("o", "o").unwrap().equal_values(&vertical));
        // Composition is associative: the filters may be composed from either end.
        let from_the_end = program.iter().rev().fold(start, |after, step| after.compose(step).unwrap());
        assert!(from_the_end.equal_values(&whole));
    }

    #[test]
    fn equation_58_an_identity_that_passes_all_else_through_is_no_operation() {
        let registers = ["1", "2"];
        let nothing = Filter::<PlusTimes>::single("1", "1", unit(0, 0)).pass_through(&registers).unwrap();
        assert_eq!(nothing, Filter::identity(registers).unwrap());
        let load = Filter::zero(["image"], registers).unwrap().with("1", "image", kernel("1 2 1")).unwrap();
        assert_eq!(nothing.compose(&load).unwrap(), load);
    }

    #[test]
    fn section_4_6_moving_there_and_back_touches_the_neighbour() {
        let here = Footprint::origin();
        // The image moves down: every pixel takes its northern neighbour's value.
        let (down, up) = (unit::<PlusTimes>(0, 1), unit(0, -1));
        let moved = Kernel::identity().then(&down, &here).unwrap();
        assert_eq!(moved, kernel("1 / 0 / ."));
        let back = moved.then(&up, &here).unwrap();
        assert_eq!(back, kernel(". / 1 / 0"));
        assert_eq!((back.border().north, back.border().south), (0, 1));
        // Without stores it would be the identity.
        assert_eq!(compose(&[&down, &up]), Kernel::identity());
        let footprint = here.then(down.footprint(), &here).unwrap().then(up.footprint(), &here).unwrap();
        assert_eq!(&footprint, back.footprint());
    }

    #[test]
    fn section_4_6_the_operator_is_neither_commutative_nor_associative() {
        let here = Footprint::origin();
        let then = |a: &Kernel<PlusTimes>, b: &Kernel<PlusTimes>| a.then(b, &here).unwrap();
        let (down, east) = (unit(0, 1), unit(1, 0));
        let identity = Kernel::identity();
        assert_ne!(then(&then(&identity, &down), &east), then(&then(&identity, &east), &down));
        assert_ne!(then(&then(&identity, &down), &east), then(&identity, &then(&down, &east)));
    }

    #[test]
    fn section_4_6_a_program_shows_its_true_footprint() {
        // A = image; B := A moved; A := A + B; and so on: Sobel in two registers by moves, an addition and a subtraction.
        let here = Footprint::origin();
        let start = Filter::<PlusTimes>::single("image", "A", Kernel::identity());
        let step = |x, y| Filter::single("A", "B", unit(x, y));
        let add = Filter::row("A", [("A", unit(0, 0)), ("B", unit(0, 0))]).unwrap();
        let sub = Filter::row("A", [("A", unit(0, 0)), ("B", unit(0, 0).opposite())]).unwrap();
        let program = [step(0, 1), add.clone(), step(0, -1), add.clone(), step(-1, 0), add, step(1, 0), sub];
        let end = program.iter().fold(start, |state, instruction| state.then(instruction, &here).unwrap());
        let computed = end.select(&["A"]).unwrap();
        assert_eq!(computed.kernel("A", "image"), Some(&kernel("1 0 -1 / 2 0 -2 / 1 0 -1")));
        // B still holds the subtracted value, with a footprint of its own.
        let subtracted = end.kernel("B", "image").unwrap().border();
        assert_eq!((subtracted.west, subtracted.east), (0, 1));
    }

    #[test]
    fn section_5_devito_factors_equal_coefficients_and_shares_moved_expressions() {
        let star = kernel(". 3 . / 3 1 3 / . 3 .");
        let neighbours = sum(&[unit(1, 0), unit(-1, 0), unit(0, 1), unit(0, -1)]);
        let factored = neighbours.scale(Rational::integer(3)).unwrap().add(&Kernel::identity()).unwrap();
        assert_eq!(factored, star);
        // One shift-invariant expression, computed once and read at two offsets.
        let shared = kernel("1 5 1");
        let twice = shared.compose(&sum(&[unit(0, 1), unit(0, -1)])).unwrap();
        assert_eq!(twice, kernel("1 5 1 / . . . / 1 5 1"));
    }

    /// The decompositions of a kernel that one rule of AUKE's search proposes.
    fn proposed(rule: &str, of: &Kernel<PlusTimes>) -> Vec<Decomposition> {
        let rules = RuleSet::from_sources(vec![Source::new("auke.rules", rule)]).unwrap();
        let whole = Placed::from_kernels(std::slice::from_ref(of)).unwrap();
        let shape = whole.shape.clone();
        let saturated = saturate(&[("out".to_owned(), whole)], &rules, &Limits::default()).unwrap();
        saturated.decompositions().of(&shape).iter().map(|(found, _)| found.clone()).collect()
    }

    #[test]
    fn section_5_auke_makes_a_kernel_of_copies_of_a_part_and_a_rest() {
        // Every step of AUKE's search has the form K = a·A + b·g·A + R.
        let row = kernel("1 2 3 2 1");
        let copies = |found: &Decomposition| match found {
            Decomposition::Sum(terms) => terms.iter().any(|(label, part)| {
                terms.iter().any(|(other, same)| part == same && label.offset != other.offset)
            }),
            Decomposition::Compose { .. } => false,
        };
        let found = proposed("(proposer reverse-split)", &row);
        assert!(!found.is_empty() && found.iter().all(copies), "{found:?}");
    }

    #[test]
    fn section_5_devito_extracts_what_is_invariant_under_shifts() {
        // (k ∘ north) + (k ∘ south) = k ∘ (north + south): the factor is computed once, before.
        let text = "(proposer rows) (proposer polynomial-factors)
            (rule factor (add (compose ?a ?b) (compose ?a ?c) ?rest...) => (add (compose ?a (add ?b ?c)) ?rest...))";
        let shared = kernel("1 5 1");
        let twice = shared.compose(&sum(&[unit(0, 1), unit(0, -1)])).unwrap();
        let factor = Placed::from_kernels(std::slice::from_ref(&shared)).unwrap().shape;
        let found = proposed(text, &twice);
        assert!(found.iter().any(|found| found.parts().contains(&&factor)), "{found:?}");
    }

    #[test]
    fn section_6_1_a_sliding_window_adds_what_enters_and_subtracts_what_leaves() {
        // S = S moved by one pixel + entering − leaving, solved for S: a scan from the west.
        let window = sum(&[unit(-2, 0), unit(-1, 0), unit(0, 0), unit(1, 0), unit(2, 0)]);
        let difference = Scan::from_kernel(&unit::<PlusTimes>(2, 0).sub(&unit(-3, 0)).unwrap());
        let solved = difference.compose(&Scan::along([-1, 0, 0]).unwrap()).unwrap();
        assert_eq!(solved.to_kernel(), Some(&window));
        // The recursion itself.
        let previous = Scan::from_kernel(&window).shift([-1, 0, 0]).unwrap();
        assert!(previous.add(&difference).unwrap().equals(&Scan::from_kernel(&window)).unwrap());
    }

    #[test]
    fn section_6_2_a_box_is_four_corners_of_a_summed_area_table() {
        let [x, y] = [Axis::X, Axis::Y].map(|axis| Scan::<PlusTimes>::along(axis.step(1)).unwrap());
        let table = x.compose(&y).unwrap();
        assert_eq!(table.to_kernel(), None);
        let (width, height) = (5, 3);
        let corners =
            sum(&[unit(0, 0), unit(width, height)]).sub(&sum(&[unit(width, 0), unit(0, height)])).unwrap();
        let result = table.compose(&Scan::from_kernel(&corners)).unwrap();
        let bounds = Bounds::between(ORIGIN, [width - 1, height - 1, 0]).unwrap();
        let box_filter = Kernel::from_dense(bounds, vec![Rational::ONE; 15]);
        assert_eq!(result.to_kernel(), Some(&box_filter));
    }

    /// The number of moves that a knight needs, by breadth-first search on an unbounded board.
    fn knight_distances(moves: &[Offset], limit: i64) -> BTreeMap<Offset, i64> {
        let mut distances = BTreeMap::from([(ORIGIN, 0)]);
        let mut queue = VecDeque::from([ORIGIN]);
        while let Some(at) = queue.pop_front() {
            let distance = distances[&at] + 1;
            for [dx, dy, _] in moves.iter().filter(|_| distance <= limit) {
                let next = [at[0] + dx, at[1] + dy, 0];
                if let Entry::Vacant(entry) = distances.entry(next) {
                    entry.insert(distance);
                    queue.push_back(next);
                }
            }
        }
        distances
    }

    #[test]
    fn section_6_3_a_knights_moves_in_the_min_plus_semiring() {
        let knight: Kernel<MinPlus> = parse(". 1 . 1 . / 1 . . . 1 / . . 0 . . / 1 . . . 1 / . 1 . 1 .");
        let moves: Vec<Offset> = knight.taps().map(|(offset, _)| offset).filter(|o| *o != ORIGIN).collect();
        let after_six = knight.power(6).unwrap();
        let reached: BTreeMap<_, _> = after_six.nonzero_taps().collect();
        let expected = knight_distances(&moves, 6);
        assert_eq!(reached, expected.into_iter().map(|(at, n)| (at, Extended::integer(n))).collect());
        assert_eq!(after_six.coefficient([1, 0, 0]), Extended::integer(3));
        assert_eq!(after_six.coefficient([2, 2, 0]), Extended::integer(4));
        // Decompositions work as for linear filters: two long steps times two short ones, and the same across.
        let along = |dx, dy| unit::<MinPlus>(dx, dy).add(&unit(-dx, -dy)).unwrap();
        let jumps =
            along(2, 0).compose(&along(0, 1)).unwrap().add(&along(1, 0).compose(&along(0, 2)).unwrap());
        let costing_one = jumps.unwrap().scale(Extended::integer(1)).unwrap();
        assert_eq!(costing_one.add(&Kernel::identity()).unwrap(), knight);
    }

    #[test]
    fn section_6_1_the_recursion_ends_in_a_base_case() {
        // On a finite row nothing precedes the first pixel: the window fills up, and from then on two additions suffice.
        let row: Vec<i64> = (0..20).map(|i| i * i % 17).collect();
        let pixel = |x: i64| usize::try_from(x).ok().and_then(|x| row.get(x)).copied().unwrap_or(0);
        let mut window = 0;
        for x in -2..18 {
            window += pixel(x + 2) - pixel(x - 3);
            assert_eq!(window, (x - 2..=x + 2).map(pixel).sum::<i64>(), "at {x}");
        }
    }

    #[test]
    fn section_6_3_a_row_vector_times_adjacencies_gives_shortest_distances() {
        // Nodes are channels, edges single entries at the origin: filters are matrices, composition their product.
        let nodes = ["a", "b", "c", "d"];
        let edges = [("a", "b", 1), ("b", "c", 2), ("a", "c", 7), ("c", "d", 1), ("d", "a", 3)];
        let cost = |n| Kernel::<MinPlus>::monomial(ORIGIN, Extended::integer(n)).unwrap();
        let mut adjacency = Filter::identity(nodes).unwrap();
        for (from, to, n) in edges {
            adjacency = adjacency.with(to, from, cost(n)).unwrap();
        }
        let mut distances = Filter::zero(["start"], nodes).unwrap().with("a", "start", cost(0)).unwrap();
        for _ in 0..nodes.len() {
            distances = adjacency.compose(&distances).unwrap();
        }
        let found: Vec<Extended> =
            nodes.iter().map(|node| distances.kernel(node, "start").unwrap().coefficient(ORIGIN)).collect();
        assert_eq!(found, [0, 1, 3, 4].map(Extended::integer));
    }

    #[test]
    fn section_4_4_filters_compose_associatively_but_do_not_commute() {
        let swap = Filter::combine(&[
            Filter::<PlusTimes>::single("p", "q", unit(0, 0)),
            Filter::single("q", "p", unit(0, 0)),
        ]);
        let swap = swap.unwrap();
        let double = Filter::identity(["p", "q"]).unwrap().with("p", "p", kernel("2")).unwrap();
        let smooth = Filter::identity(["p", "q"]).unwrap().with("q", "p", kernel("1 2 1")).unwrap();
        let compose = |a: &Filter<PlusTimes>, b: &Filter<PlusTimes>| a.compose(b).unwrap();
        assert!(!compose(&swap, &double).equal_values(&compose(&double, &swap)));
        let left = compose(&compose(&swap, &double), &smooth);
        assert!(left.equal_values(&compose(&swap, &compose(&double, &smooth))));
    }

    #[test]
    fn equations_57_and_58_sobel_is_lowered_by_instructions_that_pass_through() {
        // The combination of two moved copies, one after the other: each instruction keeps what it does not write.
        let registers = ["1", "2"];
        let smooth = kernel(". 1 . / . 2 . / . 1 .");
        let load = Filter::zero(["image"], registers).unwrap().with("1", "image", smooth).unwrap();
        let copy = Filter::single("1", "2", unit(0, 0)).pass_through(&registers).unwrap();
        let west = Filter::single("1", "1", unit(-1, 0)).pass_through(&registers).unwrap();
        let east = Filter::single("2", "2", unit::<PlusTimes>(1, 0)).pass_through(&registers).unwrap();
        let difference = Filter::row("1", [("1", unit(0, 0)), ("2", unit(0, 0).opposite())]).unwrap();
        let in_order = [&copy, &west, &east, &difference];
        let lowered = in_order.iter().fold(load.clone(), |state, step| step.compose(&state).unwrap());
        let sobel = kernel("1 0 -1 / 2 0 -2 / 1 0 -1");
        assert!(lowered.kernel("1", "image").unwrap().equal_values(&sobel));
        // Without the pass-through the second register would be lost.
        let forgetful = Filter::<PlusTimes>::single("1", "1", unit(-1, 0));
        assert!(difference.compose(&forgetful.compose(&copy.compose(&load).unwrap()).unwrap()).is_err());
        // If the first register is overwritten too early, the copy is of the moved image.
        let wrong = [&west, &copy, &east, &difference];
        let wrong = wrong.iter().fold(load, |state, step| step.compose(&state).unwrap());
        assert!(!wrong.kernel("1", "image").unwrap().equal_values(&sobel));
    }

    #[test]
    fn section_5_cain_runs_instructions_backwards_until_the_identity_is_left() {
        // From [1 2 1]: it is the sum of a kernel and its translate; that kernel is the sum of the identity and its translate.
        let goal = kernel("1 2 1");
        let halves = |whole: &Kernel<PlusTimes>, by: Offset| -> Option<Kernel<PlusTimes>> {
            let pair = Kernel::identity().add(&Kernel::monomial(by, Rational::ONE).unwrap()).unwrap();
            // The inverse of the instruction A := A + moved A is a division without remainder.
            let scanned = Scan::from_kernel(&whole.sub(&whole.shift(by).unwrap()).unwrap());
            let quotient = scanned.compose(&Scan::along([2 * by[0], 0, 0]).unwrap()).unwrap();
            let quotient = quotient.to_kernel()?.clone();
            quotient.compose(&pair).unwrap().equal_values(whole).then_some(quotient)
        };
        let before = halves(&goal, [1, 0, 0]).unwrap();
        let first = halves(&before, [1, 0, 0]).unwrap();
        assert_eq!(first, unit(-1, 0));
        assert_eq!(halves(&kernel("1 3 1"), [1, 0, 0]), None);
    }

    /// The neighbours of a hexagon, counter-clockwise from the east. A step north in axial coordinates points to the north-east.
    const HEXAGON: [Offset; 6] = [[1, 0, 0], [0, 1, 0], [-1, 1, 0], [-1, 0, 0], [0, -1, 0], [1, -1, 0]];

    /// The number of steps between neighbours that lead to this hexagon from the origin.
    fn hexagon_distance([x, y, _]: Offset) -> u32 {
        x.unsigned_abs().max(y.unsigned_abs()).max((x + y).unsigned_abs())
    }

    #[test]
    fn neighbours_are_one_step_away_and_turn_into_each_other() {
        for (n, step) in HEXAGON.into_iter().enumerate() {
            assert_eq!(hexagon_distance(step), 1);
            let tap = Kernel::<PlusTimes>::monomial(step, Rational::ONE).unwrap();
            let next = Kernel::monomial(HEXAGON[(n + 1) % 6], Rational::ONE).unwrap();
            assert_eq!(tap.turned().unwrap(), next);
        }
        assert_eq!((hexagon_distance([2, -1, 0]), hexagon_distance([2, 1, 0])), (2, 3));
    }

    #[test]
    fn section_3_hexagons_are_an_index_space() {
        // East, north-east and north-west: a product of three pairs is symmetric, with 2 in the middle.
        let pair = |step| {
            Kernel::identity().add(&Kernel::<PlusTimes>::monomial(step, Rational::ONE).unwrap()).unwrap()
        };
        let product = compose(&[&pair(HEXAGON[0]), &pair(HEXAGON[1]), &pair(HEXAGON[2])]);
        let centred = product.shift([0, -1, 0]).unwrap();
        assert_eq!(centred.turned().unwrap(), centred);
        assert_eq!(centred.coefficient(ORIGIN), Rational::integer(2));
        assert!(HEXAGON.iter().all(|step| centred.coefficient(*step) == Rational::ONE));
        // Distances over (min +): n moves reach places n steps away.
        let moves: Vec<_> = HEXAGON.iter().map(|step| (*step, Extended::integer(1))).collect();
        let stay = Kernel::<MinPlus>::identity().add(&Kernel::from_taps(&moves).unwrap()).unwrap();
        for (offset, distance) in stay.power(4).unwrap().nonzero_taps() {
            assert_eq!(distance, Extended::integer(hexagon_distance(offset).into()));
        }
        assert_eq!(stay.power(4).unwrap().nonzero_count(), 61);
    }

    #[test]
    fn section_3_a_torus_is_an_index_space() {
        // On a ring of five places a row of five ones sums everything, whatever is composed with it.
        let all = kernel("1 1 1 1 1").wrapped([5, 1, 1]).unwrap();
        let twice = all.compose(&kernel("1 2 1")).unwrap().wrapped([5, 1, 1]).unwrap();
        assert_eq!(twice, all.scale(Rational::integer(4)).unwrap());
        // On a board without edges a knight is soon everywhere.
        let knight: Kernel<MinPlus> = parse(". 1 . 1 . / 1 . . . 1 / . . 0 . . / 1 . . . 1 / . 1 . 1 .");
        let round = |k: &Kernel<MinPlus>| k.wrapped([8, 8, 1]).unwrap();
        let six = (1..6).fold(round(&knight), |reached, _| round(&reached.compose(&knight).unwrap()));
        assert_eq!(six.nonzero_count(), 64);
        assert_eq!(six.nonzero_taps().map(|(_, moves)| moves).max(), Some(Extended::integer(4)));
    }

    #[test]
    fn section_3_kernel_files_name_their_index_space() {
        let read = |text: &str| kalg::term::read_filter(&kalg::syntax::Source::new("f.sexp", text));
        let hexagon = "(filter f (space hexagonal) (output o (kernel (hexagon (1 1) (1 2 1) (1 1)))))";
        let filter = kalg::term::denote_linear(&read(hexagon).unwrap()).unwrap();
        let [found] = filter.rows().next().unwrap().1 else { panic!("there is one input") };
        assert_eq!(found, &kernel("1 1 . / 1 2 1 / . 1 1"));
        let ring = "(filter f (dimensions 1) (space torus 3) (output o (kernel (1 1 1 1 1))))";
        let filter = kalg::term::denote_linear(&read(ring).unwrap()).unwrap();
        assert_eq!(filter.rows().next().unwrap().1[0], kernel("2 1 2"));
        for (text, id) in [
            ("(filter f (space torus 3) (output o (id)))", "wrong-arity"),
            ("(filter f (space hexagnal) (output o (id)))", "unknown-space"),
            ("(filter f (output o (kernel (hexagon (1 1) (1 1 1) (1 1)))))", "not-hexagonal"),
            (
                "(filter f (space hexagonal) (output o (kernel (hexagon (1 1 1) (1 1 1) (1 1)))))",
                "ragged-kernel",
            ),
            ("(filter f (dimensions 3) (space hexagonal) (output o (id)))", "outside-dimensions"),
        ] {
            let wrong = read(text).unwrap_err();
            assert!(wrong.iter().any(|diagnostic| diagnostic.id == id), "{text}: {wrong:?}");
        }
    }

    #[test]
    fn section_3_other_index_spaces_separate_as_well() {
        let pair = |axis: Axis| {
            Kernel::<PlusTimes>::from_taps(&[(ORIGIN, Rational::ONE), (axis.step(1), Rational::ONE)]).unwrap()
        };
        let cube = compose(&[Axis::X, Axis::Y, Axis::Z].map(pair).each_ref());
        assert_eq!((cube.size(), cube.nonzero_count()), ([2, 2, 2], 8));
        assert_eq!(cube.border().up, 1);
        // In one dimension the calculus is the same: a binomial is a power of a pair.
        let line = pair(Axis::X).power(4).unwrap();
        assert!(line.shift([-2, 0, 0]).unwrap().equal_values(&kernel("1 4 6 4 1")));
        // Dilation spreads the offsets: a dilated filter is a kernel like any other.
        assert_eq!(kernel("1 . 2 . 1").bounds().size(), [5, 1, 1]);
    }
}

mod auke {
    use super::*;

    /// N(u, v) of equation (7): the number of times that 2^-`depth` of the pixel at each offset enters the sum.
    fn counts(kernel: &Kernel<PlusTimes>, depth: u32) -> Vec<(Offset, i64)> {
        let count = |value: Rational| value.mul(Rational::integer(1 << depth)).unwrap();
        let counted = kernel.taps().map(|(offset, value)| (offset, count(value)));
        counted.inspect(|(_, count)| assert!(count.is_integer())).map(|(o, n)| (o, n.numerator())).collect()
    }

    /// Whether the kernels are equal up to moves, negations and halvings: AUKE's definitions 5 to 7.
    fn transformable(a: &Kernel<PlusTimes>, b: &Kernel<PlusTimes>) -> bool {
        let [p, q] = [a, b].map(|kernel| Placed::from_kernels(std::slice::from_ref(kernel)).unwrap());
        p.shape == q.shape
    }

    fn taps(taps: &[(i32, i32, i64)]) -> Kernel<PlusTimes> {
        let taps: Vec<_> = taps.iter().map(|(x, y, n)| ([*x, *y, 0], Rational::integer(*n))).collect();
        Kernel::from_taps(&taps).unwrap()
    }

    #[test]
    fn example_1_three_binary_digits_approximate_0_6() {
        let near = round_to_depth("0.6".parse().unwrap(), 3).unwrap();
        assert_eq!(near, rational(5, 8));
        // a_1 and a_3 of equation (3) are 1: the digits of 5, least significant first.
        assert_eq!(signed_digits(near.mul(Rational::integer(8)).unwrap().numerator()), [1, 0, 1]);
    }

    #[test]
    fn example_2_a_real_valued_kernel_to_depth_3() {
        let exact: Kernel<PlusTimes> = kernel("0.128 0.49 0.13");
        let near: Vec<_> = exact.taps().map(|(o, value)| (o, round_to_depth(value, 3).unwrap())).collect();
        let near = Kernel::from_taps(&near).unwrap();
        assert_eq!(near, kernel("1/8 4/8 1/8"));
        // Equations (9) to (11).
        assert_eq!(counts(&near, 3), [([-1, 0, 0], 1), (ORIGIN, 4), ([1, 0, 0], 1)]);
    }

    #[test]
    fn example_3_a_gaussian_as_a_multiset() {
        let gauss = kernel("1 2 1 / 2 4 2 / 1 2 1").scale(rational(1, 8)).unwrap();
        let n = counts(&gauss, 3);
        assert_eq!(n.iter().map(|(_, count)| count).sum::<i64>(), 16);
        assert_eq!(n.iter().find(|(offset, _)| *offset == ORIGIN), Some(&(ORIGIN, 4)));
    }

    #[test]
    fn example_4_final_and_initial_sums() {
        let k = kernel("1/8 4/8 1/8");
        assert_eq!(counts(&k, 3).iter().map(|(_, count)| count).sum::<i64>(), 6);
        assert_eq!(counts(&Kernel::identity(), 3), [(ORIGIN, 8)]);
    }

    #[test]
    fn example_5_reading_the_neighbour_is_a_shift() {
        let local = taps(&[(0, 0, 1), (0, 1, 1)]);
        assert_eq!(local.shift([1, 0, 0]).unwrap(), taps(&[(1, 0, 1), (1, 1, 1)]));
    }

    #[test]
    fn example_6_transformed_by_shift() {
        let g = taps(&[(0, 0, 1), (0, 1, 1)]);
        let f = taps(&[(5, -2, 1), (5, -1, 1)]);
        assert_eq!(g.shift([5, -2, 0]).unwrap(), f);
        assert!(transformable(&g, &f));
        assert!(!transformable(&taps(&[(0, 0, 1), (1, 0, 1)]), &taps(&[(0, -1, 1), (1, -2, 1)])));
    }

    #[test]
    fn example_7_transformed_by_negation() {
        let (g, f) = (taps(&[(1, -2, 1), (0, 1, 1)]), taps(&[(1, -2, -1), (0, 1, -1)]));
        assert_eq!(g.negate(), Some(f.clone()));
        assert!(transformable(&g, &f));
    }

    #[test]
    fn example_8_transformed_by_scale() {
        let (g, f) = (taps(&[(0, 0, 2), (0, 1, -2)]), taps(&[(0, 0, 1), (0, 1, -1)]));
        assert_eq!(g.scale(rational(1, 2)).unwrap(), f);
        assert!(transformable(&g, &f));
        assert!(!transformable(&g, &taps(&[(0, 0, 1), (0, 1, -2)])));
    }

    #[test]
    fn example_9_a_box_is_a_row_and_two_moved_copies() {
        let row = kernel("1 1 1");
        let box_3 = kernel("1 1 1 / 1 1 1 / 1 1 1");
        let rest = box_3.sub(&row).unwrap();
        let above_and_below = row.shift([0, 1, 0]).unwrap().add(&row.shift([0, -1, 0]).unwrap()).unwrap();
        assert!(rest.equal_values(&above_and_below));
    }

    #[test]
    fn example_10_reverse_splitting_of_a_row_of_three() {
        let k = kernel("1 1/2 1");
        assert_eq!(counts(&k, 1), [([-1, 0, 0], 2), (ORIGIN, 1), ([1, 0, 0], 2)]);
        // FS = A + B + R with A and B transformable into each other and R from the initial sum.
        let (a, b) = (unit(-1, 0), unit::<PlusTimes>(1, 0));
        let r = Kernel::monomial(ORIGIN, rational(1, 2)).unwrap();
        assert_eq!(sum(&[a.clone(), b.clone(), r.clone()]), k);
        assert!(transformable(&a, &b) && transformable(&r, &Kernel::identity()));
    }
}

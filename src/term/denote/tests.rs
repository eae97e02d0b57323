//! Tests that compare the denotations of terms with kernels written out.

use crate::algebra::{Kernel, MaxPlus, MinPlus, OrAnd, Placed, PlusTimes, Rational};
use crate::syntax::{Diagnostics, Source, render};
use crate::term::{
    FilterSource, denote, denote_linear, denote_series, filter_placed, footprints, read_filter,
};

fn filter(text: &str) -> FilterSource {
    let source = Source::new("test.sexp", text);
    read_filter(&source).unwrap_or_else(|diagnostics| panic!("{}", render(&source, &diagnostics, false)))
}

/// The printed kernels of the outputs of a filter with one input.
fn printed(outputs: &str) -> Vec<String> {
    let denoted = denote_linear(&filter(&format!("(filter f (inputs image) {outputs})"))).unwrap();
    denoted.rows().map(|(_, kernels)| kernels[0].to_string()).collect()
}

fn of(term: &str) -> String {
    printed(&format!("(output o {term})")).remove(0)
}

fn ids(diagnostics: &Diagnostics) -> Vec<&'static str> {
    diagnostics.iter().map(|diagnostic| diagnostic.id).collect()
}

#[test]
fn the_first_row_is_north_and_offsets_are_seen_from_the_output() {
    let text = "(filter f (output o (kernel (origin 0 1) (1 .) (2 0))) (output p (shift 3 -1 (id))))";
    let denoted = denote::<PlusTimes>(&filter(text)).unwrap();
    let taps = |name| denoted.kernel(name, "image").unwrap().taps().collect::<Vec<_>>();
    let number = Rational::integer;
    assert_eq!(taps("o"), [([0, 0, 0], number(2)), ([1, 0, 0], number(0)), ([0, 1, 0], number(1))]);
    assert_eq!(taps("p"), [([3, -1, 0], number(1))]);
}

#[test]
fn terms_denote_what_their_names_say() {
    assert_eq!(of("(scale 1/2 (kernel (2 4 2)))"), of("(kernel (1 2 1))"));
    assert_eq!(of("(add (kernel (1 0 0)) (kernel (0 1 0)) (kernel (0 1 1)))"), of("(kernel (1 2 1))"));
    assert_eq!(of("(sub (kernel (1 1 1)) (id))"), of("(kernel (1 0 1))"));
    assert_eq!(of("(neg (kernel (1 -1 0)))"), of("(kernel (-1 1 0))"));
    assert_eq!(of("(compose (kernel (1 1 .)) (kernel (. 1 1)))"), of("(kernel (1 2 1))"));
    let sobel = "(compose (kernel (. 1 .) (. 2 .) (. 1 .)) (kernel (1 0 -1)))";
    assert_eq!(of(sobel), of("(kernel (1 0 -1) (2 0 -2) (1 0 -1))"));
}

#[test]
fn names_stand_for_their_terms() {
    let outputs = "(let pair (add (id) (shift 1 0 (id)))) (let quad (compose pair pair)) (output o (compose quad quad))";
    assert_eq!(printed(outputs), [of("(kernel (origin 0 0) (1 4 6 4 1))")]);
}

#[test]
fn channels_are_the_inputs_in_order() {
    let text = "(filter f (inputs red green blue)
        (output grey (add (scale 1/4 (from red (id))) (scale 1/2 (from blue (shift 1 0 (id)))))))";
    let placed = filter_placed(&filter(text)).unwrap();
    let taps = [(0, [0; 3], Rational::new(1, 4).unwrap()), (2, [1, 0, 0], Rational::new(1, 2).unwrap())];
    assert_eq!(placed, [("grey".to_owned(), Placed::from_taps(3, &taps).unwrap())]);
}

#[test]
fn a_composition_reads_the_outputs_of_a_filter() {
    let text = "(filter f (inputs a b)
        (let sums (combine (output s (add (from a (id)) (from b (id)))) (output d (sub (from a (id)) (from b (id))))))
        (output o (compose (add (from s (id)) (from d (shift 1 0 (id)))) sums))
        (output twice (compose (from s (id)) (scale 2 (id)) sums)))";
    let denoted = denote::<PlusTimes>(&filter(text)).unwrap();
    let expected = "o <- a:\n. 1 1\no <- b:\n. 1 -1\ntwice <- a:\n2\ntwice <- b:\n2";
    let shown: String = denoted
        .to_string()
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
        .collect();
    assert_eq!(shown.trim_end(), expected);
}

#[test]
fn scans_cancel_exactly_or_are_an_error() {
    assert_eq!(of("(compose (sub (shift -2 0 (id)) (shift 3 0 (id))) (scan x))"), of("(kernel (1 1 1 1 1))"));
    assert_eq!(of("(compose (sub (id) (shift -2 0 (id))) (scan west))"), of("(kernel (origin 1 0) (1 1))"));
    let infinite = filter("(filter f (output o (scan x)) (output p (id)) (output q (scan north)))");
    let diagnostics = denote_linear(&infinite).unwrap_err();
    assert_eq!(ids(&diagnostics), ["infinite-output", "infinite-output"]);
    assert!(diagnostics.iter().next().unwrap().message.contains("`o`"));
    assert_eq!(denote_series(&infinite).unwrap()[0][0].to_scan().factors(), [[1, 0, 0]]);
}

#[test]
fn recursions_are_solved_exactly() {
    let window = of("(kernel (1 1 1 1 1))");
    // The sum one pixel to the west, plus the pixel that enters, minus the one that leaves; then the same from the east.
    assert_eq!(of("(fix K (sub (add (shift -1 0 K) (shift 2 0 (id))) (shift -3 0 (id))))"), window);
    assert_eq!(of("(fix K (sub (add (shift 1 0 K) (shift -2 0 (id))) (shift 3 0 (id))))"), window);
    // No scan direction, but still finite: (1 − x − x^-1)·K.
    let both = "(fix K (add (shift 1 0 K) (shift -1 0 K) (compose (kernel (-1 1 -1)) (kernel (1 2 3)))))";
    assert_eq!(of(both), of("(kernel (1 2 3))"));
    assert_eq!(of("(fix K (add (scale 1/2 K) (kernel (1 2 1))))"), of("(kernel (2 4 2))"));
    assert_eq!(of("(fix K (compose (kernel (1 2 1)) (id)))"), of("(kernel (1 2 1))"));
    // An integral image as two recursions, the first of them named, and as one.
    let table = "(let rows (fix R (add (shift 1 0 R) (id))))
        (output o (fix T (add (shift 0 1 T) rows)))
        (output p (fix T (sub (add (shift 1 0 T) (shift 0 1 T) (id)) (shift 1 1 T))))";
    let rows = denote_series(&filter(&format!("(filter f {table})"))).unwrap();
    for row in &rows {
        assert_eq!(row[0].to_scan().factors(), [[0, 1, 0], [1, 0, 0]]);
    }
}

#[test]
fn where_sums_choose_recursions_have_their_least_solution() {
    let solved = |semiring: &str, term: &str| {
        let text = |term| format!("(filter f (semiring {semiring}) (inputs a b) (output o {term}))");
        let rows = |text: String| match semiring {
            "min-plus" => format!("{:?}", denote::<MinPlus>(&filter(&text))),
            "max-plus" => format!("{:?}", denote::<MaxPlus>(&filter(&text))),
            _ => format!("{:?}", denote::<OrAnd>(&filter(&text))),
        };
        assert_eq!(rows(text(term)), rows(text("(from a (kernel (1 0 1)))")), "{semiring} {term}");
    };
    // What stays in place and is no better adds nothing; nor does what reads nothing.
    solved("min-plus", "(from a (fix K (add (scale 2 K) (kernel (1 0 1)))))");
    solved("min-plus", "(from a (fix K (add (shift 1 0 (shift -1 0 K)) (kernel (1 0 1)))))");
    solved("max-plus", "(fix K (add (scale -1/2 K) (from a (kernel (1 0 1)))))");
    solved("or-and", "(from a (fix K (add K (kernel (1 0 1)) K)))");
    solved("min-plus", "(from a (fix K (add (scale inf (shift 1 0 K)) (kernel (1 0 1)))))");
    solved("min-plus", "(from a (fix K (kernel (1 0 1))))");
    // Of nothing, any recursion makes nothing.
    let nothing = "(filter f (semiring min-plus) (output o (fix K (add (shift 1 0 K) (kernel (inf))))))";
    assert_eq!(
        denote::<MinPlus>(&filter(nothing)).unwrap().kernel("o", "image").unwrap().nonzero_taps().count(),
        0
    );
}

#[test]
fn a_recursion_may_read_several_channels() {
    let text = "(filter f (inputs 1 2) (let step (sub (shift 1 0 (id)) (shift -2 0 (id))))
        (output o (fix K (add (shift -1 0 K) (from 1 step) (from 2 (scale 3 step))))))";
    let denoted = denote_linear(&filter(text)).unwrap();
    let kernel = |input| denoted.kernel("o", input).unwrap().to_string();
    assert_eq!([kernel("1"), kernel("2")], [of("(kernel (1 1 1))"), of("(kernel (3 3 3))")]);
}

#[test]
fn zeros_are_touched_and_dots_are_not() {
    let text = "(filter f (output zero (kernel (0 1 0))) (output dot (kernel (. 1 .)))
        (output product (compose (kernel (0 1 .)) (kernel (0 1 .)))))";
    let touched: Vec<usize> =
        footprints(&filter(text)).unwrap().iter().map(|(_, footprint)| footprint.len()).collect();
    assert_eq!(touched, [3, 1, 3]);
}

#[test]
fn an_instruction_touches_where_it_stores() {
    // North and south again is the identity, but the pixel to the south is needed on the way.
    let steps = |north: &str, south: &str| {
        filter(&format!(
            "(filter f (output o (|> (id) (kernel (1) ({north}) (.)) (kernel (.) ({south}) (1)))))"
        ))
    };
    let border = |filter: &FilterSource| footprints(filter).unwrap()[0].1.border().south;
    assert_eq!(border(&steps("+", "+")), 1);
    assert_eq!(border(&steps(".", ".")), 0);
    let denoted = denote::<PlusTimes>(&steps("+", "+")).unwrap();
    assert!(denoted.kernel("o", "image").unwrap().equal_values(&Kernel::identity()));
    let by_algebra = Kernel::<PlusTimes>::identity()
        .then(&Kernel::monomial([0, 1, 0], Rational::ONE).unwrap(), &crate::algebra::Footprint::origin())
        .unwrap()
        .then(&Kernel::monomial([0, -1, 0], Rational::ONE).unwrap(), &crate::algebra::Footprint::origin())
        .unwrap();
    assert_eq!(denoted.kernel("o", "image"), Some(&by_algebra));
}

#[test]
fn instructions_leave_alone_what_they_do_not_name() {
    // B := A from the east; A := A + B. Then A is the sum, and B only its own value.
    let text = "(filter f (inputs A)
        (let run (|> (id)
          (combine (output B (from A (kernel (. + 1)))))
          (combine (output A (add (from A (kernel (1))) (from B (kernel (+))) (from B (id)))))))
        (output a (compose (from A (id)) run))
        (output b (compose (from B (id)) run)))";
    let denoted = denote::<PlusTimes>(&filter(text)).unwrap();
    let kernel = |name| {
        denoted.kernel(name, "A").unwrap().nonzero_taps().map(|(offset, _)| offset[0]).collect::<Vec<_>>()
    };
    assert_eq!((kernel("a"), kernel("b")), (vec![0, 1], vec![1]));
    assert_eq!(denoted.kernel("b", "A").unwrap().footprint().len(), 2);
}

#[test]
fn channels_may_be_numbered_and_passed_on() {
    // 3 := 1 + 2, which keeps 1 and 2; then all three at once.
    let text = "(filter f (inputs 1 2)
        (let sum (combine (output 3 (add (from 1 (id)) (from 2 (shift 1 0 (id))))) _))
        (output o (compose (add (from 1 (id)) (from 2 (scale 2 (id))) (from 3 (scale 4 (id)))) sum))
        (output p (compose (from 3 (id)) (combine (output 2 (from 1 (id))) _) sum)))";
    let denoted = denote::<PlusTimes>(&filter(text)).unwrap();
    let kernel = |output: &str, input: &str| denoted.kernel(output, input).unwrap().to_string();
    assert_eq!([kernel("o", "1"), kernel("o", "2")], ["5", ". 2 4"]);
    assert_eq!([kernel("p", "1"), kernel("p", "2")], ["1", ". . 1"]);
    // An instruction already passes on everything else: adding `_` changes nothing and touches nothing more.
    let program = |rest: &str| {
        filter(&format!(
            "(filter f (inputs 1) (output o (compose (add (from 1 (id)) (from 2 (id)))
                (|> (id) (combine (output 2 (from 1 (kernel (. + 1)))) {rest})))))"
        ))
    };
    let [with, without] = ["_", ""].map(program);
    assert_eq!(denote::<PlusTimes>(&with).unwrap(), denote::<PlusTimes>(&without).unwrap());
    // The filter of a file passes on the inputs that no output is named after.
    let whole =
        filter("(filter f (inputs 1 2 3) (combine (output 2 (from 1 (id))) _) (output 4 (from 2 (id))))");
    let names: Vec<&str> = whole.outputs.iter().map(|output| output.name.as_str()).collect();
    assert_eq!(names, ["2", "4", "1", "3"]);
    assert_eq!(denote::<PlusTimes>(&whole).unwrap().kernel("3", "3"), Some(&Kernel::identity()));
}

#[test]
fn other_semirings_have_their_own_arithmetic() {
    let text = "(filter f (semiring min-plus) (output o (compose (kernel (1 0 1)) (kernel (1 inf 1)))) (output p (scale 3 (id))))";
    let filter = filter(text);
    let denoted = denote::<MinPlus>(&filter).unwrap();
    let values: Vec<String> =
        denoted.kernel("o", "image").unwrap().dense().iter().map(ToString::to_string).collect();
    assert_eq!(values, ["2", "1", "2", "1", "2"]);
    assert_eq!(denoted.kernel("p", "image").unwrap().coefficient([0; 3]).to_string(), "3");
    assert_eq!(ids(&filter_placed(&filter).unwrap_err()), ["other-semiring"]);
    assert_eq!(footprints(&filter).unwrap()[0].1.len(), 5);
}

#[test]
fn overflow_and_size_are_reported_where_they_happen() {
    let big = "9223372036854775807";
    let text = format!(
        "(filter f (output o (add (scale {big} (id)) (id))) (output p (scale {big} (scale 2 (id)))))"
    );
    assert_eq!(
        ids(&filter_placed(&filter(&text)).unwrap_err()),
        ["coefficient-overflow", "coefficient-overflow"]
    );
    let far = "(filter f (output o (add (shift 1000000 0 (id)) (shift 0 1000000 (id)))) (output p (compose
        (shift 1000000 0 (id)) (shift 1000000 0 (id)))))";
    assert_eq!(ids(&filter_placed(&filter(far)).unwrap_err()), ["kernel-too-large", "too-far"]);
}

#[test]
fn a_long_chain_of_names_is_no_deep_recursion() {
    let mut text = String::from("(filter f (let k0 (id))");
    for i in 1..5000 {
        text.push_str(&format!("(let k{i} (neg k{}))", i - 1));
    }
    text.push_str("(output o k4999))");
    let denoted = denote::<PlusTimes>(&filter(&text)).unwrap();
    assert_eq!(denoted.kernel("o", "image").unwrap().coefficient([0; 3]), Rational::integer(-1));
}

#[test]
fn a_filter_that_was_not_read_is_checked_all_the_same() {
    let mut filter = filter("(filter f (let k (id)) (output o k) (output p (id)))");
    filter.lets.clear();
    assert_eq!(ids(&filter_placed(&filter).unwrap_err()), ["unknown-variable"]);
}

#[test]
fn deep_terms_have_an_answer() {
    let deep = format!("(filter f (output o {}(id){}))", "(neg ".repeat(190), ")".repeat(190));
    assert!(denote::<PlusTimes>(&filter(&deep)).is_ok());
    // The names first occur inside the channels of `s`, from the last one down.
    let mut text = String::from("(filter f (let k0 (from s (id)))");
    for i in 1..5000 {
        text.push_str(&format!("(let k{i} (neg k{}))", i - 1));
    }
    text.push_str("(output o (compose k4999 (combine (output s (id))))))");
    assert_eq!(ids(&read_filter(&Source::new("test.sexp", text)).unwrap_err()), ["too-deep"]);
}

#[test]
fn a_name_that_grows_at_every_use_meets_a_limit() {
    let mut text = String::from("(filter f (let k0 (kernel (1 1 1) (1 1 1) (1 1 1)))");
    for i in 1..40 {
        text.push_str(&format!("(let k{i} (compose k{} k{}))", i - 1, i - 1));
    }
    text.push_str("(output o k39))");
    let diagnostics = filter_placed(&filter(&text)).unwrap_err();
    assert_eq!(diagnostics.len(), 1);
}

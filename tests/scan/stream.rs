//! `kalg optimize` and `kalg run` for machines in scan order: what they take and refuse.

use kalg::picture::{Samples, read_npy};
use serde_json::Value;

use crate::scratch::Scratch;
use crate::stream_command::{FEW, cost, kalg, operations, out, picture, record};

#[test]
fn a_small_box_needs_no_recurrence() {
    let record = record("corpus/classic/box-2.sexp", &[]);
    assert_eq!(cost(&record, "additions"), 2);
    let used = record["rules_used"].as_array().unwrap();
    assert!(!used.iter().any(|rule| rule.as_str().unwrap().starts_with("window")), "{record}");
}

#[test]
fn recurrences_are_rules_that_files_state() {
    let row = "corpus/classic/motion-blur.sexp";
    let scratch = Scratch::new("rules");
    let write = |text: &str| scratch.file("mine.rules", text);
    // East of north-west: the scan of the falling diagonal, from its other end.
    let rule = "(rule mine ?k => (compose (scan 1 -1) (sub ?k (shift 1 -1 ?k))))";
    let name = &*write(rule);
    let with = record(row, &["--rules", name]);
    assert_eq!((cost(&with, "additions"), &with["rules_used"]), (2, &serde_json::json!(["mine"])));
    write("(rule other (add ?a ?a ?rest...) => (add (scale 2 ?a) ?rest...))");
    let without = record(row, &["--rules", name]);
    assert!(cost(&without, "additions") > 2, "{without}");
    // A rule that does not hold is named, and nothing else is printed.
    write("(rule wrong ?k => (compose (scan -1 1) (sub (shift 1 0 ?k) (shift 0 1 ?k))))");
    let wrong = kalg(&["optimize", row, "--cost", "ops", "--rules", name]);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.stdout.is_empty() && wrong.status.code() == Some(2), "{said}");
    assert!(said.contains("rule `wrong` is unsound"), "{said}");
    assert_eq!(kalg(&["rules", "check", name]).status.code(), Some(1));
}

#[test]
fn a_knights_moves_are_decomposed() {
    let record = record("corpus/scan-order/knight.sexp", &["--type", "uint16"]);
    // Directly: eight additions of costs, and eight minima.
    assert!(cost(&record, "additions") <= 7, "{record}");
}

#[test]
fn results_may_have_another_type_than_pixels() {
    let sobel = |more: &[&str]| {
        let sobel = ["optimize", "corpus/classic/sobel-x.sexp", "--cost", "cpu"];
        kalg(&[&sobel[..], FEW, more].concat())
    };
    let record: Value = serde_json::from_str(&out(&sobel(&["--output-type", "int16", "--json"]))).unwrap();
    assert_eq!((&record["pixel"], &record["outputs"][0]["pixel"]), (&"uint8".into(), &"int16".into()));
    // No result of a Sobel filter exceeds int16, so nothing is limited.
    let code = out(&sobel(&["--output-type", "int16", "--emit", "c"]));
    assert!(code.contains("int16_t *restrict out_") && !code.contains(" v = "), "{code}");
    let refused = sobel(&["--type", "float32", "--output-type", "int16"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && said.contains("not rounded to integers"), "{said}");
    let table =
        ["optimize", "corpus/scan-order/integral-map.sexp", "--cost", "cpu", "--output-type", "int16"];
    let said = String::from_utf8_lossy(&kalg(&table).stderr).into_owned();
    assert!(said.contains("has a type of its own"), "{said}");
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    let refused = |arguments: &[&str], code: i32, message: &str| {
        let output = kalg(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(message), "{arguments:?}: {said}");
    };
    let file = "corpus/classic/row-121.sexp";
    refused(&["optimize", file, "--cost", "ops", "--emit", "svg"], 2, "have no form `svg`");
    refused(&["optimize", file, "--cost", "scamp5", "--emit", "c"], 2, "have no form `c`");
    refused(&["optimize", file, "--cost", "aie", "--type", "uint8"], 2, "`uint8`; did you mean `int8`?");
    let known = "no type of elements `float32`; it has int8, int16, int32";
    refused(&["optimize", file, "--cost", "aie", "--type", "float32"], 2, known);
    refused(
        &["optimize", file, "--cost", "ops", "--memory-weight=-1"],
        2,
        "-1 is neither 0 nor in 0.001..=1000000",
    );
    refused(&["optimize", file, "--cost", "ops", "--border", "mirror"], 2, "reflect101");
}

#[test]
fn weights_at_the_end_of_the_range_are_refused() {
    let scratch = Scratch::new("weights");
    let cases = [
        ("(filter f (output o (kernel (9223372036854775807 1 1))))", "results of `o` do not fit in 64 bits"),
        (
            "(filter f (semiring max-plus) (output o (kernel (-9223372036854775807 0 3))))",
            "the kernel of `o` leaves the exact range",
        ),
    ];
    for (text, expected) in cases {
        let output = kalg(&["optimize", &scratch.file("extreme.sexp", text), "--cost", "ops"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(expected) && said.contains("extreme.sexp:1:"), "{said}");
        assert!(said.contains("^ this output"), "{said}");
    }
    // Two taps so far apart are not a kernel that can be stored.
    let far = "(filter f (output o (add (shift 1048576 0 (id)) (shift -1048576 0 (id)))))";
    let output = kalg(&["optimize", &scratch.file("extreme.sexp", far), "--cost", "ops"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("extreme.sexp:1:19"), "{said}");
}

#[test]
fn a_negated_step_saves_the_negation_of_a_result() {
    let scratch = Scratch::new("negated");
    // The newest pixel is the eastern one.
    let file = scratch.file("f.sexp", "(filter f (output out (kernel (1 0 -1))))");
    assert_eq!(operations(&record(&file, &["--type", "int16"])), [1, 0, 0]);
    let file = scratch.file("g.sexp", "(filter f (output out (kernel (-1 -1 0))))");
    assert_eq!(operations(&record(&file, &["--type", "int16"])), [2, 0, 0]);
}

#[test]
fn what_a_run_clips_is_counted_at_both_ends() {
    let scratch = Scratch::new("clipped");
    let filter = scratch.file("f.sexp", "(filter f (output out (kernel (-9 9 0))))");
    let (image, result) = (scratch.file("in.pgm", picture()), scratch.path("out.pgm"));
    let run = |more: &[&str]| {
        let files = ["--image", &image, "--out", &result, "--border", "valid"];
        let output = kalg(&[&["run", &filter, "--target", "ops"], &files[..], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        out(&output)
    };
    // Direct differences of the picture, which are not clamped.
    let row = |y: i64| (0..21).map(move |x| (23 * y + x) as u32);
    let pixel = |i: u32| i64::from(i * 37 % 251);
    let exact: Vec<i64> = (0..19).flat_map(row).map(|i| 9 * (pixel(i + 1) - pixel(i))).collect();
    let count = |is: &dyn Fn(i64) -> bool| exact.iter().filter(|value| is(**value)).count();
    let (below, above) = (count(&|value| value < 0), count(&|value| value > 255));
    assert!(
        below > 0
            && run(&[]).contains(&format!("{} pixels clipped ({below} below, {above} above)", below + above))
    );
    // Signed pixels hold negative results; the file does not.
    let record: Value = serde_json::from_str(&run(&["--type", "int16", "--json"])).unwrap();
    let output = &record["outputs"][0];
    assert_eq!((output["clipped_below"].as_u64(), output["wrapped"].as_u64()), (Some(below as u64), Some(0)));
    let wrapped = run(&["--overflow", "wrap"]);
    assert!(wrapped.contains(&format!("0 pixels clipped, {} wrapped", below + above)), "{wrapped}");
}

/// Old versions of clang vectorise no loop in which they see that two values come from one row, so no loop shows it; and what both of
/// two rows read is read once for them.
#[test]
fn loops_hide_that_pointers_are_to_one_row_and_compute_two_rows() {
    for file in
        ["corpus/classic/sobel-x.sexp", "corpus/classic/laplacian-8.sexp", "corpus/pipelines/unsharp.sexp"]
    {
        let code = out(&kalg(&[&["optimize", file, "--cost", "cpu", "--emit", "c"], FEW].concat()));
        let shows =
            |line: &&str| line.contains("o[x] = ") && (line.contains("[x + ") || line.contains("[x - "));
        assert_eq!(code.lines().find(shows), None, "{file}");
        assert!(code.contains("    KALG_APART(a"), "{code}");
    }
    let code = out(&kalg(
        &[&["optimize", "corpus/classic/gauss-3.sexp", "--cost", "cpu", "--emit", "c"], FEW].concat(),
    ));
    let pairs = code.lines().filter(|line| line.contains("p[x] = ")).count();
    assert!(pairs == 1 && code.contains("*restrict o, uint16_t *restrict p, "), "{code}");
}

/// Of no values, the greatest is the least that pixels hold and the least the greatest; a disjunction has no bit.
#[test]
fn the_fold_of_nothing_is_the_zero_of_the_semiring() {
    let scratch = Scratch::new("nothing");
    let (image, out) = (&*scratch.file("in.pgm", picture()), &*scratch.path("out.npy"));
    for (semiring, taps, wanted) in [("or-and", "0", 0), ("max-plus", ".", -128), ("min-plus", ".", 127)] {
        let text = format!("(filter nothing (semiring {semiring}) (output out (kernel ({taps}))))");
        let file = scratch.file("nothing.sexp", &text);
        let run = ["run", &file, "--target", "ops", "--type", "int8", "--image", image, "--out", out];
        assert_eq!(kalg(&run).status.code(), Some(0), "{semiring}");
        let (_, samples) = read_npy(&std::fs::read(out).unwrap()).unwrap();
        assert_eq!(samples, Samples::Integers(vec![wanted; 23 * 19]), "{semiring}");
    }
}

/// In single precision, direct convolution takes pixels with their fractions, and its rounding is no fault.
#[test]
fn single_precision_is_compared_with_its_fractions() {
    let scratch = Scratch::new("fractions");
    let image = &*scratch.file("in.pgm", picture());
    let [third, out] = &["third.npy", "out.npy"].map(|name| scratch.path(name));
    let kernel = scratch.file("third.sexp", "(filter third (output out (kernel (1/3 1/7 1/3))))");
    let greatest =
        scratch.file("greatest.sexp", "(filter g (semiring max-plus) (output out (kernel (0 0 0))))");
    let run = |more: &[&str]| {
        let ran = kalg(&[&["run", "--target", "ops", "--json"], more].concat());
        assert_eq!(ran.status.code(), Some(0), "{more:?}");
        let record: Value = serde_json::from_slice(&ran.stdout).unwrap();
        record["outputs"][0]["greatest_difference"].as_f64().unwrap()
    };
    assert!(run(&[&kernel, "--output-type", "float32", "--image", image, "--out", third]) < 0.001);
    assert_eq!(run(&[&greatest, "--type", "float32", "--image", third, "--out", out]), 0.0);
    // Integers are not made of fractions.
    let cut = kalg(&["run", &greatest, "--target", "ops", "--image", third, "--out", out]);
    let said = String::from_utf8(cut.stderr).unwrap();
    assert!(cut.status.code() == Some(2) && said.contains("uint8 is of integers"), "{said}");
}

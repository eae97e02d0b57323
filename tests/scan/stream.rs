//! `kalg optimize` and `kalg run` for machines in scan order: the cost, results and output of plans.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;

use kalg::backend::scan::machine::{Border, Overflow, Pixel, ScanMachine};
use kalg::backend::scan::simulate::execute;
use kalg::backend::scan::{StreamRequest, optimize_stream};
use kalg::picture::{Image, Pattern};
use kalg::rule::RuleSet;
use kalg::syntax::Source;
use serde_json::Value;

pub(crate) fn kalg(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kalg"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// An e-graph just large enough for these tests.
pub(crate) const FEW: &[&str] = &["--nodes", "50"];

pub(crate) fn record(file: &str, more: &[&str]) -> Value {
    let output = kalg(&[&["optimize", file, "--cost", "ops", "--json"], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let record: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(
        (&record["verified"]["symbolic"], &record["verified"]["executed"]),
        (&true.into(), &true.into())
    );
    record
}

pub(crate) fn cost(record: &Value, what: &str) -> u64 {
    record["cost"][what].as_u64().unwrap()
}

/// The same, without the operations for the scales of outputs.
fn inner(record: &Value, what: &str) -> u64 {
    let outputs = record["outputs"].as_array().unwrap();
    cost(record, what) - outputs.iter().map(|output| output[what].as_u64().unwrap()).sum::<u64>()
}

/// The cost of the best plan of one method.
fn attempt(record: &Value, method: &str) -> Value {
    let attempts = record["attempts"].as_array().unwrap();
    attempts.iter().find(|attempt| attempt["method"] == method).unwrap()["cost"].clone()
}

#[test]
fn a_large_box_takes_four_additions_whatever_its_size() {
    let record = record("corpus/scan-order/box-15.sexp", FEW);
    assert!(cost(&record, "additions") <= 5, "{record}");
    assert_eq!((cost(&record, "multiplications"), cost(&record, "shifts")), (0, 0));
    // Both methods are found: sliding windows in four additions, an integral image in five.
    assert_eq!(attempt(&record, "sliding windows")["additions"], 4);
    assert_eq!(attempt(&record, "integral images")["additions"], 5);
    let used = record["rules_used"].as_array().unwrap();
    assert!(used.contains(&"window-row".into()) && used.contains(&"window-column".into()), "{record}");
}

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
    let folder = std::env::temp_dir().join(format!("kalg-stream-rules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mine.rules");
    let name = file.to_str().unwrap();
    // East of north-west: the scan of the falling diagonal, from its other end.
    let rule = "(rule mine ?k => (compose (scan 1 -1) (sub ?k (shift 1 -1 ?k))))";
    std::fs::write(&file, rule).unwrap();
    let with = record(row, &["--rules", name]);
    assert_eq!((cost(&with, "additions"), &with["rules_used"]), (2, &serde_json::json!(["mine"])));
    std::fs::write(&file, "(rule other (add ?a ?a ?rest...) => (add (scale 2 ?a) ?rest...))").unwrap();
    let without = record(row, &["--rules", name]);
    assert!(cost(&without, "additions") > 2, "{without}");
    // A rule that does not hold is named, and nothing else is printed.
    std::fs::write(&file, "(rule wrong ?k => (compose (scan -1 1) (sub (shift 1 0 ?k) (shift 0 1 ?k))))")
        .unwrap();
    let wrong = kalg(&["optimize", row, "--cost", "ops", "--rules", name]);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.stdout.is_empty() && wrong.status.code() == Some(2), "{said}");
    assert!(said.contains("rule `wrong` is unsound"), "{said}");
    assert_eq!(kalg(&["rules", "check", name]).status.code(), Some(1));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn windows_slide_along_both_diagonals() {
    for file in ["corpus/classic/motion-blur.sexp", "corpus/scan-order/rising-9.sexp"] {
        assert_eq!(inner(&record(file, FEW), "additions"), 2, "{file}");
    }
}

#[test]
fn a_volume_is_read_plane_by_plane() {
    let record = record("corpus/scan-order/volume-binomial.sexp", &[]);
    assert_eq!(record["inputs"], serde_json::json!(["image-down-1", "image", "image-up-1"]));
    // Two in each direction, not twenty-six.
    assert!(inner(&record, "additions") <= 6, "{record}");
}

#[test]
fn several_boxes_share_an_integral_image_where_memory_is_cheap() {
    let free = record("corpus/scan-order/boxes.sexp", &["--memory-weight", "0", "--nodes", "50"]);
    let is_table = |line: &Value| {
        let line = line.as_str().unwrap();
        let (step, _) = line.split_once(" = ").unwrap();
        line.starts_with(&format!("{step} = {step}[0,1] + s")) && !line.contains(" - ")
    };
    assert!(free["plan"].as_array().unwrap().iter().any(is_table), "{free}");
    let windows = attempt(&free, "sliding windows");
    assert!(cost(&free, "additions") < windows["additions"].as_u64().unwrap());
    assert!(cost(&free, "bytes") > windows["bytes"].as_u64().unwrap());
    // A single box is cheaper without the table.
    let one = record("corpus/classic/box-9.sexp", &["--nodes", "50"]);
    let table = attempt(&one, "integral images");
    assert!(cost(&one, "bytes") < table["bytes"].as_u64().unwrap(), "{one}");
}

#[test]
fn a_gaussian_of_seven_is_separable() {
    let record = record("corpus/classic/gauss-7.sexp", &["--nodes", "300"]);
    assert!(inner(&record, "multiplications") <= 14, "{record}");
    assert!(inner(&record, "additions") + inner(&record, "shifts") <= 17, "{record}");
}

#[test]
fn what_limits_left_whole_is_taken_apart_in_the_end() {
    // Four pairs in either direction would take eight additions.
    let record = record("corpus/classic/gauss-5-binomial.sexp", &[]);
    assert_eq!(inner(&record, "additions"), 8, "{record}");
}

#[test]
fn windows_of_maxima_are_doubled_or_van_herks() {
    let large = record("corpus/scan-order/dilate-15.sexp", &["--memory-weight", "0"]);
    assert!(cost(&large, "additions") <= 8, "{large}");
    assert_eq!(attempt(&large, "pairs, doubled")["additions"], 8);
    assert_eq!(attempt(&large, "van Herk's windows")["additions"], 6);
    let small = record("corpus/scan-order/erode-4.sexp", &[]);
    assert_eq!(cost(&small, "additions"), 4);
    let disc = record("corpus/scan-order/disc-or.sexp", &[]);
    assert!(cost(&disc, "additions") < 15, "{disc}");
}

#[test]
fn a_knights_moves_are_decomposed() {
    let record = record("corpus/scan-order/knight.sexp", &["--type", "uint16"]);
    // Directly: eight additions of costs, and eight minima.
    assert!(cost(&record, "additions") <= 7, "{record}");
}

#[test]
fn several_outputs_and_channels_are_planned_together() {
    let pair = record("corpus/classic/sobel-pair.sexp", &["--type", "int16"]);
    assert_eq!(pair["outputs"].as_array().unwrap().len(), 2);
    let grey = record("corpus/papers/halide-hls-gray.sexp", &[]);
    assert_eq!(grey["inputs"].as_array().unwrap().len(), 3);
}

#[test]
fn the_report_is_for_people() {
    let output = kalg(&["optimize", "corpus/classic/box-7.sexp", "--cost", "ops", "--nodes", "300"]);
    let text = out(&output);
    // The rest is the elapsed time.
    let (shown, _) = text.rsplit_once("; ").unwrap();
    insta::assert_snapshot!(shown);
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    let file = "corpus/classic/unsharp-5.sexp";
    let code = |language: &str| {
        out(&kalg(&[&["optimize", file, "--cost", "ops", "--emit", language], FEW].concat()))
    };
    let first = code("c");
    assert!(first.contains("size_t unsharp_5(const uint8_t *restrict in_image"), "{first}");
    assert_eq!(first, code("c"));
    let header = code("header");
    assert!(
        header.contains("size_t unsharp_5(const uint8_t *in_image, ptrdiff_t in_image_stride, "),
        "{header}"
    );
    let rust = code("rust");
    assert!(rust.contains("pub fn unsharp_5(in_image: &[u8], in_image_stride: usize, out_"), "{rust}");
}

#[test]
fn the_example_of_the_book_compiles_and_runs() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let book = std::fs::read_to_string(root.join("docs/scan-order.md")).unwrap();
    let main = book.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = std::env::temp_dir().join(format!("kalg-stream-book-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("main.c"), main).unwrap();
    for (form, ending) in [("c", "c"), ("header", "h")] {
        let file = "corpus/scan-order/box-15-mean.sexp";
        let code = kalg(&[&["optimize", file, "--cost", "cpu", "--emit", form], FEW].concat());
        std::fs::write(folder.join(format!("box_15_mean.{ending}")), code.stdout).unwrap();
    }
    let flags =
        ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wsign-conversion"];
    let compiled = Command::new("cc")
        .args(flags)
        .args(["-include", "box_15_mean.h", "main.c", "box_15_mean.c", "-o", "main"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    assert!(Command::new(folder.join("main")).status().unwrap().success());
    std::fs::remove_dir_all(&folder).unwrap();
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
fn the_fastest_plan_is_not_that_of_the_fewest_operations() {
    let fastest = |file: &str| {
        let output = kalg(&[&["optimize", file, "--cost", "cpu", "--json"], FEW].concat());
        serde_json::from_str::<Value>(&out(&output)).unwrap()
    };
    // A box slides vertically, but not along a row, where each value would need the one before.
    let plan = fastest("corpus/scan-order/box-15-mean.sexp")["plan"].to_string();
    assert!(plan.contains("s1 = s1[0,1] + s0 - s0[0,15]") && !plan.contains("[-1,0] +"), "{plan}");
    // A binomial is two loops, the column first; with the fewest additions it is four steps.
    let binomial = fastest("corpus/classic/gauss-5-binomial.sexp");
    assert_eq!(binomial["plan"].as_array().unwrap().len(), 4, "{binomial}");
    assert!(binomial["plan"][1].as_str().unwrap().contains("s0[0,4]"), "{binomial}");
    // Its columns are read where the image is; a kernel that is no product needs rows with a border.
    let copies = |file: &str| fastest(file)["c"].as_str().unwrap().contains("_s0(");
    assert!(!copies("corpus/classic/gauss-5-binomial.sexp") && copies("corpus/classic/laplacian-4.sexp"));
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
    refused(&["optimize", file, "--cost", "ops", "--memory-weight=-1"], 2, "expected a number from 0");
    refused(&["optimize", file, "--cost", "ops", "--border", "mirror"], 2, "reflect101");
}

#[test]
fn weights_at_the_end_of_the_range_are_refused() {
    let folder = std::env::temp_dir().join(format!("kalg-stream-weights-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("extreme.sexp");
    let cases = [
        ("(filter f (output o (kernel (9223372036854775807 1 1))))", "results of `o` do not fit in 64 bits"),
        (
            "(filter f (semiring max-plus) (output o (kernel (-9223372036854775807 0 3))))",
            "the kernel of `o` leaves the exact range",
        ),
    ];
    for (text, expected) in cases {
        std::fs::write(&file, text).unwrap();
        let output = kalg(&["optimize", file.to_str().unwrap(), "--cost", "ops"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(expected) && said.contains("extreme.sexp:1:"), "{said}");
        assert!(said.contains("^ this output"), "{said}");
    }
    // Two taps so far apart are not a kernel that can be stored.
    std::fs::write(&file, "(filter f (output o (add (shift 1048576 0 (id)) (shift -1048576 0 (id)))))")
        .unwrap();
    let output = kalg(&["optimize", file.to_str().unwrap(), "--cost", "ops"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("extreme.sexp:1:19"), "{said}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A temporary folder for one test, removed at the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kalg-stream-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The numbers of additions, multiplications and shifts.
fn operations(record: &Value) -> [u64; 3] {
    ["additions", "multiplications", "shifts"].map(|what| cost(record, what))
}

#[test]
fn the_scales_of_outputs_are_counted_and_chosen() {
    let scratch = Scratch::new("scales");
    let scaled = |scale: &str, more: &[&str]| {
        let text = format!("(filter f (inputs image) (output out (scale {scale} (kernel (1)))))");
        record(&scratch.file("f.sexp", &text), more)
    };
    for scale in ["693", "45", "2477", "-2477"] {
        assert_eq!(operations(&scaled(scale, &["--type", "int16"])), [0, 1, 0], "{scale}");
    }
    // Rounding half up: a shift after an addition. A division is a multiplication by the reciprocal.
    assert_eq!(operations(&scaled("1/16", &[])), [1, 0, 1]);
    assert_eq!(operations(&scaled("1/225", &[])), [1, 1, 1]);
    // An addition and a shift cost less than a multiplication, also if the result is divided.
    assert_eq!(operations(&scaled("-7", &["--type", "int16"])), [1, 0, 1]);
    assert_eq!(operations(&scaled("3/16", &[])), [2, 0, 2]);
    // If multiplications are expensive, there are none.
    let dear = std::fs::read_to_string("rules/ops/target.sexp").unwrap();
    let dear = dear.replace("(multiplication 3)", "(multiplication 300)");
    let (dear, kernel) = (scratch.file("dear.sexp", &dear), scratch.file("f.sexp", DEAR));
    let output = kalg(&["optimize", &kernel, "--target", &dear, "--json"]);
    let found: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(operations(&found), [3, 0, 3], "{found}");
    // The report lists them.
    let text =
        out(&kalg(&["optimize", "corpus/scan-order/box-15-mean.sexp", "--cost", "ops", "--nodes", "50"]));
    let line = "of these 1 additions, 1 multiplications, 1 shifts to multiply `out` by 1/225 at the end";
    assert!(text.contains(line), "{text}");
}

/// 1024 − 256 − 64 − 16 + 4 + 1 has six digits, but 7 · 99 and 99 = 3 · 33 take three additions.
const DEAR: &str = "(filter f (inputs image) (output out (kernel (693))))";

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
    let (image, result) = (scratch.0.join("in.pgm"), scratch.0.join("out.pgm"));
    std::fs::write(&image, picture()).unwrap();
    let run = |more: &[&str]| {
        let files =
            ["--image", image.to_str().unwrap(), "--out", result.to_str().unwrap(), "--border", "valid"];
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

#[test]
fn single_precision_has_no_recurrences_unless_they_are_asked_for() {
    let file = "corpus/scan-order/box-15.sexp";
    let float = [FEW, &["--type", "float32"]].concat();
    let without = record(file, &float);
    let with = record(file, &[&float[..], &["--float-recurrences"]].concat());
    assert_eq!((&without["recurrent"], &with["recurrent"]), (&false.into(), &true.into()));
    assert_eq!(cost(&with, "additions"), 4);
    assert!(cost(&without, "additions") < 14 + 14, "{without}");
    let text = |more: &[&str]| out(&kalg(&[&["optimize", file, "--cost", "ops"], &float[..], more].concat()));
    assert!(text(&[]).contains("the influence of a pixel ends with the kernel"));
    assert!(text(&["--float-recurrences"]).contains("one NaN pixel turns all later results into NaN"));
    let refused = kalg(&["optimize", file, "--cost", "ops", "--float-recurrences"]);
    assert_eq!(refused.status.code(), Some(2));
    // Nor if the file contains scans.
    let written = record("corpus/papers/algebra-sliding-window.sexp", &float);
    assert_eq!(written["recurrent"], false, "{written}");
}

#[test]
fn what_a_float_does_ends_where_the_kernel_does() {
    let source = |file: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        Source::from_bytes(file, std::fs::read(path).unwrap())
    };
    let machine = Arc::new(ScanMachine::builtin(ScanMachine::builtin_names()[0]).unwrap());
    let spoilt = |float_recurrences: bool| {
        let request =
            StreamRequest::new(source("corpus/classic/box-7.sexp"), Arc::clone(&machine), RuleSet::builtin());
        let request = StreamRequest { pixel: Pixel::FLOAT32, nodes: Some(50), float_recurrences, ..request };
        let plan = optimize_stream(&request).unwrap().plan;
        let clean = Image::synthetic(Pattern::Noise, [32, 32], [-1000, 1000], 1);
        let results = [f64::NAN, 1e20].map(|bad| {
            let mut image = clean.clone();
            image.pixels_mut()[32 * 16 + 16] = bad;
            execute(&plan, &[image], Border::Zero, Overflow::Saturate).unwrap().remove(0)
        });
        let expected = execute(&plan, &[clean], Border::Zero, Overflow::Saturate).unwrap().remove(0);
        results.map(|found| found.pixels().iter().zip(expected.pixels()).filter(|(a, b)| a != b).count())
    };
    assert_eq!(spoilt(false), [49, 49]);
    assert!(spoilt(true).iter().all(|pixels| *pixels > 49));
}

/// A picture of 23 × 19 pixels with distinct values in each row.
fn picture() -> Vec<u8> {
    let mut bytes = b"P5\n23 19\n255\n".to_vec();
    bytes.extend((0..23 * 19).map(|i: u32| (i * 37 % 251) as u8));
    bytes
}

#[test]
fn a_plan_runs_on_pictures_and_equals_direct_convolution() {
    let folder = std::env::temp_dir().join(format!("kalg-stream-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (image, result): (PathBuf, PathBuf) = (folder.join("in.pgm"), folder.join("out.pgm"));
    std::fs::write(&image, picture()).unwrap();
    let (from, to) = (image.to_str().unwrap(), result.to_str().unwrap());
    for border in ["valid", "zero", "replicate", "reflect", "reflect101"] {
        let arguments = ["run", "corpus/classic/gauss-5.sexp", "--target", "ops", "--image", from];
        let output = kalg(&[&arguments[..], &["--out", to, "--border", border, "--json"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let record: Value = serde_json::from_str(&out(&output)).unwrap();
        assert_eq!(record["outputs"][0]["greatest_difference"], 0.0, "{record}");
        let size = if border == "valid" { [19, 15] } else { [23, 19] };
        assert_eq!(record["outputs"][0]["size"], serde_json::json!(size));
        let file = std::fs::read(&result).unwrap();
        let header = String::from_utf8_lossy(&file[..file.len() - size[0] * size[1]]);
        let header: Vec<&str> = header.split_ascii_whitespace().collect();
        assert_eq!(header, ["P5", &size[0].to_string(), &size[1].to_string(), "255"]);
    }
    // Signed pixels of 8 bits cannot exceed 127: brighter values are clamped, and a message says so.
    let signed = ["run", "corpus/classic/gauss-5.sexp", "--target", "ops", "--type", "int8", "--image", from];
    let output = out(&kalg(&[&signed[..], &["--out", to]].concat()));
    let bright = picture()[14..].iter().filter(|pixel| **pixel > 127).count();
    assert!(output.contains(&format!("image: {bright} pixels limited to the range of int8")), "{output}");
    let sobel =
        ["run", "corpus/classic/sobel-pair.sexp", "--target", "ops", "--type", "float32", "--image", from];
    let output = kalg(&[&sobel[..], &["--out", to]].concat());
    assert!(output.status.success() && out(&output).contains("differs from direct convolution by at most 0"));
    std::fs::remove_dir_all(&folder).unwrap();
}

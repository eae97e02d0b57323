//! `kalg optimize` and `kalg run` for machines in scan order: the cost, results and output of plans.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::process::Command;
use std::sync::Arc;

use kalg::backend::scan::machine::{Border, Overflow, Pixel, ScanMachine};
use kalg::backend::scan::simulate::execute;
use kalg::backend::scan::{StreamRequest, optimize_stream};
use kalg::budget::Budget;
use kalg::picture::{Image, Pattern, write_numbers};
use kalg::rule::RuleSet;
use kalg::syntax::Source;
use serde_json::Value;

use crate::scratch::Scratch;
use crate::stream_command::{FEW, cost, kalg, operations, out, picture, record};

/// A part of the cost, without the operations for the scales of outputs.
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
fn sums_of_a_dearer_plan_may_have_more_in_common() {
    let scratch = Scratch::new("dearer");
    let rows = "(0 1 0 1 0 1 0) (1 1 0 0 0 1 1) (1 1 0 1 1 1 0) (1 0 1 0 1 0 1) (0 1 0 0 0 0 1) (1 1 0 0 0 1 1) (0 0 1 1 0 0 1)";
    let file = scratch.file("dots.sexp", format!("(filter dots (inputs a) (output o (kernel {rows})))"));
    let optimize = ["optimize", &file, "--cost", "cpu", "--type", "int32", "--nodes", "1000", "--json"];
    let record: Value = serde_json::from_str(&out(&kalg(&optimize))).unwrap();
    assert_eq!(record["method"], "shared sums");
    let best = attempt(&record, "decomposed")["total"].as_f64().unwrap();
    assert!(record["cost"]["total"].as_f64().unwrap() < best, "{record}");
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
    let scratch = Scratch::new("book");
    scratch.file("main.c", main);
    for (form, ending) in [("c", "c"), ("header", "h")] {
        let file = "corpus/scan-order/box-15-mean.sexp";
        let code = kalg(&[&["optimize", file, "--cost", "cpu", "--emit", form], FEW].concat());
        scratch.file(&format!("box_15_mean.{ending}"), code.stdout);
    }
    let flags =
        ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wsign-conversion"];
    let compiled = Command::new("cc")
        .args(flags)
        .args(["-include", "box_15_mean.h", "main.c", "box_15_mean.c", "-o", "main"])
        .current_dir(scratch.folder())
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    assert!(Command::new(scratch.at("main")).status().unwrap().success());
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
    let line = "of these 1 addition, 1 multiplication, 1 shift to multiply `out` by 1/225 at the end";
    assert!(text.contains(line), "{text}");
}

/// 1024 − 256 − 64 − 16 + 4 + 1 has six digits, but 7 · 99 and 99 = 3 · 33 take three additions.
const DEAR: &str = "(filter f (inputs image) (output out (kernel (693))))";

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
        let request = StreamRequest {
            pixel: Pixel::FLOAT32,
            budget: Budget::of_work(50),
            float_recurrences,
            ..request
        };
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

#[test]
fn single_precision_reads_no_pixels_that_cancel_unless_it_is_asked_to() {
    let scratch = Scratch::new("ring");
    for (number, kernel) in [
        "(kernel (1 1 1) (1 . 1) (1 1 1))",
        "(kernel (1 . -1))",
        "(sub (compose (kernel (1 1 1)) (kernel (1) (1) (1))) (id))",
        "(kernel (1 1 1 1 1) (1 1 1 1 1) (1 1 . 1 1) (1 1 1 1 1) (1 1 1 1 1))",
        "(kernel (3 7 3) (7 . 7) (3 7 3))",
    ]
    .iter()
    .enumerate()
    {
        let text =
            format!("(filter ring (output out {kernel}) (output box (kernel (1 1 1) (1 1 1) (1 1 1))))");
        let file = scratch.file(&format!("{number}.sexp"), text.as_bytes());
        let float = ["--type", "float32"];
        for machine in ["ops", "cpu"] {
            let arguments = ["optimize", &file, "--cost", machine, "--json"];
            let found = |more: &[&str]| -> Value {
                serde_json::from_str(&out(&kalg(&[&arguments[..], more].concat()))).unwrap()
            };
            let without = found(&float);
            assert_eq!(without["cancels"], false, "{kernel}: {without}");
            if (number, machine) == (0, "cpu") {
                let with = found(&[&float[..], &["--float-recurrences"]].concat());
                assert_eq!(with["cancels"], true, "{with}");
            }
        }
    }
}

#[test]
fn a_plan_runs_on_pictures_and_equals_direct_convolution() {
    let scratch = Scratch::new("run");
    let (from, to) = (&*scratch.file("in.pgm", picture()), &*scratch.path("out.pgm"));
    for border in ["valid", "zero", "replicate", "reflect", "reflect101"] {
        let arguments = ["run", "corpus/classic/gauss-5.sexp", "--target", "ops", "--image", from];
        let output = kalg(&[&arguments[..], &["--out", to, "--border", border, "--json"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let record: Value = serde_json::from_str(&out(&output)).unwrap();
        assert_eq!(record["outputs"][0]["greatest_difference"], 0.0, "{record}");
        let size = if border == "valid" { [19, 15] } else { [23, 19] };
        assert_eq!(record["outputs"][0]["size"], serde_json::json!(size));
        let file = std::fs::read(to).unwrap();
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
}

/// Runs a filter of single precision on an array, and returns the report as text and as JSON.
fn run_floats(scratch: &Scratch, filter: &str, image: &Image, more: &[&str]) -> (String, Value) {
    let (file, array) = (scratch.file("f.sexp", filter), scratch.file("in.npy", write_numbers(image, None)));
    let to = scratch.path("out.npy");
    let arguments = ["run", &file, "--target", "cpu", "--type", "float32", "--image", &array, "--out", &to];
    let arguments = [&arguments[..], &["--border", "zero"], more].concat();
    let json = out(&kalg(&[&arguments[..], &["--json"]].concat()));
    (out(&kalg(&arguments)), serde_json::from_str(&json).unwrap())
}

#[test]
fn a_result_that_is_no_number_differs_from_one_that_is() {
    let scratch = Scratch::new("unlike");
    let ring = "(filter ring (output out (kernel (1 1 1) (1 . 1) (1 1 1))))";
    for bad in [f64::NAN, f64::INFINITY] {
        let mut image = Image::filled(5, 5, 1.0);
        image.pixels_mut()[12] = bad;
        let (text, record) = run_floats(&scratch, ring, &image, &["--float-recurrences"]);
        let unlike = record["outputs"][0]["unlike"].as_u64().unwrap();
        assert!(unlike > 0, "{bad}: {record}");
        let line = "where one of the two is NaN or infinite, and elsewhere by at most 0";
        assert!(text.contains(line), "{text}");
        let (text, record) = run_floats(&scratch, ring, &image, &[]);
        assert_eq!(record["outputs"][0]["unlike"], 0, "{bad}: {record}");
        assert!(text.contains("differs from direct convolution by at most 0"), "{text}");
    }
}

#[test]
fn infinite_results_are_not_clipped_in_arrays() {
    let image = Image::from_pixels(3, 1, vec![f64::INFINITY, 1.0, 1e30]).unwrap();
    let (text, record) = run_floats(&Scratch::new("infinite"), "(filter p (output out (id)))", &image, &[]);
    assert_eq!(record["outputs"][0]["clipped"], 0, "{record}");
    assert!(text.contains("1 to inf, 0 pixels clipped; differs"), "{text}");
}

#[test]
fn the_operations_for_a_scale_are_among_those_of_the_plan() {
    let file = "corpus/scan-order/box-15-mean.sexp";
    for more in [&[][..], &["--type", "float32"], &["--output-type", "int16"], &["--output-type", "float32"]]
    {
        let arguments = ["optimize", file, "--cost", "cpu", "--nodes", "5"];
        let arguments = [&arguments[..], more].concat();
        let found: Value =
            serde_json::from_str(&out(&kalg(&[&arguments[..], &["--json"]].concat()))).unwrap();
        let mut own = 0;
        for what in ["additions", "multiplications", "shifts"] {
            let of_scale = found["outputs"][0][what].as_u64().unwrap();
            assert!(of_scale <= cost(&found, what), "{what}: {found}");
            own += of_scale;
        }
        assert!(own > 0, "{found}");
        // The table and the cost are of the same plan.
        let attempts = found["attempts"].as_array().unwrap();
        let totals = attempts.iter().map(|attempt| attempt["cost"]["total"].as_f64().unwrap());
        assert_eq!(Some(totals.fold(f64::INFINITY, f64::min)), found["cost"]["total"].as_f64(), "{found}");
    }
}

#[test]
fn an_input_has_not_the_name_of_a_plane_of_another() {
    let scratch = Scratch::new("planes");
    let filter = "(filter f (dimensions 3) (inputs x x-up-1) (output out (add (from x (shift 0 0 1 (id))) (from x-up-1 (id)))))";
    let output = kalg(&["optimize", &scratch.file("f.sexp", filter), "--cost", "ops"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("error[repeated-input]") && text.contains("the name of a plane of `x`"), "{text}");
}

//! `kalg optimize` for a vector machine as users run it: output, exit codes, errors.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Output};

use crate::command::{file, optimize, record, text};
use crate::scratch::Scratch;

/// Runs `kalg check CODE --target aie …`.
pub(crate) fn check(code: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["check", code, "--target", "aie"]);
    command.args(arguments).output().unwrap()
}

/// In a schedule a result may take the register of what the next iteration reads, once that has read it. In C++ it must not: there,
/// iterations follow one another.
#[test]
fn code_keeps_what_the_next_iteration_reads() {
    let scratch = Scratch::new("carried");
    let opposite = "(filter f (inputs a) (output o (scale 1/4 (kernel (origin 2 1)
        (-2 1 0 -1 2) (2 -1 0 1 -2) (-2 1 0 -1 2) (2 -1 0 1 -2)))))";
    let opposite = scratch.file("opposite.sexp", opposite);
    let code = scratch.path("code.cc");
    for (file, tile, more) in
        [("corpus/classic/box-5.sexp", "256x16", &["--banks", "ideal"][..]), (&opposite, "64x2", &[])]
    {
        let made = optimize(&[&[file, "--tile", tile, "--emit", "code", "-o", &code], more].concat());
        assert_eq!(made.status.code(), Some(0), "{file}: {}", text(&made.stderr));
        let checked = check(&code, &["--against", file, "--tile", tile]);
        assert_eq!(checked.status.code(), Some(0), "{file}: {}", text(&checked.stdout));
    }
}

#[test]
fn planes_of_one_array_need_places() {
    let scratch = Scratch::new("planes");
    let code = scratch.path("pair.cc");
    let pair = "corpus/vector/gradient-pair.sexp";
    let made = optimize(&[pair, "--tile", "32x2", "--type", "int16", "--emit", "code", "-o", &code]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    for (more, said) in [
        (&[][..], "as in `--outputs north=out,south=out+4096`"),
        (&["--outputs", "gx=out,gy=out"], "`out` is given for several outputs"),
        (&["--outputs", "gx=out,gy=out+x"], "`out+x`: an image begins at a pointer, or at an element up to"),
        (&["--outputs", "gx=out+8,gx=out+64"], "the output `gx` has two arrays"),
        (
            &["--output-register", "out+8"],
            "the outputs are gx, gy; each has a place of its own, as in `--outputs gx=…`",
        ),
        (&["--outputs", "gx=out,gy=other+9"], "the code takes no array `other`; it takes out, in"),
    ] {
        let checked = check(&code, &[&["--against", pair, "--tile", "32x2"], more].concat());
        assert_eq!(checked.status.code(), Some(2), "{}", text(&checked.stdout));
        assert!(text(&checked.stderr).contains(said), "{said}: {}", text(&checked.stderr));
    }
}

/// Each row is read 16 elements further on than it is written.
#[test]
fn images_that_overlap_are_refused() {
    let scratch = Scratch::new("overlap");
    let [code, filter] =
        [("shift.cc", MOVED), ("one.sexp", "(filter one (output out (kernel (1))))")].map(|(name, text)| {
            let path = scratch.path(name);
            std::fs::write(&path, text).unwrap();
            path
        });
    let places = |input, output| {
        let options = ["--against", &filter, "--tile", "64x1", "--input", input, "--output-register", output];
        check(&code, &options)
    };
    let checked = places("im+16", "im");
    assert_eq!(checked.status.code(), Some(2), "{}", text(&checked.stdout));
    assert!(text(&checked.stderr).contains("writes into the input `im+16`"), "{}", text(&checked.stderr));
    assert_eq!(places("im+16", "im+16").status.code(), Some(1));
}

const MOVED: &str = "int16_t *restrict im;
for (int x = 0; x < 64; x += 16)
    *(v16int16 *)(im + x) = *(const v16int16 *)(im + x + 16);
";

#[test]
fn a_filter_has_a_report_code_and_a_record() {
    let small = ["corpus/classic/sharpen.sexp", "--tile", "64x4", "--type", "int32"];
    let output = optimize(&small);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    for part in [
        "64×4 outputs of a 3×3 window",
        "Where the cycles go",
        "of 1024 bundles of program memory",
        "chess_prepare_for_pipelining",
        "bit by bit (seed 0): equal",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let record = optimize(&[&small[..], &["--json"]].concat());
    let record: serde_json::Value = serde_json::from_slice(&record.stdout).unwrap();
    assert_eq!(record["verified"]["symbolic"], true);
    // A machine that tests vector code has a compiler for it.
    assert_eq!(record["verified"]["compiled"], true);
    assert_eq!(record["macs"], 64 * 4 * 9);
    assert!(record["cycles"].as_u64().unwrap() < record["baseline"]["cycles"].as_u64().unwrap());
}

#[test]
fn a_workload_stands_against_its_published_schedule() {
    let output = optimize(&["corpus/vyasa/int16-ds-3x3.conv", "--json"]);
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["baseline"]["what"], "the published schedule");
    let attempts = record["attempts"].as_array().unwrap();
    assert!(attempts.len() > 10);
    // Attempts that were abandoned could not have been chosen.
    let bounds: Vec<u64> = attempts.iter().filter_map(|attempt| attempt["at_least"].as_u64()).collect();
    assert!(!bounds.is_empty() && bounds.iter().all(|least| *least >= record["cycles"].as_u64().unwrap()));
    for plan in [&record["plan"], &record["baseline"]["plan"]] {
        let part = |name: &str| plan[name].as_u64().unwrap();
        let sum = part("set_up") + part("multiplies") + part("stalls") + part("ramps") + part("bank_stalls");
        assert_eq!(sum, part("cycles"), "the parts of the cycles are all of them: {plan}");
    }
    let why: Vec<&str> = record["why"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
    let saved = record["baseline"]["cycles"].as_u64().unwrap() - record["cycles"].as_u64().unwrap();
    assert!(why[0].contains(&format!("{saved} cycles fewer than the published schedule")), "{why:?}");
    assert!(why[1].contains("cycles fewer"), "{why:?}");
}

#[test]
fn rows_lie_as_the_file_says_or_the_file_is_refused() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let declared = |name: &str, weights: &str, input: &str| {
        let path = folder.join(format!("{name}.conv"));
        let text = format!(
            "(convolution {name} (type int16) (output (x 32) (y 4)) (filter (r 3) (s 3)) {input} (weights {weights}))"
        );
        std::fs::write(&path, text).unwrap();
        let output = optimize(&[path.to_str().unwrap(), "--json"]);
        (
            output.status.code(),
            text_of(&output),
            serde_json::from_slice::<serde_json::Value>(&output.stdout).ok(),
        )
    };
    let pitch = |record: &Option<serde_json::Value>| {
        let buffers = record.as_ref().unwrap()["contract"]["buffers"].as_array().unwrap().clone();
        let input = buffers.into_iter().find(|buffer| buffer["purpose"] == "input").unwrap();
        input["layout"]["pitch"].as_u64().unwrap()
    };
    for weights in ["run-time", "(known 1 2 1 2 4 2 1 2 1)", "(known 1 3 5 7 2 4 8 6 9)"] {
        // 40 elements are not a whole number of vectors, but each row begins at a vector boundary.
        for (input, expected) in [("(input (x 40) (y 6))", 40), ("(input (x 48) (y 7))", 48), ("", 40)] {
            let (code, errors, record) = declared("declared", weights, input);
            assert_eq!((code, errors.as_str()), (Some(0), ""));
            assert_eq!(pitch(&record), expected, "{weights} {input}");
            assert_eq!(record.unwrap()["verified"]["compiled"], true);
        }
        let (code, errors, _) = declared("odd", weights, "(input (x 36) (y 6))");
        assert_eq!(code, Some(1), "{errors}");
        assert!(
            errors.contains("36 elements, but vectors begin at multiples of 8: use rows of 40"),
            "{errors}"
        );
    }
}

fn text_of(output: &Output) -> String {
    text(&output.stderr)
}

#[test]
fn what_banks_cost_is_counted_or_left_out() {
    let small = ["corpus/vector/symmetric-5.sexp", "--tile", "64x4"];
    let [modelled, ideal] = ["modelled", "ideal"].map(|banks| {
        let output = optimize(&[&small[..], &["--json", "--banks", banks]].concat());
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    });
    for (record, banks) in [(&modelled, "modelled"), (&ideal, "ideal")] {
        assert_eq!(record["banks"], banks);
        assert!(record["code"].as_str().unwrap().contains("// banks: "));
    }
    assert!(modelled["cycles"].as_u64().unwrap() >= ideal["cycles"].as_u64().unwrap());
    assert_eq!(ideal["spent"]["bank_stalls"], 0);
    let addresses = modelled["contract"]["buffers"].as_array().unwrap().iter();
    assert!(addresses.map(|buffer| buffer["address"].as_u64().unwrap()).all(|address| address % 32 == 0));
    assert!(
        text(&optimize(&[&small[..], &["--banks", "ideal"]].concat()).stdout)
            .contains("banks: ideal, as asked for")
    );
}

#[test]
fn outputs_are_compiled_together_and_techniques_switched_off() {
    let pair = ["corpus/classic/sobel-pair.sexp", "--tile", "64x4", "--json"];
    let output = optimize(&pair);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["output"], serde_json::json!([64, 4, 1, 2]));
    assert_eq!(record["decomposition"][1], "output 2: taps (1 2 1 / 0 0 0 / -1 -2 -1)");
    let methods = |record: &serde_json::Value| -> Vec<String> {
        let attempts = record["attempts"].as_array().unwrap().iter();
        attempts.map(|attempt| attempt["method"].as_str().unwrap().to_owned()).collect()
    };
    assert!(methods(&record).iter().any(|method| method.contains("columns in registers")));
    let output = optimize(&[&pair[..], &["--without", "separable,int8"]].concat());
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!methods(&record).iter().any(|m| m.contains("columns in registers") || m.contains("8 bits")));
}

#[test]
fn what_is_tolerated_is_stated() {
    let wide = ["corpus/large/separable-9.sexp", "--tile", "64x4"];
    let exact = optimize(&[&wide[..], &["--json"]].concat());
    let exact: serde_json::Value = serde_json::from_slice(&exact.stdout).unwrap();
    assert_eq!(exact["error_bound"], 0);
    let output = optimize(&[&wide[..], &["--tolerance", "1"]].concat());
    let report = text(&output.stdout);
    for part in ["outputs may be off by up to 1:", "random tiles, within 1 (seed 0): equal"] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

/// A file with one filter, for this test only.
#[test]
fn coefficients_that_are_too_large_are_split_or_refused() {
    let wide = file("wide", "(filter f (inputs image) (output out (scale 1/65536 (kernel (1 40000 3)))))");
    let found = record(&wide, &[]);
    assert_eq!(found["verified"]["compiled"], true);
    let code = found["code"].as_str().unwrap();
    let (_, values) = code.split_once("weights[] = {").unwrap();
    let values = values.split_once('}').unwrap().0.split(", ");
    assert!(values.map(|value| value.parse::<i64>().unwrap()).all(|value| value.abs() < 1 << 15), "{code}");
    let refused = |coefficient: i64, element: &str| {
        let other = format!("(output b (kernel (1 -{coefficient} 3)))");
        for (name, outputs) in [("b", other.clone()), ("b", format!("(output a (kernel (1 2 1))) {other}"))] {
            let file = file("refused", &format!("(filter f (inputs image) {outputs})"));
            let output = optimize(&[&file, "--tile", "64x4", "--type", element]);
            assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
            let message =
                format!("the coefficient -{coefficient} of the output `{name}` does not fit in {element}");
            assert!(text(&output.stderr).contains(&message), "{}", text(&output.stderr));
        }
    };
    refused(70_000, "int16");
    refused(400_000_000_000_000_000, "int16");
    refused(400_000_000_000_000_000, "int32");
    refused(200, "int8");
}

#[test]
fn tiles_beyond_the_memory_are_refused_in_every_form() {
    for form in [&[][..], &["--json"], &["--emit", "code"]] {
        for tile in ["4096x4096", "256x128"] {
            let output = optimize(&[&["corpus/classic/sharpen.sexp", "--tile", tile], form].concat());
            let printed = text(&output.stdout);
            assert_eq!(output.status.code(), Some(1));
            assert!(if form == ["--json"] {
                printed.contains(r#""kind":"no-program""#)
            } else {
                printed.is_empty()
            });
            let message = text(&output.stderr);
            assert!(message.contains("bytes of local memory, the machine has 131072"), "{message}");
        }
    }
}

#[test]
fn what_cannot_be_compiled_is_said() {
    let third = optimize(&["corpus/papers/halide-hls-blur.sexp"]);
    assert_eq!(third.status.code(), Some(2));
    assert!(text(&third.stderr).contains("not integers over a power of two"), "{}", text(&third.stderr));
    let tile = optimize(&["corpus/classic/sharpen.sexp", "--tile", "65x4"]);
    assert_eq!(tile.status.code(), Some(1));
    assert!(text(&tile.stderr).contains("the next multiple is 80"), "{}", text(&tile.stderr));
    let range = optimize(&["corpus/classic/sharpen.sexp", "--range", "5..1"]);
    assert_eq!(range.status.code(), Some(2));
    let picture = optimize(&["corpus/classic/sharpen.sexp", "--emit", "svg"]);
    assert_eq!(picture.status.code(), Some(2));
}

//! `kalg run` on pictures, `kalg optimize` on programs, and certificates, as users run them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kalg::backend::array::machine::builtin_names;
use kalg::picture::{Image, Pattern, PictureFormat, read_picture, write_picture};
use serde_json::Value;

use crate::scratch::Scratch;

fn kalg(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kalg"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .unwrap()
}

/// Writes a picture.
fn picture(scratch: &Scratch, name: &str, image: &Image) -> String {
    let format = PictureFormat::of(name).unwrap();
    scratch.file(name, write_picture(image, format).unwrap())
}

fn scene(size: [usize; 2]) -> Image {
    Image::synthetic(Pattern::Scene, size, [-20, 20], 3)
}

fn decoded(path: &str) -> Image {
    read_picture(&fs::read(path).unwrap()).unwrap()
}

const BOX: &str = "corpus/handwritten/box-3-bus.scamp";

#[test]
fn a_picture_of_any_size_is_filtered_in_tiles_without_seams() {
    let scratch = Scratch::new("tiles");
    let image = scene([300, 280]);
    let input = picture(&scratch, "in.png", &image);
    let (tiled, grown) = (scratch.path("tiled.png"), scratch.path("grown.pgm"));
    let refused = kalg(&["run", BOX, "--image", &input, "--out", &tiled]);
    assert_eq!(refused.status.code(), Some(2));
    let complaint = String::from_utf8(refused.stderr).unwrap();
    assert!(complaint.contains("300×280") && complaint.contains("--fit tile"), "{complaint}");
    assert!(!Path::new(&tiled).exists());
    for (fit, out) in [("tile", &tiled), ("grow", &grown)] {
        let output = kalg(&["run", BOX, "--image", &input, "--out", out, "--fit", fit]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(decoded(&tiled), decoded(&grown));
    let image = &image;
    let sum: f64 = (-1..=1).flat_map(|y| (-1..=1).map(move |x| image.get(100 + x, 50 + y).unwrap())).sum();
    assert_eq!(decoded(&tiled).get(100, 50).unwrap(), sum.clamp(-128.0, 127.0));
    let resized = scratch.path("resized.png");
    kalg(&["run", BOX, "--image", &input, "--out", &resized, "--fit", "resize"]);
    assert_eq!((decoded(&resized).width(), decoded(&resized).height()), (256, 256));
}

#[test]
fn noise_is_measured_against_the_result_without() {
    let scratch = Scratch::new("noise");
    let input = picture(&scratch, "in.pgm", &scene([64, 64]));
    let out = scratch.path("out.png");
    let run = |noise: &str, seed: &str| -> Value {
        let arguments = [
            "run", BOX, "--image", &input, "--out", &out, "--fit", "grow", "--noise", noise, "--seed", seed,
            "--json",
        ];
        serde_json::from_slice(&kalg(&arguments).stdout).unwrap()
    };
    let ideal = run("ideal", "1");
    assert_eq!((&ideal["noise"], &ideal["outputs"][0]["rms_error"]), (&Value::Null, &Value::Null));
    let noisy = run("cpa-sim", "1");
    let (rms, ssim) =
        (noisy["outputs"][0]["rms_error"].as_f64().unwrap(), noisy["outputs"][0]["ssim"].as_f64().unwrap());
    assert!(rms > 0.5 && ssim < 1.0 && ssim > 0.3, "RMS {rms}, SSIM {ssim}");
    assert_eq!(noisy, run("cpa-sim", "1"));
    assert_ne!(noisy["outputs"], run("cpa-sim", "2")["outputs"]);
    let little = run("cain", "1")["outputs"][0]["rms_error"].as_f64().unwrap();
    assert!(little < rms, "{little}");
}

#[test]
fn several_outputs_go_to_several_files() {
    let scratch = Scratch::new("several");
    let input = picture(&scratch, "in.png", &scene([256, 256]));
    let out = scratch.path("edge.png");
    let arguments = [
        "run",
        "corpus/handwritten/sobel-pair.scamp",
        "--image",
        &input,
        "--out",
        &out,
        "--outputs",
        "gx=B,gy=C",
    ];
    let output = kalg(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_ne!(decoded(&scratch.path("edge-gx.png")), decoded(&scratch.path("edge-gy.png")));
}

#[test]
fn conditions_are_executed_and_digital_registers_are_black_and_white() {
    let scratch = Scratch::new("digital");
    let input = picture(&scratch, "in.png", &scene([40, 30]));
    let image = decoded(&input);
    // The magnitude of the difference of neighbours in B, its positive places in R5.
    let program = scratch.path("p.scamp");
    let text = "subx(C, A, east, A); abs(B, C); where(C); MOV(R5, FLAG); all(); DNEWS(R6, R5, alldir); OR(R7, R5, R6);";
    fs::write(&program, text).unwrap();
    let out = scratch.path("out.png");
    for fit in ["grow", "tile"] {
        let run = kalg(&[
            "run",
            &program,
            "--image",
            &input,
            "--out",
            &out,
            "--fit",
            fit,
            "--outputs",
            "B=B,mask=R5,wide=R7",
        ]);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let read = |name: &str| decoded(&scratch.path(&format!("out-{name}.png")));
        let (magnitude, mask, wide) = (read("B"), read("mask"), read("wide"));
        for y in 0..30 {
            for x in 0..40 {
                let at = |x: i64, y: i64| image.get(x, y).unwrap_or(0.0);
                let difference = at(x + 1, y) - at(x, y);
                assert_eq!(magnitude.get(x, y), Some(difference.abs()), "{fit} ({x}, {y})");
                let bright = |x: i64, y: i64| image.get(x, y).is_some() && at(x + 1, y) - at(x, y) > 0.0;
                let shown = |marked: bool| Some(if marked { 127.0 } else { -128.0 });
                assert_eq!(mask.get(x, y), shown(bright(x, y)), "{fit} ({x}, {y})");
                let near = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)];
                let spread = near.iter().any(|(dx, dy)| bright(x + dx, y + dy));
                assert_eq!(wide.get(x, y), shown(spread), "{fit} ({x}, {y})");
            }
        }
    }
    // A mask is read back as one: white is 1. A flood stays inside it, and is no matter of parts.
    let mask = scratch.path("out-mask.png");
    let flood = "corpus/handwritten/flooding.scamp";
    let (cells, seeds) = (format!("R5={mask}"), format!("R6={mask}"));
    let inputs = ["run", flood, "--image", &cells, "--image", &seeds, "--out"];
    let flooded = scratch.path("flooded.png");
    let run = kalg(&[&inputs[..], &[&flooded, "--fit", "grow"]].concat());
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(decoded(&flooded), decoded(&mask));
    let refused = |arguments: &[&str], why: &str| {
        let run = kalg(arguments);
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.code() == Some(2) && said.contains(why), "{said}");
    };
    refused(&[&inputs[..], &[&flooded, "--fit", "tile"]].concat(), "depends on the whole image");
    let blurred = "corpus/handwritten/blurred-threshold.scamp";
    refused(&["run", blurred, "--image", &input, "--out", &flooded, "--fit", "grow"], "depends on timing");
}

#[test]
fn what_is_no_picture_is_refused_before_anything_is_written() {
    let scratch = Scratch::new("refused");
    let out = scratch.path("out.png");
    for image in [BOX, "corpus/nothing.png"] {
        let output = kalg(&["run", BOX, "--image", image, "--out", &out]);
        assert_eq!(output.status.code(), Some(2), "{image}");
        assert!(output.stderr.starts_with(b"error: cannot use `"), "{image}");
    }
    let input = picture(&scratch, "in.png", &scene([256, 256]));
    for wrong in
        [&["--noise", "cpasim"][..], &["--output-register", "Q"], &["--input", "Q"], &["--out", "x.jpg"]]
    {
        let mut arguments = vec!["run", BOX, "--image", &input];
        arguments.extend(wrong);
        if wrong[0] != "--out" {
            arguments.extend(["--out", &out]);
        }
        assert_eq!(kalg(&arguments).status.code(), Some(2), "{wrong:?}");
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_filter_in_the_place_of_a_program_is_told_from_one() {
    let scratch = Scratch::new("filter");
    let (from, to) = (picture(&scratch, "in.pgm", &scene([8, 8])), scratch.path("out.pgm"));
    let output = kalg(&["run", "corpus/classic/row-121.sexp", "--image", &from, "--out", &to]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("is a filter") && said.contains("--target` with `ops`"), "{said}");
    assert!(!Path::new(&to).exists());
}

#[test]
fn a_program_is_lifted_to_a_filter_and_optimised() {
    let target = builtin_names()[0];
    let output = kalg(&[
        "optimize",
        "corpus/handwritten/cain-sobel.scamp",
        "--cost",
        target,
        "--nodes",
        "40",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lifted = serde_json::json!(
        {"instructions": 5, "cycles": 10, "registers": ["A"], "inputs": ["A"], "division": null}
    );
    assert_eq!(record["lifted"], lifted);
    assert_eq!(
        (&record["filter"], &record["verified"]["symbolic"]),
        (&Value::from("cain-sobel"), &Value::from(true))
    );
    assert!(record["cycles"].as_u64().unwrap() < 10, "{}", record["cycles"]);
    let pair = [
        "optimize",
        "corpus/handwritten/sobel-pair.scamp",
        "--cost",
        target,
        "--nodes",
        "20",
        "--lift",
        "B,C",
        "--json",
    ];
    let record: Value = serde_json::from_slice(&kalg(&pair).stdout).unwrap();
    assert_eq!(record["outputs"].as_array().unwrap().len(), 2);
    let unknown = kalg(&["optimize", "corpus/handwritten/prewitt-x-uninitialised.scamp", "--cost", target]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("depends on what was in D"));
}

#[test]
fn an_optimised_program_keeps_registers_and_the_way_of_halving_or_says_what_it_changed() {
    let scratch = Scratch::new("keep");
    let path = scratch.path("half.scamp");
    std::fs::write(&path, "movx(D, E, east);\nadd(D, D, E);\ndiva(D, B, C);\n").unwrap();
    let target = builtin_names()[0];
    let optimize = |more: &[&str]| {
        let output = kalg(&[&["optimize", path.as_str(), "--cost", target, "--nodes", "50"], more].concat());
        let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code(), texts)
    };
    let record = |more: &[&str]| -> Value {
        serde_json::from_str(&optimize(&[more, &["--lift", "D", "--json"]].concat()).1[0]).unwrap()
    };
    let places = |record: &Value| [&record["inputs"], &record["outputs"]].map(|p| p[0]["register"].clone());
    let kept = record(&[]);
    assert_eq!(places(&kept), ["E", "D"]);
    assert_eq!(
        (&kept["division"], &kept["lifted"]["division"]),
        (&"compensated".into(), &"compensated".into())
    );
    assert_eq!(places(&record(&["--outputs", "out=A"])), ["E", "A"]);
    assert_eq!(places(&record(&["--registers", "A,B,C"]))[0], "A");
    assert_eq!(places(&record(&["--free-registers"]))[0], "A");
    let (code, [text, _]) = optimize(&["--lift", "D", "--division", "quick", "--free-registers"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("it halves compensated, this one quick"), "{text}");
    assert!(text.contains("from E and leaves its result in D, this one does not"), "{text}");
    let (code, [_, said]) = optimize(&["--lift", "D", "--outputs", "x=A"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("no result `x`") && said.contains("--lift"), "{said}");
}

#[test]
fn certificates_are_followed_and_forged_ones_are_found_out() {
    let scratch = Scratch::new("certificate");
    let path = scratch.path("sobel.certificate");
    let check = [
        "check",
        "corpus/handwritten/cain-sobel.scamp",
        "--against",
        "corpus/classic/sobel-x.sexp",
        "--certificate",
        &path,
    ];
    assert_eq!(kalg(&check).status.code(), Some(0));
    let followed = kalg(&["check", "--replay", &path]);
    assert_eq!(followed.status.code(), Some(0));
    assert!(
        String::from_utf8(followed.stdout)
            .unwrap()
            .ends_with("5 steps replayed, each as stated\nout is in A\n")
    );
    let text = fs::read_to_string(&path).unwrap();
    // Without the alignment of its columns.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
    let replayed = |text: &str| {
        fs::write(&path, text).unwrap();
        let output = kalg(&["check", "--replay", &path]);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (from, to, expected) in [
        ("0 -1 0 0 2", "0 -1 0 0 3", "error[wrong-"),
        ("movx(B, A, south)", "movx(B, A, north)", "error[wrong-step]"),
        ("movx(B, A, south)", "movx(C, A, south)", "error[wrong-step]"),
        ("(output out A", "(output out B", "error[wrong-output]"),
    ] {
        assert!(text.contains(from), "{from} is not in {text}");
        let (code, complaint) = replayed(&text.replacen(from, to, 1));
        assert_eq!(code, Some(1), "{complaint}");
        assert!(complaint.starts_with(expected), "{complaint}");
    }
    for (from, to) in
        [("(version 1)", "(version 2)"), ("(channel A)", ""), ("(step", "(stop"), ("certificate", "filter")]
    {
        let (code, complaint) = replayed(&text.replacen(from, to, 1));
        assert!(code == Some(2) || from == "(channel A)" && code == Some(1), "{from}: {complaint}");
    }
}

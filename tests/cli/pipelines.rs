//! `kalg run` and `kalg explain` on pipelines, as users run them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kalg::picture::{Image, PictureFormat, Samples, read_npy, read_samples, write_npy, write_samples};
use serde_json::Value;

fn kalg(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kalg"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .unwrap()
}

/// A new folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pipelines-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file in the folder.
fn file(folder: &Path, name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, contents).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A picture of 16-bit samples with rows from the north.
fn png(width: usize, samples: &[u16]) -> Vec<u8> {
    let rows = samples.chunks(width).rev().flatten().map(|sample| f64::from(*sample)).collect();
    let image = Image::from_pixels(width, samples.len() / width, rows).unwrap();
    write_samples(&image, u16::MAX, PictureFormat::Png).unwrap()
}

#[test]
fn several_pictures_go_in_and_out_in_the_orientation_of_files() {
    let folder = folder("several");
    let text = "(pipeline p (inputs (a uint10) (b int16 (rate 1/2 1)))
        (border zero)
        (output north uint10 (at a 0 1))
        (output sum int32 (rate 1/2 1) (+ (down 2 1 a) b)))";
    let pipeline = file(&folder, "p.sexp", text);
    let a = file(&folder, "a.png", png(4, &[1, 2, 3, 4, 1000, 6, 7, 8]));
    let numbers = Samples::Integers(vec![-5, 10, 100, -2000]);
    let b = file(&folder, "b.npy", write_npy([2, 2], (16, true), &numbers));
    let images = [format!("a={a}"), format!("b={b}")];
    let out = folder.join("out.npy");
    let arguments = [
        "run",
        &pipeline,
        "--image",
        &images[0],
        "--image",
        &images[1],
        "--out",
        out.to_str().unwrap(),
        "--json",
    ];
    let output = kalg(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["outputs"][1]["least"], -1993.0);
    let read = |name: &str| read_npy(&fs::read(folder.join(name)).unwrap()).unwrap();
    assert_eq!(read("out-north.npy"), ([4, 2], Samples::Integers(vec![0, 0, 0, 0, 1, 2, 3, 4])));
    assert_eq!(read("out-sum.npy"), ([2, 2], Samples::Integers(vec![-4, 13, 1100, -1993])));
    // Pictures hold what is not negative and has at most 16 bits.
    let out = folder.join("out.png");
    let refused = kalg(&[
        "run",
        &pipeline,
        "--image",
        &images[0],
        "--image",
        &images[1],
        "--out",
        out.to_str().unwrap(),
    ]);
    let complaint = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        complaint.contains("the output `sum`") && complaint.contains("`int32`; write it as .npy"),
        "{complaint}"
    );
    assert!(!folder.join("out-north.png").exists(), "nothing is written unless all can be");
}

#[test]
fn sixteen_bits_are_written_whole() {
    let folder = folder("sixteen");
    let pipeline =
        file(&folder, "p.sexp", "(pipeline p (inputs (a uint16)) (output o uint16 (min 65535 (* 3 a))))");
    let input = file(&folder, "a.png", png(2, &[0, 300, 20_000, 40_000]));
    let out = folder.join("o.png");
    let output = kalg(&["run", &pipeline, "--image", &input, "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let (image, most) = read_samples(&fs::read(out).unwrap()).unwrap();
    assert_eq!((image.pixels(), most), (&[60_000.0, 65_535.0, 0.0, 900.0][..], u16::MAX));
}

#[test]
fn what_cannot_be_executed_says_why() {
    let folder = folder("refused");
    let pipeline = file(&folder, "p.sexp", "(pipeline p (inputs (a uint8)) (output o (down 2 1 a)))");
    let input = file(&folder, "a.png", png(3, &[1, 2, 300]));
    let out = folder.join("o.png");
    let run = |more: &[&str]| {
        let base = ["run", pipeline.as_str(), "--image", input.as_str(), "--out", out.to_str().unwrap()];
        let output = kalg(&[&base[..], more].concat());
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let odd = run(&[]);
    assert!(odd.contains("the output `o` has the rate 1/2 × 1") || odd.contains("the sample 300"), "{odd}");
    let machine = run(&["--target", "ops"]);
    assert!(machine.contains("`--target` does not apply to a pipeline"), "{machine}");
    let compiled = kalg(&["optimize", &pipeline, "--cost", "scamp5"]);
    assert_eq!(compiled.status.code(), Some(2));
    let complaint = String::from_utf8(compiled.stderr).unwrap();
    assert!(complaint.contains("the file seems to be a pipeline of stages"), "{complaint}");
}

#[test]
fn explain_shows_stages_and_what_is_merged() {
    let output = kalg(&["explain", "corpus/pipelines/unsharp.sexp"]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!("explain-unsharp", String::from_utf8(output.stdout).unwrap());
    let output = kalg(&["explain", "corpus/pipelines/pyramid.sexp", "--json"]);
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    let stage = |name: &str| {
        let stages = record["stages"].as_array().unwrap();
        stages.iter().find(|stage| stage["name"] == name).unwrap().clone()
    };
    // Each level reads 4 · (2^k − 1) + 1 pixels of the input.
    assert_eq!(stage("gauss-3")["window"][0]["columns"], serde_json::json!([-14, 14]));
    assert_eq!(stage("gauss-3")["rate"], serde_json::json!(["1/8", "1/8"]));
    assert_eq!(stage("laplace-0")["bits"], 9);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_pipeline() {
    let text = fs::read_to_string("corpus/pipelines/unsharp.sexp").unwrap();
    let marked = file(&folder("marked"), "unsharp.sexp", format!("\u{feff}{text}"));
    let [marked, plain] = [marked.as_str(), "corpus/pipelines/unsharp.sexp"].map(|path| {
        let output = kalg(&["explain", path]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().replace(path, "FILE")
    });
    assert_eq!(marked, plain);
}

/// The code of a file with names that would collide, in a form for a machine.
fn code(path: &str, machine: &[&str], form: &str) -> String {
    let output =
        kalg(&[&["optimize", path, "--emit", form, "--nodes", "50", "--cost"][..], machine].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn names_in_code_do_not_collide() {
    let folder = folder("names");
    let text = "(pipeline size_t (inputs (x-y uint8) (x_y uint8) (x_y_stride uint8)) (border replicate) \
                (output o (- x-y x_y)) (output o-stride (+ x_y x_y_stride)))";
    let pipeline = file(&folder, "names.sexp", text);
    let filter = file(
        &folder,
        "filter.sexp",
        "(filter int (inputs x-y x_y) (output o (add (from x-y (id)) (from x_y (kernel (1 2 1))))) (output o_stride (from x-y (id))))",
    );
    for (path, machine) in [(&pipeline, "cpu"), (&filter, "cpu"), (&filter, "ops")] {
        let name = if *path == filter { "int_" } else { "size_t_" };
        let in_c = code(path, &[machine], "c");
        let parts = ["in_x_y,", "in_x_y_2,", "out_o,", "out_o_stride_2,"];
        assert!(parts.iter().all(|part| in_c.contains(part)) && in_c.contains(&format!("size_t {name}(")));
        let in_rust = code(path, &[machine], "rust");
        assert!(in_rust.contains("in_x_y_2_stride: usize") && in_rust.contains(&format!("pub fn {name}(")));
        let source = file(&folder, "names.c", in_c);
        // Where there is a compiler, it agrees.
        if let Ok(compiled) =
            Command::new("cc").args(["-std=c99", "-Wall", "-Werror", "-fsyntax-only", &source]).output()
        {
            assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        }
    }
    let hardware = |form: &str| code(&pipeline, &["fpga", "--width", "64"], form);
    let hls = hardware("hls");
    assert!(hls.contains("void size_t_(") && hls.contains(" in_x_y;") && hls.contains(" in_x_y_2;"), "{hls}");
    let driver = hardware("driver");
    assert!(driver.contains("size_t_get_in_x_y(") && driver.contains("size_t_get_in_x_y_2("), "{driver}");
}

#[test]
fn usual_heights_are_whole_multiples() {
    let folder = folder("heights");
    let thin = file(&folder, "thin.sexp", "(pipeline thin (inputs (a uint8)) (output o (down 1 16 a)))");
    let optimize =
        |more: &[&str]| kalg(&[&["optimize", &thin, "--cost", "fpga", "--width", "128"], more].concat());
    let usual = optimize(&[]);
    assert!(String::from_utf8(usual.stdout).unwrap().contains("128x1088 pixels"));
    let asked = optimize(&["--height", "1080"]);
    assert_eq!(asked.status.code(), Some(2));
    assert!(
        String::from_utf8(asked.stderr).unwrap().contains("--height 1080 is not a multiple of the 16 rows")
    );
}

#[test]
fn costs_of_memory_may_be_fractions() {
    let cost = |weight: &str| {
        let output = kalg(&[
            "optimize",
            "corpus/classic/gauss-5.sexp",
            "--cost",
            "ops",
            "--nodes",
            "50",
            "--memory-weight",
            weight,
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().find(|line| line.starts_with("Cost")).unwrap().to_owned()
    };
    assert_eq!(cost("1/10"), cost("0.1"));
}

#[test]
fn empty_files_and_others_that_are_no_text_are_told_with_their_place() {
    let folder = folder("empty");
    let files =
        [("", "error[empty-file]"), ("\n", "error[empty-file]")].map(|(text, said)| (text.as_bytes(), said));
    for (number, (text, said)) in
        files.into_iter().chain([(&b"(pipeline \xff)"[..], "error[invalid-utf8]")]).enumerate()
    {
        let path = file(&folder, &format!("{number}.sexp"), text);
        let picture = file(&folder, "a.png", png(1, &[1]));
        let run = ["run", &path, "--image", &picture, "--out", "o.png"];
        for arguments in [&run[..], &["optimize", &path, "--cost", "fpga", "--width", "64"]] {
            let output = kalg(arguments);
            let complaint = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2));
            assert!(complaint.contains(said) && complaint.contains(&format!("{path}:1:")), "{complaint}");
        }
    }
}

#[test]
fn a_rule_on_pixels_that_was_only_tried_is_warned_of_where_it_is_used() {
    let folder = folder("tried");
    let rules = file(&folder, "my.rules", "(rule t (pixel (= (* ?a ?a) (+ (* 3 ?b) 20011))) => (pixel 0))");
    let text = |output: &str| {
        format!("(pipeline p (inputs (a uint8) (b uint8)) (border replicate) (output out uint8 {output}))")
    };
    let used = file(&folder, "used.sexp", text("(= (* a a) (+ (* 3 b) 20011))"));
    let unused = file(&folder, "unused.sexp", text("(max a b 0)"));
    for machine in ["cpu", "fpga"] {
        let said = |pipeline: &str, form: &str| {
            let arguments = ["optimize", pipeline, "--cost", machine, "--extra-rules", &rules];
            let output = kalg(&[&arguments[..], &["--nodes", "50", "--emit", form]].concat());
            assert!(output.status.success(), "{output:?}");
            [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat()
        };
        for form in ["text", "json", "code"] {
            let warning = "rule `t` is tried, not proved";
            assert!(said(&used, form).contains(warning), "{}", said(&used, form));
            // The rule that makes this cheaper is built in.
            assert!(!said(&unused, form).contains(warning), "{}", said(&unused, form));
        }
    }
}

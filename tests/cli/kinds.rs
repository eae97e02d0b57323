//! Files of the wrong kind, as users give them to commands, and commands without files.

use crate::process::{err, kalg};
use crate::scratch::Scratch;

#[test]
fn files_of_the_wrong_kind_are_told_by_one_message() {
    let scratch = Scratch::new("kinds");
    let matrix = scratch.file("blur.csv", b"1,2,1\n2,4,2\n");
    let json = scratch.file("record.json", b"{\"file\": \"a.sexp\"}");
    let picture = scratch.file("a.png", b"\x89PNG\r\n\x1a\n");
    let listing = scratch.file("a.txt", b"// by hand\nbus(NEWS, A); // A = 1\n");
    let (kernel, workload) = ("corpus/classic/box-3.sexp", "corpus/vyasa/int16-3x3.conv");
    let (rules, code) = ("rules/scale.rules", "corpus/handwritten-aie/gauss-3-symmetric.cc");
    let cases: [(&[&str], &str, &str); 16] = [
        (&["optimize", &matrix, "--cost", "scamp5"], "a matrix of numbers", "kalg import"),
        (&["check", &matrix], "a matrix of numbers", "kalg import"),
        (&["optimize", &picture, "--cost", "aie"], "a picture", "--image"),
        (&["import", &picture], "a picture", "--image"),
        (&["explain", code], "C++ for a vector machine", "--target MACHINE"),
        (&["check", code], "C++ for a vector machine", "--target MACHINE"),
        (&["optimize", code, "--cost", "aie"], "C++ for a vector machine", "--target MACHINE"),
        (&["check", &listing, "--target", "aie"], "a program for an array of pixel processors", "kalg run"),
        (&["optimize", workload, "--cost", "scamp5"], "a convolution of tensors", "--cost MACHINE"),
        (&["check", rules], "a rule file", "kalg rules check"),
        (&["approx", "--depth", "3", rules], "a rule file", "kalg rules check"),
        (&["rules", "check", kernel], "a kernel file", "kalg optimize"),
        (&["optimize", kernel, "--target", kernel], "a kernel file", "kalg optimize"),
        (&["bench", "--against", kernel], "a kernel file", "kalg optimize"),
        (&["explain", "--replay", kernel], "a kernel file", "kalg optimize"),
        (&["explain", &json], "JSON", "kalg explain --replay"),
    ];
    for (arguments, kind, command) in cases {
        let output = kalg().args(arguments).output().expect("kalg can be run");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = err(&output);
        assert!(said.contains(&format!("the file seems to be {kind}")), "{arguments:?}: {said}");
        assert!(said.contains(command), "{arguments:?}: {said}");
        assert!(said.matches("error").count() <= 2, "{arguments:?}: {said}");
    }
}

#[test]
fn bench_alone_says_what_can_be_measured() {
    let output = kalg().arg("bench").output().expect("kalg can be run");
    assert_eq!(output.status.code(), Some(2));
    let said = err(&output);
    for choice in ["--against FILE", "--best-known FILE", "--ablate", "--heuristic", "--calibrate"] {
        assert!(said.contains(choice), "{said}");
    }
    for set in ["vyasa", "registers", "cpu", "fpga"] {
        assert!(said.contains(&format!("--set {set}")), "{said}");
    }
}

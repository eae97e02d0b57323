//! Plans chosen by the measured time of their C, and costs that are fitted to such times.

#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

use std::process::Command;
use std::sync::{Arc, Mutex};

use kalg::backend::CTimer;
use kalg::{Compiler, Filter, Source, Target};
use serde_json::Value;

use crate::scratch::Scratch;
use crate::stream_command::{FEW, kalg, out};

const BOX: &str = "corpus/scan-order/box-15.sexp";
const ROW: &str = "corpus/classic/row-121.sexp";

/// A compiler for whose programs a plan is the faster the more it costs.
struct Contrary(Mutex<Vec<(String, String)>>);

impl CTimer for Contrary {
    fn command(&self) -> String {
        "contrary".to_owned()
    }

    fn run(&self, files: &[(String, String)]) -> Result<Vec<f64>, String> {
        *self.0.lock().unwrap() = files.to_vec();
        // One of the files has the main program.
        Ok((1..files.len()).rev().map(|time| time as f64).collect())
    }
}

#[test]
fn the_plan_is_the_fastest_of_those_measured_and_not_the_one_of_least_cost() {
    let text = std::fs::read_to_string(BOX).unwrap();
    let filter = Filter::read(Source::new(BOX, text)).unwrap();
    let compiler = Compiler::new(&Target::builtin("cpu").unwrap()).nodes(50);
    let record = |compiler: &Compiler| -> Value {
        serde_json::from_str(&compiler.compile(&filter).unwrap().report().to_json()).unwrap()
    };
    let plain = record(&compiler);
    let timer = Arc::new(Contrary(Mutex::default()));
    let tuned = record(&compiler.clone().timer(timer.clone()).option("tune", ""));
    let plans = tuned["measured"]["plans"].as_array().unwrap();
    let costs: Vec<f64> = plans.iter().map(|plan| plan["cost"].as_f64().unwrap()).collect();
    assert!(plans.len() > 1 && costs[1..].is_sorted(), "{costs:?}");
    assert_eq!(costs.first(), plain["cost"]["total"].as_f64().as_ref());
    assert_eq!(costs.last(), tuned["cost"]["total"].as_f64().as_ref());
    assert_eq!(tuned["verified"]["symbolic"], Value::Bool(true));
    assert_eq!(plain.get("measured"), None);
    // The code that is printed is the code that was measured.
    let files = timer.0.lock().unwrap();
    let measured = &files[files.len() - 2].1;
    assert!(measured.ends_with(tuned["c"].as_str().unwrap()));
    let refused = compiler.option("tune", "").compile(&filter).unwrap_err();
    assert!(refused.to_string().contains("needs a C compiler"), "{refused}");
}

#[test]
fn filters_and_pipelines_of_all_shapes_are_measured_with_the_c_compiler() {
    let scratch = Scratch::new("tune");
    let valid = scratch.file(
        "valid.sexp",
        "(filter two (inputs a b) (output sum (add (from b (kernel (1 2 1))) (from a (kernel (1) (1) (2))))) (output left (from a (kernel (1 0 1)))))",
    );
    let rates = scratch.file(
        "rates.sexp",
        "(pipeline rates (inputs (a uint8) (b int10)) (border replicate) (let half (down 3 2 (filter (kernel (1 2 1)) a)))
         (output half (floor-shift 2 half)) (output both int32 (+ (up 3 2 half) (filter (kernel (1 1 1) (1 2 1) (1 1 1)) b))))",
    );
    let border = ["--border", "valid", "--type", "int16", "--width", "100"];
    for (file, more) in [(valid.as_str(), &border[..]), (rates.as_str(), &[])] {
        let command = [&["optimize", file, "--cost", "cpu", "--tune"], FEW, more].concat();
        let output = kalg(&command);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = out(&output);
        let line = text.lines().find(|line| line.starts_with("measured with `")).unwrap();
        let (_, times) = line.split_once("ns a pixel: ").unwrap();
        assert!(times.split(' ').all(|time| time.parse::<f64>().unwrap() > 0.0), "{line}");
    }
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let tune = |cost: &str, compiler: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
        command
            .args(["optimize", ROW, "--cost", cost, "--tune"])
            .args(FEW)
            .env("CC", compiler)
            .output()
            .unwrap()
    };
    for (output, expected) in [
        (tune("ops", "cc"), "--tune is for machines whose costs are times of loops; those of `ops` are not"),
        (tune("cpu", "/no/such/compiler"), "--tune measures no code: cannot run `/no/such/compiler`"),
        (tune("cpu", "cc --no-such-flag"), "--tune measures no code:"),
        (tune("cpu", "true"), "--tune measures no code:"),
        (tune("cpu", "false"), "--tune measures no code: `false` ends with"),
    ] {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(expected), "{message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn fitted_costs_are_a_descriptor() {
    let scratch = Scratch::new("calibrate");
    let file = &*scratch.path("own.sexp");
    let output = kalg(&["bench", "--calibrate", "--only", "gauss-3", "-o", file]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.contains("fitted to 2 plans") && text.contains("(stream-machine cpu"), "{text}");
    assert!(kalg(&[&["optimize", BOX, "--target", file], FEW].concat()).status.success());
    let output = kalg(&["bench", "--calibrate", "--only", "no such filter"]);
    assert!(!output.status.success() && output.stdout.is_empty());
}

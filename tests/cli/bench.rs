//! `kalg bench --against`: the comparison as users see it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Output};

use serde_json::Value;

use crate::scratch::Scratch;

/// A file of baselines.
struct Baselines(Scratch);

impl Baselines {
    fn new(name: &str, text: &str) -> Self {
        let scratch = Scratch::new(name);
        scratch.file("baselines.json", text);
        Self(scratch)
    }

    fn bench(&self, options: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
        command.arg("bench").arg("--against").arg(self.0.at("baselines.json")).args(options).output().unwrap()
    }
}

const TWO: &str = r#"{
  "about": "for a test",
  "kernels": [
    { "name": "edge", "outputs": [{ "matrix": [[1, 0, -1]], "scale_log2": 0 }],
      "results": { "cain-all": { "instructions": 1, "cycles": 6, "correct_and_legal": true },
                   "cain-basic": { "instructions": 3, "cycles": 4, "correct_and_legal": true } } },
    { "name": "half", "outputs": [{ "matrix": [[1]], "scale_log2": 1 }],
      "results": { "cain-all": { "instructions": 1, "cycles": 1, "correct_and_legal": false } } } ] }"#;

#[test]
fn every_filter_stands_against_the_lowest_legal_result() {
    let output = Baselines::new("two", TWO).bench(&["--isa", "bus", "--nodes", "200", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 5, "two filters in two ways, and the summary");
    let edge = &lines[0];
    assert_eq!(
        (&edge["kernel"], &edge["rival"], &edge["rival_cost"]),
        (&"edge".into(), &"cain-basic".into(), &4.into())
    );
    let cost = edge["cost"].as_f64().unwrap();
    assert!((edge["ratio"].as_f64().unwrap() - cost / 4.0).abs() < 1e-6);
    assert_eq!(edge["result"]["verified"]["symbolic"], Value::Bool(true));
    let half = &lines[1];
    assert_eq!((&half["rival"], &half["ratio"]), (&Value::Null, &Value::Null), "illegal code is no rival");
    assert!(half["cost"].is_u64());
    let summary = &lines[4]["summary"][0];
    assert_eq!((&summary["compared"], &summary["without_program"]), (&1.into(), &0.into()));
    assert_eq!(summary["geometric_mean"], edge["ratio"]);
}

#[test]
fn tables_are_markdown_with_the_means_below() {
    let output = Baselines::new("table", TWO).bench(&["--isa", "macro", "--nodes", "100", "--only", "edge"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("## macro"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("| edge")), "{text}");
    assert!(text.contains("Geometric mean of kalg/others"), "{text}");
    assert!(!text.contains("| half"), "{text}");
}

#[test]
fn what_cannot_be_compared_is_bad_input() {
    let broken = Baselines::new("broken", r#"{ "kernels": [{ "name": "x" }] }"#).bench(&[]);
    assert_eq!(broken.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&broken.stderr).contains("missing field `results`"));
    let empty = Baselines::new("empty", r#"{ "kernels": [{ "name": "x", "results": {} }] }"#).bench(&[]);
    assert_eq!(empty.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&empty.stderr).contains("`x` has neither `outputs` nor a `file`"));
    let nothing = Baselines::new("nothing", TWO).bench(&["--only", "sobel"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("nothing is left to compare"));
    let ragged = TWO.replace("[[1, 0, -1]]", "[[1, 0], [1]]");
    let ragged = Baselines::new("ragged", &ragged).bench(&["--nodes", "10"]);
    assert_eq!(ragged.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&ragged.stderr).contains("`edge` cannot be compiled"),
        "{}",
        String::from_utf8_lossy(&ragged.stderr)
    );
}

#[test]
fn what_is_left_out_has_a_column_and_a_verdict() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["bench", "--ablate", "--nodes", "15", "--json"]);
    command.arg("--each-rule");
    let output = command.arg("corpus/classic/box-2.sexp").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [row, summary] = &lines[..] else { panic!("{lines:?}") };
    assert!(row["costs"]["all"].as_u64() >= Some(3), "{row}");
    for variant in ["− rules", "− factor", "− proposers", "random proposers", "− windows", "− separable"]
    {
        assert!(row["costs"].get(variant).is_some(), "no {variant} in {row}");
    }
    let known = summary["summary"].as_array().unwrap().len();
    assert_eq!(row["costs"].as_object().unwrap().len(), known + 1);
}

/// An estimate is the weighted sum of the quantities in the record.
#[test]
fn guesses_come_with_what_they_go_by() {
    let collect = |threads: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env("RAYON_NUM_THREADS", threads);
        command.args(["bench", "--heuristic", "corpus/classic/roberts.sexp", "corpus/classic/row-121.sexp"]);
        let output = command.args(["--samples", "3", "--nodes", "30", "--json"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = collect("1");
    assert_eq!(collect("3"), text, "threads make no difference");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, states) = lines.split_last().unwrap();
    let summary = last["summary"].as_array().unwrap();
    assert!(summary.len() > 1, "{last}");
    for isa in summary {
        let mut of_isa = 0;
        for state in states.iter().filter(|state| state["isa"] == isa["isa"]) {
            let quantities = state["quantities"].as_object().unwrap();
            let weigh = |(name, value): (&String, &Value)| {
                value.as_f64().unwrap() * isa["weights"][name].as_f64().unwrap()
            };
            let sum: f64 = quantities.iter().map(weigh).sum();
            assert!((sum - state["estimate"].as_f64().unwrap()).abs() < 1e-3, "{state}");
            assert!(state["cost"].as_u64() >= Some(1), "{state}");
            of_isa += 1;
        }
        assert!(of_isa > 6, "{} has {of_isa} states", isa["isa"]);
    }
}

#[test]
fn designs_of_hardware_stand_beside_the_figures_of_others() {
    let bench = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
        let output = command.args(["bench", "--set", "fpga", "--only"]).args(options).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = bench(&["contrast"]);
    let rows: Vec<&str> =
        text.lines().filter(|line| line.starts_with("| contrast | 1920×1080 | 1 |")).collect();
    assert_eq!(rows.len(), 3, "{text}");
    assert!(rows[0].contains("kalg (estimates) | 137 | 0 |") && rows[1].contains("| 113 | 30 |"), "{text}");
    let lines: Vec<Value> =
        bench(&["fanout", "--json"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [design, summary] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(design["record"]["pipeline"], "fanout");
    assert_eq!(summary["summary"]["designs"], 1);
}

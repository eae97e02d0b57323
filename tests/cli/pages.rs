//! Pages for a browser: what is in them. `tests/pages/check.py` looks at them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Output};

use serde_json::Value;

fn kalg(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap()
}

/// The data of a page that kalg prints, and the exit code.
fn data(arguments: &[&str]) -> (Value, Option<i32>) {
    let output = kalg(&[arguments, &["--emit", "html"]].concat());
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"), "{}", String::from_utf8_lossy(&output.stderr));
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    (serde_json::from_str(data).unwrap(), output.status.code())
}

#[test]
fn a_wrong_program_is_shown_with_its_first_wrong_line() {
    let program = [
        "check",
        "corpus/handwritten/prewitt-x-overwritten.scamp",
        "--against",
        "corpus/classic/prewitt-x.sexp",
    ];
    let (data, code) = data(&program);
    assert_eq!((code, data["record"]["verdict"].as_str()), (Some(1), Some("different")));
    let lost = data["record"]["outputs"][0]["lost"]["instruction"].as_u64().unwrap() as usize;
    assert!(lost < data["record"]["program"].as_array().unwrap().len());
    assert!(data["record"]["counterexample"]["smallest"].as_bool().unwrap());
}

#[test]
fn every_step_of_an_explanation_takes_a_shown_kernel_apart() {
    let (data, _) = data(&["explain", "corpus/classic/gauss-3.sexp", "--nodes", "200"]);
    let classes = data["classes"].as_array().unwrap();
    let steps = data["steps"].as_array().unwrap();
    assert!(!steps.is_empty());
    for step in steps {
        assert!(classes.iter().any(|class| class["kernel"] == step["kernel"]), "{step}");
    }
    for class in classes {
        // The chosen node comes first, and its parts are shown, too.
        let chosen = &class["nodes"][0];
        assert_eq!(chosen["chosen"], true);
        for part in chosen["parts"].as_array().unwrap() {
            assert!(classes.iter().any(|other| other["id"] == *part), "{class}");
        }
    }
}

#[test]
fn stages_of_pipelines_and_plans_have_windows_and_widths() {
    let named = |data: &Value, name: &str| {
        data["stages"].as_array().unwrap().iter().find(|stage| stage["name"] == name).unwrap().clone()
    };
    let pipeline = "corpus/pipelines/harris.sexp";
    let (data_of, _) = data(&["explain", pipeline]);
    assert_eq!(named(&data_of, "out")["window"][0]["size"], serde_json::json!([7, 7]));
    let refused = kalg(&["explain", pipeline, "--emit", "dot"]);
    assert_eq!(refused.status.code(), Some(2));
    let (data_of, _) = data(&["optimize", "corpus/classic/gauss-3.sexp", "--cost", "cpu", "--nodes", "20"]);
    let out = named(&data_of, "out");
    assert_eq!(
        (out["window"][0]["size"].clone(), out["type"].clone()),
        (serde_json::json!([3, 3]), "uint8".into())
    );
}

#[test]
fn whole_programs_come_with_their_changes_and_with_both_programs_in_steps() {
    let program = "corpus/handwritten/clumsy-masked-sobel.scamp";
    let (data, _) = data(&["optimize", program, "--cost", "scamp5", "--nodes", "20"]);
    let sum = |of: &Value, sign: &str| -> u64 {
        let counts = |own: &&Value| sign.is_empty() || own["sign"] == " " || own["sign"] == sign;
        of.as_array().unwrap().iter().filter(counts).map(|own| own["cycles"].as_u64().unwrap()).sum()
    };
    for (walk, cycles, sign) in [("new", "cycles", "+"), ("given", "cycles_before", "-")] {
        let steps = &data[walk]["steps"];
        assert_eq!(sum(steps, ""), data["record"][cycles].as_u64().unwrap(), "{walk}");
        assert_eq!(sum(&data["record"]["changes"], sign), sum(steps, ""), "{walk}");
        // What is written under the mask is one thing inside of it, and what was there outside.
        let masked = steps.as_array().unwrap().iter().flat_map(|step| step["values"].as_array().unwrap());
        let cases =
            masked.filter(|value| value["register"] == "E").filter_map(|value| value["cases"].as_array());
        let conditions: Vec<&Value> = cases.flatten().map(|case| &case["conditions"][0]).collect();
        assert!(conditions.contains(&&"R5 is 1".into()) && conditions.contains(&&"R5 is 0".into()), "{walk}");
    }
    assert!(data["facts"].as_array().unwrap().iter().all(|fact| !fact.as_str().unwrap().contains("Changes")));
}

#[test]
fn checks_of_programs_with_conditions_come_with_their_steps() {
    let flood = "corpus/handwritten/flooding.scamp";
    let (flooded, code) = data(&["check", flood, "--against", flood]);
    assert_eq!((code, &flooded["record"]["verdict"]), (Some(2), &"unknown".into()));
    assert!(flooded["record"]["outputs"][0]["reason"].as_str().unwrap().contains("flooding"));
    let walk = &flooded["walk"];
    assert_eq!((&walk["flag"], &walk["gates"]["R12"]), (&"FLAG".into(), &"R0".into()));
    let floods =
        |step: &&Value| step["effects"].as_array().unwrap().iter().any(|own| own["bits"]["flood"] == true);
    assert_eq!(walk["steps"].as_array().unwrap().iter().filter(floods).count(), 1);
    // Operands that the machine does not allow are read from copies; the page has no names of its own for these.
    let (lenient, _) = data(&["check", "corpus/handwritten/or-in-place.scamp", "--lenient"]);
    let (steps, program) = (&lenient["walk"]["steps"], &lenient["record"]["program"]);
    assert_eq!(steps.as_array().unwrap().len(), program.as_array().unwrap().len());
}

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

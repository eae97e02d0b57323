//! `kalg optimize` for a vector machine reports outputs that saturate.

use crate::command::{file, optimize, record, text};

#[test]
fn outputs_that_saturate_are_told_of() {
    let line = "1 ".repeat(15);
    let ones = file(
        "box-15",
        &format!("(filter b (inputs i) (output o (kernel {})))", format!("({line})").repeat(15)),
    );
    let found = record(&ones, &[]);
    // Every pointer into the program's own arrays, and every copy, is declared free of aliases, or the code says why not.
    let code = found["code"].as_str().unwrap();
    assert!(code.contains("int16_t *__restrict columns = "), "two passes: {code}");
    for line in code.lines().filter(|line| line.contains("_t *") && line.contains(" = ")) {
        assert!(line.contains("__restrict") != line.contains("// reads what is stored through"), "{line}");
    }
    assert_eq!(
        found["outputs"],
        serde_json::json!({"least": 0, "greatest": 57375, "saturated": true, "unsaturated_range": [0, 145]})
    );
    let code = optimize(&[&ones, "--emit", "code", "--tile", "64x4"]);
    assert!(text(&code.stderr).contains("inputs of 0 to 145 stay within it"), "{}", text(&code.stderr));
    assert_eq!(record(&ones, &["--range", "0..145"])["outputs"]["saturated"], false);
}

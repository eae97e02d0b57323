//! `kalg explain`, `kalg rules check`, `stats` and `new` as users run them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::scratch::Scratch;

fn kalg(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_steps_lead_to_the_decomposition() {
    let output = kalg(&["explain", "corpus/classic/gauss-3.sexp", "--nodes", "500"]);
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(out(&output));
    // Every step's equality is checked where it is added; the last line is the chosen term.
    let json: Value = serde_json::from_str(&out(&kalg(&[
        "explain",
        "--json",
        "--nodes",
        "500",
        "corpus/classic/sobel-x.sexp",
    ])))
    .unwrap();
    let steps = json["steps"].as_array().unwrap();
    assert!(!steps.is_empty());
    for step in steps {
        let before = step["before"][0].as_str().unwrap();
        assert!(before.contains('«') && before.contains('»'), "{before}");
        assert!(step["identity"].as_str().unwrap().contains(" = "));
        assert!(step["place"].as_str().unwrap().starts_with("kalg:rules/"));
    }
    assert!(!json["outputs"][0].as_str().unwrap().contains('«'));
}

/// The text without spaces and line breaks.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn long_terms_take_several_lines() {
    let arguments = ["explain", "corpus/classic/gauss-5.sexp", "--nodes", "500"];
    let text = out(&kalg(&arguments));
    let terms = text.lines().filter(|line| line.trim_start().starts_with(['(', '«']));
    assert!(terms.map(|line| line.chars().count()).max().unwrap() <= 120, "{text}");
    let json: Value = serde_json::from_str(&out(&kalg(&[&arguments[..], &["--json"]].concat()))).unwrap();
    for step in json["steps"].as_array().unwrap() {
        assert!(dense(&text).contains(&dense(step["before"][0].as_str().unwrap())), "{text}");
    }
}

#[test]
fn the_e_graph_is_in_the_exchange_format() {
    let text = out(&kalg(&["explain", "corpus/classic/row-121.sexp", "--emit", "json"]));
    let json: Value = serde_json::from_str(&text).unwrap();
    let nodes = json["nodes"].as_object().unwrap();
    for (id, node) in nodes {
        assert!(json["class_data"][node["eclass"].as_str().unwrap()]["kernel"].is_string(), "{id}");
        assert!(node["cost"].is_number() && node["op"].is_string() && node["subsumed"] == false);
        for child in node["children"].as_array().unwrap() {
            assert!(nodes.contains_key(child.as_str().unwrap()), "{id} has the child {child}");
        }
    }
    let root = json["root_eclasses"][0].as_str().unwrap();
    assert_eq!(json["class_data"][root]["kernel"], "[1 2 1]");
    let dot = out(&kalg(&["explain", "corpus/classic/row-121.sexp", "--emit", "dot", "--chosen"]));
    assert!(dot.starts_with("digraph") && dot.contains("[1 2 1]"), "{dot}");
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    let sexp = out(&kalg(&["explain", "corpus/classic/row-121.sexp", "--emit", "sexp"]));
    assert!(
        sexp.starts_with("(equal (filter ") && sexp.ends_with(")))\n") && sexp.lines().count() == 1,
        "{sexp}"
    );
    let svg = out(&kalg(&["explain", "corpus/classic/row-121.sexp", "--emit", "svg"]));
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
    assert_eq!(svg.matches("<rect").count(), json["class_data"].as_object().unwrap().len());
}

/// A factor that is no power of two stands in front of its kernel, so the term that is printed has the additions claimed.
/// A part whose cheapest e-node adds nothing itself may read others that do.
#[test]
fn multiples_of_sums_are_not_free() {
    with_rules("thirds", "(filter m (output out (scale 1/3 (kernel (3 6 3)))))", |file| {
        let text = out(&kalg(&["explain", file]));
        assert!(text.contains("2 additions; no term in the e-graph has fewer"), "{text}");
    });
    let sobel = "(filter m (output out (scale 1/15 (compose (kernel (3 0 -3)) (kernel (5) (10) (5))))))";
    with_rules("fifteenths", sobel, |file| {
        let text = out(&kalg(&["explain", file]));
        assert!(text.contains("3 additions; no term in the e-graph has fewer"), "{text}");
    });
}

#[test]
fn the_printed_term_has_the_additions_claimed() {
    let additions = |text: &str| {
        let line = text.lines().find(|line| line.contains(" additions"));
        line.and_then(|line| {
            line.split(", ")
                .find_map(|part| part.strip_suffix(" additions; no term in the e-graph has fewer"))
        })
        .map(str::to_owned)
    };
    with_rules("nothing", "; no rules", |rules| {
        for name in [
            "classic/scharr-x",
            "classic/scharr-y",
            "cain-style/random-05",
            "cain-style/random-07",
            "constants/set-10",
        ] {
            let file = format!("corpus/{name}.sexp");
            let claimed = out(&kalg(&["explain", &file, "--nodes", "500"]));
            let printed = Path::new(rules).with_file_name("printed.sexp");
            let emitted = out(&kalg(&["explain", &file, "--nodes", "500", "--emit", "sexp"]));
            fs::write(&printed, emitted).unwrap();
            let printed = out(&kalg(&["explain", printed.to_str().unwrap(), "--rules", rules]));
            assert!(additions(&claimed).is_some(), "{claimed}");
            assert_eq!(additions(&claimed), additions(&printed), "{name}\n{claimed}\n{printed}");
        }
        let text = out(&kalg(&["explain", "corpus/classic/scharr-x.sexp", "--nodes", "500"]));
        assert!(dense(&text).contains(&dense("(scale 3 (kernel (origin 0 2) (1) (0) (1)))")), "{text}");
    });
}

#[test]
fn a_rule_file_to_begin_with_is_right() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("new-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mine.rules");
    let path = file.to_str().unwrap();
    assert_eq!(kalg(&["rules", "new", "my-rule", "-o", path]).status.code(), Some(0));
    assert_eq!(kalg(&["rules", "new", "my-rule", "-o", path]).status.code(), Some(2), "it already exists");
    assert_eq!(kalg(&["rules", "new", "My Rule"]).status.code(), Some(2));
    let check = kalg(&["rules", "check", path]);
    assert_eq!(check.status.code(), Some(0), "{}", out(&check));
    assert!(
        out(&check).contains(
            "1 rule: 1 proved, 0 refuted, 0 not refuted by trials, 0 unknown; 2 of 2 examples work"
        ),
        "{}",
        out(&check)
    );
    let filter = "corpus/classic/gauss-3.sexp";
    let stats = kalg(&["rules", "stats", "--json", "--nodes", "500", "--extra-rules", path, filter]);
    let json: Value = serde_json::from_str(&out(&stats)).unwrap();
    let rules = json["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["name"] == "my-rule"));
    assert!(rules.iter().any(|rule| rule["chosen"].as_u64().unwrap() > 0));
    // A wrong rule is refuted, and a failing example is reported.
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace("(add (compose ?a (add ?b ?c)) ?rest...)", "(add (compose ?a (sub ?b ?c)) ?rest...)"),
    )
    .unwrap();
    let check = kalg(&["rules", "check", "--json", path]);
    assert_eq!(check.status.code(), Some(1));
    let json: Value = serde_json::from_str(&out(&check)).unwrap();
    assert_eq!((&json["verdict"], &json["examples"][0]["works"]), (&"refuted".into(), &false.into()));
    assert!(json["counterexample"].as_str().unwrap().contains("the right side is"));
}

#[test]
fn ablation_counts_what_is_lost() {
    let text = out(&kalg(&["rules", "stats", "--ablate", "--nodes", "300", "corpus/classic/gauss-3.sexp"]));
    assert!(text.contains("group factor") && text.contains("rule separable"), "{text}");
}

/// A rule file in a temporary folder, which is removed at the end.
fn with_rules(name: &str, text: &str, test: impl FnOnce(&str)) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("mine.rules");
    fs::write(&file, text).unwrap();
    test(file.to_str().unwrap());
}

const FOURTH: &str = "(rule fourth
  (group mine)
  ?k => (compose (scan -4 0) (sub ?k (shift -4 0 ?k)))
  (when (taps-at-least ?k 4))
  (example (kernel (1 . . . 1 . . . 1 . . . 1 . .)) => (compose (scan -4 0) (kernel (-1 . . . . . . . . . . . . . . . 1 . . . . . .))))
  (not (kernel (1 . . . 1)))
  (example (kernel (1 . . . 1 . . . 1 . . . 1 . .)) => (compose (scan west) (kernel (1)))))";

#[test]
fn rules_with_scans_are_priced_and_their_examples_run() {
    with_rules("fourth", FOURTH, |file| {
        let check = kalg(&["rules", "check", file]);
        let text = out(&check);
        assert_eq!(check.status.code(), Some(1), "{text}");
        assert!(text.contains("proved    additions 33 -> 12 (fewer), ops 49.5 -> 18 (fewer)"), "{text}");
        assert!(!text.contains("scamp5") && text.contains("2 of 3 examples work"), "{text}");
        assert!(text.contains("fails: its sides denote different kernels"), "{text}");
    });
    with_rules("planes", "(rule planes ?k => (compose (scan up) (sub ?k (shift 0 0 1 ?k))))", |file| {
        let text = out(&kalg(&["rules", "check", file]));
        assert!(text.contains("warning: it scans from plane to plane"), "{text}");
    });
}

#[test]
fn rules_are_measured_for_every_machine() {
    let filter = "corpus/classic/sobel-x.sexp";
    for (machine, tells) in [("scamp5", true), ("aie", false), ("ops", true)] {
        let of = ["rules", "stats", "--cost", machine, "--nodes", "30", "--json", filter];
        let json: Value = serde_json::from_str(&out(&kalg(&of))).unwrap();
        let plans = json["plans"].as_array().unwrap();
        let chosen: u64 = plans.iter().filter_map(|rule| rule["chosen"].as_u64()).sum();
        assert_eq!(chosen > 0, tells, "{machine}: {json}");
        let scans = plans.iter().filter(|rule| rule["group"] == "scan").count();
        assert_eq!(scans > 0, machine == "ops", "machines without memory have no rules with scans");
    }
    let text = out(&kalg(&["explain", "--cost", "ops", "--nodes", "400", "corpus/classic/box-9.sexp"]));
    assert!(text.contains("(scan west)") && text.contains("4 additions"), "{text}");
}

#[test]
fn rules_with_scans_are_measured() {
    let file = "corpus/scan-order/rising-9.sexp";
    let json: Value = serde_json::from_str(&out(&kalg(&[
        "rules", "stats", "--cost", "ops", "--nodes", "500", "--json", file,
    ])))
    .unwrap();
    let plans = json["plans"].as_array().unwrap();
    let rising = plans.iter().find(|rule| rule["name"] == "window-rising").unwrap();
    assert_eq!(rising["chosen"], 1, "{rising}");
    let rules = json["rules"].as_array().unwrap();
    let rising = rules.iter().find(|rule| rule["name"] == "window-rising").unwrap();
    assert!(rising["unions"].as_u64() > Some(0), "{rising}");
    assert!(json["stopped"].as_object().unwrap().values().all(|count| *count == 1), "{json}");
    let text = out(&kalg(&["bench", "--ablate", "--cost", "ops", "--json", "--nodes", "100", file]));
    let row: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let cost = |variant: &str| row["costs"][variant].as_f64().unwrap();
    assert!(cost("all") < cost("− scan") && cost("all") < cost("− rules"), "{row}");
    assert!(row["costs"].get("− polishing").is_none(), "{row}");
}

#[test]
fn explanations_replay_and_forged_ones_do_not() {
    let scratch = Scratch::new("replay");
    let proof = &*scratch.path("proof.json");
    for file in ["corpus/cnn/analognet2.sexp", "corpus/classic/sobel-pair.sexp", "corpus/cnn/rgb-edges.sexp"]
    {
        let explained = kalg(&["explain", file, "--nodes", "300", "--json"]);
        fs::write(proof, &explained.stdout).unwrap();
        let replayed = kalg(&["explain", "--replay", proof]);
        assert_eq!(replayed.status.code(), Some(0), "{}", String::from_utf8_lossy(&replayed.stderr));
        assert_eq!(kalg(&["explain", file, "--replay", proof]).status.code(), Some(0));
        // The same steps prove nothing about another filter, and other steps prove nothing about this one.
        assert_eq!(
            kalg(&["explain", "corpus/classic/gauss-3.sexp", "--replay", proof]).status.code(),
            Some(1)
        );
        let mut record: Value = serde_json::from_str(&out(&explained)).unwrap();
        record["steps"][0]["rewrites"][0]["to"] = "(kernel (7))".into();
        fs::write(proof, record.to_string()).unwrap();
        let forged = kalg(&["explain", "--replay", proof]);
        assert_eq!(forged.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&forged.stderr).contains("step 1"), "{forged:?}");
    }
    assert_eq!(kalg(&["explain", "--replay", "Cargo.toml"]).status.code(), Some(2));
}

/// Without any rules: the laws of rings, of shifts, and a product of a sum and a difference.
#[test]
fn tables_as_outputs_are_explained() {
    let scratch = Scratch::new("tables");
    let rows = "(output rows (scan -1 0)) (output box (kernel (1 1 1 1 1) (1 1 1 1 1) (1 1 1 1 1) (1 1 1 1 1) (1 1 1 1 1)))";
    let table = "(output table (compose (scan west) (scan north)))";
    let filter = scratch.file("tables.sexp", format!("(filter tables (inputs image) {table} {rows})"));
    let explained = out(&kalg(&["explain", &filter, "--cost", "ops", "--nodes", "400", "--json"]));
    let proof = scratch.file("proof.json", &explained);
    let replay = || kalg(&["explain", "--replay", &proof]);
    assert_eq!(replay().status.code(), Some(0), "{}", String::from_utf8_lossy(&replay().stderr));
    assert!(explained.contains("(output rows (scan west))"), "{explained}");
    scratch.file("proof.json", explained.replace("(output rows (scan west))", "(output rows (scan -2 0))"));
    assert_eq!(replay().status.code(), Some(1));
}

#[test]
fn identities_are_found_from_nothing_and_the_shipped_rules_lack_none_that_saves() {
    let scratch = Scratch::new("rules");
    let empty = scratch.file("empty.rules", "; nothing\n");
    let rules = ["rules", "infer", "--rules", &empty];
    let found = out(&kalg(&rules));
    for law in [
        "(add ?a ?b) => (add ?b ?a) ",
        "(compose ?a ?b) => (compose ?b ?a) ",
        "(add ?a (add ?b ?c)) => (add ?b (add ?a ?c)) ",
        "(add (compose ?a ?b) (compose ?a ?c)) => (compose ?a (add ?b ?c)) ",
        "(add (compose ?a ?a) (neg (compose ?b ?b))) => (compose (add ?b ?a) (add ?a (neg ?b))) ",
        "(shift 1 0 (neg ?a)) => (neg (shift 1 0 ?a)) ",
        "(compose ?a (shift 1 0 ?b)) => (shift 1 0 (compose ?a ?b)) ",
    ] {
        assert!(found.contains(law), "{law}\n{found}");
    }
    assert!(!found.contains("tried"), "{found}");
    insta::assert_snapshot!(out(&kalg(&[&rules[..], &["--semiring", "max-plus", "--size", "2"]].concat())));
    let options = ["rules", "infer", "--size", "2", "--nodes", "500", "--json", "corpus/papers"];
    let records = out(&kalg(&options));
    assert!(records.lines().count() > 0);
    for line in records.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(record["saves"].as_i64().unwrap_or(0) <= 0, "{line}");
    }
    assert_eq!(kalg(&["rules", "infer", "--semiring", "none"]).status.code(), Some(2));
}

#[test]
fn zeros_that_a_file_touches_are_shown() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_kalg"))
        .args(["explain", "corpus/papers/algebra-down-up.sexp", "--nodes", "50"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows: Vec<&str> =
        text.lines().skip_while(|line| !line.contains("as written")).skip(1).take(3).collect();
    assert_eq!(rows.iter().map(|row| row.trim()).collect::<Vec<_>>(), [".", "1", "0"], "{text}");
}

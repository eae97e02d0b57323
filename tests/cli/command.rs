//! The `kalg` command as users run it: exit codes, output streams, several files, whole files, broken pipes.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::process::{err, kalg, optimize, out};
use crate::scratch::Scratch;

/// A filter for which every search finishes at once.
const SMALL: &str = "corpus/classic/row-121.sexp";

#[test]
fn a_program_was_found() {
    let output = optimize(&[SMALL]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    for expected in
        ["row-121", "Program, ", "Cost: ", "Decomposition: ", "Footprint\n", "Checked: symbolically"]
    {
        assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    assert!(!text.contains("Search"), "{text}");
    assert!(err(&output).is_empty(), "{}", err(&output));
}

#[test]
fn verbose_reports_say_how_the_program_was_found() {
    let text = out(&optimize(&[SMALL, "--verbose"]));
    assert!(text.contains("\nSearch\n") && text.contains("Footprint (0: looked at and cancelled"), "{text}");
    let refused = optimize(&[SMALL, "--verbose", "--json"]);
    assert_eq!((refused.status.code(), out(&refused).as_str()), (Some(2), ""));
    assert!(err(&refused).contains("--verbose is for reports"), "{}", err(&refused));
}

#[test]
fn json_is_one_object_for_each_file_also_for_those_that_cannot_be_read() {
    let output = optimize(&[SMALL, "corpus/nothing.sexp", "corpus/classic/row-141.sexp", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let records: Vec<Value> = out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 3);
    assert_eq!(records[0]["verified"]["symbolic"], true);
    assert_eq!(records[0]["error"], Value::Null);
    assert_eq!(records[1]["error"]["kind"], "bad-input");
    assert_eq!(records[2]["filter"], "row-141");
    assert!(err(&output).starts_with("error: cannot read `corpus/nothing.sexp`: "), "{}", err(&output));
}

#[test]
fn a_mistake_in_a_file_is_shown_where_it_stands() {
    let scratch = Scratch::new("mistake");
    let ragged =
        scratch.file("ragged.sexp", b"(filter f\n  (inputs image)\n  (output out (kernel (1 2 1) (1 2))))\n");
    let output = optimize(&[&ragged]);
    assert_eq!(output.status.code(), Some(2));
    assert!(out(&output).is_empty());
    assert!(err(&output).contains("ragged.sexp:3:"), "{}", err(&output));
    assert!(!err(&output).contains('\u{1b}'), "colours where standard error is no terminal");
}

#[test]
fn what_is_no_text_or_no_file_is_bad_input() {
    let scratch = Scratch::new("no-text");
    let binary = scratch.file("binary.sexp", [0xff, 0xfe, 0x00, 0x28]);
    let empty = scratch.file("empty.sexp", b"");
    for file in [binary.as_str(), empty.as_str(), "corpus", "corpus/README.md"] {
        let output = optimize(&[file]);
        assert_eq!(output.status.code(), Some(2), "{file}: {}", err(&output));
        assert!(err(&output).starts_with("error"), "{file}: {}", err(&output));
        assert!(!err(&output).contains("panicked"), "{file}: {}", err(&output));
    }
}

#[test]
fn no_program_within_the_limits_is_a_negative_answer() {
    let output = optimize(&["corpus/classic/roberts.sexp", "--registers", "A", "--emit", "json"]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let record: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(record["program"], Value::Null);
    assert_eq!(record["no_program"]["fewest_registers"], 2);
    assert!(err(&output).contains("2 registers were enough"), "{}", err(&output));
}

#[test]
fn options_that_name_nothing_are_explained() {
    let cases: [(&[&str], &str); 5] = [
        (&["--isa", "buss"], "did you mean `bus`?"),
        (&["--registers", "A,Q"], "no register `Q`"),
        (&["--input", "Q"], "no register `Q`"),
        (&["--inputs", "picture=A"], "`picture`"),
        (&["--outputs", "out"], "expected a name, `=` and a register"),
    ];
    for (options, expected) in cases {
        let output = optimize(&[&[SMALL], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(err(&output).contains(expected), "{options:?}: {}", err(&output));
    }
}

#[test]
fn inputs_and_outputs_go_where_they_are_told() {
    let output = optimize(&[SMALL, "--input", "D", "--outputs", "out=F", "--keep-input", "--json"]);
    let record: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(record["inputs"][0]["register"], "D");
    assert_eq!(record["outputs"][0]["register"], "F");
    assert_eq!(record["keep_input"], true);
}

#[test]
fn an_output_file_is_written_whole_or_not_at_all() {
    let scratch = Scratch::new("output");
    let path = scratch.at("program.txt");
    let name = path.to_str().unwrap();
    let output = optimize(&["corpus/nothing.sexp", "--output", name]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!path.exists());
    let output = optimize(&[SMALL, "--emit", "code", "--output", name]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(0), ""));
    assert!(fs::read_to_string(&path).unwrap().starts_with("// row-121: image in A"));
    assert_eq!(fs::read_dir(scratch.folder()).unwrap().count(), 1);
}

/// Anything but a regular file is written in place, and links stay; all commands share the code for `-o`.
#[cfg(target_os = "linux")]
#[test]
fn what_is_there_already_stays_what_it_is() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let scratch = Scratch::new("output-kinds");
    let real = scratch.file("real", b"old");
    let (link, pipe) = (scratch.at("link"), scratch.at("pipe"));
    symlink("real", &link).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Held open for reading and writing, so neither side waits for the other, whatever happens to the pipe.
    let mut held = fs::File::options().read(true).write(true).open(&pipe).unwrap();
    for path in [&link, &pipe] {
        let output = kalg().args(["approx", SMALL, "--depth", "2", "-o"]).arg(path).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    }
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    let written = fs::read(real).unwrap();
    let mut read = vec![0; written.len()];
    held.read_exact(&mut read).unwrap();
    assert!(read == written && String::from_utf8(read).unwrap().contains("(filter "));
}

#[test]
fn options_that_mean_nothing_for_a_machine_are_refused() {
    let refused = |arguments: &str, message: &str| {
        let output = kalg().args(arguments.split(' ')).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", err(&output));
        assert!(err(&output).contains(message), "{arguments}: {}", err(&output));
        assert_eq!(out(&output), "");
    };
    let optimize = |rest: &str, message: &str| refused(&format!("optimize {SMALL} {rest}"), message);
    optimize(
        "--cost ops --isa macro --pareto",
        "`--pareto` does not apply to `ops`, a machine in scan order, which accepts --batch, --jobs, --cost,",
    );
    optimize(
        "--cost scamp5 --pareto --emit code",
        "--pareto is for reports: it goes with --emit text, json or html",
    );
    optimize("--target rules/ops/target.sexp --pareto", "`--pareto` does not apply to `ops`");
    optimize(
        "--cost scamp5 --tile 8x8 --border wrap",
        "`--tile` does not apply to `scamp5`, a processor array",
    );
    optimize(
        "--cost aie --keep-input",
        "`--keep-input` does not apply to `aie`, a vector machine, which accepts --batch, --jobs, --cost, --target, --type,",
    );
    optimize("--cost aie --rules /nonexistent", "cannot use the rules in `/nonexistent`");
    refused("optimize --batch corpus --cost aie --pareto", "`--pareto` does not apply to `aie`");
    refused("check p.cc --target aie --noise ideal", "`--noise` does not apply to `aie`");
    refused("check p.cc --tile 8x8", "`--tile` does not apply to `scamp5`");
    refused("check p.cc --target ops", "has no programs to check");
    // Whether the file is a pipeline decides which options there are, so it is read first.
    let run = |rest: &str, message: &str| {
        refused(&format!("run {SMALL} --image a.png --out b.png {rest}"), message);
    };
    run("--target ops --fit tile", "`--fit` does not apply to `ops`");
    run("--border wrap", "`--border` does not apply to `scamp5`");
    run("--target aie", "is not run on pictures");
    refused(
        "bench --set vyasa --isa macro",
        "`--isa` does not apply to `kalg bench --set vyasa`, which accepts --set,",
    );
    refused(
        "bench --ablate --cost ops --isa macro",
        "for a machine that is not an array, which accepts --ablate,",
    );
}

#[test]
fn rules_of_the_user_split_filters_of_vector_machines() {
    let scratch = Scratch::new("vector-rules");
    let none = scratch.file("none.rules", b"");
    let forms = |more: &[&str]| {
        let base = ["optimize", "corpus/classic/gauss-5.sexp", "--cost", "aie", "--tile", "64x4", "--json"];
        let output = kalg().args(base).args(more).env("CXX", "/nonexistent").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        let record: Value = serde_json::from_str(&out(&output)).unwrap();
        let attempts = record["attempts"].as_array().unwrap();
        attempts.iter().map(|attempt| attempt["method"].to_string()).collect::<Vec<_>>()
    };
    let split = "sums of 2 separable kernels and single taps";
    let tried = |forms: Vec<String>| forms.iter().any(|form| form.contains(split));
    assert!(tried(forms(&[])) && !tried(forms(&["--rules", &none])), "the rules say how filters are split");
}

/// A pipe can be read once.
#[cfg(unix)]
#[test]
fn a_description_is_read_once() {
    let scratch = Scratch::new("pipes");
    let program = scratch.file("program", b"bus(NEWS, A);");
    for (name, arguments) in [
        ("ops", &["optimize", SMALL, "--nodes", "100"][..]),
        ("scamp5", &["optimize", SMALL, "--nodes", "100"]),
        ("scamp5", &["check", &program]),
    ] {
        let mut command = kalg();
        let command = command.args(arguments).args(["--target", "/dev/stdin"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let text = fs::read(format!("rules/{name}/target.sexp")).unwrap();
        child.stdin.take().unwrap().write_all(&text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && !output.stdout.is_empty(), "{name}: {}", err(&output));
    }
}

#[test]
fn files_named_in_files_lie_below_them() {
    let scratch = Scratch::new("named");
    let refused = |arguments: &[&str], message: &str| {
        let output = kalg().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        assert!(err(&output).contains(message), "{}", err(&output));
        err(&output)
    };
    scratch.file("secret.rules", b"sesame");
    fs::create_dir(scratch.at("sent")).unwrap();
    for path in ["/etc/passwd", "../secret.rules"] {
        let rules = scratch.file("sent/main.rules", format!("(include {path:?})").as_bytes());
        let message = format!("{path:?} does not name a file below the folder of this file");
        let text = refused(&["rules", "check", &rules], &message);
        assert!(
            text.contains("main.rules:1:10") && !text.contains("sesame") && !text.contains("root:"),
            "{text}"
        );
        let machine = fs::read_to_string("rules/aie/target.sexp").unwrap();
        let machine = machine.replace("\"kalg_vector.hpp\"", &format!("{path:?}"));
        let machine = scratch.file("sent/target.sexp", machine.as_bytes());
        refused(&["optimize", SMALL, "--target", &machine], &message);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.rules", scratch.at("sent/link.rules")).unwrap();
        let rules = scratch.file("sent/main.rules", b"(include \"link.rules\")");
        let text = refused(&["rules", "check", &rules], "it leads out of `");
        assert!(text.contains("main.rules:1:10") && !text.contains("sesame"), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn inputs_without_end_are_refused() {
    let refused = |arguments: &[&str], message: &str| {
        let output = kalg().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(message), "{arguments:?}: {}", err(&output));
    };
    let (zero, most) = ("/dev/zero", "the file is larger than the maximum of 16777216 bytes");
    for target in ["scamp5", "aie", "ops"] {
        refused(&["optimize", zero, "--cost", target], most);
    }
    refused(&["optimize", SMALL, "--target", zero], most);
    refused(&["optimize", SMALL, "--cost", "ops", "--rules", zero], most);
    for command in [
        &["check", zero][..],
        &["check", "--replay", zero],
        &["explain", zero],
        &["approx", zero, "--depth", "2"],
    ] {
        refused(command, most);
    }
    refused(&["bench", "--against", zero], "it is larger than the maximum of 67108864 bytes");
}

#[test]
fn the_same_nodes_and_seed_give_the_same_bytes_on_any_number_of_threads() {
    let run = |threads: &str| out(&optimize(&[SMALL, "--emit", "code", "--seed", "7", "--threads", threads]));
    let first = run("1");
    assert!(!first.is_empty());
    assert_eq!(first, run("2"));
    assert_eq!(first, run("3"));
}

#[test]
fn standard_input_is_a_file() {
    let target = kalg::backend::array::machine::builtin_names()[0];
    let mut child = kalg()
        .args(["optimize", "-", "--cost", target, "--nodes", "100", "--emit", "code"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"(filter f (inputs i) (output o (kernel (1 1 0))))").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).starts_with("// f: i in A -> o in "), "{}", out(&output));
}

#[test]
fn without_rules_the_program_is_still_right() {
    let scratch = Scratch::new("no-rules");
    let folder = scratch.folder().to_str().unwrap();
    for arguments in
        [&["rules", "list"][..], &["rules", "stats", SMALL], &["optimize", SMALL, "--cost", "ops"]]
    {
        let output = kalg().args(arguments).args(["--rules", folder]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains("there are no rule files"), "{}", err(&output));
    }
    scratch.file("none.rules", b"; nothing\n");
    let output = optimize(&[SMALL, "--json", "--rules", folder]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let record: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(record["rules_used"], Value::Array(Vec::new()));
    assert_eq!(record["verified"]["simulated"], true);
}

#[test]
fn rules_that_cannot_be_read_are_bad_input() {
    let scratch = Scratch::new("bad-rules");
    scratch.file("broken.rules", b"(rule nonsense");
    let folder = scratch.folder().to_str().unwrap();
    for output in [
        optimize(&[SMALL, "--rules", folder]),
        kalg().args(["rules", "list", "--rules", folder]).output().unwrap(),
    ] {
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains("broken.rules:1:"), "{}", err(&output));
    }
}

#[test]
fn rules_are_listed_with_their_groups() {
    let output = kalg().args(["rules", "list"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let json = kalg().args(["rules", "list", "--json"]).output().unwrap();
    let rules: Vec<Value> = out(&json).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rules.len() > 5);
    for rule in rules {
        let (name, doc) = (rule["name"].as_str().unwrap(), rule["doc"].as_str().unwrap());
        assert!(out(&output).contains(name) && out(&output).contains(doc), "{name}");
    }
}

#[test]
fn a_file_with_some_of_the_results_is_not_written() {
    let scratch = Scratch::new("some-results");
    let (empty, kept) = (scratch.file("empty.sexp", b""), scratch.file("out.txt", b"kept"));
    for form in ["text", "code", "json"] {
        let output = optimize(&[SMALL, &empty, "--emit", form, "-o", &kept]);
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        assert!(err(&output).contains("out.txt` is not written"), "{}", err(&output));
        assert_eq!(fs::read_to_string(&kept).unwrap(), "kept", "{form}");
    }
}

#[test]
fn a_hyphen_is_standard_output() {
    let output = optimize(&[SMALL, "--emit", "code", "-o", "-"]);
    assert!(out(&output).starts_with("// row-121"), "{}", out(&output));
    assert!(!Path::new(env!("CARGO_MANIFEST_DIR")).join("-").exists());
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    for (arguments, message) in [
        (&["--lift", "A"][..], "--lift is for programs, not for kernel files"),
        (&["--free-registers"], "--free-registers is for programs"),
        (&["--block", "2"], "--block is for programs"),
        (&["--function", "main"], "--function is for programs"),
        (&["--host", "a=1"], "--host is for programs"),
        (&["--rounds", "3"], "--rounds is for programs"),
        (&["--keep", "registers"], "--keep is for programs"),
        (&["--jobs", "2"], "--jobs goes with --batch"),
        (&["--explain", "--emit", "code"], "--explain is for reports"),
    ] {
        let output = optimize(&[&[SMALL], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(message), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn a_picture_shows_one_filter() {
    for form in ["svg", "html"] {
        let output = optimize(&[SMALL, "corpus/classic/row-141.sexp", "--emit", form]);
        assert_eq!(output.status.code(), Some(2));
    }
    let output = optimize(&[SMALL, "--emit", "svg"]);
    assert!(out(&output).starts_with("<svg ") && out(&output).ends_with("</svg>\n"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child =
        kalg().args(["rules", "list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(err(&output).is_empty(), "{}", err(&output));
}

#[test]
fn errors_that_nobody_reads_still_end_with_their_code() {
    let mut child = kalg()
        .args(["optimize", "missing.sexp", "--cost", "scamp5"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
}

/// A file of a user's that is called as a built-in one is, from where the user stands, is read.
#[test]
fn no_file_of_a_users_is_taken_for_a_built_in_one() {
    let folder =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("namesakes-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("rules")).unwrap();
    std::fs::write(
        folder.join("rules/scale.rules"),
        "(include \"scan.rules\") (rule mine (add ?a ?b) => (add ?b ?a))",
    )
    .unwrap();
    std::fs::write(folder.join("rules/scan.rules"), "(rule mine-too (add ?a ?b) => (add ?b ?a))").unwrap();
    let mut list = kalg();
    let listed = list
        .current_dir(&folder)
        .args(["rules", "list", "--extra-rules", "rules/scale.rules"])
        .output()
        .unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    assert!(text.contains("mine-too") && text.contains("mine "), "{text}");
}

//! `kalg optimize --batch` and Ctrl-C as users see them: resumed runs, bad files beside good
//! ones, and the best program so far.
#![expect(clippy::unwrap_used, reason = "a test stops where its own files or processes fail")]

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::scratch::Scratch;

/// A folder with kernel files.
struct Kernels(Scratch);

impl Kernels {
    fn new(name: &str) -> Self {
        let scratch = Scratch::new(name);
        fs::create_dir(scratch.at("kernels")).unwrap();
        Self(scratch)
    }

    /// Writes a kernel file.
    fn kernel(&self, name: &str, row: &str) {
        let text = format!("(filter f (inputs i) (output o (kernel ({row}))))");
        self.0.file(&format!("kernels/{name}"), text);
    }

    fn path(&self, name: &str) -> String {
        self.0.path(name)
    }

    fn batch(&self, options: &[&str]) -> Output {
        let folder = self.path("kernels");
        optimize(&[&["--batch", &folder, "--nodes", "20"], options].concat()).output().unwrap()
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.0.at(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn optimize(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
        .arg("optimize")
        .args(["--cost", kalg::backend::array::machine::builtin_names()[0]])
        .args(arguments);
    command
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The record without the fields that depend on the clock.
fn timeless(mut record: Value) -> Value {
    for field in ["seconds", "seconds_to_best", "attempts", "per_rule"] {
        record[field] = Value::Null;
    }
    record
}

#[test]
fn one_bad_file_does_not_stop_the_rest_and_the_next_run_goes_on() {
    let scratch = Kernels::new("batch");
    scratch.kernel("a.sexp", "1 0 -1");
    scratch.kernel("b.sexp", "1 x 1");
    scratch.kernel("c.sexp", "1 2 1");
    let out = scratch.path("out.jsonl");
    let output = scratch.batch(&["--jobs", "2", "--output", &out]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(err(&output).contains("2 compiled, 0 without a program, 1 failed"), "{}", err(&output));
    let lines = scratch.lines("out.jsonl");
    let names: Vec<&str> = lines.iter().map(|line| line["file"].as_str().unwrap()).collect();
    assert!(names.is_sorted() && names.len() == 3, "{names:?}");
    assert_eq!(lines[1]["error"]["kind"], "bad-input");
    assert_eq!(lines[2]["verified"]["symbolic"], true);

    // A line cut short, and a new file: both are compiled, and nothing else.
    let text = fs::read_to_string(&out).unwrap();
    fs::write(&out, &text[..text.len() - 20]).unwrap();
    scratch.kernel("b2.sexp", "1 1 0");
    let output = scratch.batch(&["--output", &out]);
    assert_eq!(output.status.code(), Some(2), "the exit code counts what an earlier run could not compile");
    assert!(
        err(&output).contains("2 compiled, 0 without a program, 0 failed, 2 skipped"),
        "{}",
        err(&output)
    );
    let again = scratch.lines("out.jsonl");
    assert_eq!(again.len(), 4);
    assert_eq!(timeless(again[3].clone()), timeless(lines[2].clone()));
    let names: Vec<&str> = again.iter().map(|line| line["file"].as_str().unwrap()).collect();
    assert!(names.is_sorted() && names[2].ends_with("b2.sexp"), "{names:?}");

    let output = scratch.batch(&["--output", &out]);
    assert!(
        err(&output).contains("0 compiled, 0 without a program, 0 failed, 4 skipped"),
        "{}",
        err(&output)
    );
    assert_eq!(scratch.lines("out.jsonl"), again);
}

#[test]
fn the_number_of_jobs_does_not_change_the_lines() {
    let scratch = Kernels::new("jobs");
    for (index, row) in ["1 2 1", "1 0 -1", "1 1 1"].into_iter().enumerate() {
        scratch.kernel(&format!("{index}.sexp"), row);
    }
    let run = |jobs: &str| -> Vec<Value> {
        let output = scratch.batch(&["--jobs", jobs]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| timeless(serde_json::from_str(line).unwrap())).collect()
    };
    let one = run("1");
    assert_eq!(one.len(), 3);
    assert_eq!(one, run("3"));
}

/// Images of a filter are searched for once, so the times of their attempts are the same; the lines are those of each alone.
#[test]
fn turned_filters_share_a_search_and_nothing_else() {
    let scratch = Kernels::new("turned");
    scratch.kernel("a.sexp", "3 1 -2");
    scratch.kernel("b.sexp", "-2 1 3");
    scratch.kernel("c.sexp", "3) (1) (-2");
    scratch.kernel("d.sexp", "-3 -1 2");
    let lines = |output: Output| -> Vec<Value> {
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let together = lines(scratch.batch(&[]));
    assert_eq!(together.len(), 4);
    assert!(
        together[1]["attempts"] == together[0]["attempts"]
            && together[2]["attempts"] == together[0]["attempts"]
    );
    assert_eq!(together[1]["cycles"], together[0]["cycles"]);
    assert_ne!(together[1]["program"], together[0]["program"]);
    assert_ne!(together[3]["egraph"]["best_term"], together[0]["egraph"]["best_term"]);
    for line in together {
        let alone = optimize(&["--nodes", "20", "--emit", "json", line["file"].as_str().unwrap()]).output();
        assert_eq!(timeless(lines(alone.unwrap()).remove(0)), timeless(line));
    }
}

#[test]
fn every_class_of_machines_has_batches() {
    let scratch = Kernels::new("classes");
    scratch.kernel("a.sexp", "1 2 1");
    scratch.kernel("b.sexp", "1 x 1");
    let folder = scratch.path("kernels");
    // Hardware computes pipelines only.
    let blur = "(floor-shift 2 (filter (kernel (1 2 1)) image))";
    let pipeline =
        format!("(pipeline p (inputs (image uint8)) (border replicate) (output out uint8 {blur}))");
    scratch.0.file("kernels/c.sexp", pipeline);
    let width: &[&str] = &["--width", "64"];
    let all = [("scamp5", 0, &[][..]), ("aie", 0, &[]), ("ops", 0, &[]), ("cpu", 0, &[]), ("fpga", 2, width)];
    assert_eq!(all.map(|(target, ..)| target).to_vec(), kalg::Target::names());
    for (target, good, more) in all {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
        command.args(["optimize", "--cost", target, "--batch", &folder, "--nodes", "20"]);
        let output = command.args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{target}: {}", err(&output));
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 3, "{target}: {}", err(&output));
        assert!(
            lines[good]["error"].is_null() && lines[1]["error"]["kind"] == "bad-input",
            "{target}: {text}"
        );
    }
}

#[test]
fn files_that_are_something_else_are_left_alone() {
    let scratch = Kernels::new("foreign");
    let output = scratch.batch(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("there are no kernel files (`.sexp`) below"), "{}", err(&output));
    scratch.kernel("a.sexp", "1 1 0");
    let notes = scratch.path("notes.txt");
    fs::write(&notes, "my notes\n").unwrap();
    let output = scratch.batch(&["--output", &notes]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("line 1 of"), "{}", err(&output));
    assert_eq!(fs::read_to_string(&notes).unwrap(), "my notes\n");
    let output = scratch.batch(&["--jobs", "0"]);
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn pipes_and_devices_do_not_hold_a_batch_up() {
    let scratch = Kernels::new("pipes");
    scratch.kernel("a.sexp", "1 1 0");
    let pipe = scratch.path("kernels/b.sexp");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let output = scratch.batch(&["--output", "/dev/zero"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(
        err(&output).contains(&format!("`{pipe}` is skipped: it is not a regular file")),
        "{}",
        err(&output)
    );
    assert!(err(&output).contains("1 compiled"), "{}", err(&output));
}

/// Sends a signal with the system's own command, because calling it directly would be unsafe code.
#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
#[cfg(unix)]
fn ctrl_c_prints_the_best_so_far() {
    // Long enough for a first program, even on a slow machine.
    for wait in [1, 4, 16] {
        let mut command =
            optimize(&["corpus/classic/gauss-5.sexp", "corpus/classic/box-3.sexp", "--time", "10m"]);
        let child = command.args(["--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_secs(wait));
        let began = Instant::now();
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert!(began.elapsed() < Duration::from_secs(60), "the search went on");
        assert_eq!(output.status.code(), Some(130), "{}", err(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 1, "the next file is not begun");
        if lines[0]["verified"]["simulated"] == true {
            assert!(lines[0]["cycles"].as_u64() > Some(0));
            return;
        }
    }
    panic!("no program in 16 seconds");
}

#[test]
#[cfg(unix)]
fn an_interrupted_batch_keeps_what_is_whole() {
    let scratch = Kernels::new("interrupted");
    scratch.kernel("a.sexp", "1 1 0");
    let hard = fs::read_to_string("corpus/classic/gauss-7.sexp").unwrap();
    scratch.0.file("kernels/b.sexp", hard);
    let (folder, out) = (scratch.path("kernels"), scratch.path("out.jsonl"));
    let mut command = optimize(&["--batch", &folder, "--time", "10m", "--output", &out, "--jobs", "1"]);
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while fs::read_to_string(&out).is_ok_and(|text| text.ends_with('\n')).eq(&false) {
        assert!(began.elapsed() < Duration::from_secs(60), "the first file takes no time");
        std::thread::sleep(Duration::from_millis(50));
    }
    let second = scratch.batch(&["--output", &out]);
    assert_eq!(second.status.code(), Some(2), "{}", err(&second));
    assert!(err(&second).contains("another batch is writing"), "{}", err(&second));
    if cfg!(target_os = "linux") {
        let holder = format!("process {} holds its lock", child.id());
        assert!(err(&second).contains(&holder), "{}", err(&second));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", err(&output));
    assert!(err(&output).contains("1 left to do"), "{}", err(&output));
    let lines = scratch.lines("out.jsonl");
    assert_eq!(lines.len(), 1);
    assert!(lines[0]["file"].as_str().unwrap().ends_with("a.sexp"));
}

#[test]
fn a_file_of_one_target_takes_no_lines_of_another() {
    let scratch = Kernels::new("targets");
    scratch.kernel("a.sexp", "1 2 1");
    let out = scratch.path("out.jsonl");
    assert_eq!(scratch.batch(&["--output", &out]).status.code(), Some(0));
    let before = fs::read(&out).unwrap();
    let folder = scratch.path("kernels");
    let mut other = Command::new(env!("CARGO_BIN_EXE_kalg"));
    let other =
        other.args(["optimize", "--batch", &folder, "--cost", "ops", "--output", &out]).output().unwrap();
    assert_eq!(other.status.code(), Some(2));
    assert!(err(&other).contains("has results for"), "{}", err(&other));
    assert_eq!(fs::read(&out).unwrap(), before);
}

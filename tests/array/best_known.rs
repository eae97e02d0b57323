//! The programs in `corpus/best-known/` compute their filters, are legal, and cost what is stated.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use kalg::report::{Baseline, BaselineResult, Baselines};
use kalg::{Compiler, Filter, Source, Target, Verdict};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/best-known")
}

fn source(kernel: &Baseline) -> Source {
    match &kernel.file {
        None => Source::new(kernel.name.clone(), kernel.kernel_file()),
        Some(file) => Source::from_bytes(file.clone(), fs::read(folder().join(file)).unwrap()),
    }
}

/// Names with their registers, as options take them.
fn ports<'a>(names: impl Iterator<Item = &'a str>, registers: &[String]) -> String {
    let ports: Vec<String> =
        names.zip(registers).map(|(name, register)| format!("{name}={register}")).collect();
    ports.join(",")
}

fn check(kernel: &Baseline, title: &str, known: &BaselineResult) {
    let what = format!("{}, {title}", kernel.name);
    let filter = Filter::read(source(kernel)).unwrap();
    assert!(!known.program.is_empty() && known.correct_and_legal, "{what}");
    let compiler = Compiler::new(&Target::builtin("scamp5").unwrap())
        .option("inputs", &ports(filter.inputs().iter().map(String::as_str), &known.inputs))
        .option("outputs", &ports(filter.outputs(), &known.outputs));
    let program = Source::new("program", known.program.join("\n"));
    let checked = compiler.check(&program, &filter).unwrap();
    assert_eq!(checked.verdict(), Verdict::Equal, "{what}: {}", checked.report());
    let json: serde_json::Value = serde_json::from_str(&checked.report().to_json()).unwrap();
    let counted = ["instructions", "cycles"].map(|field| json[field].as_u64().unwrap());
    let stated = [Some(known.instructions), known.cycles].map(|cost| u64::from(cost.unwrap()));
    assert_eq!(counted, stated, "{what}");
    let cost = if title.starts_with("bus") { stated[1] } else { stated[0] };
    assert!(known.bound.is_none_or(|bound| u64::from(bound) <= cost), "{what}");
}

#[test]
fn best_known_programs_are_what_they_are_said_to_be() {
    let text = fs::read_to_string(folder().join("scamp5.json")).unwrap();
    let known: Baselines = serde_json::from_str(&text).unwrap();
    let mut programs = 0;
    for kernel in &known.kernels {
        for (title, result) in &kernel.results {
            check(kernel, title, result);
            programs += 1;
        }
    }
    assert!(programs > 100, "{programs} programs");
}

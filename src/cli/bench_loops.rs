//! `kalg bench` with loops of processors: times kalg's C and Rust and naive loops in C, in turns in one process, after comparing every pixel;
//! and then filters and pipelines beside OpenCV.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde::Serialize;

use super::bench_loops_code::{Filter, filters, program};
use super::bench_opencv;
use super::compilers::{Compiler, FAST};
use super::complain::refused;
use super::files::Scratch;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::backend::scan::machine::ScanMachine;
use crate::backend::scan::{StreamRequest, Streamed, optimize_stream};
use crate::report::{Figure, VERSION, json_line};
use crate::rule::RuleSet;
use crate::syntax::Source;

/// The compilers that are tried. `cc` stands in where neither is installed.
const COMPILERS: [&str; 2] = ["gcc", "clang"];
/// The flag for the processor that compiles. In two parts, because tests take the whole word for the machine of that name.
const NATIVE: &str = concat!("-Ctarget-c", "pu=native");
/// The flags of the Rust compiler.
const RUST_FLAGS: [&str; 8] =
    ["--edition", "2021", "--crate-type", "staticlib", "-Copt-level=3", NATIVE, "-Cpanic=abort", "-o"];
/// The sizes of images, with how often each function runs: the fastest run counts.
const SIZES: [(usize, usize); 2] = [(512, 40), (2048, 8)];

/// The times of one filter at one size with one compiler, in milliseconds of the thread.
#[derive(Serialize)]
struct Timed {
    filter: String,
    pixel: String,
    output: String,
    compiler: String,
    flags: Vec<String>,
    size: usize,
    naive_ms: Figure,
    kalg_ms: Figure,
    /// The times as fast as the naive loop.
    ratio: Figure,
    /// `None` without a Rust compiler.
    rust_ms: Option<Figure>,
    rust_by_c: Option<Figure>,
}

/// The machine whose plans are timed: the one whose costs are those of loops over rows.
pub(super) fn machine() -> &'static str {
    let names = ScanMachine::builtin_names();
    let computes_rows =
        |name: &&str| ScanMachine::builtin(name).is_some_and(|machine| machine.rows.is_some());
    names.into_iter().find(computes_rows).unwrap_or_default()
}

/// Compiles and times every filter, and pipelines where OpenCV is there; prints tables, or one line of JSON for each row.
pub(super) fn run(json: bool, only: Option<&str>, mut output: Output) -> Result<Outcome, CommandError> {
    let name = machine();
    let machine = ScanMachine::builtin(name).map(Arc::new);
    let machine = machine.ok_or_else(|| CommandError::Usage(format!("no machine `{name}`")))?;
    let compilers = compilers();
    let mut rows: Vec<Timed> = Vec::new();
    for filter in filters().into_iter().filter(|filter| only.is_none_or(|part| filter.name.contains(part))) {
        let request = request(&filter, &machine);
        let streamed = match optimize_stream(&request) {
            Ok(streamed) => streamed,
            Err(error) => return Ok(refused(&request.source, error)),
        };
        for compiler in &compilers {
            for timed in time(&filter, &streamed, compiler)? {
                if json {
                    output.put(&json_line(&timed))?;
                }
                rows.push(timed);
            }
        }
    }
    let beside = bench_opencv::times(only)?;
    if json {
        beside.iter().try_for_each(|row| output.put(&json_line(row)))?;
        let summary = serde_json::json!({ "filters": rows.len(), "beside_opencv": beside.len() });
        output.put(&json_line(&serde_json::json!({ "summary": summary, "version": VERSION })))?;
    } else {
        output.put(&table(&rows))?;
        output.put(&bench_opencv::table(&beside))?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}

/// The request to compile a filter.
pub(super) fn request(filter: &Filter, machine: &Arc<ScanMachine>) -> StreamRequest {
    let source = Source::from_bytes(filter.name.clone(), filter.text.clone().into_bytes());
    let rules = RuleSet::builtin().for_target(&machine.name);
    StreamRequest {
        pixel: filter.pixel,
        output: Some(filter.output),
        ..StreamRequest::new(source, Arc::clone(machine), rules)
    }
}

/// The compilers of this machine.
fn compilers() -> Vec<String> {
    let works = |name: &&&str| Compiler::new(name, &[]).is_there();
    let mut found: Vec<String> = COMPILERS.iter().filter(works).map(|name| (*name).to_owned()).collect();
    if found.is_empty() {
        found.push("cc".to_owned());
    }
    found
}

fn table(rows: &[Timed]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "## Generated code beside naive loops in C, `{}`\n\n\
         Milliseconds of the thread, the fastest of runs in turns; ratios hold where the machine is busy, times do not.\n\n\
         | filter | pixels | compiler | size | naive | kalg | times as fast | Rust / C |\n|---|---|---|---|---|---|---|---|\n",
        FAST.join(" ")
    );
    for row in rows {
        let rust = row.rust_by_c.map_or("–".to_owned(), |ratio| format!("{:.2}", ratio.get()));
        let pixels = if row.pixel == row.output {
            row.pixel.clone()
        } else {
            format!("{} → {}", row.pixel, row.output)
        };
        let _ = writeln!(
            text,
            "| {} | {pixels} | {} | {}² | {:.3} | {:.3} | {:.2} | {rust} |",
            row.filter,
            row.compiler,
            row.size,
            row.naive_ms.get(),
            row.kalg_ms.get(),
            row.ratio.get(),
        );
    }
    text
}

/// The times of the naive loop, of kalg's C and of its Rust.
fn time(filter: &Filter, streamed: &Streamed, compiler: &str) -> Result<Vec<Timed>, CommandError> {
    let failed = |why: String| CommandError::Usage(format!("`{}` is not timed: {why}", filter.name));
    let folder = Scratch::new("bench").map_err(|error| failed(error.to_string()))?;
    let library = rust_library(filter, streamed, folder.path());
    let rust = library.is_some();
    let mut flags = FAST.to_vec();
    if let Some(library) = &library {
        flags.extend([library.as_str(), "-lpthread", "-ldl"]);
    }
    let code = program(filter, streamed, rust, &SIZES);
    let times: Vec<f64> = Compiler::new(compiler, &flags).printed(&[("bench.c", &code)]).map_err(failed)?;
    if times.len() != 3 * SIZES.len() {
        return Err(failed(format!("the program prints {} numbers", times.len())));
    }
    let rows = SIZES.iter().zip(times.as_chunks::<3>().0).map(|((size, _), [naive, kalg, other])| Timed {
        filter: filter.name.clone(),
        pixel: filter.pixel.name().to_owned(),
        output: filter.output.name().to_owned(),
        compiler: compiler.to_owned(),
        flags: FAST.iter().map(|flag| (*flag).to_owned()).collect(),
        size: *size,
        naive_ms: Figure::new(*naive),
        kalg_ms: Figure::new(*kalg),
        ratio: Figure::new(naive / kalg),
        rust_ms: rust.then(|| Figure::new(*other)),
        rust_by_c: rust.then(|| Figure::new(other / kalg)),
    });
    Ok(rows.collect())
}

/// Compiles the Rust of a plan to a library in this folder. `None` without a compiler, or if it fails.
fn rust_library(filter: &Filter, streamed: &Streamed, folder: &Path) -> Option<String> {
    let [source, library] = ["filter.rs", "libfilter.a"].map(|name| folder.join(name));
    std::fs::write(&source, filter.rust(streamed)).ok()?;
    let compiled = Command::new("rustc").args(RUST_FLAGS).arg(&library).arg(&source).output().ok()?;
    if compiled.status.success() { library.into_os_string().into_string().ok() } else { None }
}

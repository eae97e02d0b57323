//! `kalg bench --set scan-order`: times kalg's C and direct convolution in C, compiled with the same flags, in one process.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::compilers::Compiler;
use super::complain::refused;
use super::files;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::backend::scan::machine::{Border, Fold, Plan, ScanMachine};
use crate::backend::scan::report::StreamCost;
use crate::backend::scan::verify::Direct;
use crate::backend::scan::{StreamRequest, Streamed, optimize_stream};
use crate::report::{Figure, VERSION, json_line};
use crate::rule::RuleSet;

/// The filters, relative to the working folder.
const FILES: [&str; 5] = [
    "corpus/scan-order/box-15-mean.sexp",
    "corpus/classic/gauss-7.sexp",
    "corpus/classic/gauss-5.sexp",
    "corpus/scan-order/dilate-15.sexp",
    "corpus/scan-order/erode-4.sexp",
];
/// Columns and rows of the image.
const SIZE: usize = 4096;
/// The compiler flags for both.
const FLAGS: [&str; 2] = ["-std=c99", "-O3"];
/// The number of runs of each; the fastest counts.
const RUNS: usize = 5;

/// The times of one filter.
#[derive(Serialize)]
struct Timed {
    filter: String,
    cost: StreamCost,
    method: String,
    size: [usize; 2],
    direct_ms: Figure,
    kalg_ms: Figure,
    ratio: Figure,
    flags: Vec<String>,
}

/// Compiles and times every filter; prints a table, or one line of JSON per filter.
pub(super) fn run(json: bool, only: Option<&str>, output: Option<PathBuf>) -> Result<Outcome, CommandError> {
    let name = ScanMachine::builtin_names()[0];
    let mut machine =
        ScanMachine::builtin(name).ok_or_else(|| CommandError::Usage(format!("no machine `{name}`")))?;
    machine.width = SIZE;
    let (machine, rules) = (Arc::new(machine), RuleSet::builtin().for_target(name));
    let mut output = Output::new(output);
    let mut rows = Vec::new();
    for file in FILES.iter().filter(|file| only.is_none_or(|part| file.contains(part))) {
        let source = files::source(Path::new(file))?;
        let request = StreamRequest::new(source, Arc::clone(&machine), rules.clone());
        let request = StreamRequest { border: Some(Border::Valid), ..request };
        let streamed = match optimize_stream(&request) {
            Ok(streamed) => streamed,
            Err(error) => return Ok(refused(&request.source, error)),
        };
        let [direct, kalg] = time(&streamed)?;
        let record = &streamed.record;
        let timed = Timed {
            filter: record.filter.clone(),
            cost: record.cost,
            method: record.method.clone(),
            size: [SIZE, SIZE],
            direct_ms: Figure::new(direct),
            kalg_ms: Figure::new(kalg),
            ratio: Figure::new(direct / kalg),
            flags: FLAGS.iter().map(|flag| (*flag).to_owned()).collect(),
        };
        if json {
            output.put(&json_line(&timed))?;
        }
        rows.push(timed);
    }
    if json {
        output.put(&json_line(
            &serde_json::json!({ "summary": { "filters": rows.len() }, "version": VERSION }),
        ))?;
    } else {
        output.put(&table(&rows))?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}

fn table(rows: &[Timed]) -> String {
    let mut text = format!(
        "## Generated C compared with direct convolution, {SIZE} × {SIZE} pixels of 8 bits, `cc {}`\n\n",
        FLAGS.join(" ")
    );
    text.push_str("| filter | additions | multiplications | shifts | method | direct, ms | kalg, ms | times as fast |\n|---|---|---|---|---|---|---|---|\n");
    for row in rows {
        let c = &row.cost;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.1} | {:.1} | {:.1} |",
            row.filter,
            c.additions,
            c.multiplications,
            c.shifts,
            row.method,
            row.direct_ms.get(),
            row.kalg_ms.get(),
            row.ratio.get()
        );
    }
    text
}

/// The times of direct convolution and of the plan's code, in milliseconds.
fn time(streamed: &Streamed) -> Result<[f64; 2], CommandError> {
    let failed = |why: String| CommandError::Usage(format!("`{}` is not timed: {why}", streamed.plan.name));
    let times: Vec<f64> =
        Compiler::new("cc", &FLAGS).printed(&[("bench.c", &harness(streamed))]).map_err(failed)?;
    match times[..] {
        [direct, kalg] => Ok([direct, kalg]),
        _ => Err(failed(format!("the program prints {} numbers", times.len()))),
    }
}

/// The declarations that the programs need from the C library.
const HEAD: &str = "\
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
";

/// A C function for the time in milliseconds.
const NOW: &str = "\
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
";

/// The size of a plan's results.
fn result_size(plan: &Plan) -> [i32; 2] {
    let [west, east, south, north] = plan.reach;
    [SIZE as i32 - west - east, SIZE as i32 - south - north]
}

/// Direct convolution as a C function.
fn direct_function(plan: &Plan, direct: &Direct) -> String {
    let [west, east, south, north] = plan.reach;
    let (columns, rows) = (west + east + 1, south + north + 1);
    let mut weights = vec![None; (columns * rows) as usize];
    for (x, y, weight) in &direct.taps[0] {
        weights[((y + i64::from(north)) * i64::from(columns) + x + i64::from(west)) as usize] = Some(*weight);
    }
    // Equal weights are factored out of the loop; a complete window needs no tests for missing taps.
    let alike = weights.iter().all(|weight| *weight == weights[0]);
    let list: Vec<String> = weights.iter().map(|weight| weight.unwrap_or(0).to_string()).collect();
    let list = list.join(", ");
    let place = format!("in[(y + j) * {SIZE} + x + i]");
    let (start, body) = match plan.fold {
        Fold::Sum if alike => ("0", format!("v += {place};")),
        Fold::Sum => ("0", format!("v += weights[j * {columns} + i] * {place};")),
        Fold::Greatest => ("-1", format!("{{ const int32_t u = {place}; if (u > v) v = u; }}")),
        Fold::Least => ("256", format!("{{ const int32_t u = {place}; if (u < v) v = u; }}")),
        Fold::Either => ("0", format!("v |= {place};")),
    };
    let down = direct.denominator;
    let divided = if down == 1 { "v".to_owned() } else { format!("(v + {}) / {down}", down / 2) };
    let [width, height] = result_size(plan);
    format!(
        "static const int32_t weights[] = {{{list}}};
static void direct(const uint8_t *restrict in, uint8_t *restrict out)
{{
    for (int y = 0; y < {height}; y++)
        for (int x = 0; x < {width}; x++) {{
            int32_t v = {start};
            for (int j = 0; j < {rows}; j++)
                for (int i = 0; i < {columns}; i++)
                    {body}
            v = {divided};
            out[y * {width} + x] = (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
        }}
}}
"
    )
}

/// A program that runs both on the same noise, compares every pixel and prints the fastest times in milliseconds.
fn harness(streamed: &Streamed) -> String {
    let plan = &streamed.plan;
    let name = plan.name.replace('-', "_");
    let [width, height] = result_size(plan);
    let main = format!(
        "int main(void)
{{
    uint8_t *in = malloc({SIZE} * {SIZE}), *a = malloc({SIZE} * {SIZE}), *b = malloc({SIZE} * {SIZE});
    void *work = malloc({name}(in, {SIZE}, b, {width}, {SIZE}, {SIZE}, 0, {height}, NULL));
    uint32_t state = 1;
    (void)weights;
    if (!in || !a || !b || !work) return 2;
    for (int i = 0; i < {SIZE} * {SIZE}; i++) {{ state = state * 1664525u + 1013904223u; in[i] = state >> 24; }}
    double best[2] = {{1e30, 1e30}};
    for (int run = 0; run < {RUNS}; run++) {{
        double t = now();
        if (run < 2) {{ direct(in, a); t = now() - t; if (t < best[0]) best[0] = t; }}
        t = now();
        {name}(in, {SIZE}, b, {width}, {SIZE}, {SIZE}, 0, {height}, work);
        t = now() - t;
        if (t < best[1]) best[1] = t;
    }}
    if (memcmp(a, b, (size_t){width} * {height}) != 0) {{ puts(\"the results differ\"); return 1; }}
    printf(\"%f %f\\n\", best[0], best[1]);
    return 0;
}}
"
    );
    [HEAD, &streamed.record.c, "\n", &direct_function(plan, &streamed.direct[0]), NOW, &main].concat()
}

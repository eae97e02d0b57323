//! `kalg bench --set vyasa`: the workloads of the Vyasa paper, with its published schedules and with kalg's, both on kalg's
//! simulator in one run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::clock::clock;
use super::files;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::backend::vector::machine::VliwMachine;
use crate::backend::vector::report::VectorRecord;
use crate::backend::vector::workload::Element;
use crate::backend::vector::{VectorRequest, optimize_vector};
use crate::budget::Budget;
use crate::report::VERSION;
use crate::rule::RuleSet;

/// The folder of the workloads, relative to the working folder.
const FOLDER: &str = "corpus/vyasa";

/// A set of workloads: its title, the suffixes of their names, and the paper's geometric means for 32 and 16 bits.
const SETS: [(&str, &[&str], [f64; 2]); 3] = [
    ("Table VI", &["2x2", "3x3", "4x4", "5x5", "6x6", "7x7", "8x8", "9x9", "10x10", "11x11"], [7.67, 25.92]),
    (
        "Table VII",
        &["reg-3x3", "reg-5x5", "reg-7x7", "pw", "ss-1x3", "ss-3x1", "ds-3x3", "fc"],
        [7.67, 22.53],
    ),
    ("Volumes", &["3x3x3", "5x5x5", "7x7x7"], [7.55, 21.60]),
];

/// The folder of the filters with known coefficients.
const FILTERS: &str = "corpus/vector";

/// Filters with known coefficients, their element type and, for some, the required multiplications per cycle.
const KNOWN: [(&str, Element, Option<f64>); 15] = [
    ("separable-3", Element::Int32, Some(10.0)),
    ("separable-5", Element::Int32, Some(18.0)),
    ("separable-7", Element::Int32, Some(25.0)),
    ("separable-11", Element::Int32, None),
    ("separable-3", Element::Int16, None),
    ("separable-5", Element::Int16, Some(45.0)),
    ("separable-7", Element::Int16, Some(70.0)),
    ("separable-11", Element::Int16, Some(115.0)),
    ("symmetric-5", Element::Int16, Some(35.0)),
    ("symmetric-7", Element::Int16, Some(44.0)),
    ("antisymmetric-5", Element::Int16, None),
    ("rank-two-7", Element::Int16, None),
    ("gradient-pair", Element::Int16, None),
    ("luminance-blur", Element::Int16, None),
    ("box-15", Element::Int16, None),
];

/// Compiles and runs every workload; prints tables, or one line of JSON per workload and a summary line.
pub(super) fn run(
    json: bool,
    only: Option<&str>,
    ideal_banks: bool,
    output: Option<PathBuf>,
) -> Result<Outcome, CommandError> {
    let name = VliwMachine::builtin_names()[0];
    let machine = Arc::new(
        VliwMachine::builtin(name).ok_or_else(|| CommandError::Usage(format!("no machine `{name}`")))?,
    );
    let compile = |path: &Path, element| compile(&machine, ideal_banks, path, element);
    let mut output = Output::new(output);
    let mut summary = Vec::new();
    for (title, names, papers) in SETS {
        for (bits, paper) in ["int32", "int16"].into_iter().zip(papers) {
            let names: Vec<String> = names.iter().map(|name| format!("{bits}-{name}")).collect();
            let names: Vec<&String> =
                names.iter().filter(|n| only.is_none_or(|part| n.contains(part))).collect();
            if names.is_empty() {
                continue;
            }
            let mut rows = Vec::new();
            for name in names {
                let record = compile(&Path::new(FOLDER).join(format!("{name}.conv")), None)?;
                if json {
                    output.put(&record.to_json())?;
                }
                rows.push(record);
            }
            let [published, kalg] = [published, achieved].map(|figure| mean(rows.iter().map(figure)));
            if !json {
                output.put(&table(title, bits, paper, &rows, [published, kalg]))?;
            }
            summary.push(serde_json::json!({
                "set": title, "type": bits, "workloads": rows.len(), "paper": paper,
                "published_schedules": published, "kalg": kalg,
                "banks": rows.first().map(|row| row.banks),
            }));
        }
    }
    let mut rows = Vec::new();
    for (name, element, least) in
        KNOWN.iter().filter(|(name, ..)| only.is_none_or(|part| name.contains(part)))
    {
        let record = compile(&Path::new(FILTERS).join(format!("{name}.sexp")), Some(*element))?;
        if json {
            output.put(&record.to_json())?;
        }
        summary.push(known_summary(name, *element, *least, &record));
        rows.push((record, *least));
    }
    if !json && !rows.is_empty() {
        output.put(&known_table(&rows))?;
    }
    if json {
        output.put(&serde_json::json!({ "summary": summary, "version": VERSION }).to_string())?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}

fn compile(
    machine: &Arc<VliwMachine>,
    ideal_banks: bool,
    path: &Path,
    element: Option<Element>,
) -> Result<VectorRecord, CommandError> {
    let source = files::source(path)?;
    let machine = Arc::clone(machine);
    let rules = RuleSet::builtin().for_target(&machine.name);
    let request = VectorRequest {
        budget: Budget::unlimited().with_clock(&clock()),
        source,
        machine,
        tile: None,
        element,
        range: None,
        tolerance: 0,
        ideal_banks,
        without: Vec::new(),
        oversize: true,
        rules,
        seed: 0,
        run: None,
    };
    optimize_vector(&request, &|_, _| {}).map_err(|error| {
        CommandError::Usage(format!("`{}`: {}", path.display(), error.describe(&request.source)))
    })
}

/// The JSON summary of a filter with known coefficients.
fn known_summary(
    name: &str,
    element: Element,
    least: Option<f64>,
    record: &VectorRecord,
) -> serde_json::Value {
    serde_json::json!({
        "set": "known coefficients", "filter": name, "type": element.name(), "least": least,
        "direct": published(record), "kalg": achieved(record), "banks": record.banks,
    })
}

/// The published schedule's multiplications per cycle, on kalg's simulator.
fn published(record: &VectorRecord) -> f64 {
    record.baseline.as_ref().map_or(f64::NAN, |baseline| baseline.macs_per_cycle.get())
}

fn achieved(record: &VectorRecord) -> f64 {
    record.macs_per_cycle.get()
}

fn mean(figures: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = figures.fold((0.0, 0), |(sum, count), figure| (sum + figure.ln(), count + 1));
    (sum / f64::from(count)).exp()
}

fn table(title: &str, bits: &str, paper: f64, rows: &[VectorRecord], means: [f64; 2]) -> String {
    let mut text = format!("## {title}, {bits}: multiplications of the direct form in a cycle\n\n");
    text.push_str(&banks(rows.iter()));
    text.push_str("| workload | published schedule | kalg | cycles | waits for banks | interval | seconds | kalg's schedule |\n|---|---|---|---|---|---|---|---|\n");
    for row in rows {
        text.push_str(&format!(
            "| {} | {:.2} | {:.2} | {} | {} | {} | {:.1} | {} |\n",
            row.filter,
            published(row),
            achieved(row),
            row.cycles,
            row.spent.bank_stalls,
            row.initiation_interval,
            row.seconds.get(),
            row.method
        ));
    }
    text.push_str(&format!(
        "| geometric mean | {:.2} | {:.2} | | | | | the paper's: {paper} |\n",
        means[0], means[1]
    ));
    text.push_str("\nWhy these schedules, and not the published ones:\n\n");
    for row in rows.iter().filter(|row| !row.why.is_empty()) {
        text.push_str(&format!("* {}: {}.\n", row.filter, row.why.join("; ")));
    }
    text.push('\n');
    text
}

/// How accesses to memory banks are counted, in both columns of a table.
fn banks<'r>(mut rows: impl Iterator<Item = &'r VectorRecord>) -> String {
    rows.next().map_or(String::new(), |row| format!("Banks: {}.\n\n", row.banks.describe()))
}

/// The table of the filters with known coefficients.
fn known_table(rows: &[(VectorRecord, Option<f64>)]) -> String {
    let mut text =
        "## Known coefficients, 256×16 tile of 8-bit data: multiplications of the direct form in a cycle\n\n"
            .to_owned();
    text.push_str(&banks(rows.iter().map(|(row, _)| row)));
    text.push_str("| filter | type | direct form | asked for | kalg | cycles | waits for banks | interval | seconds | form |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (row, least) in rows {
        text.push_str(&format!(
            "| {} | {} | {:.1} | {} | {:.1} | {} | {} | {} | {:.1} | {} |\n",
            row.filter,
            row.element,
            published(row),
            least.map_or("–".to_owned(), |least| format!("{least:.0}")),
            achieved(row),
            row.cycles,
            row.spent.bank_stalls,
            row.initiation_interval,
            row.seconds.get(),
            row.method
        ));
    }
    text
}

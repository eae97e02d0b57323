//! What the rules are worth: bus cycles of each filter with all rules, with none, and with each group of rules off.
//!
//! `cargo run --release --example ablation -- [--nodes N] [DIR or FILE…]`; without files, the corpus. The table goes to
//! standard output, in Markdown, and is the same on every machine: budgets are counted in nodes of the search.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the command line")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, fs};

use kalg::pipeline::{OptimizeRequest, optimize};
use kalg::rule::RuleSet;
use kalg::syntax::{Source, render};
use kalg::target::{Division, Target};
use kalg::term::{filter_placed, read_filter};
use rayon::prelude::*;

/// States of the search for each filter with each set of rules, where `--nodes` does not say.
const NODES: u64 = 1_000;
/// From this width and height on, a kernel is large.
const LARGE: u16 = 5;

fn main() -> ExitCode {
    let result = Options::read(env::args().skip(1)).and_then(|options| Ok((run(&options)?, options)));
    match result {
        Ok((table, options)) => {
            print!("{}", table.markdown(&options));
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// What the command line asks for.
struct Options {
    nodes: u64,
    paths: Vec<String>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { nodes: NODES, paths: Vec::new() };
        while let Some(argument) = arguments.next() {
            if argument == "--nodes" {
                let number = arguments.next().unwrap_or_default();
                options.nodes =
                    number.parse().map_err(|_| format!("`--nodes` takes a number, not `{number}`"))?;
            } else if argument.starts_with("--") {
                return Err(format!("unknown option `{argument}`; known: --nodes N"));
            } else {
                options.paths.push(argument);
            }
        }
        if options.paths.is_empty() {
            options.paths.push("corpus".to_owned());
        }
        Ok(options)
    }
}

/// Kernel files of the paths: each file itself, and of a folder all that end in `.sexp`, sorted.
fn kernel_files(paths: &[String]) -> Result<Vec<PathBuf>, String> {
    fn add(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        if !path.is_dir() {
            files.push(path.to_owned());
            return Ok(());
        }
        let mut entries: Vec<PathBuf> = fs::read_dir(path)
            .map_err(failed)?
            .map(|entry| entry.map(|e| e.path()))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        entries.retain(|entry| entry.is_dir() || entry.extension().is_some_and(|e| e == "sexp"));
        entries.sort();
        entries.iter().try_for_each(|entry| add(entry, files))
    }
    let mut files = Vec::new();
    paths.iter().try_for_each(|path| add(Path::new(path), &mut files))?;
    Ok(files)
}

/// A set of rules with its name in the table.
struct Variant {
    name: String,
    rules: RuleSet,
}

/// All rules, none, and all but each group.
fn variants() -> Vec<Variant> {
    let all = RuleSet::builtin();
    let off = all.groups().into_iter().map(|group| (format!("− {group}"), all.without_group(group)));
    [("all".to_owned(), all.clone()), ("none".to_owned(), RuleSet::default())]
        .into_iter()
        .chain(off)
        .map(|(name, rules)| Variant { name, rules })
        .collect()
}

/// A file's line in the table.
struct Row {
    name: String,
    /// Whether a kernel is 5 × 5 or larger, or there are several outputs.
    demanding: bool,
    /// The cycles with each variant; `None` where no program was found.
    cycles: Vec<Option<u32>>,
}

fn run(options: &Options) -> Result<Table, String> {
    let files = kernel_files(&options.paths)?;
    let variants = variants();
    let target = Arc::new(Target::builtin("scamp5").ok_or("there is no target `scamp5`")?);
    let done = AtomicUsize::new(0);
    let rows = files
        .par_iter()
        .map(|file| {
            let row = row(file, &variants, &target, options.nodes)?;
            eprintln!("{} of {}: {}", done.fetch_add(1, Ordering::Relaxed) + 1, files.len(), row.name);
            Ok(row)
        })
        .collect::<Result<_, String>>()?;
    Ok(Table { variants: variants.into_iter().map(|v| v.name).collect(), rows })
}

fn row(file: &Path, variants: &[Variant], target: &Arc<Target>, nodes: u64) -> Result<Row, String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let source = Source::from_bytes(file.to_string_lossy(), bytes);
    let outputs = read_filter(&source)
        .and_then(|filter| filter_placed(&filter))
        .map_err(|wrong| render(&source, &wrong, false))?;
    let large = |[width, height, _]: [u16; 3]| width >= LARGE && height >= LARGE;
    let demanding = outputs.len() > 1 || outputs.iter().any(|(_, kernel)| large(kernel.shape.size()));
    let cycles = variants
        .iter()
        .map(|variant| cycles(&source, &variant.rules, target, nodes))
        .collect::<Result<_, _>>()?;
    let name = file.to_string_lossy().replace('\\', "/");
    Ok(Row { name, demanding, cycles })
}

fn cycles(source: &Source, rules: &RuleSet, target: &Arc<Target>, nodes: u64) -> Result<Option<u32>, String> {
    let request = OptimizeRequest {
        division: Some(Division::Quick),
        nodes: Some(nodes),
        ..OptimizeRequest::new(
            source.clone(),
            target.clone(),
            "bus",
            rules.clone(),
            Arc::new(|| Duration::ZERO),
        )
    };
    match optimize(&request, &mut |_| {}) {
        Ok(record) => Ok(record.cycles),
        Err(error) => Err(format!("{}: {}", source.name(), error.describe(source))),
    }
}

/// What was measured: the first variant is all rules, the second none.
struct Table {
    variants: Vec<String>,
    rows: Vec<Row>,
}

/// How the cycles of a variant compare with those of all rules.
#[derive(Default)]
struct Comparison {
    worse: usize,
    better: usize,
    /// Filters that both have a program for, and the logarithm of the product of their ratios.
    both: usize,
    logarithm: f64,
}

impl Comparison {
    fn new<'a>(rows: impl Iterator<Item = &'a Row>, variant: usize) -> Self {
        let mut comparison = Self::default();
        for row in rows {
            match (row.cycles[0], row.cycles[variant]) {
                (Some(all), Some(fewer)) => {
                    comparison.worse += usize::from(fewer > all);
                    comparison.better += usize::from(fewer < all);
                    comparison.both += 1;
                    // A filter that is its input takes no cycles, and counts as one.
                    comparison.logarithm += (f64::from(fewer.max(1)) / f64::from(all.max(1))).ln();
                }
                (Some(_), None) => comparison.worse += 1,
                (None, Some(_)) => comparison.better += 1,
                (None, None) => {}
            }
        }
        comparison
    }

    /// The geometric mean of how many times the cycles of all rules the variant takes.
    fn ratio(&self) -> String {
        if self.both == 0 {
            "–".to_owned()
        } else {
            format!("{:.3}", (self.logarithm / self.both as f64).exp())
        }
    }
}

impl Table {
    fn markdown(&self, options: &Options) -> String {
        let paths = options.paths.join(" ");
        let mut text = format!(
            "<!-- cargo run --release --example ablation -- --nodes {} {paths} -->\n# What the rules are worth\n\n",
            options.nodes
        );
        text += &format!(
            "SCAMP-5 bus cycles, quick division, {} states of the search for each filter and set of rules: all rules, none, and \
             all but one group. A number is bold where it is worse than with all rules; `–` is no program within the budget; \
             `*` marks filters of 5 × 5 and larger and those with several outputs.\n\n",
            options.nodes
        );
        text += &self.grid();
        text + "\n" + &self.findings()
    }

    fn comparisons(&self) -> Vec<Comparison> {
        (0..self.variants.len()).map(|variant| Comparison::new(self.rows.iter(), variant)).collect()
    }

    /// The table, its columns aligned.
    fn grid(&self) -> String {
        let comparisons = self.comparisons();
        let mut lines = vec![[vec!["filter".to_owned()], self.variants.clone()].concat()];
        for row in &self.rows {
            let mark = if row.demanding { " *" } else { "" };
            let mut cells = vec![format!("{}{mark}", row.name)];
            cells.extend(row.cycles.iter().map(|cycles| {
                let text = cycles.map_or("–".to_owned(), |n| n.to_string());
                let worse = cycles.unwrap_or(u32::MAX) > row.cycles[0].unwrap_or(u32::MAX);
                if worse { format!("**{text}**") } else { text }
            }));
            lines.push(cells);
        }
        let mut summary = |name: &str, cell: fn(&Comparison) -> String| {
            lines.push(std::iter::once(name.to_owned()).chain(comparisons.iter().map(cell)).collect());
        };
        summary("geometric mean, relative to all", Comparison::ratio);
        summary("filters worse than with all", |c| c.worse.to_string());
        summary("filters better than with all", |c| c.better.to_string());
        aligned(&lines)
    }

    /// What follows from the table, in sentences.
    fn findings(&self) -> String {
        let demanding: Vec<&Row> = self.rows.iter().filter(|row| row.demanding).collect();
        let worse = Comparison::new(demanding.iter().copied(), 1).worse;
        let mut text = format!(
            "Without rules {worse} of the {} filters of {LARGE} × {LARGE} and larger or with several outputs get worse, and {} of all {}.\n",
            demanding.len(),
            Comparison::new(self.rows.iter(), 1).worse,
            self.rows.len()
        );
        for (variant, comparison) in self.comparisons().iter().enumerate().skip(2) {
            let group = self.variants[variant].trim_start_matches("− ");
            let verdict = match (comparison.worse, comparison.better) {
                (0, 0) => "never changes a result: dead weight".to_owned(),
                (0, better) => format!("improves no result, and {better} are better without it: dead weight"),
                (worse, better) => format!("improves {worse} results, and {better} are better without it"),
            };
            // Writing to a string cannot fail.
            let _written = writeln!(text, "* `{group}` {verdict}.");
        }
        text
    }
}

/// Lines of cells as a Markdown table: the first line is the head, the first column left-aligned, the others right-aligned.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            text += &if column == 0 { format!("| {cell:<width$} |") } else { format!(" {cell:>width$} |") };
        }
        text.push('\n');
        if index == 0 {
            for (column, width) in widths.iter().enumerate() {
                text += &if column == 0 {
                    format!("|{}|", "-".repeat(width + 2))
                } else {
                    format!("{}:|", "-".repeat(width + 1))
                };
            }
            text.push('\n');
        }
    }
    text
}

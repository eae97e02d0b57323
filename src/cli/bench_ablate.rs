//! `kalg bench --ablate`: the corpus with each part of the compiler left out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::prelude::*;

use super::files;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::extract::{Objective, Without};
use crate::pipeline::{OptimizeRequest, optimize};
use crate::report::{AblatedFilter, Ablation, json_line};
use crate::rule::{Action, Rule, RuleSet};
use crate::syntax::Source;
use crate::target::{Division, Target};

/// Where filters are, below the folder in which the command runs, where none are named.
const FOLDER: &str = "corpus";

/// States of the search for each filter and variant, where no number is given.
const NODES: u64 = 300;

/// What is compiled, and how.
pub(super) struct Request<'a> {
    pub(super) paths: &'a [PathBuf],
    pub(super) only: Option<&'a str>,
    pub(super) target: Arc<Target>,
    pub(super) isa: Option<&'a str>,
    pub(super) nodes: Option<u64>,
    pub(super) rules: RuleSet,
    /// Whether each rule is left out by itself, too.
    pub(super) each_rule: bool,
    pub(super) json: bool,
    pub(super) output: Option<PathBuf>,
}

/// One way to compile.
struct Variant {
    name: String,
    rules: RuleSet,
    without: Without,
}

/// The whole compiler, then one part left out at a time.
fn variants(rules: &RuleSet, each_rule: bool) -> Vec<Variant> {
    let ruled =
        |name: &str, rules: RuleSet| Variant { name: name.to_owned(), rules, without: Without::default() };
    let searched =
        |name: &str, without: Without| Variant { name: name.to_owned(), rules: rules.clone(), without };
    let mut variants = vec![ruled("all", rules.clone()), ruled("− rules", RuleSet::default())];
    for group in rules.groups() {
        variants.push(ruled(&format!("− {group}"), rules.without_group(group)));
    }
    for rule in rules.rules().iter().filter(|_| each_rule) {
        let name = &rule.name;
        variants.push(ruled(&format!("− {name}"), rules.filtered(|other| other.name != *name)));
    }
    let syntactic = rules.filtered(|rule| matches!(rule.action, Action::Rewrite(_)));
    variants.push(ruled("− proposers", syntactic));
    variants.push(ruled("random proposers", rules.with_random_proposers()));
    variants.push(searched("− table of states", Without { table: true, ..Without::default() }));
    variants.push(searched("− polishing", Without { polish: true, ..Without::default() }));
    variants
}

/// Compiles every filter with every variant; budgets are counted in nodes, so the table is the same on every machine.
pub(super) fn run(request: Request<'_>) -> Result<Outcome, CommandError> {
    let files = kernel_files(request.paths, request.only)?;
    // Rules with scans are for machines with memory: here they do nothing.
    let variants = variants(&request.rules.filtered(Rule::is_exact), request.each_rule);
    let isa = match request.isa {
        Some(isa) => isa,
        None => request.target.isas.last().map_or("", |isa| isa.name.as_str()),
    };
    let nodes = request.nodes.unwrap_or(NODES);
    let done = AtomicUsize::new(0);
    let cost = |source: &Source, variant: &Variant| -> Result<Option<u32>, CommandError> {
        let asked = OptimizeRequest {
            division: Some(Division::Quick),
            objective: Some(Objective::Cycles),
            nodes: Some(nodes),
            without: variant.without,
            ..OptimizeRequest::new(
                source.clone(),
                Arc::clone(&request.target),
                isa,
                variant.rules.clone(),
                Arc::new(|| Duration::ZERO),
            )
        };
        let record = optimize(&asked, &mut |_| {})
            .map_err(|error| CommandError::Usage(error.describe(&asked.source)))?;
        Ok(record.cycles)
    };
    let filters = files
        .par_iter()
        .map(|path| {
            let source = files::read_source(path).map_err(|error| cannot_read(path, &error))?;
            let costs =
                variants.par_iter().map(|variant| cost(&source, variant)).collect::<Result<_, _>>()?;
            let file = path.to_string_lossy().replace('\\', "/");
            eprintln!("{} of {}: {file}", done.fetch_add(1, Ordering::Relaxed) + 1, files.len());
            Ok(AblatedFilter { file, costs })
        })
        .collect::<Result<_, CommandError>>()?;
    let about = format!(
        "Cycles on {} with its instruction set `{isa}`, quick division, {nodes} states of the search for each \
         filter: with all of kalg, and with parts of it left out.",
        request.target.name
    );
    let ablation = Ablation { about, variants: variants.into_iter().map(|v| v.name).collect(), filters };
    let mut output = Output::new(request.output);
    if request.json {
        ablation.json().iter().try_for_each(|line| output.put(&json_line(line)))?;
    } else {
        output.put(&ablation.markdown())?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}

/// The kernel files that are named, and those below the folders that are.
fn kernel_files(paths: &[PathBuf], only: Option<&str>) -> Result<Vec<PathBuf>, CommandError> {
    let default = [PathBuf::from(FOLDER)];
    let mut found = Vec::new();
    for path in if paths.is_empty() { &default } else { paths } {
        if path.is_dir() {
            found.extend(files::list_folder(path, "sexp").map_err(|error| cannot_read(path, &error))?);
        } else {
            found.push(path.clone());
        }
    }
    found.retain(|path| only.is_none_or(|part| path.to_string_lossy().contains(part)));
    if found.is_empty() {
        return Err(CommandError::Usage("there are no kernel files to compile".to_owned()));
    }
    Ok(found)
}

fn cannot_read(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::Usage(format!("cannot read `{}`: {error}", path.display()))
}

//! `kalg bench --ablate`: the corpus with each part of the compiler left out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::bench_options::Bench;
use super::files::{self, cannot_read};
use super::outcome::{CommandError, Outcome};
use super::output::write_result;
use crate::backend::array::compile::{OptimizeRequest, optimize};
use crate::backend::array::machine::{Division, Target};
use crate::backend::array::search::{Objective, Part, Without};
use crate::backend::{self, Machine, OptimizeError, Registry};
use crate::budget::Budget;
use crate::report::{AblatedFilter, Ablation, json_line};
use crate::rule::{Action, Rule, RuleSet};
use crate::syntax::Source;

/// The default folder of filters, relative to the working folder.
const FOLDER: &str = "corpus";

/// The default list of kernels for arrays: twenty of all kinds, none of them easy.
const LIST: &str = "corpus/ablation.list";

/// The default number of search states for each filter and variant.
const NODES: u64 = 300;

/// The machine to compile for.
enum Ablated<'a> {
    /// An array and an instruction set; `None` for its richest.
    Array(Arc<Target>, Option<&'a str>),
    /// Another machine, whose searches have no parts to leave out.
    Other(Box<dyn Machine>),
}

impl<'a> Ablated<'a> {
    /// The machine that is asked for.
    fn asked(bench: &'a Bench) -> Result<Self, CommandError> {
        match bench.target() {
            Ok(target) => Ok(Self::Array(target, bench.isa.as_deref())),
            Err(none) => Registry::default().builtin(bench.machine()).map(Self::Other).ok_or(none),
        }
    }

    /// The rules that apply to it.
    fn rules(&self, rules: &RuleSet) -> RuleSet {
        match self {
            Self::Array(target, _) => rules.for_target(&target.name).filtered(Rule::is_polynomial),
            Self::Other(machine) => machine.rules(rules),
        }
    }

    /// A description of the costs and the budget.
    fn about(&self, nodes: Option<u64>) -> String {
        let all = "with all of kalg, and with parts of it left out.";
        match self {
            Self::Array(target, isa) => format!(
                "Cycles on {} with its instruction set `{}`, quick division, {} states of the search for each \
                 filter: {all}",
                target.name,
                richest(target, *isa),
                nodes.unwrap_or(NODES)
            ),
            Self::Other(machine) => {
                let nodes = nodes.map_or("the usual budget".to_owned(), |nodes| format!("{nodes} nodes"));
                format!("Cost on {}, {nodes} for each filter: {all}", machine.name())
            }
        }
    }

    /// The cost of a filter in one variant; `None` if there is no program.
    fn cost(
        &self,
        kernel: &Kernel,
        variant: &Variant,
        nodes: Option<u64>,
    ) -> Result<Option<u32>, CommandError> {
        let source = &kernel.source;
        let refused = |error: OptimizeError| CommandError::Usage(error.describe(source));
        match self {
            Self::Array(target, isa) => {
                let rules = variant.rules.clone();
                let other =
                    kernel.registers.and_then(|registers| target.with_registers(registers)).map(Arc::new);
                let target = other.as_ref().unwrap_or(target);
                let asked = OptimizeRequest {
                    division: Some(Division::Quick),
                    objective: Some(Objective::Cycles),
                    budget: Budget::of_work(nodes.unwrap_or(NODES)),
                    without: variant.without,
                    ..OptimizeRequest::new(source.clone(), Arc::clone(target), richest(target, *isa), rules)
                };
                Ok(optimize(&asked, &mut |_| {}).map_err(refused)?.cycles)
            }
            Self::Other(machine) => {
                let budget = nodes.map_or_else(Budget::unlimited, Budget::of_work);
                let request = backend::Request {
                    rules: variant.rules.clone(),
                    budget,
                    ..backend::Request::new(source.clone())
                };
                let record = match machine.compile(&request, &|_| {}) {
                    Ok(record) => record,
                    // A machine need not have a program for every filter.
                    Err(OptimizeError::NoProgram(_)) => return Ok(None),
                    Err(error) => return Err(refused(error)),
                };
                Ok(record.cost().map(|cost| (cost * 1000.0).round() as u32))
            }
        }
    }
}

fn richest<'a>(target: &'a Target, isa: Option<&'a str>) -> &'a str {
    isa.or(target.isas.last().map(|isa| isa.name.as_str())).unwrap_or_default()
}

/// One way to compile.
struct Variant {
    name: String,
    rules: RuleSet,
    without: Without,
}

/// A kernel to compile, and the number of registers if it is not the machine's own.
struct Kernel {
    source: Source,
    registers: Option<usize>,
}

/// Variants that each leave out one group of rules, or one rule.
fn without_rules(rules: &RuleSet, each_rule: bool) -> Vec<Variant> {
    let ruled =
        |name: &str, rules: RuleSet| Variant { name: name.to_owned(), rules, without: Without::default() };
    let mut variants = vec![ruled("− rules", RuleSet::default())];
    for group in rules.groups() {
        variants.push(ruled(&format!("− {group}"), rules.without_group(group)));
    }
    for rule in rules.rules().iter().filter(|_| each_rule) {
        let name = &rule.name;
        variants.push(ruled(&format!("− {name}"), rules.filtered(|other| other.name != *name)));
    }
    let syntactic = rules.filtered(|rule| !matches!(rule.action, Action::Propose(_)));
    variants.push(ruled("− proposers", syntactic));
    variants.push(ruled("random proposers", rules.with_random_proposers()));
    variants
}

/// Variants that each leave out one part of the search.
fn without_searches(rules: &RuleSet) -> impl Iterator<Item = Variant> {
    let of = |part: Part| {
        let (name, rules) = (format!("− {}", part.name()), rules.clone());
        Variant { name, rules, without: Without::part(part) }
    };
    Part::ALL.into_iter().map(of)
}

/// Compiles every filter with every variant. Budgets count search nodes, so the table is the same on every machine.
pub(super) fn run(bench: &Bench) -> Result<Outcome, CommandError> {
    let machine = Ablated::asked(bench)?;
    let rules = machine.rules(&bench.rules.load()?);
    let searches = matches!(machine, Ablated::Array(..));
    let only = bench.only.as_deref();
    let files = match &bench.files[..] {
        [] if searches => listed(Path::new(LIST), only)?,
        paths => kernel_files(paths, only)?.into_iter().map(|path| (path, None)).collect(),
    };
    let mut variants =
        vec![Variant { name: "all".to_owned(), rules: rules.clone(), without: Without::default() }];
    if !bench.searches_only {
        variants.extend(without_rules(&rules, bench.each_rule));
    }
    if searches {
        variants.extend(without_searches(&rules));
    }
    let nodes = bench.nodes;
    let done = AtomicUsize::new(0);
    let cost = |kernel: &Kernel, variant: &Variant| machine.cost(kernel, variant, nodes);
    let filters = files
        .par_iter()
        .map(|(path, registers)| {
            let source = files::source(path)?;
            let kernel = Kernel { source, registers: *registers };
            let costs =
                variants.par_iter().map(|variant| cost(&kernel, variant)).collect::<Result<_, _>>()?;
            let mut file = path.to_string_lossy().replace('\\', "/");
            if let Some(registers) = registers {
                file = format!("{file}, {registers} registers");
            }
            eprintln!("{} of {}: {file}", done.fetch_add(1, Ordering::Relaxed) + 1, files.len());
            Ok(AblatedFilter { file, costs })
        })
        .collect::<Result<_, CommandError>>()?;
    let ablation = Ablation {
        about: machine.about(nodes),
        decimals: if searches { 0 } else { 3 },
        variants: variants.into_iter().map(|v| v.name).collect(),
        filters,
    };
    let text = if bench.json {
        ablation.json().iter().map(|line| json_line(line) + "\n").collect()
    } else {
        ablation.markdown()
    };
    write_result(bench.output.clone(), &text)?;
    Ok(Outcome::Done)
}

/// The kernel files of a list, relative to its folder, each with the number of registers if the line has one.
fn listed(list: &Path, only: Option<&str>) -> Result<Vec<(PathBuf, Option<usize>)>, CommandError> {
    let source = files::source(list)?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let lines = source.text().lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let of = |line: &str| {
        let (path, registers) = line.split_once(' ').map_or((line, ""), |(path, rest)| (path, rest.trim()));
        let registers = (!registers.is_empty()).then(|| registers.parse()).transpose();
        let registers = registers.map_err(|_| {
            CommandError::Usage(format!(
                "`{}`: `{line}` is not a path and a number of registers",
                list.display()
            ))
        })?;
        Ok((folder.join(path), registers))
    };
    let found: Vec<_> = lines.map(of).collect::<Result<_, CommandError>>()?;
    Ok(found
        .into_iter()
        .filter(|(path, _)| only.is_none_or(|part| path.to_string_lossy().contains(part)))
        .collect())
}

/// The kernel files among `paths`, and those in the folders among them.
pub(super) fn kernel_files(paths: &[PathBuf], only: Option<&str>) -> Result<Vec<PathBuf>, CommandError> {
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

//! The settings of a task, from JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kalg::backend::USUAL_TIME;
use kalg::backend::option::Occurs;
use kalg::cli::{SystemC, SystemCpp, read_rules};
use kalg::compiler::with_threads;
use kalg::machine::{OptionValues, Registry, Task};
use kalg::rule::Rule;
use kalg::{Compiler, Error, RuleSet, Source, Target};
use serde::Deserialize;

use crate::wait::Line;

/// The settings of a task; what is left out has the default of the command line.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// The name of a built-in target.
    target: Option<String>,
    /// The descriptor of a target: a name for messages, and the text.
    descriptor: Option<(String, String)>,
    /// The rules.
    pub(crate) rules: Rules,
    /// The number of search nodes.
    pub(crate) nodes: Option<u64>,
    /// The time limit in seconds.
    pub(crate) time: Option<f64>,
    /// The seed.
    seed: u64,
    /// The number of threads; one per core by default.
    threads: Option<usize>,
    /// Whether reports explain decompositions.
    explain: bool,
    /// Whether a check also gives its certificate.
    pub(crate) certificate: bool,
    /// The options of the class of machines, each with its values.
    options: BTreeMap<String, Vec<String>>,
}

/// The rules of a task.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Rules {
    /// A folder or a file that replaces the built-in rules.
    base: Option<PathBuf>,
    /// Files with more rules.
    extra: Vec<PathBuf>,
    /// Texts with more rules, each with a name for messages.
    texts: Vec<(String, String)>,
    /// Whether the texts replace the built-in rules.
    alone: bool,
}

impl Rules {
    /// Reads the rules.
    pub(crate) fn read(&self) -> Result<RuleSet, Error> {
        if *self == Self::default() {
            return Ok(RuleSet::builtin());
        }
        let texts = self.texts.iter().map(|(name, text)| Source::new(name.as_str(), text.as_str())).collect();
        if self.alone {
            let none = |_: &str, _: &str| Err("a text includes no files".to_owned());
            return RuleSet::from_files(texts, &none).map_err(|wrong| Error::from(&wrong));
        }
        read_rules(self.base.as_deref(), &self.extra, texts)
    }
}

impl Settings {
    /// Reads settings.
    pub(crate) fn of(json: &str) -> Result<Self, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    /// The target.
    pub(crate) fn target(&self) -> Result<Target, Error> {
        match (&self.descriptor, &self.target) {
            (Some((name, text)), _) => Target::read(&Source::new(name.as_str(), text.as_str())),
            (None, Some(name)) => Target::builtin(name),
            (None, None) => Target::builtin(Target::names()[0]),
        }
    }

    /// The target, if one is named.
    pub(crate) fn named(&self) -> Result<Option<Target>, Error> {
        (self.target.is_some() || self.descriptor.is_some()).then(|| self.target()).transpose()
    }

    /// The rules for the target; without one, those for all machines without memory.
    pub(crate) fn rules_for_target(&self) -> Result<RuleSet, Error> {
        let rules = self.rules.read()?;
        Ok(match self.named()? {
            Some(target) => target.machine().rules(&rules),
            None => rules.filtered(Rule::is_finite),
        })
    }

    /// Does work on threads of its own.
    pub(crate) fn pooled<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        with_threads(self.threads(), work)
    }

    /// The time limit: if neither it nor nodes are given, that of the command line.
    pub(crate) fn limit(&self, anytime: bool) -> Option<Duration> {
        let usual = (self.nodes.is_none() && anytime).then_some(USUAL_TIME);
        self.time.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default()).or(usual)
    }

    /// The number of threads. Each task has a pool of its own: one that all share would be dead in a forked process.
    pub(crate) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
        self.threads.unwrap_or_else(cores)
    }

    /// The compiler for a task.
    pub(crate) fn compiler(&self, task: Task, line: &Line<'_>) -> Result<Compiler, Error> {
        Ok(self.compiler_here(task)?.threads(self.threads()).interrupted_by(line.stop))
    }

    /// The compiler for a task on the present threads.
    pub(crate) fn compiler_here(&self, task: Task) -> Result<Compiler, Error> {
        let target = &self.target()?;
        let options = self.options.iter().fold(OptionValues::default(), |options, (name, values)| {
            options.with(name, values_of(target, name, values))
        });
        // A compiler leaves aside what only other tasks have.
        Registry::refuse_foreign_values(target.machine(), task, &options).map_err(Error::usage)?;
        let began = Instant::now();
        let clock = move || began.elapsed();
        let compiler = Compiler::new(target)
            .rules(self.rules.read()?)
            .seed(self.seed)
            .explain(self.explain)
            .options(options)
            .cpp(Arc::new(SystemCpp::named()))
            .timer(Arc::new(SystemC::named()));
        let compiler = match self.limit(target.machine().class().is_anytime()) {
            Some(limit) => compiler.time(limit, clock),
            None => compiler.clock(clock),
        };
        Ok(match self.nodes {
            Some(nodes) => compiler.nodes(nodes),
            None => compiler,
        })
    }
}

/// The values of an option, split at commas where it takes a list, and joined by them where it takes one text.
fn values_of(target: &Target, name: &str, values: &[String]) -> Vec<String> {
    let tasks = [Task::Optimize, Task::Check, Task::Run].into_iter();
    let known =
        tasks.flat_map(|task| target.machine().class().options(task)).find(|option| option.name == name);
    match known.map(|option| option.occurs) {
        Some(Occurs::List) => values.iter().flat_map(|value| value.split(',')).map(str::to_owned).collect(),
        Some(Occurs::Once) if values.len() > 1 => vec![values.join(",")],
        _ => values.to_vec(),
    }
}

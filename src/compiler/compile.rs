//! The compiler: filters to programs, programs to verdicts.

use std::fmt;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::error::Error;
use super::filter::Filter;
use super::result::{Checked, Compiled, Report};
use super::run::Runs;
use super::target::Target;
use crate::backend::option::{Occurs, OptionValues};
use crate::backend::{CTimer, Cpp, Memo, Pictures, Registry, Request, Task, Watch};
use crate::budget::{Budget, Clock};
use crate::report::{Answer, ErrorKind};
use crate::rule::RuleSet;
use crate::syntax::Source;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The tasks of a compiler.
const TASKS: [Task; 3] = [Task::Optimize, Task::Check, Task::Run];

/// The options of the command that are settings of every compiler.
const SETTINGS: [&str; 6] = ["rules", "nodes", "time", "seed", "threads", "explain"];

/// Compiles filters for a target, and checks programs.
///
/// The same filter, options, nodes and seed give the same program, on any number of threads. If neither
/// [`nodes`](Self::nodes) nor [`time`](Self::time) bounds a search, the usual number of nodes of the target does.
#[derive(Clone)]
pub struct Compiler {
    target: Target,
    rules: RuleSet,
    nodes: Option<u64>,
    time: Option<Duration>,
    clock: Option<Clock>,
    interrupted: Arc<AtomicBool>,
    seed: u64,
    threads: Option<usize>,
    explain: bool,
    options: OptionValues,
    cpp: Option<Arc<dyn Cpp>>,
    timer: Option<Arc<dyn CTimer>>,
    memo: Memo,
}

impl Compiler {
    /// Creates a compiler for a target, with the built-in rules.
    pub fn new(target: &Target) -> Self {
        Self {
            target: target.clone(),
            rules: RuleSet::builtin(),
            nodes: None,
            time: None,
            clock: None,
            interrupted: Arc::default(),
            seed: 0,
            threads: None,
            explain: false,
            options: OptionValues::default(),
            cpp: None,
            timer: None,
            memo: Memo::default(),
        }
    }

    /// Uses these rules.
    pub fn rules(self, rules: RuleSet) -> Self {
        Self { rules, ..self.changed() }
    }

    /// Ends each search after this many nodes.
    pub fn nodes(self, nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..self.changed() }
    }

    /// Ends each search after this long. kalg reads no clock of its own, so results never depend on one by accident.
    /// Pass a clock in, for example `move || start.elapsed()`.
    pub fn time(self, limit: Duration, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { time: Some(limit), ..self.changed().clock(clock) }
    }

    /// Measures times with this clock, without a limit.
    pub fn clock(self, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { clock: Some(Arc::new(clock)), ..self }
    }

    /// Ends each search when the flag is set. The best program so far is the result.
    pub fn interrupted_by(self, flag: &Arc<AtomicBool>) -> Self {
        Self { interrupted: Arc::clone(flag), ..self }
    }

    /// Seeds everything random.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self.changed() }
    }

    /// Uses this many threads, at least one and at most as many as the system starts. The default is one per core.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// Makes reports explain how the decomposition was derived. Only arrays have such reports.
    pub fn explain(self, explain: bool) -> Self {
        Self { explain, ..self.changed() }
    }

    /// Sets an option of the target. `kalg optimize --help` and `kalg check --help` list the names:
    /// `option("registers", "A,B,C")`. Separate the values of a list with commas; a flag has the value `""`. Options that may occur
    /// several times, such as `define` of vector machines, get one more value by each call. Each task heeds the options that it has;
    /// what no task has is refused.
    pub fn option(self, name: &str, value: &str) -> Self {
        let mut known = TASKS.into_iter().flat_map(|task| self.target.0.class().options(task));
        let occurs = known.find(|option| option.name == name).map(|option| option.occurs);
        let values: Vec<String> = match occurs {
            Some(Occurs::List) => value.split(',').map(str::to_owned).collect(),
            Some(Occurs::Often) => [self.options.all(name), &[value.to_owned()]].concat(),
            _ => vec![value.to_owned()],
        };
        Self { options: self.options.clone().with(name, values), ..self.changed() }
    }

    /// Sets all options of the target, in place of those that were set before.
    pub fn options(self, options: OptionValues) -> Self {
        Self { options, ..self.changed() }
    }

    /// Tests emitted C++ code with this compiler.
    pub fn cpp(self, cpp: Arc<dyn Cpp>) -> Self {
        Self { cpp: Some(cpp), ..self.changed() }
    }

    /// Measures emitted C with this compiler, for the option `tune`.
    pub fn timer(self, timer: Arc<dyn CTimer>) -> Self {
        Self { timer: Some(timer), ..self.changed() }
    }

    /// Lets the clones of this compiler share what they find, until a setting that results depend on is changed. Filters that are turned
    /// or mirrored images of each other are then searched for once where the instructions allow it; the results are the same as
    /// without.
    pub fn sharing(self) -> Self {
        Self { memo: Memo::new(), ..self }
    }

    /// What was found with other settings is not shared.
    fn changed(self) -> Self {
        Self { memo: self.memo.renewed(), ..self }
    }

    /// Compiles a filter, and checks the program.
    ///
    /// # Errors
    /// The target cannot use an option or the filter, or no program was found within the limits.
    pub fn compile(&self, filter: &Filter) -> Result<Compiled, Error> {
        let report = self.attempt(&filter.source, &|_| {})?;
        match report.no_program() {
            None => Ok(Compiled { report }),
            Some(message) => Err(Error::new(ErrorKind::NoProgram, message)),
        }
    }

    /// Compiles what a file holds, a filter, a program or a pipeline, and tells `watch` how far it is. The report is also the
    /// result if no program was found within the limits.
    ///
    /// # Errors
    /// The target cannot use an option or the file.
    pub fn attempt(&self, source: &Source, watch: Watch<'_>) -> Result<Report, Error> {
        if self.explain && !self.target.0.class().shared(Task::Optimize).contains(&"explain") {
            let (name, noun) = (self.target.name(), self.target.0.class().noun());
            return Err(Error::usage(format!("`--explain` does not apply to `{name}`, {noun}")));
        }
        let request = self.request(source, self.accepted(Task::Optimize, &[])?);
        let record = self.with_threads(|| self.target.0.compile(&request, watch))?;
        record.map(Report::from).map_err(|error| Error::of_compiling(source, &error))
    }

    /// Checks whether a program computes a filter.
    ///
    /// # Errors
    /// The program, the filter or an option cannot be used.
    pub fn check(&self, program: &Source, filter: &Filter) -> Result<Checked, Error> {
        let report = self.review(program, Some(&filter.source))?;
        Ok(Checked { verdict: report.verdict().unwrap_or(Answer::Undecided), report })
    }

    /// Reports what a program computes, compared with a filter, a pipeline or another program if there is one.
    ///
    /// # Errors
    /// The program, what it is compared with, or an option cannot be used.
    pub fn review(&self, program: &Source, against: Option<&Source>) -> Result<Report, Error> {
        let beside: &[&str] = if against.is_some() { &["against"] } else { &[] };
        let options = self.accepted(Task::Check, beside)?;
        let request = Request { against: against.cloned(), ..self.request(program, options) };
        let record = self.with_threads(|| self.target.0.check(&request))?;
        record.map(Report::from).map_err(|error| Error::of_checking(program, against, &error))
    }

    /// Runs a program on pictures; where the target runs filters, a filter.
    ///
    /// # Errors
    /// The file, a picture or an option cannot be used.
    pub fn run(&self, source: &Source, pictures: &(dyn Pictures + Sync)) -> Result<Runs, Error> {
        let request = self.request(source, self.accepted(Task::Run, &[])?);
        let ran = self.with_threads(|| self.target.0.run(&request, pictures))?;
        ran.map(Runs::from).map_err(|error| Error::of_running(source, &error))
    }

    /// Refuses options that the target does not take, or not with these values: each task does so before anything else.
    ///
    /// # Errors
    /// What is wrong with the first of them.
    pub fn accept(&self, task: Task) -> Result<(), Error> {
        self.accepted(task, &[]).map(drop)
    }

    /// The options that a task heeds: all but those that only other tasks have.
    fn accepted(&self, task: Task, beside: &[&str]) -> Result<OptionValues, Error> {
        let machine = &*self.target.0;
        let has = |task, name: &str| machine.class().options(task).iter().any(|option| option.name == name);
        let is_known = |name: &str| TASKS.into_iter().any(|task| has(task, name));
        if let Some(name) = self.options.names().find(|name| SETTINGS.contains(name) && !is_known(name)) {
            let message = format!("`{name}` is no option of a target: `Compiler::{name}` sets it");
            return Err(Error::usage(message));
        }
        let options = self.options.clone().only(|name| has(task, name) || !is_known(name));
        Registry::accept(machine, task, &options, beside).map_err(Error::bad_input)?;
        Ok(options)
    }

    fn request(&self, source: &Source, options: OptionValues) -> Request {
        let unbounded = self.nodes.is_none() && self.time.is_none();
        let usual = self.target.0.class().usual_work().filter(|_| unbounded);
        let budget =
            Budget::of_work(self.nodes.or(usual).unwrap_or(u64::MAX)).interrupted_by(&self.interrupted);
        let budget = match &self.clock {
            Some(clock) => budget.with_clock(clock).within(self.time),
            None => budget,
        };
        Request {
            rules: self.rules.clone(),
            budget,
            seed: self.seed,
            explain: self.explain,
            options,
            cpp: self.cpp.clone(),
            timer: self.timer.clone(),
            memo: self.memo.clone(),
            ..Request::new(source.clone())
        }
    }

    fn with_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        match self.threads {
            Some(threads) => with_threads(threads, work),
            None => Ok(work()),
        }
    }
}

impl fmt::Debug for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiler")
            .field("target", &self.target)
            .field("rules", &self.rules)
            .field("nodes", &self.nodes)
            .field("time", &self.time)
            .field("seed", &self.seed)
            .field("threads", &self.threads)
            .field("explain", &self.explain)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// The most threads that are started for each core. More only cost time: that of starting them grows with their square.
const PER_CORE: usize = 8;

/// The number of threads that are started for this number: no more than eight for each core, since results do not depend on it.
pub fn startable(threads: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    threads.min(cores.saturating_mul(PER_CORE))
}

/// Starts this many threads, as far as they are [`startable`].
///
/// # Errors
/// [`Error`] if there are none, or the system cannot start them.
pub fn thread_pool(threads: usize) -> Result<ThreadPool, Error> {
    if threads == 0 {
        return Err(Error::usage("0 threads cannot do anything: give at least one"));
    }
    ThreadPoolBuilder::new().num_threads(startable(threads)).build().map_err(Error::bad_input)
}

/// Does work on this many threads of its own.
///
/// # Errors
/// As for [`thread_pool`].
pub fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    Ok(thread_pool(threads)?.install(work))
}

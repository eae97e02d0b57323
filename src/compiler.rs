//! The library interface: a [`Filter`], a [`Target`], a [`Compiler`], and their results.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::algebra::Rational;
use crate::backend::option::{Occurs, OptionValues};
use crate::backend::{CODE, CheckError, JSON, Machine, OptimizeError, Record, Registry, Request, Task};
use crate::budget::{Budget, Clock};
use crate::report::{Answer, ErrorKind};
use crate::rule::RuleSet;
use crate::syntax::{Source, closest, render};
use crate::term::{FilterSource, read_filter};

/// An error of the library. Its text is the one that the `kalg` command prints, with file, line and column where known.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message.trim_end())
    }
}

impl fmt::Debug for Error {
    /// Writes the text of the error: a `main` that returns an error prints its `Debug` form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

impl Error {
    fn bad_input(message: impl fmt::Display) -> Self {
        Self { kind: ErrorKind::BadInput, message: message.to_string() }
    }

    fn of_compiling(source: &Source, error: &OptimizeError) -> Self {
        let kind = match error {
            OptimizeError::NoProgram(_) => ErrorKind::NoProgram,
            OptimizeError::Internal(_) => ErrorKind::Internal,
            _ => ErrorKind::BadInput,
        };
        Self { kind, message: error.describe(source) }
    }

    fn of_checking(program: &Source, against: &Source, error: &CheckError) -> Self {
        Self::bad_input(error.describe(program, Some(against)))
    }

    /// Whether the input is at fault, no program was found, or kalg failed a check of its own result.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

/// A filter: for each output, a convolution kernel over every input.
#[derive(Clone, Debug)]
pub struct Filter {
    source: Source,
    content: FilterSource,
}

impl Filter {
    /// Reads a kernel file. The name of the source appears in messages and reports.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    pub fn read(source: Source) -> Result<Self, Error> {
        match read_filter(&source) {
            Ok(content) => Ok(Self { source, content }),
            Err(wrong) => Err(Error::bad_input(render(&source, &wrong, false))),
        }
    }

    /// Creates a filter with one input, `image`, one output, `out`, and this kernel. Rows go from north to south,
    /// coefficients from west to east. The middle of the matrix is the pixel itself.
    ///
    /// # Errors
    /// Rows of different lengths, an even number of rows or columns, or a name with spaces or parentheses.
    pub fn from_rows<Row>(name: &str, rows: impl IntoIterator<Item = Row>) -> Result<Self, Error>
    where
        Row: IntoIterator<Item: Into<Rational>>,
    {
        let row = |row: Row| {
            let entries = row.into_iter().map(|entry| format!(" {}", entry.into()));
            format!(" ({})", entries.collect::<String>().trim_start())
        };
        let rows: String = rows.into_iter().map(row).collect();
        Self::read(Source::new(name, format!("(filter {name} (inputs image) (output out (kernel{rows})))")))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.content.name
    }

    /// The names of the inputs.
    pub fn inputs(&self) -> &[String] {
        &self.content.inputs
    }

    /// The names of the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.content.outputs.iter().map(|output| output.name.as_str())
    }
}

impl FromStr for Filter {
    type Err = Error;

    /// Reads a kernel file as [`Filter::read`] does. Messages call the text `filter`.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::read(Source::new("filter", text))
    }
}

/// A machine to compile for. Cloning is cheap.
#[derive(Clone)]
pub struct Target(Arc<dyn Machine>);

impl Target {
    /// The names of the built-in targets.
    pub fn names() -> Vec<&'static str> {
        Registry::default().names()
    }

    /// Returns the built-in target of this name.
    ///
    /// # Errors
    /// There is no such target.
    pub fn builtin(name: &str) -> Result<Self, Error> {
        let registry = Registry::default();
        let unknown = || {
            let names = registry.names();
            let meant = closest(name, names.iter().copied());
            let help = meant.map_or_else(
                || format!("built in are {}", names.join(", ")),
                |meant| format!("did you mean `{meant}`?"),
            );
            Error::bad_input(format!("there is no target `{name}`; {help}"))
        };
        registry.builtin(name).map(Self::from).ok_or_else(unknown)
    }

    /// Reads a descriptor: a file that says what the instructions of a machine do, cost and forbid.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    pub fn read(descriptor: &Source) -> Result<Self, Error> {
        let machine = Registry::default().describe(descriptor);
        machine.map(Self::from).map_err(|wrong| Error::bad_input(render(descriptor, &wrong, false)))
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.0.name()
    }
}

impl From<Box<dyn Machine>> for Target {
    /// Makes a target of a machine of your own class: see [`machine`](crate::machine).
    fn from(machine: Box<dyn Machine>) -> Self {
        Self(machine.into())
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Target").field(&self.name()).finish()
    }
}

/// Compiles filters for a target, and checks programs.
///
/// The same filter, options, nodes and seed give the same program, on any number of threads. If neither
/// [`nodes`](Self::nodes) nor [`time`](Self::time) bounds a search, the usual number of nodes of the target does.
#[derive(Clone)]
pub struct Compiler {
    target: Target,
    rules: RuleSet,
    nodes: Option<u64>,
    time: Option<(Duration, Clock)>,
    interrupted: Arc<AtomicBool>,
    seed: u64,
    threads: Option<usize>,
    explain: bool,
    options: OptionValues,
}

impl Compiler {
    /// Creates a compiler for a target, with the built-in rules.
    pub fn new(target: &Target) -> Self {
        Self {
            target: target.clone(),
            rules: RuleSet::builtin(),
            nodes: None,
            time: None,
            interrupted: Arc::default(),
            seed: 0,
            threads: None,
            explain: false,
            options: OptionValues::default(),
        }
    }

    /// Uses these rules.
    pub fn rules(self, rules: RuleSet) -> Self {
        Self { rules, ..self }
    }

    /// Ends each search after this many nodes.
    pub fn nodes(self, nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..self }
    }

    /// Ends each search after this long. kalg reads no clock of its own, so results never depend on one by accident.
    /// Pass a clock in, for example `move || start.elapsed()`.
    pub fn time(self, limit: Duration, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self { time: Some((limit, Arc::new(clock))), ..self }
    }

    /// Ends each search when the flag is set. The best program so far is the result.
    pub fn interrupted_by(self, flag: &Arc<AtomicBool>) -> Self {
        Self { interrupted: Arc::clone(flag), ..self }
    }

    /// Seeds everything random.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Uses this many threads. The default is one per core.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads), ..self }
    }

    /// Makes reports explain how the decomposition was derived.
    pub fn explain(self, explain: bool) -> Self {
        Self { explain, ..self }
    }

    /// Sets an option of the target. `kalg optimize --help` and `kalg check --help` list the names:
    /// `option("registers", "A,B,C")`. Separate the values of a list with commas; a flag has the value `""`.
    pub fn option(self, name: &str, value: &str) -> Self {
        let tasks = [Task::Optimize, Task::Check].into_iter();
        let mut known = tasks.flat_map(|task| self.target.0.class().options(task));
        let is_list = known.any(|option| option.name == name && option.occurs == Occurs::List);
        let values: Vec<&str> = if is_list { value.split(',').collect() } else { vec![value] };
        Self { options: self.options.with(name, values), ..self }
    }

    /// Compiles a filter, and checks the program.
    ///
    /// # Errors
    /// The target cannot use an option or the filter, or no program was found within the limits.
    pub fn compile(&self, filter: &Filter) -> Result<Compiled, Error> {
        self.accept(Task::Optimize)?;
        let request = self.request(&filter.source);
        let record = self.with_threads(|| self.target.0.compile(&request, &|_| {}))?;
        let record = record.map_err(|error| Error::of_compiling(&filter.source, &error))?;
        match record.no_program() {
            None => Ok(Compiled { report: Report(record) }),
            Some(message) => Err(Error { kind: ErrorKind::NoProgram, message }),
        }
    }

    /// Checks whether a program computes a filter.
    ///
    /// # Errors
    /// The program, the filter or an option cannot be used.
    pub fn check(&self, program: &Source, filter: &Filter) -> Result<Checked, Error> {
        self.accept(Task::Check)?;
        let request = Request { against: Some(filter.source.clone()), ..self.request(program) };
        let record = self.with_threads(|| self.target.0.check(&request))?;
        let record = record.map_err(|error| Error::of_checking(program, &filter.source, &error))?;
        Ok(Checked { verdict: record.verdict().unwrap_or(Answer::Undecided), report: Report(record) })
    }

    fn accept(&self, task: Task) -> Result<(), Error> {
        let machine = &*self.target.0;
        let known = Registry::refuse_foreign_values(machine, task, &self.options);
        known.and_then(|()| machine.accept(task, &self.options)).map_err(Error::bad_input)
    }

    fn request(&self, source: &Source) -> Request {
        let unbounded = self.nodes.is_none() && self.time.is_none();
        let usual = self.target.0.class().usual_work().filter(|_| unbounded);
        let budget =
            Budget::of_work(self.nodes.or(usual).unwrap_or(u64::MAX)).interrupted_by(&self.interrupted);
        let budget = match &self.time {
            Some((limit, clock)) => budget.with_clock(clock).until(Some(clock() + *limit)),
            None => budget,
        };
        Request {
            rules: self.rules.clone(),
            budget,
            seed: self.seed,
            explain: self.explain,
            options: self.options.clone(),
            ..Request::new(source.clone())
        }
    }

    fn with_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let Some(threads) = self.threads else { return Ok(work()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map(|pool| pool.install(work)).map_err(Error::bad_input)
    }
}

/// A report. `{}` prints it for people, `{:#}` verbosely, as the `kalg` command does.
pub struct Report(Box<dyn Record>);

impl Report {
    /// Returns the report as one line of JSON.
    pub fn to_json(&self) -> String {
        self.form(JSON.name).unwrap_or_default()
    }

    /// Returns the result in a form that `--emit` takes, or `None` if the target has no such form.
    pub fn form(&self, name: &str) -> Option<String> {
        self.0.emit(name)
    }

    /// Warnings for users who see only the program.
    pub fn warnings(&self) -> Vec<String> {
        self.0.warnings()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text(f.alternate()))
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Report").field(&self.to_string()).finish()
    }
}

/// A compiled filter: a program that passed all checks.
#[derive(Debug)]
pub struct Compiled {
    report: Report,
}

impl Compiled {
    /// The program, ready to paste.
    pub fn code(&self) -> String {
        self.report.form(CODE.name).unwrap_or_default()
    }

    /// The cost of the program: cycles, or whatever else the target or its options minimise.
    pub fn cost(&self) -> f64 {
        self.report.0.cost().unwrap_or(f64::NAN)
    }

    /// Whether the program is proved to have the least cost.
    pub fn is_optimal(&self) -> bool {
        self.report.0.is_optimal()
    }

    /// The full report.
    pub fn report(&self) -> &Report {
        &self.report
    }
}

/// A checked program.
#[derive(Debug)]
pub struct Checked {
    verdict: Answer,
    report: Report,
}

impl Checked {
    /// Whether the program computes the filter.
    pub fn verdict(&self) -> Answer {
        self.verdict
    }

    /// The full report: both kernels, and the smallest image that shows a difference.
    pub fn report(&self) -> &Report {
        &self.report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Filter {
        Filter::from_rows("row", [[1, 2, 1]]).unwrap()
    }

    #[test]
    fn a_filter_of_rows_is_what_a_file_with_them_says() {
        let text = "(filter row (inputs image) (output out (kernel (1 2 1))))";
        let filter: Filter = text.parse().unwrap();
        assert_eq!(row().content, filter.content);
        assert_eq!((filter.name(), filter.inputs()), ("row", &["image".to_owned()][..]));
        assert_eq!(filter.outputs().collect::<Vec<_>>(), ["out"]);
        assert!(Filter::from_rows("even", [[1, 1]]).is_err() && Filter::from_rows("a b", [[1]]).is_err());
    }

    #[test]
    fn errors_say_what_is_wrong_and_where() {
        let names = Target::names();
        let mistyped = format!("{}s", names[0]);
        let error = Target::builtin(&mistyped).unwrap_err().to_string();
        assert_eq!(error, format!("there is no target `{mistyped}`; did you mean `{}`?", names[0]));
        let error = "(filter f (output out (kernel (1 x 1))))".parse::<Filter>().unwrap_err();
        assert!(error.to_string().contains("filter:1:34") && error.kind() == ErrorKind::BadInput, "{error}");
        let target = Target::builtin(names[0]).unwrap();
        let error = Compiler::new(&target).option("colour", "red").compile(&row()).unwrap_err();
        assert!(error.to_string().starts_with("`--colour` does not apply to"), "{error}");
        let error = Compiler::new(&target).nodes(20).option("registers", "A").compile(&row()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoProgram, "{error}");
    }

    #[test]
    fn every_target_compiles_to_a_program_with_a_cost_on_any_number_of_threads() {
        for name in Target::names() {
            let compiler = Compiler::new(&Target::builtin(name).unwrap()).nodes(20);
            let [one, two] = [1, 2].map(|threads| compiler.clone().threads(threads).compile(&row()).unwrap());
            assert!(one.cost() > 0.0 && !one.code().is_empty() && one.report().to_json().starts_with('{'));
            assert_eq!(one.code(), two.code());
            let [short, long] = [format!("{}", one.report()), format!("{:#}", one.report())];
            assert!(short.len() < long.len() && short.contains(&one.cost().to_string()), "{short}");
        }
    }
}

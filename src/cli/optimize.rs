//! `kalg optimize`: kernel files in, checked programs out.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args, ValueEnum};

use super::arguments::{Assignment, Placement, unknown};
use super::batch::{self, BatchOptions};
use super::check::complain;
use super::color;
use super::files;
use super::interrupt::Interrupt;
use super::machine::{Kind, Machine};
use super::objective::ObjectiveOptions;
use super::options::{Given, Table};
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use super::progress::Display;
use super::rules;
use super::stream::{self, StreamOptions};
use super::vector::{self, Shown, VectorOptions};
use crate::backend::OptimizeError;
use crate::backend::array::compile::{Aims, CheckRequest, Lifted, OptimizeRequest, Progress, lift, optimize};
use crate::backend::array::machine::{Division, Reading, Target};
use crate::backend::array::search::{Objective, Without};
use crate::backend::scan::machine as stream_target;
use crate::backend::vector::machine::Machine as VectorMachine;
use crate::report::{self, ErrorKind, ErrorRecord, FailureRecord, OptimizeRecord};
use crate::rule::RuleSet;
use crate::saturate::Clock;
use crate::syntax::{Diagnostics, Source, render};
use crate::term::is_kernel_file;

/// The time that is spent on one filter where neither a time nor a number of nodes is given.
pub(super) const DEFAULT_TIME: Seconds = Seconds(Duration::from_secs(10));

/// `kalg optimize`.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group(ArgGroup::new("machine").required(true).args(["cost", "target"])))]
pub(super) struct Optimize {
    /// Kernel files; `-` reads standard input
    #[arg(required_unless_present = "batch", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    batch: BatchOptions,

    /// The machine to compile for
    #[arg(long, value_name = "TARGET", value_parser = PossibleValuesParser::new(Machine::names()))]
    cost: Option<String>,
    /// Compile for the machine that this file describes
    #[arg(long, value_name = "FILE")]
    target: Option<PathBuf>,
    /// Instruction set, by the target's name for it [default: the target's richest]
    #[arg(long)]
    isa: Option<String>,
    /// What to minimise [default: cycles where instructions are primitive operations, else instructions]
    #[arg(long, value_enum)]
    minimise: Option<Minimise>,
    /// How to halve: with the operation's error, or compensated [default: the program's own, or as usual]
    #[arg(long, value_parser = PossibleValuesParser::new(Division::ALL.map(|(name, _)| name)))]
    division: Option<String>,

    /// What only vector machines need to know.
    #[command(flatten)]
    vector: VectorOptions,
    /// What only machines in scan order need to know.
    #[command(flatten)]
    stream: StreamOptions,

    /// What counts beside the cost.
    #[command(flatten)]
    objective: ObjectiveOptions,

    /// Registers that may be used, by name or by number: a machine with so many [default: all]
    #[arg(long, value_name = "A,B,…|N", value_delimiter = ',')]
    registers: Option<Vec<String>>,
    /// Registers of the inputs; an only input needs no name
    #[arg(long = "input", alias = "inputs", value_name = "[NAME=]A,…", value_delimiter = ',')]
    inputs: Vec<Placement>,
    /// Registers of the outputs
    #[arg(long, value_name = "NAME=B,…", value_delimiter = ',')]
    outputs: Vec<Assignment>,
    /// Leave the inputs where they are
    #[arg(long)]
    keep_input: bool,

    /// Of a program in place of a kernel file: the registers with its results [default: the one written last]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', hide_short_help = true)]
    lift: Vec<String>,
    /// Of a program: let inputs and outputs be in other registers than its own
    #[arg(long, hide_short_help = true)]
    free_registers: bool,
    /// Of a program: which one of its source, counted from 1
    #[arg(long, value_name = "N", hide_short_help = true)]
    block: Option<usize>,

    /// How long to search, for each file: 500ms, 10s, 2m [default: 10s, or no limit with --nodes]
    #[arg(long, value_name = "TIME")]
    time: Option<Seconds>,
    /// How many search nodes to expand; the same number gives the same program on every machine
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Seed of all that is random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Worker threads; they change the speed, not the result [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    #[command(flatten)]
    rules: rules::RuleFiles,

    /// What to print
    #[arg(long, value_enum, default_value_t = Emit::Text)]
    emit: Emit,
    /// The same as --emit json
    #[arg(long, conflicts_with = "emit")]
    json: bool,
    /// Show how the decomposition was derived, and the kernel of every value
    #[arg(long)]
    explain: bool,
    /// Write the results to this file, whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Which options mean something for which machines.
pub(super) const OPTIONS: &Table<Kind> = &[
    (
        Kind::ALL,
        &[
            "files",
            "cost",
            "target",
            "time",
            "nodes",
            "seed",
            "threads",
            "rules",
            "extra_rules",
            "emit",
            "json",
            "output",
        ],
    ),
    (&[Kind::Array], &["batch", "jobs", "explain", "lift", "free_registers", "block"]),
    (&[Kind::Array], &["isa", "minimise", "division", "registers", "inputs", "outputs", "keep_input"]),
    (&[Kind::Array], &["input_range", "max_error", "depth", "weigh_noise", "pareto", "noise"]),
    (&[Kind::Vector], &["tile", "range", "tolerance", "without", "banks"]),
    (&[Kind::Vector, Kind::Stream], &["element"]),
    (&[Kind::Stream], &["border", "overflow", "width", "memory_weight", "float_recurrences"]),
];

/// What `kalg optimize` prints of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// A report for people
    Text,
    /// The program, ready to paste
    Code,
    /// Machines in scan order: the function in C
    C,
    /// Machines in scan order: the function in Rust
    Rust,
    /// One JSON object on one line for each file
    Json,
    /// The data flow for Graphviz
    Dot,
    /// The data flow as a picture
    Svg,
}

/// What a search minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Minimise {
    /// Cycles of the program
    Cycles,
    /// Instructions as they are printed, whatever they cost
    Instructions,
}

impl From<Minimise> for Objective {
    fn from(minimise: Minimise) -> Self {
        match minimise {
            Minimise::Cycles => Self::Cycles,
            Minimise::Instructions => Self::Instructions,
        }
    }
}

/// A duration as it is written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seconds(pub(super) Duration);

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let scale = match &text[number.len()..] {
            "ms" => 0.001,
            "" | "s" => 1.0,
            "m" | "min" => 60.0,
            unit => return Err(format!("unknown unit `{unit}`; expected ms, s or m")),
        };
        let value: f64 = number.parse().map_err(|_| "expected a number and a unit, as in 10s".to_owned())?;
        Duration::try_from_secs_f64(value * scale).map(Self).map_err(|error| error.to_string())
    }
}

impl Optimize {
    /// Compiles every file; what is wrong with one does not stop the others.
    pub(super) fn run(mut self, given: &Given) -> Result<Outcome, CommandError> {
        if self.json || self.batch.batch.is_some() {
            self.emit = Emit::Json;
        }
        if self.emit == Emit::Svg && self.files.len() > 1 {
            return Err(CommandError::Usage(
                "--emit svg takes one file: a picture shows one filter".to_owned(),
            ));
        }
        if let Some(threads) = self.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
            pool.map_err(|error| CommandError::Usage(format!("cannot use {threads} threads: {error}")))?;
        }
        let machine = match &self.target {
            Some(path) => Machine::described(path)?,
            None => Machine::asked(self.cost.as_deref())?,
        };
        given.check(OPTIONS, machine.kind(), &format!("`{}`, {}", machine.name(), machine.kind()))?;
        let target = match machine {
            Machine::Vector(machine) => return self.vector(machine),
            Machine::Stream(machine) => return self.scan_order(machine),
            Machine::Array(target) => target,
        };
        let interrupt = Interrupt::listen();
        let job = Job::new(&self, target, &interrupt)?;
        if matches!(self.emit, Emit::C | Emit::Rust) {
            return Err(self.emits_nothing(&job.target.name));
        }
        if let Some(folder) = &self.batch.batch {
            let compile = |path: &Path| job.compile(path, &mut |_| {});
            let fail = |path: &Path, kind, message| job.failure(&path.to_string_lossy(), kind, message);
            let (jobs, output) = (self.batch.jobs, self.output.as_deref());
            return batch::run(folder, jobs, output, &compile, &fail, &interrupt);
        }
        let mut output = Output::new(self.output.clone());
        let mut worst = Outcome::Done;
        for (number, file) in self.files.iter().enumerate() {
            let mut display = Display::new(&file.to_string_lossy());
            let (text, outcome) = job.compile(file, &mut |progress| display.show(&progress));
            drop(display);
            if self.emit == Emit::Text && number > 0 && !text.is_empty() {
                output.put("\n")?;
            }
            output.put(&text)?;
            worst = worst.max(outcome);
            if interrupt.is_set() {
                worst = Outcome::Interrupted;
                break;
            }
        }
        output.finish()?;
        Ok(worst)
    }
}

impl Optimize {
    /// The same for a vector machine.
    fn vector(self, machine: Arc<VectorMachine>) -> Result<Outcome, CommandError> {
        let shown = match self.emit {
            Emit::Text => Shown::Text,
            Emit::Code => Shown::Code,
            Emit::Json => Shown::Json,
            _ => return Err(self.emits_nothing(&machine.name)),
        };
        let (options, files) = (&self.vector, &self.files);
        let rules = self.rules.load()?.for_target(&machine.name);
        let (own_rules, seed, output) = (!self.rules.is_default(), self.seed, self.output.clone());
        let (time, nodes) = (self.time.map(|Seconds(time)| time), self.nodes);
        vector::Job { files, machine, options, shown, rules, own_rules, seed, time, nodes, output }.run()
    }
}

impl Optimize {
    /// The same for a machine in scan order.
    fn scan_order(self, machine: stream_target::Machine) -> Result<Outcome, CommandError> {
        let shown = match self.emit {
            Emit::Text => stream::Shown::Text,
            Emit::Code | Emit::C => stream::Shown::C,
            Emit::Rust => stream::Shown::Rust,
            Emit::Json => stream::Shown::Json,
            Emit::Dot | Emit::Svg => return Err(self.emits_nothing(&machine.name)),
        };
        let limits = [self.nodes, Some(self.seed)];
        let rules = self.rules.load()?;
        let job = stream::Job::new(machine, &self.stream, self.vector.element.as_deref(), &rules, limits)?;
        job.within(self.time).run(&self.files, shown, self.output.clone())
    }

    /// That a machine's results have no such form.
    fn emits_nothing(&self, machine: &str) -> CommandError {
        let form = self.emit.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        CommandError::Usage(format!("results for `{machine}` have no form `{form}`"))
    }
}

/// What all files of one command share.
struct Job<'a> {
    arguments: &'a Optimize,
    target: Arc<Target>,
    isa: String,
    division: Option<Division>,
    inputs: Vec<(String, String)>,
    outputs: Vec<(String, String)>,
    registers: Option<Vec<String>>,
    rules: RuleSet,
    aims: Aims,
    interrupt: &'a Interrupt,
}

impl<'a> Job<'a> {
    /// Resolves what the arguments name.
    fn new(
        arguments: &'a Optimize,
        target: Arc<Target>,
        interrupt: &'a Interrupt,
    ) -> Result<Self, CommandError> {
        let (target, registers) = sized(target, arguments.registers.as_deref())?;
        let isa = match &arguments.isa {
            Some(name) if target.isa(name).is_none() => {
                let known: Vec<&str> = target.isas.iter().map(|isa| isa.name.as_str()).collect();
                return Err(unknown("instruction set", name, &target.name, &known));
            }
            Some(name) => name.clone(),
            // A descriptor lists its instruction sets from the poorest to the richest.
            None => target.isas.last().map(|isa| isa.name.clone()).unwrap_or_default(),
        };
        let pair = |a: &Assignment| (a.name.clone(), a.register.clone());
        let inputs: Vec<_> = arguments.inputs.iter().map(|Placement(a)| pair(a)).collect();
        let outputs: Vec<_> = arguments.outputs.iter().map(pair).collect();
        let fixed = inputs.iter().chain(&outputs).map(|(_, register)| register);
        for register in registers.iter().flatten().chain(fixed) {
            if target.register(register).is_none() {
                let known: Vec<&str> =
                    target.registers.iter().map(|register| register.name.as_str()).collect();
                return Err(unknown("register", register, &target.name, &known));
            }
        }
        Ok(Self {
            arguments,
            isa,
            division: arguments.division.as_deref().and_then(Division::named),
            inputs,
            outputs,
            rules: arguments.rules.load()?.for_target(&target.name),
            aims: arguments.objective.aims(&target)?,
            target,
            registers,
            interrupt,
        })
    }

    /// The result for one file as text, and how it went; what is wrong goes to standard error.
    fn compile(&self, file: &Path, progress: &mut dyn FnMut(Progress)) -> (String, Outcome) {
        let name = file.to_string_lossy();
        let source = match files::read_source(file) {
            Ok(source) => source,
            Err(error) => {
                let message = format!("cannot read `{name}`: {error}");
                eprintln!("error: {message}");
                return self.failure(&name, ErrorKind::BadInput, message);
            }
        };
        let lifted = match self.lifted(&source) {
            Ok(lifted) => lifted,
            Err(message) => return self.failure(&name, ErrorKind::BadInput, message),
        };
        let mut request = self.request(source);
        if let Some(lifted) = &lifted
            && let Err(message) = self.keep(lifted, &mut request)
        {
            eprintln!("error: {name}: {message}");
            return self.failure(&name, ErrorKind::BadInput, message);
        }
        let source = request.source.clone();
        let result = optimize(&request, progress);
        match result {
            Ok(record) => self.success(&OptimizeRecord { lifted: lifted.map(|l| l.from), ..record }),
            Err(OptimizeError::BadInput(diagnostics)) => {
                eprint!("{}", render(&source, &diagnostics, color()));
                self.failure(&name, ErrorKind::BadInput, render(&source, &diagnostics, false))
            }
            // A rule of the user's is the user's to mend; one of ours is not.
            Err(OptimizeError::Unsound(message)) if !self.arguments.rules.is_default() => {
                eprintln!("error: {name}: {message}");
                self.failure(&name, ErrorKind::BadInput, message)
            }
            Err(OptimizeError::Internal(message) | OptimizeError::Unsound(message)) => {
                eprintln!("error: {name}: a check of kalg's own result failed\n{message}");
                eprintln!(
                    "This is a mistake in kalg, not in the file; no program is printed. Please report it with the file."
                );
                self.failure(&name, ErrorKind::Internal, message)
            }
        }
    }

    /// The filter that a program computes; `None` for a kernel file. What is wrong with a program goes to standard error.
    fn lifted(&self, source: &Source) -> Result<Option<Lifted>, String> {
        // What cannot be read at all is reported as what is expected first: a kernel file.
        if source.defect().is_some() || source.text().trim().is_empty() || is_kernel_file(source) {
            return Ok(None);
        }
        let request = CheckRequest {
            source: source.clone(),
            against: None,
            target: Arc::clone(&self.target),
            reading: Reading { block: self.arguments.block, assume_all: false },
            against_reading: Reading::default(),
            inputs: self.inputs.clone(),
            outputs: Vec::new(),
            against_outputs: Vec::new(),
            input_range: None,
            noise: None,
            lenient: false,
        };
        lift(&request, &self.arguments.lift)
            .map(Some)
            .map_err(|error| complain(&request.source, None, &error))
    }

    /// Keeps to the program's registers and way of halving in what the arguments leave open.
    fn keep(&self, lifted: &Lifted, request: &mut OptimizeRequest) -> Result<(), String> {
        let results: Vec<&str> = lifted.outputs.iter().map(|(name, _)| name.as_str()).collect();
        if let Some((other, _)) = self.outputs.iter().find(|(name, _)| !results.contains(&name.as_str())) {
            return Err(format!(
                "the program has no result `{other}`, but {}: `--lift A,B` names the registers with its results (an only \
                 one is called `out`), `--outputs` says where they are to be",
                results.join(", ")
            ));
        }
        request.source = lifted.source.clone();
        request.division = self.division.or(lifted.division);
        if self.arguments.free_registers {
            return Ok(());
        }
        let usable = |register: &String| self.registers.as_ref().is_none_or(|all| all.contains(register));
        let add = |own: &mut Vec<(String, String)>, pairs: &[(String, String)], taken: &[String]| {
            for (name, register) in pairs {
                // Where an only input is placed, it has no name.
                let placed = own.iter().any(|(n, r)| n == name || n.is_empty() || r == register);
                if !placed && usable(register) && !taken.contains(register) {
                    own.push((name.clone(), register.clone()));
                }
            }
        };
        add(&mut request.inputs, &lifted.inputs, &[]);
        let kept: Vec<String> = match request.keep_input {
            true => request.inputs.iter().map(|(_, register)| register.clone()).collect(),
            false => Vec::new(),
        };
        add(&mut request.outputs, &lifted.outputs, &kept);
        Ok(())
    }

    fn request(&self, source: Source) -> OptimizeRequest {
        let arguments = self.arguments;
        let time = arguments.time.or_else(|| arguments.nodes.is_none().then_some(DEFAULT_TIME));
        let began = Instant::now();
        let clock: Clock = Arc::new(move || began.elapsed());
        OptimizeRequest {
            source,
            target: Arc::clone(&self.target),
            isa: self.isa.clone(),
            division: self.division,
            objective: arguments.minimise.map(Objective::from),
            registers: self.registers.clone(),
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            keep_input: arguments.keep_input,
            aims: self.aims.clone(),
            time: time.map(|Seconds(time)| time),
            nodes: arguments.nodes,
            seed: arguments.seed,
            rules: self.rules.clone(),
            explain: arguments.explain,
            clock,
            without: Without::default(),
            interrupted: self.interrupt.flag(),
        }
    }

    fn success(&self, record: &OptimizeRecord) -> (String, Outcome) {
        let text = match self.arguments.emit {
            Emit::Text => report::text(record),
            Emit::Json => record.to_json(),
            Emit::Code => report::code(record),
            Emit::Dot if record.program.is_some() => report::dot(record),
            Emit::Svg if record.program.is_some() => report::svg(record),
            Emit::Dot | Emit::Svg | Emit::C | Emit::Rust => String::new(),
        };
        match &record.no_program {
            None => (text, Outcome::Done),
            Some(none) => {
                if self.arguments.emit != Emit::Text {
                    eprintln!("{}: {}", record.file, none.text());
                }
                (text, Outcome::Negative)
            }
        }
    }

    fn failure(&self, file: &str, kind: ErrorKind, message: String) -> (String, Outcome) {
        let outcome = match kind {
            ErrorKind::BadInput => Outcome::BadInput,
            ErrorKind::Internal => Outcome::Internal,
        };
        if self.arguments.emit != Emit::Json {
            return (String::new(), outcome);
        }
        let error = ErrorRecord { kind, message: message.trim_end().to_owned() };
        let record = FailureRecord { file: file.to_owned(), error, version: report::VERSION.to_owned() };
        (record.to_json(), outcome)
    }
}

/// The target and its registers that may be used; a number in their place asks for a machine with so many.
fn sized(
    target: Arc<Target>,
    registers: Option<&[String]>,
) -> Result<(Arc<Target>, Option<Vec<String>>), CommandError> {
    let count = match registers {
        Some([one]) if target.register(one).is_none() => one.parse::<usize>().ok(),
        _ => None,
    };
    let Some(count) = count else { return Ok((target, registers.map(<[String]>::to_vec))) };
    let wide = target
        .with_registers(count)
        .ok_or_else(|| CommandError::Usage(format!("`{}` cannot be given {count} registers", target.name)))?;
    let general = &wide.files[wide.general()].registers;
    let names = general.iter().take(count).map(|r| wide.register_name(*r).to_owned()).collect();
    Ok((Arc::new(wide), Some(names)))
}

/// Shows what is wrong with a file that the whole command depends on.
pub(super) fn show(source: &Source, diagnostics: &Diagnostics) -> CommandError {
    eprint!("{}", render(source, diagnostics, color()));
    CommandError::Usage(format!("`{}` cannot be used", source.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_numbers_with_units() {
        let parse = |text: &str| text.parse::<Seconds>().map(|Seconds(time)| time.as_millis());
        assert_eq!(parse("500ms"), Ok(500));
        assert_eq!(parse("10s"), Ok(10_000));
        assert_eq!(parse("2m"), Ok(120_000));
        assert_eq!(parse("1.5"), Ok(1_500));
        assert_eq!(parse("0s"), Ok(0));
        assert!(parse("-1s").is_err() && parse("s").is_err() && parse("NaN").is_err());
        assert_eq!(parse("3h"), Err("unknown unit `h`; expected ms, s or m".to_owned()));
    }
}

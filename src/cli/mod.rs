//! The `kalg` command: arguments, files, progress and exit codes. Nothing else in the project prints, opens files or
//! reads the clock.
//!
//! Results go to standard output, diagnostics and progress to standard error. Exit codes: see [`Outcome`].

/// Like `std::eprintln`, but ignores a closed standard error (`2>&1 | head`).
macro_rules! eprintln {
    ($($message:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr().lock(), $($message)*);
    }};
}

/// Like `std::eprint`, but ignores a closed standard error.
macro_rules! eprint {
    ($($message:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stderr().lock(), $($message)*);
    }};
}

mod bench;
mod bench_ablate;
mod bench_calibrate;
mod bench_compare;
mod bench_loops;
mod bench_loops_code;
mod bench_options;
mod bench_opencv;
mod bench_hardware;
mod bench_heuristic;
mod bench_registers;
mod bench_vyasa;
mod arguments;
mod batch;
mod batch_lines;
mod check;
mod clock;
mod approx;
mod complain;
mod compilers;
mod explain;
mod files;
mod import;
mod includes;
mod interrupt;
mod machine;
mod optimize;
mod options;
mod outcome;
mod output;
mod pictures;
mod pipeline;
mod progress;
mod rules;
mod run;
mod shell;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use compilers::{SystemC, SystemCpp};
pub use includes::with_includes;
use outcome::DONE_OR_UNUSABLE;
pub use outcome::Outcome;
pub use rules::read_rules;

use crate::backend::{Registry, Task};

/// The exit codes of all commands together. Each command's help has its own.
const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 the answer is no (no program found, not equal, refuted), 2 a file or an
option cannot be used, 3 a check of kalg's own result failed, 130 ended by Ctrl-C. The help of
each command has its own.";

/// A compiler for convolution kernels on machines without a cheap multiplier or a cache.
#[derive(Debug, Parser)]
#[command(name = "kalg", version = env!("KALG_VERSION"), about, after_help = EXIT_CODES, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compile filters to the shortest checked programs for a target
    #[command(after_help = optimize::EXIT_CODES)]
    Optimize(Box<optimize::Optimize>),
    /// Measure kalg against other compilers, without some of its parts, or on a set of workloads
    #[command(after_help = DONE_OR_UNUSABLE)]
    Bench(Box<bench_options::Bench>),
    /// Check a program against a filter or another program, or show what it computes
    #[command(after_help = check::EXIT_CODES)]
    Check(Box<check::Check>),
    /// Show the steps from a filter's kernels to the decomposition with the fewest additions
    #[command(after_help = explain::EXIT_CODES)]
    Explain(explain::Explain),
    /// Approximate a filter with coefficients that a machine can make
    #[command(after_help = DONE_OR_UNUSABLE)]
    Approx(approx::Approx),
    /// Write a configuration of Cain, or a matrix of numbers, as a kernel file
    #[command(after_help = import::NOTES)]
    Import(import::Import),
    /// Run a program on a picture, with or without noise
    #[command(after_help = run::NOTES)]
    Run(Box<run::Run>),
    /// List, check, measure and find rewrite rules
    #[command(subcommand)]
    Rules(rules::Rules),
    /// Print a script that completes the arguments of kalg in a shell
    #[command(hide = true)]
    Completions(shell::Completions),
    /// Print a page for `man`
    #[command(hide = true)]
    Man(shell::Man),
}

/// The command line, with the options of these classes of machines.
fn command(registry: &Registry) -> clap::Command {
    let forms = registry.forms();
    let machines = PossibleValuesParser::new(registry.names());
    let chosen = |argument: Arg| match argument.get_id().as_str() {
        "cost" => argument.value_parser(machines.clone()),
        "emit" => argument.value_parser(options::names_parser(&forms)),
        _ => argument,
    };
    let of_checks = registry.options(Task::Check);
    let alone = |argument: Arg| match argument.get_id().as_str() {
        "replay" => argument.conflicts_with_all(of_checks.iter().map(|option| option.name)),
        _ => argument,
    };
    Arguments::command()
        .mut_subcommand("optimize", |command| {
            options::offer(command.mut_args(chosen), &registry.options(Task::Optimize))
        })
        .mut_subcommand("check", |command| options::offer(command.mut_args(alone), &of_checks))
        .mut_subcommand("run", |command| options::offer(command, &registry.options(Task::Run)))
}

/// The task of a subcommand for which classes of machines have options.
fn task(subcommand: &str) -> Option<Task> {
    match subcommand {
        "optimize" => Some(Task::Optimize),
        "check" => Some(Task::Check),
        "run" => Some(Task::Run),
        _ => None,
    }
}

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    main_with(&Registry::default())
}

/// Runs the command with these classes of machines.
pub fn main_with(registry: &Registry) -> ExitCode {
    execute(registry, std::env::args_os()).into()
}

/// Runs the command with these arguments, the first of which is its name. Ends the process if they cannot be used.
pub fn run_with(arguments: &[String]) -> Outcome {
    execute(&Registry::default(), arguments)
}

/// The subcommands that the help lists, each with the names of its options and arguments: `rules check`, and `json`, `files` and so on.
pub fn commands() -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), command(&Registry::default()))];
    while let Some((path, command)) = open.pop() {
        let inner = command.get_subcommands().filter(|own| !own.is_hide_set()).map(|own| {
            let path = format!("{path} {}", own.get_name()).trim().to_owned();
            (path, own.clone())
        });
        let inner: Vec<_> = inner.collect();
        if inner.is_empty() {
            let names = command.get_arguments().map(|argument| argument.get_id().to_string());
            found.push((path, names.collect()));
        }
        open.extend(inner);
    }
    found.sort();
    found
}

/// The error of the parser, with the machines if none is given.
fn with_machines(mut error: clap::Error, names: &[&str]) -> clap::Error {
    if let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg)
        && missing.iter().any(|argument| argument.contains("--cost"))
    {
        let tip = format!("the built-in machines are {}", names.join(", "));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

fn execute(registry: &Registry, arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Outcome {
    let mut command = command(registry);
    let matches = command.clone().try_get_matches_from(arguments);
    let matches = matches.unwrap_or_else(|error| with_machines(error, &registry.names()).exit());
    let arguments =
        Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit());
    let given = matches.subcommand_name().and_then(task).map(|task| registry.options(task));
    let given = options::Given::of(&command, &matches, &given.unwrap_or_default());
    let result = match arguments.command {
        Command::Optimize(optimize) => optimize.run(registry, &given),
        Command::Bench(bench) => bench.run(&given),
        Command::Check(check) => check.run(registry, &given),
        Command::Explain(explain) => explain.run(&given),
        Command::Approx(approx) => approx.run(),
        Command::Import(import) => import.run(),
        Command::Run(run) => run.run(registry, &given),
        Command::Rules(rules) => rules.run(),
        Command::Completions(completions) => completions.run(&mut command),
        Command::Man(man) => man.run(&mut command),
    };
    match result {
        Ok(outcome) => outcome,
        // The reader of standard output wants no more.
        Err(error) if error.is_broken_pipe() => Outcome::Done,
        Err(error) => {
            eprintln!("error: {error}");
            Outcome::BadInput
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        command(&Registry::default()).debug_assert();
    }

    #[test]
    fn every_option_says_what_it_is_for() {
        let command = Arguments::command();
        let of = |name: &str| command.find_subcommand(name).unwrap();
        let faults = [options::faults(of("bench"), bench::OPTIONS)];
        assert_eq!(faults.concat(), [""; 0], "the tables of options name each once");
    }

    /// The help of a subcommand, or of the whole command for an empty path.
    fn help(path: &[&str], long: bool) -> String {
        let mut command = command(&Registry::default()).term_width(100);
        command.build();
        let mut found = &mut command;
        for name in path {
            found = found.find_subcommand_mut(name).unwrap();
        }
        let help = if long { found.render_long_help() } else { found.render_help() };
        help.to_string()
    }

    #[test]
    fn help_texts() {
        insta::assert_snapshot!("help", help(&[], false));
        insta::assert_snapshot!("help-optimize", help(&["optimize"], false));
        insta::assert_snapshot!("help-optimize-long", help(&["optimize"], true));
        insta::assert_snapshot!("help-rules", help(&["rules", "list"], false));
        insta::assert_snapshot!("help-rules-check", help(&["rules", "check"], false));
        insta::assert_snapshot!("help-explain", help(&["explain"], false));
    }

    #[test]
    fn short_help_fits_a_screen() {
        let check = ["rules", "check"];
        for path in [&[][..], &["optimize"], &["explain"], &["rules"], &["rules", "list"], &check] {
            assert!(help(path, false).lines().count() <= 50, "the help of {path:?} is too long");
        }
    }
}

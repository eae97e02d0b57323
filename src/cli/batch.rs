//! `kalg optimize --batch`: compiles a folder of kernel files in parallel to lines of JSON; a later run resumes.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::arguments::positive;
use super::batch_lines::Lines;
use super::files;
use super::interrupt::Interrupt;
use super::outcome::{CommandError, Outcome};
use crate::report::ErrorKind;

/// The extension of kernel files.
const EXTENSION: &str = "sexp";

/// The number of progress lines of a batch when standard error is not a terminal.
const PARTS: usize = 20;

/// The options of a batch.
#[derive(Debug, Args)]
pub(super) struct BatchOptions {
    /// Compile all kernel files below this folder to JSON lines; skip those that --output already holds
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["files", "emit", "lift", "block", "threads"]
    )]
    pub(super) batch: Option<PathBuf>,
    /// With --batch: compile this many files at a time, with one thread each [default: one per core]
    #[arg(long, value_name = "N", requires = "batch", hide_short_help = true, allow_negative_numbers = true, value_parser = positive)]
    pub(super) jobs: Option<NonZero<usize>>,
}

/// Compiles one file on the current thread and returns a line of JSON and the outcome.
pub(super) type Compile<'a> = dyn Fn(&Path) -> (String, Outcome) + Sync + 'a;

/// Reports that a file cannot be compiled because kalg itself failed.
pub(super) type Fail<'a> = dyn Fn(&Path, ErrorKind, String) -> (String, Outcome) + Sync + 'a;

/// Compiles every file of a folder. The lines come in the order of the paths, whatever the number of jobs. An output file is
/// sorted together with the lines of earlier runs for the same target once the batch ends.
pub(super) fn run(
    folder: &Path,
    jobs: Option<NonZero<usize>>,
    (output, target): (Option<&Path>, &str),
    compile: &Compile<'_>,
    fail: &Fail<'_>,
    interrupt: &Interrupt,
) -> Result<Outcome, CommandError> {
    let paths = kernel_files(folder)?;
    let mut lines = Lines::open(output, target)?;
    let todo: Vec<&PathBuf> = paths.iter().filter(|path| !lines.has(path)).collect();
    let mut tally = Tally::new(todo.len(), paths.len() - todo.len(), lines.worst());
    let jobs = jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let (next, todo) = (AtomicUsize::new(0), &todo);
    let (sender, receiver) = mpsc::channel();
    // Searches that share a pool would run each other's tasks on their own time.
    let pools = (0..jobs.min(todo.len())).map(|_| ThreadPoolBuilder::new().num_threads(1).build());
    let failed = |error: &dyn Display| CommandError::Usage(format!("cannot use {jobs} threads: {error}"));
    let pools: Vec<ThreadPool> = pools.collect::<Result<_, _>>().map_err(|error| failed(&error))?;
    let work = |pool: &ThreadPool, sender: &mpsc::Sender<(usize, (String, Outcome))>| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = todo.get(index) else { return };
            let result = catch_unwind(AssertUnwindSafe(|| pool.install(|| compile(path))));
            let result = result.unwrap_or_else(|_| {
                fail(path, ErrorKind::Internal, "kalg ended unexpectedly; see standard error".to_owned())
            });
            // The next run repeats a file that an interrupt cut short.
            if interrupt.is_set() || sender.send((index, result)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for pool in &pools {
            let sender = sender.clone();
            let started = thread::Builder::new().spawn_scoped(scope, move || work(pool, &sender));
            started.map_err(|error| failed(&error))?;
        }
        drop(sender);
        let (mut early, mut written) = (BTreeMap::new(), 0);
        for (index, (line, outcome)) in receiver {
            tally.add(outcome);
            early.insert(index, line);
            while let Some(line) = early.remove(&written) {
                lines.put(todo[written], &line)?;
                written += 1;
            }
        }
        early.iter().try_for_each(|(index, line)| lines.put(todo[*index], line))
    })?;
    lines.finish()?;
    if interrupt.is_set() {
        tally.worst = Outcome::Interrupted;
    }
    Ok(tally.finish())
}

/// The kernel files below a folder. It is an error if there are none.
fn kernel_files(folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let unreadable = |error: io::Error| {
        CommandError::Usage(format!("cannot read the folder `{}`: {error}", folder.display()))
    };
    let paths = files::list_folder(folder, EXTENSION).map_err(unreadable)?;
    if paths.is_empty() {
        let message = format!(
            "there are no kernel files (`.{EXTENSION}`) below `{}`; a batch takes no other files",
            folder.display()
        );
        return Err(CommandError::Usage(message));
    }
    Ok(paths)
}

/// Progress of a batch, on standard error.
struct Tally {
    bar: ProgressBar,
    total: usize,
    skipped: usize,
    /// The number of files done, by outcome.
    counts: BTreeMap<Outcome, usize>,
    worst: Outcome,
}

impl Tally {
    fn new(total: usize, skipped: usize, worst: Outcome) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} files, {eta} left{msg}") {
            bar.set_style(style);
        }
        Self { bar, total, skipped, counts: BTreeMap::new(), worst }
    }

    fn add(&mut self, outcome: Outcome) {
        *self.counts.entry(outcome).or_default() += 1;
        self.worst = self.worst.max(outcome);
        self.bar.inc(1);
        let done = self.done();
        if self.count(&[Outcome::Done]) < done {
            self.bar.set_message(format!("; {}", self.text()));
        }
        if self.bar.is_hidden() && done * PARTS / self.total > (done - 1) * PARTS / self.total {
            eprintln!("{done} of {} files", self.total);
        }
    }

    fn done(&self) -> usize {
        self.counts.values().sum()
    }

    fn count(&self, outcomes: &[Outcome]) -> usize {
        outcomes.iter().filter_map(|outcome| self.counts.get(outcome)).sum()
    }

    fn text(&self) -> String {
        let failed = self.count(&[Outcome::BadInput, Outcome::Internal]);
        let [compiled, none] = [Outcome::Done, Outcome::Negative].map(|outcome| self.count(&[outcome]));
        format!("{compiled} compiled, {none} without a program, {failed} failed")
    }

    /// The worst outcome of this run and the earlier ones.
    fn finish(self) -> Outcome {
        self.bar.finish_and_clear();
        let skipped = if self.skipped > 0 { format!(", {} skipped", self.skipped) } else { String::new() };
        let unfinished = match self.total - self.done() {
            0 => String::new(),
            left => format!(", {left} left to do"),
        };
        eprintln!("{}{skipped}{unfinished}", self.text());
        self.worst
    }
}

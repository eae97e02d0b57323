//! `kalg run`: applies a program to a picture.

use std::path::PathBuf;

use clap::Args;

use super::arguments::whole;
use super::complain::{complain, refused};
use super::includes::Includes;
use super::interrupt::Interrupt;
use super::machine::asked;
use super::options::{Given, Table};
use super::outcome::{CommandError, Outcome};
use super::output::{Output, write_whole};
use super::pictures::{Files, usage};
use crate::backend::{JSON, Machine, Registry, Request, RunError, Task};
use crate::budget::Budget;
use crate::picture::PictureFormat;
use crate::pipeline::is_pipeline;

/// The text below the options in the help.
pub(super) const NOTES: &str = "\
Pipelines and kernel files, which run on machines in scan order: pixels are the picture's samples, of 8 or 16 bits.
For all other programs a grey value of 0 to 255 stands for a register value of -128 to 127; results are rounded and clamped when converted back.
Numbers in NPY files are taken as they are.
Exit codes: 0 done, 2 a file or an option cannot be used, 3 a result differs from the filter's.";

/// The options that apply to pipelines.
const PIPELINES: &Table<()> = &[(&[()], &["program", "image", "out", "json"])];

/// `kalg run`.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// The program: instructions, a C++ source, or the output of AUKE or Cain; a kernel file for machines in scan order; a
    /// pipeline; `-` reads standard input
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// Input picture, PNG, PGM or NPY; with several inputs, one NAME=FILE for each
    #[arg(long, value_name = "[NAME=]FILE", required = true)]
    image: Vec<String>,
    /// Picture to write, PNG, PGM or NPY by its extension; with several outputs, each name is put before the extension
    #[arg(long, value_name = "FILE", required = true)]
    out: PathBuf,
    /// The machine, by name or by the file that describes it
    #[arg(long, alias = "cost", value_name = "NAME|FILE")]
    target: Option<String>,
    #[command(flatten)]
    includes: Includes,
    /// Seed of the noise
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = whole::<u64>)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Run {
    /// Runs the program.
    pub(super) fn run(self, registry: &Registry, given: &Given) -> Result<Outcome, CommandError> {
        let source = self.includes.read(&self.program).map_err(|error| usage(&self.program, &error))?;
        if is_pipeline(&source) {
            given.check(PIPELINES, (), &"a pipeline")?;
            return super::pipeline::run(&source, &self.files()?, self.json);
        }
        let machine = asked(registry, self.target.as_deref())?;
        given.check_machine(registry, &*machine, Task::Run)?;
        let files = self.files()?;
        let budget = Budget::unlimited().interrupted_by(&Interrupt::listen().flag());
        let options = given.values().clone();
        let request = Request { seed: self.seed, budget, options, ..Request::new(source) };
        let ran = match machine.run(&request, &files) {
            Ok(ran) => ran,
            Err(RunError::Usage(message)) => return Err(CommandError::Usage(message)),
            Err(RunError::IsFilter) => return Err(self.filter_refused(registry, &*machine)),
            Err(RunError::Program(error)) => {
                complain(&request.source, None, &error);
                return Ok(Outcome::BadInput);
            }
            Err(RunError::Filter(error)) => return Ok(refused(&request.source, error)),
        };
        for (path, picture) in &ran.pictures {
            write_whole(path.as_ref(), picture)?;
        }
        let text = if self.json { ran.record.emit(JSON.name) } else { Some(ran.record.text(false)) };
        Output::new(None).put(&text.unwrap_or_default())?;
        Ok(if ran.differs { Outcome::Internal } else { Outcome::Done })
    }

    /// The pictures to read and to write.
    fn files(&self) -> Result<Files<'_>, CommandError> {
        let format = PictureFormat::of(&self.out.to_string_lossy()).map_err(|e| usage(&self.out, &e))?;
        Ok(Files { given: &self.image, out: &self.out, format })
    }

    /// The error for a filter in place of a program.
    fn filter_refused(&self, registry: &Registry, machine: &dyn Machine) -> CommandError {
        let (file, target) = (self.program.display(), machine.name());
        let class = registry.backends().iter().find(|backend| backend.runs_filters());
        let run = class.map_or_else(String::new, |class| {
            let names: Vec<&str> = class.builtin().iter().map(|(name, ..)| *name).collect();
            let names = names.join("`, `");
            format!(", or run the filter on {}, by `--target` with `{names}`", class.noun())
        });
        CommandError::Usage(format!(
            "`{file}` is a filter, and `{target}` runs programs: make one by `kalg optimize {file} --cost {target} --emit code`{run}"
        ))
    }
}

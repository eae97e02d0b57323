//! `kalg run`: what a program makes of a picture.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::complain::complain;
use super::files::read_source;
use super::listing::Listing;
use super::machine::{Kind, Machine};
use super::options::{Given, Table};
use super::outcome::{CommandError, Outcome};
use super::output::{Output, write_whole};
use super::pictures::{named, pictures, usage};
use super::stream::{Job, StreamOptions};
use crate::backend::array::compile::{CheckRequest, ExecuteRequest, Executed, check_program, execute};
use crate::backend::array::machine::{Reading, Target};
use crate::backend::array::options::{NO_NOISE, noise_model};
use crate::backend::array::simulate::Fit;
use crate::backend::scan;
use crate::backend::scan::machine::Pixel;
use crate::picture::{Image, Picture, PictureFormat};
use crate::report::{Figure, Port, RunOutput, RunRecord, VERSION};
use crate::rule::RuleSet;
use crate::term::read_filter;

/// What stands below the options in the help text.
pub(super) const NOTES: &str = "\
Kernel files run on machines in scan order: pixels are the samples of the picture, of 8 or 16 bits.
For all other programs a grey value of 0 to 255 stands for a register value of -128 to 127; results are rounded and limited on their way back.
Exit codes: 0 done, 2 a file or an option cannot be used.";

/// `kalg run`.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// The program: instructions, a C++ source, or what AUKE or Cain print; a kernel file for machines in scan order; `-`
    /// reads standard input
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// Input picture, PNG or PGM; one for each input, as NAME=FILE where there are several
    #[arg(long, value_name = "[NAME=]FILE", required = true)]
    image: Vec<String>,
    /// Picture to write, PNG or PGM by its ending; with several outputs each name is put before the ending
    #[arg(long, value_name = "FILE", required = true)]
    out: PathBuf,
    /// The machine: a name, or a file that describes it
    #[arg(long, value_name = "NAME|FILE")]
    target: Option<String>,
    /// How a picture that is not of the array's size gets onto the array
    #[arg(long, value_enum, default_value_t = FitName::Exact)]
    fit: FitName,
    /// Noise model, by the target's name for it
    #[arg(long, value_name = "MODEL", default_value = NO_NOISE)]
    noise: String,
    /// Seed of the noise
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Limit what registers hold, as the machine does
    #[arg(long)]
    saturate: bool,

    #[command(flatten)]
    listing: Listing,
    /// Machines in scan order: the type of pixels [default: uint8]
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(Pixel::ALL.map(|(name, _)| name)))]
    pixel: Option<String>,
    /// What only machines in scan order need to know.
    #[command(flatten)]
    stream: StreamOptions,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Which options mean something for which machines; code of vector machines is not run on pictures.
pub(super) const OPTIONS: &Table<Kind> = &[
    (Kind::ALL, &["program", "image", "out", "target", "seed", "json"]),
    (&[Kind::Array], &["fit", "noise", "saturate"]),
    (&[Kind::Array], &["block", "assume_all", "lenient", "input", "inputs", "output_register", "outputs"]),
    (&[Kind::Stream], &["pixel", "border", "overflow", "width", "memory_weight", "float_recurrences"]),
];

/// What to do with code of a vector machine.
fn not_run(machine: &str) -> CommandError {
    CommandError::Usage(format!(
        "`{machine}` is a vector machine, whose code is not run on pictures: `kalg check FILE --target {machine} --against FILTER` says \
         what it computes"
    ))
}

/// The ways of fitting, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FitName {
    /// Not at all: another size is refused
    Exact,
    /// In overlapping parts, without seams
    Tile,
    /// Resized, each pixel the mean of the area that it covers
    Resize,
    /// On a simulated array as large as the picture
    Grow,
}

impl Run {
    /// Runs the program.
    pub(super) fn run(self, given: &Given) -> Result<Outcome, CommandError> {
        let machine = Machine::asked(self.target.as_deref())?;
        given.check(OPTIONS, machine.kind(), &format!("`{}`, {}", machine.name(), machine.kind()))?;
        let target = match machine {
            Machine::Array(target) => target,
            Machine::Vector(machine) => return Err(not_run(&machine.name)),
            Machine::Stream(machine) => return self.scan_order(machine),
        };
        let format = PictureFormat::of(&self.out.to_string_lossy()).map_err(|e| usage(&self.out, &e))?;
        let noise = match self.noise.as_str() {
            NO_NOISE => None,
            name => Some((noise_model(&target, name).map_err(CommandError::Usage)?, self.seed)),
        };
        let source = read_source(&self.program).map_err(|error| usage(&self.program, &error))?;
        let request = CheckRequest {
            source,
            against: None,
            target: target.clone(),
            reading: self.listing.reading(),
            against_reading: Reading::default(),
            inputs: self.listing.inputs(),
            outputs: Vec::new(),
            against_outputs: Vec::new(),
            input_range: None,
            noise: None,
            lenient: self.listing.lenient,
        };
        let checking = match check_program(&request) {
            Ok(checking) => checking,
            Err(error) => {
                if read_filter(&request.source).is_ok() {
                    return Err(self.filter_refused(&target.name));
                }
                complain(&request.source, request.against.as_ref(), &error);
                return Ok(Outcome::BadInput);
            }
        };
        let execution = ExecuteRequest {
            images: self.images(&checking.inputs)?,
            results: self.listing.outputs(),
            fit: match self.fit {
                FitName::Exact => Fit::Exact,
                FitName::Tile => Fit::Tile,
                FitName::Resize => Fit::Resize,
                FitName::Grow => Fit::Grow,
            },
            noise,
            saturate: self.saturate,
        };
        let executed = match execute(&target, &checking, &execution) {
            Ok(executed) => executed,
            Err(error) => {
                complain(&request.source, request.against.as_ref(), &error);
                return Ok(Outcome::BadInput);
            }
        };
        let size = executed.first().map_or(target.image, |e| [e.image.width(), e.image.height()]);
        let mut outputs = Vec::new();
        for result in &executed {
            outputs.push(self.write(&target, result, format, executed.len() > 1)?);
        }
        let ports = checking.inputs.iter().zip(&checking.trace.inputs);
        let record = RunRecord {
            file: checking.record.file.clone(),
            target: target.name.clone(),
            instructions: checking.record.instructions,
            cycles: checking.record.cycles,
            inputs: ports
                .map(|(name, r)| Port {
                    name: name.clone(),
                    register: Some(target.register_name(*r).to_owned()),
                })
                .collect(),
            size,
            noise: execution.noise.as_ref().map(|(noise, _)| noise.name.clone()),
            seed: self.seed,
            outputs,
            version: VERSION.to_owned(),
        };
        Output::new(None).put(&if self.json { record.to_json() } else { record.text() })?;
        Ok(Outcome::Done)
    }

    /// Runs a filter on a machine in scan order.
    fn scan_order(self, machine: scan::machine::Machine) -> Result<Outcome, CommandError> {
        let (rules, limits) = (RuleSet::builtin(), [None, Some(self.seed)]);
        let job = Job::new(machine, &self.stream, self.pixel.as_deref(), &rules, limits)?;
        job.apply(&self.program, &self.image, &self.out, self.json)
    }

    /// What to do with a filter where a program is expected.
    fn filter_refused(&self, target: &str) -> CommandError {
        let file = self.program.display();
        let machines = scan::machine::Machine::builtin_names().join("`, `");
        CommandError::Usage(format!(
            "`{file}` is a filter, and `{target}` runs programs: make one by `kalg optimize {file} --emit code`, or run the \
             filter on a machine in scan order, by `--target` with `{machines}`"
        ))
    }

    /// The pictures, input by input.
    fn images(&self, inputs: &[String]) -> Result<Vec<Image>, CommandError> {
        pictures(inputs, &self.image, |path, bytes| {
            Ok(Picture::decode(bytes).map_err(|error| usage(path, &error))?.image())
        })
    }

    /// Writes one result, and says what it was.
    fn write(
        &self,
        target: &Target,
        result: &Executed,
        format: PictureFormat,
        several: bool,
    ) -> Result<RunOutput, CommandError> {
        let path = if several { named(&self.out, &result.name) } else { self.out.clone() };
        let picture = Picture::of(&result.image).encode(format).map_err(|error| usage(&path, &error))?;
        write_whole(&path, &picture)?;
        let pixels = result.image.pixels();
        let fold =
            |least: fn(f64, f64) -> f64, from: f64| Figure::new(pixels.iter().copied().fold(from, least));
        let clipped = pixels.iter().filter(|value| !(-128.0..=127.0).contains(&value.round())).count();
        Ok(RunOutput {
            name: result.name.clone(),
            register: target.register_name(result.register).to_owned(),
            file: path.to_string_lossy().into_owned(),
            least: fold(f64::min, f64::INFINITY),
            greatest: fold(f64::max, f64::NEG_INFINITY),
            clipped,
            rms_error: result.quality.map(|(rms, _)| Figure::new(rms)),
            ssim: result.quality.and_then(|(_, ssim)| ssim).map(Figure::new),
        })
    }
}

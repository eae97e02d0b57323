//! Compiles a pipeline to a design: cells, registers, lags, checks, and the record.

use super::depths::depths;
use super::front::front;
use super::machine::{Design, HardwareMachine, Margin, driver, hls, verilog};
use super::options::Settings;
use super::picture::picture;
use super::report::{HardwareRecord, RarerRecord, memory, units};
use super::schedule::Lags;
use super::task::{Task, checked, design, internal, refused};
use super::verify::{frames, least_bits};
use super::wave::{fits, wave};
use crate::backend::{OptimizeError, Request};
use crate::pipeline::{
    Border, Pipeline, PixelType, filter_as_pipeline, is_pipeline, multiplexed, read_pipeline, simplify,
};
use crate::report::{Figure, VERSION};
use crate::syntax::Source;
use crate::term::read_filter;

/// A pipeline as a design that was checked.
#[derive(Clone, Debug)]
pub struct Designed {
    /// The report.
    pub record: HardwareRecord,
    pipeline: Pipeline,
    design: Design,
    machine: HardwareMachine,
    settings: Settings,
    seed: u64,
}

impl Designed {
    /// The SystemVerilog.
    pub fn verilog(&self) -> String {
        verilog(&self.design, &self.machine, self.settings.height)
    }

    /// The C for the host, which sends tiles of pictures through the design.
    pub fn driver(&self) -> String {
        driver(&self.design, self.pipeline.border, self.settings.height)
    }

    /// The C++ for high-level synthesis. Its design has lags of its own, and is checked likewise.
    ///
    /// # Errors
    /// The design failed its checks.
    pub fn hls(&self) -> Result<String, OptimizeError> {
        let (design, lags) = untimed(&self.design)?;
        least_bits(&design, &lags.proof).map_err(internal)?;
        checked(&self.pipeline, &design, self.settings, self.seed)?;
        Ok(hls(&design, &self.machine, self.settings.height))
    }
}

impl Designed {
    /// Two random frames on their way through the design, as a value change dump.
    ///
    /// # Errors
    /// There are too many clocks.
    pub fn wave(&self) -> Result<String, String> {
        let height = self.settings.height;
        fits(&self.design, height, 2)?;
        let frames = frames(&self.pipeline, &self.design, height, self.seed)?;
        wave(&self.design, height, &frames.sent, self.seed)
    }

    /// How fast frames go through the design, and through the same with a word less in one delay line, for each of them.
    ///
    /// # Errors
    /// There is too much to simulate.
    pub fn depths(&self) -> Result<String, String> {
        depths(&self.design, self.settings.height)
    }

    /// The ports in some clocks of the same, as a picture.
    ///
    /// # Errors
    /// There are too many clocks.
    pub fn picture(&self) -> Result<String, String> {
        let height = self.settings.height;
        fits(&self.design, height, 2)?;
        let frames = frames(&self.pipeline, &self.design, height, self.seed)?;
        picture(&self.design, height, &frames.sent, self.seed)
    }
}

/// Compiles a pipeline.
pub(super) fn optimize(
    request: &Request,
    machine: &HardwareMachine,
    settings: Settings,
) -> Result<Designed, OptimizeError> {
    let start = request.budget.now();
    let pipeline = pipeline(&request.source, settings.pixel)?;
    let margin = margin(&pipeline, settings.halo)?;
    let (simpler, applied) = simplify(&pipeline, &request.rules.identities())
        .map_err(|why| OptimizeError::Unsound(why.to_string()))?;
    let made = in_clocks(simpler, settings.throughput.clocks)?;
    let task = Task { pipeline: &pipeline, made: &made, machine, settings, margin, seed: request.seed };
    let (design, lags, settings) = task.design()?;
    let task = Task { settings, ..task };
    let least = least_bits(&design, &lags.proof).map_err(internal)?;
    let checked = task.checked(&design)?;
    let front = settings.front.then(|| front(&task)).transpose()?;
    let frame = design.frame;
    let said = pipeline.warnings.iter().map(|warning| warning.message.clone());
    let warnings = said.chain(request.rules.tried_only(&applied)).collect();
    let record = HardwareRecord {
        file: request.source.name().to_owned(),
        pipeline: pipeline.name.clone(),
        target: machine.name.clone(),
        margins: match margin {
            Margin::Sent => "sent".to_owned(),
            Margin::Replicated => "replicated".to_owned(),
            Margin::Constant(value) => format!("constant {value}"),
            Margin::Mirrored { .. } => format!("mirrored ({})", pipeline.border),
        },
        size: [settings.width, settings.height],
        padded: [frame.padded_pixels(), frame.rows(settings.height)],
        corner: [frame.side_pixels()[0], frame.ends[0]],
        every: [frame.every[0] / frame.hold, frame.every[1]],
        rarer: rarer(&design),
        pixels_per_clock: settings.throughput.lanes,
        clocks_per_pixel: settings.throughput.clocks,
        units: units(&design, machine),
        memory: memory(&design, machine, least.unsigned_abs(), task.margin_words(&frame)),
        latency: frame.latency(design.sink),
        clocks: frame.clocks(settings.height, design.sink),
        checked,
        front,
        seconds: Figure::new(request.budget.seconds_since(start)),
        warnings,
        version: VERSION.to_owned(),
    };
    let (machine, seed) = (machine.clone(), request.seed);
    Ok(Designed { record, pipeline, design, machine, settings, seed })
}

/// The pipeline of a file, or that of its filter.
fn pipeline(source: &Source, pixel: Option<PixelType>) -> Result<Pipeline, OptimizeError> {
    if !is_pipeline(source) {
        let pixel = pixel.unwrap_or(PixelType::Integer { bits: 8, signed: false });
        return Ok(filter_as_pipeline(&read_filter(source)?, pixel)?);
    }
    match pixel {
        None => Ok(read_pipeline(source)?),
        Some(_) => Err(OptimizeError::Usage(
            "--type is for kernel files: a pipeline says the types of its inputs".to_owned(),
        )),
    }
}

/// The outputs of lower rates.
fn rarer(design: &Design) -> Vec<RarerRecord> {
    let rarer = design.netlist.rarer(design.frame.every);
    rarer.map(|(output, every)| RarerRecord { output: output.to_owned(), every }).collect()
}

/// The same design without clocks for operations, which synthesis gives them.
fn untimed(of: &Design) -> Result<(Design, Lags), OptimizeError> {
    let mut netlist = of.netlist.clone();
    netlist.cells.iter_mut().for_each(|cell| cell.latency = 0);
    design(&of.name, netlist, of.frame)
}

/// The pipeline for pixels that take `clocks` clocks each.
fn in_clocks(pipeline: Pipeline, clocks: usize) -> Result<Pipeline, OptimizeError> {
    if clocks == 1 {
        return Ok(pipeline);
    }
    multiplexed(&pipeline, clocks as u32).map_err(|why| refused(&why))?.ok_or_else(|| {
        let why = "what is shared in time are folds, and here is none whose first variable has a multiple of that many values";
        OptimizeError::Usage(format!("--clocks-per-pixel {clocks}: {why}"))
    })
}

/// The margins that the border of a pipeline makes.
fn margin(pipeline: &Pipeline, halo: bool) -> Result<Margin, OptimizeError> {
    match pipeline.border {
        _ if halo => Ok(Margin::Sent),
        Border::Replicate => Ok(Margin::Replicated),
        Border::Constant(value) => Ok(Margin::Constant(value)),
        Border::Reflect => Ok(Margin::Mirrored { twice: true }),
        Border::Reflect101 => Ok(Margin::Mirrored { twice: false }),
        Border::Wrap => Err(OptimizeError::Usage(
            "the border `wrap` needs the last row before the first: use --halo and send the pixels around the picture".to_owned(),
        )),
    }
}

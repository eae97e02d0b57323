//! Compiles a pipeline to a design: cells, registers, lags, checks, and the record.

use super::depths::depths;
use super::front::front;
use super::machine::{Design, Frame, HardwareMachine, Margin, Netlist, Reach, driver, hls, verilog};
use super::options::Settings;
use super::picture::picture;
use super::report::{CheckedRecord, HardwareRecord, memory, units};
use super::schedule::{Lags, lags_in_step, lattice, lower, products, registers, sparse, split};
use super::verify::{check, frames, least_bits};
use super::wave::{fits, wave};
use crate::backend::{OptimizeError, Request};
use crate::pipeline::{Border, Pipeline, is_pipeline, read_pipeline, simplify};
use crate::report::{Figure, VERSION};
use crate::syntax::{Diagnostic, Diagnostics};

/// The most values that are computed for a check of the design itself. Larger pictures are checked at a smaller width.
const MAX_CHECKED: usize = 1 << 19;

/// A pipeline as a design that was checked.
#[derive(Clone, Debug)]
pub struct Designed {
    /// The report.
    pub record: HardwareRecord,
    pub(super) warnings: Vec<String>,
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
    if !is_pipeline(&request.source) {
        let message = "line-buffered hardware computes pipelines: write the filter as `(pipeline NAME (inputs …) (output …))`";
        return Err(OptimizeError::Usage(message.to_owned()));
    }
    let clock = request.budget.clock();
    let start = clock();
    let pipeline = read_pipeline(&request.source)?;
    let margin = margin(&pipeline, settings.halo)?;
    let simpler = simplify(&pipeline, &request.rules.identities())
        .map_err(|why| OptimizeError::Unsound(why.to_string()))?;
    let task = Task { pipeline: &pipeline, simpler: &simpler, machine, settings, margin, seed: request.seed };
    let (design, lags) = task.design()?;
    let least = least_bits(&design, &lags.proof).map_err(internal)?;
    let checked = task.checked(&design)?;
    let front = settings.front.then(|| front(&task)).transpose()?;
    let frame = design.frame;
    let record = HardwareRecord {
        file: request.source.name().to_owned(),
        pipeline: pipeline.name.clone(),
        target: machine.name.clone(),
        margins: match margin {
            Margin::Sent => "sent".to_owned(),
            Margin::Replicated => "replicated".to_owned(),
            Margin::Constant(value) => format!("constant {value}"),
        },
        size: [settings.width, settings.height],
        padded: [frame.row(), frame.rows(settings.height)],
        corner: [frame.sides[0], frame.ends[0]],
        every: frame.every,
        pixels_per_clock: settings.lanes,
        units: units(&design, machine),
        memory: memory(&design, machine, least.unsigned_abs(), task.margin_words(&frame) as u64),
        latency: frame.first_result(design.sink) + 1,
        clocks: frame.clocks(settings.height, design.sink),
        checked,
        front,
        seconds: Figure::new((clock() - start).as_secs_f64()),
        version: VERSION.to_owned(),
    };
    let warnings = pipeline.warnings.iter().map(|warning| warning.message.clone()).collect();
    let (machine, seed) = (machine.clone(), request.seed);
    Ok(Designed { record, warnings, pipeline, design, machine, settings, seed })
}

/// What a design is made for.
#[derive(Clone, Copy)]
pub(super) struct Task<'t> {
    /// The pipeline, as it is written and made simpler.
    pipeline: &'t Pipeline,
    simpler: &'t Pipeline,
    /// The machine, with its prices.
    pub(super) machine: &'t HardwareMachine,
    settings: Settings,
    margin: Margin,
    seed: u64,
}

impl<'t> Task<'t> {
    /// The same on another machine.
    pub(super) fn on<'m>(&self, machine: &'m HardwareMachine) -> Task<'m>
    where
        't: 'm,
    {
        Task { machine, ..*self }
    }

    /// The design, with its lags.
    ///
    /// # Errors
    /// What has no circuit, and sizes that do not go together.
    pub(super) fn design(&self) -> Result<(Design, Lags), OptimizeError> {
        let (netlist, frame) = cells(self.simpler, self.machine, self.settings, self.margin)?;
        if !self.settings.height.is_multiple_of(frame.every[1]) {
            return Err(OptimizeError::Usage(format!(
                "--height {} is not a multiple of the {} rows from one result to the next",
                self.settings.height, frame.every[1]
            )));
        }
        design(&Design::name_of(&self.pipeline.name), netlist, frame)
    }

    /// Checks a design.
    ///
    /// # Errors
    /// It failed.
    pub(super) fn checked(&self, design: &Design) -> Result<CheckedRecord, OptimizeError> {
        checked(self.pipeline, design, self.settings, self.seed)
    }

    /// The words of the row that margins repeat.
    pub(super) fn margin_words(&self, frame: &Frame) -> usize {
        let repeats = self.margin == Margin::Replicated && frame.ends != [0, 0];
        if repeats { frame.width / frame.lanes } else { 0 }
    }
}

/// The same design without clocks for operations, which synthesis gives them.
fn untimed(of: &Design) -> Result<(Design, Lags), OptimizeError> {
    let mut netlist = of.netlist.clone();
    netlist.cells.iter_mut().for_each(|cell| cell.latency = 0);
    design(&of.name, netlist, of.frame)
}

pub(super) fn internal(what: String) -> OptimizeError {
    OptimizeError::Internal(format!("a design failed its checks: {what}"))
}

/// The margins that the border of a pipeline makes.
fn margin(pipeline: &Pipeline, halo: bool) -> Result<Margin, OptimizeError> {
    match pipeline.border {
        _ if halo => Ok(Margin::Sent),
        Border::Replicate => Ok(Margin::Replicated),
        Border::Constant(value) => Ok(Margin::Constant(value)),
        border => Err(OptimizeError::Usage(format!(
            "line-buffered hardware has no border `{border}`: use replicate, zero or constant in the file, or --halo and send the \
             pixels around the picture"
        ))),
    }
}

/// The cells of a pipeline, with registers, and the frame for their window.
fn cells(
    pipeline: &Pipeline,
    machine: &HardwareMachine,
    settings: Settings,
    margin: Margin,
) -> Result<(Netlist, Frame), OptimizeError> {
    let frame =
        |reach| Frame::new(reach, settings.width, settings.lanes, margin).map_err(OptimizeError::Usage);
    let refused = |why: Box<Diagnostic>| OptimizeError::NoProgram(Diagnostics::from(*why));
    let every = lattice(pipeline).map_err(refused)?;
    // The period and the window are known when there are cells.
    let bare = frame(Reach { every, period: every, ..Reach::ITSELF })?;
    let lowered = lower(pipeline, machine, &bare).map_err(refused)?;
    let lowered = sparse(lowered, every[1]);
    let mut netlist = products(&split(lowered, machine, &bare), machine);
    registers(&mut netlist, machine.levels, machine.multiplier_clocks);
    let frame = frame(Reach { window: netlist.window(), every, period: netlist.period(every) })?;
    Ok((netlist, frame))
}

fn design(name: &str, netlist: Netlist, frame: Frame) -> Result<(Design, Lags), OptimizeError> {
    let lags = lags_in_step(&netlist, &frame).ok_or_else(|| internal("there are no lags".to_owned()))?;
    Ok((Design { name: name.to_owned(), netlist, frame, lags: lags.cells.clone(), sink: lags.sink }, lags))
}

/// Checks the design, or one for narrower pictures with the same cells if it is too large.
fn checked(
    pipeline: &Pipeline,
    of: &Design,
    settings: Settings,
    seed: u64,
) -> Result<CheckedRecord, OptimizeError> {
    let ends = of.frame.ends[0] + of.frame.ends[1];
    let height = settings.height.min((ends + 3).next_multiple_of(of.frame.every[1]));
    let cells = of.netlist.cells.len() * (height + ends);
    let found = if cells * of.frame.row() <= MAX_CHECKED {
        check(pipeline, of, height, seed)
    } else {
        let [west, south] = [of.frame.sides[0], of.frame.ends[1]].map(|side| -(side as i32));
        let [east, north] = [of.frame.sides[1], of.frame.ends[0]].map(|side| side as i32);
        let most = (MAX_CHECKED / cells).saturating_sub(of.frame.sides[0] + of.frame.sides[1]);
        let least = of.frame.sides[0] + of.frame.sides[1] + 2 * settings.lanes;
        let whole = settings.lanes.max(of.frame.every[0]);
        let width = most.max(least).next_multiple_of(whole).min(of.frame.width);
        let (every, period) = (of.frame.every, of.frame.period);
        let reach = Reach { window: [[west, east], [south, north]], every, period };
        let frame =
            Frame::new(reach, width, settings.lanes, of.frame.margin).map_err(OptimizeError::Usage)?;
        let (narrow, lags) = design(&of.name, of.netlist.clone(), frame)?;
        least_bits(&narrow, &lags.proof).map_err(internal)?;
        check(pipeline, &narrow, height, seed)
    };
    let found = found.map_err(internal)?;
    Ok(CheckedRecord { size: found.size, pixels: found.pixels, proof: true })
}

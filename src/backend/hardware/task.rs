//! What a design is made for, and from there to a design that was checked.

use super::machine::{
    Design, Frame, HardwareMachine, Margin, Netlist, Operation, Reach, Throughput, common_multiple,
};
use super::options::Settings;
use super::report::CheckedRecord;
use super::schedule::{
    Forms, Lags, design_price, lags_in_step, lattice, long_runs, lower, not_made, products, registers,
    sparse, split,
};
use super::verify::{check, least_bits};
use crate::backend::OptimizeError;
use crate::pipeline::{Border, Pipeline};
use crate::syntax::{Diagnostic, Diagnostics};

/// The most values that are computed for a check of the design itself. Larger pictures are checked at a smaller width.
const MAX_CHECKED: usize = 1 << 19;

/// The longest period of blocks, those of all extremes together: margins are whole periods, and take clocks.
const MAX_PERIOD: usize = 64;

/// What a design is made for.
#[derive(Clone, Copy)]
pub(super) struct Task<'t> {
    /// The pipeline, as it is written, and as it is made: simpler, and with the clocks of pixels as columns.
    pub(super) pipeline: &'t Pipeline,
    pub(super) made: &'t Pipeline,
    /// The machine, with its prices.
    pub(super) machine: &'t HardwareMachine,
    /// The size of pictures, and the pixels in a clock.
    pub(super) settings: Settings,
    /// How margins come about.
    pub(super) margin: Margin,
    /// The seed of random pictures.
    pub(super) seed: u64,
}

impl<'t> Task<'t> {
    /// The same on another machine.
    pub(super) fn on<'m>(&self, machine: &'m HardwareMachine) -> Task<'m>
    where
        't: 'm,
    {
        Task { machine, ..*self }
    }

    /// The design, with its lags, and the settings with the rows that it is made for.
    ///
    /// # Errors
    /// What has no circuit, and sizes that do not go together.
    pub(super) fn design(&self) -> Result<(Design, Lags, Settings), OptimizeError> {
        let (netlist, frame) = cells(self.made, self.machine, self.settings, self.margin)?;
        accept_border(self.pipeline, &netlist)?;
        let [columns, rows] = netlist.common();
        let settings = self.settings.for_rows(rows, frame.least_rows());
        let what =
            if netlist.rarer(frame.every).next().is_none() { "result" } else { "pixel of all outputs" };
        for (option, size, whole, of) in [
            ("width", settings.width, columns / frame.hold, "columns"),
            ("height", settings.height, rows, "rows"),
        ] {
            if !size.is_multiple_of(whole.max(1)) {
                return Err(OptimizeError::Usage(format!(
                    "--{option} {size} is not a multiple of the {whole} {of} from one {what} to the next"
                )));
            }
        }
        if settings.height < frame.least_rows() {
            return Err(OptimizeError::Usage(format!(
                "--height {}: margins are mirrored from {} rows; use higher pictures or --halo",
                settings.height,
                frame.least_rows()
            )));
        }
        let (design, lags) = design(&Design::name_of(&self.pipeline.name), netlist, frame)?;
        Ok((design, lags, settings))
    }

    /// Checks a design.
    ///
    /// # Errors
    /// It failed.
    pub(super) fn checked(&self, design: &Design) -> Result<CheckedRecord, OptimizeError> {
        checked(self.pipeline, design, self.settings, self.seed)
    }

    /// The words of the rows that margins repeat.
    pub(super) fn margin_words(&self, frame: &Frame) -> u64 {
        let rows = match frame.margin {
            Margin::Replicated if frame.ends != [0, 0] => 1,
            Margin::Mirrored { .. } => frame.mirrored_rows(),
            _ => 0,
        };
        (rows * frame.pixels() / frame.lanes) as u64
    }
}

/// Refuses a border that the inputs' types lack, if pixels of it are read: margins are made, or sent, as words of these types.
fn accept_border(pipeline: &Pipeline, netlist: &Netlist) -> Result<(), OptimizeError> {
    let Border::Constant(value) = pipeline.border else { return Ok(()) };
    let lacking = pipeline.inputs.iter().find(|input| !input.pixel.holds(value.into(), value.into()));
    match lacking.filter(|_| netlist.window() != [[0, 0], [0, 0]]) {
        None => Ok(()),
        Some(input) => {
            let what = format!("a border of {value} around {}", input.pixel);
            Err(refused(&not_made(input.span, &what, "pixels around it come in as its own do")))
        }
    }
}

/// The error for a design that is wrong.
pub(super) fn internal(what: String) -> OptimizeError {
    OptimizeError::Internal(format!("a design failed its checks: {what}"))
}

/// The error for a value that has no circuit.
pub(super) fn refused(why: &Diagnostic) -> OptimizeError {
    OptimizeError::NoProgram(Diagnostics::from(why.clone()))
}

/// The cells of a pipeline, with registers, and the frame for their window.
fn cells(
    pipeline: &Pipeline,
    machine: &HardwareMachine,
    settings: Settings,
    margin: Margin,
) -> Result<(Netlist, Frame), OptimizeError> {
    let frame =
        |reach| Frame::new(reach, settings.width, settings.throughput, margin).map_err(OptimizeError::Usage);
    let every = lattice(pipeline).map_err(|why| refused(&why))?;
    // The period and the window are known when there are cells.
    let bare = frame(Reach { every, period: every, ..Reach::ITSELF })?;
    let made = |forms: Forms| -> Result<(Netlist, Frame), OptimizeError> {
        let lowered = lower(pipeline, machine, &bare, forms).map_err(|why| refused(&why))?;
        let lowered = sparse(lowered);
        let mut netlist = products(&split(lowered, machine, &bare), machine);
        netlist.trim_tables();
        registers(&mut netlist, machine.levels, machine.multiplier_clocks);
        let frame = frame(Reach { window: netlist.window(), every, period: netlist.period() })?;
        Ok((netlist, frame))
    };
    let first = Forms { blocks: [false, false], running: true };
    let best = made(first)?;
    let is_short = |(netlist, _): &(Netlist, Frame)| netlist.period().iter().all(|axis| *axis <= MAX_PERIOD);
    let others = others(first, &best.0, settings.throughput).into_iter();
    let mut made: Vec<(Netlist, Frame)> = others
        .filter_map(|forms| made(forms).ok().filter(|made| forms.blocks == first.blocks || is_short(made)))
        .collect();
    if made.is_empty() {
        return Ok(best);
    }
    made.insert(0, best);
    let price = |(netlist, frame): &(Netlist, Frame)| design_price(netlist, machine, frame);
    made.into_iter().min_by_key(price).ok_or_else(|| internal("there are no cells".to_owned()))
}

/// What else may be tried for the cells that these forms gave.
fn others(first: Forms, made: &Netlist, throughput: Throughput) -> Vec<Forms> {
    let long = if throughput == Throughput::ONE { long_runs(made) } else { [false, false] };
    let blocks = [[true, false], [false, true], [true, true]].into_iter();
    let blocks = blocks.filter(|blocks| (0..2).all(|axis| long[axis] || !blocks[axis]));
    let mut others: Vec<Forms> = blocks.map(|blocks| Forms { blocks, ..first }).collect();
    if made.cells.iter().any(|cell| matches!(cell.operation, Operation::Running { .. })) {
        others.push(Forms { running: false, ..first });
    }
    others
}

/// The design of cells, with its lags.
///
/// # Errors
/// There are no lags.
pub(super) fn design(name: &str, netlist: Netlist, frame: Frame) -> Result<(Design, Lags), OptimizeError> {
    let lags = lags_in_step(&netlist, &frame).ok_or_else(|| internal("there are no lags".to_owned()))?;
    Ok((Design::new(name.to_owned(), netlist, frame, (lags.cells.clone(), lags.sink)), lags))
}

/// Checks the design, or one for narrower pictures with the same cells if it is too large.
///
/// # Errors
/// It failed.
pub(super) fn checked(
    pipeline: &Pipeline,
    of: &Design,
    settings: Settings,
    seed: u64,
) -> Result<CheckedRecord, OptimizeError> {
    let ends = of.frame.ends[0] + of.frame.ends[1];
    let [columns, rows] = of.netlist.common();
    let height = settings.height.min((ends + 3).next_multiple_of(rows));
    let cells = of.netlist.cells.len() * (height + ends);
    let [left, right] = of.frame.side_pixels();
    let Throughput { lanes, clocks } = settings.throughput;
    let most = (MAX_CHECKED / (cells * clocks)).saturating_sub(left + right);
    let least = left + right + 2 * lanes;
    let width = most.max(least).next_multiple_of(common_multiple(lanes, (columns / clocks).max(1)));
    let found = if cells * of.frame.row() <= MAX_CHECKED || width >= of.frame.pixels() {
        check(pipeline, of, height, seed)
    } else {
        let [west, south] = [of.frame.sides[0], of.frame.ends[1]].map(|side| -(side as i32));
        let [east, north] = [of.frame.sides[1], of.frame.ends[0]].map(|side| side as i32);
        let (every, period) = (of.frame.every, of.frame.period);
        let reach = Reach { window: [[west, east], [south, north]], every, period };
        let frame =
            Frame::new(reach, width, settings.throughput, of.frame.margin).map_err(OptimizeError::Usage)?;
        let (narrow, lags) = design(&of.name, of.netlist.clone(), frame)?;
        least_bits(&narrow, &lags.proof).map_err(internal)?;
        check(pipeline, &narrow, height, seed)
    };
    let found = found.map_err(internal)?;
    Ok(CheckedRecord { size: found.size, pixels: found.pixels, proof: true })
}

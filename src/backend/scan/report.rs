//! The records of plans for machines in scan order, and their text.

use std::fmt::Write;

use serde::Serialize;

use crate::report::{Figure, counted, json_line, many};

/// The result of `kalg optimize` for one filter on a machine in scan order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamRecord {
    /// The file, as the user named it.
    pub file: String,
    /// The filter's name.
    pub filter: String,
    /// The machine's name.
    pub target: String,
    /// The name of the semiring of the coefficients.
    pub semiring: String,
    /// The pixel type.
    pub pixel: String,
    /// The values beyond the image, in the code.
    pub border: String,
    /// The treatment of results that do not fit, in the code.
    pub overflow: String,
    /// The inputs.
    pub inputs: Vec<String>,
    /// The outputs, with the factors applied to their values at the end.
    pub outputs: Vec<StreamOutput>,
    /// The reach of the results into the inputs: west, east, south, north.
    pub reach: [i32; 4],
    /// Whether a step reads itself, so that the influence of one pixel persists.
    pub recurrent: bool,
    /// Whether results depend on pixels at which their kernels have no tap, with weights that cancel. Recurrences do.
    pub cancels: bool,
    /// The row length for which delay lines are counted.
    pub width: u64,
    /// The cost of the plan per output pixel.
    pub cost: StreamCost,
    /// The method that found the plan.
    pub method: String,
    /// The plans whose C was measured, if the plan was chosen by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// The best plan of each method.
    pub attempts: Vec<StreamAttempt>,
    /// The steps, as equations.
    pub plan: Vec<String>,
    /// The number of bits of each step's values.
    pub bits: Vec<u32>,
    /// The function in C.
    pub c: String,
    /// The function in Rust.
    pub rust: String,
    /// The checks that the plan passed.
    pub verified: StreamChecks,
    /// The e-graph.
    pub egraph: StreamGraph,
    /// The rules whose decompositions the plan uses.
    pub rules_used: Vec<String>,
    /// The number of plans compared.
    pub plans: u64,
    /// The seed of the random images.
    pub seed: u64,
    /// The time taken.
    pub seconds: Figure,
    /// The version of kalg.
    pub version: String,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamOutput {
    /// Its name.
    pub name: String,
    /// The type of its values: that of the pixels, or a 32-bit type for an infinite sum.
    pub pixel: String,
    /// Whether its kernel is infinite. Integers are then kept modulo 2^32.
    pub table: bool,
    /// The factor of the step's value at the end. Integers are rounded to the nearest, halves up.
    pub scale: String,
    /// The additions for the factor, including rounding.
    pub additions: u64,
    /// The multiplications for the factor. A division by a constant that is not a power of two is one, by the reciprocal.
    pub multiplications: u64,
    /// The shifts for the factor.
    pub shifts: u64,
}

/// The operations per output pixel in the steady state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StreamCost {
    /// Additions and subtractions; maxima, minima and disjunctions.
    pub additions: u64,
    /// Multiplications and divisions by constants that are not powers of two.
    pub multiplications: u64,
    /// Multiplications and divisions by powers of two.
    pub shifts: u64,
    /// Values from delay lines, and pixels.
    pub loads: u64,
    /// The bytes of the delay lines.
    pub bytes: u64,
    /// The total by the descriptor's weights.
    pub total: Figure,
}

/// The best plan of a method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamAttempt {
    /// The name of the method.
    pub method: String,
    /// The cost.
    pub cost: StreamCost,
}

/// The plans of a filter or a pipeline that were measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The command of the compiler.
    pub compiler: String,
    /// Width and height of the pictures.
    pub size: [i64; 2],
    /// The plans: first the one that costs choose, then the others, those of least cost first.
    pub plans: Vec<MeasuredPlan>,
}

/// A plan that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeasuredPlan {
    /// Its cost by the descriptor's weights; of pipelines, the operations for each pixel.
    pub cost: Figure,
    /// The least time of its C for each pixel.
    pub picoseconds: Figure,
}

impl Measured {
    /// A line of a report.
    pub(super) fn text(&self) -> String {
        let mut text = format!(
            "measured with `{}` on {} × {} pixels, first what costs alone choose, in ns a pixel:",
            self.compiler, self.size[0], self.size[1]
        );
        for plan in &self.plans {
            let _ = write!(text, " {:.4}", plan.picoseconds.get() / 1000.0);
        }
        text + "\n"
    }
}

/// The checks of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StreamChecks {
    /// Whether the kernel of every output is equal, infinite kernels as rational functions.
    pub symbolic: bool,
    /// Whether results on random images equal direct convolution, with every border.
    pub executed: bool,
    /// The number of pixels compared.
    pub pixels: u64,
}

/// The e-graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamGraph {
    /// The number of e-nodes.
    pub nodes: u64,
    /// The number of e-classes.
    pub classes: u64,
    /// The number of rounds of all rules.
    pub iterations: u64,
    /// The reason why it stopped growing.
    pub stop_reason: String,
}

/// The report of `kalg run` for a plan on pictures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamRunRecord {
    /// The file of the filter, as the user named it.
    pub file: String,
    /// The filter's name.
    pub filter: String,
    /// The machine's name.
    pub target: String,
    /// The pixel type.
    pub pixel: String,
    /// The values beyond the image.
    pub border: String,
    /// The treatment of results that do not fit.
    pub overflow: String,
    /// The cost of the plan per output pixel.
    pub cost: StreamCost,
    /// The pictures.
    pub inputs: Vec<StreamRunInput>,
    /// The results.
    pub outputs: Vec<StreamRunOutput>,
    /// The version of kalg.
    pub version: String,
}

/// A picture that a plan reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamRunInput {
    /// The input's name.
    pub name: String,
    /// The number of its pixels that exceeded the type and were limited to its range.
    pub clipped: usize,
}

/// A result of a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StreamRunOutput {
    /// Its name.
    pub name: String,
    /// The file with the result.
    pub file: String,
    /// Width and height.
    pub size: [usize; 2],
    /// The least value.
    pub least: Figure,
    /// The greatest value.
    pub greatest: Figure,
    /// The number of results that the file shows as black or white, because they exceed the range of the type or the file.
    pub clipped: usize,
    /// The number of these below that range.
    pub clipped_below: usize,
    /// The number of results that exceeded the type and lost their upper bits.
    pub wrapped: usize,
    /// The greatest finite difference from direct convolution. Zero for integers.
    pub greatest_difference: Figure,
    /// The number of results that are NaN or infinite where direct convolution gives another value, or the other way round.
    pub unlike: usize,
}

impl StreamRunRecord {
    /// The record as one line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }

    /// The record as a report for people.
    pub fn text(&self) -> String {
        let c = &self.cost;
        let mut text = format!(
            "{} ({}) for {}: {} pixels, border {}, results that do not fit: {}\n{} for each pixel\n",
            self.filter,
            self.file,
            self.target,
            self.pixel,
            self.border,
            self.overflow,
            operations(c.additions, c.multiplications, c.shifts, Some(c.loads))
        );
        for input in self.inputs.iter().filter(|input| input.clipped > 0) {
            let StreamRunInput { name, clipped } = input;
            let _ = writeln!(
                text,
                "{name}: {} limited to the range of {} (choose another type with --type)",
                counted(*clipped as u64, "pixel"),
                self.pixel
            );
        }
        for output in &self.outputs {
            let [width, height] = output.size;
            let (clipped, below) = (output.clipped, output.clipped_below);
            let pixels = counted(output.unlike as u64, "pixel");
            let unlike = format!("in {pixels}, where one of the two is NaN or infinite, and elsewhere ");
            let parts = format!(" ({below} below, {} above)", clipped - below);
            let _ = writeln!(
                text,
                "{}: {} ({width} × {height}), {} to {}, {} clipped{}{}; differs from direct convolution {}by at most {}",
                output.name,
                output.file,
                output.least.get(),
                output.greatest.get(),
                counted(clipped as u64, "pixel"),
                if clipped > 0 { &parts } else { "" },
                if output.wrapped > 0 { format!(", {} wrapped", output.wrapped) } else { String::new() },
                if output.unlike > 0 { &unlike } else { "" },
                output.greatest_difference.get()
            );
        }
        text
    }
}

impl StreamRecord {
    /// The record as one line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }
}

/// The record as a report for people. A verbose report adds the best plan of each method and the size of the e-graph.
pub fn stream_text(record: &StreamRecord, verbose: bool) -> String {
    let mut text = plan_text(record) + "\n" + &cost_text(record);
    if verbose {
        text.push_str(&search_text(record));
    }
    text.push_str(&checks_text(record));
    let StreamRecord { border, overflow, .. } = record;
    let _ = writeln!(
        text,
        "--emit c or --emit rust prints the function, for the border {border} and results that {overflow}."
    );
    text
}

/// The filter, and the plan line by line.
fn plan_text(record: &StreamRecord) -> String {
    let StreamRecord { filter, file, target, pixel, semiring, method, .. } = record;
    let [west, east, south, north] = record.reach;
    let mut text = format!(
        "{filter} ({file})\nfor {target}, {pixel} pixels, coefficients in {semiring}; \
         reaches west {west}, east {east}, south {south}, north {north}\n\n\
         Plan ({method}); sN[x,y] is step N at x to the east and y to the north\n"
    );
    let bits = record.bits.iter().map(|bits| format!("{bits:2} bits"));
    for (line, bits) in record.plan.iter().zip(bits.chain(std::iter::repeat("result ".to_owned()))) {
        let _ = writeln!(text, "  {bits}  {line}");
    }
    text
}

/// The risk of recurrences on floating-point pixels.
const RECURRENT: &str = "recurrences: one NaN pixel turns all later results into NaN, and one pixel of 1e20 leaves a rounding error in them";
/// The price of doing without them.
const TAME: &str = "no recurrences and no sums that cancel: the influence of a pixel ends with the kernel; --float-recurrences allows both, which may need fewer operations";
/// The risk of reading pixels that the kernel does not.
const CANCELS: &str = "sums that cancel: a NaN pixel also spoils results whose kernel has no tap there, and a pixel of 1e20 leaves a rounding error in them";

/// Numbers of operations, and of loads where they are counted.
pub(super) fn operations(additions: u64, multiplications: u64, shifts: u64, loads: Option<u64>) -> String {
    let numbers = [(additions, "addition"), (multiplications, "multiplication"), (shifts, "shift")];
    let loads = loads.map(|loads| (loads, "load"));
    let counts: Vec<String> = numbers.into_iter().chain(loads).map(|(n, one)| counted(n, one)).collect();
    counts.join(", ")
}

/// The cost per pixel.
fn cost_text(record: &StreamRecord) -> String {
    let StreamCost { additions, multiplications, shifts, loads, bytes, total } = record.cost;
    let mut text = format!(
        "Cost for each pixel: {}; {} of delay lines for rows of {}: {} in all\n",
        operations(additions, multiplications, shifts, Some(loads)),
        counted(bytes, "byte"),
        record.width,
        total.get()
    );
    for output in record.outputs.iter().filter(|output| output.scale != "1") {
        let StreamOutput { name, scale, additions, multiplications, shifts, .. } = output;
        let _ = writeln!(
            text,
            "  of these {} to multiply `{name}` by {scale} at the end",
            operations(*additions, *multiplications, *shifts, None)
        );
    }
    for StreamOutput { name, pixel, .. } in record.outputs.iter().filter(|output| output.table) {
        let modulo = if pixel == "float32" { "" } else { ", modulo 2^32" };
        let _ = writeln!(text, "  `{name}` is an infinite sum: {pixel}{modulo}, with zeros beyond the image");
    }
    if record.pixel == "float32" && record.semiring == "plus-times" {
        let told = match (record.recurrent, record.cancels) {
            (true, _) => RECURRENT,
            (false, true) => CANCELS,
            (false, false) => TAME,
        };
        let _ = writeln!(text, "  {told}");
    }
    if let Some(measured) = &record.measured {
        text.push_str(&measured.text());
    }
    text
}

/// The best plan of each method, and the e-graph.
fn search_text(record: &StreamRecord) -> String {
    let mut text = "\nBest plan of each method\n".to_owned();
    for StreamAttempt { method, cost } in &record.attempts {
        let StreamCost { additions, multiplications, shifts, loads, bytes, total } = cost;
        let _ = writeln!(
            text,
            "  {method:20} {additions:4} add {multiplications:3} mul {shifts:3} shift {loads:4} load {bytes:8} bytes  {:8.2}",
            total.get()
        );
    }
    let StreamGraph { nodes, classes, iterations, stop_reason } = &record.egraph;
    let used = match record.rules_used.as_slice() {
        [] => "nothing".to_owned(),
        used => used.join(", "),
    };
    let _ = writeln!(
        text,
        "\nE-graph: {}, {}, {}, {stop_reason}; {} compared; used: {used}",
        counted(*nodes, "node"),
        many(*classes, "class", "classes"),
        counted(*iterations, "iteration"),
        counted(record.plans, "plan")
    );
    text
}

/// The checks that the plan passed.
fn checks_text(record: &StreamRecord) -> String {
    let yes = |passed: bool| if passed { "equal" } else { "different" };
    format!(
        "\nChecked as rational functions: {}; compared with direct convolution, {} pixels with {} (seed {}): {}; {} s\n",
        yes(record.verified.symbolic),
        record.verified.pixels,
        if record.outputs.iter().any(|output| output.table) { "zeros beyond" } else { "every border" },
        record.seed,
        yes(record.verified.executed),
        record.seconds.get()
    )
}

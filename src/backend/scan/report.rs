//! Records of plans for machines in scan order, and their text.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::report::{Figure, json_line};

/// The result of `kalg optimize` for one filter on a machine in scan order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamRecord {
    /// The file, as it was named.
    pub file: String,
    /// The filter's name.
    pub filter: String,
    /// The machine's name.
    pub target: String,
    /// What coefficients are added and multiplied by.
    pub semiring: String,
    /// The type of pixels.
    pub pixel: String,
    /// What is beyond the image, in the code.
    pub border: String,
    /// What happens to results that do not fit, in the code.
    pub overflow: String,
    /// The inputs.
    pub inputs: Vec<String>,
    /// The outputs, with the factors that their values are multiplied by at the end.
    pub outputs: Vec<StreamOutput>,
    /// How far results reach into the inputs: west, east, south, north.
    pub reach: [i32; 4],
    /// Whether a step reads itself, so that the influence of one pixel persists.
    pub recurrent: bool,
    /// The row length that delay lines are counted for.
    pub width: u64,
    /// What the plan costs for each output pixel.
    pub cost: StreamCost,
    /// What was allowed when it was found.
    pub method: String,
    /// The best plan of each method.
    pub attempts: Vec<StreamAttempt>,
    /// The steps, as equations.
    pub plan: Vec<String>,
    /// The bits of each step's values.
    pub bits: Vec<u32>,
    /// The function in C.
    pub c: String,
    /// The function in Rust.
    pub rust: String,
    /// The checks that it passed.
    pub verified: StreamChecks,
    /// The e-graph.
    pub egraph: StreamGraph,
    /// The rules whose decompositions it uses.
    pub rules_used: Vec<String>,
    /// How many plans were compared.
    pub plans: u64,
    /// The seed of the random images.
    pub seed: u64,
    /// How long it took.
    pub seconds: Figure,
    /// The version of kalg.
    pub version: String,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamOutput {
    /// Its name.
    pub name: String,
    /// The type of its values: that of the pixels, or one of 32 bits for a sum without end.
    pub pixel: String,
    /// Whether its kernel has no end: integers are kept modulo 2^32.
    pub table: bool,
    /// The factor of its step's value at the end; integers are rounded to the nearest, halves up.
    pub scale: String,
    /// The additions that this takes, rounding among them.
    pub additions: u64,
    /// The multiplications that this takes: a division by a constant that is no power of two is one, by the reciprocal.
    pub multiplications: u64,
    /// The shifts that this takes.
    pub shifts: u64,
}

/// Operations for each output pixel in the steady state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamCost {
    /// Additions and subtractions; maxima, minima and disjunctions.
    pub additions: u64,
    /// Multiplications and divisions by constants that are no powers of two.
    pub multiplications: u64,
    /// Multiplications and divisions by powers of two.
    pub shifts: u64,
    /// Values from delay lines, and pixels.
    pub loads: u64,
    /// Bytes of the delay lines.
    pub bytes: u64,
    /// All of it by the descriptor's weights.
    pub total: Figure,
}

/// The best plan of a method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamAttempt {
    /// What was allowed.
    pub method: String,
    /// What it costs.
    pub cost: StreamCost,
}

/// The checks of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamChecks {
    /// The kernel of every output, infinite ones as rational functions.
    pub symbolic: bool,
    /// Random images against direct convolution, with every border.
    pub executed: bool,
    /// How many pixels were compared.
    pub pixels: u64,
}

/// The e-graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamGraph {
    /// E-nodes.
    pub nodes: u64,
    /// Classes.
    pub classes: u64,
    /// Rounds of all rules.
    pub iterations: u64,
    /// Why it stopped growing.
    pub stop_reason: String,
}

/// What `kalg run` says of a plan on pictures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamRunRecord {
    /// The file of the filter, as it was named.
    pub file: String,
    /// The filter's name.
    pub filter: String,
    /// The machine's name.
    pub target: String,
    /// The type of pixels.
    pub pixel: String,
    /// What was beyond the image.
    pub border: String,
    /// What happened to results that did not fit.
    pub overflow: String,
    /// What the plan costs for each output pixel.
    pub cost: StreamCost,
    /// The pictures.
    pub inputs: Vec<StreamRunInput>,
    /// The results.
    pub outputs: Vec<StreamRunOutput>,
    /// The version of kalg.
    pub version: String,
}

/// One picture that a plan reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamRunInput {
    /// The input's name.
    pub name: String,
    /// How many of its pixels exceeded the type and were limited to its range.
    pub clipped: usize,
}

/// One result of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamRunOutput {
    /// Its name.
    pub name: String,
    /// The file that it was written to.
    pub file: String,
    /// Width and height.
    pub size: [usize; 2],
    /// The least value.
    pub least: Figure,
    /// The greatest value.
    pub greatest: Figure,
    /// How many results the file shows as black or white as they are beyond what the type or the file holds.
    pub clipped: usize,
    /// How many of these are below that range.
    pub clipped_below: usize,
    /// How many results lost their upper bits because they exceed the type.
    pub wrapped: usize,
    /// The greatest difference from direct convolution: zero for integers.
    pub greatest_difference: Figure,
}

impl StreamRunRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }

    /// The record as a report for people.
    pub fn text(&self) -> String {
        let c = &self.cost;
        let mut text = format!(
            "{} ({}) for {}: {} pixels, border {}, results that do not fit: {}\n{} additions, {} multiplications, {} shifts, {} loads for each pixel\n",
            self.filter,
            self.file,
            self.target,
            self.pixel,
            self.border,
            self.overflow,
            c.additions,
            c.multiplications,
            c.shifts,
            c.loads
        );
        for input in self.inputs.iter().filter(|input| input.clipped > 0) {
            let StreamRunInput { name, clipped } = input;
            let _ = writeln!(
                text,
                "{name}: {clipped} pixels limited to what {} holds (--type names others)",
                self.pixel
            );
        }
        for output in &self.outputs {
            let [width, height] = output.size;
            let (clipped, below) = (output.clipped, output.clipped_below);
            let parts = format!(" ({below} below, {} above)", clipped - below);
            let _ = writeln!(
                text,
                "{}: {} ({width} × {height}), {} to {}, {clipped} pixels clipped{}{}; differs from direct convolution by at most {}",
                output.name,
                output.file,
                output.least.get(),
                output.greatest.get(),
                if clipped > 0 { &parts } else { "" },
                if output.wrapped > 0 { format!(", {} wrapped", output.wrapped) } else { String::new() },
                output.greatest_difference.get()
            );
        }
        text
    }
}

impl StreamRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }
}

/// The record as a report for people. A verbose one also has the best plan of each method and the size of the e-graph.
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

/// Recurrences on floating-point pixels: the risk of using them.
const RECURRENT: &str = "recurrences: a pixel that is no number makes all that follow none, and one of 1e20 leaves its rounding error in them";
/// The price of not using them.
const NOT_RECURRENT: &str = "no recurrences: what a pixel does ends where the kernel does; --float-recurrences allows them, which may take fewer operations";

/// The cost for each pixel.
fn cost_text(record: &StreamRecord) -> String {
    let StreamCost { additions, multiplications, shifts, loads, bytes, total } = record.cost;
    let mut text = format!(
        "Cost for each pixel: {additions} additions, {multiplications} multiplications, {shifts} shifts, {loads} loads; \
         {bytes} bytes of delay lines for rows of {}: {} in all\n",
        record.width,
        total.get()
    );
    for output in record.outputs.iter().filter(|output| output.scale != "1") {
        let StreamOutput { name, scale, additions, multiplications, shifts, .. } = output;
        let _ = writeln!(
            text,
            "  of these {additions} additions, {multiplications} multiplications, {shifts} shifts to multiply `{name}` by \
             {scale} in the end"
        );
    }
    for StreamOutput { name, pixel, .. } in record.outputs.iter().filter(|output| output.table) {
        let modulo = if pixel == "float32" { "" } else { ", modulo 2^32" };
        let _ = writeln!(text, "  `{name}` has no end: {pixel}{modulo}, with zeros beyond the image");
    }
    if record.pixel == "float32" && record.semiring == "plus-times" {
        let _ = writeln!(text, "  {}", if record.recurrent { RECURRENT } else { NOT_RECURRENT });
    }
    text
}

/// The best plan of each method, and the e-graph that they come from.
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
        "\nE-graph: {nodes} nodes, {classes} classes, {iterations} iterations, {stop_reason}; {} plans compared; used: {used}",
        record.plans
    );
    text
}

/// The checks that the plan passed.
fn checks_text(record: &StreamRecord) -> String {
    let yes = |passed: bool| if passed { "equal" } else { "different" };
    format!(
        "\nChecked as rational functions: {}; beside direct convolution, {} pixels with {} (seed {}): {}; {} s\n",
        yes(record.verified.symbolic),
        record.verified.pixels,
        if record.outputs.iter().any(|output| output.table) { "zeros beyond" } else { "every border" },
        record.seed,
        yes(record.verified.executed),
        record.seconds.get()
    )
}

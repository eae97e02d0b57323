//! Records of programs for vector machines, and their text.

use std::fmt::Write;

use serde::Serialize;

use super::{LoopOperation, VectorPlan};
use crate::backend::vector::machine::Contract;
use crate::report::{Figure, counted, json_line, many};

/// The record of `kalg optimize` for one filter or workload on a vector machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VectorRecord {
    /// The file, as the user named it.
    pub file: String,
    /// The filter's or workload's name.
    pub filter: String,
    /// The machine's name.
    pub target: String,
    /// The element type.
    pub element: String,
    /// The extents of the output in `x y z k`.
    pub output: [usize; 4],
    /// The extents of the filter in `r s t c`.
    pub window: [usize; 4],
    /// The least and the greatest input for which the program is correct.
    pub range: [i64; 2],
    /// The right shift of results in bits, rounded halves up.
    pub shift: u32,
    /// The maximum error of an output: 0 if every output is exact, and never more than the tolerance.
    pub error_bound: u64,
    /// The chosen form and schedule.
    pub method: String,
    /// The columns, rows of these and single taps that make up the filter. Empty for direct forms.
    pub decomposition: Vec<String>,
    /// The number of multiplications of the direct form.
    pub macs: u64,
    /// All cycles on the simulator.
    pub cycles: u64,
    /// The time of these cycles, in microseconds.
    pub time_us: Figure,
    /// The direct form's multiplications per cycle.
    pub macs_per_cycle: Figure,
    /// The maximum number of multiplications per cycle.
    pub peak_macs_per_cycle: u64,
    /// The cycles from one iteration of the pipelined loop to the next.
    pub initiation_interval: u64,
    /// The number of iterations of the pipelined loop.
    pub iterations: u64,
    /// The number of times that the pipelined loop is entered.
    pub entries: u64,
    /// The cycle breakdown.
    pub spent: VectorCycles,
    /// The resources that the program uses. Its bundles are the code of the pipelined loop and the loads of its set-up.
    #[serde(flatten)]
    pub usage: VectorUsage,
    /// The resources of the machine.
    pub available: VectorUsage,
    /// The bank model of the cycle count.
    pub banks: BankModel,
    /// What the machine lacks for this workload, whatever the schedule.
    pub warning: Option<String>,
    /// The outputs for inputs in the range, and whether they are saturated; `null` for run-time weights.
    pub outputs: Option<VectorOutputs>,
    /// The cycle breakdown of the result, in the terms of [`VectorBaseline::plan`].
    pub plan: VectorPlan,
    /// The assumed, undocumented properties of the machine on which the cycle count rests.
    pub assumed: Option<String>,
    /// The baseline of the result.
    pub baseline: Option<VectorBaseline>,
    /// The reasons for choosing the result over the baseline, in words.
    pub why: Vec<String>,
    /// The contract between the C++ and its caller.
    pub contract: Contract,
    /// The C++ code.
    pub code: String,
    /// The bundles of the loop's kernel.
    pub schedule: Vec<String>,
    /// The operations of one iteration of the loop, and where their operands come from.
    pub operations: Vec<LoopOperation>,
    /// The checks that the program passed.
    pub verified: VectorChecks,
    /// The plans and schedules tried.
    pub attempts: Vec<VectorAttempt>,
    /// The seed of the random tiles.
    pub seed: u64,
    /// The time taken.
    pub seconds: Figure,
    /// The version of kalg.
    pub version: String,
}

/// Whether the cycle count includes waits for memory banks. All cycles of a record, including those of the baseline and
/// the attempts, are counted in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BankModel {
    /// Accesses of one bundle to one bank wait for each other.
    Modelled,
    /// No access waits, as requested.
    Ideal,
    /// No access waits: the machine's description has no banks.
    NotDescribed,
    /// No access waits: the tensors do not fit the memory, so they have no places in banks.
    NoPlaces,
}

impl BankModel {
    /// The model in words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Modelled => "accesses of a cycle to one bank wait for each other",
            Self::Ideal => "ideal, as asked for: no access waits for a bank",
            Self::NotDescribed => "ideal: the machine's description has none, no access waits for a bank",
            Self::NoPlaces => "ideal: the tensors do not fit in the memory, no access waits for a bank",
        }
    }
}

/// The range of outputs before saturation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VectorOutputs {
    /// The least output, shifted and rounded.
    pub least: i128,
    /// The greatest output, shifted and rounded.
    pub greatest: i128,
    /// Whether some exceed their type.
    pub saturated: bool,
    /// The part of the inputs' range for which no output saturates, limited to one distance from zero; `null` if there is none.
    pub unsaturated_range: Option<[i64; 2]>,
}

/// The resources that a program uses, or that a machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VectorUsage {
    /// The bundles of program memory.
    pub bundles: u64,
    /// The bytes of local memory.
    pub memory_bytes: u64,
    /// The number of vector registers.
    pub vectors: u64,
    /// The number of accumulators.
    pub accumulators: u64,
    /// The number of scalar registers for the starts of lane selections.
    pub starts: u64,
    /// The number of registers for offsets and modes of lane selections.
    pub configurations: u64,
}

/// The cycle breakdown of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VectorCycles {
    /// Cycles of the call and of loop set-ups.
    pub set_up: u64,
    /// Cycles in which the pipeline fills or empties.
    pub ramps: u64,
    /// Cycles that multiply.
    pub multiplies: u64,
    /// Cycles of the pipelined loop that do not multiply, including ramps.
    pub idle: u64,
    /// The number of vector loads.
    pub loads: u64,
    /// The number of roundings and stores.
    pub stores: u64,
    /// Cycles in which accesses wait for a bank, in addition to those above.
    pub bank_stalls: u64,
}

/// A program with the same result, to compare with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VectorBaseline {
    /// Its description.
    pub what: String,
    /// Its cycles, on the same simulator.
    pub cycles: u64,
    /// The direct form's multiplications per cycle of the baseline.
    pub macs_per_cycle: Figure,
    /// The cycle breakdown.
    pub plan: VectorPlan,
}

/// The checks of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VectorChecks {
    /// Whether every output of the tile is equal as an expression.
    pub symbolic: bool,
    /// Whether random tiles equal direct convolution, bit by bit or within the error bound.
    pub simulated: bool,
    /// Whether every output of the C++ is equal when it is followed on symbols; `null` if it runs for too long.
    pub followed: Option<bool>,
    /// The same as `simulated` for the compiled C++ on another random tile; `null` without a compiler, or after an interrupt.
    pub compiled: Option<bool>,
}

/// A plan or schedule that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VectorAttempt {
    /// Its description.
    pub method: String,
    /// Its cycles; `null` if it has no program.
    pub cycles: Option<u64>,
    /// A lower bound on its cycles, if it was not compiled because another program is faster.
    pub at_least: Option<u64>,
    /// The reason why it has no program.
    pub reason: Option<String>,
}

impl VectorRecord {
    /// What a user should know before using the program, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        self.warning.iter().cloned().chain(self.saturation()).collect()
    }

    fn saturation(&self) -> Option<String> {
        let outputs = self.outputs.filter(|outputs| outputs.saturated)?;
        let ([low, high], VectorOutputs { least, greatest, .. }) = (self.range, outputs);
        let keep = match outputs.unsaturated_range {
            Some([low, high]) if low < high => format!("inputs of {low} to {high} stay within it"),
            _ => "no range of inputs stays within it".to_owned(),
        };
        Some(format!(
            "inputs of {low} to {high} make outputs of {least} to {greatest}, which are saturated to {}; {keep}",
            self.element
        ))
    }

    /// The record as one line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }
}

/// The number of attempts that the text shows, best first.
const SHOWN: usize = 6;
/// The record as a report for people. A verbose report also lists the attempts.
pub fn vector_text(record: &VectorRecord, verbose: bool) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut text, record, verbose);
    text
}

fn sizes(extents: &[usize]) -> String {
    let shown: Vec<String> = extents.iter().map(usize::to_string).collect();
    shown.join("×")
}

fn write(out: &mut String, r: &VectorRecord, verbose: bool) -> std::fmt::Result {
    write_method(out, r)?;
    write_cost(out, r)?;
    if verbose {
        write_attempts(out, r)?;
    }
    writeln!(out, "\nThe loop, cycle by cycle ('n: of the iteration n before)")?;
    for line in &r.schedule {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "\nBuffers")?;
    for line in r.contract.describe() {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "\nCode\n{}", r.code)?;
    write_checks(out, r)
}

/// The filter and the method.
fn write_method(out: &mut String, r: &VectorRecord) -> std::fmt::Result {
    writeln!(out, "{} ({})", r.filter, r.file)?;
    let [low, high] = r.range;
    let depth = if r.output[2..] == [1, 1] && r.window[2..] == [1, 1] { 2 } else { 4 };
    writeln!(
        out,
        "for {}, {}, {} outputs of a {} window, inputs of {low} to {high}",
        r.target,
        r.element,
        sizes(&r.output[..depth]),
        sizes(&r.window[..depth])
    )?;
    for warning in r.warnings() {
        writeln!(out, "warning: {warning}")?;
    }
    writeln!(out, "\nMethod\n  {}", r.method)?;
    for part in &r.decomposition {
        writeln!(out, "    {part}")?;
    }
    if r.shift > 0 {
        writeln!(out, "  sums are shifted right by {}, halves up", r.shift)?;
    }
    if let Some(outputs) = r.outputs.filter(|outputs| !outputs.saturated) {
        writeln!(out, "  outputs are {} to {}: none is saturated", outputs.least, outputs.greatest)?;
    }
    if r.error_bound > 0 {
        writeln!(
            out,
            "  outputs may be off by up to {}: sums of columns are rounded to fit {}",
            r.error_bound, r.element
        )?;
    }
    Ok(())
}

/// The cost of the program, next to that of the baseline.
fn write_cost(out: &mut String, r: &VectorRecord) -> std::fmt::Result {
    writeln!(
        out,
        "\nCost: {}, {} µs; {:.2} multiplications of the direct form in a cycle",
        counted(r.cycles, "cycle"),
        r.time_us.get(),
        r.macs_per_cycle.get()
    )?;
    if r.macs_per_cycle.get() > r.peak_macs_per_cycle as f64 {
        writeln!(
            out,
            "  more than the datapath's {}: the form saves multiplications",
            r.peak_macs_per_cycle
        )?;
    }
    if let Some(assumed) = &r.assumed {
        writeln!(out, "  assumed: {assumed}")?;
    }
    if let Some(baseline) = &r.baseline {
        let ratio = baseline.cycles as f64 / r.cycles as f64;
        writeln!(
            out,
            "  {ratio:.2} times as fast as {}: {}, {:.2} in a cycle",
            baseline.what,
            counted(baseline.cycles, "cycle"),
            baseline.macs_per_cycle.get()
        )?;
    }
    write_usage(out, r)?;
    if let (Some(baseline), false) = (&r.baseline, r.why.is_empty()) {
        writeln!(out, "\nWhy not {} ({})", baseline.what, baseline.plan.method)?;
        for sentence in &r.why {
            writeln!(out, "  {sentence}")?;
        }
    }
    Ok(())
}

/// The attempts, fastest first.
fn write_attempts(out: &mut String, r: &VectorRecord) -> std::fmt::Result {
    writeln!(out, "\nTried")?;
    let mut tried: Vec<&VectorAttempt> = r.attempts.iter().collect();
    tried.sort_by_key(|a| (a.cycles.unwrap_or(u64::MAX), a.at_least.unwrap_or(u64::MAX)));
    for attempt in tried.iter().take(SHOWN) {
        match (&attempt.cycles, &attempt.reason) {
            (Some(cycles), _) => writeln!(out, "  {cycles:7} cycles  {}", attempt.method)?,
            (None, reason) => {
                let none = if attempt.at_least.is_some() { "slower" } else { "  none" };
                writeln!(out, "         {none}  {}: {}", attempt.method, reason.as_deref().unwrap_or(""))?
            }
        }
    }
    let slower = tried.iter().filter(|attempt| attempt.at_least.is_some()).count();
    let without = tried.iter().filter(|attempt| attempt.cycles.is_none()).count() - slower;
    writeln!(
        out,
        "  {} in all: {without} without a program, {slower} not compiled to the end, as they would be slower",
        tried.len()
    )?;
    Ok(())
}

/// The results of the checks.
fn write_checks(out: &mut String, r: &VectorRecord) -> std::fmt::Result {
    let yes = |passed: bool| if passed { "equal" } else { "different" };
    let (on_symbols, on_tiles) = match r.error_bound {
        0 => ("every output".to_owned(), "bit by bit".to_owned()),
        bound => ("every output but for its rounding".to_owned(), format!("within {bound}")),
    };
    writeln!(
        out,
        "Checked on symbols, {on_symbols}: {}; on random tiles, {on_tiles} (seed {}): {}; the C++, {}, {}; {} s",
        yes(r.verified.symbolic),
        r.seed,
        yes(r.verified.simulated),
        match r.verified.followed {
            Some(passed) => format!("followed: {}", yes(passed)),
            None => "not followed: it runs for too long".to_owned(),
        },
        match r.verified.compiled {
            Some(passed) => format!("compiled and run: {}", yes(passed)),
            None => "not compiled: there was no compiler, or no time".to_owned(),
        },
        r.seconds.get()
    )
}

/// The cycle breakdown, and the resources that the program uses.
fn write_usage(out: &mut String, r: &VectorRecord) -> std::fmt::Result {
    let (plan, usage, of) = (&r.plan, &r.usage, &r.available);
    writeln!(
        out,
        "  {} into a loop of {}, one every {}",
        many(r.entries, "entry", "entries"),
        counted(r.iterations, "iteration"),
        counted(r.initiation_interval, "cycle")
    )?;
    writeln!(out, "\nWhere the cycles go")?;
    writeln!(
        out,
        "  {:7}  multiply; beside them {}, {}",
        plan.multiplies,
        counted(plan.loads, "load"),
        many(plan.stores, "rounding and store", "roundings and stores")
    )?;
    writeln!(out, "  {:7}  stall: a slot, a pointer or an operand is waited for", plan.stalls)?;
    writeln!(out, "  {:7}  wait for a bank of the memory (banks: {})", plan.bank_stalls, r.banks.describe())?;
    writeln!(out, "  {:7}  fill and empty the pipeline", plan.ramps)?;
    writeln!(out, "  {:7}  call and set up loops", plan.set_up)?;
    writeln!(out, "\nWhat the program takes")?;
    writeln!(
        out,
        "  {} of {} bundles of program memory, {} of {} bytes for tensors",
        usage.bundles, of.bundles, usage.memory_bytes, of.memory_bytes
    )?;
    // Starts for which no register is left are moved into one when needed.
    let starts = match usage.starts.checked_sub(of.starts) {
        None | Some(0) => format!("{} of {} scalar registers", usage.starts, of.starts),
        Some(more) => format!("all {} scalar registers, one of them for {} values,", of.starts, more + 1),
    };
    writeln!(
        out,
        "  {} of {} vector registers, {} of {} accumulators; {starts} and {} of {} configurations for lane selection",
        usage.vectors,
        of.vectors,
        usage.accumulators,
        of.accumulators,
        usage.configurations,
        of.configurations
    )
}

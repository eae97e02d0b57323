//! Records of programs for vector machines, and their text.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::VectorPlan;
use crate::backend::vector::machine::Contract;
use crate::report::{Figure, json_line};

/// What `kalg optimize` says of one filter or workload on a vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VectorRecord {
    /// The file, as it was named.
    pub file: String,
    /// The filter's or workload's name.
    pub filter: String,
    /// The machine's name.
    pub target: String,
    /// The type of elements.
    pub element: String,
    /// The extents of the output in `x y z k`.
    pub output: [usize; 4],
    /// The extents of the filter in `r s t c`.
    pub window: [usize; 4],
    /// The least and the greatest input that the program is right for.
    pub range: [i64; 2],
    /// The bits that results are shifted right by, halves up.
    pub shift: u32,
    /// How far an output may be from the exact result: 0 where each is exact, and never more than was tolerated.
    pub error_bound: u64,
    /// The form and schedule that were chosen.
    pub method: String,
    /// The columns, rows of them and single taps that the filter is put together from; empty for direct forms.
    pub decomposition: Vec<String>,
    /// The multiplications of the direct form.
    pub macs: u64,
    /// All cycles on the simulator.
    pub cycles: u64,
    /// The time that they take, in microseconds.
    pub time_us: Figure,
    /// The direct form's multiplications for each cycle.
    pub macs_per_cycle: Figure,
    /// What the datapath multiplies in a cycle.
    pub peak_macs_per_cycle: u64,
    /// Cycles from one iteration of the pipelined loop to the next.
    pub initiation_interval: u64,
    /// Iterations of the pipelined loop.
    pub iterations: u64,
    /// How often the pipelined loop is entered.
    pub entries: u64,
    /// Where the cycles went.
    pub spent: VectorCycles,
    /// What the program takes: of program memory, the code of the pipelined loop and the loads of its set-up.
    #[serde(flatten)]
    pub usage: VectorUsage,
    /// What the machine has of all these.
    pub available: VectorUsage,
    /// What the cycles say of banks of the memory.
    #[serde(default)]
    pub banks: BankModel,
    /// What the machine lacks for this workload, whatever the schedule.
    pub warning: Option<String>,
    /// What outputs can be for inputs in the range, and whether they are saturated; `null` for weights of the run.
    pub outputs: Option<VectorOutputs>,
    /// Where the cycles of the result go, in the terms of [`VectorBaseline::plan`].
    pub plan: VectorPlan,
    /// What the cycles rest on that is assumed of the machine and not documented.
    pub assumed: Option<String>,
    /// What the result is compared with.
    pub baseline: Option<VectorBaseline>,
    /// Why the one was chosen and not the other, in words.
    pub why: Vec<String>,
    /// What a caller of the C++ must know of its buffers.
    #[serde(default)]
    pub contract: Contract,
    /// The C++.
    pub code: String,
    /// The bundles of the loop's kernel.
    pub schedule: Vec<String>,
    /// The checks that it passed.
    pub verified: VectorChecks,
    /// What was tried.
    pub attempts: Vec<VectorAttempt>,
    /// The seed of the random tiles.
    pub seed: u64,
    /// How long it took.
    pub seconds: Figure,
    /// The version of kalg.
    pub version: String,
}

/// Whether cycles count what accesses wait for banks of the memory. All cycles of a record, the baseline's and those of what was
/// tried, too, are counted in one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BankModel {
    /// Accesses of one bundle to one bank wait for each other.
    Modelled,
    /// No access waits, as requested.
    Ideal,
    /// No access waits: the machine's description has no banks.
    #[default]
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
            Self::NoPlaces => "ideal: the tensors do not fit the memory, no access waits for a bank",
        }
    }
}

/// What outputs can be before they are saturated to their type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorOutputs {
    /// The least one, shifted and rounded.
    pub least: i128,
    /// The greatest one.
    pub greatest: i128,
    /// Whether some are beyond their type.
    pub saturated: bool,
    /// The part of the inputs' range, cut off at one distance from zero, for which none is; `null` where there is none.
    pub unsaturated_range: Option<[i64; 2]>,
}

/// What a program takes of a machine, or what a machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorUsage {
    /// Bundles of program memory.
    pub bundles: u64,
    /// Bytes of local memory.
    pub memory_bytes: u64,
    /// Vector registers.
    pub vectors: u64,
    /// Accumulators.
    pub accumulators: u64,
    /// Scalar registers for the starts of lane selections.
    pub starts: u64,
    /// Registers for offsets and modes of lane selections.
    pub configurations: u64,
}

/// Where the cycles of a run went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorCycles {
    /// Call and loop set-ups.
    pub set_up: u64,
    /// Cycles in which the pipeline fills or empties.
    pub ramps: u64,
    /// Cycles that multiply.
    pub multiplies: u64,
    /// Cycles of the pipelined loop that do not, ramps included.
    pub idle: u64,
    /// Vector loads.
    pub loads: u64,
    /// Roundings and stores.
    pub stores: u64,
    /// Cycles in which accesses wait for a bank, beyond those above.
    #[serde(default)]
    pub bank_stalls: u64,
}

/// Another way to compute the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VectorBaseline {
    /// What it is.
    pub what: String,
    /// Its cycles, on the same simulator.
    pub cycles: u64,
    /// The direct form's multiplications for each of them.
    pub macs_per_cycle: Figure,
    /// Where they go.
    pub plan: VectorPlan,
}

/// The checks of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorChecks {
    /// Every output of the tile as an expression.
    pub symbolic: bool,
    /// Random tiles against direct convolution, bit by bit.
    pub simulated: bool,
    /// The C++, compiled and run on a random tile; `null` where no compiler was at hand, or someone waited.
    pub compiled: Option<bool>,
}

/// A plan or schedule that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorAttempt {
    /// What was tried.
    pub method: String,
    /// Its cycles; `null` where it has no program.
    pub cycles: Option<u64>,
    /// The cycles that it takes at least, where no program was made of it as another one's is faster.
    pub at_least: Option<u64>,
    /// Why it has none.
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

    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }
}

/// Tried ways that the text shows: the best ones.
const SHOWN: usize = 6;
/// The record as a report for people. A verbose one also lists the programs that were tried.
pub fn vector_text(record: &VectorRecord, verbose: bool) -> String {
    let mut text = String::new();
    // Writing to a text cannot fail.
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

/// What is computed, and how.
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

/// What the program costs, next to what it is compared with.
fn write_cost(out: &mut String, r: &VectorRecord) -> std::fmt::Result {
    writeln!(
        out,
        "\nCost: {} cycles, {} µs; {:.2} multiplications of the direct form in a cycle",
        r.cycles,
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
            "  {ratio:.2} times as fast as {}: {} cycles, {:.2} in a cycle",
            baseline.what,
            baseline.cycles,
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

/// The programs that were tried, the fastest first.
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

/// What the checks said.
fn write_checks(out: &mut String, r: &VectorRecord) -> std::fmt::Result {
    let yes = |passed: bool| if passed { "equal" } else { "different" };
    let (on_symbols, on_tiles) = match r.error_bound {
        0 => ("every output".to_owned(), "bit by bit".to_owned()),
        bound => ("every output but for its rounding".to_owned(), format!("within {bound}")),
    };
    writeln!(
        out,
        "Checked on symbols, {on_symbols}: {}; on random tiles, {on_tiles} (seed {}): {}; the C++, {}; {} s",
        yes(r.verified.symbolic),
        r.seed,
        yes(r.verified.simulated),
        match r.verified.compiled {
            Some(passed) => format!("compiled and run: {}", yes(passed)),
            None => "not compiled: there was no compiler, or no time".to_owned(),
        },
        r.seconds.get()
    )
}

/// Where the cycles go, and what the program takes of the machine.
fn write_usage(out: &mut String, r: &VectorRecord) -> std::fmt::Result {
    let (plan, usage, of) = (&r.plan, &r.usage, &r.available);
    writeln!(
        out,
        "  {} into a loop of {} iterations, one every {} cycles",
        if r.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", r.entries) },
        r.iterations,
        r.initiation_interval
    )?;
    writeln!(out, "\nWhere the cycles go")?;
    writeln!(
        out,
        "  {:7}  multiply; beside them {} loads, {} roundings and stores",
        plan.multiplies, plan.loads, plan.stores
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
    // Starts beyond the registers for them are moved into one when they are needed.
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

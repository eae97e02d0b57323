//! `kalg bench` with line-buffered hardware: what designs of pipelines take, beside what others say of the same pipelines.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::clock::clock;
use super::complain::refused;
use super::files::{self, Scratch};
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::backend::Request;
use crate::backend::hardware::machine::HardwareMachine;
use crate::backend::hardware::report::HardwareRecord;
use crate::backend::hardware::{Designed, optimize_hardware};
use crate::backend::option::OptionValues;
use crate::budget::Budget;
use crate::report::{VERSION, json_line};
use crate::syntax::Source;

/// The designs, with the figures of others, relative to the working folder.
const CASES: &str = "corpus/hardware/cases.json";

/// The program that synthesizes designs where it is installed, and the family of devices that it does this for.
const SYNTHESIS: [&str; 2] = ["yosys", "xc7"];

/// The machine whose designs are measured.
pub(super) fn machine() -> &'static str {
    HardwareMachine::builtin_names().first().copied().unwrap_or_default()
}

/// The file of designs.
#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

/// A design.
#[derive(Deserialize)]
struct Case {
    /// The pipeline, relative to the working folder.
    file: PathBuf,
    /// The columns and rows of pictures.
    size: [usize; 2],
    /// The pixels in a clock.
    #[serde(default = "one")]
    lanes: usize,
    /// The clocks of a pixel.
    #[serde(default = "one")]
    clocks: usize,
    /// Whether the pixels around pictures are sent with them.
    #[serde(default)]
    halo: bool,
    /// What a bit that is kept is worth, if not the machine's price.
    #[serde(default)]
    buffer_price: Option<String>,
    /// Whether it is synthesized where that is possible. That takes long.
    #[serde(default)]
    synthesize: bool,
    /// What others say of the same pipeline, and what is wanted.
    #[serde(default)]
    others: Vec<Figures>,
}

fn one() -> usize {
    1
}

/// Figures of a design. What nobody says is left out.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct Figures {
    /// Whose they are, and how they were found.
    by: String,
    /// The additions and subtractions for a pixel.
    #[serde(skip_serializing_if = "Option::is_none")]
    adders: Option<f64>,
    /// The products for a pixel.
    #[serde(skip_serializing_if = "Option::is_none")]
    multipliers: Option<f64>,
    /// The comparisons, minima, maxima and absolute values for a pixel.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparators: Option<f64>,
    /// The bits of delay lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_bits: Option<f64>,
    /// The bits that no delay lines can do without.
    #[serde(skip_serializing_if = "Option::is_none")]
    least_bits: Option<f64>,
    /// Block RAMs of 18 kbit.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_rams: Option<f64>,
    /// The clocks of a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    clocks: Option<f64>,
    /// The look-up tables, shift registers among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    luts: Option<f64>,
    /// The hard multipliers.
    #[serde(skip_serializing_if = "Option::is_none")]
    hard_multipliers: Option<f64>,
    /// The seconds of compilation.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

/// A design and all figures of it, as a line of JSON.
#[derive(Serialize)]
struct Measured {
    record: HardwareRecord,
    /// With the version of the tool.
    synthesis: Option<Figures>,
    others: Vec<Figures>,
}

/// Compiles the designs whose files' names contain `only`; prints a table, or one line of JSON for each and a summary line.
///
/// # Errors
/// The list of designs is not there or not valid, or a tool fails.
pub(super) fn run(json: bool, only: Option<&str>, mut output: Output) -> Result<Outcome, CommandError> {
    let name = machine();
    let machine = HardwareMachine::builtin(name);
    let machine = machine.ok_or_else(|| CommandError::Usage(format!("no machine `{name}`")))?;
    let Cases { cases } = files::data(Path::new(CASES))?;
    let tool = version();
    if tool.is_none() {
        eprintln!("`{}` is not installed, so nothing is synthesized", SYNTHESIS[0]);
    }
    let mut rows = Vec::new();
    let is_wanted = |case: &Case| only.is_none_or(|part| case.file.to_string_lossy().contains(part));
    for case in cases.into_iter().filter(is_wanted) {
        let request = request(&case, files::source(&case.file)?);
        let designed = match optimize_hardware(&request, &machine) {
            Ok(designed) => designed,
            Err(error) => return Ok(refused(&request.source, error)),
        };
        let measured = measured(case, designed, tool.as_deref())?;
        if json {
            output.put(&json_line(&measured))?;
        }
        rows.push(measured);
    }
    if json {
        let summary = serde_json::json!({ "designs": rows.len(), "synthesis": tool });
        output.put(&json_line(&serde_json::json!({ "summary": summary, "version": VERSION })))?;
    } else {
        output.put(&table(&rows, tool.as_deref()))?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}

/// The request to compile a design.
fn request(case: &Case, source: Source) -> Request {
    let [width, height] = case.size.map(|size| [size.to_string()]);
    let mut options = OptionValues::default()
        .with("width", width)
        .with("height", height)
        .with("pixels-per-clock", [case.lanes.to_string()])
        .with("clocks-per-pixel", [case.clocks.to_string()]);
    if case.halo {
        options = options.with("halo", [""; 0]);
    }
    if let Some(price) = &case.buffer_price {
        options = options.with("buffer-price", [price.clone()]);
    }
    let budget = Budget::unlimited().with_clock(&clock());
    Request { options, budget, ..Request::new(source) }
}

/// A design with all figures of it.
fn measured(case: Case, designed: Designed, tool: Option<&str>) -> Result<Measured, CommandError> {
    let synthesis = match tool.filter(|_| case.synthesize) {
        Some(tool) => Some(Figures { by: tool.to_owned(), ..synthesis(&designed.verilog())? }),
        None => None,
    };
    Ok(Measured { record: designed.record, synthesis, others: case.others })
}

/// The version of the tool for synthesis, in its own words; `None` where it is not installed.
fn version() -> Option<String> {
    let said = Command::new(SYNTHESIS[0]).arg("-V").output().ok().filter(|said| said.status.success())?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    // What follows says how the tool itself was built.
    text.split(" (").next().map(|version| version.trim().to_owned())
}

/// What synthesis makes of a design.
fn synthesis(text: &str) -> Result<Figures, CommandError> {
    let [tool, family] = SYNTHESIS;
    let failed = |why: String| CommandError::Usage(format!("`{tool}` failed: {why}"));
    let folder = Scratch::new("bench").map_err(|error| failed(error.to_string()))?;
    let [design, report] = ["design.sv", "report.txt"].map(|name| folder.path().join(name));
    std::fs::write(&design, text).map_err(|error| failed(error.to_string()))?;
    let script = format!(
        "read_verilog -sv {}; synth_xilinx -family {family} -flatten; tee -q -o {} stat",
        design.display(),
        report.display()
    );
    let said = Command::new(tool).args(["-q", "-p", &script]).output();
    let said = said.map_err(|error| failed(error.to_string()))?;
    if !said.status.success() {
        return Err(failed(String::from_utf8_lossy(&said.stderr).into_owned()));
    }
    let report = std::fs::read_to_string(&report).map_err(|error| failed(error.to_string()))?;
    Ok(counted(&report))
}

/// The figures in a report: lines of a kind of cell and a count.
fn counted(report: &str) -> Figures {
    let count = |kinds: &[(&str, f64)]| {
        let of = |line: &str| {
            let (kind, count) = line.trim().split_once(' ')?;
            let (_, times) = kinds.iter().find(|(start, _)| kind.starts_with(start))?;
            Some(count.trim().parse::<f64>().ok()? * times)
        };
        // The sum of nothing would be −0.
        Some(report.lines().filter_map(of).fold(0.0, |sum, count| sum + count))
    };
    Figures {
        luts: count(&[("LUT", 1.0), ("SRL", 1.0), ("RAM32", 1.0), ("RAM64", 1.0), ("RAM128", 2.0)]),
        hard_multipliers: count(&[("DSP", 1.0)]),
        block_rams: count(&[("RAMB18", 1.0), ("RAMB36", 2.0)]),
        ..Figures::default()
    }
}

/// The figures of kalg.
fn own(record: &HardwareRecord) -> Figures {
    let (units, memory) = (&record.units, &record.memory);
    let number = |count: u64| Some(count as f64);
    let all = |counts: &mut dyn Iterator<Item = &usize>| Some(counts.sum::<usize>() as f64);
    Figures {
        by: "kalg (estimates)".to_owned(),
        adders: all(&mut units.adders.values()),
        multipliers: all(&mut units.multipliers.values()),
        comparators: all(&mut units.comparators.values()),
        line_bits: number(memory.line_bits + memory.row_bits),
        least_bits: number(memory.least_bits),
        block_rams: number(memory.block_rams),
        clocks: Some(record.clocks as f64),
        luts: number(units.estimated_luts),
        hard_multipliers: number(units.hard_multipliers),
        seconds: Some(record.seconds.get()),
    }
}

/// All figures, a row for each design and for each that says something of it.
fn table(rows: &[Measured], tool: Option<&str>) -> String {
    let tool = tool.unwrap_or("no tool for synthesis");
    let mut text = format!(
        "## Line-buffered hardware\n\n\
         Adders, multipliers and comparators (of minima and maxima, too) are those of a lane, for a pixel; all else is of the whole design. Bits are those of delay lines and of rows of held values; \
         no lags keep fewer than the lower bound. Block RAMs are of 18 kbit. kalg's look-up tables are an estimate; with shift registers, \
         and after synthesis for {} by {tool}, they are in rows of their own. No design was placed or routed; other tools count otherwise.\n\n\
         | pipeline | picture | pixels a clock | by | adders | multipliers | comparators | bits | lower bound | block RAMs | clocks a frame | look-up tables | hard multipliers | seconds |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        SYNTHESIS[1]
    );
    for Measured { record, synthesis, others } in rows {
        let [width, height] = record.size;
        let margins = if record.margins == "sent" { " and margins" } else { "" };
        let rate = match record.clocks_per_pixel {
            1 => record.pixels_per_clock.to_string(),
            clocks => format!("1/{clocks}"),
        };
        for figures in std::iter::once(&own(record)).chain(synthesis).chain(others) {
            let _ = writeln!(
                text,
                "| {} | {width}×{height}{margins} | {rate} | {} |{} {} |",
                record.pipeline,
                figures.by,
                figures.cells(),
                figures.seconds.map_or(String::new(), |seconds| format!("{seconds:.1}"))
            );
        }
    }
    text
}

impl Figures {
    /// The cells of a row but for the seconds.
    fn cells(&self) -> String {
        let all = [
            self.adders,
            self.multipliers,
            self.comparators,
            self.line_bits,
            self.least_bits,
            self.block_rams,
            self.clocks,
            self.luts,
            self.hard_multipliers,
        ];
        all.iter().map(|one| one.map_or(" |".to_owned(), |one| format!(" {one} |"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_synthesis_are_counted_by_kinds_of_cells() {
        let report = "   Number of cells: 99\n     CARRY4    7\n     DSP48E1   2\n     FDRE   50\n     LUT2   10\n     LUT6    5\n     \
                      RAMB18E1  1\n     RAMB36E1 3\n     SRL16E  4\n";
        let found = counted(report);
        let all = [found.luts, found.hard_multipliers, found.block_rams, found.adders];
        assert_eq!(all, [Some(19.0), Some(2.0), Some(7.0), None]);
        assert_eq!(counted("").cells(), " | | | | | 0 | | 0 | 0 |");
    }

    #[test]
    fn a_row_has_what_is_known() {
        let others = r#"{"by": "them", "luts": 4788, "block_rams": 8.4}"#;
        let figures: Figures = serde_json::from_str(others).unwrap();
        assert_eq!(figures.cells(), " | | | | | 8.4 | | 4788 | |");
        assert!(serde_json::from_str::<Figures>(r#"{"by": "them", "dsps": 1}"#).is_err());
    }
}

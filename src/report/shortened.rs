//! The record of a whole program that was shortened, as JSON, as text and as code.

use std::fmt::Write;

use serde::Serialize;

use super::measured::range_text;
use super::text::valid;
use super::{Border, ErrorRecord, Figure, RangeRecord, counted, json_line};

/// The result of `kalg optimize` for a program with conditions or digital registers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShortenedRecord {
    /// The program's file, as named on the command line.
    pub file: String,
    /// The target's name.
    pub target: String,
    /// The instruction set of new instructions.
    pub isa: String,
    /// The objective: `cycles` or `instructions`.
    pub objective: String,
    /// The registers and bits that hold at the end what the given program leaves in them.
    pub kept: Vec<String>,
    /// Whether these were named; otherwise they are all that the host may see.
    pub named: bool,
    /// What else stays as in the given program: `compensation`, `registers`.
    pub keep: Vec<String>,
    /// The number of instructions.
    pub instructions: u32,
    /// The number of instructions of the given program, with loops and functions unfolded.
    pub instructions_before: u32,
    /// The number of cycles.
    pub cycles: u32,
    /// The number of cycles of the given program.
    pub cycles_before: u32,
    /// The running time of the program on the target, in microseconds.
    pub time_us: Figure,
    /// The energy of the whole array for one run, in microjoules.
    pub energy_uj: Figure,
    /// The program in the target's syntax, one instruction per element.
    pub program: Vec<String>,
    /// The stretches that were searched.
    pub stretches: Vec<StretchRecord>,
    /// The windows of digital instructions that were remade.
    pub windows: Vec<WindowRecord>,
    /// The instructions that changed nothing that is kept.
    pub removed: Vec<RemovedLine>,
    /// The given program and the new one, line by line.
    pub changes: Vec<Change>,
    /// An amplitude of the inputs, and of what registers hold at the start, for which no register overflows; `null` if none is known.
    pub range: Option<RangeRecord>,
    /// The number of invalid rows and columns, on each side, of what is kept; `null` if it depends on the whole image.
    pub valid_border: Option<Border>,
    /// The same of the given program.
    pub valid_border_before: Option<Border>,
    /// What was proved: `whole` if the programs were compared as a whole, `parts` if each stretch and window that was replaced was
    /// compared by itself, `unchanged` if there is nothing to compare.
    pub verified: String,
    /// Why the programs could not be compared as a whole; `null` if they were.
    pub undecided: Option<String>,
    /// The number of search nodes expanded.
    pub nodes_searched: u64,
    /// The duration of the whole run.
    pub seconds: Figure,
    /// The error: always `null` in this record.
    pub error: Option<ErrorRecord>,
    /// The random seed.
    pub seed: u64,
    /// The version of kalg.
    pub version: String,
}

/// A run of linear instructions under one state of the flag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StretchRecord {
    /// The first line of the source that it comes from.
    pub first_line: u32,
    /// The last one.
    pub last_line: u32,
    /// Whether the flag may be 0 in some elements.
    pub masked: bool,
    /// Whether other lines were moved out of it: those before which or after which they may stand as well.
    pub gathered: bool,
    /// Its instructions.
    pub instructions: Vec<String>,
    /// The instructions in their place; `null` if nothing cheaper was found.
    pub replacement: Option<Vec<String>>,
    /// Its cycles.
    pub cycles_before: u32,
    /// The cycles of what stands in its place now.
    pub cycles: u32,
}

/// A few digital instructions that were replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WindowRecord {
    /// The first line of the source that they come from.
    pub first_line: u32,
    /// The last one.
    pub last_line: u32,
    /// The instructions.
    pub instructions: Vec<String>,
    /// The instructions in their place.
    pub replacement: Vec<String>,
    /// Their cycles.
    pub cycles_before: u32,
    /// The cycles of what stands in their place now.
    pub cycles: u32,
}

/// An instruction that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RemovedLine {
    /// Its line in the source.
    pub line: u32,
    /// The instruction.
    pub instruction: String,
    /// Its cycles.
    pub cycles: u32,
}

/// A line of the difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// `-` if the instruction goes, `+` if it comes, a blank if it stays.
    pub sign: String,
    /// The instruction.
    pub instruction: String,
    /// Its line in the source; `null` for a new one.
    pub line: Option<u32>,
    /// Its cycles.
    pub cycles: u32,
}

/// How many instructions are shown before and after a change.
const AROUND: usize = 2;

impl ShortenedRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }

    /// The program with a comment before it.
    pub fn code(&self) -> String {
        let mut text = format!(
            "// {}: keeps {}; {} for {}; checked by kalg {}\n",
            self.file,
            self.kept.join(" "),
            counted(u64::from(self.cycles), "cycle"),
            self.cycles_before,
            self.version
        );
        for line in &self.program {
            text.push_str(line);
            text.push('\n');
        }
        text
    }

    /// The record as text, with a line break at the end.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}\nfor {}, {} instructions; fewest {}; keeps {}",
            self.file,
            self.target,
            self.isa,
            self.objective,
            if self.kept.is_empty() { "nothing".to_owned() } else { self.kept.join(" ") }
        );
        if self.keep.iter().any(|what| what == "compensation") {
            text.push_str(", and what cancels errors");
        }
        if !self.named {
            text.push_str("\n  (all that the host may see: --lift names what matters)");
        }
        let _ = write!(
            text,
            "\n\nCost: {}, {}, {} µs, {} µJ\n  the program that was given takes {}, {}",
            counted(u64::from(self.instructions), "instruction"),
            counted(u64::from(self.cycles), "cycle"),
            self.time_us.get(),
            self.energy_uj.get(),
            counted(u64::from(self.instructions_before), "instruction"),
            counted(u64::from(self.cycles_before), "cycle")
        );
        text.push_str(&section("Linear stretches", self.stretches.iter().map(StretchRecord::text)));
        text.push_str(&section("Digital instructions remade", self.windows.iter().map(WindowRecord::text)));
        let removed = self.removed.iter().map(|own| format!("line {}: {}", own.line, own.instruction));
        text.push_str(&section("Removed, since they change nothing that is kept", removed));
        for line in self.difference() {
            let _ = write!(text, "\n{line}");
        }
        if let Some(range) = &self.range {
            let _ = write!(text, "\n\n{}", range_text(range));
        }
        if let Some(border) = self.valid_border {
            let _ = write!(text, "\n\nWhat it keeps is {}", valid(border));
            if let Some(before) = self.valid_border_before.filter(|before| *before != border) {
                let _ = write!(text, "\n  in the program that was given it is {}", valid(before));
            }
        }
        let _ = write!(text, "\n\n{}\n", self.check());
        text
    }

    fn check(&self) -> String {
        match (self.verified.as_str(), &self.undecided) {
            ("whole", _) => {
                "Checked: as a whole it leaves what the given program leaves, for every image".to_owned()
            }
            ("parts", Some(why)) => format!(
                "Checked: each part that was replaced by itself leaves what it left, for every image\n  not compared as a whole: {why}"
            ),
            _ => "Nothing cheaper was found: the program is as it was given".to_owned(),
        }
    }

    /// The changes with a few instructions around them; nothing if there are none.
    fn difference(&self) -> Vec<String> {
        let changed: Vec<usize> =
            (0..self.changes.len()).filter(|at| self.changes[*at].sign != " ").collect();
        if changed.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![String::new(), "Changes".to_owned()];
        let mut hidden = false;
        for (at, change) in self.changes.iter().enumerate() {
            if changed.iter().any(|own| own.abs_diff(at) <= AROUND) {
                let place = change.line.map_or_else(String::new, |line| line.to_string());
                lines.push(format!("  {place:>4} {} {}", change.sign, change.instruction));
                hidden = false;
            } else if !std::mem::replace(&mut hidden, true) {
                lines.push("       …".to_owned());
            }
        }
        lines
    }
}

impl StretchRecord {
    fn text(&self) -> String {
        let lines = lines_text(self.first_line, self.last_line);
        let masked = if self.masked { ", under a mask" } else { "" };
        let gathered = if self.gathered { ", with others moved out" } else { "" };
        let cycles = counted(u64::from(self.cycles_before), "cycle");
        match &self.replacement {
            Some(_) => format!("{lines}{masked}{gathered}: {cycles}, now {}", self.cycles),
            None => format!("{lines}{masked}{gathered}: {cycles}, nothing cheaper found"),
        }
    }
}

impl WindowRecord {
    fn text(&self) -> String {
        let lines = lines_text(self.first_line, self.last_line);
        format!("{lines}: {}, now {}", counted(u64::from(self.cycles_before), "cycle"), self.cycles)
    }
}

/// A heading with lines under it, the same ones once: how often they occur is said. Nothing without lines.
fn section(heading: &str, lines: impl Iterator<Item = String>) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for line in lines {
        match counts.iter_mut().find(|(known, _)| *known == line) {
            Some((_, count)) => *count += 1,
            None => counts.push((line, 1)),
        }
    }
    if counts.is_empty() {
        return String::new();
    }
    let times = |count: usize| if count > 1 { format!(" ({count} times)") } else { String::new() };
    let lines = counts.iter().map(|(line, count)| format!("\n  {line}{}", times(*count)));
    format!("\n\n{heading}{}", lines.collect::<String>())
}

fn lines_text(first: u32, last: u32) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_lines_stand_once() {
        let lines = ["line 3: a", "line 3: b", "line 3: a"].map(str::to_owned);
        assert_eq!(section("Removed", lines.into_iter()), "\n\nRemoved\n  line 3: a (2 times)\n  line 3: b");
        assert_eq!(section("Removed", std::iter::empty()), "");
    }
}

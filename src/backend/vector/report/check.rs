//! The record of a check of code in vector intrinsics, and its text.

use std::fmt::Write;

use serde::Serialize;

use crate::report::{
    Answer, CheckedOutput, CounterexampleRecord, ErrorRecord, Figure, Kernel, Port, RegisterRecord, Remark,
    UpTo,
};
use crate::report::{answer, push_kernels, push_lines, remarks, verdict_text};
use crate::report::{counted, kernel_lines};

/// The record of `kalg check` for code in vector intrinsics: the fields of [`CheckRecord`](crate::report::CheckRecord) and others.
///
/// Arrays take the place of registers. Fields that depend on how a compiler schedules the code are `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CodeCheckRecord {
    /// The file, as the user named it.
    pub file: String,
    /// The file that it was compared with; `null` if there is none.
    pub against: Option<String>,
    /// The machine's name.
    pub target: String,
    /// The number of the function in the file, counted from 1; `null` if the file has only one.
    pub block: Option<usize>,
    /// Its name; `null` for statements outside of functions.
    pub function: Option<String>,
    /// The verdict; `null` if there is nothing to compare with.
    pub verdict: Option<Answer>,
    /// The number of multiplications, loads and stores executed.
    pub instructions: usize,
    /// Always `null`, because a compiler schedules the code.
    pub cycles: Option<u32>,
    /// Always `null`.
    pub time_us: Option<Figure>,
    /// Always `null`.
    pub energy_uj: Option<Figure>,
    /// The number of multiplying intrinsics executed.
    pub multiplications: usize,
    /// The number of vectors and elements loaded.
    pub loads: usize,
    /// The number of vectors and elements stored.
    pub stores: usize,
    /// The inputs and the arrays that hold them. If there are several rows, the array of the first.
    pub inputs: Vec<Port>,
    /// The arrays of each input, row by row.
    pub rows: Vec<Vec<String>>,
    /// The column and row of the input element below the first output.
    pub anchor: [i64; 2],
    /// The right shifts of sums, in bits.
    pub shifts: Vec<u32>,
    /// The rounding mode of these shifts.
    pub rounding: String,
    /// The arrays that are read without having been written.
    pub uninitialised: Vec<String>,
    /// The findings on each expected output.
    pub outputs: Vec<CheckedOutput>,
    /// The contents of each written array, in the order of the first write.
    pub registers: Vec<RegisterRecord>,
    /// The layout of the images in memory.
    pub layouts: Vec<LayoutRecord>,
    /// The output elements by kernel. Wrong ones come first in each output.
    pub groups: Vec<GroupRecord>,
    /// The values that unknown weights must have for the verdict to hold.
    pub weights: Vec<WeightRecord>,
    /// An input element that shows the first mistake; `null` if there is none.
    pub witness: Option<WitnessRecord>,
    /// Always `null`: see [`witness`](Self::witness).
    pub counterexample: Option<CounterexampleRecord>,
    /// Remarks of the kind that a reviewer would make.
    pub warnings: Vec<Remark>,
    /// Places where the check departs from the machine.
    pub notes: Vec<Remark>,
    /// Always `null` in this record.
    pub error: Option<ErrorRecord>,
    /// The version of kalg.
    pub version: String,
}

/// The layout of an output's images in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LayoutRecord {
    /// The output.
    pub output: String,
    /// The width and height.
    pub size: [usize; 2],
    /// The row pitch of the inputs in elements; `null` if every row has a pointer, or there is only one row.
    pub pitch: Option<i64>,
    /// The row pitch of the output in elements; `null` for one row.
    pub output_pitch: Option<i64>,
    /// The number of elements written outside the tile.
    pub outside: usize,
}

/// Elements of an output that compute the same kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupRecord {
    /// The output.
    pub output: String,
    /// The verdict on them; `null` if there is nothing to compare with.
    pub verdict: Option<Answer>,
    /// The transformation from the expected kernels to theirs; `null` if there is none.
    pub up_to: Option<UpTo>,
    /// The number of elements.
    pub count: usize,
    /// Their place, in words.
    pub place: String,
    /// The column and row of the first one.
    pub first: [i64; 2],
    /// The line that stores the first one; `null` for elements that are not written.
    pub line: Option<usize>,
    /// Their kernels; `null` for elements that are not written.
    pub kernels: Option<Vec<Kernel>>,
}

/// A weight and its required value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WeightRecord {
    /// Its array.
    pub array: String,
    /// Its index there.
    pub index: i64,
    /// The value.
    pub value: String,
}

/// An input element and its contribution to an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WitnessRecord {
    /// The input element, such as `in[3]`.
    pub input: String,
    /// The output element.
    pub output: String,
    /// The expected factor.
    pub expected: String,
    /// The actual factor.
    pub found: String,
}

/// The number of groups of an output that the text shows.
const SHOWN: usize = 5;

/// The record as text for people, with a line break at the end.
pub fn code_check_text(record: &CodeCheckRecord) -> String {
    let mut sections = vec![headline(record)];
    sections.extend(record.outputs.iter().map(|output| compared(record, output)));
    if record.verdict.is_none() {
        sections.extend(record.registers.iter().map(|register| computed(record, &register.register)));
    }
    sections.extend(record.witness.as_ref().map(|w| {
        format!(
            "An element that shows it: {} is multiplied by {} in {}, and should be multiplied by {}",
            w.input, w.found, w.output, w.expected
        )
    }));
    sections.extend(weights(record));
    sections.extend(remarks("Notes", &record.notes));
    sections.extend(remarks("Warnings", &record.warnings));
    sections.extend(record.verdict.map(|verdict| answer(verdict).to_owned()));
    sections.join("\n\n") + "\n"
}

fn headline(record: &CodeCheckRecord) -> String {
    let mut text = record.file.clone();
    if let Some(function) = &record.function {
        let _ = write!(text, ", `{function}`");
    }
    if let Some(against) = &record.against {
        let _ = write!(text, " against {against}");
    }
    let _ = write!(
        text,
        "\nfor {}: {}, {}, {} executed",
        record.target,
        counted(record.multiplications as u64, "multiplication"),
        counted(record.loads as u64, "load"),
        counted(record.stores as u64, "store"),
    );
    for (port, rows) in record.inputs.iter().zip(&record.rows) {
        let rows = match rows.len() {
            0 => "nowhere".to_owned(),
            1 => rows[0].clone(),
            _ => format!("the rows {}, from north to south", rows.join(", ")),
        };
        let _ = write!(text, "\n{} in {rows}", port.name);
    }
    let [x, y] = record.anchor;
    let _ = write!(text, "\nthe first output lies on column {x} of row {y} of the input");
    let shifts: Vec<String> = record.shifts.iter().filter(|bits| **bits > 0).map(u32::to_string).collect();
    if !shifts.is_empty() {
        let _ = write!(
            text,
            "\nsums are shifted right by {}: that is a factor in what follows; results are rounded {}",
            shifts.join(", "),
            record.rounding
        );
    }
    if !record.uninitialised.is_empty() {
        let _ = write!(text, "\nread before anything is written to it: {}", record.uninitialised.join(", "));
    }
    text
}

/// The layout of an output's images in memory, for the reader to confirm.
fn layout(record: &CodeCheckRecord, output: &str) -> String {
    let Some(layout) = record.layouts.iter().find(|layout| layout.output == output) else {
        return String::new();
    };
    let mut text = format!("\n  {}×{} outputs", layout.size[0], layout.size[1]);
    if let Some(pitch) = layout.pitch {
        let _ = write!(text, ", input rows {pitch} elements apart");
    }
    if let Some(pitch) = layout.output_pitch {
        let _ = write!(text, ", output rows {pitch}");
    }
    if layout.outside > 0 {
        let _ = write!(text, "; {} stored outside of them", counted(layout.outside as u64, "element"));
    }
    text
}

/// Whether the text must name the input of a kernel.
fn several(record: &CodeCheckRecord, kernels: &[&[Kernel]]) -> bool {
    let only = record.inputs.first().map(|input| input.name.as_str());
    record.inputs.len() > 1
        || kernels.iter().copied().flatten().any(|kernel| Some(kernel.input.as_str()) != only)
}

fn compared(record: &CodeCheckRecord, output: &CheckedOutput) -> String {
    let chosen =
        if output.chosen { " (the array that comes nearest; name another with --outputs)" } else { "" };
    let mut text = format!("{} in {}{chosen}: {}", output.name, output.register, verdict_text(output));
    text.push_str(&layout(record, &output.name));
    if !output.uninitialised.is_empty() {
        let arrays = output.uninitialised.join(", ");
        let _ = write!(text, "\n  depends on what was in {arrays} before: nothing is written to it");
    }
    let groups: Vec<&GroupRecord> =
        record.groups.iter().filter(|group| group.output == output.name).collect();
    for group in groups.iter().take(SHOWN) {
        let _ = write!(text, "\n  {}: {}", which(group), group_text(group));
    }
    if groups.len() > SHOWN {
        let _ = write!(text, "\n  and {} more", counted((groups.len() - SHOWN) as u64, "group"));
    }
    let names = several(record, &[&output.expected, &output.found]);
    match output.verdict {
        Answer::Equal => {
            for kernel in &output.found {
                push_lines(&mut text, names.then_some(kernel.input.as_str()), &kernel_lines(kernel));
            }
        }
        Answer::EqualUpTo | Answer::Different => {
            if let Some(group) = groups.iter().find(|group| group.kernels.is_some()) {
                if groups.len() > 1 && group.verdict != Some(Answer::Equal) {
                    let [x, y] = group.first;
                    let _ = write!(text, "\n  in column {x} of row {y}");
                    text.push_str(
                        &group.line.map_or_else(String::new, |line| format!(", stored in line {line}")),
                    );
                }
                if group.verdict != Some(Answer::Equal) {
                    push_kernels(&mut text, names, output);
                }
            }
        }
        Answer::EqualWhere | Answer::Unknown | Answer::Undecided => {}
    }
    text
}

/// The outputs of a group, in words.
fn which(group: &GroupRecord) -> String {
    match (group.count, group.place.as_str()) {
        (count, "everywhere") => format!("all {}", counted(count as u64, "output")),
        (count, _) if group.verdict == Some(Answer::Equal) => {
            format!("the other {}", counted(count as u64, "output"))
        }
        (count, place) => format!("{}, {place}", counted(count as u64, "output")),
    }
}

fn group_text(group: &GroupRecord) -> String {
    let Some(verdict) = group.verdict else { return "these".to_owned() };
    if group.kernels.is_none() {
        return "not written".to_owned();
    }
    match &group.up_to {
        Some(up_to) => crate::report::up_to_text(up_to),
        None => answer(verdict).to_owned(),
    }
}

/// The kernels of an array's elements, if there is nothing to compare with.
fn computed(record: &CodeCheckRecord, array: &str) -> String {
    let mut text = format!("{array} computes");
    text.push_str(&layout(record, array));
    let groups: Vec<&GroupRecord> = record.groups.iter().filter(|group| group.output == array).collect();
    for group in groups.iter().take(SHOWN) {
        let _ = write!(text, "\n  {}", which(group));
        let Some(kernels) = &group.kernels else {
            text.push_str(": not written");
            continue;
        };
        if kernels.is_empty() {
            text.push_str(": 0");
        }
        let names = several(record, &[kernels]);
        for kernel in kernels {
            push_lines(&mut text, names.then_some(kernel.input.as_str()), &kernel_lines(kernel));
        }
    }
    if groups.len() > SHOWN {
        let _ = write!(text, "\n  and {} more", counted((groups.len() - SHOWN) as u64, "group"));
    }
    text
}

fn weights(record: &CodeCheckRecord) -> Option<String> {
    let mut arrays: Vec<&str> = record.weights.iter().map(|weight| weight.array.as_str()).collect();
    arrays.dedup();
    let of = |array: &&str| {
        let own = record.weights.iter().filter(|weight| weight.array == **array);
        let values: Vec<String> =
            own.map(|weight| format!("[{}] = {}", weight.index, weight.value)).collect();
        format!("\n  {array}: {}", values.join(", "))
    };
    let weights: String = arrays.iter().map(of).collect();
    (!weights.is_empty()).then(|| format!("The weights are not known; this holds if they are:{weights}"))
}

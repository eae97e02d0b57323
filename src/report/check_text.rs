//! The text form of a check, which `kalg check` prints by default.

use std::fmt::Write;

use super::check::padded;
use super::counted;
use super::grid::Grid;
use super::measured::measured;
use super::parts::ports;
use super::text::{kernel_lines, valid};
use super::{
    Answer, CaseRecord, CheckRecord, CheckedOutput, CounterexampleRecord, Figure, Kernel, RegisterRecord,
    Remark, UpTo,
};
use crate::algebra::aligned;

/// The record as text, with a line break at the end.
pub fn check_text(record: &CheckRecord) -> String {
    let mut sections = vec![headline(record)];
    sections.extend(record.outputs.iter().map(|o| output(record, o)));
    sections.extend(record.counterexample.as_ref().map(counterexample));
    if record.verdict.is_none() {
        sections.push(registers(&record.registers));
    }
    sections.extend(measured(record.range.as_ref(), record.noise.as_ref()));
    sections.extend(remarks("Notes", &record.notes));
    sections.extend(remarks("Warnings", &record.warnings));
    sections.extend(record.verdict.map(|verdict| answer(verdict).to_owned()));
    sections.join("\n\n") + "\n"
}

/// The answer in words.
pub(crate) fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Equal => "equal",
        Answer::EqualUpTo => "equal up to a shift, a sign or a scale",
        Answer::EqualWhere => "equal in some elements only",
        Answer::Different => "different",
        Answer::Unknown => "unknown",
        Answer::Undecided => "undecided: a coefficient does not fit in 64 bits",
    }
}

fn headline(record: &CheckRecord) -> String {
    let mut text = record.file.clone();
    if let Some(block) = record.block {
        let _ = write!(text, ", program {block}");
    }
    if let Some(against) = &record.against {
        let _ = write!(text, " against {against}");
    }
    let _ = write!(
        text,
        "\nfor {}: {}, {}, {} µs, {} µJ; {}",
        record.target,
        counted(record.instructions.into(), "instruction"),
        counted(record.cycles.into(), "cycle"),
        record.time_us.get(),
        record.energy_uj.get(),
        if record.inputs.is_empty() { "no input".to_owned() } else { ports(&record.inputs) },
    );
    if !record.uninitialised.is_empty() {
        let _ = write!(text, "\nread before anything is written to it: {}", record.uninitialised.join(", "));
    }
    text
}

fn output(record: &CheckRecord, output: &CheckedOutput) -> String {
    let chosen = match (output.chosen, output.verdict) {
        (false, _) => "",
        (true, Answer::Equal | Answer::EqualUpTo) => " (found by looking in every register)",
        (true, _) => " (the register that comes nearest; name another with --outputs)",
    };
    let mut text = format!("{} in {}{chosen}: {}", output.name, output.register, verdict_text(output));
    if let Some(reason) = &output.reason {
        let _ = write!(text, "\n  {reason}");
    }
    if let Some(border) = output.valid_border {
        let _ = write!(text, "\n  {}", valid(border));
    }
    if !output.uninitialised.is_empty() {
        let registers = output.uninitialised.join(", ");
        let _ = write!(
            text,
            "\n  depends on what was in {registers} before the program: nothing is written to it"
        );
    }
    match output.verdict {
        Answer::Equal => {
            for kernel in &output.found {
                let touched: Vec<[i32; 3]> = output.footprint.clone().unwrap_or_default();
                push_lines(&mut text, name_of(record, kernel), &kernel_lines(&zeros(kernel, &touched)));
            }
        }
        Answer::EqualUpTo | Answer::Different
            if output.expected_cases.is_none() && output.cases.is_none() || linear(output) =>
        {
            push_kernels(&mut text, several(record), output);
        }
        _ => {}
    }
    if !linear(output) {
        if output.verdict != Answer::Equal {
            push_cases(&mut text, "expected", &output.expected, output.expected_cases.as_deref());
        }
        push_cases(&mut text, "found", &output.found, output.cases.as_deref());
    }
    if let Some(lost) = &output.lost {
        let _ = write!(
            text,
            "\n  after line {}, `{}`, the value can no longer become right",
            lost.line, record.program[lost.instruction]
        );
    }
    text
}

/// Whether both values are one kernel for each input.
fn linear(output: &CheckedOutput) -> bool {
    let none = |cases: &Option<Vec<CaseRecord>>| cases.as_ref().is_some_and(Vec::is_empty);
    none(&output.expected_cases) && none(&output.cases)
}

/// A value with its cases.
fn push_cases(text: &mut String, title: &str, kernels: &[Kernel], cases: Option<&[CaseRecord]>) {
    let _ = write!(text, "\n  {title}");
    match cases {
        None => text.push_str(": more cases than are listed"),
        Some([]) => {
            let constant = kernels.is_empty().then(|| "0".to_owned());
            let kernels = kernels.to_vec();
            text.push_str(&case_lines(&[CaseRecord {
                conditions: Vec::new(),
                bit: None,
                kernels,
                constant,
            }]));
        }
        Some(cases) => text.push_str(&case_lines(cases)),
    }
}

/// Cases as lines: where a bit is 1, and what a number is in each of them.
fn case_lines(cases: &[CaseRecord]) -> String {
    let mut text = String::new();
    let case_text = |case: &CaseRecord| match case.conditions.is_empty() {
        true => "everywhere".to_owned(),
        false => format!("where {}", case.conditions.join(" and ")),
    };
    if cases.iter().all(|case| case.bit.is_some()) {
        let ones: Vec<&CaseRecord> = cases.iter().filter(|case| case.bit == Some(true)).collect();
        for case in &ones {
            let _ = write!(text, "\n    1 {}", case_text(case));
        }
        let rest = if ones.is_empty() { "0 everywhere" } else { "0 elsewhere" };
        if ones.len() < cases.len() {
            let _ = write!(text, "\n    {rest}");
        }
        return text;
    }
    for case in cases {
        let _ = write!(text, "\n    {}", case_text(case));
        for kernel in &case.kernels {
            let _ = write!(text, "\n      {}", kernel.input);
            for line in kernel_lines(kernel) {
                let _ = write!(text, "\n        {line}");
            }
        }
        if let Some(constant) = &case.constant {
            let _ = write!(text, "\n      {constant}");
        }
    }
    text
}

/// The answer for one output, with the map between the kernels.
pub(crate) fn verdict_text(output: &CheckedOutput) -> String {
    if let Some(condition) = &output.condition {
        return format!("equal where {condition}");
    }
    output.up_to.as_ref().map_or_else(|| answer(output.verdict).to_owned(), up_to_text)
}

/// The map between two kernels, in words.
pub(crate) fn up_to_text(UpTo { shift, sign, scale }: &UpTo) -> String {
    let mut parts = Vec::new();
    if let Some([x, y, z]) = shift {
        parts.push(match z {
            0 => format!("a shift by ({x}, {y})"),
            z => format!("a shift by ({x}, {y}, {z})"),
        });
    }
    if *sign {
        parts.push("the sign".to_owned());
    }
    parts.extend(scale.as_ref().map(|scale| format!("a scale of {scale}")));
    format!("equal up to {}", parts.join(" and "))
}

/// A kernel with the places that are read and cancel.
fn zeros(kernel: &Kernel, touched: &[[i32; 3]]) -> Kernel {
    let mut whole = padded(Some(kernel), touched);
    for tap in whole.taps.iter_mut().filter(|tap| tap.coefficient == ".") {
        tap.coefficient = "0".to_owned();
    }
    whole
}

/// The input of a kernel, if there is more than one candidate.
fn name_of<'a>(record: &CheckRecord, kernel: &'a Kernel) -> Option<&'a str> {
    several(record).then_some(kernel.input.as_str())
}

/// Whether a kernel can belong to more than one input or register.
fn several(record: &CheckRecord) -> bool {
    record.inputs.len() + record.uninitialised.len() > 1
}

pub(crate) fn push_lines(text: &mut String, name: Option<&str>, lines: &[String]) {
    if let Some(name) = name {
        let _ = write!(text, "\n  of {name}");
    }
    for line in lines {
        let _ = write!(text, "\n    {line}");
    }
}

/// Expected and found kernels side by side, with differing taps in brackets; `names` adds the input's name.
pub(crate) fn push_kernels(text: &mut String, names: bool, output: &CheckedOutput) {
    let mut inputs: Vec<&str> = Vec::new();
    for kernel in output.expected.iter().chain(&output.found) {
        if !inputs.contains(&kernel.input.as_str()) {
            inputs.push(&kernel.input);
        }
    }
    for input in inputs {
        let of = |kernels: &[Kernel]| kernels.iter().find(|k| k.input == input).cloned();
        let (expected, found) = (of(&output.expected), of(&output.found));
        let places: Vec<[i32; 3]> =
            [&expected, &found].into_iter().flatten().flat_map(|k| &k.taps).map(|t| t.offset).collect();
        let sides = [expected, found].map(|kernel| {
            let mut kernel = padded(kernel.as_ref(), &places);
            let differs = |offset| output.differs_at.iter().any(|d| d.input == input && d.offset == offset);
            for tap in &mut kernel.taps {
                let offset = tap.offset;
                if output.up_to.is_none() && differs(offset) {
                    tap.coefficient = format!("[{}]", tap.coefficient);
                }
            }
            matrix(&kernel)
        });
        if names {
            let _ = write!(text, "\n  of {input}");
        }
        beside(text, &[("expected", &sides[0]), ("found", &sides[1])]);
    }
}

/// The lines of a kernel, with cells aligned at the last digit regardless of brackets.
fn matrix(kernel: &Kernel) -> Vec<String> {
    let Some(grid) = Grid::new(kernel) else { return kernel_lines(kernel) };
    grid.lines(|value| match value {
        Some(marked) if marked.starts_with('[') => marked.to_owned(),
        value => format!("{} ", value.unwrap_or(".")),
    })
}

/// Blocks of lines side by side, each below its title.
fn beside(text: &mut String, blocks: &[(&str, &Vec<String>)]) {
    let width = |(title, lines): &(&str, &Vec<String>)| {
        lines.iter().map(|l| l.chars().count()).chain([title.chars().count()]).max().unwrap_or(0)
    };
    let height = blocks.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
    let mut rows = vec![String::new(); height + 1];
    for block in blocks {
        let width = width(block);
        let (title, lines) = block;
        for (index, row) in rows.iter_mut().enumerate() {
            let cell = if index == 0 { *title } else { lines.get(index - 1).map_or("", String::as_str) };
            let _ = write!(row, "    {cell:<width$}");
        }
    }
    for row in rows {
        let _ = write!(text, "\n{}", row.trim_end());
    }
}

fn counterexample(example: &CounterexampleRecord) -> String {
    let size = format!("{}×{}", example.image[0].len(), example.image.len());
    let kind = if example.smallest { "The smallest image that shows it" } else { "An image that shows it" };
    let inputs = std::iter::once(&example.input).chain(example.others.iter().map(|other| &other.input));
    let inputs: Vec<&str> = inputs.map(String::as_str).collect();
    let mut text = format!("{kind}: {size}, in {}", inputs.join(" and "));
    if example.image.len() > 24 || example.image[0].len() > 24 {
        let [x, y] = example.pixel;
        let at = |rows: &[Vec<Figure>]| rows[y][x].get();
        let _ = write!(
            text,
            ", with one bright pixel\n  in column {x}, row {y} {} is expected for {}, {} found",
            at(&example.expected),
            example.output,
            at(&example.found)
        );
        return text;
    }
    let lines = |rows: &[Vec<Figure>], marked: bool| {
        let cell = |x: usize, y: usize, value: Figure| match marked && example.pixel == [x, y] {
            true => format!("[{}]", value.get()),
            false => format!("{} ", value.get()),
        };
        let cells = |(y, row): (usize, &Vec<Figure>)| {
            row.iter().enumerate().map(|(x, value)| cell(x, y, *value)).collect()
        };
        aligned(&rows.iter().enumerate().map(cells).collect::<Vec<_>>())
    };
    let title = if example.others.is_empty() { "image" } else { example.input.as_str() };
    let mut blocks = vec![(title, lines(&example.image, false))];
    blocks.extend(example.others.iter().map(|other| (other.input.as_str(), lines(&other.image, false))));
    blocks.push(("expected", lines(&example.expected, true)));
    blocks.push(("found", lines(&example.found, true)));
    let blocks: Vec<(&str, &Vec<String>)> = blocks.iter().map(|(title, lines)| (*title, lines)).collect();
    beside(&mut text, &blocks);
    text
}

fn registers(registers: &[RegisterRecord]) -> String {
    let mut text = "What each register holds at the end".to_owned();
    for register in registers {
        let _ = write!(text, "\n  {}", register.register);
        if !register.uninitialised.is_empty() {
            let unknown = register.uninitialised.join(", ");
            let _ = write!(text, ", which depends on what was in {unknown} before the program");
        }
        match (&register.kernels, register.cases.as_deref()) {
            (None, _) if register.reason.is_some() => {
                let _ = write!(text, ": {}", register.reason.as_deref().unwrap_or_default());
            }
            (None, None) => text.push_str(": more cases than are listed"),
            (None, Some(cases)) if !cases.is_empty() => text.push_str(&case_lines(cases)),
            (None, _) => text.push_str(": a coefficient does not fit in 64 bits"),
            (Some(kernels), _) if kernels.is_empty() => text.push_str(": 0"),
            (Some(kernels), _) => {
                for kernel in kernels {
                    push_lines(&mut text, Some(&kernel.input), &kernel_lines(kernel));
                }
            }
        }
        if let Some(border) = register.valid_border {
            let _ = write!(text, "\n    {}", valid(border));
        }
    }
    text
}

pub(crate) fn remarks(title: &str, remarks: &[Remark]) -> Option<String> {
    if remarks.is_empty() {
        return None;
    }
    let line = |remark: &Remark| format!("\n  line {}: {} ({})", remark.line, remark.message, remark.id);
    Some(format!("{title}{}", remarks.iter().map(line).collect::<String>()))
}

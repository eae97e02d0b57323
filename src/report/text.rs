//! The text form, which `kalg optimize` prints by default.

use std::fmt::Write;

use super::code::annotated;
use super::grid::Grid;
use super::measured::{approximation_text, front_text, measured};
use super::parts::ports;
use super::{Border, Kernel, LiftedFrom, OptimizeRecord, Port, counted, many};

fn not_covered(record: &OptimizeRecord) -> String {
    format!("the search does not cover {} (see docs/add-a-target.md)", record.unused.join(", "))
}

/// The record as text, with a line break at the end. A verbose report also has the search log and a legend for footprints.
pub fn text(record: &OptimizeRecord, verbose: bool) -> String {
    let mut sections = vec![headline(record)];
    sections.extend(record.no_program.as_ref().map(|none| {
        let unused =
            if record.unused.is_empty() { String::new() } else { format!("; {}", not_covered(record)) };
        capitalised(&none.text()) + &unused
    }));
    sections.extend(program(record));
    sections.extend(figures(record));
    sections.extend(decomposition(record));
    sections.extend(measured(record.range.as_ref(), record.noise.as_ref()));
    sections.extend(record.front.as_ref().map(|front| front_text(front)));
    sections.extend(footprint(record, verbose));
    sections.extend(explanation(record));
    if verbose {
        sections.push(search(record));
    }
    sections.extend(checked(record));
    sections.join("\n\n") + "\n"
}

/// What pages say of the program as a whole: the machine, the cost, the range and the noise, and the border.
pub(super) fn paragraphs(record: &OptimizeRecord) -> Vec<String> {
    let parts = [
        Some(headline(record)),
        figures(record),
        measured(record.range.as_ref(), record.noise.as_ref()),
        record.valid_border.map(valid),
    ];
    parts.into_iter().flatten().collect()
}

fn headline(record: &OptimizeRecord) -> String {
    let noise = record.noise_weight.map(|weight| format!(" + {} · predicted RMS error", weight.get()));
    format!(
        "{} ({})\nfor {}, {} instructions, {} division, registers {}{}; fewest {}{}",
        record.filter,
        record.file,
        record.target,
        record.isa,
        record.division,
        record.registers.join(" "),
        if record.keep_input { ", inputs kept" } else { "" },
        record.objective,
        noise.unwrap_or_default(),
    )
}

/// The decomposition in the algebra, independent of the machine.
fn decomposition(record: &OptimizeRecord) -> Option<String> {
    let term = record.egraph.best_term.as_ref()?;
    let count = record.egraph.additions.map(|n| format!(": {}", counted(n, "addition"))).unwrap_or_default();
    Some(format!("Decomposition{count}\n  {}", term.replace('\n', "\n  ")))
}

fn program(record: &OptimizeRecord) -> Option<String> {
    let program = record.program.as_ref()?;
    let mut text = "Program, and what each line computes".to_owned();
    for line in annotated(record, program) {
        let _ = write!(text, "\n  {line}");
    }
    let _ = write!(text, "\n  {} -> {}", ports(&record.inputs), ports(&record.outputs));
    Some(text)
}

/// Differences from the given program: the registers of its inputs and results, its way to halve.
fn otherwise(record: &OptimizeRecord, lifted: &LiftedFrom) -> String {
    let registers =
        |ports: &[Port]| ports.iter().filter_map(|port| port.register.clone()).collect::<Vec<_>>();
    let mut text = String::new();
    if registers(&record.inputs) != lifted.inputs || registers(&record.outputs) != lifted.registers {
        let (from, to) = (lifted.inputs.join(" "), lifted.registers.join(" "));
        let _ = write!(
            text,
            "\n  it takes its input from {from} and leaves its result in {to}, this one does not"
        );
    }
    if let Some(division) = lifted.division.as_ref().filter(|division| **division != record.division) {
        let way = if division == "both" { "both ways" } else { division.as_str() };
        let _ = write!(text, "\n  it halves {way}, this one {}: see --division", record.division);
    }
    text
}

fn figures(record: &OptimizeRecord) -> Option<String> {
    record.program.as_ref()?;
    let mut parts = Vec::new();
    parts.extend(record.instructions.map(|n| counted(u64::from(n), "instruction")));
    parts.extend(record.cycles.map(|n| counted(u64::from(n), "cycle")));
    parts.extend(record.time_us.map(|t| format!("{} µs", t.get())));
    parts.extend(record.energy_uj.map(|e| format!("{} µJ", e.get())));
    let mut text = format!("Cost: {}", parts.join(", "));
    if let Some(lifted) = &record.lifted {
        let _ = write!(
            text,
            "\n  the program that was given takes {}, {}",
            counted(u64::from(lifted.instructions), "instruction"),
            counted(u64::from(lifted.cycles), "cycle")
        );
        text.push_str(&otherwise(record, lifted));
    }
    let measure = &record.objective;
    match (record.optimal, record.lower_bound) {
        (Some(true), _) => {
            let _ = write!(
                text,
                "\n  optimal: no {} program within these registers takes fewer {measure}",
                record.isa
            );
        }
        (_, Some(bound)) => {
            let _ = write!(
                text,
                "\n  not proved optimal; the best lower bound known is {}",
                counted(u64::from(bound), measure.trim_end_matches('s'))
            );
        }
        _ if !record.unused.is_empty() => {
            let _ = write!(text, "\n  not proved optimal: {}", not_covered(record));
        }
        _ if record.approximation.is_some() => {
            let _ = write!(
                text,
                "\n  not proved optimal: another filter within the error may take fewer {measure}"
            );
        }
        _ => {}
    }
    if let (Some(cost), Some(weight)) = (record.weighted_cost, record.noise_weight) {
        let _ =
            write!(text, "\n  weighed: {} = {measure} + {} · predicted RMS error", cost.get(), weight.get());
    }
    if let Some(lost) = &record.approximation {
        let _ = write!(text, "\n  {}", approximation_text(lost));
    }
    Some(text)
}

fn footprint(record: &OptimizeRecord, verbose: bool) -> Option<String> {
    let border = record.valid_border?;
    let legend = if verbose { " (0: looked at and cancelled, .: not looked at)" } else { "" };
    let mut text = format!("Footprint{legend}\n  {}", valid(border));
    let own = record.footprint.iter().map(|output| (output, ""));
    for (output, which) in own.chain(record.written_footprint.iter().map(|output| (output, " as written"))) {
        for kernel in &output.kernels {
            let of = if record.inputs.len() > 1 { format!(" of {}", kernel.input) } else { String::new() };
            let _ = write!(text, "\n  {}{which}{of}", output.output);
            for line in kernel_lines(kernel) {
                let _ = write!(text, "\n    {line}");
            }
        }
    }
    Some(text)
}

/// The region where the outputs are valid.
pub(super) fn valid(border: Border) -> String {
    let Border { west, east, south, north, down, up } = border;
    let sides =
        [(west, "west"), (east, "east"), (south, "south"), (north, "north"), (down, "down"), (up, "up")];
    let lost: Vec<String> =
        sides.iter().filter(|(n, _)| *n > 0).map(|(n, side)| format!("{n} {side}")).collect();
    if lost.is_empty() {
        return "valid on the whole image".to_owned();
    }
    format!("valid but for the outermost pixels: {}", lost.join(", "))
}

pub(crate) fn kernel_lines(kernel: &Kernel) -> Vec<String> {
    match Grid::new(kernel) {
        Some(grid) => grid.lines(|value| value.unwrap_or(".").to_owned()),
        None => kernel.taps.iter().map(|tap| format!("{} at {:?}", tap.coefficient, tap.offset)).collect(),
    }
}

fn explanation(record: &OptimizeRecord) -> Option<String> {
    let steps = record.explanation.as_ref()?;
    let mut text = "Derivation".to_owned();
    if steps.is_empty() {
        text.push_str("\n  the program uses no decomposition that a rule proposed");
    }
    for step in steps {
        let _ = write!(text, "\n  {}\n    = {}   by {}", step.kernel, step.decomposition, step.rule);
    }
    for (i, step) in record.decomposition.iter().enumerate().filter(|(_, step)| step.line.is_some()) {
        let _ = write!(text, "\n  {} in {}", super::equation(record, i), step.register);
        for line in step.kernels.iter().filter(|k| !k.taps.is_empty()).flat_map(kernel_lines) {
            let _ = write!(text, "\n    {line}");
        }
    }
    Some(text)
}

fn search(record: &OptimizeRecord) -> String {
    let mut text = "Search".to_owned();
    let mut some = false;
    let rows: Vec<[String; 4]> = record
        .attempts
        .iter()
        .map(|attempt| {
            let found = match (attempt.cycles, attempt.instructions) {
                (Some(cycles), _) => counted(u64::from(cycles), "cycle"),
                (None, Some(instructions)) => counted(u64::from(instructions), "instruction"),
                (None, None) if some => "nothing better".to_owned(),
                (None, None) => "no program".to_owned(),
            };
            some |= attempt.cycles.is_some() || attempt.instructions.is_some();
            let note = attempt.note.clone().unwrap_or_default();
            [attempt.method.clone(), found, format!("at {:.3} s", attempt.seconds.get()), note]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    for [method, found, seconds, note] in &rows {
        let line = format!("{method:<first$}  {found:>second$}  {seconds:>third$}  {note}");
        let _ = write!(text, "\n  {}", line.trim_end());
    }
    let egraph = &record.egraph;
    if let (Some(nodes), Some(classes)) = (egraph.nodes, egraph.classes) {
        let _ =
            write!(text, "\n  e-graph: {}, {}", counted(nodes, "node"), many(classes, "class", "classes"));
        if let (Some(iterations), Some(reason)) = (egraph.iterations, &egraph.stop_reason) {
            let _ = write!(text, " after {}: {reason}", counted(iterations, "iteration"));
        }
    }
    if !record.rules_used.is_empty() {
        let _ = write!(text, "\n  rules used: {}", record.rules_used.join(", "));
    }
    let mut ends = Vec::new();
    ends.extend(record.seconds_to_best.map(|s| format!("found after {:.3} s", s.get())));
    ends.extend(record.seconds.map(|s| format!("{:.3} s in all", s.get())));
    ends.extend(record.nodes_searched.map(|n| counted(n, "search node")));
    ends.push(format!("seed {}", record.seed));
    let _ = write!(text, "\n  {}", ends.join(", "));
    text
}

fn checked(record: &OptimizeRecord) -> Option<String> {
    let mut passed = Vec::new();
    if record.verified.symbolic == Some(true) {
        passed.push("symbolically, exact in every register");
    }
    if record.verified.simulated == Some(true) {
        passed.push("by simulation on an image against direct convolution");
    }
    (!passed.is_empty()).then(|| format!("Checked: {}", passed.join("; ")))
}

/// A message with a capital first letter.
fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_whole_report() {
        insta::assert_snapshot!(text(&sample::sobel(), true), @r"
        sobel-x (corpus/classic/sobel-x.sexp)
        for array, bus instructions, quick division, registers A B C D E F; fewest cycles

        Program, and what each line computes
          bus(NEWS, A);          // v1 = -image
          bus(B, NEWS, XN, XS);  // v2 = -(v1 + v1[north] + v1[south])
          bus(NEWS, A, B);       // v3 = -(image + v2)
          bus(C, XE);            // v4 = -v3[east]
          bus(D, C, XW);         // v5 = -(v4 + v3[west]) -> out
          image in A -> out in D

        Cost: 5 instructions, 5 cycles, 0.5 µs, 0.615 µJ
          not proved optimal; the best lower bound known is 3 cycles

        Decomposition: 3 additions
          (let k1 (kernel (1) (2) (1)))
          (output out (sub (shift -1 0 k1) (shift 1 0 k1)))

        Range: no register overflows for inputs of -15.875 to 15.875 (limited by D in instruction 5), or of 0 to 31.75
        Noise, predicted by model: RMS error 1.521 (0.250 of noise, 1.500 of gain) on a scene of -128 to 127, as if registers held any value

        Footprint (0: looked at and cancelled, .: not looked at)
          valid but for the outermost pixels: 1 west, 1 east, 1 south, 1 north
          out
             1  0 -1
             2  0 -2
             1  0 -1

        Derivation
          (kernel (1 0 -1) (2 0 -2) (1 0 -1))
            = (compose (kernel (1) (2) (1)) (kernel (1 0 -1)))   by polynomial-factors
          v1 = -image in NEWS
            -1
          v2 = -(v1 + v1[north] + v1[south]) in B
            1
            1
            1
          v3 = -(image + v2) in NEWS
            -1
            -2
            -1
          v4 = -v3[east] in C
            . 1
            . 2
            . 1
          v5 = -(v4 + v3[west]) in D
             1  0 -1
             2  0 -2
             1  0 -1

        Search
          direct              9 cycles  at 0.001 s
          search              5 cycles  at 1.900 s
          wider search  nothing better  at 8.000 s  time budget
          e-graph: 412 nodes, 96 classes after 4 iterations: saturated
          rules used: polynomial-factors
          found after 0.034 s, 10.021 s in all, 51203 search nodes, seed 0

        Checked: symbolically, exact in every register; by simulation on an image against direct convolution
        ");
    }

    #[test]
    fn a_negative_answer_says_what_was_enough() {
        insta::assert_snapshot!(text(&sample::none(), false), @r"
        sobel-x (corpus/classic/sobel-x.sexp)
        for array, bus instructions, quick division, registers A B C D E F; fewest cycles

        No program was found with 6 registers within 10 s; 7 registers were enough
        ");
    }

    #[test]
    fn a_footprint_other_than_the_written_one_is_shown_beside_it() {
        let mut record = sample::sobel();
        let mut written = record.footprint.clone();
        written[0].kernels[0].taps.retain(|tap| tap.coefficient != "0");
        record.written_footprint = written;
        let text = text(&record, false);
        let lines = ["     1  0 -1", "  out as written", "     1  . -1", "     2  . -2"];
        assert!(text.contains(&lines.join("\n")), "{text}");
    }

    #[test]
    fn an_optimal_program_that_loses_nothing_at_the_border() {
        let mut record = sample::sobel();
        record.optimal = Some(true);
        record.valid_border = Some(Border::default());
        let text = text(&record, false);
        assert!(text.contains("optimal: no bus program within these registers takes fewer cycles"), "{text}");
        assert!(text.contains("valid on the whole image"), "{text}");
    }
}

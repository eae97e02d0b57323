//! Simulated designs as pictures: the ports in the clocks around the first results, as an SVG.

use std::fmt::Write as _;

use super::machine::Design;
use super::simulate::Pictures;
use super::wave::{PORTS, signals, simulated};

/// The most clocks of a picture, and those of them before the first results.
const CLOCKS: usize = 40;
const BEFORE: usize = 16;

/// The place of the first clock, the width of a clock, and the heights of a row and of a signal in it.
const LEFT: usize = 110;
const CLOCK: usize = 26;
const ROW: usize = 28;
const HIGH: usize = 18;

/// The ports of a design, while frames of `height` rows go through it with random stalls on both sides.
///
/// # Errors
/// The simulation does not end.
pub(super) fn picture(
    design: &Design,
    height: usize,
    frames: &[Pictures],
    seed: u64,
) -> Result<String, String> {
    let mut clocks: Vec<Vec<String>> = Vec::new();
    simulated(design, height, frames, seed, &mut |_, mut values| {
        values.truncate(PORTS);
        clocks.push(values);
    })?;
    let valid = signals(design).iter().position(|signal| signal.name == "m_axis_tvalid").unwrap_or(0);
    let first = clocks.iter().position(|values| values[valid] == "1").unwrap_or(0);
    let from = first.saturating_sub(BEFORE).min(clocks.len().saturating_sub(CLOCKS));
    let shown = &clocks[from..clocks.len().min(from + CLOCKS)];
    Ok(drawn(design, shown, from + 1))
}

/// The signals in some clocks, of which the first has this number.
fn drawn(design: &Design, clocks: &[Vec<String>], number: usize) -> String {
    let (width, height) = (LEFT + clocks.len() * CLOCK + 10, 24 + (PORTS + 1) * ROW);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"10\">\n<title>{}, clocks {number} to {}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n",
        design.name,
        number + clocks.len() - 1
    );
    for clock in (0..clocks.len()).filter(|clock| (number + clock).is_multiple_of(5)) {
        let x = LEFT + clock * CLOCK;
        let _ = writeln!(
            text,
            "<path d=\"M{x} 16V{height}\" stroke=\"#ddd\"/><text x=\"{x}\" y=\"12\" fill=\"#666\">{}</text>",
            number + clock
        );
    }
    let rises = format!("v-{HIGH}h{0}v{HIGH}h{0}", CLOCK / 2).repeat(clocks.len());
    label(&mut text, 0, "clk");
    line(&mut text, &format!("M{LEFT} {}{rises}", low(0)));
    for (row, signal) in signals(design).iter().take(PORTS).enumerate() {
        label(&mut text, row + 1, &signal.name);
        let values: Vec<&str> = clocks.iter().map(|values| values[row].as_str()).collect();
        if signal.bits == 1 && !signal.name.ends_with("tdata") {
            bit(&mut text, row + 1, &values);
        } else {
            words(&mut text, row + 1, &values);
        }
    }
    text + "</svg>\n"
}

/// The lower edge of a row.
fn low(row: usize) -> usize {
    20 + row * ROW + HIGH
}

fn label(text: &mut String, row: usize, name: &str) {
    let _ =
        writeln!(text, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>", LEFT - 8, low(row) - 5);
}

fn line(text: &mut String, path: &str) {
    let _ = writeln!(text, "<path d=\"{path}\" fill=\"none\" stroke=\"#246\"/>");
}

/// A signal of one bit, which is 0 or 1.
fn bit(text: &mut String, row: usize, values: &[&str]) {
    let level = |value: &str| if value == "1" { low(row) - HIGH } else { low(row) };
    let mut path = format!("M{LEFT} {}", values.first().map_or(low(row), |value| level(value)));
    for value in values {
        let _ = write!(path, "V{}h{CLOCK}", level(value));
    }
    line(text, &path);
}

/// A signal of several bits: a box for each value, in hexadecimal if there is room, and grey if it is unknown.
fn words(text: &mut String, row: usize, values: &[&str]) {
    let mut start = 0;
    for run in values.chunk_by(|a, b| a == b) {
        let (x, wide) = (LEFT + start * CLOCK, run.len() * CLOCK);
        start += run.len();
        let shown = hexadecimal(run[0]);
        let fill = if shown.is_some() { "#eef4fb" } else { "#ccc" };
        let y = low(row) - HIGH;
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{HIGH}\" fill=\"{fill}\" stroke=\"#246\"/>"
        );
        if let Some(shown) = shown.filter(|shown| shown.len() * 6 < wide) {
            let _ = writeln!(text, "<text x=\"{}\" y=\"{}\">{shown}</text>", x + 3, low(row) - 5);
        }
    }
}

/// Binary digits in hexadecimal; nothing if one is unknown.
fn hexadecimal(binary: &str) -> Option<String> {
    let bits: Vec<u32> = binary.chars().map(|c| c.to_digit(2)).collect::<Option<_>>()?;
    let digits = bits.rchunks(4).rev().map(|digit| digit.iter().fold(0, |all, bit| 2 * all + bit));
    Some(digits.filter_map(|digit| char::from_digit(digit, 16)).collect())
}

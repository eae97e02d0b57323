//! A C++ program around emitted code. It runs each function on given data and prints the output. It knows only the
//! contract of the buffers, so a wrong contract shows as a wrong result.

use std::fmt::Write;

use super::{Buffer, Contract, Indexed, Purpose};
use crate::backend::vector::workload::Element;

/// Emitted code with the weights and the pixels of a run.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// The contract of its buffers.
    pub contract: &'a Contract,
    /// The C++ code.
    pub code: &'a str,
    /// The weights in the order `k c t s r`, `r` innermost. Ignored if they are part of the program.
    pub weights: &'a [i64],
    /// The pixels in the order `c z y x`, `x` innermost.
    pub input: &'a [i64],
}

/// The value of outputs before the code runs.
const UNTOUCHED: i64 = 85;

/// The text of a program that prints, on one line per trial, all elements of the output buffer.
pub fn harness(trials: &[Trial<'_>]) -> String {
    let mut text = String::from("#include <cstdio>\n");
    for trial in trials {
        text.push_str(trial.code);
    }
    // Writing to a string cannot fail.
    for (number, trial) in trials.iter().enumerate() {
        for buffer in trial.passed() {
            let Buffer { name, element, elements, alignment, .. } = buffer;
            let values: Vec<String> = trial.before(buffer).iter().map(i64::to_string).collect();
            let constant = if buffer.purpose == Purpose::Output { "" } else { "const " };
            let _ = writeln!(
                text,
                "alignas({alignment}) static {constant}{element}_t {name}{number}[{elements}] = {{{}}};",
                values.join(",")
            );
        }
    }
    text.push_str("int main() {\n");
    for (number, trial) in trials.iter().enumerate() {
        let arguments: Vec<String> =
            trial.contract.arguments.iter().map(|name| format!("{name}{number}")).collect();
        let _ = writeln!(text, "    {}({});", trial.contract.function, arguments.join(", "));
        for buffer in trial.passed().filter(|buffer| buffer.purpose == Purpose::Output) {
            let _ =
                writeln!(text, "    for (auto v : {}{number}) std::printf(\"%d \", int(v));", buffer.name);
        }
        text.push_str("    std::puts(\"\");\n");
    }
    text.push_str("}\n");
    text
}

impl Trial<'_> {
    /// The buffers that the caller passes.
    fn passed(&self) -> impl Iterator<Item = &Buffer> {
        self.contract.buffers.iter().filter(|buffer| self.contract.arguments.contains(&buffer.name))
    }

    /// The contents of a buffer before the code runs. They are extreme values wherever the contract allows any value.
    fn before(&self, buffer: &Buffer) -> Vec<i64> {
        let range = Element::named(&buffer.element).map_or([0, 0], Element::range);
        let anything = |index: usize| range[index / 3 % 2];
        let mut values: Vec<i64> = match buffer.purpose {
            Purpose::Output => vec![UNTOUCHED; buffer.elements],
            Purpose::Weights => vec![0; buffer.elements],
            _ => (0..buffer.elements).map(anything).collect(),
        };
        let given = if buffer.purpose == Purpose::Weights { self.weights } else { self.input };
        match (&buffer.layout, &buffer.taps) {
            (_, Some(taps)) => {
                for (value, tap) in values.iter_mut().zip(taps) {
                    *value = tap.and_then(|tap| given.get(tap as usize).copied()).unwrap_or(0);
                }
            }
            (Some(layout), None) if buffer.purpose != Purpose::Output => {
                for (place, given) in layout.places().zip(given) {
                    if let Some(value) = values.get_mut(place) {
                        *value = *given;
                    }
                }
            }
            _ => {}
        }
        values
    }

    /// Extracts the outputs, `x` fastest, then `y z k`, from the numbers that the program printed for this trial.
    ///
    /// # Errors
    /// Writes outside the outputs that the contract does not announce, or missing output.
    pub fn outputs(&self, printed: &[i64]) -> Result<Vec<i64>, String> {
        let buffer = self.contract.buffer(Purpose::Output).ok_or("no buffer for outputs")?;
        let layout = buffer.layout.as_ref().ok_or("no places for outputs")?;
        if printed.len() != buffer.elements {
            return Err(format!("{} elements were printed, not {}", printed.len(), buffer.elements));
        }
        let places: Vec<usize> = layout.places().collect();
        let mut allowed = vec![false; printed.len()];
        let beside = buffer.written_beside.iter().flat_map(|[first, last]| *first..=*last);
        for place in places.iter().copied().chain(beside) {
            *allowed.get_mut(place).ok_or_else(|| format!("element {place} is not in the buffer"))? = true;
        }
        match (0..printed.len()).find(|at| !allowed[*at] && printed[*at] != UNTOUCHED) {
            Some(at) => Err(format!("element {at} of `{}` is written but is not an output", buffer.name)),
            None => Ok(places.iter().map(|place| printed[*place]).collect()),
        }
    }
}

impl Indexed {
    /// The index of each element, the first coordinate of [`Indexed::extents`] fastest.
    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let names: &[&[&str]] = match self.extents.len() {
            4 => &[&["x"], &["y"], &["z"], &["k", "c"]],
            _ => &[&["r"], &["s"], &["t"], &["c"], &["k"]],
        };
        (0..self.extents.iter().product()).map(move |number| {
            let mut rest: usize = number;
            let mut place = self.first;
            for (names, extent) in names.iter().zip(&self.extents) {
                let coordinate = rest % extent;
                rest /= extent;
                let apart = match names[0] {
                    "y" => self.pitch,
                    "z" => self.plane,
                    "k" if names.len() > 1 => self.channel,
                    _ => None,
                };
                place += match apart {
                    Some(apart) => coordinate * apart,
                    None => {
                        let of = self.terms.iter().filter(|term| names.contains(&term.coordinate.as_str()));
                        of.map(|term| coordinate / term.divisor % term.modulus * term.stride).sum()
                    }
                };
            }
            place
        })
    }
}

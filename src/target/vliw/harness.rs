//! A C++ program around emitted code: it runs each function on given data and prints what it wrote.

use std::fmt::Write;

use super::cpp::identifier;
use super::{Machine, Program, Role, cpp};
use crate::tensor::Operand;

/// A program with the weights of the run and the input that it is run on.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// The program.
    pub program: &'a Program,
    /// What the array of weights holds; not looked at where they are part of the program.
    pub weights: &'a [i64],
    /// What the array of inputs holds.
    pub input: &'a [i64],
}

/// The text of a program that prints, for each trial in a line of its own, all elements of the output's array.
pub fn harness(machine: &Machine, trials: &[Trial<'_>]) -> String {
    let mut text = String::from("#include <cstdio>\n");
    for trial in trials {
        text.push_str(&cpp(machine, trial.program));
    }
    let list = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    // Writing to a text cannot fail.
    for (number, trial) in trials.iter().enumerate() {
        let scalar = format!("{}_t", trial.program.element.name());
        let length = trial.program.arrays[Operand::Output as usize].length;
        let _ = writeln!(text, "alignas(32) static {scalar} out{number}[{length}];");
        for (name, values) in [("weights", trial.weights), ("in", trial.input)] {
            let values = list(values);
            let _ = writeln!(text, "alignas(32) static const {scalar} {name}{number}[] = {{{values}}};");
        }
    }
    text.push_str("int main() {\n");
    for (number, trial) in trials.iter().enumerate() {
        let weights = match trial.program.arrays[Operand::Weights as usize].role {
            Role::Weights => format!("weights{number}, "),
            _ => String::new(),
        };
        let name = identifier(&trial.program.name);
        let _ = writeln!(text, "    {name}(out{number}, {weights}in{number});");
        let _ = writeln!(text, "    for (auto v : out{number}) std::printf(\"%d \", int(v));");
        text.push_str("    std::puts(\"\");\n");
    }
    text.push_str("}\n");
    text
}

//! The parts of records about range and noise, and their text.

use serde::{Deserialize, Serialize};

use super::{Approximation, Figure, Port};

/// Up to which amplitude of the inputs nothing that a program writes leaves what a register holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangeRecord {
    /// Inputs from minus this to this are within; rounded down.
    pub symmetric: Figure,
    /// Inputs from 0 to this are within; rounded down.
    pub positive: Figure,
    /// What limits inputs of both signs.
    pub limit: RangeLimit,
}

/// A value that limits the inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeLimit {
    /// The place in the program of the instruction that writes it, from 0; `null` for an input.
    pub instruction: Option<usize>,
    /// The register that holds it.
    pub register: String,
}

/// What noise is predicted to do, in units of pixel values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseRecord {
    /// The model's name.
    pub model: String,
    /// The least and the greatest pixel of the synthetic scene that gain, and noise in proportion to the signal, are predicted for.
    pub image_range: [i64; 2],
    /// The standard deviation of what noise adds, over all outputs.
    pub deviation: Figure,
    /// The root mean square of what a gain other than one leaves off, over all outputs.
    pub bias: Figure,
    /// Both together: the root of the mean squared error.
    pub rms_error: Figure,
    /// The same for each output.
    pub outputs: Vec<OutputNoise>,
}

/// What noise is predicted to do to one output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputNoise {
    /// The output.
    pub output: String,
    /// The standard deviation of what noise adds.
    pub deviation: Figure,
    /// The root mean square of what a gain other than one leaves off.
    pub bias: Figure,
    /// Both together.
    pub rms_error: Figure,
}

/// A program beside the one reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// Its cycles.
    pub cycles: u32,
    /// Its instructions.
    pub instructions: u32,
    /// How it halves.
    pub division: String,
    /// What noise does to it.
    pub noise: Option<NoiseRecord>,
    /// The root of the mean squared error of noise and of what approximation loses on the same scene.
    pub rms_error: Option<Figure>,
    /// Up to which amplitude its inputs may go.
    pub range: Option<RangeRecord>,
    /// What was lost where coefficients were approximated; `null` where it is exact.
    pub approximation: Option<Approximation>,
    /// Where its inputs are.
    pub inputs: Vec<Port>,
    /// Where its outputs are.
    pub outputs: Vec<Port>,
    /// Its instructions in the target's syntax.
    pub program: Vec<String>,
}

/// A range in a sentence.
pub(super) fn range_text(range: &RangeRecord) -> String {
    let by = match range.limit.instruction {
        Some(instruction) => format!("{} in instruction {}", range.limit.register, instruction + 1),
        None => format!("the input in {}", range.limit.register),
    };
    let (symmetric, positive) = (range.symmetric.get(), range.positive.get());
    format!(
        "Range: no register overflows for inputs of -{symmetric} to {symmetric} (limited by {by}), or of 0 to {positive}"
    )
}

/// A prediction in a sentence.
pub(super) fn noise_text(noise: &NoiseRecord) -> String {
    let [low, high] = noise.image_range;
    let parts = |rms: Figure, deviation: Figure, bias: Figure| {
        format!("{} ({} of noise, {} of gain)", three(rms), three(deviation), three(bias))
    };
    let mut text = format!(
        "Noise, predicted by {}: RMS error {} on a scene of {low} to {high}",
        noise.model,
        parts(noise.rms_error, noise.deviation, noise.bias)
    );
    for output in noise.outputs.iter().filter(|_| noise.outputs.len() > 1) {
        text.push_str(&format!(
            "\n  {}: {}",
            output.output,
            parts(output.rms_error, output.deviation, output.bias)
        ));
    }
    text
}

/// Three decimals.
fn three(figure: Figure) -> String {
    format!("{:.3}", figure.get())
}

/// An approximation in a line.
pub(super) fn approximation_text(lost: &Approximation) -> String {
    let how = lost.method.as_ref().map(|method| format!(" ({method})")).unwrap_or_default();
    let mut text = format!(
        "approximated{how}: coefficients off by at most {}, {:.6} RMS",
        lost.max_error, lost.rms_error
    );
    if let (Some(most), Some(rms)) = (lost.image_max_error, lost.image_rms_error) {
        text.push_str(&format!("; pixels of a scene by at most {}, {} RMS", three(most), three(rms)));
    }
    text
}

/// The front as a table, and its programs.
pub(super) fn front_text(front: &[Alternative]) -> String {
    let mut text = "Front: cycles against predicted RMS error".to_owned();
    for (number, other) in (1..).zip(front) {
        let error = other.rms_error.map_or("-".to_owned(), three);
        text.push_str(&format!(
            "\n  {number}. {} cycles, RMS error {error}, {} instructions, {} division",
            other.cycles, other.instructions, other.division
        ));
        if let Some(lost) = &other.approximation {
            text.push_str(&format!("; coefficients off by at most {}", lost.max_error));
        }
    }
    for (number, other) in (1..).zip(front).skip(1) {
        let ports = |ports: &[Port]| super::parts::ports(ports);
        text.push_str(&format!(
            "\n\nProgram {number} of the front: {} -> {}",
            ports(&other.inputs),
            ports(&other.outputs)
        ));
        for line in &other.program {
            text.push_str(&format!("\n  {line}"));
        }
    }
    text
}

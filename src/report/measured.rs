//! The range and noise parts of records, and their text.

use serde::{Deserialize, Serialize};

use super::{Approximation, Figure, Port, counted};

/// The largest amplitude of the inputs for which no value of a program overflows its register.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangeRecord {
    /// Inputs between minus this and this are in range; rounded down.
    pub symmetric: Figure,
    /// Inputs between 0 and this are in range; rounded down.
    pub positive: Figure,
    /// The value that limits inputs of both signs.
    pub limit: RangeLimit,
}

impl RangeRecord {
    /// Whether no register overflows for inputs from `low` to `high`.
    fn holds(&self, range: [Figure; 2]) -> bool {
        let [low, high] = range.map(Figure::get);
        low.abs().max(high.abs()) <= self.symmetric.get() || (low >= 0.0 && high <= self.positive.get())
    }
}

/// A value that limits the inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeLimit {
    /// The index of the instruction that writes it, from 0; `null` for an input.
    pub instruction: Option<usize>,
    /// The register that holds it.
    pub register: String,
}

/// The predicted effect of noise, in units of pixel values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseRecord {
    /// The model's name.
    pub model: String,
    /// The least and the greatest pixel of the synthetic scene used to predict gain errors and noise proportional to the signal.
    pub image_range: [Figure; 2],
    /// The standard deviation of the added noise, over all outputs.
    pub deviation: Figure,
    /// The root mean square of the error due to a gain other than one, over all outputs.
    pub bias: Figure,
    /// Both together: the root mean square error.
    pub rms_error: Figure,
    /// The same for each output.
    pub outputs: Vec<OutputNoise>,
}

/// The predicted effect of noise on one output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputNoise {
    /// The output.
    pub output: String,
    /// The standard deviation of the added noise.
    pub deviation: Figure,
    /// The root mean square of the error due to a gain other than one.
    pub bias: Figure,
    /// Both together.
    pub rms_error: Figure,
}

/// An alternative to the reported program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// Its cycles.
    pub cycles: u32,
    /// Its instructions.
    pub instructions: u32,
    /// How it halves.
    pub division: String,
    /// Its predicted noise.
    pub noise: Option<NoiseRecord>,
    /// The root mean square error of noise and approximation together, on the same scene.
    pub rms_error: Option<Figure>,
    /// The largest amplitude of its inputs without overflow.
    pub range: Option<RangeRecord>,
    /// The approximation error; `null` if the program is exact.
    pub approximation: Option<Approximation>,
    /// The registers of its inputs.
    pub inputs: Vec<Port>,
    /// The registers of its outputs.
    pub outputs: Vec<Port>,
    /// Its instructions in the target's syntax.
    pub program: Vec<String>,
}

/// The range of a program's values and its predicted noise, where they are known.
pub(super) fn measured(range: Option<&RangeRecord>, noise: Option<&NoiseRecord>) -> Option<String> {
    let overflows = range.zip(noise).is_some_and(|(range, noise)| !range.holds(noise.image_range));
    let noise = noise.map(|noise| noise_text(noise, overflows));
    let lines: Vec<String> = [range.map(range_text), noise].into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
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

/// A prediction in a sentence, which says so where registers overflow for some images of the scene's range.
fn noise_text(noise: &NoiseRecord, overflows: bool) -> String {
    let [low, high] = noise.image_range.map(Figure::get);
    let parts = |rms: Figure, deviation: Figure, bias: Figure| {
        format!("{} ({} of noise, {} of gain)", three(rms), three(deviation), three(bias))
    };
    let mut text = format!(
        "Noise, predicted by {}: RMS error {} on a scene of {low} to {high}",
        noise.model,
        parts(noise.rms_error, noise.deviation, noise.bias)
    );
    if overflows {
        text.push_str(", as if registers held any value");
    }
    for output in noise.outputs.iter().filter(|_| noise.outputs.len() > 1) {
        text.push_str(&format!(
            "\n  {}: {}",
            output.output,
            parts(output.rms_error, output.deviation, output.bias)
        ));
    }
    text
}

/// A figure with three decimals.
fn three(figure: Figure) -> String {
    format!("{:.3}", figure.get())
}

/// An approximation in one line.
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
            "\n  {number}. {}, RMS error {error}, {}, {} division",
            counted(other.cycles.into(), "cycle"),
            counted(other.instructions.into(), "instruction"),
            other.division
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

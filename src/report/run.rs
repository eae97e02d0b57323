//! The record of a run on images, as JSON and as text.

use std::fmt::Write;

use serde::Serialize;

use super::parts::ports;
use super::{Figure, Port, counted, json_line, many};

/// The result of `kalg run` for one program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRecord {
    /// The program's file, as named on the command line.
    pub file: String,
    /// The target's name.
    pub target: String,
    /// The number of instructions.
    pub instructions: u32,
    /// The number of cycles.
    pub cycles: u32,
    /// The inputs and their initial registers.
    pub inputs: Vec<Port>,
    /// Width and height of the results.
    pub size: [usize; 2],
    /// The noise model; `null` for a run without noise.
    pub noise: Option<String>,
    /// The seed of the noise.
    pub seed: u64,
    /// The outputs, with their final registers.
    pub outputs: Vec<RunOutput>,
    /// The version of kalg.
    pub version: String,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunOutput {
    /// The output.
    pub name: String,
    /// The register.
    pub register: String,
    /// The picture file.
    pub file: String,
    /// The least value, before rounding to eight bits.
    pub least: Figure,
    /// The greatest value.
    pub greatest: Figure,
    /// The number of pixels that do not fit eight bits; they are black or white in the file.
    pub clipped: usize,
    /// The root mean square difference from the result without noise; `null` for a run without noise.
    pub rms_error: Option<Figure>,
    /// The mean structural similarity to the result without noise, both in eight bits; `null` for a run without noise and for
    /// images smaller than 11 × 11 pixels.
    pub ssim: Option<Figure>,
    /// What the result depends on although nothing is known of it: where a program leaves it open, it counts as what was there
    /// before, and what is set from outside as 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
}

impl RunRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }

    /// The record as text, with a line break at the end.
    pub fn text(&self) -> String {
        let noise = match &self.noise {
            Some(noise) => format!("noise as in {noise}, seed {}", self.seed),
            None => "no noise".to_owned(),
        };
        let mut text = format!(
            "{}\nfor {}: {}, {}, {} × {} pixels, {noise}; {}\n",
            self.file,
            self.target,
            counted(self.instructions.into(), "instruction"),
            counted(self.cycles.into(), "cycle"),
            self.size[0],
            self.size[1],
            ports(&self.inputs)
        );
        for output in &self.outputs {
            let RunOutput { name, register, file, least, greatest, clipped, rms_error, ssim, assumed } =
                output;
            let _ = write!(text, "{name} in {register} -> {file}: {} to {}", least.get(), greatest.get());
            if *clipped > 0 {
                let _ = write!(
                    text,
                    ", {} not fit in eight bits",
                    many(*clipped as u64, "pixel does", "pixels do")
                );
            }
            if let Some(error) = rms_error {
                let _ = write!(text, ", RMS error {}", error.get());
            }
            if let Some(ssim) = ssim {
                let _ = write!(text, ", SSIM {}", ssim.get());
            }
            text.push('\n');
            for what in assumed {
                let _ = writeln!(text, "  not known, so it was left as it was: {what}");
            }
        }
        text
    }
}

//! The record of a check, and its JSON form.

use serde::{Deserialize, Serialize};

use super::{Border, ErrorRecord, Figure, Kernel, NoiseRecord, Port, RangeRecord, Tap, json_line};
use crate::algebra::{Label, Rational};

/// What `kalg check` says of one program.
///
/// Fields that a check does not fill are `null` or empty: without anything to compare with there are no
/// [`outputs`](Self::outputs), with it no [`registers`](Self::registers).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// The file of the program, as it was named.
    pub file: String,
    /// The file that it was compared with; `null` where there was none.
    pub against: Option<String>,
    /// The target's name.
    pub target: String,
    /// Which of the file's programs was read, counted from 1; `null` where the file has one.
    pub block: Option<usize>,
    /// The answer; `null` where nothing was asked.
    pub verdict: Option<Answer>,
    /// The number of instructions.
    pub instructions: u32,
    /// The number of cycles.
    pub cycles: u32,
    /// The time that the program takes on the target, in microseconds.
    pub time_us: Figure,
    /// The energy that the whole array takes for it, in microjoules.
    pub energy_uj: Figure,
    /// The program as it was read, one instruction each, macros of the source and loops expanded.
    pub program: Vec<String>,
    /// The line of the file of each instruction.
    pub lines: Vec<usize>,
    /// The inputs and the registers that hold them at first.
    pub inputs: Vec<Port>,
    /// Registers that are read before anything is written to them, inputs apart.
    pub uninitialised: Vec<String>,
    /// What was found of each output that the program should have.
    pub outputs: Vec<CheckedOutput>,
    /// What every register that the program writes holds at the end.
    pub registers: Vec<RegisterRecord>,
    /// The smallest input that shows a difference, of the first output that has one; `null` where there is none.
    pub counterexample: Option<CounterexampleRecord>,
    /// Up to which amplitude of the inputs nothing leaves what a register holds; `null` where values depend on registers that nothing was written to.
    pub range: Option<RangeRecord>,
    /// What noise is predicted to do to the outputs, or to the register that is written last; `null` where the target has no model of it.
    pub noise: Option<NoiseRecord>,
    /// What a reviewer would remark.
    pub warnings: Vec<Remark>,
    /// What was read or evaluated in another way than it stands, as options asked for.
    pub notes: Vec<Remark>,
    /// What went wrong: always `null` in this record.
    pub error: Option<ErrorRecord>,
    /// The version of kalg.
    pub version: String,
}

impl CheckRecord {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        json_line(self)
    }
}

/// How a program, or one output, stands to what it should compute. Worse ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The same kernels.
    Equal,
    /// The same kernels up to translations, signs or scales.
    EqualUpTo,
    /// Other kernels.
    Different,
    /// A coefficient does not fit 64 bits.
    Undecided,
}

/// What was found of one output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedOutput {
    /// The output.
    pub name: String,
    /// The register that was compared.
    pub register: String,
    /// Whether kalg chose the register, as none was named.
    pub chosen: bool,
    /// The answer.
    pub verdict: Answer,
    /// The kernels that it should have, one for each input that they use.
    pub expected: Vec<Kernel>,
    /// The kernels that the register holds, over inputs and over registers that nothing was written to.
    pub found: Vec<Kernel>,
    /// Where they differ.
    pub differs_at: Vec<TapDifference>,
    /// What carries the kernels expected to those found; `null` where nothing does.
    pub up_to: Option<UpTo>,
    /// The registers that nothing had been written to and that the value depends on.
    pub uninitialised: Vec<String>,
    /// Every offset that was looked at, coefficients of 0 included; `null` where that is not known.
    pub footprint: Option<Vec<[i32; 3]>>,
    /// How many rows and columns are not valid on each side of the image; `null` where that is not known.
    pub valid_border: Option<Border>,
    /// The first instruction after which the value can no longer become right; `null` where that cannot be told.
    pub lost: Option<Lost>,
}

/// A coefficient that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TapDifference {
    /// The input, or the register that nothing was written to.
    pub input: String,
    /// East, north and up.
    pub offset: [i32; 3],
    /// The coefficient expected.
    pub expected: String,
    /// The coefficient found.
    pub found: String,
}

/// A translation, a sign and a scale: found(p) = sign · scale · expected(p + shift).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpTo {
    /// East, north and up; `null` where nothing is moved.
    pub shift: Option<[i32; 3]>,
    /// Whether the sign is the opposite one.
    pub sign: bool,
    /// A positive factor; `null` for one.
    pub scale: Option<String>,
}

impl From<Label> for UpTo {
    fn from(label: Label) -> Self {
        let size = label.scale.abs();
        Self {
            shift: (label.offset != [0; 3]).then_some(label.offset),
            sign: label.scale.is_negative(),
            scale: (size != Rational::ONE).then(|| size.to_string()),
        }
    }
}

/// An instruction after which a value is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// Its place in [`CheckRecord::program`].
    pub instruction: usize,
    /// Its line in the file.
    pub line: usize,
}

/// What a register holds at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterRecord {
    /// The register.
    pub register: String,
    /// Its kernels, over inputs and over registers that nothing was written to; `null` where a coefficient does not fit.
    pub kernels: Option<Vec<Kernel>>,
    /// The registers that nothing had been written to and that the value depends on.
    pub uninitialised: Vec<String>,
    /// How many rows and columns are not valid on each side of the image; `null` where that is not known.
    pub valid_border: Option<Border>,
}

/// An input on which results differ. Images are rows from north to south, each from west to east.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterexampleRecord {
    /// The output.
    pub output: String,
    /// The input, or the register that nothing was written to, that has the one bright pixel; all others are 0.
    pub input: String,
    /// The input image.
    pub image: Vec<Vec<Figure>>,
    /// What direct convolution gives.
    pub expected: Vec<Vec<Figure>>,
    /// What the program gives on an array of that size.
    pub found: Vec<Vec<Figure>>,
    /// The column from the west and the row from the north of the pixel that differs.
    pub pixel: [usize; 2],
    /// Whether no smaller image shows a difference.
    pub smallest: bool,
}

/// A remark about a place of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// A stable name of this kind of remark.
    pub id: String,
    /// The line of the file.
    pub line: usize,
    /// What there is to say.
    pub message: String,
}

/// A kernel's taps with places at which two kernels differ added as zeros, so that matrices stand beside each other.
pub(super) fn padded(kernel: Option<&Kernel>, places: &[[i32; 3]]) -> Kernel {
    let mut taps: Vec<Tap> = kernel.map(|k| k.taps.clone()).unwrap_or_default();
    for place in places {
        if !taps.iter().any(|tap| tap.offset == *place) {
            taps.push(Tap { offset: *place, coefficient: ".".to_owned() });
        }
    }
    Kernel { input: kernel.map(|k| k.input.clone()).unwrap_or_default(), taps }
}

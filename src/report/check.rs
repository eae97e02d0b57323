//! The record of a check, and its JSON form.

use serde::{Deserialize, Serialize};

use super::{Border, ErrorRecord, Figure, Kernel, NoiseRecord, Port, RangeRecord, Tap, json_line};
use crate::algebra::{Label, Rational};

/// The result of `kalg check` for one program.
///
/// Fields that do not apply to a check are `null` or empty: without a reference there are no [`outputs`](Self::outputs), with one
/// there are no [`registers`](Self::registers).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// The program's file, as named on the command line.
    pub file: String,
    /// The file of the reference; `null` if there is none.
    pub against: Option<String>,
    /// The target's name.
    pub target: String,
    /// Which of the file's programs was read, counted from 1; `null` if the file has only one.
    pub block: Option<usize>,
    /// The answer; `null` if there is no reference.
    pub verdict: Option<Answer>,
    /// The number of instructions.
    pub instructions: u32,
    /// The number of cycles.
    pub cycles: u32,
    /// The running time of the program on the target, in microseconds.
    pub time_us: Figure,
    /// The energy of the whole array for one run, in microjoules.
    pub energy_uj: Figure,
    /// The program as read, one instruction per element, with the macros and loops of the source expanded.
    pub program: Vec<String>,
    /// The line in the file of each instruction.
    pub lines: Vec<usize>,
    /// The inputs and their initial registers.
    pub inputs: Vec<Port>,
    /// Registers that are read before they are written, except the inputs.
    pub uninitialised: Vec<String>,
    /// The result for each expected output.
    pub outputs: Vec<CheckedOutput>,
    /// The final value of every register that the program writes.
    pub registers: Vec<RegisterRecord>,
    /// The smallest input that shows a difference, for the first output that differs; `null` if none does.
    pub counterexample: Option<CounterexampleRecord>,
    /// The largest amplitude of the inputs without overflow; `null` if values depend on uninitialised registers.
    pub range: Option<RangeRecord>,
    /// The predicted noise of the outputs, or of the register written last; `null` if the target has no noise model.
    pub noise: Option<NoiseRecord>,
    /// Remarks of a code review.
    pub warnings: Vec<Remark>,
    /// Deviations from the text of the source that options asked for, and options without effect.
    pub notes: Vec<Remark>,
    /// The error: always `null` in this record.
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

/// How the result of a program, or one of its outputs, compares with the reference. Worse answers are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The same kernels.
    Equal,
    /// The same kernels up to translations, signs or scales.
    EqualUpTo,
    /// The same in some elements only, as the machine's flag says.
    EqualWhere,
    /// Other kernels.
    Different,
    /// It depends on values that nothing exact is known of, or has too many cases.
    Unknown,
    /// A coefficient does not fit 64 bits.
    Undecided,
}

/// The result for one output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedOutput {
    /// The output.
    pub name: String,
    /// The register compared.
    pub register: String,
    /// Whether kalg chose the register because none was named.
    pub chosen: bool,
    /// The answer.
    pub verdict: Answer,
    /// Where it is equal, if only in some elements; `null` otherwise.
    pub condition: Option<String>,
    /// Why the answer is not known; `null` otherwise.
    pub reason: Option<String>,
    /// The expected kernels, one for each input in use.
    pub expected: Vec<Kernel>,
    /// The kernels of the register, over inputs and uninitialised registers.
    pub found: Vec<Kernel>,
    /// The cases of what is expected, if it is not one kernel for each input; `null` if there are too many.
    pub expected_cases: Option<Vec<CaseRecord>>,
    /// The cases of what is found, if it is not one kernel for each input; `null` if there are too many.
    pub cases: Option<Vec<CaseRecord>>,
    /// The taps that differ.
    pub differs_at: Vec<TapDifference>,
    /// The map from the expected kernels to those found; `null` if there is none.
    pub up_to: Option<UpTo>,
    /// The uninitialised registers that the value depends on.
    pub uninitialised: Vec<String>,
    /// Every offset read, including those with coefficient 0; `null` if unknown.
    pub footprint: Option<Vec<[i32; 3]>>,
    /// The number of invalid rows and columns on each side of the image; `null` if unknown.
    pub valid_border: Option<Border>,
    /// The first instruction after which the value can no longer become right; `null` if unknown.
    pub lost: Option<Lost>,
}

/// A coefficient that differs from the expected one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TapDifference {
    /// The input, or the uninitialised register.
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
    /// East, north and up; `null` without a translation.
    pub shift: Option<[i32; 3]>,
    /// Whether the sign is flipped.
    pub sign: bool,
    /// A positive factor; `null` if it is one.
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
    /// Its index in [`CheckRecord::program`].
    pub instruction: usize,
    /// Its line in the file.
    pub line: usize,
}

/// The final value of a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterRecord {
    /// The register.
    pub register: String,
    /// Its kernels, over inputs and uninitialised registers; `null` if a coefficient does not fit, or if there are cases.
    pub kernels: Option<Vec<Kernel>>,
    /// Its cases, if it is not one kernel for each input; `null` if there are too many.
    pub cases: Option<Vec<CaseRecord>>,
    /// Why its value is not known; `null` otherwise.
    pub reason: Option<String>,
    /// The uninitialised registers that the value depends on.
    pub uninitialised: Vec<String>,
    /// The number of invalid rows and columns on each side of the image; `null` if unknown.
    pub valid_border: Option<Border>,
}

/// An input on which the results differ. Images are rows from north to south, each from west to east.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterexampleRecord {
    /// The output.
    pub output: String,
    /// The input, or the uninitialised register, that is not 0 everywhere: for a linear program, one bright pixel.
    pub input: String,
    /// The input image.
    pub image: Vec<Vec<Figure>>,
    /// Other inputs that are not 0 everywhere.
    pub others: Vec<InputImage>,
    /// The expected result, of direct convolution or of another program.
    pub expected: Vec<Vec<Figure>>,
    /// The result of the program on an array of that size.
    pub found: Vec<Vec<Figure>>,
    /// The differing pixel: its column from the west and its row from the north.
    pub pixel: [usize; 2],
    /// Whether no smaller image shows a difference.
    pub smallest: bool,
}

/// An input image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputImage {
    /// The input, or the uninitialised register.
    pub input: String,
    /// Its rows from north to south, each from west to east.
    pub image: Vec<Vec<Figure>>,
}

/// One case of a value: what it is where all conditions hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// The conditions, such as `image(1, 0) - image > 20`; without any, the case is the only one.
    pub conditions: Vec<String>,
    /// The value of a bit; `null` for a number.
    pub bit: Option<bool>,
    /// The kernels of a number.
    pub kernels: Vec<Kernel>,
    /// What is added to them; `null` for 0, unless there are no kernels.
    pub constant: Option<String>,
}

/// A remark about one line of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// A stable identifier of the kind of remark.
    pub id: String,
    /// The line of the file.
    pub line: usize,
    /// The text of the remark.
    pub message: String,
}

/// A kernel's taps, with zeros added at the places where two kernels differ so that their matrices have the same shape.
pub(super) fn padded(kernel: Option<&Kernel>, places: &[[i32; 3]]) -> Kernel {
    let mut taps: Vec<Tap> = kernel.map(|k| k.taps.clone()).unwrap_or_default();
    for place in places {
        if !taps.iter().any(|tap| tap.offset == *place) {
            taps.push(Tap { offset: *place, coefficient: ".".to_owned() });
        }
    }
    Kernel { input: kernel.map(|k| k.input.clone()).unwrap_or_default(), taps }
}

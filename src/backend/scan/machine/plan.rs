//! Plans: whole-image steps in the order in which they are computed for each pixel.

use std::fmt::Write;

use super::{Border, Overflow, Pixel, Storage};
use crate::algebra::{Offset, Rational};

/// What a step does with its terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fold {
    /// Adds; a term's weight is a factor.
    Sum,
    /// Takes the greatest; a term's weight is added to it.
    Greatest,
    /// Takes the least; a term's weight is added to it.
    Least,
    /// Takes the disjunction of every bit; weights are zero.
    Either,
}

impl Fold {
    /// The fold that adds the coefficients of a semiring, by the symbol of that addition.
    pub fn of_symbol(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "+" => Self::Sum,
            "max" => Self::Greatest,
            "min" => Self::Least,
            "or" => Self::Either,
            _ => return None,
        })
    }

    /// The weight that changes nothing.
    pub fn neutral_weight(self) -> i64 {
        i64::from(self == Self::Sum)
    }

    /// The name of one operation, for reports.
    pub fn operation(self) -> &'static str {
        match self {
            Self::Sum => "addition",
            Self::Greatest => "maximum",
            Self::Least => "minimum",
            Self::Either => "disjunction",
        }
    }
}

/// A weighted value of an earlier step: of pixel p + `offset` for pixel p.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// The step.
    pub source: usize,
    /// Where, from the pixel that is computed.
    pub offset: Offset,
    /// A factor where the fold is a sum; added otherwise.
    pub weight: i64,
}

/// A whole-image step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PlanStep {
    /// An input.
    Input(usize),
    /// The fold of terms and, for recurrences, of the step's own value at p + `back`, which comes earlier in scan order.
    /// Before the first pixel all values are zero: that is the base case of every recurrence.
    Fold {
        /// The terms.
        terms: Vec<Term>,
        /// Where the step reads itself.
        back: Option<Offset>,
    },
    /// The fold of `length` values of an earlier step, at p, p + `step`, …: three operations a pixel whatever the length
    /// (M. van Herk 1992; J. Gil, M. Werman 1993). Only for folds that are idempotent, and one pixel east or north.
    Window {
        /// The step that it reads.
        source: usize,
        /// One pixel east or one north.
        step: Offset,
        /// How many values.
        length: usize,
    },
}

impl PlanStep {
    /// What it reads of other steps, the newest of a window's values only.
    pub fn reads(&self) -> Vec<(usize, Offset)> {
        match self {
            Self::Input(_) => Vec::new(),
            Self::Fold { terms, .. } => terms.iter().map(|term| (term.source, term.offset)).collect(),
            Self::Window { source, step, length } => {
                let last = *length as i32 - 1;
                // In scan order the newest is the easternmost of a row, and the southernmost of a column.
                vec![(*source, [step[0] * last, 0, 0])]
            }
        }
    }
}

/// A result: a step at an offset, times a factor or with something added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// The step.
    pub source: usize,
    /// Where, from the pixel that is computed.
    pub offset: Offset,
    /// What the step's value is multiplied by, rounded to the nearest integer, halves up; one where the fold is no sum.
    pub scale: Rational,
    /// What is added; zero where the fold is a sum.
    pub bias: i64,
    /// The type of the result.
    pub pixel: Pixel,
    /// Whether its kernel has no end. Such a result has no bound: it loses its upper bits, whatever [`super::Overflow`] says.
    pub is_table: bool,
}

impl Output {
    /// What happens to results that do not fit, where all others are treated as `overflow` says.
    pub fn overflow(&self, overflow: Overflow) -> Overflow {
        if self.is_table { Overflow::Wrap } else { overflow }
    }
}

/// A plan: steps, each reading earlier ones only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The filter's name.
    pub name: String,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// What steps do.
    pub fold: Fold,
    /// The steps.
    pub steps: Vec<PlanStep>,
    /// How the values of each step are kept, for pixels of [`Plan::pixel`].
    pub storage: Vec<Storage>,
    /// What sums are computed in, modulo its greatest value: wide enough for every result.
    pub accumulator: Storage,
    /// The results.
    pub outputs: Vec<Output>,
    /// The pixels.
    pub pixel: Pixel,
    /// How far results reach into the inputs: west, east, south, north.
    pub reach: [i32; 4],
}

impl Plan {
    /// Whether a step reads itself.
    pub fn has_recurrence(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, PlanStep::Fold { back: Some(_), .. }))
    }

    /// The borders that its results have a meaning with: sums without end need zeros beyond the image.
    pub fn borders(&self) -> Vec<Border> {
        if self.outputs.iter().any(|output| output.is_table) {
            return vec![Border::Zero];
        }
        Border::ALL.map(|(_, border)| border).to_vec()
    }

    /// The plan as equations, a line for each step and output.
    pub fn listing(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            let value = match step {
                PlanStep::Input(channel) => self.inputs.get(*channel).cloned().unwrap_or_default(),
                PlanStep::Fold { terms, back } => self.fold_text(number, terms, *back),
                PlanStep::Window { source, step, length } => {
                    let direction = if step[0] == 0 { "north" } else { "east" };
                    format!(
                        "{} of {length} values of s{source} from here to the {direction}",
                        self.name_of_fold()
                    )
                }
            };
            lines.push(format!("s{number} = {value}"));
        }
        for output in &self.outputs {
            let mut value = place(output.source, output.offset);
            if output.scale != Rational::ONE {
                let _ = write!(value, " * {}", output.scale);
            }
            if output.bias != 0 {
                let _ = write!(value, " + {}", output.bias);
            }
            lines.push(format!("{} = {value}", output.name));
        }
        lines
    }

    fn name_of_fold(&self) -> &'static str {
        match self.fold {
            Fold::Sum => "sum",
            Fold::Greatest => "max",
            Fold::Least => "min",
            Fold::Either => "or",
        }
    }

    fn fold_text(&self, own: usize, terms: &[Term], back: Option<Offset>) -> String {
        let own = back.map(|back| place(own, back));
        if self.fold == Fold::Sum {
            let mut text = own.unwrap_or_default();
            for term in terms {
                let sign = match (term.weight < 0, text.is_empty()) {
                    (true, true) => "-",
                    (true, false) => " - ",
                    (false, true) => "",
                    (false, false) => " + ",
                };
                text.push_str(sign);
                if term.weight.unsigned_abs() != 1 {
                    let _ = write!(text, "{} ", term.weight.unsigned_abs());
                }
                text.push_str(&place(term.source, term.offset));
            }
            return if text.is_empty() { "0".to_owned() } else { text };
        }
        let mut parts: Vec<String> = own.into_iter().collect();
        for term in terms {
            let mut text = place(term.source, term.offset);
            if term.weight != 0 {
                let _ = write!(text, " + {}", term.weight);
            }
            parts.push(text);
        }
        format!("{}({})", self.name_of_fold(), parts.join(", "))
    }
}

/// A step's value at an offset, as in `s1[-1,0]`.
fn place(source: usize, [x, y, _]: Offset) -> String {
    if [x, y] == [0, 0] { format!("s{source}") } else { format!("s{source}[{x},{y}]") }
}

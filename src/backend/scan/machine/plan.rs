//! Plans: whole-image steps, in the order in which they are computed for each pixel.

use std::fmt::Write;

use super::{Border, Overflow, Pixel, Storage};
use crate::algebra::{Offset, Rational};

/// The operation of a step on its terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fold {
    /// Adds the terms. A term's weight is a factor.
    Sum,
    /// Takes the greatest. A term's weight is added to it.
    Greatest,
    /// Takes the least. A term's weight is added to it.
    Least,
    /// Takes the bitwise disjunction. Weights are zero.
    Either,
}

impl Fold {
    /// Returns the fold that adds the coefficients of a semiring, given the symbol of its addition.
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

    /// The fold of no values: zero of the semiring, or of the values that pixels hold the one that comes nearest to it.
    pub fn nothing(self, pixel: Pixel) -> i64 {
        let [least, greatest] = pixel.range();
        match self {
            Self::Sum | Self::Either => 0,
            Self::Greatest => least,
            // In single precision a power of two, which is exact.
            Self::Least => greatest + i64::from(pixel.float),
        }
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

/// A weighted value of an earlier step: that of pixel p + `offset` for pixel p.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// The step.
    pub source: usize,
    /// The offset from the pixel being computed.
    pub offset: Offset,
    /// A factor if the fold is a sum; otherwise an addend.
    pub weight: i64,
}

/// A whole-image step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PlanStep {
    /// An input.
    Input(usize),
    /// The fold of terms and, for recurrences, of the step's own value at p + `back`, which is earlier in scan order.
    /// All values before the first pixel are zero: the base case of every recurrence.
    Fold {
        /// The terms.
        terms: Vec<Term>,
        /// The offset at which the step reads itself.
        back: Option<Offset>,
    },
    /// The fold of `length` values of an earlier step, at p, p + `step`, …. It takes three operations per pixel for any
    /// length (M. van Herk 1992; J. Gil, M. Werman 1993). The fold must be idempotent.
    Window {
        /// The step that it reads.
        source: usize,
        /// One pixel east or one pixel north.
        step: Offset,
        /// The number of values.
        length: usize,
    },
}

impl PlanStep {
    /// The (step, offset) pairs that the step reads, except itself. Of a window's values, only the newest.
    pub fn reads(&self) -> impl Iterator<Item = (usize, Offset)> {
        let (terms, window) = match self {
            Self::Input(_) => (&[][..], None),
            Self::Fold { terms, .. } => (&terms[..], None),
            Self::Window { source, step, length } => {
                let last = *length as i32 - 1;
                // In scan order, the newest value is the easternmost of a row and the southernmost of a column.
                (&[][..], Some((*source, [step[0] * last, 0, 0])))
            }
        };
        terms.iter().map(|term| (term.source, term.offset)).chain(window)
    }
}

/// A result: a step at an offset, times a factor or with a bias added.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// The step.
    pub source: usize,
    /// The offset from the pixel being computed.
    pub offset: Offset,
    /// The factor of the step's value. Integer results are rounded to the nearest, halves up. One if the fold is not a sum.
    pub scale: Rational,
    /// The addend; zero if the fold is a sum that is not part of a pipeline.
    pub bias: i64,
    /// The type of the result.
    pub pixel: Pixel,
    /// Whether its kernel is infinite. Such a result has no bound: it loses its upper bits, whatever [`super::Overflow`] is.
    pub is_table: bool,
}

impl Output {
    /// The treatment of results of this output that do not fit. `overflow` is the treatment of all finite outputs.
    pub fn overflow(&self, overflow: Overflow) -> Overflow {
        if self.is_table { Overflow::Wrap } else { overflow }
    }
}

/// A plan: steps, each reading only earlier ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The filter's name.
    pub name: String,
    /// The names of the inputs.
    pub inputs: Vec<String>,
    /// The operation of the steps.
    pub fold: Fold,
    /// The steps.
    pub steps: Vec<PlanStep>,
    /// The storage of the values of each step, for pixels of [`Plan::pixel`].
    pub storage: Vec<Storage>,
    /// The least and the greatest value of each step, or `None` if there are none in 64 bits.
    pub ranges: Vec<Option<[i64; 2]>>,
    /// The storage in which sums are computed, modulo its size. It is wide enough for every result.
    pub accumulator: Storage,
    /// The results.
    pub outputs: Vec<Output>,
    /// The pixel type.
    pub pixel: Pixel,
    /// The least and the greatest value of pixels for which the plan is made.
    pub values: [i64; 2],
    /// The reach of the results into the inputs: west, east, south, north.
    pub reach: [i32; 4],
}

impl Plan {
    /// Whether a step reads itself.
    pub fn has_recurrence(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, PlanStep::Fold { back: Some(_), .. }))
    }

    /// The borders with which the results have a meaning. Infinite sums need zeros beyond the image.
    pub fn borders(&self) -> Vec<Border> {
        if self.outputs.iter().any(|output| output.is_table) {
            return vec![Border::Zero];
        }
        Border::ALL.map(|(_, border)| border).to_vec()
    }

    /// The plan as equations, one line for each step and output.
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

/// The value of a step at an offset, as in `s1[-1,0]`.
fn place(source: usize, [x, y, _]: Offset) -> String {
    if [x, y] == [0, 0] { format!("s{source}") } else { format!("s{source}[{x},{y}]") }
}

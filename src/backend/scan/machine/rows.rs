//! A plan as passes over rows: each pass computes one row of a step, or of an output, from rows of the image and of steps.
//! The C and Rust emitters print the same passes.

use std::collections::BTreeSet;

use super::finish::Finish;
use super::{Border, Plan, Ports, Storage};

/// The treatment of pixels beyond the image, and of results beyond their type; the sizes that fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodeOptions {
    /// The values beyond the image.
    pub border: Border,
    /// The treatment of results that do not fit.
    pub overflow: super::Overflow,
    /// The only size of images, width and height, with which the filter has a meaning: that of its torus.
    pub size: Option<[usize; 2]>,
}

impl CodeOptions {
    /// Which images the function takes, for its comment.
    pub(super) fn images(&self, by: char) -> String {
        match self.size {
            None => format!("images of width {by} height pixels"),
            Some([width, height]) => {
                format!(
                    "images of width {width} and height {height}, the torus of the filter, and of no other size"
                )
            }
        }
    }

    /// What holds of images of other sizes than the only one, as a term of a condition.
    pub(super) fn misfit(&self) -> String {
        let differs = |[width, height]: [usize; 2]| format!("width != {width} || height != {height} || ");
        self.size.map(differs).unwrap_or_default()
    }
}

/// A plan as passes. Row r of every step is that of row y0 + r of the result, y0 being the first row that is asked for.
pub(in crate::backend::scan) struct Rows {
    /// The plan, without windows.
    pub(in crate::backend::scan) plan: Plan,
    pub(in crate::backend::scan) ports: Ports,
    pub(in crate::backend::scan) options: CodeOptions,
    /// The columns and rows by which the output is smaller than the image.
    pub(in crate::backend::scan) lost: [i32; 2],
    /// The row of the image at the first row of the output.
    pub(in crate::backend::scan) corner: i32,
    /// The rows of steps that are kept, widest values first.
    pub(in crate::backend::scan) rings: Vec<Ring>,
    /// The row of the output, or before it, at which the passes begin.
    pub(in crate::backend::scan) first_row: i32,
    /// Whether a row of zeros stands for rows that are beyond the image, or come before a recurrence.
    pub(in crate::backend::scan) zeros: bool,
    pub(in crate::backend::scan) passes: Vec<Pass>,
}

impl Value {
    /// The same values in other rows.
    pub(super) fn in_rows(&self, to: &dyn Fn(usize) -> usize) -> Self {
        let moved = |load: &Load| Load { row: load.row.map(to), ..*load };
        match self {
            Self::Sum(groups) => Self::Sum(
                groups
                    .iter()
                    .map(|group| Group {
                        values: group.values.iter().map(|(load, sign)| (moved(load), *sign)).collect(),
                        ..group.clone()
                    })
                    .collect(),
            ),
            Self::Keep(values) => {
                Self::Keep(values.iter().map(|(load, weight)| (moved(load), *weight)).collect())
            }
        }
    }
}

impl Rows {
    /// Whether an output is an infinite sum, which needs all rows from the first on.
    pub(in crate::backend::scan) fn has_table(&self) -> bool {
        self.plan.outputs.iter().any(|output| output.is_table)
    }

    /// The types of the pixels of inputs and of outputs.
    pub(super) fn pixels(&self) -> [Vec<Storage>; 2] {
        let inputs = vec![self.plan.pixel.storage(); self.ports.inputs.len()];
        [inputs, self.plan.outputs.iter().map(|output| output.pixel.storage()).collect()]
    }

    /// The condition under which zeros stand for row `y` of the image, which is zero before the row `first`. `None` if they never do.
    pub(super) fn blank(&self, first: &str, y: &str) -> Option<String> {
        match self.options.border {
            _ if !self.zeros => None,
            Border::Zero => Some(format!("{first} < 0 || {y} < 0 || {y} >= height")),
            _ => Some(format!("{first} < 0")),
        }
    }
}

/// The rows of a step that are kept.
pub(in crate::backend::scan) struct Ring {
    pub(in crate::backend::scan) step: usize,
    pub(in crate::backend::scan) storage: Storage,
    /// The number of rows.
    pub(in crate::backend::scan) depth: i32,
    /// The position of column 0 in a row.
    pub(in crate::backend::scan) base: i32,
    /// The length of a row, less the columns of the output.
    pub(in crate::backend::scan) excess: i32,
}

/// A row: for a pass at row r, one of the image or of a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::backend::scan) enum Place {
    /// Row r + `down` of an input, which is zero before row `north`.
    Image { channel: usize, down: i32, north: i32 },
    /// Row (r + phase) modulo `depth` of a step.
    Ring { step: usize, phase: i32, depth: i32 },
}

/// A row that a pass reads, or the row that it writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::backend::scan) struct Row {
    pub(in crate::backend::scan) place: Place,
    pub(in crate::backend::scan) storage: Storage,
    /// The position in the row of the first value that is read or written.
    pub(in crate::backend::scan) start: i32,
    /// The number of values, less those that the pass computes.
    pub(in crate::backend::scan) more: i32,
}

/// A value that is read for column x of the pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::backend::scan) struct Load {
    /// The row, or `None` for the row being written.
    pub(in crate::backend::scan) row: Option<usize>,
    /// The distance from x.
    pub(in crate::backend::scan) column: i32,
}

/// A weight times a sum of values, each with whether it is subtracted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::backend::scan) struct Group {
    pub(in crate::backend::scan) weight: u64,
    pub(in crate::backend::scan) values: Vec<(Load, bool)>,
    /// The type that holds the sum of values, if it is narrower than that of the whole.
    pub(in crate::backend::scan) narrow: Option<Storage>,
}

impl Group {
    /// Whether its first value is subtracted.
    pub(in crate::backend::scan) fn is_negative(&self) -> bool {
        self.values.first().is_some_and(|(_, subtracted)| *subtracted)
    }
}

/// What a pass computes for each column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::backend::scan) enum Value {
    /// A sum of groups.
    Sum(Vec<Group>),
    /// The fold of values, each with an addend. It is not a sum.
    Keep(Vec<(Load, i64)>),
}

/// What a pass writes.
pub(in crate::backend::scan) enum Target {
    /// A row of a step.
    Step {
        row: Row,
        /// The columns to the west and to the east that get their values from the border.
        pad: [i32; 2],
        /// The value of these columns if the border is zero.
        beyond: i64,
    },
    /// A row of the output of this index.
    Output(usize, Finish),
}

/// A loop over the columns of a row, or of two rows.
pub(in crate::backend::scan) struct Pass {
    /// The name of its function, unique among the passes.
    pub(in crate::backend::scan) name: String,
    /// The step or output, as in the listing of the plan.
    pub(in crate::backend::scan) comment: String,
    /// The number of rows by which it is ahead of the output.
    pub(in crate::backend::scan) lead: i32,
    /// Its first row, and its last row less that of the output.
    pub(in crate::backend::scan) rows: [i32; 2],
    /// The number of values, less the columns of the output.
    pub(in crate::backend::scan) more: i32,
    pub(in crate::backend::scan) reads: Vec<Row>,
    pub(in crate::backend::scan) value: Value,
    /// What it computes for the next row in the same loop, if it computes two rows at every second step. They share what they read.
    pub(in crate::backend::scan) second: Option<Value>,
    /// The type in which the value is computed; sums of integers modulo its size.
    pub(in crate::backend::scan) working: Storage,
    /// Whether the sum continues from the value just computed.
    pub(in crate::backend::scan) continues: bool,
    pub(in crate::backend::scan) target: Target,
}

impl Pass {
    /// The values that are read for a column.
    pub(in crate::backend::scan) fn loads(&self) -> Vec<Load> {
        let of = |value: &Value| -> Vec<Load> {
            match value {
                Value::Sum(groups) => {
                    groups.iter().flat_map(|group| group.values.iter().map(|read| read.0)).collect()
                }
                Value::Keep(values) => values.iter().map(|read| read.0).collect(),
            }
        };
        let second = self.second.iter().flat_map(of);
        of(&self.value).into_iter().chain(second).collect()
    }

    /// The rows and columns from which values are read, other than those of the row that is written.
    pub(super) fn places(&self) -> BTreeSet<(usize, i32)> {
        self.loads().iter().filter_map(|load| Some((load.row?, load.column))).collect()
    }

    /// The values of a fold that both rows have in common.
    pub(in crate::backend::scan) fn common(&self) -> Vec<(Load, i64)> {
        match (&self.value, &self.second) {
            (Value::Keep(first), Some(Value::Keep(second))) => {
                first.iter().filter(|value| second.contains(value)).copied().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The number of values before x in the row being written that the pass reads.
    pub(in crate::backend::scan) fn behind(&self) -> i32 {
        let own = self.loads().into_iter().filter(|load| load.row.is_none());
        own.map(|load| -load.column).max().unwrap_or(0).max(0)
    }
}

/// A number added to a text.
pub(in crate::backend::scan) fn added(text: &str, number: impl Into<i64>) -> String {
    match number.into() {
        0 => text.to_owned(),
        number if number < 0 => format!("{text} - {}", number.unsigned_abs()),
        number => format!("{text} + {number}"),
    }
}

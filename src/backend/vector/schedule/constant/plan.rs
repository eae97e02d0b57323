//! Plans: the ways to compute a filter, and the reasons why one does not apply.

use super::split::Split;
use crate::backend::vector::machine::PreAdd;
use crate::backend::vector::schedule::Infeasible;
use crate::backend::vector::workload::Element;

/// The form of the computation of a filter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// Every row is padded to whole operations, and zeros are multiplied like all others: the baseline without algebra.
    Padded,
    /// Every non-zero coefficient once. Single taps of two rows share an operation.
    Direct,
    /// Rows with equal or opposite coefficients are added or subtracted first.
    Folded,
    /// A split with columns in registers, rows of these, and single taps.
    Columns,
    /// A split: columns go to memory, and rows are read from there.
    Passes,
    /// The filter is the first operand and the image the second: the form for bytes by bytes.
    Swapped,
}

/// A way to compute a filter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Plan {
    /// The form.
    pub form: Form,
    /// The index of the split among the given ones, for forms that have one.
    pub split: usize,
    /// Whether coefficients are bytes.
    pub bytes: bool,
    /// Whether data with equal coefficients is added first.
    pub symmetric: bool,
    /// Whether data with opposite coefficients is subtracted first.
    pub antisymmetric: bool,
    /// Whether data is combined in columns, too, not only in rows of them. That takes more registers.
    pub in_columns: bool,
    /// Whether columns are computed from those of the row above.
    pub running: bool,
    /// Whether sums begin with shifted data, in place of a multiplication by a power of two.
    pub shifted: bool,
    /// The rows of outputs that one iteration computes.
    pub rows: usize,
    /// The number of pointers to the image: two for even and odd rows, or one for all.
    pub pointers: usize,
}

impl Plan {
    /// The direct form with padded rows, row by row through one pointer.
    pub(super) const PADDED: Self = Self {
        form: Form::Padded,
        split: 0,
        bytes: false,
        symmetric: false,
        antisymmetric: false,
        in_columns: false,
        running: false,
        shifted: false,
        rows: 1,
        pointers: 1,
    };

    /// Whether data may be combined in this way before the multiplication.
    pub fn combines(&self, how: PreAdd) -> bool {
        match how {
            PreAdd::Sum => self.symmetric,
            PreAdd::Difference => self.antisymmetric,
        }
    }

    /// A description in words.
    pub fn describe(&self, splits: &[Split]) -> String {
        let split = || splits.get(self.split).map(Split::describe).unwrap_or_default();
        let mut parts = vec![match self.form {
            Form::Padded => "direct, rows padded".to_owned(),
            Form::Direct if self.bytes => "direct, zeros left out".to_owned(),
            Form::Direct => "direct, zeros left out, single taps of two rows fused".to_owned(),
            Form::Folded => "direct, rows of equal or opposite coefficients combined first".to_owned(),
            Form::Columns => match splits.get(self.split).is_some_and(|split| !split.columns.is_empty()) {
                true => format!("{}, columns in registers", split()),
                false => split(),
            },
            Form::Passes => format!("{}, two passes through memory", split()),
            Form::Swapped => "direct, bytes of the image as second operand".to_owned(),
        }];
        if self.running {
            parts.push("running sums of rows".to_owned());
        }
        if matches!(self.form, Form::Columns | Form::Passes) && (self.symmetric || self.antisymmetric) {
            let of = if self.in_columns { "" } else { " of rows" };
            parts.push(format!("equal or opposite coefficients{of} combined first"));
        }
        if self.bytes {
            parts.push("coefficients of 8 bits".to_owned());
        }
        if self.shifted {
            parts.push("a power of two in a sum shifted, not multiplied".to_owned());
        }
        let rows =
            if self.rows > 1 { format!("; {} rows at once", self.rows) } else { "; row by row".to_owned() };
        let pointers =
            if self.pointers > 1 { format!(", {} pointers", self.pointers) } else { String::new() };
        format!("{}{rows}{pointers}", parts.join(", "))
    }
}

/// The reason why a plan does not apply, or has no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Inapplicable {
    /// The coefficients are not known.
    #[error("the weights are known only at run time")]
    RunTime,
    /// The workload is not a filter of one plane, or has several kernels.
    #[error("it is not a filter of one plane, or the form takes only a single kernel")]
    NotAFilter,
    /// The rows of the tile are not whole vectors.
    #[error(
        "the tile is {width} wide, which is not a multiple of the {lanes} lanes of a vector; the next multiple is {next}"
    )]
    Width {
        /// The width.
        width: usize,
        /// The lanes.
        lanes: usize,
        /// The next width that is a multiple of the lanes.
        next: usize,
    },
    /// The height of the tile is not a multiple of the rows of an iteration.
    #[error("the tile is {height} high, which does not divide into {rows} rows at once")]
    Height {
        /// The height.
        height: usize,
        /// The rows of an iteration.
        rows: usize,
    },
    /// The filter is not a sum of products of columns and rows.
    #[error("it is not a sum of products of columns and rows")]
    NotSeparable,
    /// Rows or columns have no equal partners.
    #[error("it has no symmetry that the pre-adder can use")]
    NoSymmetry,
    /// Sums of columns may exceed the element type.
    #[error("sums of columns of {least} to {greatest} do not fit in the element type")]
    Range {
        /// The least sum.
        least: i64,
        /// The greatest sum.
        greatest: i64,
    },
    /// Rounding sums of columns to the element type causes a larger error than the workload tolerates.
    #[error("its outputs may be off by {bound}, as sums of columns are rounded to fit the element type")]
    Error {
        /// The maximum error of the outputs.
        bound: u64,
    },
    /// A coefficient exceeds the type of coefficients.
    #[error("the coefficient {0} does not fit in {1}")]
    Coefficient(i64, Element),
    /// No shift by a power of two saves an operation in any sum.
    #[error("no shift by a power of two saves a multiplication")]
    NoShift,
    /// The machine lacks the mode of this form, which is for bytes only.
    #[error("the machine does not multiply elements of type {0} in this way")]
    NotBytes(Element),
    /// The filter is wider than the windows of the form.
    #[error("its width of {0} exceeds the windows of this form")]
    TooWide(usize),
    /// The schedule has no program.
    #[error(transparent)]
    Infeasible(#[from] Infeasible),
}

impl Inapplicable {
    /// The lower bound on the cycles, if the program was not compiled because another one is faster.
    pub fn at_least(&self) -> Option<usize> {
        match self {
            Self::Infeasible(infeasible) => infeasible.at_least(),
            _ => None,
        }
    }
}

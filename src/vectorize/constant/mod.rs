//! Programs for filters of one image: what the algebra gains over the direct form where coefficients are known, and the
//! direct forms where they are data of the run.
//!
//! A filter has several forms: direct, with zeros left out and single taps of two rows fused; folded, where rows of equal
//! coefficients are added before they are multiplied; separable in registers, where sums of columns never go to memory.
//! Each is a body for the same scheduler, and the fastest program is taken. None uses a number that may not fit its
//! register: a form whose intermediate sums can exceed the element type is left out, by interval analysis of the inputs.

mod direct;
mod kernel;
mod separable;
mod table;

pub use kernel::Kernel;

use rayon::prelude::*;

use super::body::Body;
use super::{Unfit, pipeline};
use crate::target::vliw::{Machine, Program};
use crate::tensor::{Dim, Layout, Placed, Weights, Workload};

/// The forms that a filter can be computed in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// Every row padded to whole operations, zeros multiplied like all others: what is left without algebra.
    Padded,
    /// Every non-zero coefficient once; single taps of two rows share an operation.
    Direct,
    /// Rows with equal coefficients are added first.
    Folded,
    /// Sums of columns, then of rows, in registers.
    Separable,
    /// The same, and equal coefficients of the row are added first.
    SeparableFolded,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Padded, Self::Direct, Self::Folded, Self::Separable, Self::SeparableFolded];

    /// A few words that say what is done.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Padded => "direct, rows padded",
            Self::Direct => "direct, zeros left out, single taps of two rows fused",
            Self::Folded => "direct, rows of equal coefficients added first",
            Self::Separable => "separable in registers, columns then rows",
            Self::SeparableFolded => "separable in registers, equal coefficients of the row added first",
        }
    }

    /// The name for options and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Padded => "padded",
            Self::Direct => "direct",
            Self::Folded => "folded",
            Self::Separable => "separable",
            Self::SeparableFolded => "separable-folded",
        }
    }
}

/// How a filter is computed: a form, rows of outputs in one iteration, pointers into the image.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Plan {
    /// The form.
    pub form: Form,
    /// Rows of outputs that one iteration computes.
    pub rows: usize,
    /// Pointers that the image is read through: one for even rows and one for odd ones, or one for all.
    pub pointers: usize,
}

/// Why a plan does not apply, or has no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Inapplicable {
    /// The coefficients are not known.
    #[error("the weights are known only at run time")]
    RunTime,
    /// The workload is no filter of one image.
    #[error("it is no filter of one channel and one plane")]
    NotAFilter,
    /// The rows of the tile are no whole vectors, or its height is no multiple of the rows of an iteration.
    #[error("a tile of {0} by {1} does not divide into {2} rows of whole vectors")]
    Tile(usize, usize, usize),
    /// The filter is no product of a column and a row.
    #[error("it is no product of a column and a row")]
    NotSeparable,
    /// Rows or columns have no equal partners.
    #[error("it has no symmetry that the pre-adder can use")]
    NoSymmetry,
    /// Sums of columns may exceed the element type.
    #[error("sums of columns of {least} to {greatest} do not fit the element type")]
    Range {
        /// The least sum.
        least: i64,
        /// The greatest sum.
        greatest: i64,
    },
    /// A coefficient exceeds the element type.
    #[error("the coefficient {0} does not fit the element type")]
    Coefficient(i64),
    /// The filter is wider than what windows of the form hold.
    #[error("it is {0} wide, which no window of this form holds")]
    TooWide(usize),
    /// There is no program.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

/// A plan that was tried.
#[derive(Clone, PartialEq, Debug)]
pub struct Attempt {
    /// The plan.
    pub plan: Plan,
    /// Its cycles, or why there are none.
    pub cycles: Result<usize, Inapplicable>,
}

/// The fastest program of a filter.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// The plan.
    pub plan: Plan,
    /// Its program.
    pub program: Program,
    /// Where the tensors lie for it.
    pub placed: Placed,
    /// All plans that were tried.
    pub attempts: Vec<Attempt>,
}

/// The plans of some forms.
pub fn plans(forms: &[Form]) -> Vec<Plan> {
    let mut found = Vec::new();
    for form in forms {
        for rows in [1, 2, 4] {
            for pointers in [1, 2] {
                // The baseline is what Vyasa does: one pointer.
                if !(*form == Form::Padded && pointers > 1) {
                    found.push(Plan { form: *form, rows, pointers });
                }
            }
        }
    }
    found
}

/// Tries all plans, in parallel, and takes the fastest; the first of equal ones.
///
/// # Errors
/// The reason of the first plan, where none has a program.
pub fn choose(machine: &Machine, workload: &Workload, plans: &[Plan]) -> Result<Chosen, Inapplicable> {
    let programs: Vec<Result<(Program, Placed), Inapplicable>> =
        plans.par_iter().map(|plan| program(machine, workload, *plan)).collect();
    let attempt = |(plan, program): (&Plan, &Result<(Program, Placed), Inapplicable>)| Attempt {
        plan: *plan,
        cycles: program.as_ref().map(|(program, _)| program.cycles(machine)).map_err(Clone::clone),
    };
    let attempts: Vec<Attempt> = plans.iter().zip(&programs).map(attempt).collect();
    let best = attempts
        .iter()
        .enumerate()
        .filter_map(|(i, attempt)| attempt.cycles.as_ref().ok().map(|cycles| (*cycles, i)))
        .min()
        .map(|(_, i)| i);
    let first = || attempts.first().and_then(|a| a.cycles.clone().err()).unwrap_or(Inapplicable::NotAFilter);
    let Some(best) = best else { return Err(first()) };
    let (program, placed) = programs.into_iter().nth(best).and_then(Result::ok).ok_or_else(first)?;
    Ok(Chosen { plan: plans[best], program, placed, attempts })
}

/// The program of a plan, and where its tensors lie.
///
/// # Errors
/// Why there is none.
pub fn program(
    machine: &Machine,
    workload: &Workload,
    plan: Plan,
) -> Result<(Program, Placed), Inapplicable> {
    let (body, placed) = body(machine, workload, plan)?;
    Ok((pipeline(machine, &body)?, placed))
}

fn body(machine: &Machine, workload: &Workload, plan: Plan) -> Result<(Body, Placed), Inapplicable> {
    let places = workload.filter.iter().product::<usize>();
    let values: Vec<i64> = match &workload.weights {
        Weights::Known(values) => values.clone(),
        // The direct forms need not know coefficients, only which one each is: they are numbered from one.
        Weights::RunTime if matches!(plan.form, Form::Padded | Form::Direct) => (1..=places as i64).collect(),
        Weights::RunTime => return Err(Inapplicable::RunTime),
    };
    let ([columns, rows, 1, 1], [width, height, 1, 1]) = (workload.filter, workload.output) else {
        return Err(Inapplicable::NotAFilter);
    };
    let kernel = Kernel::new(columns, rows, &values);
    let [least, greatest] = workload.element.range();
    if let Some(large) = values.iter().find(|value| !(least..=greatest).contains(*value)) {
        return Err(Inapplicable::Coefficient(*large));
    }
    let mode = machine.mode_for(workload.element).ok_or(Unfit::NoMode { element: workload.element })?;
    if !width.is_multiple_of(mode.lanes) || !height.is_multiple_of(plan.rows) {
        return Err(Inapplicable::Tile(width, height, plan.rows));
    }
    match plan.form {
        Form::Padded | Form::Direct | Form::Folded => direct::body(machine, workload, mode, &kernel, plan),
        Form::Separable | Form::SeparableFolded => separable::body(machine, workload, mode, &kernel, plan),
    }
}

/// Rows of an image of some width in memory, with room before the first and after the last.
fn rows(extents: [usize; 2], before: usize, after: usize) -> crate::tensor::Placement {
    let layout: Layout = "YX".parse().expect("a layout of two dimensions");
    let extent = |dim| match dim {
        Dim::X => extents[0],
        Dim::Y => extents[1],
        _ => 1,
    };
    layout.place(extent, &[], 1).within(before, after)
}

/// Where the tensors of a filter lie: outputs and inputs in rows of these widths.
fn placed(workload: &Workload, input_width: usize, output_width: usize, slack: usize) -> Placed {
    let [_, height, ..] = workload.output;
    let around = output_width - workload.output[0];
    let weights: Layout = "SR".parse().expect("a layout of two dimensions");
    Placed {
        output: rows([output_width, height], around, 0),
        weights: weights.place(|dim| workload.extent(dim), &[], 1),
        input: rows([input_width, height + workload.filter[1] - 1], 0, slack),
        depth_wise: false,
        padded_columns: workload.filter[0],
        slack: 0,
    }
}

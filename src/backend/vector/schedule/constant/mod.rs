//! Programs for filters of one image: what the algebra gains over the direct form where coefficients are known, and the
//! direct forms where they are data of the run.
//!
//! A filter has several forms. The direct ones leave zeros out, fuse single taps of two rows, or combine rows of equal or
//! opposite coefficients before they are multiplied. The others stand on a [`Split`] of the filter into columns, rows of them
//! and taps, which is read from decompositions that an e-graph holds: sums of columns stay in registers or go to memory, and
//! serve all outputs that need them. Each form is a body for the same scheduler, and the fastest program is taken. None uses a
//! number that may not fit its register: a form whose intermediate sums can exceed the element type is left out, by interval
//! analysis of the inputs. Every [`Technique`] can be switched off.

mod bytes;
mod columns;
mod direct;
mod dot;
mod kernel;
mod split;
mod table;

pub use kernel::Kernel;
pub use split::{Column, Output, Piece, Rest, Split, Ways, kernels, splits};

use rayon::prelude::*;

use super::body::Body;
use super::race::{Entrant, race};
use super::{Infeasible, pipeline};
use crate::backend::vector::machine::{Machine, PreAdd, Program, fits_memory};
use crate::backend::vector::workload::{Dim, Element, Layout, Placed, Weights, Workload};
use crate::budget::Budget;

/// What the compiler may do with coefficients that it knows; each can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Technique {
    /// Single taps of two rows share an operation.
    Fused,
    /// Data that is multiplied by equal coefficients is added first.
    Symmetric,
    /// Data that is multiplied by opposite coefficients is subtracted first.
    Antisymmetric,
    /// Sums of columns, then of rows.
    Separable,
    /// Sums of several separable kernels, or of one and single taps.
    LowRank,
    /// A column that several outputs need is made once.
    Shared,
    /// Columns go to memory before rows are summed.
    TwoPass,
    /// A row's column is made from that of the row above.
    Running,
    /// Coefficients of 8 bits, which the datapath multiplies twice as many of.
    Bytes,
    /// A power of two in each sum is a shift of its data.
    Shifted,
}

impl Technique {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Fused,
        Self::Symmetric,
        Self::Antisymmetric,
        Self::Separable,
        Self::LowRank,
        Self::Shared,
        Self::TwoPass,
        Self::Running,
        Self::Bytes,
        Self::Shifted,
    ];

    /// The name for options and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fused => "fused",
            Self::Symmetric => "symmetric",
            Self::Antisymmetric => "antisymmetric",
            Self::Separable => "separable",
            Self::LowRank => "low-rank",
            Self::Shared => "shared",
            Self::TwoPass => "two-pass",
            Self::Running => "running",
            Self::Bytes => "int8",
            Self::Shifted => "shift-and-add",
        }
    }

    /// The technique of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|technique| technique.name() == name)
    }
}

/// The forms that a filter can be computed in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// Every row padded to whole operations, zeros multiplied like all others: what is left without algebra.
    Padded,
    /// Every non-zero coefficient once; single taps of two rows share an operation.
    Direct,
    /// Rows with equal or opposite coefficients are added or subtracted first.
    Folded,
    /// A split: columns in registers, rows of them, single taps.
    Columns,
    /// A split: columns go to memory, rows are read from there.
    Passes,
    /// The filter is the first operand, and the image the second: what bytes are multiplied with bytes in.
    Swapped,
}

/// How a filter is computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Plan {
    /// The form.
    pub form: Form,
    /// The split, for forms that have one, by its place among those that are given.
    pub split: usize,
    /// Whether coefficients are bytes.
    pub bytes: bool,
    /// Whether data with equal coefficients is added first.
    pub symmetric: bool,
    /// Whether data with opposite coefficients is subtracted first.
    pub antisymmetric: bool,
    /// Whether data is combined in columns, too, not only in rows of them: that takes more registers.
    pub in_columns: bool,
    /// Whether columns are made from those of the row above.
    pub running: bool,
    /// Whether sums begin with data that is shifted, in the place of a multiplication by a power of two.
    pub shifted: bool,
    /// Rows of outputs that one iteration computes.
    pub rows: usize,
    /// Pointers that the image is read through: one for even rows and one for odd ones, or one for all.
    pub pointers: usize,
}

impl Plan {
    /// The direct form with padded rows, row by row through one pointer.
    const PADDED: Self = Self {
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

    /// Whether data may be combined in this way before it is multiplied.
    pub fn combines(&self, how: PreAdd) -> bool {
        match how {
            PreAdd::Sum => self.symmetric,
            PreAdd::Difference => self.antisymmetric,
        }
    }

    /// What is done, in words.
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

/// Why a plan does not apply, or has no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Inapplicable {
    /// The coefficients are not known.
    #[error("the weights are known only at run time")]
    RunTime,
    /// The workload is no filter of one plane, or has several kernels.
    #[error("it is no filter of one plane, or the form is one of a single kernel")]
    NotAFilter,
    /// The rows of the tile are no whole vectors.
    #[error(
        "the tile is {width} wide, which is no multiple of the {lanes} lanes of a vector; the next width that is one is {next}"
    )]
    Width {
        /// The width.
        width: usize,
        /// The lanes.
        lanes: usize,
        /// The next width that will do.
        next: usize,
    },
    /// The height of the tile is no multiple of the rows of an iteration.
    #[error("the tile is {height} high, which does not divide into {rows} rows at once")]
    Height {
        /// The height.
        height: usize,
        /// The rows of an iteration.
        rows: usize,
    },
    /// The filter is no sum of products of columns and rows.
    #[error("it is no sum of products of columns and rows")]
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
    /// Sums of columns that are rounded to the element type take more off the outputs than is tolerated.
    #[error("its outputs may be off by {bound}, as sums of columns are rounded to fit the element type")]
    Error {
        /// How far outputs may be from the exact result.
        bound: u64,
    },
    /// A coefficient exceeds the type of coefficients.
    #[error("the coefficient {0} does not fit {1}")]
    Coefficient(i64, Element),
    /// No sum has a power of two whose shift makes operations fewer.
    #[error("no power of two that is shifted saves a multiplication")]
    NoShift,
    /// The form is one of bytes.
    #[error("the machine does not multiply elements of type {0} in this way")]
    NotBytes(Element),
    /// The filter is wider than what windows of the form hold.
    #[error("it is {0} wide, which no window of this form holds")]
    TooWide(usize),
    /// There is no program.
    #[error(transparent)]
    Infeasible(#[from] Infeasible),
}

impl Inapplicable {
    /// The least cycles of a program that was not made, as another one is faster.
    pub fn at_least(&self) -> Option<usize> {
        match self {
            Self::Infeasible(infeasible) => infeasible.at_least(),
            _ => None,
        }
    }
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

/// The plans for a filter with known coefficients that use nothing that is switched off; the direct form with padded rows,
/// which all others stand against, is always among them.
pub fn plans(machine: &Machine, workload: &Workload, splits: &[Split], without: &[Technique]) -> Vec<Plan> {
    if workload.element == Element::Int8 {
        return run_time_plans(Element::Int8);
    }
    let on = |technique| !without.contains(&technique);
    let single = workload.filter[3] == 1 && workload.output[3] == 1;
    let bytes = on(Technique::Bytes) && machine.modes_for(workload.element).any(|m| m.z == Element::Int8);
    let base = Plan::PADDED;
    let (symmetric, antisymmetric) = (on(Technique::Symmetric), on(Technique::Antisymmetric));
    let combining = Plan { symmetric, antisymmetric, ..base };
    let mut kinds = Vec::new();
    if single {
        kinds.push(base);
        kinds.extend(on(Technique::Fused).then_some(Plan { form: Form::Direct, ..base }));
        kinds.extend(bytes.then_some(Plan { form: Form::Direct, bytes, ..base }));
        kinds.extend((symmetric || antisymmetric).then_some(Plan { form: Form::Folded, ..combining }));
    }
    for (split, of) in splits.iter().enumerate().filter(|(_, split)| !(single && split.columns.is_empty())) {
        let allowed = |form: &Form| *form == Form::Columns || (on(Technique::TwoPass) && !of.has_rest());
        for form in [Form::Columns, Form::Passes].into_iter().filter(allowed) {
            let plain = Plan { form, split, ..base };
            kinds.push(plain);
            kinds.extend(bytes.then_some(Plan { bytes, ..plain }));
            if of.columns.is_empty() {
                continue;
            }
            if symmetric || antisymmetric {
                let in_rows = Plan { symmetric, antisymmetric, ..plain };
                kinds.extend([in_rows, Plan { in_columns: true, ..in_rows }]);
            }
            if on(Technique::Running) && columns::may_run(of) {
                kinds.push(Plan { running: true, ..plain });
                kinds.push(Plan { running: true, symmetric, antisymmetric, ..plain });
            }
        }
    }
    if on(Technique::Shifted) && !machine.widen.slots.is_empty() {
        // Rows that are combined with others are loaded where they are needed, and again for a shift.
        let may = |plan: &&Plan| !plan.in_columns && !matches!(plan.form, Form::Padded | Form::Folded);
        let shifted: Vec<Plan> =
            kinds.iter().filter(may).map(|plan| Plan { shifted: true, ..*plan }).collect();
        kinds.extend(shifted);
    }
    // Of programs that are equally fast the first is taken: one that does without the pre-adder.
    kinds.sort_by_key(|plan| plan.symmetric || plan.antisymmetric);
    unrolled(&kinds)
}

/// The plans of the direct forms for filters of such elements whose coefficients are data of the run.
pub fn run_time_plans(element: Element) -> Vec<Plan> {
    let form = if element == Element::Int8 { Form::Swapped } else { Form::Direct };
    unrolled(&[Plan { form, ..Plan::PADDED }])
}

/// Each plan with the rows and pointers that are tried.
fn unrolled(kinds: &[Plan]) -> Vec<Plan> {
    let mut found = Vec::new();
    for kind in kinds {
        // Operations on bytes are few for an output: more rows share the set-up of the loop.
        let rows = if kind.form == Form::Swapped { &[1, 2, 4, 8][..] } else { &[1, 2, 4] };
        for rows in rows.iter().copied() {
            for pointers in [1, 2] {
                // The baseline is what Vyasa does: one pointer. Running sums run from row to row.
                let useless = kind.form == Form::Padded && pointers > 1 || kind.running && rows == 1;
                if !useless {
                    found.push(Plan { rows, pointers, ..*kind });
                }
            }
        }
    }
    found
}

/// Tries plans, those that may be fastest first, and takes the fastest program; the first of equal ones. What cannot be faster
/// than a program at hand is not compiled, but for the direct form with padded rows.
///
/// # Errors
/// The reason of the first plan, where none has a program.
pub fn choose(
    machine: &Machine,
    workload: &Workload,
    splits: &[Split],
    plans: &[Plan],
    budget: &Budget,
) -> Result<Chosen, Inapplicable> {
    let bodies: Vec<Result<(Body, Placed), Inapplicable>> =
        plans.par_iter().map(|plan| body(machine, workload, splits, *plan)).collect();
    let entrants: Vec<Entrant<'_>> = plans
        .iter()
        .zip(&bodies)
        .filter_map(|(plan, body)| {
            let (body, _) = body.as_ref().ok()?;
            Some(Entrant { body, always: plan.form == Form::Padded })
        })
        .collect();
    let mut raced = race(machine, &entrants, budget, &|| {}).into_iter();
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut best: Option<(usize, usize, Program)> = None;
    for (index, (plan, body)) in plans.iter().zip(&bodies).enumerate() {
        let program = match body {
            Ok(_) => raced.next().expect("a program or a reason for each body").map_err(Inapplicable::from),
            Err(why) => Err(why.clone()),
        };
        let cycles = program.as_ref().map(|program| program.cycles(machine)).map_err(Clone::clone);
        if let (Ok(program), Ok(cycles)) = (program, &cycles)
            && best.as_ref().is_none_or(|(least, ..)| cycles < least)
        {
            best = Some((*cycles, index, program));
        }
        attempts.push(Attempt { plan: *plan, cycles });
    }
    let first = || attempts.first().and_then(|a| a.cycles.clone().err()).unwrap_or(Inapplicable::NotAFilter);
    let Some((_, index, program)) = best else { return Err(first()) };
    let (_, placed) = bodies.into_iter().nth(index).and_then(Result::ok).ok_or_else(first)?;
    Ok(Chosen { plan: plans[index], program, placed, attempts })
}

/// The program of a plan, and where its tensors lie.
///
/// # Errors
/// Why there is none.
pub fn program(
    machine: &Machine,
    workload: &Workload,
    splits: &[Split],
    plan: Plan,
) -> Result<(Program, Placed), Inapplicable> {
    let (body, placed) = body(machine, workload, splits, plan)?;
    Ok((pipeline(machine, &body)?, placed))
}

fn body(
    machine: &Machine,
    workload: &Workload,
    splits: &[Split],
    plan: Plan,
) -> Result<(Body, Placed), Inapplicable> {
    if plan.form == Form::Swapped {
        return bytes::body(machine, workload, plan);
    }
    let places = workload.filter.iter().product::<usize>();
    let values: Vec<i64> = match &workload.weights {
        Weights::Known(values) => values.clone(),
        // The direct forms need not know coefficients, only which one each is: they are numbered from one.
        Weights::RunTime if matches!(plan.form, Form::Padded | Form::Direct) => (1..=places as i64).collect(),
        Weights::RunTime => return Err(Inapplicable::RunTime),
    };
    let ([columns, rows, 1, channels], [_, _, 1, outputs]) = (workload.filter, workload.output) else {
        return Err(Inapplicable::NotAFilter);
    };
    if workload.depth_wise {
        return Err(Inapplicable::NotAFilter);
    }
    let split = match plan.form {
        Form::Columns | Form::Passes => Some(splits.get(plan.split).ok_or(Inapplicable::NotSeparable)?),
        _ if channels == 1 && outputs == 1 => None,
        _ => return Err(Inapplicable::NotAFilter),
    };
    let second = if plan.bytes { Element::Int8 } else { workload.element };
    // Pieces of a split may have larger coefficients than the filter, or smaller ones.
    let coefficients = split.map_or(values.clone(), Split::coefficients);
    let known = workload.weights != Weights::RunTime;
    let large = second.beyond(&coefficients).filter(|_| known);
    // What is too large for the elements' own type is multiplied in parts, or shifted but for a part.
    let own = second == workload.element;
    let most = dot::MAX_PARTS as u64 * second.range()[1].unsigned_abs();
    let in_parts = |value: &i64| own && (plan.shifted || value.unsigned_abs() <= most);
    if let Some(large) = large.filter(|value| !in_parts(value)) {
        return Err(Inapplicable::Coefficient(large, second));
    }
    let mut modes = machine.modes_for(workload.element);
    let mode = modes.find(|mode| mode.z == second).ok_or(Infeasible::NoMode { element: second })?;
    tile(workload, mode.lanes, plan.rows)?;
    Infeasible::accumulators(
        mode,
        workload.reach().max(split.map_or(0, |split| split.reach(workload.range))),
    )?;
    let made = match split {
        Some(split) => columns::body(machine, workload, mode, split, plan),
        None => direct::body(machine, workload, mode, &Kernel::new(columns, rows, &values), plan),
    };
    // Of a coefficient that is no sum of few parts, not the last part is told.
    let (body, placed) = made.map_err(|why| match (why, large) {
        (Inapplicable::Coefficient(..), Some(large)) => Inapplicable::Coefficient(large, second),
        (why, _) => why,
    })?;
    fits_memory(machine, &body.arrays).map_err(Infeasible::from)?;
    Ok((body, placed))
}

/// Whether a tile divides into vectors and rows.
fn tile(workload: &Workload, lanes: usize, rows: usize) -> Result<(), Inapplicable> {
    let [width, height, ..] = workload.output;
    if !width.is_multiple_of(lanes) {
        return Err(Inapplicable::Width { width, lanes, next: width.next_multiple_of(lanes) });
    }
    if !height.is_multiple_of(rows) {
        return Err(Inapplicable::Height { height, rows });
    }
    Ok(())
}

/// Where the tensors of a filter of several channels or outputs lie: planes of rows. Widths and heights of the planes of input
/// and output, and the elements before and after each tensor.
fn planes(
    workload: &Workload,
    [input_width, input_height]: [usize; 2],
    [output_width, output_height]: [usize; 2],
    input_around: [usize; 2],
    output_around: [usize; 2],
) -> Placed {
    let place = |layout: &str, width: usize, height: usize, count: usize, [before, after]: [usize; 2]| {
        let layout: Layout = layout.parse().expect("a layout of three dimensions");
        let extent = |dim| match dim {
            Dim::X => width,
            Dim::Y => height,
            Dim::K | Dim::C => count,
            _ => 1,
        };
        layout.place(extent, &[], 1).within(before, after)
    };
    let weights: Layout = "KCSR".parse().expect("a layout of four dimensions");
    Placed {
        output: place("KYX", output_width, output_height, workload.output[3], output_around),
        weights: weights.place(|dim| workload.extent(dim), &[], 1),
        input: place("CYX", input_width, input_height, workload.filter[3], input_around),
        depth_wise: false,
        padded_columns: workload.filter[0],
        slack: 0,
        copies: Vec::new(),
    }
}

/// Rows of an image of some width in memory, with room before the first and after the last.
fn rows(extents: [usize; 2], before: usize, after: usize) -> crate::backend::vector::workload::Placement {
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
        copies: Vec::new(),
    }
}

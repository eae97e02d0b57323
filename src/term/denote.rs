//! The exact kernels that the terms of a file denote.

use std::marker::PhantomData;

use crate::algebra::{
    AlgebraError, Filter, Footprint, Kernel, Offset, Placed, PlusTimes, Ring, Scan, Semiring, in_semiring,
};
use crate::syntax::{Diagnostic, Diagnostics};

use super::evaluate::{Domain, Row, Step, rows};
use super::{Cell, Coefficient, Direction, FilterSource, Grid, IndexSpace};

/// The filter that a file denotes, in any semiring; scans are errors.
///
/// # Errors
/// The file has a semiring other than `S`, a scan, a coefficient that overflows, or a kernel beyond the limits of the
/// algebra; and, for filters that do not come from [`super::read_filter`], every wrong use of a channel.
pub fn denote<S: Semiring>(filter: &FilterSource) -> Result<Filter<S>, Diagnostics> {
    check_semiring::<S>(filter)?;
    named(filter, rows(Finite::<S>::new(), filter)?)
}

/// The filter that a file of linear kernels denotes if its scans cancel.
///
/// A term in which a scan cancels touches the places where its kernel is not zero.
///
/// # Errors
/// The file has a semiring other than plus-times, a scan that leaves an output infinite, a coefficient that overflows, or a kernel
/// beyond the limits of the algebra.
pub fn denote_linear(filter: &FilterSource) -> Result<Filter<PlusTimes>, Diagnostics> {
    finite_filter(filter, denote_series(filter)?)
}

/// The filter of a file whose kernels are already known; `series` has a row for each output.
///
/// # Errors
/// An infinite output, and the errors of [`denote_linear`] for large kernels.
pub fn finite_filter(
    filter: &FilterSource,
    series: Vec<Vec<Series<PlusTimes>>>,
) -> Result<Filter<PlusTimes>, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let mut finite = Vec::new();
    for (row, output) in series.into_iter().zip(&filter.outputs) {
        let kernels: Option<Vec<_>> = row.into_iter().map(Series::into_kernel).collect();
        match kernels {
            Some(kernels) => finite.push(kernels.into_iter().map(Some).collect()),
            None => diagnostics.push(
                Diagnostic::error(
                    "infinite-output",
                    format!("the output `{}` is infinite: its scans do not cancel", output.name),
                )
                .label(output.span, "expected a finite kernel")
                .help("a window of n places is `(compose (sub (id) (shift n 0 (id))) (scan x))`"),
            ),
        }
    }
    diagnostics.or(finite).and_then(|rows| named(filter, rows))
}

/// The kernels of a file of linear kernels, including infinite ones: one for every output and input.
///
/// # Errors
/// As [`denote`], but scans are errors only if they run against each other.
pub fn denote_series(filter: &FilterSource) -> Result<Vec<Vec<Series<PlusTimes>>>, Diagnostics> {
    check_semiring::<PlusTimes>(filter)?;
    let zero = || Series::Finite(Kernel::zero());
    let rows = rows(Linear::<PlusTimes>::new(), filter)?;
    Ok(rows
        .into_iter()
        .map(|row| row.into_iter().map(|kernel| kernel.unwrap_or_else(zero)).collect())
        .collect())
}

/// The outputs of a file of linear kernels in the optimiser's form. The channel of a tap is the index of its input in the
/// file. Zeros that are merely touched are dropped: see [`footprints`].
///
/// # Errors
/// As [`denote_linear`], and kernels whose coefficients have no common denominator in range.
pub fn filter_placed(filter: &FilterSource) -> Result<Vec<(String, Placed)>, Diagnostics> {
    canonical(filter, &denote_linear(filter)?)
}

/// As [`filter_placed`], in any semiring, and with infinite outputs that sum pixels earlier in scan order.
///
/// # Errors
/// As [`denote`], and with plus-times [`filter_placed`]; non-integer weights in an idempotent semiring.
pub fn filter_placed_in_any(filter: &FilterSource) -> Result<Vec<(String, Placed)>, Diagnostics> {
    if filter.semiring == PlusTimes::NAME {
        let series = denote_series(filter)?;
        return match tables(filter, &series) {
            Some(tables) => Ok(tables),
            None => canonical(filter, &finite_filter(filter, series)?),
        };
    }
    in_semiring!(&filter.semiring, |S| canonical(filter, &denote::<S>(filter)?))
        .unwrap_or_else(|| Err(other_semiring(filter, "one that is known")))
}

/// The outputs of a file of linear kernels if some are infinite and all of those sum pixels earlier in scan order, as tables
/// of sums do; otherwise `None`.
pub(super) fn tables(
    filter: &FilterSource,
    series: &[Vec<Series<PlusTimes>>],
) -> Option<Vec<(String, Placed)>> {
    if matches!(filter.space, IndexSpace::Torus(_)) {
        return None;
    }
    let infinite = |kernel: &&Series<PlusTimes>| matches!(kernel, Series::Infinite(_));
    let mut infinite = series.iter().flatten().filter(infinite).peekable();
    if infinite.peek().is_none() || infinite.any(|kernel| kernel.later_in_scan_order().is_some()) {
        return None;
    }
    let names = filter.outputs.iter().map(|output| output.name.clone());
    let placed = series.iter().map(|row| placed_series(&row.iter().map(Some).collect::<Vec<_>>()));
    names.zip(placed).map(|(name, placed)| Some((name, placed?))).collect()
}

fn canonical<S: Semiring>(
    filter: &FilterSource,
    denoted: &Filter<S>,
) -> Result<Vec<(String, Placed)>, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let mut placed = Vec::new();
    for ((name, kernels), output) in denoted.rows().zip(&filter.outputs) {
        match Placed::from_kernels(kernels) {
            Ok(kernel) => placed.push((name.to_owned(), kernel)),
            Err(error) => {
                diagnostics.push(
                    Diagnostic::error("no-shape", error.to_string()).label(output.span, "in this output"),
                );
            }
        }
    }
    diagnostics.or(placed)
}

/// The footprint of each output, over all inputs and in any semiring: a pixel of the output is valid if its whole
/// footprint lies in the image.
///
/// # Errors
/// As [`denote`]; with plus-times, as [`denote_linear`].
pub fn footprints(filter: &FilterSource) -> Result<Vec<(String, Footprint)>, Diagnostics> {
    if filter.semiring == PlusTimes::NAME {
        return touched(filter, &denote_linear(filter)?);
    }
    in_semiring!(&filter.semiring, |S| touched(filter, &denote::<S>(filter)?))
        .unwrap_or_else(|| Err(other_semiring(filter, "one that is known")))
}

fn touched<S: Semiring>(
    filter: &FilterSource,
    denoted: &Filter<S>,
) -> Result<Vec<(String, Footprint)>, Diagnostics> {
    let mut footprints = Vec::new();
    for ((name, kernels), output) in denoted.rows().zip(&filter.outputs) {
        let union = kernels.iter().try_fold(Footprint::empty(), |all, kernel| all.union(kernel.footprint()));
        let union = union.map_err(|error| {
            Diagnostic::error("kernel-too-large", error.to_string()).label(output.span, "in this output")
        })?;
        footprints.push((name.to_owned(), union));
    }
    Ok(footprints)
}

fn check_semiring<S: Semiring>(filter: &FilterSource) -> Result<(), Diagnostics> {
    if filter.semiring == S::NAME { Ok(()) } else { Err(other_semiring(filter, &format!("`{}`", S::NAME))) }
}

fn other_semiring(filter: &FilterSource, expected: &str) -> Diagnostics {
    let place = filter.outputs.first().map(|output| output.span).unwrap_or_default();
    Diagnostic::error(
        "other-semiring",
        format!("the coefficients of `{}` are those of `{}`", filter.name, filter.semiring),
    )
    .label(place, format!("expected kernels over {expected}"))
    .into()
}

fn named<S: Semiring>(filter: &FilterSource, rows: Vec<Row<Kernel<S>>>) -> Result<Filter<S>, Diagnostics> {
    let outputs = filter.outputs.iter().map(|output| output.name.as_str());
    let build = || {
        let mut denoted = Filter::zero(filter.inputs.iter().cloned(), outputs)?;
        for (row, output) in rows.into_iter().zip(&filter.outputs) {
            for (kernel, input) in row.into_iter().zip(&filter.inputs) {
                let kernel = kernel.unwrap_or_else(Kernel::zero);
                let kernel = match filter.space {
                    IndexSpace::Torus(periods) => kernel.wrapped(periods)?,
                    IndexSpace::Grid | IndexSpace::Hexagonal => kernel,
                };
                denoted = denoted.with(&output.name, input, kernel)?;
            }
        }
        Ok(denoted)
    };
    build().map_err(|error: AlgebraError| Diagnostic::error("no-result", error.to_string()).into())
}

/// A kernel, or a quotient by scans that do not cancel.
#[derive(Clone, Debug)]
pub enum Series<R: Ring> {
    /// A finite kernel with its footprint.
    Finite(Kernel<R>),
    /// An infinite kernel.
    Infinite(Scan<R>),
}

impl<R: Ring> Series<R> {
    /// The kernel if it is finite.
    pub fn into_kernel(self) -> Option<Kernel<R>> {
        match self {
            Self::Finite(kernel) => Some(kernel),
            Self::Infinite(_) => None,
        }
    }

    /// The first step of a scan that leads to pixels later in scan order, or to another plane. Scan order goes from north to
    /// south, and in rows from west to east.
    pub fn later_in_scan_order(&self) -> Option<Offset> {
        let Self::Infinite(scan) = self else { return None };
        scan.factors().iter().copied().find(|[x, y, z]| *z != 0 || *y < 0 || *y == 0 && *x > 0)
    }

    /// The kernel as a quotient by scans.
    pub fn to_scan(&self) -> Scan<R> {
        match self {
            Self::Finite(kernel) => Scan::from_kernel(kernel),
            Self::Infinite(scan) => scan.clone(),
        }
    }
}

/// A kernel over all channels in the optimiser's form, infinite kernels as rational functions; `None` if it leaves the
/// exact range.
pub fn placed_series(kernels: &[Option<&Series<PlusTimes>>]) -> Option<Placed> {
    let mut sum: Vec<Placed> = Vec::new();
    for (channel, kernel) in kernels.iter().enumerate() {
        let Some(kernel) = kernel else { continue };
        let scan = kernel.to_scan();
        let mut numerators = vec![Kernel::zero(); kernels.len()];
        numerators[channel] = scan.numerator().clone();
        let numerator = Placed::from_kernels(&numerators).ok()?;
        sum.push(
            scan.factors()
                .iter()
                .try_fold(numerator, |rest, step| Placed::compose(&Placed::scan(*step)?, &rest))?,
        );
    }
    let channels = u16::try_from(kernels.len()).ok()?;
    Placed::sum(channels, sum.iter().map(|part| (part.label, &part.shape)))
}

impl<R: Ring> From<Scan<R>> for Series<R> {
    fn from(scan: Scan<R>) -> Self {
        match scan.to_kernel() {
            Some(kernel) => Self::Finite(kernel.clone()),
            None => Self::Infinite(scan),
        }
    }
}

/// The domain of finite kernels over any semiring.
pub(super) struct Finite<S>(PhantomData<S>);

impl<S> Finite<S> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<S: Semiring> Domain for Finite<S> {
    type Kernel = Kernel<S>;

    const CHOOSES: bool = S::CHOICE.is_some();

    fn grid(&self, grid: &Grid) -> Result<(Kernel<S>, Footprint), AlgebraError> {
        let (mut taps, mut stores) = (Vec::new(), Vec::new());
        for (offset, cell) in grid.places() {
            match cell {
                Cell::Empty => {}
                Cell::Stored => stores.push(offset),
                Cell::Value(coefficient) => taps.push((offset, value::<S>(coefficient)?)),
            }
        }
        Ok((Kernel::from_taps(&taps)?, Footprint::from_offsets(&stores)?))
    }

    fn identity(&self) -> Kernel<S> {
        Kernel::identity()
    }

    fn scan(&self, _: Direction) -> Result<Kernel<S>, AlgebraError> {
        Err(AlgebraError::NoNegation { semiring: S::NAME })
    }

    fn sum(&self, kernels: &[&Kernel<S>]) -> Result<Kernel<S>, AlgebraError> {
        match kernels {
            [one] => Ok((*one).clone()),
            [a, b] => a.add(b),
            // Add all taps at once: partial sums of a thousand distant places could each be as large as the result.
            many => Kernel::from_taps(&many.iter().flat_map(|kernel| kernel.taps()).collect::<Vec<_>>()),
        }
    }

    fn negate(&self, kernel: &Kernel<S>) -> Result<Kernel<S>, AlgebraError> {
        kernel.negate().ok_or(AlgebraError::NoNegation { semiring: S::NAME })
    }

    fn scale(&self, factor: &Coefficient, kernel: &Kernel<S>) -> Result<Kernel<S>, AlgebraError> {
        kernel.scale(value::<S>(factor)?)
    }

    fn shift(&self, by: Offset, kernel: &Kernel<S>) -> Result<Kernel<S>, AlgebraError> {
        kernel.shift(by)
    }

    fn compose(&self, outer: &Kernel<S>, inner: &Kernel<S>) -> Result<Kernel<S>, AlgebraError> {
        outer.compose(inner)
    }

    fn zero(&self) -> Kernel<S> {
        Kernel::zero()
    }

    fn recursion(&self, _: &Kernel<S>, _: &Kernel<S>) -> Result<Kernel<S>, AlgebraError> {
        Err(AlgebraError::NoNegation { semiring: S::NAME })
    }

    fn step(&self, first: &Kernel<S>, second: &Kernel<S>) -> Step {
        let is_new = |(at, _): (Offset, S::Element)| S::is_zero(first.coefficient(at));
        match first.equal_values(second) {
            true => Step::Solved,
            false if second.nonzero_taps().any(is_new) => Step::Larger,
            false => Step::Better,
        }
    }

    fn touch(&self, kernel: &Kernel<S>, places: &Footprint) -> Result<Kernel<S>, AlgebraError> {
        kernel.touching(places)
    }
}

/// The value of a coefficient. Every coefficient that was read is valid in the semiring of its file.
fn value<S: Semiring>(coefficient: &Coefficient) -> Result<S::Element, AlgebraError> {
    let expression = || coefficient.0.to_string();
    S::parse(&coefficient.0)
        .map_err(|_| AlgebraError::Overflow { expression: expression(), semiring: S::NAME })
}

/// The domain of kernels and scans over a ring. Kernels are kept finite whenever possible, so their footprints are known.
pub(super) struct Linear<R>(PhantomData<R>);

impl<R: Ring> Linear<R> {
    const FINITE: Finite<R> = Finite(PhantomData);

    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R: Ring> Domain for Linear<R> {
    type Kernel = Series<R>;

    fn grid(&self, grid: &Grid) -> Result<(Series<R>, Footprint), AlgebraError> {
        let (kernel, stores) = Self::FINITE.grid(grid)?;
        Ok((Series::Finite(kernel), stores))
    }

    fn identity(&self) -> Series<R> {
        Series::Finite(Kernel::identity())
    }

    fn scan(&self, direction: Direction) -> Result<Series<R>, AlgebraError> {
        Scan::along(direction.step()).map(Series::from)
    }

    fn sum(&self, kernels: &[&Series<R>]) -> Result<Series<R>, AlgebraError> {
        let (mut finite, mut infinite) = (Vec::new(), Vec::new());
        for kernel in kernels {
            match kernel {
                Series::Finite(kernel) => finite.push(kernel),
                Series::Infinite(scan) => infinite.push(scan),
            }
        }
        if infinite.is_empty() {
            return Self::FINITE.sum(&finite).map(Series::Finite);
        }
        let start = if finite.is_empty() { Kernel::zero() } else { Self::FINITE.sum(&finite)? };
        infinite.into_iter().try_fold(Scan::from_kernel(&start), |sum, scan| sum.add(scan)).map(Series::from)
    }

    fn negate(&self, kernel: &Series<R>) -> Result<Series<R>, AlgebraError> {
        Ok(match kernel {
            Series::Finite(kernel) => Series::Finite(kernel.opposite()),
            Series::Infinite(scan) => Series::Infinite(scan.opposite()),
        })
    }

    fn scale(&self, factor: &Coefficient, kernel: &Series<R>) -> Result<Series<R>, AlgebraError> {
        match kernel {
            Series::Finite(kernel) => Self::FINITE.scale(factor, kernel).map(Series::Finite),
            Series::Infinite(scan) => scan.scale(value::<R>(factor)?).map(Series::from),
        }
    }

    fn shift(&self, by: Offset, kernel: &Series<R>) -> Result<Series<R>, AlgebraError> {
        match kernel {
            Series::Finite(kernel) => kernel.shift(by).map(Series::Finite),
            Series::Infinite(scan) => scan.shift(by).map(Series::Infinite),
        }
    }

    fn compose(&self, outer: &Series<R>, inner: &Series<R>) -> Result<Series<R>, AlgebraError> {
        match (outer, inner) {
            (Series::Finite(outer), Series::Finite(inner)) => outer.compose(inner).map(Series::Finite),
            _ => outer.to_scan().compose(&inner.to_scan()).map(Series::from),
        }
    }

    fn zero(&self) -> Series<R> {
        Series::Finite(Kernel::zero())
    }

    fn recursion(&self, a: &Series<R>, b: &Series<R>) -> Result<Series<R>, AlgebraError> {
        Scan::recursion(&a.to_scan(), &b.to_scan()).map(Series::from)
    }

    /// The footprint of a scan is unbounded, so more places make no difference.
    fn touch(&self, kernel: &Series<R>, places: &Footprint) -> Result<Series<R>, AlgebraError> {
        match kernel {
            Series::Finite(kernel) => kernel.touching(places).map(Series::Finite),
            Series::Infinite(scan) => Ok(Series::Infinite(scan.clone())),
        }
    }
}

#[cfg(test)]
mod tests;

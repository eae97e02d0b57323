//! Checks whether a plan computes a filter: exactly, on kernels and rational functions, and by comparing its execution
//! with direct convolution. The latter is loops over pixels and taps in exact arithmetic.

use std::ops::{Add, AddAssign, Mul};

use rayon::prelude::*;

use crate::algebra::{AlgebraError, Filter, Kernel, PlusTimes, Scan, Semiring, lcm};
use crate::backend::scan::machine::{Border, Fold, Output, Overflow, Pixel, Plan, idempotent, linear};
use crate::backend::scan::simulate::{Misfit, execute_each, inside};
use crate::picture::{Image, Pattern};

/// A kernel written out as taps: column, row to the south, and coefficient as a numerator over a common denominator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Direct {
    /// The name of the output.
    pub name: String,
    /// For each input: column offset, row offset to the south, numerator or weight.
    pub taps: Vec<Vec<(i64, i64, i64)>>,
    /// The common denominator.
    pub denominator: i64,
    /// For each input: the steps of running sums that follow the taps, for infinite sums. Each value adds the value at
    /// that column and row to the south, which is earlier in scan order.
    pub scans: Vec<Vec<(i64, i64)>>,
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No difference.
    Equal,
    /// A difference, or the reason why no comparison was made.
    Different(String),
}

impl Answer {
    /// Whether there is no difference.
    pub fn is_equal(&self) -> bool {
        *self == Self::Equal
    }
}

/// Both checks of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// On kernels. Infinite kernels are rational functions, compared by cross-multiplication.
    pub symbolic: Answer,
    /// On images, with every border and both overflow modes, bit by bit (single precision within 1/2^20 of the greatest sum).
    pub executed: Answer,
    /// The number of pixels compared.
    pub pixels: usize,
}

impl Verdict {
    /// Whether both checks passed.
    pub fn holds(&self) -> bool {
        self.symbolic.is_equal() && self.executed.is_equal()
    }
}

/// The kernels of a filter in the form for direct convolution. `None` if a coefficient is not a number, or no common
/// denominator fits.
pub fn direct<S: Semiring>(filter: &Filter<S>) -> Option<Vec<Direct>> {
    written_out(filter.rows())
}

fn written_out<'k, S: Semiring>(
    rows: impl Iterator<Item = (&'k str, &'k [Kernel<S>])>,
) -> Option<Vec<Direct>> {
    let mut all = Vec::new();
    for (name, kernels) in rows {
        // Coefficients as files write them, each a rational number. Where products add, one is zero.
        let mut rows: Vec<Vec<(i64, i64, i64, i64)>> = Vec::new();
        for kernel in kernels {
            let taps = kernel.nonzero_taps().map(|(offset, value)| {
                let text =
                    if S::CHOICE.is_some() && value == S::one() { "0".to_owned() } else { value.to_string() };
                let (up, down) = text.split_once('/').unwrap_or((&text, "1"));
                Some((offset[0].into(), i64::from(-offset[1]), up.parse().ok()?, down.parse().ok()?))
            });
            rows.push(taps.collect::<Option<_>>()?);
        }
        let mut denominator = 1i64;
        for (_, _, _, down) in rows.iter().flatten() {
            denominator = lcm(denominator, *down)?;
        }
        let scaled = |row: &Vec<(i64, i64, i64, i64)>| -> Option<Vec<(i64, i64, i64)>> {
            row.iter().map(|(x, y, up, down)| Some((*x, *y, up.checked_mul(denominator / down)?))).collect()
        };
        let taps = rows.iter().map(scaled).collect::<Option<_>>()?;
        all.push(Direct { name: name.to_owned(), taps, denominator, scans: vec![Vec::new(); kernels.len()] });
    }
    Some(all)
}

/// The infinite kernels of a filter in the form for direct convolution.
pub fn direct_tables(filter: &[(String, Vec<Scan<PlusTimes>>)]) -> Option<Vec<Direct>> {
    let numerators = filter.iter().map(|(name, kernels)| {
        let numerators: Vec<_> = kernels.iter().map(|kernel| kernel.numerator().clone()).collect();
        (name, numerators)
    });
    let numerators: Vec<_> = numerators.collect();
    let mut all = written_out(numerators.iter().map(|(name, kernels)| (name.as_str(), &kernels[..])))?;
    for (direct, (_, kernels)) in all.iter_mut().zip(filter) {
        let steps = |kernel: &Scan<PlusTimes>| {
            kernel.factors().iter().map(|[x, y, _]| (i64::from(*x), i64::from(-*y))).collect()
        };
        direct.scans = kernels.iter().map(steps).collect();
    }
    Some(all)
}

/// Maps a pixel plus a distance to a place along one axis, for `count` pixels and all `distances`. `None` beyond a border of zeros.
fn places(
    border: Border,
    count: i64,
    corner: i64,
    size: i64,
    distances: impl Iterator<Item = i64>,
) -> impl Fn(i64) -> Option<i64> {
    let (least, greatest) = distances.fold((0, 0), |(least, greatest), d| (least.min(d), greatest.max(d)));
    let first = corner + least;
    let table: Vec<Option<i64>> =
        (first..corner + count + greatest).map(|place| inside(border, place, size)).collect();
    move |place| table[(place + corner - first) as usize]
}

/// The results of direct convolution for one output, southernmost row first, before conversion to pixels.
struct Results {
    size: [usize; 2],
    values: Vec<f64>,
    /// Replaces `values` if pixels are integers: rounded to the nearest, halves up.
    exact: Vec<i128>,
}

impl Results {
    /// Converts to pixels. Values that do not fit are limited or lose their upper bits.
    fn pixels(&self, pixel: Pixel, overflow: Overflow) -> Image {
        let [least, greatest] = pixel.range().map(i128::from);
        let whole = self.exact.iter().map(|exact| match overflow {
            Overflow::Saturate => *exact.clamp(&least, &greatest),
            Overflow::Wrap => (exact - least).rem_euclid(greatest - least + 1) + least,
        });
        let pixels = self.values.iter().copied().chain(whole.map(|whole| whole as f64)).collect();
        let [width, height] = self.size;
        Image::from_pixels(width, height, pixels).unwrap_or_else(|| Image::filled(width, height, 0.0))
    }
}

/// Direct convolution in the pixels of a plan, where these have results. Every tap of every pixel is exact, and the
/// result is rounded to the nearest integer, halves up.
pub fn convolve(direct: &Direct, plan: &Plan, images: &[Image], border: Border, overflow: Overflow) -> Image {
    let output = plan.outputs.iter().find(|output| output.name == direct.name);
    let (pixel, overflow) =
        output.map_or((plan.pixel, overflow), |output| (output.pixel, output.overflow(overflow)));
    results(direct, plan, output, images, border).pixels(pixel, overflow)
}

/// Computes [`results`] of infinite sums, with zeros beyond the images. The taps come first, on the images and as far
/// beyond as they reach. Then come the running sums, one after the other.
fn endless<N: Copy + Default + AddAssign + Mul<Output = N>>(
    direct: &Direct,
    images: &[Image],
    [of_pixel, of_weight]: [&dyn Fn(f64) -> N; 2],
) -> Vec<N> {
    let (width, height) =
        images.first().map_or((0, 0), |image| (image.width() as i64, image.height() as i64));
    let taps = direct.taps.iter().flatten();
    let margin = taps.map(|(dx, dy, _)| dx.abs().max(dy.abs())).max().unwrap_or(0);
    let (columns, rows) = (width + 2 * margin, height + 2 * margin);
    let mut sums = vec![N::default(); (width * height) as usize];
    for ((image, taps), steps) in images.iter().zip(&direct.taps).zip(&direct.scans) {
        let mut values = vec![N::default(); (columns * rows) as usize];
        let places = || (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        for (column, row) in places() {
            for (dx, dy, weight) in taps {
                let (x, y) = (column - margin + dx, row - margin + dy);
                if let Some(pixel) = image.get(x, height - 1 - y) {
                    values[(row * columns + column) as usize] += of_pixel(pixel) * of_weight(*weight as f64);
                }
            }
        }
        for (dx, dy) in steps {
            for (column, row) in places() {
                let (x, y) = (column + dx, row + dy);
                if (0..columns).contains(&x) && (0..rows).contains(&y) {
                    let before = values[(y * columns + x) as usize];
                    values[(row * columns + column) as usize] += before;
                }
            }
        }
        // The southernmost row comes first, as in images.
        for (index, sum) in sums.iter_mut().enumerate() {
            let (column, row) = (index as i64 % width, height - 1 - index as i64 / width);
            *sum += values[((row + margin) * columns + column + margin) as usize];
        }
    }
    sums
}

fn results(
    direct: &Direct,
    plan: &Plan,
    output: Option<&Output>,
    images: &[Image],
    border: Border,
) -> Results {
    let Plan { fold, pixel, reach, .. } = *plan;
    let [west, east, south, north] = reach.map(i64::from);
    let (width, height) =
        images.first().map_or((0, 0), |image| (image.width() as i64, image.height() as i64));
    if direct.scans.iter().any(|steps| !steps.is_empty()) {
        return infinite(direct, [width as usize, height as usize], pixel, images);
    }
    let lost = if border == Border::Valid { [west + east, south + north] } else { [0, 0] };
    let corner = if border == Border::Valid { [west, north] } else { [0, 0] };
    let size = [(width - lost[0]).max(0), (height - lost[1]).max(0)];
    // The places that taps read, by distance from a pixel. They are computed once, not for every tap of every pixel.
    let across = places(border, size[0], corner[0], width, direct.taps.iter().flatten().map(|tap| tap.0));
    let down = places(border, size[1], corner[1], height, direct.taps.iter().flatten().map(|tap| tap.1));
    let read = |image: &Image, column: i64, row: i64| {
        let place = across(column).zip(down(row));
        place.and_then(|(x, y)| image.get(x, height - 1 - y)).unwrap_or(0.0)
    };
    let nothing = fold.nothing(pixel);
    let real = |column: i64, row: i64| {
        let mut all: Option<f64> = None;
        for (image, taps) in images.iter().zip(&direct.taps) {
            for (dx, dy, weight) in taps {
                let value = read(image, column + dx, row + dy);
                all = Some(joined(fold, all, value, *weight as f64));
            }
        }
        all.unwrap_or(nothing as f64) / direct.denominator as f64
    };
    let exact = |column: i64, row: i64| {
        let mut all: Option<i128> = None;
        for (image, taps) in images.iter().zip(&direct.taps) {
            for (dx, dy, weight) in taps {
                let value = read(image, column + dx, row + dy) as i64;
                all = Some(match all {
                    Some(old) if fold == Fold::Either => old | i128::from(value),
                    all => joined(fold, all, i128::from(value), i128::from(*weight)),
                });
            }
        }
        all.unwrap_or(nothing.into())
    };
    let whole = i128::from(direct.denominator);
    let (values, exact) = match output.is_some_and(|output| output.pixel.float) {
        _ if pixel.float => (by_rows(size, &real), Vec::new()),
        true => (by_rows(size, &|column, row| exact(column, row) as f64 / whole as f64), Vec::new()),
        false => {
            let rounded = |column, row| (2 * exact(column, row) + whole).div_euclid(2 * whole);
            (Vec::new(), by_rows(size, &rounded))
        }
    };
    Results { size: size.map(|length| length as usize), values, exact }
}

/// The results of infinite sums.
fn infinite(direct: &Direct, size: [usize; 2], pixel: Pixel, images: &[Image]) -> Results {
    let mut results = Results { size, values: Vec::new(), exact: Vec::new() };
    if pixel.float {
        results.values = endless(direct, images, [&|pixel| pixel, &|weight| weight]);
        results.values.iter_mut().for_each(|value| *value /= direct.denominator as f64);
    } else {
        results.exact = endless(direct, images, [&|pixel| pixel as i128, &|weight| weight as i128]);
    }
    results
}

/// A sum, or a greatest or least value, with one more value and its weight. Of disjunctions, the first value.
fn joined<T>(fold: Fold, all: Option<T>, value: T, weight: T) -> T
where
    T: Copy + PartialOrd + Add<Output = T> + Mul<Output = T>,
{
    let Some(old) = all else { return if fold == Fold::Sum { value * weight } else { value + weight } };
    let raised = value + weight;
    match fold {
        Fold::Sum => old + value * weight,
        Fold::Greatest if raised > old => raised,
        Fold::Least if raised < old => raised,
        _ => old,
    }
}

/// A value for each pixel, from column and row; the southernmost row comes first. Rows are computed at the same time.
fn by_rows<T: Send>([columns, rows]: [i64; 2], at: &(dyn Fn(i64, i64) -> T + Sync)) -> Vec<T> {
    let row = |row: usize| (0..columns).map(|column| at(column, row as i64)).collect();
    let rows: Vec<Vec<T>> = (0..rows as usize).into_par_iter().rev().map(row).collect();
    rows.into_iter().flatten().collect()
}

/// Checks a plan of sums against its filter, including infinite kernels. The recurrences of a plan run forward in scan
/// order, and so must those kernels: then equal rational functions are equal sums.
pub fn check_linear(
    plan: &Plan,
    filter: &[(String, Vec<Scan<PlusTimes>>)],
    direct: Option<&[Direct]>,
    seed: u64,
) -> Verdict {
    let equal = || -> Result<Answer, AlgebraError> {
        for ((name, kernels), found) in filter.iter().zip(&linear(plan)?) {
            for (input, (kernel, found)) in kernels.iter().zip(found).enumerate() {
                if !found.equals(kernel)? {
                    return Ok(differs(plan, name, input));
                }
            }
        }
        Ok(Answer::Equal)
    };
    verdict(plan, direct, equal(), seed)
}

/// Checks a plan of maxima, minima or disjunctions against its filter.
pub fn check_idempotent<S: Semiring>(
    plan: &Plan,
    filter: &Filter<S>,
    direct: Option<&[Direct]>,
    seed: u64,
) -> Verdict {
    let equal = || -> Result<Answer, AlgebraError> {
        for ((name, kernels), found) in filter.rows().zip(&idempotent::<S>(plan)?) {
            for (input, (kernel, found)) in kernels.iter().zip(found).enumerate() {
                if !kernel.equal_values(found) {
                    return Ok(differs(plan, name, input));
                }
            }
        }
        Ok(Answer::Equal)
    };
    verdict(plan, direct, equal(), seed)
}

fn differs(plan: &Plan, output: &str, input: usize) -> Answer {
    Answer::Different(format!("`{output}` has another kernel on `{}`", plan.inputs[input]))
}

fn verdict(
    plan: &Plan,
    direct: Option<&[Direct]>,
    symbolic: Result<Answer, AlgebraError>,
    seed: u64,
) -> Verdict {
    let symbolic = symbolic.unwrap_or_else(|error| Answer::Different(error.to_string()));
    let (executed, pixels) = match direct {
        Some(kernels) => by_execution(plan, kernels, seed),
        None => (Answer::Different("a coefficient has no exact value for direct convolution".to_owned()), 0),
    };
    Verdict { symbolic, executed, pixels }
}

/// Executes the plan on noise, including small images and large values, and compares every pixel of every output.
fn by_execution(plan: &Plan, kernels: &[Direct], seed: u64) -> (Answer, usize) {
    let [west, east, south, north] = plan.reach;
    // Wide enough for the steady state, and so small that reflections repeat.
    let sizes = [[west + east + 9, south + north + 7], [2, 3]].map(|size| size.map(|n| n.max(1) as usize));
    let cases: Vec<_> =
        sizes.iter().flat_map(|size| plan.borders().into_iter().map(|border| (*size, border))).collect();
    let found: Vec<_> =
        cases.par_iter().map(|(size, border)| case(plan, kernels, *size, *border, seed)).collect();
    let mut pixels = 0;
    for found in found {
        match found {
            Ok(compared) => pixels += compared,
            Err(difference) => return (Answer::Different(difference), pixels),
        }
    }
    (Answer::Equal, pixels)
}

/// Compares both overflow modes on images of one size with one border. Returns the number of pixels compared, or the first difference.
fn case(
    plan: &Plan,
    kernels: &[Direct],
    size: [usize; 2],
    border: Border,
    seed: u64,
) -> Result<usize, String> {
    let range = if plan.pixel.float { [-1000, 1000] } else { plan.values };
    let noise = |input| Image::synthetic(Pattern::Noise, size, range, seed.wrapping_add(input));
    let images: Vec<Image> = (0..plan.inputs.len() as u64).map(noise).collect();
    let found = match execute_each(plan, &images, border, Overflow::ALL.map(|(_, overflow)| overflow)) {
        Ok(found) => found,
        Err(Misfit::Small { .. }) => return Ok(0),
        Err(misfit) => return Err(misfit.to_string()),
    };
    let expected: Vec<Results> = kernels
        .iter()
        .zip(&plan.outputs)
        .map(|(direct, output)| results(direct, plan, Some(output), &images, border))
        .collect();
    let mut pixels = 0;
    for ((_, overflow), found) in Overflow::ALL.into_iter().zip(&found) {
        for (((direct, expected), output), found) in
            kernels.iter().zip(&expected).zip(&plan.outputs).zip(found)
        {
            let expected = expected.pixels(output.pixel, output.overflow(overflow));
            pixels += expected.pixels().len();
            let tolerance = if output.pixel.float { tolerance(plan, direct, found) } else { 0.0 };
            if let Some(difference) = difference(&expected, found, tolerance) {
                let place = format!("with the border {}, {}", border.name(), overflow.name());
                return Err(format!("`{}`: {difference}, {place}", direct.name));
            }
        }
    }
    Ok(pixels)
}

/// The greatest difference that rounding in single precision explains.
fn tolerance(plan: &Plan, direct: &Direct, found: &Image) -> f64 {
    let weights = direct.taps.iter().flatten().map(|(_, _, weight)| weight.abs() as f64);
    // A running sum adds up to as many values as there are pixels.
    let pixels = (found.width() * found.height()) as f64;
    let scans = direct.scans.iter().map(Vec::len).max().unwrap_or(0);
    let [least, most] =
        if plan.pixel.float { [-1000.0, 1000.0] } else { plan.pixel.range().map(|end| end as f64) };
    let greatest = most.max(-least) * weights.sum::<f64>().max(1.0) * pixels.powi(scans as i32)
        / direct.denominator as f64;
    greatest / f64::from(1 << 20)
}

/// The first pixel that differs by more than the tolerance.
fn difference(expected: &Image, found: &Image, tolerance: f64) -> Option<String> {
    if [expected.width(), expected.height()] != [found.width(), found.height()] {
        return Some(format!(
            "{} × {} pixels, not {} × {}",
            found.width(),
            found.height(),
            expected.width(),
            expected.height()
        ));
    }
    let pairs = expected.pixels().iter().zip(found.pixels()).enumerate();
    let mut wrong = pairs.filter(|(_, (expected, found))| (**expected - **found).abs() > tolerance);
    let width = found.width().max(1);
    wrong.next().map(|(index, (wanted, value))| {
        format!("the pixel at ({}, {}) is {value}, not {wanted}", index % width, index / width)
    })
}

//! Filters close to a given filter that are cheaper to compute: with coefficients on coarser grids, with fewer signed
//! digits, in thirds, or as the product of a row and a column.

use super::approximate::{MAX_DEPTH, digit_count};
use super::{Offset, Placed, Rational};

/// A filter close to another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearby {
    /// The outputs with their names.
    pub outputs: Vec<(String, Placed)>,
    /// The method that found it.
    pub method: String,
    /// The largest absolute difference of a coefficient.
    pub max_error: Rational,
    /// The root mean square difference of coefficients, over places where at least one of them is not zero.
    pub rms_error: f64,
    /// The number of signed digits of all coefficients, in units of their grid: a first estimate of the cost.
    digits: u32,
}

/// The rule for rounding a coefficient to a grid.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    /// The nearest multiple.
    Nearest,
    /// The multiple with the fewest signed digits within the error; ties go to the nearest.
    FewestDigits,
}

/// The number of grids tried beyond the coarsest one that stays within the error.
const FINER: u32 = 2;

/// The maximum number of multiples tried on each side of a coefficient.
const MAX_MULTIPLES: i64 = 64;

/// The maximum number of filters returned besides the first ones.
const MAX_NEARBY: usize = 6;

/// The depths of the grids for rows and columns.
const PRODUCT_DEPTHS: std::ops::RangeInclusive<u32> = 0..=6;

/// The taps of an output.
type Taps = Vec<(u16, Offset, Rational)>;

/// Returns filters whose coefficients differ from those of `outputs` by at most `max_error`. The filter itself comes first
/// if its denominators contain only powers of two (and of three, with `thirds`); the others are sorted by the number of
/// digits. Equal coefficients stay equal. Empty if no depth suffices or a number does not fit.
pub fn nearby(outputs: &[(String, Placed)], max_error: Rational, thirds: bool) -> Vec<Nearby> {
    let Some(exact) = taps_of(outputs) else { return Vec::new() };
    let mut found: Vec<Nearby> = Vec::new();
    let mut consider = |taps: Option<Vec<Taps>>, method: String, unit: Option<Rational>| {
        let near = taps.and_then(|taps| measured(outputs, &exact, &taps, method, unit));
        if let Some(near) = near.filter(|near| near.max_error <= max_error)
            && !found.iter().any(|other| other.outputs == near.outputs)
        {
            found.push(near);
        }
    };
    if exact.iter().flatten().all(|(.., value)| is_realisable(*value, thirds)) {
        consider(Some(exact.clone()), "as it is".to_owned(), None);
    }
    if !max_error.is_zero() {
        for third in [false, true].into_iter().filter(|third| thirds || !third) {
            let grids = (0..=MAX_DEPTH).filter(|depth| {
                let nearest =
                    grid(*depth, third).and_then(|unit| on_grid(&exact, unit, max_error, Choice::Nearest));
                nearest.is_some()
            });
            for depth in grids.take(1 + FINER as usize) {
                let Some(unit) = grid(depth, third) else { continue };
                for (choice, name) in [(Choice::Nearest, "nearest"), (Choice::FewestDigits, "fewest digits")]
                {
                    let method = format!("{name} at multiples of {unit}");
                    consider(on_grid(&exact, unit, max_error, choice), method, Some(unit));
                }
            }
        }
        for (taps, unit, method) in products(&exact, max_error) {
            consider(Some(taps), method, Some(unit));
        }
    }
    found.sort_by_key(|near| (near.max_error != Rational::ZERO, near.digits));
    found.truncate(1 + MAX_NEARBY);
    found
}

/// Whether a coefficient can be made by halving integers, and with `thirds` by dividing them by three.
fn is_realisable(value: Rational, thirds: bool) -> bool {
    let mut rest = value.denominator();
    while thirds && rest % 3 == 0 {
        rest /= 3;
    }
    rest & (rest - 1) == 0
}

fn taps_of(outputs: &[(String, Placed)]) -> Option<Vec<Taps>> {
    outputs.iter().map(|(_, kernel)| kernel.taps()).collect()
}

/// 2^-depth, or a third of it.
fn grid(depth: u32, third: bool) -> Option<Rational> {
    let unit = Rational::power_of_two(-i32::try_from(depth).ok()?)?;
    if third { unit.div(Rational::integer(3)) } else { Some(unit) }
}

/// Rounds every coefficient to a multiple of `unit`; `None` if one has no multiple within the error.
fn on_grid(exact: &[Taps], unit: Rational, max_error: Rational, choice: Choice) -> Option<Vec<Taps>> {
    let taps = |taps: &Taps| {
        taps.iter().map(|(c, o, value)| Some((*c, *o, multiple(*value, unit, max_error, choice)?))).collect()
    };
    exact.iter().map(taps).collect()
}

fn multiple(value: Rational, unit: Rational, max_error: Rational, choice: Choice) -> Option<Rational> {
    let middle = value.div(unit)?.round();
    let error = |n: i64| Rational::integer(n).mul(unit)?.sub(value).map(Rational::abs);
    let reach = if choice == Choice::Nearest { 0 } else { MAX_MULTIPLES };
    let within = (middle.checked_sub(reach)?..=middle.checked_add(reach)?)
        .filter_map(|n| Some((n, error(n)?)))
        .filter(|(_, error)| *error <= max_error);
    let (best, _) = within.min_by_key(|(n, error)| (digit_count(*n), *error, n.abs()))?;
    Rational::integer(best).mul(unit)
}

/// The sums of coefficients for each place along an axis.
type Marginal = Vec<(i32, Rational)>;

/// A single-channel kernel as the product of a column and a row on grids: the sums over its rows and columns, divided
/// by the total.
fn products(exact: &[Taps], max_error: Rational) -> Vec<(Vec<Taps>, Rational, String)> {
    let [taps] = exact else { return Vec::new() };
    let flat = taps.iter().all(|(channel, offset, _)| *channel == 0 && offset[2] == 0);
    let total = sum(taps.iter());
    let (Some(columns), Some(rows), Some(total), true) = (marginal(taps, 0), marginal(taps, 1), total, flat)
    else {
        return Vec::new();
    };
    if total.is_zero() || columns.len() < 2 || rows.len() < 2 {
        return Vec::new();
    }
    let mut best: Option<(u32, Vec<Taps>, Rational, String)> = None;
    for (a, b) in PRODUCT_DEPTHS.flat_map(|a| PRODUCT_DEPTHS.map(move |b| (a, b))) {
        let product = || {
            let [u, v] = [grid(a, false)?, grid(b, false)?];
            let (row, row_digits) = rounded(&columns, u, Rational::ONE)?;
            let (column, column_digits) = rounded(&rows, v, total)?;
            let product = product(&row, &column)?;
            let near = differences(taps, &product)?.into_iter().all(|error| error <= max_error);
            let method = format!("a column and a row at multiples of {v} and {u}");
            near.then_some((row_digits + column_digits, vec![product], u.mul(v)?, method))
        };
        if let Some(found) = product()
            && best.as_ref().is_none_or(|best| found.0 < best.0)
        {
            best = Some(found);
        }
    }
    best.into_iter().map(|(_, taps, unit, method)| (taps, unit, method)).collect()
}

fn sum<'a>(mut taps: impl Iterator<Item = &'a (u16, Offset, Rational)>) -> Option<Rational> {
    taps.try_fold(Rational::ZERO, |sum, (.., value)| sum.add(*value))
}

/// The sums over all axes except `axis`.
fn marginal(taps: &Taps, axis: usize) -> Option<Marginal> {
    let mut places: Vec<i32> = taps.iter().map(|(_, offset, _)| offset[axis]).collect();
    places.sort_unstable();
    places.dedup();
    let at = |place: i32| Some((place, sum(taps.iter().filter(|(_, offset, _)| offset[axis] == place))?));
    places.into_iter().map(at).collect()
}

/// Divides `values` by `by`, rounds to multiples of `unit`, and counts the signed digits.
fn rounded(values: &Marginal, unit: Rational, by: Rational) -> Option<(Marginal, u32)> {
    let mut count = 0;
    let one = |(place, value): &(i32, Rational)| {
        let n = value.div(by)?.div(unit)?.round();
        count += digit_count(n);
        Some((*place, Rational::integer(n).mul(unit)?))
    };
    let rounded = values.iter().map(one).collect::<Option<Marginal>>()?;
    Some((rounded, count))
}

/// The kernel whose coefficients are the products of a row and a column.
fn product(row: &Marginal, column: &Marginal) -> Option<Taps> {
    let mut taps = Taps::new();
    for (y, b) in column {
        for (x, a) in row {
            let value = b.mul(*a)?;
            if !value.is_zero() {
                taps.push((0, [*x, *y, 0], value));
            }
        }
    }
    Some(taps)
}

/// The absolute differences at every place where at least one of two kernels is not zero.
fn differences(a: &Taps, b: &Taps) -> Option<Vec<Rational>> {
    let at = |taps: &Taps, channel: u16, offset: Offset| {
        let found = taps.iter().find(|(c, o, _)| (*c, *o) == (channel, offset));
        found.map_or(Rational::ZERO, |(.., value)| *value)
    };
    let of_a = a.iter().map(|(c, o, value)| Some(value.sub(at(b, *c, *o))?.abs()));
    let of_b = b.iter().filter(|(c, o, _)| !a.iter().any(|(ca, oa, _)| (ca, oa) == (c, o)));
    of_a.chain(of_b.map(|(.., value)| Some(value.abs()))).collect()
}

/// The filter with these taps and its errors.
fn measured(
    outputs: &[(String, Placed)],
    exact: &[Taps],
    near: &[Taps],
    method: String,
    unit: Option<Rational>,
) -> Option<Nearby> {
    let errors: Vec<Vec<Rational>> =
        exact.iter().zip(near).map(|(a, b)| differences(a, b)).collect::<Option<_>>()?;
    let errors: Vec<Rational> = errors.into_iter().flatten().collect();
    let squares: f64 = errors.iter().map(|error| error.to_f64() * error.to_f64()).sum();
    let placed = |((name, kernel), taps): (&(String, Placed), &Taps)| {
        let taps: Taps = taps.iter().filter(|(.., value)| !value.is_zero()).copied().collect();
        Some((name.clone(), Placed::from_taps(kernel.shape.channels(), &taps)?))
    };
    let count = |taps: &Taps| -> u32 {
        taps.iter().filter_map(|(.., value)| value.div(unit?)).map(|n| digit_count(n.round())).sum()
    };
    Some(Nearby {
        outputs: outputs.iter().zip(near).map(placed).collect::<Option<_>>()?,
        method,
        max_error: errors.iter().copied().max().unwrap_or(Rational::ZERO),
        rms_error: if errors.is_empty() { 0.0 } else { (squares / errors.len() as f64).sqrt() },
        digits: near.iter().map(count).sum(),
    })
}

/// The distance of `near` from `exact`: the largest and the root mean square difference of coefficients, over places
/// where at least one of them is not zero. `None` if a number does not fit.
pub fn distance(exact: &[(String, Placed)], near: &[(String, Placed)]) -> Option<(Rational, f64)> {
    let near = measured(near, &taps_of(exact)?, &taps_of(near)?, String::new(), None)?;
    Some((near.max_error, near.rms_error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n, d).unwrap()
    }

    fn filter(rows: &[&[(i64, i64)]]) -> Vec<(String, Placed)> {
        let mut taps = Taps::new();
        for (y, row) in rows.iter().enumerate() {
            for (x, (n, d)) in row.iter().enumerate() {
                taps.push((0, [x as i32, -(y as i32), 0], rational(*n, *d)));
            }
        }
        vec![("out".to_owned(), Placed::from_taps(1, &taps).unwrap())]
    }

    #[test]
    fn a_filter_without_odd_denominators_is_near_itself() {
        let exact = filter(&[&[(1, 4), (1, 2), (1, 4)]]);
        let found = nearby(&exact, Rational::ZERO, false);
        assert_eq!(found.len(), 1);
        assert_eq!((&found[0].outputs, found[0].max_error), (&exact, Rational::ZERO));
        let third = filter(&[&[(1, 3), (1, 3), (1, 3)]]);
        assert!(nearby(&third, Rational::ZERO, false).is_empty());
        assert_eq!(nearby(&third, Rational::ZERO, true)[0].outputs, third);
    }

    #[test]
    fn fewer_digits_are_found_within_the_error() {
        // 7/16 has two digits, 1/2 has one.
        let exact = filter(&[&[(7, 16), (7, 16)]]);
        let found = nearby(&exact, rational(1, 16), false);
        let halves = filter(&[&[(1, 2), (1, 2)]]);
        let near = found.iter().find(|near| near.outputs == halves).expect("one half is a sixteenth away");
        assert_eq!(near.max_error, rational(1, 16));
        assert!((near.rms_error - 0.0625).abs() < 1e-15);
    }

    #[test]
    fn a_product_of_a_row_and_a_column_is_found() {
        // The Gaussian of deviation 0.85, rounded to thousandths: close to [1 2 1]/4 in both directions.
        let (a, b, c) = ((62, 1000), (124, 1000), (256, 1000));
        let exact = filter(&[&[a, b, a], &[b, c, b], &[a, b, a]]);
        let found = nearby(&exact, rational(1, 100), false);
        let binomial =
            filter(&[&[(1, 16), (1, 8), (1, 16)], &[(1, 8), (1, 4), (1, 8)], &[(1, 16), (1, 8), (1, 16)]]);
        assert!(found.iter().any(|near| near.outputs == binomial), "{found:?}");
    }

    proptest! {
        #[test]
        fn errors_are_within_what_was_allowed(
            values in prop::collection::vec((-40i64..40, 1i64..40), 1..7),
            error in 1i64..40,
            thirds in any::<bool>(),
        ) {
            let taps: Taps = values
                .iter()
                .enumerate()
                .map(|(x, (n, d))| (0, [x as i32, 0, 0], rational(*n, *d)))
                .collect();
            let exact = vec![("out".to_owned(), Placed::from_taps(1, &taps).unwrap())];
            let limit = rational(error, 200);
            let found = nearby(&exact, limit, thirds);
            prop_assert!(!found.is_empty());
            for near in found {
                prop_assert!(near.max_error <= limit, "{}", near.method);
                prop_assert_eq!(distance(&exact, &near.outputs).unwrap(), (near.max_error, near.rms_error));
                let taps = near.outputs[0].1.taps().unwrap();
                prop_assert!(taps.iter().all(|(.., value)| is_realisable(*value, thirds)));
            }
        }
    }
}

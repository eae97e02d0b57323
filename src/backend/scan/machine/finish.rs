//! The arithmetic that turns a step's value into a pixel of an output: scale, rounding, division, saturation.
//! Everything is proved from the range of the value: the types, that no clamp is missing, and the constant of a division.

use ordered_float::OrderedFloat;

use super::{Output, Overflow, Storage};

/// (value · up + added) / division − minus, within limits, as a pixel.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::backend::scan) struct Finish {
    /// The factor.
    pub(super) up: i64,
    /// The addend: the bias and the rounding constant in the units of the dividend, and what keeps it from being negative.
    pub(super) added: i64,
    /// The type of the dividend.
    pub(super) dividend: Storage,
    /// The division, rounding down.
    pub(super) division: Division,
    /// What [`Finish::added`] added to the quotient.
    pub(super) minus: i64,
    /// The least and the greatest pixel, where results can exceed them.
    pub(super) limits: [Option<i64>; 2],
    /// The type of the pixels.
    pub(super) pixel: Storage,
    /// Whether the result is in single precision: the value times `up` / `down`, plus `added`.
    pub(super) real: Option<i64>,
}

/// A division that rounds down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::backend::scan) enum Division {
    /// By one.
    None,
    /// By a power of two.
    Shift(u32),
    /// The product with a factor, without its lowest bits. The dividend is not negative.
    Multiply {
        /// The factor.
        factor: u64,
        /// The number of bits of the dividend's type that holds the factor; the product has twice as many.
        bits: u32,
        /// The number of bits to drop.
        shift: u32,
        /// A factor whose product in single precision, rounded to zero, is the same. Compilers of C make faster code of it than of
        /// products of 64 bits; that of Rust does not.
        single: Option<OrderedFloat<f32>>,
    },
    /// By the divisor itself. The dividend is not negative.
    Plain(i64),
}

impl Finish {
    /// The arithmetic of an output whose step has values of `storage` in `range`.
    pub(super) fn of(output: &Output, storage: Storage, range: Option<[i64; 2]>, overflow: Overflow) -> Self {
        let (up, down) = (output.scale.numerator(), output.scale.denominator());
        let pixel = output.pixel.storage();
        let plain = Self {
            up,
            added: output.bias,
            dividend: storage,
            division: Division::None,
            minus: 0,
            limits: [None; 2],
            pixel,
            real: None,
        };
        if pixel.float {
            return Self { real: Some(down), ..plain };
        }
        // Without bounds, a value is kept modulo the size of its storage. It is not divided.
        let Some(range) = range else { return Self { dividend: signed(storage), ..plain } };
        let mut added = output.bias * down + down / 2;
        let ends = range.map(|end| end * up);
        let [mut least, mut greatest] = [ends[0].min(ends[1]) + added, ends[0].max(ends[1]) + added];
        let results = [least, greatest].map(|end| end.div_euclid(down));
        let mut minus = 0;
        if least < 0 && !(down as u64).is_power_of_two() {
            minus = -least.div_euclid(down);
            added += minus * down;
            (least, greatest) = (least + minus * down, greatest + minus * down);
        }
        let dividend = Storage::holding(least.into(), greatest.into()).unwrap_or(signed(storage));
        let [low, high] = output.pixel.range();
        let saturates = output.overflow(overflow) == Overflow::Saturate;
        Self {
            added,
            dividend,
            division: division(down, greatest, dividend),
            minus,
            limits: [
                (saturates && results[0] < low).then_some(low),
                (saturates && results[1] > high).then_some(high),
            ],
            ..plain
        }
    }

    /// Whether the value is the pixel.
    pub(super) fn is_plain(&self) -> bool {
        self.division == Division::None && self.minus == 0 && self.limits == [None; 2] && self.real.is_none()
    }

    /// The factor and the addend of a value that is divided by `down` in single precision, as C and Rust write them. Numbers end with
    /// `end`. A value of 64 bits is multiplied and divided by whole numbers.
    pub(super) fn scaled(&self, down: i64, is_wide: bool, end: &str) -> String {
        let scale = match (self.up, down) {
            (1, 1) => String::new(),
            (up, down) if is_wide => format!(" * {up}.0 / {down}.0"),
            (up, down) => format!(" * {:?}{end}", (up as f64 / down as f64) as f32),
        };
        if self.added == 0 { scale } else { format!("{scale} + {}.0{end}", self.added) }
    }

    /// The type of the quotient, less [`Finish::minus`].
    pub(super) fn quotient(&self) -> Storage {
        if self.minus == 0 { self.dividend } else { signed(self.dividend) }
    }
}

fn signed(storage: Storage) -> Storage {
    Storage { signed: true, ..storage }
}

/// The division of dividends up to `most`, in the type that holds them.
fn division(down: i64, most: i64, dividend: Storage) -> Division {
    let divisor = down as u64;
    match divisor {
        1 => Division::None,
        _ if divisor.is_power_of_two() => Division::Shift(divisor.trailing_zeros()),
        _ => {
            let bits = dividend.bits.max(16);
            let factor = (bits <= 32).then(|| magic(divisor, most as u64, bits)).flatten();
            factor.map_or(Division::Plain(down), |(factor, shift)| {
                let single = if bits > 16 { single(divisor, most as u64).map(OrderedFloat) } else { None };
                Division::Multiply { factor, bits, shift, single }
            })
        }
    }
}

/// The factor m < 2^bits and the shift s ≥ bits with ⌊n·m / 2^s⌋ = ⌊n / divisor⌋ for all n up to `most`.
///
/// With m = (2^s + e) / divisor, n·m / 2^s exceeds n / divisor by n·e / (divisor·2^s). The quotient is right if that is less
/// than 1/divisor, so if `most`·e < 2^s (T. Granlund, P. Montgomery, Division by invariant integers using multiplication, 1994).
fn magic(divisor: u64, most: u64, bits: u32) -> Option<(u64, u32)> {
    (bits..2 * bits).find_map(|shift| {
        let power = 1u128 << shift;
        let factor = power.div_ceil(divisor.into());
        let error = factor * u128::from(divisor) - power;
        (factor < 1 << bits && u128::from(most) * error < power).then_some((factor as u64, shift))
    })
}

/// The most quotients that a factor in single precision is tried for.
const MAX_QUOTIENTS: u64 = 1 << 16;

/// A factor for which products with all n up to `most`, in single or in higher precision, are ⌊n / divisor⌋ when rounded to zero. Products
/// grow with n, so those beside the multiples of the divisor tell.
fn single(divisor: u64, most: u64) -> Option<f32> {
    if most >= 1 << 24 || most / divisor > MAX_QUOTIENTS {
        return None;
    }
    let is_exact = |factor: &f32| {
        let wide = |n: u64| n as f64 * f64::from(*factor);
        let narrow = |n: u64| n as f32 * factor;
        (1..=most / divisor + 1).all(|quotient| {
            let (at, before) = (quotient * divisor, quotient * divisor - 1);
            let least = wide(at).min(narrow(at).into());
            let greatest = wide(before).max(narrow(before).into());
            least >= quotient as f64 && greatest < quotient as f64
        })
    };
    let nearest = (1.0 / divisor as f64) as f32;
    [nearest, nearest.next_up(), nearest.next_up().next_up()].into_iter().find(is_exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;
    use crate::backend::scan::machine::Pixel;

    #[test]
    fn divisions_by_multiplication_are_exact() {
        for divisor in (3..1000).filter(|divisor: &u64| !divisor.is_power_of_two()) {
            for most in [255, 4095, 65535] {
                let Some((factor, shift)) = magic(divisor, most, 16) else { continue };
                let wrong = (0..=most).find(|n| (n * factor) >> shift != n / divisor);
                assert_eq!(wrong, None, "{divisor} up to {most}: {factor} >> {shift}");
            }
        }
        for (divisor, most) in [(3, 70_000), (441, 112_455), (961, 245_535), (1089, 1 << 20)] {
            let factor = single(divisor, most).unwrap();
            let wrong = (0..=most).find(|n| (*n as f32 * factor) as u64 != n / divisor);
            assert_eq!(wrong, None, "{divisor}: {factor}");
        }
        // Quotients whose next multiple is nearer than single precision can tell.
        assert_eq!(single(10007, (1 << 24) - 1), None);
        // The condition is not idle: half of the factor's bits are too few for all dividends.
        assert_eq!(magic(7, 65535, 16), None);
        assert_eq!(magic(225, 57487, 16), Some((37283, 23)));
    }

    #[test]
    fn results_are_those_of_exact_arithmetic() {
        let uint16 = Storage { bits: 16, signed: false, float: false };
        for (up, down) in [(1, 9), (-3, 7), (5, 16), (-1, 1), (1, 1), (2, 225)] {
            for bias in [0, -3] {
                let output = Output {
                    name: String::new(),
                    source: 0,
                    offset: [0; 3],
                    scale: Rational::new(up, down).unwrap(),
                    bias,
                    pixel: Pixel::UINT8,
                    is_table: false,
                };
                let finish = Finish::of(&output, uint16, Some([0, 2295]), Overflow::Saturate);
                for value in 0..=2295 {
                    let n = value * finish.up + finish.added;
                    let held = Storage::holding(n.into(), n.into()).unwrap();
                    assert!(held.bits <= finish.dividend.bits, "{n} in {:?}", finish.dividend);
                    let quotient = match finish.division {
                        Division::None => n,
                        Division::Shift(shift) => n >> shift,
                        Division::Multiply { single: Some(factor), .. } => (n as f32 * factor.0) as i64,
                        Division::Multiply { factor, shift, .. } => {
                            ((u64::try_from(n).unwrap() * factor) >> shift) as i64
                        }
                        Division::Plain(down) => n / down,
                    } - finish.minus;
                    let low = finish.limits[0].map_or(quotient, |low| quotient.max(low));
                    let found = finish.limits[1].map_or(low, |high| low.min(high));
                    let exact = (2 * value * up + down).div_euclid(2 * down) + bias;
                    assert_eq!(found, exact.clamp(0, 255), "{value}·{up}/{down} + {bias}");
                }
            }
        }
    }
}

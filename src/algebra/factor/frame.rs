//! Images of integer polynomials modulo a prime, in two variables, and the way back.
//!
//! The axis along which the polynomials are shortest becomes x. The other variables are translated by random residues, so that
//! the origin is a generic point, and combined into one variable y by Kronecker's substitution, which is injective on all divisors.

use super::modular::{self, Line};
use super::plane::{self, Plane};
use super::polynomial::Polynomial;
use super::work::Spend;
use crate::algebra::field::{self, PRIME};
use crate::algebra::{Random, place};

/// A map from polynomials of bounded size to images modulo the prime.
pub(super) struct Frame {
    /// The axes that become x, and the low and high parts of y.
    axes: [usize; 3],
    /// The translations of the second and third variable.
    moves: [u64; 2],
    /// One more than the largest degree along each of these axes.
    bounds: [usize; 3],
}

impl Frame {
    /// A random frame large enough for all of some polynomials.
    pub(super) fn of(polynomials: &[&Polynomial], random: &mut Random) -> Self {
        let most = |axis: usize| polynomials.iter().map(|p| p.size()[axis]).max().unwrap_or(1);
        let mut axes = [0, 1, 2];
        // Axes of no extent come last.
        axes.sort_by_key(|axis| (most(*axis) == 1, most(*axis)));
        Self { axes, moves: drawn(random), bounds: axes.map(most) }
    }

    /// Another random frame of the same size, with the same axes.
    pub(super) fn moved(&self, random: &mut Random) -> Self {
        Self { moves: drawn(random), ..*self }
    }

    /// The degree along the first axis.
    pub(super) fn degree(&self, polynomial: &Polynomial) -> usize {
        polynomial.size()[self.axes[0]] - 1
    }

    /// The coefficient of the last monomial, ordered by the powers along the first, third and second axis.
    pub(super) fn lead(&self, polynomial: &Polynomial) -> i64 {
        let [first, second, third] = self.axes;
        let key = |place: &[usize; 3]| (place[first], place[third], place[second]);
        let taps = placed(polynomial).filter(|(_, tap)| *tap != 0);
        taps.max_by_key(|(place, _)| key(place)).map_or(0, |(_, tap)| tap)
    }

    /// The image of a polynomial. `None` if the work has run out.
    pub(super) fn image(&self, polynomial: &Polynomial, spend: Spend) -> Option<Plane> {
        let [first, second, third] = self.axes;
        let size = self.axes.map(|axis| polynomial.size()[axis]);
        let [_, h, d] = self.bounds;
        let mut lines = vec![vec![0; h * d]; size[0]];
        for (place, tap) in placed(polynomial) {
            lines[place[first]][place[third] * h + place[second]] = field::residue(tap);
        }
        for line in &mut lines {
            if !spend((line.len() * (h + d)) as u64) {
                return None;
            }
            self.translate(line, self.moves);
        }
        Some(lines.into_iter().map(modular::trim).collect())
    }

    /// Translates a polynomial in the second and third variable.
    fn translate(&self, line: &mut [u64], by: [u64; 2]) {
        let [_, h, d] = self.bounds;
        for start in 0..d {
            shift(line, start * h, 1, h, by[0]);
        }
        for start in 0..h {
            shift(line, start, h, d, by[1]);
        }
    }

    /// The primitive integer polynomial whose image is a multiple of this one, if the coefficient of its last monomial divides `lead`.
    /// `None` if there is none within the bounds. The caller must verify it by division.
    pub(super) fn preimage(&self, image: &[Line], lead: i64) -> Option<Polynomial> {
        let [w, h, d] = [image.len(), self.bounds[1], self.bounds[2]];
        let last = *image.last()?.last()?;
        let unit = field::mul(field::residue(lead), field::inverse(last));
        let mut size = [1; 3];
        for (axis, extent) in self.axes.into_iter().zip([w, h, d]) {
            size[axis] = extent;
        }
        let mut strides = [1, size[0], size[0] * size[1]];
        strides = self.axes.map(|axis| strides[axis]);
        let mut taps = vec![0; w * h * d];
        for (x, line) in image.iter().enumerate() {
            if line.len() > h * d {
                return None;
            }
            let mut line = modular::scale(line, unit);
            line.resize(h * d, 0);
            self.translate(&mut line, self.moves.map(|by| field::sub(0, by)));
            for (i, value) in line.into_iter().enumerate() {
                taps[x * strides[0] + i % h * strides[1] + i / h * strides[2]] = field::symmetric(value);
            }
        }
        Some(Polynomial::new(size, &taps)?.primitive())
    }

    /// The divisor of a polynomial with this image, and the quotient; `None` if there is none.
    pub(super) fn divisor(&self, of: &Polynomial, image: &[Line]) -> Option<(Polynomial, Polynomial)> {
        let divisor = self.preimage(image, self.lead(of))?;
        let quotient = of.quotient(&divisor)?;
        Some((divisor, quotient))
    }
}

fn drawn(random: &mut Random) -> [u64; 2] {
    [0; 2].map(|_: u64| random.next() % PRIME)
}

/// The content of an image: a common divisor of all coefficients of powers of x.
pub(super) fn content(image: &[Line]) -> Plane {
    vec![plane::content(image)]
}

/// The coefficients with their powers.
fn placed(polynomial: &Polynomial) -> impl Iterator<Item = ([usize; 3], i64)> + '_ {
    polynomial.taps().iter().enumerate().map(|(i, tap)| (place(polynomial.size(), i), *tap))
}

/// Translates the variable of a polynomial whose coefficients are `stride` apart, by repeated Horner schemes.
fn shift(line: &mut [u64], start: usize, stride: usize, count: usize, by: u64) {
    for first in 0..count.saturating_sub(1) {
        for i in (first..count - 1).rev() {
            let above = line[start + (i + 1) * stride];
            let here = &mut line[start + i * stride];
            *here = field::add(*here, field::mul(by, above));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_read_back() {
        let taps: Vec<i64> = (0..24).map(|i| [3, -5, 0, 7, 1][i % 5]).collect();
        for size in [[2, 3, 4], [4, 3, 2], [24, 1, 1], [1, 4, 6], [3, 8, 1]] {
            let polynomial = Polynomial::new(size, &taps).unwrap();
            let frame = Frame::of(&[&polynomial], &mut Random::new(1));
            let image = frame.image(&polynomial, &|_| true).unwrap();
            let expected = polynomial.primitive();
            assert_eq!(frame.preimage(&image, frame.lead(&polynomial)), Some(expected.clone()));
            let doubled: Plane = image.iter().map(|line| modular::scale(line, 77)).collect();
            assert_eq!(frame.divisor(&polynomial, &doubled).unwrap().0, expected);
        }
    }
}

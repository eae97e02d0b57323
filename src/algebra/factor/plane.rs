//! Polynomials in two variables modulo a prime, as polynomials in x whose coefficients are polynomials in y.

use super::modular::{self, Line};
use super::work::Spend;
use crate::algebra::field;

/// Coefficients of the powers of x, lowest first, each a polynomial in y. The last one is not zero.
pub(super) type Plane = Vec<Line>;

/// One more than the degree in y.
pub(super) fn height(a: &[Line]) -> usize {
    a.iter().map(Vec::len).max().unwrap_or(0)
}

/// The greatest common divisor of the coefficients of the powers of x.
pub(super) fn content(a: &[Line]) -> Line {
    let mut common = Line::new();
    for line in a {
        common = modular::gcd(&common, line);
        if common.len() == 1 {
            break;
        }
    }
    common
}

/// The quotient by a polynomial in y that divides all coefficients.
pub(super) fn divided(a: &[Line], by: &[u64]) -> Plane {
    if by.len() == 1 { a.to_vec() } else { a.iter().map(|line| modular::divide(line, by).0).collect() }
}

/// The derivative by x.
pub(super) fn derivative(a: &[Line]) -> Plane {
    let lines = a.iter().enumerate().skip(1);
    lines.map(|(i, line)| modular::scale(line, i as u64)).collect()
}

/// The polynomial in x at a value of y.
fn at(a: &[Line], y: u64) -> Line {
    modular::trim(a.iter().map(|line| modular::value(line, y)).collect())
}

/// The greatest common divisor of two non-zero polynomials, interpolated from its values at several y (W. S. Brown, "On Euclid's
/// algorithm and the computation of polynomial greatest common divisors", 1971). `None` if the work has run out.
///
/// The leading coefficient is that of a multiple, correct up to a constant factor. Only some values of y are used, so the result may
/// fail to divide the polynomials; the caller must verify it by division.
pub(super) fn gcd(a: &[Line], b: &[Line], spend: Spend) -> Option<Plane> {
    let work = |a: &[Line]| (a.len() * height(a) * height(a)) as u64;
    if !spend(work(a).max(work(b))) {
        return None;
    }
    let (of_a, of_b) = (content(a), content(b));
    let common = modular::gcd(&of_a, &of_b);
    let (a, b) = (divided(a, &of_a), divided(b, &of_b));
    let lead = modular::gcd(a.last()?, b.last()?);
    let points = height(&a).min(height(&b)) + lead.len() - 1;
    let mut images: Vec<(u64, Line)> = Vec::with_capacity(points);
    for y in 1.. {
        if images.len() == points {
            break;
        }
        let step = a.len() * height(&a) + b.len() * height(&b) + a.len() * b.len();
        if !spend(step as u64) {
            return None;
        }
        let scale = modular::value(&lead, y);
        let (of_a, of_b) = (at(&a, y), at(&b, y));
        if scale == 0 || of_a.len() < a.len() || of_b.len() < b.len() {
            continue;
        }
        let image = modular::gcd(&of_a, &of_b);
        if image.len() == 1 {
            return Some(vec![common]);
        }
        let least = images.first().map_or(usize::MAX, |(_, found)| found.len());
        if image.len() < least {
            images.clear();
        }
        if image.len() <= least {
            images.push((y, modular::scale(&image, scale)));
        }
    }
    let length = images.first()?.1.len();
    let mut found = Plane::new();
    for i in 0..length {
        if !spend(2 * (points * points) as u64) {
            return None;
        }
        let values: Vec<(u64, u64)> = images.iter().map(|(y, image)| (*y, image[i])).collect();
        found.push(interpolated(&values));
    }
    let primitive = divided(&found, &content(&found));
    Some(primitive.iter().map(|line| modular::mul(line, &common)).collect())
}

/// The polynomial with given values at distinct points, by Newton's divided differences.
fn interpolated(values: &[(u64, u64)]) -> Line {
    let mut differences: Line = values.iter().map(|(_, value)| *value).collect();
    for level in 1..values.len() {
        for i in (level..values.len()).rev() {
            let run = field::inverse(field::sub(values[i].0, values[i - level].0));
            differences[i] = field::mul(field::sub(differences[i], differences[i - 1]), run);
        }
    }
    let mut found = Line::new();
    for (difference, (y, _)) in differences.iter().zip(values).rev() {
        let moved = modular::sub(&[&[0][..], &found].concat(), &modular::scale(&found, *y));
        found = modular::add(&moved, &modular::trim(vec![*difference]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: &[Line], b: &[Line]) -> Plane {
        let mut sum = vec![Line::new(); a.len() + b.len() - 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                sum[i + j] = modular::add(&sum[i + j], &modular::mul(x, y));
            }
        }
        sum
    }

    #[test]
    fn the_common_divisor_is_that_with_its_content() {
        // (y + 2)·((3y + 1)·x + y) is common to multiples by x + y and y·x + 1.
        let common = vec![vec![0, 2, 1], vec![2, 7, 3]];
        let a = product(&common, &[vec![0, 1], vec![1]]);
        let b = product(&common, &[vec![1], vec![0, 1]]);
        let found = gcd(&a, &b, &|_| true).unwrap();
        let unit = field::mul(found[1][2], field::inverse(3));
        let expected: Plane = common.iter().map(|line| modular::scale(line, unit)).collect();
        assert_eq!(found, expected);
        let coprime = gcd(&[vec![0, 1], vec![1]], &[vec![1], vec![0, 1]], &|_| true).unwrap();
        assert_eq!(coprime, [vec![1]]);
        assert_eq!(gcd(&a, &b, &|_| false), None);
    }
}

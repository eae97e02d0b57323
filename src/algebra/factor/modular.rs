//! Polynomials in one variable modulo a prime: arithmetic and factorisation.
//!
//! Factors of a square-free polynomial are first grouped by degree, then split by the method of Cantor and Zassenhaus ("A new
//! algorithm for factoring polynomials over finite fields", 1981), with numbers from a seeded generator.

use super::work::Spend;
use crate::algebra::Random;
use crate::algebra::field::{self, PRIME};

/// Coefficients, lowest power first. The last one is not zero; the zero polynomial has none.
pub(super) type Line = Vec<u64>;

/// Removes zeros at the end.
pub(super) fn trim(mut a: Line) -> Line {
    while a.last() == Some(&0) {
        a.pop();
    }
    a
}

/// The sum.
pub(super) fn add(a: &[u64], b: &[u64]) -> Line {
    let at = |line: &[u64], i: usize| line.get(i).copied().unwrap_or(0);
    trim((0..a.len().max(b.len())).map(|i| field::add(at(a, i), at(b, i))).collect())
}

/// The difference.
pub(super) fn sub(a: &[u64], b: &[u64]) -> Line {
    let at = |line: &[u64], i: usize| line.get(i).copied().unwrap_or(0);
    trim((0..a.len().max(b.len())).map(|i| field::sub(at(a, i), at(b, i))).collect())
}

/// The product.
pub(super) fn mul(a: &[u64], b: &[u64]) -> Line {
    if a.is_empty() || b.is_empty() {
        return Line::new();
    }
    let mut product = vec![0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate().filter(|(_, x)| **x != 0) {
        for (sum, y) in product[i..].iter_mut().zip(b) {
            *sum = field::add(*sum, field::mul(*x, *y));
        }
    }
    product
}

/// A multiple.
pub(super) fn scale(a: &[u64], by: u64) -> Line {
    trim(a.iter().map(|x| field::mul(*x, by)).collect())
}

/// Quotient and remainder by a non-zero polynomial.
pub(super) fn divide(a: &[u64], by: &[u64]) -> (Line, Line) {
    let mut rest = a.to_vec();
    if a.len() < by.len() {
        return (Line::new(), rest);
    }
    let reciprocal = match by.last() {
        Some(1) | None => 1,
        Some(lead) => field::inverse(*lead),
    };
    let mut quotient = vec![0; a.len() + 1 - by.len()];
    for place in (0..quotient.len()).rev() {
        let factor = field::mul(rest[place + by.len() - 1], reciprocal);
        quotient[place] = factor;
        if factor != 0 {
            for (value, x) in rest[place..].iter_mut().zip(by) {
                *value = field::sub(*value, field::mul(factor, *x));
            }
        }
    }
    (quotient, trim(rest))
}

/// The remainder.
pub(super) fn reduce(a: &[u64], by: &[u64]) -> Line {
    divide(a, by).1
}

/// The multiple with leading coefficient 1.
pub(super) fn monic(a: &[u64]) -> Line {
    a.last().map_or_else(Line::new, |lead| scale(a, field::inverse(*lead)))
}

/// The greatest common divisor, with leading coefficient 1; zero if both are zero.
pub(super) fn gcd(a: &[u64], b: &[u64]) -> Line {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    while !b.is_empty() {
        (a, b) = (b.clone(), reduce(&a, &b));
    }
    monic(&a)
}

/// The reciprocal of `a` modulo `by`; `None` if they have a common divisor.
pub(super) fn inverse(a: &[u64], by: &[u64]) -> Option<Line> {
    let (mut old, mut new) = (by.to_vec(), reduce(a, by));
    let (mut of_old, mut of_new) = (Line::new(), vec![1]);
    while new.len() > 1 {
        let (quotient, rest) = divide(&old, &new);
        let next = sub(&of_old, &mul(&quotient, &of_new));
        (old, new) = (new, rest);
        (of_old, of_new) = (of_new, next);
    }
    let unit = *new.first()?;
    Some(reduce(&scale(&of_new, field::inverse(unit)), by))
}

/// The derivative.
pub(super) fn derivative(a: &[u64]) -> Line {
    trim(a.iter().enumerate().skip(1).map(|(i, x)| field::mul(i as u64, *x)).collect())
}

/// The value at a point.
pub(super) fn value(a: &[u64], at: u64) -> u64 {
    a.iter().rev().fold(0, |sum, x| field::add(field::mul(sum, at), *x))
}

/// A square-free polynomial with its irreducible factors grouped by degree.
pub(super) struct ByDegree {
    /// The polynomial, monic and square-free.
    whole: Line,
    /// x^(p·i) modulo the polynomial, for all i below its degree: the Frobenius map.
    powers: Vec<Line>,
    /// Degrees, each with the product of the irreducible factors of that degree.
    products: Vec<(usize, Line)>,
}

impl ByDegree {
    /// Groups the factors of a square-free monic polynomial by degree. `None` if the work has run out.
    pub(super) fn of(whole: Line, spend: Spend) -> Option<Self> {
        let degree = whole.len() - 1;
        let step = 2 * (degree * degree) as u64;
        if degree < 2 {
            let products = vec![(degree, whole.clone())];
            return Some(Self { whole, powers: Vec::new(), products });
        }
        // p = 2^61 − 1: sixty times, square and multiply by x.
        let mut power = reduce(&[0, 1], &whole);
        for _ in 0..60 {
            if !spend(step) {
                return None;
            }
            let mut square = mul(&power, &power);
            square.insert(0, 0);
            power = reduce(&square, &whole);
        }
        let mut powers = vec![vec![1]];
        for i in 1..degree {
            if !spend(step) {
                return None;
            }
            powers.push(reduce(&mul(&powers[i - 1], &power), &whole));
        }
        let mut found = Self { whole, powers, products: Vec::new() };
        let mut left = found.whole.clone();
        let mut image = power;
        for of in 1.. {
            if left.len() <= 2 * of {
                if left.len() > 1 {
                    found.products.push((left.len() - 1, left));
                }
                break;
            }
            if !spend(2 * step) {
                return None;
            }
            let product = gcd(&sub(&image, &[0, 1]), &left);
            if product.len() > 1 {
                left = divide(&left, &product).0;
                found.products.push((of, product));
            }
            image = found.frobenius(&image);
        }
        Some(found)
    }

    /// The degrees of the irreducible factors, repetitions included.
    pub(super) fn degrees(&self) -> Vec<usize> {
        let repeated = |(of, product): &(usize, Line)| vec![*of; (product.len() - 1) / (*of).max(1)];
        self.products.iter().flat_map(repeated).collect()
    }

    /// a^p modulo the polynomial.
    fn frobenius(&self, a: &[u64]) -> Line {
        let mut sum = vec![0; self.whole.len()];
        for (x, power) in a.iter().zip(&self.powers) {
            for (value, y) in sum.iter_mut().zip(power) {
                *value = field::add(*value, field::mul(*x, *y));
            }
        }
        trim(sum)
    }

    /// The irreducible factors, monic and sorted. `None` if the work has run out.
    pub(super) fn irreducible(&self, random: &mut Random, spend: Spend) -> Option<Vec<Line>> {
        let mut found = Vec::new();
        for (of, product) in &self.products {
            let mut pending = vec![product.clone()];
            while let Some(product) = pending.pop() {
                if product.len() <= of + 1 {
                    found.push(product);
                    continue;
                }
                let part = self.part(*of, &product, random, spend)?;
                pending.push(divide(&product, &part).0);
                pending.push(part);
            }
        }
        found.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        Some(found)
    }

    /// A proper factor of a product of several irreducible factors of degree `of`: half of the residues are squares
    /// modulo each factor.
    fn part(&self, of: usize, product: &[u64], random: &mut Random, spend: Spend) -> Option<Line> {
        let step = 2 * (product.len() * product.len()) as u64;
        loop {
            let whole = 2 * (self.whole.len() * self.whole.len()) as u64;
            if !spend(of as u64 * whole) {
                return None;
            }
            let drawn: Line = (1..product.len()).map(|_| random.next() % PRIME).collect();
            let (mut norm, mut image) = (trim(drawn.clone()), trim(drawn));
            for _ in 1..of {
                image = self.frobenius(&image);
                norm = reduce(&mul(&norm, &image), &self.whole);
            }
            // (p − 1)/2 = 2^60 − 1.
            let norm = reduce(&norm, product);
            let mut power = norm.clone();
            for _ in 1..60 {
                if !spend(2 * step) {
                    return None;
                }
                power = reduce(&mul(&power, &power), product);
                power = reduce(&mul(&power, &norm), product);
            }
            let part = gcd(&sub(&power, &[1]), product);
            if part.len() > 1 && part.len() < product.len() {
                return Some(part);
            }
        }
    }
}

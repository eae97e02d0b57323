//! Lifts factors of a polynomial at one value of y to all y: linear Hensel lifting in the powers of y.

use super::modular::{self, Line};
use super::plane::{self, Plane};
use super::work::Spend;
use crate::algebra::{Random, field};

/// Extra powers of y beyond those of a divisor. In a product that is not a divisor, they are not zero.
const SPARE: usize = 2;

/// A polynomial as power series in y whose coefficients are polynomials in x.
type Series = Vec<Line>;

/// Factors as power series in y, monic in x.
pub(super) struct Lifted {
    factors: Vec<Series>,
    /// The coefficient of the highest power of x in their product.
    lead: Line,
    /// The number of powers of y.
    precision: usize,
    /// The factors at one value of x, as series in y.
    values: Vec<Line>,
}

impl Lifted {
    /// Lifts the factors of a polynomial at y = 0, which must be coprime and monic. `None` if they are not coprime, or if the work has
    /// run out.
    pub(super) fn new(whole: &[Line], factors: &[Line], random: &mut Random, spend: Spend) -> Option<Self> {
        let precision = plane::height(whole) + SPARE;
        let lead = whole.last()?.clone();
        let reciprocal = reciprocal(&lead, precision);
        let monic: Plane = whole.iter().map(|line| truncated_product(line, &reciprocal, precision)).collect();
        let coefficient = |k: usize| -> Line {
            modular::trim(monic.iter().map(|line| line.get(k).copied().unwrap_or(0)).collect())
        };
        let mut cofactors = Vec::with_capacity(factors.len());
        for (i, factor) in factors.iter().enumerate() {
            let others = factors.iter().enumerate().filter(|(j, _)| *j != i);
            let product = others.fold(vec![1], |product, (_, other)| modular::mul(&product, other));
            cofactors.push(modular::inverse(&product, factor)?);
        }
        let mut lifted: Vec<Series> = factors.iter().map(|factor| vec![factor.clone()]).collect();
        // The partial products of the factors.
        let mut products: Vec<Series> = vec![Series::new(); factors.len()];
        multiply_on(&mut products, &lifted, 0);
        for k in 1..precision {
            if !spend((k * whole.len() * whole.len()) as u64) {
                return None;
            }
            lifted.iter_mut().for_each(|series| series.push(Line::new()));
            multiply_on(&mut products, &lifted, k);
            let error = modular::sub(&coefficient(k), products.last()?.get(k)?);
            let mut change = Line::new();
            for i in 0..factors.len() {
                let delta = modular::reduce(&modular::mul(&error, &cofactors[i]), &factors[i]);
                let before = if i == 0 { vec![1] } else { products[i - 1][0].clone() };
                change = modular::add(&modular::mul(&change, &factors[i]), &modular::mul(&before, &delta));
                products[i][k] = modular::add(&products[i][k], &change);
                lifted[i][k] = delta;
            }
        }
        let x = random.next() % field::PRIME;
        let value = |series: &Series| series.iter().map(|line| modular::value(line, x)).collect();
        let values = lifted.iter().map(value).collect();
        Some(Self { factors: lifted, lead, precision, values })
    }

    /// Whether the product of some factors can come from a divisor: multiplied by the leading coefficient of the whole, it is a
    /// polynomial with no higher degree in y.
    pub(super) fn may_divide(&self, chosen: &[usize]) -> bool {
        let mut product = self.lead.clone();
        for i in chosen {
            product = truncated_product(&product, &self.values[*i], self.precision);
        }
        product.len() + SPARE <= self.precision
    }

    /// The product of some factors times the leading coefficient of the whole, without its content in y.
    pub(super) fn product(&self, chosen: &[usize]) -> Plane {
        let mut series: Series = self.lead.iter().map(|value| modular::trim(vec![*value])).collect();
        series.resize(self.precision, Line::new());
        for i in chosen {
            series = (0..self.precision).map(|k| coefficient(&series, &self.factors[*i], k)).collect();
        }
        let length = series.iter().map(Vec::len).max().unwrap_or(0);
        let line = |x: usize| -> Line {
            modular::trim(series.iter().map(|line| line.get(x).copied().unwrap_or(0)).collect())
        };
        let product: Plane = (0..length).map(line).collect();
        plane::divided(&product, &plane::content(&product))
    }
}

/// Appends the coefficients of y^k to the partial products of the factors.
fn multiply_on(products: &mut [Series], factors: &[Series], k: usize) {
    for i in 0..factors.len() {
        let next = match i {
            0 => factors[0][k].clone(),
            _ => coefficient(&products[i - 1], &factors[i], k),
        };
        products[i].push(next);
    }
}

/// The coefficient of y^k of a product.
fn coefficient(a: &[Line], b: &[Line], k: usize) -> Line {
    let mut sum = Line::new();
    for j in 0..=k {
        sum = modular::add(&sum, &modular::mul(&a[j], &b[k - j]));
    }
    sum
}

/// The product of two power series, truncated to `precision` powers.
fn truncated_product(a: &[u64], b: &[u64], precision: usize) -> Line {
    let mut product = vec![0; precision];
    for (i, x) in a.iter().enumerate().take(precision) {
        for (sum, y) in product[i..].iter_mut().zip(b) {
            *sum = field::add(*sum, field::mul(*x, *y));
        }
    }
    modular::trim(product)
}

/// 1/a as a power series; the first coefficient of `a` is not zero.
fn reciprocal(a: &[u64], precision: usize) -> Line {
    let unit = field::inverse(a[0]);
    let mut found: Line = vec![unit];
    for k in 1..precision {
        let terms = (1..=k.min(a.len() - 1)).map(|j| field::mul(a[j], found[k - j]));
        let sum = terms.fold(0, field::add);
        found.push(field::mul(field::sub(0, sum), unit));
    }
    found
}

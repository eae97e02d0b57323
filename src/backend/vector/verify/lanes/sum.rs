//! Exact sums of products of elements: the values of lanes.

use crate::algebra::Rational;

/// An unknown element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    /// The array.
    pub array: usize,
    /// Its index.
    pub index: i64,
}

/// A product of at most two elements, stored last, in order.
pub type Product = [Option<Symbol>; 2];

/// The reason why a value is not such a sum of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A product of three or more elements.
    Degree,
    /// A coefficient that exceeds the range of the computation.
    TooLarge,
}

/// Coefficients stay below this power of two.
const MAX_BITS: u32 = 96;

/// Σ coefficient · product, over a power of two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Sorted, without zeros. A vector, as sums are copied more often than they are searched.
    terms: Vec<(Product, i128)>,
    /// The power of two that divides all coefficients.
    shift: u32,
    /// Whether bits were shifted out of it. It is then exact up to that rounding.
    pub rounded: bool,
    /// Whether it was computed from a value that had bits shifted out.
    pub early: bool,
}

impl Sum {
    /// The sum with only a constant.
    pub fn constant(value: i128) -> Self {
        let terms = if value == 0 { Vec::new() } else { vec![([None, None], value)] };
        Self { terms, ..Self::default() }
    }

    /// The sum with only an element.
    pub fn symbol(symbol: Symbol) -> Self {
        Self { terms: vec![([None, Some(symbol)], 1)], ..Self::default() }
    }

    /// Its value, or `None` if it depends on an element or is not an integer.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms[..] {
            [] => Some(0),
            [([None, None], value)] if self.shift == 0 => Some(value),
            _ => None,
        }
    }

    /// The number of its terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether it is zero.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Its products with their coefficients; `None` for a coefficient that does not fit 64 bits.
    pub fn terms(&self) -> impl Iterator<Item = (Product, Option<Rational>)> + '_ {
        let half = Rational::power_of_two(-(self.shift as i32));
        self.terms.iter().map(move |(product, value)| {
            let value = i64::try_from(*value).ok().and_then(|value| Rational::new(value, 1));
            (*product, value.zip(half).and_then(|(value, half)| value.mul(half)))
        })
    }

    /// The elements that it depends on.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.terms.iter().flat_map(|(product, _)| product).flatten().copied()
    }

    /// The sum with each element renamed. No two elements may get one name.
    pub fn renamed(&self, name: impl Fn(Symbol) -> Symbol) -> Self {
        let renamed = |product: &Product| {
            let mut product = product.map(|symbol| symbol.map(&name));
            product.sort_unstable();
            product
        };
        let mut terms: Vec<_> =
            self.terms.iter().map(|(product, value)| (renamed(product), *value)).collect();
        terms.sort_unstable();
        Self { terms, ..*self }
    }

    /// Brings the sum to at least this power of two.
    fn align(&mut self, shift: u32) -> Result<(), Flaw> {
        if self.shift < shift {
            let factor = 1i128 << (shift - self.shift).min(MAX_BITS);
            for (_, value) in &mut self.terms {
                *value = checked(value.checked_mul(factor))?;
            }
            self.shift = shift;
        }
        Ok(())
    }

    fn add_term(&mut self, product: Product, value: i128) -> Result<(), Flaw> {
        match self.terms.binary_search_by(|(other, _)| other.cmp(&product)) {
            Ok(at) => {
                let term = &mut self.terms[at].1;
                *term = checked(term.checked_add(value))?;
                if *term == 0 {
                    self.terms.remove(at);
                }
            }
            Err(at) => self.terms.insert(at, (product, checked(Some(value))?)),
        }
        Ok(())
    }

    /// Adds another sum, `sign` times.
    pub fn add(&mut self, other: &Self, sign: i128) -> Result<(), Flaw> {
        self.add_product(other, &Self::constant(1), sign)
    }

    /// Adds the product of two sums, `sign` times.
    pub fn add_product(&mut self, x: &Self, z: &Self, sign: i128) -> Result<(), Flaw> {
        if x.is_empty() || z.is_empty() {
            return Ok(());
        }
        self.early |= x.rounded || x.early || z.rounded || z.early;
        let shift = x.shift + z.shift;
        if shift > MAX_BITS {
            return Err(Flaw::TooLarge);
        }
        self.align(shift)?;
        let factor = sign << (self.shift - shift);
        for (left, a) in &x.terms {
            for (right, b) in &z.terms {
                let value = checked(a.checked_mul(*b))?;
                let value = checked(value.checked_mul(factor))?;
                self.add_term(times(*left, *right).ok_or(Flaw::Degree)?, value)?;
            }
        }
        Ok(())
    }

    /// Shifts right, if the result can be stated exactly.
    pub fn shifted_right(&self, bits: u32) -> Result<Self, Flaw> {
        let mut sum = self.clone();
        if bits == 0 || sum.is_empty() {
            return Ok(sum);
        }
        sum.early |= sum.rounded;
        sum.rounded = true;
        sum.shift += bits;
        // A factor of two in every term is not a fraction.
        while sum.shift > 0 && sum.terms.iter().all(|(_, value)| value % 2 == 0) {
            sum.terms.iter_mut().for_each(|(_, value)| *value /= 2);
            sum.shift -= 1;
        }
        if sum.shift > MAX_BITS { Err(Flaw::TooLarge) } else { Ok(sum) }
    }

    /// Shifts left.
    pub fn shifted_left(&self, bits: u32) -> Result<Self, Flaw> {
        let mut sum = self.clone();
        let taken = bits.min(sum.shift);
        sum.shift -= taken;
        let factor = 1i128 << (bits - taken).min(MAX_BITS);
        for (_, value) in &mut sum.terms {
            *value = checked(value.checked_mul(factor))?;
        }
        Ok(sum)
    }

    /// The least and the greatest value if every element is in a range. `None` for products of two elements.
    pub fn bounds(&self, range: [i128; 2]) -> Option<[f64; 2]> {
        let mut bounds = [0f64; 2];
        for (product, value) in &self.terms {
            let ends = match product {
                [None, None] => [*value as f64; 2],
                [None, Some(_)] => range.map(|end| end as f64 * *value as f64),
                [Some(_), _] => return None,
            };
            bounds[0] += ends[0].min(ends[1]);
            bounds[1] += ends[0].max(ends[1]);
        }
        Some(bounds.map(|bound| bound / 2f64.powi(self.shift as i32)))
    }
}

fn checked(value: Option<i128>) -> Result<i128, Flaw> {
    value.filter(|value| value.unsigned_abs() >> MAX_BITS == 0).ok_or(Flaw::TooLarge)
}

/// The product of two products, or `None` if it has more than two elements.
fn times(left: Product, right: Product) -> Option<Product> {
    match (left, right) {
        ([None, None], other) | (other, [None, None]) => Some(other),
        ([None, a], [None, b]) => Some(if a <= b { [a, b] } else { [b, a] }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(array: usize, index: i64) -> Sum {
        Sum::symbol(Symbol { array, index })
    }

    #[test]
    fn sums_products_and_shifts() {
        let mut sum = Sum::constant(0);
        sum.add_product(&element(0, 3), &Sum::constant(6), 1).unwrap();
        sum.add_product(&element(0, 3), &Sum::constant(2), -1).unwrap();
        let half = sum.shifted_right(3).unwrap();
        let terms: Vec<_> = half.terms().map(|(_, value)| value.unwrap().to_string()).collect();
        assert_eq!(terms, ["1/2"]);
        assert_eq!(half.bounds([-2, 10]), Some([-1.0, 5.0]));
        assert!(half.rounded && !half.early);
        let mut again = Sum::constant(1);
        again.add_product(&half, &Sum::constant(4), 1).unwrap();
        assert!(again.early);
        assert_eq!(half.shifted_left(1).unwrap().terms().next().unwrap().1, Rational::new(1, 1));
        sum.add_product(&element(0, 3), &Sum::constant(4), -1).unwrap();
        assert!(sum.is_empty());
    }

    #[test]
    fn two_elements_at_most() {
        let mut sum = Sum::default();
        sum.add_product(&element(1, 0), &element(0, 5), 1).unwrap();
        assert_eq!(sum.terms().next().unwrap().0.map(|s| s.unwrap().array), [0, 1]);
        let cubic = Sum::default().add_product(&sum, &element(0, 0), 1);
        assert_eq!(cubic, Err(Flaw::Degree));
        let mut large = Sum::constant(1i128 << 95);
        assert_eq!(large.clone().add(&large, 1), Err(Flaw::TooLarge));
        assert_eq!(
            large.add_product(&Sum::constant(1 << 90), &Sum::constant(1 << 90), 1),
            Err(Flaw::TooLarge)
        );
    }
}

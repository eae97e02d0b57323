//! Exact sums of products of inputs and weights: what lanes hold when a program runs on symbols.

use std::collections::BTreeMap;
use std::fmt;

use crate::sim::pipelined::Datum;
use crate::target::vliw::PreAdd;
use crate::tensor::Element;

/// A product: the weight of the run and the input in it, by their places; `None` stands for no such factor.
type Monomial = (Option<u32>, Option<u32>);

/// Σ coefficient · weight · input, then shifted right and saturated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expression {
    terms: BTreeMap<Monomial, i64>,
    /// The bits that it was shifted right by.
    pub shift: u32,
    /// Whether it was rounded where that can change it, so that nothing exact can be said of what is made of it.
    inexact: bool,
    /// What was made that is no sum of such products.
    flaw: Option<Flaw>,
    /// The range of the inputs.
    range: [i64; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flaw {
    /// A product of two inputs or of two weights.
    Degree,
    /// A product of something that was rounded or may have been saturated.
    Rounded,
    /// A coefficient beyond 64 bits.
    Overflow,
}

impl Expression {
    /// The input at a place.
    pub fn input(place: usize, range: [i64; 2]) -> Self {
        Self { terms: BTreeMap::from([((None, Some(place as u32)), 1)]), range, ..Self::default() }
    }

    /// The weight at a place.
    pub fn weight(place: usize) -> Self {
        Self { terms: BTreeMap::from([((Some(place as u32), None), 1)]), ..Self::default() }
    }

    /// Adds coefficient · weight · input.
    pub fn add_term(&mut self, weight: Option<usize>, input: usize, coefficient: i64) {
        self.add_monomial((weight.map(|w| w as u32), Some(input as u32)), coefficient);
    }

    fn add_monomial(&mut self, monomial: Monomial, coefficient: i64) {
        let term = self.terms.entry(monomial).or_insert(0);
        match term.checked_add(coefficient) {
            Some(0) => drop(self.terms.remove(&monomial)),
            Some(sum) => *term = sum,
            None => self.flaw = Some(Flaw::Overflow),
        }
    }

    /// Whether both are the same sum, shifted by the same number of bits, and nothing else happened to either.
    pub fn same(&self, other: &Self) -> bool {
        let sound = self.flaw.is_none() && other.flaw.is_none();
        sound && self.terms == other.terms && self.shift == other.shift
    }

    /// The least and the greatest value, for a sum of inputs with constant coefficients.
    fn bounds(&self) -> Option<[i128; 2]> {
        let mut bounds = [0i128; 2];
        for ((weight, input), coefficient) in &self.terms {
            let range = match (weight, input) {
                (None, Some(_)) => self.range.map(i128::from),
                (None, None) => [1, 1],
                (Some(_), _) => return None,
            };
            let ends = range.map(|end| end * i128::from(*coefficient));
            bounds[0] += ends[0].min(ends[1]);
            bounds[1] += ends[0].max(ends[1]);
        }
        Some(bounds)
    }

    fn take_flaws(&mut self, other: &Self) {
        self.flaw = self.flaw.or(other.flaw);
        if self.range == [0, 0] {
            self.range = other.range;
        }
    }
}

impl Datum for Expression {
    fn zero() -> Self {
        Self::default()
    }

    fn constant(value: i64) -> Self {
        let terms = if value == 0 { BTreeMap::new() } else { BTreeMap::from([((None, None), value)]) };
        Self { terms, ..Self::default() }
    }

    fn combine(&self, other: &Self, how: PreAdd) -> Self {
        let mut combined = self.clone();
        match how {
            PreAdd::Sum => combined.add(other),
            PreAdd::Difference => {
                combined.take_flaws(other);
                for (monomial, coefficient) in &other.terms {
                    combined.add_monomial(*monomial, -*coefficient);
                }
            }
        }
        combined.inexact |= other.inexact;
        combined
    }

    fn accumulate(&mut self, x: &Self, z: &Self) {
        self.take_flaws(x);
        self.take_flaws(z);
        if (x.inexact || z.inexact) && !(x.terms.is_empty() || z.terms.is_empty()) {
            self.flaw = Some(Flaw::Rounded);
        }
        for ((x_weight, x_input), x_coefficient) in &x.terms {
            for ((z_weight, z_input), z_coefficient) in &z.terms {
                if (x_weight.is_some() && z_weight.is_some()) || (x_input.is_some() && z_input.is_some()) {
                    self.flaw = Some(Flaw::Degree);
                }
                match x_coefficient.checked_mul(*z_coefficient) {
                    Some(product) => {
                        self.add_monomial((x_weight.or(*z_weight), x_input.or(*z_input)), product)
                    }
                    None => self.flaw = Some(Flaw::Overflow),
                }
            }
        }
    }

    fn add(&mut self, other: &Self) {
        self.take_flaws(other);
        for (monomial, coefficient) in &other.terms {
            self.add_monomial(*monomial, *coefficient);
        }
    }

    fn fits(&self, bits: usize) -> bool {
        let half = 1i128 << (bits - 1);
        self.bounds().is_none_or(|[least, greatest]| -half <= least && greatest < half)
    }

    /// Shifted and saturated; exact only without a shift and where the inputs' range excludes saturation.
    fn round(&self, shift: u32, element: Element) -> Self {
        let mut rounded = self.clone();
        let range = element.range().map(i128::from);
        let kept = shift == 0 && self.bounds().is_some_and(|[low, high]| range[0] <= low && high <= range[1]);
        rounded.inexact |= !kept;
        rounded.shift += shift;
        rounded
    }
}

impl fmt::Display for Expression {
    /// The first few terms, the flaws and the shift.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 6;
        if let Some(flaw) = self.flaw {
            return match flaw {
                Flaw::Degree => f.write_str("a product of two inputs or two weights"),
                Flaw::Rounded => f.write_str("a product of something that was rounded, or may be saturated"),
                Flaw::Overflow => f.write_str("a coefficient beyond 64 bits"),
            };
        }
        write!(f, "{} terms:", self.terms.len())?;
        for ((weight, input), coefficient) in self.terms.iter().take(SHOWN) {
            write!(f, " {coefficient:+}")?;
            for (name, place) in [("weight", weight), ("input", input)] {
                if let Some(place) = place {
                    write!(f, "·{name}[{place}]")?;
                }
            }
        }
        if self.terms.len() > SHOWN {
            f.write_str(" …")?;
        }
        if self.shift > 0 {
            write!(f, ", shifted by {}", self.shift)?;
        }
        Ok(())
    }
}

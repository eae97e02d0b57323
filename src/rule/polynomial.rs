//! Patterns as polynomials in their variables: equal polynomials denote equal kernels for all values of the variables.
//!
//! A kernel variable is an indeterminate. A number variable is an indeterminate that may have negative powers, because
//! `eval` divides. A sequence is the indeterminate of its sum. Coefficients are Laurent polynomials over the semiring;
//! over rings, a denominator Π (1 − x^d) represents the scans.

use std::collections::BTreeMap;

use super::interpret::Interpretation;
use super::{Constant, Expression, Operation, VariableId};
use crate::algebra::{Offset, Rational, Semiring, without};

/// Variables and their powers, sorted, without powers of zero.
type Monomial = Vec<(VariableId, i32)>;

/// The coefficient of each product of variables, without zero entries.
type Terms<S> = BTreeMap<Monomial, BTreeMap<Offset, <S as Semiring>::Element>>;

/// The maximum number of coefficient products in one product of polynomials. Rules stay far below it; larger ones can be
/// tested on random kernels.
const MAX_PRODUCTS: usize = 1 << 17;

/// A polynomial divided by factors of scans.
#[derive(Clone, Debug)]
pub(super) struct Fraction<S: Semiring> {
    terms: Terms<S>,
    /// The offsets d of the factors 1 − x^d of the denominator, sorted.
    scans: Vec<Offset>,
}

/// The domain of polynomials. A number variable with a known value is replaced by the expression for it.
pub(super) struct Polynomials<S: Semiring> {
    known: BTreeMap<VariableId, Expression>,
    semiring: std::marker::PhantomData<S>,
}

impl<S: Semiring> Polynomials<S> {
    pub(super) fn new(known: BTreeMap<VariableId, Expression>) -> Self {
        Self { known, semiring: std::marker::PhantomData }
    }

    /// Whether both values are equal for all kernels and numbers; `None` on overflow.
    pub(super) fn equal(&self, a: &Fraction<S>, b: &Fraction<S>) -> Option<bool> {
        // By cross-multiplication: like canonical kernels, fractions know no direction in which a scan runs.
        let left = over::<S>(&a.terms, &without(&b.scans, &a.scans))?;
        Some(left == over::<S>(&b.terms, &without(&a.scans, &b.scans))?)
    }

    fn number(&self, expression: &Expression) -> Option<Terms<S>> {
        match expression {
            Expression::Literal(value) => constant::<S>(*value),
            Expression::Variable(variable) => match self.known.get(variable) {
                Some(value) => self.number(value),
                None => Some(single::<S>(vec![(*variable, 1)], [0; 3], S::one())),
            },
            Expression::Apply(operation, operands) => {
                let values = operands.iter().map(|o| self.number(o)).collect::<Option<Vec<_>>>()?;
                let (first, others) = values.split_first()?;
                let apply = |result: Terms<S>, value: &Terms<S>| match operation {
                    Operation::Add => plus::<S>(result, value),
                    Operation::Subtract => plus::<S>(result, &negative::<S>(value)?),
                    Operation::Multiply => times::<S>(&result, value),
                    Operation::Divide => times::<S>(&result, &reciprocal::<S>(value)?),
                };
                match (operation, others) {
                    (Operation::Subtract, []) => negative::<S>(first),
                    (Operation::Divide, []) => reciprocal::<S>(first),
                    _ => others.iter().try_fold(first.clone(), apply),
                }
            }
        }
    }
}

impl<S: Semiring> Interpretation for Polynomials<S> {
    type Value = Fraction<S>;

    fn variable(&self, variable: VariableId) -> Option<Fraction<S>> {
        Some(whole(single::<S>(vec![(variable, 1)], [0; 3], S::one())))
    }

    fn sequence(&self, variable: VariableId) -> Option<Vec<Fraction<S>>> {
        Some(vec![self.variable(variable)?])
    }

    fn identity(&self) -> Option<Fraction<S>> {
        Some(whole(single::<S>(Vec::new(), [0; 3], S::one())))
    }

    fn constant(&self, kernel: &Constant) -> Option<Fraction<S>> {
        let mut terms = Terms::<S>::new();
        for (offset, value) in &kernel.taps {
            accumulate::<S>(&mut terms, &[], *offset, S::of(*value)?)?;
        }
        Some(whole(terms))
    }

    fn scan(&self, step: Offset) -> Option<Fraction<S>> {
        S::has_negation()
            .then(|| Fraction { terms: single::<S>(Vec::new(), [0; 3], S::one()), scans: vec![step] })
    }

    fn shift(&self, value: Fraction<S>, by: Offset) -> Option<Fraction<S>> {
        let monomial = single::<S>(Vec::new(), by, S::one());
        Some(Fraction { terms: times::<S>(&value.terms, &monomial)?, ..value })
    }

    fn negate(&self, value: Fraction<S>) -> Option<Fraction<S>> {
        Some(Fraction { terms: negative::<S>(&value.terms)?, ..value })
    }

    fn scale(&self, value: Fraction<S>, factor: &Expression) -> Option<Fraction<S>> {
        let factor = self.number(factor).filter(|factor| !factor.is_empty())?;
        Some(Fraction { terms: times::<S>(&value.terms, &factor)?, ..value })
    }

    fn sum(&self, values: Vec<Fraction<S>>) -> Option<Fraction<S>> {
        let mut values = values.into_iter();
        let first = values.next()?;
        values.try_fold(first, |sum, value| {
            let (here, there) = (without(&value.scans, &sum.scans), without(&sum.scans, &value.scans));
            let mut scans = [&sum.scans[..], &here[..]].concat();
            scans.sort_unstable();
            let terms = plus::<S>(over::<S>(&sum.terms, &here)?, &over::<S>(&value.terms, &there)?)?;
            Some(Fraction { terms, scans })
        })
    }

    fn compose(&self, outer: Fraction<S>, inner: Fraction<S>) -> Option<Fraction<S>> {
        let mut scans = [&outer.scans[..], &inner.scans[..]].concat();
        scans.sort_unstable();
        Some(Fraction { terms: times::<S>(&outer.terms, &inner.terms)?, scans })
    }
}

fn whole<S: Semiring>(terms: Terms<S>) -> Fraction<S> {
    Fraction { terms, scans: Vec::new() }
}

fn single<S: Semiring>(monomial: Monomial, offset: Offset, value: S::Element) -> Terms<S> {
    Terms::<S>::from([(monomial, BTreeMap::from([(offset, value)]))])
}

fn constant<S: Semiring>(value: Rational) -> Option<Terms<S>> {
    let value = S::of(value)?;
    Some(if S::is_zero(value) { Terms::<S>::new() } else { single::<S>(Vec::new(), [0; 3], value) })
}

/// Adds `value` to the coefficient of `monomial` at `offset` and removes zeros; `None` on overflow.
fn accumulate<S: Semiring>(
    terms: &mut Terms<S>,
    monomial: &[(VariableId, i32)],
    offset: Offset,
    value: S::Element,
) -> Option<()> {
    let coefficient = terms.entry(monomial.to_vec()).or_default();
    let entry = coefficient.entry(offset).or_insert(S::zero());
    *entry = S::add(*entry, value)?;
    if S::is_zero(*entry) {
        coefficient.remove(&offset);
    }
    if coefficient.is_empty() {
        terms.remove(monomial);
    }
    Some(())
}

fn plus<S: Semiring>(mut sum: Terms<S>, other: &Terms<S>) -> Option<Terms<S>> {
    for (monomial, coefficient) in other {
        for (offset, value) in coefficient {
            accumulate::<S>(&mut sum, monomial, *offset, *value)?;
        }
    }
    Some(sum)
}

/// The product; `None` on overflow or if it takes too much work.
fn times<S: Semiring>(a: &Terms<S>, b: &Terms<S>) -> Option<Terms<S>> {
    let size = |terms: &Terms<S>| terms.values().map(BTreeMap::len).sum::<usize>();
    if size(a).saturating_mul(size(b)) > MAX_PRODUCTS {
        return None;
    }
    let mut product = Terms::<S>::new();
    for (left, left_coefficient) in a {
        for (right, right_coefficient) in b {
            let mut powers: BTreeMap<VariableId, i32> = left.iter().copied().collect();
            for (variable, power) in right {
                *powers.entry(*variable).or_insert(0) += power;
            }
            let monomial: Monomial = powers.into_iter().filter(|(_, power)| *power != 0).collect();
            for (p, x) in left_coefficient {
                for (q, y) in right_coefficient {
                    let offset = [p[0] + q[0], p[1] + q[1], p[2] + q[2]];
                    accumulate::<S>(&mut product, &monomial, offset, S::mul(*x, *y)?)?;
                }
            }
        }
    }
    Some(product)
}

fn negative<S: Semiring>(terms: &Terms<S>) -> Option<Terms<S>> {
    let minus = S::negate(S::one())?;
    times::<S>(terms, &single::<S>(Vec::new(), [0; 3], minus))
}

/// The reciprocal of a single product of numbers; `None` for sums, which have no reciprocal among polynomials.
fn reciprocal<S: Semiring>(terms: &Terms<S>) -> Option<Terms<S>> {
    let mut all = terms.iter();
    let (Some((monomial, coefficient)), None) = (all.next(), all.next()) else { return None };
    let [(offset, value)] = coefficient.iter().collect::<Vec<_>>()[..] else { return None };
    if *offset != [0; 3] {
        return None;
    }
    let inverse = S::reciprocal(*value)?;
    let monomial = monomial.iter().map(|(variable, power)| (*variable, -power)).collect();
    Some(single::<S>(monomial, [0; 3], inverse))
}

/// `terms` · Π (1 − x^d).
fn over<S: Semiring>(terms: &Terms<S>, scans: &[Offset]) -> Option<Terms<S>> {
    let mut product = terms.clone();
    for step in scans {
        let moved = times::<S>(&product, &single::<S>(Vec::new(), *step, S::one()))?;
        product = plus::<S>(product, &negative::<S>(&moved)?)?;
    }
    Some(product)
}

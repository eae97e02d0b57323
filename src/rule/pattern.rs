//! Patterns: the two sides of a rewrite rule, as terms over variables.
//!
//! Labels are transparent: a pattern is matched and built modulo translation, sign and scale, which sit on the edges of
//! the e-graph. Patterns know kernels, not e-graphs; the matcher is in `saturate`.

use std::collections::BTreeMap;

use crate::algebra::{Label, Offset, Placed, Rational};

/// A variable of a rule: an index into [`Rewrite::variables`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub usize);

/// A variable as it is written, without its question mark and its dots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// Whether it stands for any number of terms of a sum (`?rest...`), none included.
    pub is_sequence: bool,
}

/// A term over variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// `?x`: any kernel; the same one wherever it stands.
    Variable(VariableId),
    /// `(id)`: the identity kernel over one channel.
    Identity,
    /// `(scale c P)`, `(neg P)`, `(shift dx dy P)`.
    Labelled(Label, Box<Pattern>),
    /// `(add P… ?rest...)`.
    Sum {
        /// The terms that are spelt out.
        terms: Vec<Pattern>,
        /// The sequence variables, at most one on a left side.
        rests: Vec<VariableId>,
    },
    /// `(compose outer inner)`.
    Compose(Box<[Pattern; 2]>),
}

/// A rewrite: its two sides denote the same kernel wherever the conditions hold.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The variables of both sides.
    pub variables: Vec<Variable>,
    /// What is looked for.
    pub lhs: Pattern,
    /// What is added to the class where it is found.
    pub rhs: Pattern,
    /// What must hold of the kernels found.
    pub conditions: Vec<super::Condition>,
}

/// A pattern's polynomial: product of variables → its coefficient, a Laurent polynomial without zero entries.
pub(super) type Polynomial = BTreeMap<Vec<VariableId>, BTreeMap<Offset, Rational>>;

impl Pattern {
    /// The kernel that the pattern denotes where variable i stands for the sum of `kernels(i)`.
    ///
    /// `None` on overflow and where it denotes nothing: an empty sum, a sum of kernels over different channels, an outer
    /// kernel of several channels.
    pub fn evaluate<'a>(&self, kernels: &impl Fn(VariableId) -> &'a [Placed]) -> Option<Placed> {
        match self {
            Self::Variable(variable) => kernels(*variable).first().cloned(),
            Self::Identity => Some(Placed::delta(0, 1)),
            Self::Labelled(label, body) => body.evaluate(kernels)?.apply(*label),
            Self::Sum { terms, rests } => {
                let mut summands = terms.iter().map(|t| t.evaluate(kernels)).collect::<Option<Vec<_>>>()?;
                summands.extend(rests.iter().flat_map(|rest| kernels(*rest)).cloned());
                let terms: Vec<_> = summands.iter().map(|k| (k.label, &k.shape)).collect();
                crate::term::lang::sum_of(&terms)
            }
            Self::Compose(parts) => {
                let [outer, inner] = &**parts;
                let (outer, inner) = (outer.evaluate(kernels)?, inner.evaluate(kernels)?);
                if outer.shape.channels() != 1 { None } else { Placed::compose(&outer, &inner) }
            }
        }
    }

    /// Calls `visit` with every variable, repetitions included, in reading order.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Identity => {}
            Self::Labelled(_, body) => body.for_each_variable(visit),
            Self::Sum { terms, rests } => {
                terms.iter().for_each(|t| t.for_each_variable(visit));
                rests.iter().for_each(|rest| visit(*rest));
            }
            Self::Compose(parts) => parts.iter().for_each(|p| p.for_each_variable(visit)),
        }
    }

    /// How many sums and compositions stand inside one another: how far below a class a change can make it match.
    pub fn depth(&self) -> usize {
        match self {
            Self::Variable(_) | Self::Identity => 0,
            Self::Labelled(_, body) => body.depth(),
            Self::Sum { terms, .. } => 1 + terms.iter().map(Self::depth).max().unwrap_or(0),
            Self::Compose(parts) => 1 + parts.iter().map(Self::depth).max().unwrap_or(0),
        }
    }

    /// The pattern as a polynomial in its variables. Two patterns denote the same kernel for all kernels exactly where
    /// their polynomials are equal, as ∘ is commutative and kernels over the rationals have no zero divisors.
    /// `None` on overflow.
    pub(super) fn polynomial(&self) -> Option<Polynomial> {
        let one = |monomial: Vec<VariableId>| {
            Polynomial::from([(monomial, BTreeMap::from([([0; 3], Rational::ONE)]))])
        };
        match self {
            Self::Variable(variable) => Some(one(vec![*variable])),
            Self::Identity => Some(one(Vec::new())),
            Self::Labelled(label, body) => {
                let mut sum = Polynomial::new();
                for (monomial, coefficient) in body.polynomial()? {
                    for (offset, value) in coefficient {
                        accumulate(&mut sum, &monomial, add(offset, label.offset), value.mul(label.scale)?)?;
                    }
                }
                Some(sum)
            }
            Self::Sum { terms, rests } => {
                let mut sum = Polynomial::new();
                let rests = rests.iter().map(|rest| Some(one(vec![*rest])));
                for term in terms.iter().map(Self::polynomial).chain(rests) {
                    for (monomial, coefficient) in term? {
                        for (offset, value) in coefficient {
                            accumulate(&mut sum, &monomial, offset, value)?;
                        }
                    }
                }
                Some(sum)
            }
            Self::Compose(parts) => {
                let [outer, inner] = [parts[0].polynomial()?, parts[1].polynomial()?];
                let mut product = Polynomial::new();
                for (left, left_coefficient) in &outer {
                    for (right, right_coefficient) in &inner {
                        let mut monomial = [&left[..], &right[..]].concat();
                        monomial.sort_unstable();
                        for (p, a) in left_coefficient {
                            for (q, b) in right_coefficient {
                                accumulate(&mut product, &monomial, add(*p, *q), a.mul(*b)?)?;
                            }
                        }
                    }
                }
                Some(product)
            }
        }
    }

    /// The pattern as rule files write it.
    pub fn print(&self, variables: &[Variable]) -> String {
        self.print_with(&|variable| match &variables[variable.0] {
            Variable { name, is_sequence: true } => format!("?{name}..."),
            Variable { name, is_sequence: false } => format!("?{name}"),
        })
    }

    /// The pattern with each variable replaced by `name(variable)`.
    pub fn print_with(&self, name: &impl Fn(VariableId) -> String) -> String {
        match self {
            Self::Variable(variable) => name(*variable),
            Self::Identity => "(id)".to_owned(),
            Self::Labelled(label, body) => {
                let mut text = body.print_with(name);
                if label.offset != [0; 3] {
                    let [x, y, z] = label.offset;
                    let z = if z == 0 { String::new() } else { format!(" {z}") };
                    text = format!("(shift {x} {y}{z} {text})");
                }
                if label.scale == Rational::integer(-1) {
                    text = format!("(neg {text})");
                } else if label.scale != Rational::ONE {
                    text = format!("(scale {} {text})", label.scale);
                }
                text
            }
            Self::Sum { terms, rests } => {
                let terms = terms.iter().map(|t| t.print_with(name)).chain(rests.iter().map(|r| name(*r)));
                let parts: Vec<String> = std::iter::once("add".to_owned()).chain(terms).collect();
                format!("({})", parts.join(" "))
            }
            Self::Compose(parts) => {
                format!("(compose {} {})", parts[0].print_with(name), parts[1].print_with(name))
            }
        }
    }
}

fn add(a: Offset, b: Offset) -> Offset {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Adds `value` to the coefficient of `monomial` at `offset`, leaving no zero behind; `None` on overflow.
fn accumulate(sum: &mut Polynomial, monomial: &[VariableId], offset: Offset, value: Rational) -> Option<()> {
    let coefficient = sum.entry(monomial.to_vec()).or_default();
    let entry = coefficient.entry(offset).or_insert(Rational::ZERO);
    *entry = entry.add(value)?;
    if entry.is_zero() {
        coefficient.remove(&offset);
        if coefficient.is_empty() {
            sum.remove(monomial);
        }
    }
    Some(())
}

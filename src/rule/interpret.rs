//! The meaning of a pattern in any domain: kernels, kernels over a semiring, scans, or polynomials in the variables of
//! the rule.

use super::{Constant, Expression, Pattern, VariableId};
use crate::algebra::{Label, Offset, Placed, PlusTimes, Rational};
use crate::term::lang::sum_of;

/// An interpretation of patterns. Every function returns `None` on overflow or if the result has no value in the domain.
pub(super) trait Interpretation {
    /// The values that terms denote.
    type Value: Clone;

    /// The value of a kernel variable.
    fn variable(&self, variable: VariableId) -> Option<Self::Value>;
    /// The terms that a sequence stands for. A domain that knows only their sum may return it as one term.
    fn sequence(&self, variable: VariableId) -> Option<Vec<Self::Value>>;
    /// The identity kernel over one channel.
    fn identity(&self) -> Option<Self::Value>;
    /// A kernel written out.
    fn constant(&self, kernel: &Constant) -> Option<Self::Value>;
    /// The scan 1/(1 − x^step).
    fn scan(&self, step: Offset) -> Option<Self::Value>;
    /// The value times a monomial.
    fn shift(&self, value: Self::Value, by: Offset) -> Option<Self::Value>;
    /// The additive inverse of a value.
    fn negate(&self, value: Self::Value) -> Option<Self::Value>;
    /// The value times a coefficient of the semiring. `None` for the zero of the semiring, which annihilates every kernel.
    fn scale(&self, value: Self::Value, factor: &Expression) -> Option<Self::Value>;
    /// The sum of at least one value.
    fn sum(&self, values: Vec<Self::Value>) -> Option<Self::Value>;
    /// The composition outer ∘ inner.
    fn compose(&self, outer: Self::Value, inner: Self::Value) -> Option<Self::Value>;
}

/// The denotation of `pattern` in `domain`; `None` if there is none, as for an empty sum.
pub(super) fn interpret<D: Interpretation>(pattern: &Pattern, domain: &D) -> Option<D::Value> {
    match pattern {
        Pattern::Variable(variable) | Pattern::Channel(variable) => domain.variable(*variable),
        Pattern::Identity => domain.identity(),
        Pattern::Constant(kernel) => domain.constant(kernel),
        Pattern::Scan(direction) => domain.scan(direction.step()),
        Pattern::Moved(offset, body) => domain.shift(interpret(body, domain)?, *offset),
        Pattern::Negated(body) => domain.negate(interpret(body, domain)?),
        Pattern::Scaled(factor, body) => domain.scale(interpret(body, domain)?, factor),
        Pattern::Sum { terms, rests } => {
            let mut values = terms.iter().map(|term| interpret(term, domain)).collect::<Option<Vec<_>>>()?;
            for rest in rests {
                values.extend(domain.sequence(*rest)?);
            }
            if values.is_empty() { None } else { domain.sum(values) }
        }
        Pattern::Compose(parts) => {
            domain.compose(interpret(&parts[0], domain)?, interpret(&parts[1], domain)?)
        }
    }
}

/// The domain of the e-graph: kernels over the rationals with several channels.
pub(super) struct Canonical<'a> {
    /// The value of a kernel variable: one kernel, or the kernels of a sequence.
    pub(super) kernels: &'a dyn Fn(VariableId) -> Option<Vec<Placed>>,
    /// The value of a number variable.
    pub(super) number: &'a dyn Fn(VariableId) -> Option<Rational>,
}

impl Interpretation for Canonical<'_> {
    type Value = Placed;

    fn variable(&self, variable: VariableId) -> Option<Placed> {
        (self.kernels)(variable)?.into_iter().next()
    }

    fn sequence(&self, variable: VariableId) -> Option<Vec<Placed>> {
        (self.kernels)(variable)
    }

    fn identity(&self) -> Option<Placed> {
        Some(Placed::delta(0, 1))
    }

    fn constant(&self, kernel: &Constant) -> Option<Placed> {
        Some(kernel.placed.clone())
    }

    fn scan(&self, step: Offset) -> Option<Placed> {
        Placed::scan(step)
    }

    fn shift(&self, value: Placed, by: Offset) -> Option<Placed> {
        value.apply(Label::at(by))
    }

    fn negate(&self, value: Placed) -> Option<Placed> {
        value.apply(Label::scaled(Rational::integer(-1)))
    }

    fn scale(&self, value: Placed, factor: &Expression) -> Option<Placed> {
        let scale = factor.evaluate::<PlusTimes>(&|v| (self.number)(v)).filter(|scale| !scale.is_zero())?;
        value.apply(Label::scaled(scale))
    }

    fn sum(&self, values: Vec<Placed>) -> Option<Placed> {
        sum_of(&values.iter().map(|value| (value.label, &value.shape)).collect::<Vec<_>>())
    }

    fn compose(&self, outer: Placed, inner: Placed) -> Option<Placed> {
        if outer.shape.channels() == 1 { Placed::compose(&outer, &inner) } else { None }
    }
}

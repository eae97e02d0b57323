//! What a pattern denotes, in any domain: kernels, kernels over a semiring, scans, polynomials in the rule's variables.

use super::{Expression, Pattern, VariableId};
use crate::algebra::{Label, Offset, Placed, Rational};

/// Where patterns are evaluated. Every function returns `None` for what has no value there, and on overflow.
pub(super) trait Domain {
    /// What a term denotes.
    type Value: Clone;

    /// What a kernel variable stands for.
    fn variable(&self, variable: VariableId) -> Option<Self::Value>;
    /// What a sequence stands for, term by term; what the terms are does not matter to a domain that knows their sum.
    fn sequence(&self, variable: VariableId) -> Option<Vec<Self::Value>>;
    /// The identity kernel over one channel.
    fn identity(&self) -> Option<Self::Value>;
    /// A kernel that is written out.
    fn constant(&self, kernel: &Placed) -> Option<Self::Value>;
    /// 1/(1 − x^step).
    fn scan(&self, step: Offset) -> Option<Self::Value>;
    /// The product with a monomial.
    fn shift(&self, value: Self::Value, by: Offset) -> Option<Self::Value>;
    /// The product with a number.
    fn scale(&self, value: Self::Value, factor: &Expression) -> Option<Self::Value>;
    /// The sum of at least one value.
    fn sum(&self, values: Vec<Self::Value>) -> Option<Self::Value>;
    /// outer ∘ inner.
    fn compose(&self, outer: Self::Value, inner: Self::Value) -> Option<Self::Value>;
}

/// What `pattern` denotes in `domain`; `None` where it denotes nothing, as an empty sum.
pub(super) fn interpret<D: Domain>(pattern: &Pattern, domain: &D) -> Option<D::Value> {
    match pattern {
        Pattern::Variable(variable) => domain.variable(*variable),
        Pattern::Identity => domain.identity(),
        Pattern::Constant(kernel) => domain.constant(kernel),
        Pattern::Scan(step) => domain.scan(*step),
        Pattern::Labelled(Label { scale, offset }, body) => {
            let mut value = interpret(body, domain)?;
            if *offset != [0; 3] {
                value = domain.shift(value, *offset)?;
            }
            if *scale == Rational::ONE {
                return Some(value);
            }
            domain.scale(value, &Expression::Literal(*scale))
        }
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

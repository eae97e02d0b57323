//! Patterns: the two sides of a rewrite rule, as terms over variables.
//!
//! Labels are transparent: patterns are matched and built modulo translation, sign and scale, which are stored on the
//! edges of the e-graph. Patterns work on kernels, not on e-graphs; the matcher is in `saturate`.

use smallvec::SmallVec;
use std::borrow::Cow;

use super::variable::{Variable, VariableId};
use super::{Argument, Condition, Expression, Parameter};
use crate::algebra::{Arithmetic, Label, Offset, Placed, Rational, Semiring, in_semiring};
use crate::term::Direction;

/// A kernel written out. The semiring decides what a coefficient of 0 means: no tap, or a tap with that value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The taps as written, zeros included, each at a different place.
    pub taps: Vec<(Offset, Rational)>,
    /// The kernel over the rationals.
    pub placed: Placed,
}

impl Constant {
    /// The kernel in an idempotent semiring. `None` if a weight is not an integer.
    fn over(&self, arithmetic: Arithmetic) -> Option<Placed> {
        let weights = in_semiring!(arithmetic.name(), |S| {
            let values = self.taps.iter().map(|(offset, number)| Some((*offset, S::of(*number)?)));
            let taps =
                values.collect::<Option<Vec<_>>>()?.into_iter().filter(|(_, value)| !S::is_zero(*value));
            taps.map(|(offset, value)| Some((0, offset, S::weight(value)?))).collect::<Option<Vec<_>>>()
        });
        Placed::from_weights(arithmetic, 1, weights??)
    }
}

/// A term over variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// `?x`: any kernel; the same kernel at every occurrence.
    Variable(VariableId),
    /// `(from ?c (id))`: one of several input channels. `(from ?c P)` is P composed with it.
    Channel(VariableId),
    /// `(id)`: the identity kernel over one channel.
    Identity,
    /// `(kernel ROW…)`: this kernel.
    Constant(Box<Constant>),
    /// `(scan DIRECTION)`: 1/(1 − x^step), an infinite kernel.
    Scan(Direction),
    /// `(shift dx dy P)`.
    Moved(Offset, Box<Pattern>),
    /// `(neg P)`, which only rings have.
    Negated(Box<Pattern>),
    /// `(scale 3 P)`, `(scale ?c P)`, `(scale (eval …) P)`. The left side of a rule contains no computed numbers.
    Scaled(Expression, Box<Pattern>),
    /// `(add P… ?rest...)`.
    Sum {
        /// The terms other than sequences.
        terms: Vec<Pattern>,
        /// The sequence variables, at most one on a left side.
        rests: Vec<VariableId>,
    },
    /// `(compose outer inner)`.
    Compose(Box<[Pattern; 2]>),
}

/// Whether a variable occurs in both patterns.
pub fn share_a_variable(one: &Pattern, other: &Pattern) -> bool {
    let mut of_one = SmallVec::<[VariableId; 8]>::new();
    one.for_each_variable(&mut |variable| of_one.push(variable));
    let mut shared = false;
    other.for_each_variable(&mut |variable| shared |= of_one.contains(&variable));
    shared
}

/// A rewrite: both sides denote the same kernel whenever the conditions hold.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The variables of both sides.
    pub variables: Vec<Variable>,
    /// The pattern to match.
    pub lhs: Pattern,
    /// The term to add to the e-class of a match.
    pub rhs: Pattern,
    /// The conditions on a match.
    pub conditions: Vec<Condition>,
}

impl Rewrite {
    /// Whether neither side has a scan.
    pub fn is_finite(&self) -> bool {
        !self.lhs.has_scan() && !self.rhs.has_scan()
    }

    /// Whether the rewrite contains `neg`, `sub`, or a difference of numbers, which only rings have.
    pub fn negates(&self) -> bool {
        let computes = |argument: &Argument| match argument {
            Argument::Number(expression) => expression.subtracts(),
            Argument::Kernel(_) => false,
        };
        self.lhs.negates()
            || self.rhs.negates()
            || self.conditions.iter().any(|condition| condition.arguments.iter().any(computes))
    }

    /// Calls `visit` with every literal coefficient in the sides and the conditions; counts are not coefficients.
    pub fn for_each_literal(&self, visit: &mut impl FnMut(Rational)) {
        self.lhs.for_each_literal(visit);
        self.rhs.for_each_literal(visit);
        for condition in &self.conditions {
            for (argument, parameter) in condition.arguments.iter().zip(condition.predicate.parameters) {
                if let (Argument::Number(expression), Parameter::Number) = (argument, parameter) {
                    expression.for_each_literal(visit);
                }
            }
        }
    }

    /// The conditions as rule files write them, after a space.
    pub(super) fn print_conditions(&self) -> String {
        if self.conditions.is_empty() {
            return String::new();
        }
        let conditions: Vec<String> = self.conditions.iter().map(|c| c.print(&self.variables)).collect();
        format!(" (when {})", conditions.join(" "))
    }
}

impl Pattern {
    /// Calls `visit` with every variable, repetitions included, in reading order.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(VariableId)) {
        match self {
            Self::Variable(variable) | Self::Channel(variable) => visit(*variable),
            Self::Identity | Self::Constant(_) | Self::Scan(_) => {}
            Self::Moved(_, body) | Self::Negated(body) => body.for_each_variable(visit),
            Self::Scaled(factor, body) => {
                factor.for_each_variable(visit);
                body.for_each_variable(visit);
            }
            Self::Sum { terms, rests } => {
                terms.iter().for_each(|t| t.for_each_variable(visit));
                rests.iter().for_each(|rest| visit(*rest));
            }
            Self::Compose(parts) => parts.iter().for_each(|p| p.for_each_variable(visit)),
        }
    }

    /// The direct subpatterns.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Variable(_) | Self::Channel(_) | Self::Identity | Self::Constant(_) | Self::Scan(_) => &[],
            Self::Moved(_, body) | Self::Negated(body) | Self::Scaled(_, body) => std::slice::from_ref(body),
            Self::Sum { terms, .. } => terms,
            Self::Compose(parts) => &parts[..],
        }
    }

    /// Whether a variable occurs in both parts of a composition, as in a square.
    pub fn has_square(&self) -> bool {
        let own = matches!(self, Self::Compose(parts) if share_a_variable(&parts[0], &parts[1]));
        own || self.parts().iter().any(Self::has_square)
    }

    /// The number of terms in the pattern, itself included.
    pub fn size(&self) -> usize {
        1 + self.parts().iter().map(Self::size).sum::<usize>()
    }

    /// The nesting depth of sums and compositions: how far below an e-class a change can create a match.
    pub fn depth(&self) -> usize {
        let below = self.parts().iter().map(Self::depth).max().unwrap_or(0);
        match self {
            Self::Sum { .. } | Self::Compose(_) => 1 + below,
            _ => below,
        }
    }

    /// The label in front of a term, in a semiring, and the term. `None` if there is no label, or if its number is not a
    /// literal or not a factor of the semiring.
    pub fn label(&self, arithmetic: Arithmetic) -> Option<(Label, &Self)> {
        let label = match self {
            Self::Moved(offset, _) => Label::at(*offset),
            Self::Negated(_) => Label::scaled(Rational::integer(-1)),
            Self::Scaled(Expression::Literal(factor), _) => Label::of_number(arithmetic, *factor)?,
            _ => return None,
        };
        Some((label, self.parts().first()?))
    }

    /// The kernel written out, in a semiring, or the scan.
    pub fn kernel(&self, arithmetic: Arithmetic) -> Option<Cow<'_, Placed>> {
        match self {
            Self::Constant(kernel) if arithmetic.is_linear() => Some(Cow::Borrowed(&kernel.placed)),
            Self::Constant(kernel) => kernel.over(arithmetic).map(Cow::Owned),
            Self::Scan(direction) => Placed::scan(direction.step()).map(Cow::Owned),
            _ => None,
        }
    }

    /// The label of a pattern that is a single translated and scaled kernel. Such a pattern matches that kernel with any
    /// label.
    pub fn fixed_label(&self, arithmetic: Arithmetic) -> Option<Label> {
        if let Some(kernel) = self.kernel(arithmetic) {
            return Some(kernel.label);
        }
        let (label, body) = self.label(arithmetic)?;
        body.fixed_label(arithmetic)?.then(label)
    }

    /// Calls `visit` with every literal coefficient, in kernels and in front of terms.
    pub fn for_each_literal(&self, visit: &mut impl FnMut(Rational)) {
        match self {
            Self::Constant(kernel) => kernel.taps.iter().for_each(|(_, value)| visit(*value)),
            Self::Scaled(factor, _) => factor.for_each_literal(visit),
            _ => {}
        }
        self.parts().iter().for_each(|part| part.for_each_literal(visit));
    }

    fn negates(&self) -> bool {
        let own = match self {
            Self::Negated(_) => true,
            Self::Scaled(factor, _) => factor.subtracts(),
            _ => false,
        };
        own || self.parts().iter().any(Self::negates)
    }

    /// Whether the pattern contains a scan.
    pub fn has_scan(&self) -> bool {
        !self.scans().is_empty()
    }

    /// Whether the pattern names a place or a direction: a matrix, a translation or a scan.
    pub fn has_place(&self) -> bool {
        let own = matches!(self, Self::Constant(_) | Self::Moved(..) | Self::Scan(_));
        own || self.parts().iter().any(Self::has_place)
    }

    /// The steps of the scans in the pattern, repetitions included.
    pub fn scans(&self) -> Vec<Offset> {
        match self {
            Self::Scan(direction) => vec![direction.step()],
            _ => self.parts().iter().flat_map(Self::scans).collect(),
        }
    }

    /// The pattern as rule files write it.
    pub fn print(&self, variables: &[Variable]) -> String {
        self.print_with(&|variable| variables[variable.0].to_string())
    }

    /// The pattern with each variable replaced by `name(variable)`.
    pub fn print_with(&self, name: &impl Fn(VariableId) -> String) -> String {
        match self {
            Self::Variable(variable) => name(*variable),
            Self::Channel(variable) => format!("(from {} (id))", name(*variable)),
            Self::Identity => "(id)".to_owned(),
            Self::Constant(kernel) => crate::term::kernel_text(&kernel.placed),
            Self::Scan(direction) => format!("(scan {direction})"),
            Self::Moved([x, y, z], body) => {
                let z = if *z == 0 { String::new() } else { format!(" {z}") };
                format!("(shift {x} {y}{z} {})", body.print_with(name))
            }
            Self::Negated(body) => format!("(neg {})", body.print_with(name)),
            Self::Scaled(factor @ Expression::Apply(..), body) => {
                format!("(scale (eval {}) {})", factor.print(name), body.print_with(name))
            }
            Self::Scaled(factor, body) => format!("(scale {} {})", factor.print(name), body.print_with(name)),
            Self::Sum { terms, rests } => {
                let terms = terms.iter().map(|t| t.print_with(name)).chain(rests.iter().map(|r| name(*r)));
                let parts: Vec<String> = std::iter::once("add".to_owned()).chain(terms).collect();
                format!("({})", parts.join(" "))
            }
            Self::Compose(parts) => {
                if let Self::Channel(channel) = parts[1] {
                    return format!("(from {} {})", name(channel), parts[0].print_with(name));
                }
                format!("(compose {} {})", parts[0].print_with(name), parts[1].print_with(name))
            }
        }
    }
}

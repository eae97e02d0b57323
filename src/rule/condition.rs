//! Conditions: what a rewrite may ask of the kernels that its variables stand for.

use crate::algebra::Shape;
use crate::term::{order, precedes};

use super::{Variable, VariableId};

/// A condition's name, how many variables it takes, and what it decides. All of them ignore translation, sign and powers
/// of two, as a variable's label does not change what the variable costs.
#[derive(Debug)]
pub struct Predicate {
    /// The word in rule files.
    pub name: &'static str,
    /// How many variables follow it.
    pub arity: usize,
    /// One sentence.
    pub doc: &'static str,
    /// The decision, given the variables' kernels in the order written.
    pub holds: fn(&[&Shape]) -> bool,
}

/// All conditions, in the order of their names.
pub const PREDICATES: &[Predicate] = &[
    Predicate {
        name: "fewer-taps",
        arity: 2,
        doc: "the first kernel has fewer taps than the second",
        holds: |k| k[0].tap_count() < k[1].tap_count(),
    },
    Predicate {
        name: "not-single-tap",
        arity: 1,
        doc: "the kernel has at least two taps",
        holds: |k| k[0].tap_count() > 1,
    },
    Predicate {
        name: "one-channel",
        arity: 1,
        doc: "the kernel reads one input channel, so that it may be applied after another",
        holds: |k| k[0].channels() == 1,
    },
    Predicate {
        name: "same-shape",
        arity: 2,
        doc: "the kernels are equal up to translation, sign and powers of two",
        holds: |k| k[0] == k[1],
    },
    Predicate {
        name: "single-tap",
        arity: 1,
        doc: "the kernel has one tap",
        holds: |k| k[0].tap_count() == 1,
    },
    Predicate {
        name: "smaller",
        arity: 2,
        doc: "the first kernel comes before the second in the order of decompositions",
        holds: |k| precedes(k[0], k[1]),
    },
    Predicate {
        name: "smaller-or-same",
        arity: 2,
        doc: "the first kernel does not come after the second in the order of decompositions",
        holds: |k| order(k[0], k[1]).is_le(),
    },
];

/// A predicate applied to variables of a rule.
#[derive(Clone, Debug)]
pub struct Condition {
    /// What is asked.
    pub predicate: &'static Predicate,
    /// Of which variables; as many as the predicate takes, none a sequence.
    pub arguments: Vec<VariableId>,
}

impl Condition {
    /// Whether it holds where the variables stand for these kernels.
    pub fn holds<'a>(&self, shape: impl Fn(VariableId) -> &'a Shape) -> bool {
        let shapes: Vec<&Shape> = self.arguments.iter().map(|v| shape(*v)).collect();
        (self.predicate.holds)(&shapes)
    }

    /// The condition as rule files write it.
    pub fn print(&self, variables: &[Variable]) -> String {
        let arguments: Vec<String> =
            self.arguments.iter().map(|v| format!(" ?{}", variables[v.0].name)).collect();
        format!("({}{})", self.predicate.name, arguments.concat())
    }
}

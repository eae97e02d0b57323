//! The results of checking single rules.

use std::fmt;

use crate::rule::Rule;

/// The verdict on a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The rule holds for all kernels.
    Proved,
    /// The rule is unsound.
    Refuted(Box<Refutation>),
    /// There is neither a counter-example nor a proof: for a proposer, or a rewrite whose conditions may make it true.
    Unknown,
}

/// Why a rule is unsound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refutation {
    /// Kernels for which the two sides differ.
    CounterExample(CounterExample),
    /// The rule names a semiring in which it cannot be expressed.
    Meaningless {
        /// The rule.
        rule: String,
        /// The semiring.
        semiring: String,
        /// The missing feature of the semiring.
        lacks: String,
    },
}

/// Kernels for which the two sides of a rule differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CounterExample {
    /// The rule.
    pub rule: String,
    /// The semiring of the kernels.
    pub semiring: String,
    /// Each variable with its value as indented text: a matrix, a number, or the matrices of a sequence. For a
    /// proposer, its input kernel, as `K`.
    pub values: Vec<(String, Vec<String>)>,
    /// The denotation of the left side.
    pub lhs: String,
    /// The denotation of the right side; `None` if a part of a decomposition is not smaller than the whole.
    pub rhs: Option<String>,
}

/// The full report on one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Whether it holds.
    pub verdict: Verdict,
    /// The number of random kernels to which the rule applied. If it is 0, the conditions may never hold.
    pub applied: usize,
    /// The conditions that held for none of the random kernels.
    pub never: Vec<String>,
    /// Other suspicious properties.
    pub lints: Vec<Lint>,
}

/// A suspicious property of the sides of a rewrite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lint {
    /// The sides differ only in labels and order, which e-graphs do not tell apart.
    Same,
    /// The left side matches in the right side, which is larger. What it makes may all be refused.
    Grows,
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Same => "both sides are the same up to shifts, signs and powers of two: it adds nothing",
            Self::Grows => {
                "its right side contains its left side and is larger: it applies to its own results until a limit is reached"
            }
        })
    }
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CounterExample(example) => example.fmt(f),
            Self::Meaningless { rule, semiring, lacks } => {
                write!(
                    f,
                    "rule `{rule}` is unsound\n  it claims to hold in `{semiring}`, which has no {lacks}"
                )
            }
        }
    }
}

impl fmt::Display for CounterExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}` is unsound", self.rule)?;
        if self.semiring != Rule::PLUS_TIMES {
            write!(f, " in `{}`", self.semiring)?;
        }
        for (name, texts) in &self.values {
            write!(f, "\n  where {name} is")?;
            for text in texts {
                write!(f, "\n{text}")?;
            }
            if texts.is_empty() {
                f.write_str(" empty")?;
            }
        }
        write!(f, "\n  the left side is\n{}", self.lhs)?;
        match &self.rhs {
            Some(rhs) => write!(f, "\n  the right side is\n{rhs}"),
            None => f.write_str("\n  and a part of the right side is not smaller"),
        }
    }
}

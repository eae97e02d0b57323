//! What is known of a rule by itself.

use std::fmt;

use crate::rule::Rule;

/// What is known of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds for all kernels.
    Proved,
    /// It is wrong.
    Refuted(Box<Refutation>),
    /// No counter-example: a rewrite whose conditions may make it true, or a proposer.
    Unknown,
}

/// Why a rule is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refutation {
    /// Kernels for which it equates different things.
    CounterExample(CounterExample),
    /// It claims a semiring in which it cannot be written.
    Meaningless {
        /// The rule.
        rule: String,
        /// The semiring.
        semiring: String,
        /// What the semiring lacks.
        lacks: String,
    },
}

/// Kernels for which a rule equates different things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CounterExample {
    /// The rule.
    pub rule: String,
    /// The semiring of the kernels.
    pub semiring: String,
    /// Each variable with what it stands for, as indented text: a matrix, a number, or the matrices of a sequence. For a
    /// proposer, the kernel that it was shown, as `K`.
    pub values: Vec<(String, Vec<String>)>,
    /// What the left side denotes.
    pub lhs: String,
    /// What the right side denotes; `None` for a part of a decomposition that is not smaller than the whole.
    pub rhs: Option<String>,
}

/// All that is known of a rule by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Whether it holds.
    pub verdict: Verdict,
    /// On how many random kernels it said something: where it is 0, its conditions may never hold.
    pub applied: usize,
    /// The conditions that held for none of the random kernels.
    pub never: Vec<String>,
    /// What else is suspicious, one sentence each.
    pub lints: Vec<String>,
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

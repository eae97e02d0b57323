//! Soundness of rules by themselves: decided where it can be, looked for on random kernels otherwise.
//!
//! What `saturate` checks at every application this checks once, before a rule is used: a rewrite holds for all kernels
//! exactly where both sides are the same polynomial in its variables.

use std::fmt;

use super::propose::Proposer;
use super::{Action, Pattern, Rewrite, Rule, VariableId};
use crate::algebra::{Label, Placed, Rational, Shape};
use crate::term::{Measure, matrix, precedes};

/// What is known of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Both sides are the same polynomial, and there are kernels that the rule applies to.
    Proved,
    /// It is wrong.
    Refuted(Box<CounterExample>),
    /// No counter-example: a rewrite whose conditions may make it true, or a proposer.
    Unrefuted {
        /// On how many random kernels it said something.
        applied: usize,
    },
    /// It applied to none of the random kernels: its conditions may never hold, or its right side denote nothing.
    NeverApplied,
}

/// Kernels for which a rule equates different things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CounterExample {
    /// The rule.
    pub rule: String,
    /// Each variable with the kernel that it stands for, or kernels for a sequence. For a proposer, the kernel that it was
    /// shown, as `K`.
    pub kernels: Vec<(String, Vec<Placed>)>,
    /// What the left side denotes.
    pub lhs: Placed,
    /// What the right side denotes; `None` for a part of a decomposition that is not smaller than the whole.
    pub rhs: Option<Placed>,
}

impl fmt::Display for CounterExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}` is unsound", self.rule)?;
        for (name, kernels) in &self.kernels {
            write!(f, "\n  where {name} is")?;
            for kernel in kernels {
                write!(f, "\n{}", matrix(kernel, "    "))?;
            }
            if kernels.is_empty() {
                f.write_str(" empty")?;
            }
        }
        write!(f, "\n  the left side is\n{}", matrix(&self.lhs, "    "))?;
        match &self.rhs {
            Some(rhs) => write!(f, "\n  the right side is\n{}", matrix(rhs, "    ")),
            None => f.write_str("\n  and a part of the right side is not smaller"),
        }
    }
}

/// Checks `rule` on `trials` random kernels, from single taps up to 3 × 3; the smallest counter-example is returned. The
/// answer depends on the arguments only.
pub fn check(rule: &Rule, trials: usize, seed: u64) -> Verdict {
    let mut random = Random(seed);
    let mut found: Option<((usize, i64, usize), CounterExample)> = None;
    let mut applied = 0;
    for trial in 0..trials {
        let scale = 1 + 3 * trial / trials.max(1);
        let result = match &rule.action {
            Action::Rewrite(rewrite) => try_rewrite(&rule.name, rewrite, scale, &mut random),
            Action::Propose(propose) => {
                try_proposer(&rule.name, &*propose.proposer, rule.budget, scale, &mut random)
            }
        };
        match result {
            Trial::Skipped => {}
            Trial::Held => applied += 1,
            Trial::Failed(example) => {
                applied += 1;
                let size = example.size();
                if found.as_ref().is_none_or(|(smallest, _)| size < *smallest) {
                    found = Some((size, *example));
                }
            }
        }
    }
    match (found, applied, &rule.action) {
        (Some((_, example)), ..) => Verdict::Refuted(Box::new(example)),
        (None, 0, _) => Verdict::NeverApplied,
        (None, _, Action::Rewrite(rewrite)) if rewrite.is_identity() => Verdict::Proved,
        (None, applied, _) => Verdict::Unrefuted { applied },
    }
}

impl Rewrite {
    /// Whether both sides are the same polynomial in the variables, so that the rule holds whatever its conditions.
    pub fn is_identity(&self) -> bool {
        let (lhs, rhs) = (self.lhs.polynomial(), self.rhs.polynomial());
        lhs.is_some() && lhs == rhs
    }
}

impl CounterExample {
    /// Taps, weight and places of all kernels together: the fewer, the better to read.
    fn size(&self) -> (usize, i64, usize) {
        self.kernels.iter().flat_map(|(_, kernels)| kernels).fold(
            (0, 0, 0),
            |(taps, weight, places), kernel| {
                let one = Measure::of(&kernel.shape);
                (taps + one.taps, weight.saturating_add(one.weight), places + one.places)
            },
        )
    }
}

/// How one trial ended.
enum Trial {
    /// A condition does not hold, a side denotes nothing, or a coefficient left the exact range.
    Skipped,
    Held,
    Failed(Box<CounterExample>),
}

fn try_rewrite(rule: &str, rewrite: &Rewrite, scale: usize, random: &mut Random) -> Trial {
    let channels = 1 + random.below(4) as u16 / 3;
    let kernels: Vec<Vec<Placed>> = rewrite
        .variables
        .iter()
        .map(|variable| {
            let count = if variable.is_sequence { random.below(3) } else { 1 };
            let channels = if random.below(2) == 0 { channels } else { 1 };
            (0..count).map(|_| random.kernel(channels, scale)).collect()
        })
        .collect();
    let shape = |variable: VariableId| &kernels[variable.0][0].shape;
    if !rewrite.conditions.iter().all(|condition| condition.holds(shape)) {
        return Trial::Skipped;
    }
    let side = |pattern: &Pattern| pattern.evaluate(&|variable: VariableId| &kernels[variable.0]);
    let (Some(lhs), Some(rhs)) = (side(&rewrite.lhs), side(&rewrite.rhs)) else { return Trial::Skipped };
    if lhs == rhs {
        return Trial::Held;
    }
    let names = rewrite.variables.iter().map(|variable| format!("?{}", variable.name));
    Trial::Failed(Box::new(CounterExample {
        rule: rule.to_owned(),
        kernels: names.zip(kernels).collect(),
        lhs,
        rhs: Some(rhs),
    }))
}

fn try_proposer(
    rule: &str,
    proposer: &dyn Proposer,
    budget: usize,
    scale: usize,
    random: &mut Random,
) -> Trial {
    let channels = 1 + random.below(4) as u16 / 3;
    // A product now and then, so that there is something to factor.
    let kernel = match random.below(2) {
        0 => random.kernel(channels, 1 + scale),
        _ => {
            let (outer, inner) = (random.kernel(1, scale), random.kernel(channels, scale));
            Placed::compose(&outer, &inner).unwrap_or(inner)
        }
    };
    let among = [kernel.shape.clone(), random.kernel(channels, scale).shape];
    let mut proposed: Vec<(&Shape, _)> =
        proposer.propose(&kernel.shape, budget).into_iter().map(|d| (&kernel.shape, d)).collect();
    let pairs = proposer.propose_among(&among, budget);
    proposed.extend(pairs.into_iter().filter_map(|(i, d)| Some((among.get(i)?, d))));
    let mut trial = Trial::Skipped;
    for (whole, decomposition) in proposed {
        let lhs = Placed { label: Label::IDENTITY, shape: whole.clone() };
        let Some(rhs) = decomposition.denote(whole.channels()) else { continue };
        // Comparing kernels, a proposer may well offer to make the smaller one from the larger.
        let descends = decomposition.parts().iter().all(|part| precedes(part, whole) || among.contains(part));
        if rhs != lhs || !descends {
            let rhs = (rhs != lhs).then_some(rhs);
            let kernels = vec![("K".to_owned(), vec![lhs.clone()])];
            return Trial::Failed(Box::new(CounterExample { rule: rule.to_owned(), kernels, lhs, rhs }));
        }
        trial = Trial::Held;
    }
    trial
}

/// SplitMix64 (Steele, Lea and Flood 2014): enough for choosing test kernels, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A kernel that is not zero, `side` wide and high at most, with coefficients of at most `side` over 1, 2 or 4.
    fn kernel(&mut self, channels: u16, side: usize) -> Placed {
        let side = side.clamp(1, 4);
        let size = [1 + self.below(side as u64) as usize, 1 + self.below(side as u64) as usize, 1];
        let places = size[0] * size[1] * usize::from(channels);
        let most = side as i64;
        let mut dense: Vec<i64> =
            (0..places).map(|_| self.below(2 * side as u64 + 1) as i64 - most).collect();
        let somewhere = self.below(places as u64) as usize;
        dense[somewhere] = 1 + self.below(side as u64) as i64;
        let low = [self.below(2) as i32, self.below(2) as i32, 0];
        let scale = Rational::new(1, if side == 1 { 1 } else { 1 << self.below(3) }).unwrap_or(Rational::ONE);
        Placed::from_dense(channels, low, size, &dense, scale)
            .unwrap_or_else(|| unreachable!("coefficients of one digit do not overflow"))
    }
}

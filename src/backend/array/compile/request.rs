//! What is asked of a compilation, and how far it has come.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::algebra::Rational;
use crate::backend::array::machine::{Division, Noise, Target};
use crate::backend::array::search::{Objective, Without};
use crate::rule::RuleSet;
use crate::saturate::Clock;
use crate::syntax::Source;

/// One filter to compile, and how.
#[derive(Clone)]
pub struct OptimizeRequest {
    /// The kernel file's text; its name goes into the record.
    pub source: Source,
    /// The machine.
    pub target: Arc<Target>,
    /// The instruction set, by the target's name for it.
    pub isa: String,
    /// How halvings are done; `None` takes the instruction set's default.
    pub division: Option<Division>,
    /// What to minimise; `None` takes the instruction set's default.
    pub objective: Option<Objective>,
    /// The registers that may be used, by name; `None` for all.
    pub registers: Option<Vec<String>>,
    /// Registers of inputs that the user fixed: (input, register). The others take the first free ones. An empty name is
    /// that of a filter's only input; the same holds for outputs.
    pub inputs: Vec<(String, String)>,
    /// Registers of outputs that the user fixed: (output, register).
    pub outputs: Vec<(String, String)>,
    /// Whether the inputs must still be in their registers at the end.
    pub keep_input: bool,
    /// What counts beside the cost.
    pub aims: Aims,
    /// How long to search; `None` for no limit of time.
    pub time: Option<Duration>,
    /// How many search states to expand at most; the result is then the same on every machine.
    pub nodes: Option<u64>,
    /// Seed of all that is random.
    pub seed: u64,
    /// The rules.
    pub rules: RuleSet,
    /// Parts of the search to leave out, to see what they are worth.
    pub without: Without,
    /// Whether the record explains the decomposition.
    pub explain: bool,
    /// The clock.
    pub clock: Clock,
    /// Set from outside, it ends the search with the best program so far.
    pub interrupted: Arc<AtomicBool>,
}

/// What counts beside the cost, and within which limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aims {
    /// The least and the greatest value of the inputs, for which nothing may leave what a register holds.
    pub input_range: Option<[Rational; 2]>,
    /// The model by which noise is predicted; `None` takes the target's first.
    pub noise: Option<Noise>,
    /// What a unit of predicted RMS error counts, in units of what is minimised.
    pub noise_weight: Option<f64>,
    /// Whether the programs are asked for that no other one beats in both cycles and predicted RMS error.
    pub front: bool,
    /// How far the coefficients may be from those of the file.
    pub nearness: Option<Nearness>,
}

/// How far coefficients may be from those that are asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nearness {
    /// The nearest multiples of 2^-depth.
    Depth(u32),
    /// Any that differ by no more than this: the cheapest are looked for.
    Within(Rational),
}

impl OptimizeRequest {
    /// A request with nothing fixed and no limit: what is usual for the instruction set, in any register.
    pub fn new(source: Source, target: Arc<Target>, isa: &str, rules: RuleSet, clock: Clock) -> Self {
        Self {
            source,
            target,
            isa: isa.to_owned(),
            division: None,
            objective: None,
            registers: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            keep_input: false,
            aims: Aims::default(),
            time: None,
            nodes: None,
            seed: 0,
            rules,
            without: Without::default(),
            explain: false,
            clock,
            interrupted: Arc::default(),
        }
    }
}

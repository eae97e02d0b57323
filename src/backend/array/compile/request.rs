//! A request to compile a filter for an array.

use std::sync::Arc;

use crate::algebra::Rational;
use crate::backend::Memo;
use crate::backend::array::machine::{Division, Noise, Program, Target};
use crate::backend::array::search::{Objective, Without};
use crate::budget::Budget;
use crate::rule::RuleSet;
use crate::syntax::Source;

/// One filter to compile, with all settings.
#[derive(Clone)]
pub struct OptimizeRequest {
    /// The kernel file's text; its name goes into the record.
    pub source: Source,
    /// The machine.
    pub target: Arc<Target>,
    /// The instruction set, by the target's name for it.
    pub isa: String,
    /// The way of halving; `None` for the instruction set's default.
    pub division: Option<Division>,
    /// The objective to minimise; `None` for the instruction set's default.
    pub objective: Option<Objective>,
    /// The registers that may be used, by name; `None` for all.
    pub registers: Option<Vec<String>>,
    /// Fixed registers of inputs: (input, register). Other inputs take the first free registers. An empty name means the
    /// filter's only input. The same holds for outputs.
    pub inputs: Vec<(String, String)>,
    /// Fixed registers of outputs: (output, register).
    pub outputs: Vec<(String, String)>,
    /// Whether the inputs must still be in their registers at the end.
    pub keep_input: bool,
    /// Goals other than cost.
    pub aims: Aims,
    /// The budget. Work is counted in search states; a bound on it gives the same result on every machine.
    pub budget: Budget,
    /// The random seed.
    pub seed: u64,
    /// The rules.
    pub rules: RuleSet,
    /// Parts of the search to leave out, for ablation.
    pub without: Without,
    /// A program for the filter from which the search starts; it uses the registers of the request.
    pub given: Option<Program>,
    /// Whether only instructions may be used that stay within each element: where the flag is not 1 everywhere, neighbours
    /// may not have computed what an instruction reads from them.
    pub local: bool,
    /// What must stay as in a program that is given instead of a filter.
    pub keep: Keep,
    /// Whether the record explains the decomposition.
    pub explain: bool,
    /// Results that requests with other sources share.
    pub memo: Memo,
}

/// What must stay as in a program that is given instead of a filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// What cancels errors: compensated halvings, and macros; see [`compensating`](super::compensating).
    pub compensation: bool,
    /// What every register and bit holds at the end.
    pub registers: bool,
}

/// Goals and limits other than cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aims {
    /// The range of the inputs within which no register may overflow.
    pub input_range: Option<[Rational; 2]>,
    /// The noise model; `None` for the target's first.
    pub noise: Option<Noise>,
    /// The weight of predicted RMS error, in units of the objective.
    pub noise_weight: Option<f64>,
    /// Whether to report the Pareto front of cycles and predicted RMS error.
    pub front: bool,
    /// How far coefficients may differ from those of the file.
    pub nearness: Option<Nearness>,
}

/// How far coefficients may differ from the requested ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nearness {
    /// The nearest multiples of 2^-depth.
    Depth(u32),
    /// The cheapest coefficients that differ by no more than this.
    Within(Rational),
}

impl OptimizeRequest {
    /// A request with the instruction set's defaults, any registers and no limits.
    pub fn new(source: Source, target: Arc<Target>, isa: &str, rules: RuleSet) -> Self {
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
            budget: Budget::unlimited(),
            seed: 0,
            rules,
            without: Without::default(),
            given: None,
            local: false,
            keep: Keep::default(),
            explain: false,
            memo: Memo::default(),
        }
    }
}

//! Compiles with a proposer, a rule implemented in code, in place of all built-in rules: `cargo run --example custom_proposer`.

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::sync::Arc;

use kalg::proposer::{Budget, Decomposition, Placed, Proposer, Shape};
use kalg::{Compiler, Filter, Rational, RuleSet, Source, Target};

/// Factors out a pair of neighbours: K = (1 + east) ∘ Q, if there is no remainder.
struct PairFactor;

impl Proposer for PairFactor {
    fn name(&self) -> &'static str {
        "pair-factor"
    }

    fn doc(&self) -> &'static str {
        "K = (1 + east) ∘ Q"
    }

    fn propose(&self, shape: &Shape, _most: usize, budget: &Budget) -> Vec<Decomposition> {
        let [width, _, depth] = shape.size();
        let flat = shape.channels() == 1 && depth == 1 && width > 1;
        if !flat || !budget.spend(shape.dense().len() as u64) {
            return Vec::new();
        }
        // Polynomial division, row by row.
        let mut quotient = Vec::new();
        for row in shape.dense().chunks(width.into()) {
            let mut rest = 0;
            for tap in row {
                let Some(next) = tap.checked_sub(rest) else { return Vec::new() };
                rest = next;
                quotient.push(rest);
            }
            if rest != 0 {
                return Vec::new();
            }
        }
        let pair = [[0, 0, 0], [1, 0, 0]].map(|offset| (0, offset, Rational::ONE));
        let size = shape.size().map(usize::from);
        let inner = Placed::from_dense(1, [0; 3], size, &quotient, Rational::ONE);
        let outer = Placed::from_taps(1, &pair);
        let (Some(outer), Some(inner)) = (outer, inner) else { return Vec::new() };
        // The parts of a decomposition must be smaller than the whole.
        let smaller = inner.shape.tap_count() < shape.tap_count();
        let label = inner.label.then(outer.label).filter(|_| smaller);
        let compose = |label| Decomposition::Compose { label, outer: outer.shape, inner: inner.shape };
        label.map(compose).into_iter().collect()
    }
}

const RULE: &str = "(proposer pair-factor (budget 1))";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = RuleSet::with_proposers(vec![Source::new("mine.rules", RULE)], &[Arc::new(PairFactor)])?;
    let gauss = Filter::from_rows("gauss", [[1, 4, 6, 4, 1], [4, 16, 24, 16, 4], [1, 4, 6, 4, 1]])?;
    let compiled = Compiler::new(&Target::builtin("ops")?).rules(rules).compile(&gauss)?;
    // The verbose report says which rules the program uses.
    println!("{:#}", compiled.report());
    Ok(())
}

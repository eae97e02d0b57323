//! Compiles with a rewrite rule written as text, in place of all built-in rules: `cargo run --example custom_rule`.

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use kalg::{Compiler, Filter, RuleSet, Source, Target};

/// A sum of compositions with one outer kernel needs that kernel only once.
const RULE: &str = "
(rule factor-outer
  (doc \"a ∘ b + a ∘ c + … = a ∘ (b + c) + …\")
  (group mine)
  (add (compose ?a ?b) (compose ?a ?c) ?rest...) => (add (compose ?a (add ?b ?c)) ?rest...)
  (when (fewer-taps ?a ?b)))
(proposer separable (budget 8))
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = RuleSet::from_sources(vec![Source::new("mine.rules", RULE)])?;
    let binomial = Filter::from_rows("binomial", [[1, 2, 1], [2, 4, 2], [1, 2, 1]])?;
    let target = Target::builtin("ops")?;

    let built_in = Compiler::new(&target).compile(&binomial)?;
    let mine = Compiler::new(&target).rules(rules).compile(&binomial)?;
    println!("{:.2} with the built-in rules, {:.2} with mine alone", built_in.cost(), mine.cost());

    // Errors are shown with their places.
    let wrong = RuleSet::from_sources(vec![Source::new("wrong.rules", "(rule wrong (add ?a ?b) => ?c)")]);
    print!("{}", wrong.map_or_else(|errors| errors.to_string(), |_| String::new()));
    Ok(())
}

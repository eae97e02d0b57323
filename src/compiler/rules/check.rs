//! Checks of rules: whether they hold, which rules they duplicate, and what they cost.

use std::fmt::Write as _;

use rayon::prelude::*;
use serde::Serialize;

use crate::backend::array::machine::{Target, builtin_names, read_target};
use crate::backend::array::verify::{PeepholeVerdict, check_peephole};
use crate::backend::{Price, Registry};
use crate::compiler::Error;
use crate::pipeline::identity::{Checked, Identity};
use crate::report::counted;
use crate::rule::{Action, Lint, Peephole, Report, Rewrite, Rule, RuleSet, Verdict, report};
use crate::saturate::{
    CostChange, ExampleOutcome, Operations, Overlap, comes_to_an_end, cost_change, found_in, overlap,
    try_example, window_change,
};
use crate::syntax::Source;

/// The random kernels that rules are tried on.
#[derive(Clone, Copy, Debug)]
pub struct Trials {
    /// Their number, for each rule and semiring.
    pub kernels: usize,
    /// Their seed.
    pub seed: u64,
}

/// The findings about one rule, in the form of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct RuleCheckRecord {
    /// The name of the rule.
    pub name: String,
    /// The file, and the line.
    pub place: String,
    /// `proved`, `refuted`, `unknown`, or for rules about pixels `checked`: not refuted by trials, on all small values and on
    /// intervals of large ones, but not proved.
    pub verdict: &'static str,
    /// Kernels for which the sides differ.
    pub counterexample: Option<String>,
    /// Where it is said to hold.
    pub semirings: Vec<String>,
    /// The number of random kernels that it applied to.
    pub applied: usize,
    /// Its examples.
    pub examples: Vec<ExampleRecord>,
    /// The rules that already imply it; empty if it holds by construction.
    pub already_by: Option<Vec<String>>,
    /// The costs of both sides; `null` if they are not comparable.
    pub cost: Option<Vec<CostRecord>>,
    /// What looks like a mistake, `already_by` included.
    pub warnings: Vec<String>,
}

/// An example of a rule.
#[derive(Clone, Debug, Serialize)]
pub struct ExampleRecord {
    /// The file, and the line.
    pub place: String,
    /// Whether it does what it should.
    pub works: bool,
    /// Why not.
    pub why: Option<String>,
}

/// The costs of both sides, in additions or in cycles of a target.
#[derive(Clone, Debug, Serialize)]
pub struct CostRecord {
    /// `additions`, or a target.
    pub measure: String,
    /// The cost of the left side.
    pub before: f64,
    /// The cost of the right side.
    pub after: f64,
}

impl RuleCheckRecord {
    /// Whether the rule is refuted, or an example fails.
    pub fn fails(&self) -> bool {
        self.verdict == "refuted" || self.examples.iter().any(|example| !example.works)
    }
}

/// The choices of small values that a rule about pixels is tried on, for each random kernel that others are tried on.
const CHOICES: usize = 50;

/// The verdict on rules that were tried, but not proved.
const CHECKED: &str = "checked";

/// Reads the descriptors of arrays on which rules about instructions are decided.
///
/// # Errors
/// What is wrong with one of them.
pub fn read_arrays(sources: &[Source]) -> Result<Vec<Target>, Error> {
    sources.iter().map(|source| read_target(source).map_err(|wrong| Error::at(source, &wrong))).collect()
}

/// Checks rules. Those of `all` may make a rule redundant; those about instructions are decided on the built-in arrays and on `arrays`.
pub fn check_rules(
    checked: &[Rule],
    all: &RuleSet,
    arrays: Vec<Target>,
    trials: Trials,
) -> Vec<RuleCheckRecord> {
    let registry = Registry::default();
    let prices: Vec<(String, Price)> = registry
        .machines()
        .iter()
        .filter_map(|machine| Some((machine.name().to_owned(), machine.price()?)))
        .collect();
    let arrays: Vec<Target> = builtin_names().into_iter().filter_map(Target::builtin).chain(arrays).collect();
    let names: Vec<&str> =
        registry.names().into_iter().chain(arrays.iter().map(|array| array.name.as_str())).collect();
    let record = |rule: &Rule| {
        let mut record = match &rule.action {
            Action::Peephole(peephole) => peephole_record(rule, peephole, &arrays),
            Action::Pixel(identity) => pixel_record(rule, identity, trials),
            _ => examine(rule, all, &prices, trials),
        };
        let unknown = rule.targets.iter().filter(|name| !names.contains(&name.as_str()));
        record.warnings.extend(unknown.map(|name| format!("no target is called `{name}`")));
        record
    };
    checked.par_iter().map(record).collect()
}

fn examine(rule: &Rule, all: &RuleSet, prices: &[(String, Price)], trials: Trials) -> RuleCheckRecord {
    let found = report(rule, trials.kernels, trials.seed);
    let (verdict, counterexample) = match &found.verdict {
        Verdict::Proved => ("proved", None),
        Verdict::Refuted(refutation) => ("refuted", Some(refutation.to_string())),
        Verdict::Unknown => ("unknown", None),
    };
    let sound = counterexample.is_none();
    let others = all.filtered(|other| other.name != rule.name && !is_other_way(rule, other));
    let already_by = overlap(rule, &others, trials.seed).filter(|_| sound).map(|overlap| match overlap {
        Overlap::Construction => Vec::new(),
        Overlap::Rules(names) => names,
    });
    let mut warnings: Vec<String> = already_by.iter().map(|names| needless(names)).collect();
    warnings.extend(suspicions(rule, &found, sound, trials));
    let cost = match cost_change(rule, trials.seed) {
        Some(change) => Some(costs(change, prices, false)),
        None => window_change(rule).map(|change| costs(change, prices, true)),
    };
    RuleCheckRecord {
        name: rule.name.clone(),
        place: rule.place.clone(),
        verdict,
        counterexample,
        semirings: rule.semirings.clone(),
        applied: found.applied,
        examples: examples(rule),
        already_by,
        cost: cost.filter(|_| sound),
        warnings,
    }
}

/// The warning about a rule that these others imply.
fn needless(by: &[String]) -> String {
    match by {
        [] => "it holds by construction and adds nothing".to_owned(),
        names => format!("already derivable, by {}", names.join(", ")),
    }
}

/// What looks like a mistake in a rule, sound or not.
fn suspicions(rule: &Rule, found: &Report, sound: bool, trials: Trials) -> Vec<String> {
    // What a rule makes of its own results may all be refused.
    let holds = |lint: &&Lint| **lint != Lint::Grows || comes_to_an_end(rule, trials.seed) != Some(true);
    let mut warnings: Vec<String> = found.lints.iter().filter(holds).map(Lint::to_string).collect();
    warnings
        .extend(found.never.iter().map(|guard| format!("the condition {guard} held for no random kernel")));
    if found.applied == 0 && sound {
        warnings.push(
            "it applied to no random kernel: its conditions exclude each other, or a side denotes nothing"
                .to_owned(),
        );
    }
    // This test uses kernels for which the rule holds.
    match found_in(rule, trials.seed).filter(|_| sound) {
        Some([0, _]) => warnings.push("it can never match: its left side does not occur in the kernels it denotes, because like terms merge and numbers move in front of compositions".to_owned()),
        Some([found, built]) if 2 * found < built => warnings.push(format!(
            "it is found in {found} of {built} left sides made of random kernels: in the others, terms are merged or their numbers moved"
        )),
        _ => {}
    }
    let leaves_plane = |rewrite: &Rewrite| rewrite.rhs.scans().iter().any(|step| step[2] != 0);
    if rule.action.rewrites().iter().any(leaves_plane) {
        warnings
            .push("it scans from plane to plane: machines in scan order keep rows, not planes".to_owned());
    }
    warnings
}

/// Checks a peephole rule on those of the arrays that it is for.
fn peephole_record(rule: &Rule, peephole: &Peephole, arrays: &[Target]) -> RuleCheckRecord {
    let mut applied = 0;
    let (mut wrong, mut undecided) = (None, None);
    let mut arrays = arrays.iter().filter(|array| rule.is_for(&array.name)).peekable();
    if arrays.peek().is_none() {
        undecided = Some("it is for none of the built-in arrays; --target FILE names others".to_owned());
    }
    for target in arrays {
        match check_peephole(target, peephole) {
            PeepholeVerdict::Proved(choices) => applied += choices,
            PeepholeVerdict::Unknown(why) => {
                undecided = undecided.or(Some(format!("on `{}`:\n{why}", target.name)))
            }
            PeepholeVerdict::Refuted(why) => {
                wrong =
                    wrong.or(Some(format!("rule `{}` is unsound on `{}`\n{why}", rule.name, target.name)));
            }
        }
    }
    let verdict = match wrong {
        Some(_) => "refuted",
        None if applied > 0 && undecided.is_none() => "proved",
        None => "unknown",
    };
    RuleCheckRecord {
        name: rule.name.clone(),
        place: rule.place.clone(),
        verdict,
        counterexample: wrong,
        semirings: rule.semirings.clone(),
        applied,
        examples: Vec::new(),
        already_by: None,
        cost: None,
        warnings: undecided.into_iter().collect(),
    }
}

/// Checks a point-wise rule: all choices of small values, and intervals of large ones.
fn pixel_record(rule: &Rule, identity: &Identity, trials: Trials) -> RuleCheckRecord {
    let Checked { applied, refuted } = identity.check(trials.kernels.saturating_mul(CHOICES));
    let unused =
        "it applied to no choice of values: its conditions exclude each other, or a side is not defined";
    RuleCheckRecord {
        name: rule.name.clone(),
        place: rule.place.clone(),
        verdict: match (&refuted, applied) {
            (Some(_), _) => "refuted",
            (None, 0) => "unknown",
            (None, _) => CHECKED,
        },
        warnings: if refuted.is_none() && applied == 0 { vec![unused.to_owned()] } else { Vec::new() },
        counterexample: refuted.map(|why| format!("rule `{}` is unsound\n  {why}", rule.name)),
        semirings: Vec::new(),
        applied,
        examples: Vec::new(),
        already_by: None,
        cost: None,
    }
}

/// Tries the examples of a rule.
fn examples(rule: &Rule) -> Vec<ExampleRecord> {
    let record = |example| {
        let outcome = try_example(rule, example);
        ExampleRecord {
            place: example.place.clone(),
            works: outcome == ExampleOutcome::Works,
            why: complaint(&outcome),
        }
    };
    rule.examples.iter().map(record).collect()
}

/// Whether the rules are the two directions of one rule: neither makes the other redundant.
fn is_other_way(rule: &Rule, other: &Rule) -> bool {
    match (&rule.action, &other.action) {
        (Action::Rewrite(a), Action::Rewrite(b)) => {
            let text = |rewrite: &crate::rule::Rewrite, left: bool| {
                let side = if left { &rewrite.lhs } else { &rewrite.rhs };
                side.print(&rewrite.variables)
            };
            text(a, true) == text(b, false) && text(a, false) == text(b, true)
        }
        _ => false,
    }
}

fn complaint(outcome: &ExampleOutcome) -> Option<String> {
    Some(match outcome {
        ExampleOutcome::Works => return None,
        ExampleOutcome::Undefined => "a side denotes nothing, or overflows".to_owned(),
        ExampleOutcome::Unequal => "its sides denote different kernels".to_owned(),
        ExampleOutcome::NoMatch => "the rule does not match the left side".to_owned(),
        ExampleOutcome::Other(made) => format!("the rule makes {}", made.join(" and ")),
        ExampleOutcome::Matches => "the rule does what this example excludes".to_owned(),
    })
}

/// The costs of both sides on all targets; for recurrences, only on targets that can run them.
fn costs(change: CostChange, prices: &[(String, Price)], recurrence: bool) -> Vec<CostRecord> {
    let CostChange { before, after } = change;
    let additions = CostRecord {
        measure: "additions".to_owned(),
        before: before.additions as f64,
        after: after.additions as f64,
    };
    let on = |(target, price): &(String, Price)| {
        let cycles = |o: Operations| {
            price.addition * o.additions as f64
                + price.step * o.moves as f64
                + price.scaling * o.scalings as f64
        };
        CostRecord { measure: target.clone(), before: cycles(before), after: cycles(after) }
    };
    let able = prices.iter().filter(|(_, price)| price.memory || !recurrence);
    std::iter::once(additions).chain(able.map(on)).collect()
}

/// A line for each rule, with its warnings below, and a summary.
pub fn rule_check_table(records: &[RuleCheckRecord]) -> String {
    let width = records.iter().map(|record| record.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for record in records {
        let _ = write!(text, "{:<width$}  {:<8}", record.name, verdict(record));
        if let Some(costs) = &record.cost {
            let parts: Vec<String> = costs.iter().map(change).collect();
            let _ = write!(text, "  {}", parts.join(", "));
        }
        let _ = writeln!(text, "  [{}]", record.place);
        if let Some(example) = &record.counterexample {
            let (title, body) = example.split_once('\n').unwrap_or((example, ""));
            // `in` another semiring, or `on` a machine.
            if let Some((_, place)) = title.split_once(" is unsound ") {
                let _ = writeln!(text, "  {place}");
            }
            let _ = writeln!(text, "{body}");
        }
        for example in record.examples.iter().filter(|example| !example.works) {
            let why = example.why.as_deref().unwrap_or_default();
            let _ = writeln!(text, "  the example at {} fails: {why}", example.place);
        }
        for warning in &record.warnings {
            let _ = writeln!(text, "  warning: {warning}");
        }
    }
    let count = |verdict: &str| records.iter().filter(|record| record.verdict == verdict).count();
    let examples = records.iter().map(|record| record.examples.len()).sum::<usize>();
    let failed = records.iter().flat_map(|record| &record.examples).filter(|e| !e.works).count();
    let _ = write!(
        text,
        "{}: {} proved, {} refuted, {} not refuted by trials, {} unknown",
        counted(records.len() as u64, "rule"),
        count("proved"),
        count("refuted"),
        count(CHECKED),
        count("unknown")
    );
    if examples > 0 {
        let _ = write!(text, "; {} of {examples} examples work", examples - failed);
    }
    text.push('\n');
    text
}

/// The verdict on a rule in words.
fn verdict(record: &RuleCheckRecord) -> String {
    match record.verdict {
        CHECKED => format!("not refuted by {}, not proved", counted(record.applied as u64, "trial")),
        verdict => verdict.to_owned(),
    }
}

/// `additions 12 -> 9`.
fn change(cost: &CostRecord) -> String {
    let direction = match cost.after.total_cmp(&cost.before) {
        std::cmp::Ordering::Less => "fewer",
        std::cmp::Ordering::Equal => "as many",
        std::cmp::Ordering::Greater => "more",
    };
    format!("{} {} -> {} ({direction})", cost.measure, cost.before, cost.after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_are_tried_only_are_said_not_to_be_proved() {
        let text = "(rule twice (doc \"2a\") (pixel (+ ?a ?a)) => (pixel (* 2 ?a)))";
        let rules =
            RuleSet::from_files(
                vec![crate::syntax::Source::new("a.rules", text)],
                &|_, _| Err(String::new()),
            );
        let rules = rules.expect("the rule is written right");
        let table =
            rule_check_table(&check_rules(rules.rules(), &rules, Vec::new(), Trials { kernels: 1, seed: 1 }));
        assert!(table.contains(" trials, not proved  [a.rules:1:1]\n"), "{table}");
        assert!(
            table.ends_with("1 rule: 0 proved, 0 refuted, 1 not refuted by trials, 0 unknown\n"),
            "{table}"
        );
    }
}

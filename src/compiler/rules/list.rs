//! Rules as records and as a table, and a file to start a rule from.

use serde::Serialize;

use crate::compiler::Error;
use crate::rule::{Rule, RuleSet, as_rule_name, is_rule_name};
use crate::syntax::closest;

/// A rule, in the form of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct RuleRecord<'a> {
    /// The name.
    pub name: &'a str,
    /// The group.
    pub group: &'a str,
    /// What it does.
    pub doc: &'a str,
    /// Where it holds.
    pub semirings: &'a [String],
    /// How often it applies.
    pub budget: usize,
    /// When it applies.
    pub priority: i64,
    /// The targets that it is for; empty for all.
    pub targets: &'a [String],
    /// The file, and the line.
    pub place: &'a str,
    /// Both sides and the conditions; `null` for a proposer.
    pub rewrite: Option<String>,
}

fn record(rule: &Rule) -> RuleRecord<'_> {
    RuleRecord {
        name: &rule.name,
        group: &rule.group,
        doc: &rule.doc,
        semirings: &rule.semirings,
        budget: rule.budget,
        priority: rule.priority,
        targets: &rule.targets,
        place: &rule.place,
        rewrite: rule.action.print(),
    }
}

/// The rules as records.
pub fn list_rules(rules: &[Rule]) -> Vec<RuleRecord<'_>> {
    rules.iter().map(record).collect()
}

/// The groups in the order of their first rule, each with its rules and their docs, aligned.
pub fn rule_table(set: &RuleSet) -> String {
    let rules = set.rules();
    let width = rules.iter().map(|rule| rule.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for group in set.groups() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{group}\n"));
        for rule in rules.iter().filter(|rule| rule.group == group) {
            text.push_str(&format!("  {:<width$}  {}\n", rule.name, rule.doc));
        }
    }
    text
}

/// The template. Its rule is sound, so the user edits a checked file step by step.
const TEMPLATE: &str = r#"; Written by `kalg rules new`. Check it:   kalg rules check FILE
;                       what it changes:  kalg rules stats --extra-rules FILE corpus/classic
;                       where it is used: kalg explain --extra-rules FILE FILTER

(rule @NAME@
  (doc "a ∘ b + a ∘ c + … = a ∘ (b + c) + …")
  (group mine)
  ; Where it holds; also min-plus, max-plus, or-and.
  (semirings plus-times)
  ; What is looked for => what is added where it is found. <=> is both directions. ?rest... takes the other terms of a sum.
  ; add sub compose scale neg shift id kernel; (scale ?c ?a) binds a factor, (scale (eval (/ ?c 2)) ?a) computes one.
  (add (compose ?a ?b) (compose ?a ?c) ?rest...) => (add (compose ?a (add ?b ?c)) ?rest...)
  ; What must hold of it: see rules/README.md for the words.
  (when (taps-at-least ?a 2))
  ; Terms without variables that it must, and must not, apply to.
  (example (add (compose (kernel (1 2 .)) (kernel (1 1 1))) (compose (kernel (1 2 .)) (kernel (1 0 5))))
        => (compose (kernel (1 2 .)) (kernel (2 1 6))))
  (not (compose (kernel (1 2 .)) (kernel (1 1 1)))))
"#;

/// The text of a rule file to start from, with a rule of this name.
///
/// # Errors
/// It is no name of a rule, or that of a built-in one.
pub fn rule_file(name: &str) -> Result<String, Error> {
    let name = name.trim();
    if !is_rule_name(name) {
        return Err(Error::usage(format!(
            "`{}` is not a valid rule name: use lower case with hyphens and at most 64 characters, such as `{}`",
            name.chars().take(64).collect::<String>(),
            as_rule_name(name)
        )));
    }
    let rules = RuleSet::builtin();
    let known = rules.rules().iter().map(|rule| rule.name.as_str());
    if closest(name, known).is_some_and(|known| known == name) {
        return Err(Error::usage(format!("there is a built-in rule `{name}`: choose another name")));
    }
    Ok(TEMPLATE.replace("@NAME@", name))
}

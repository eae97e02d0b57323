//! `kalg rules new`: prints a template for a rule file.

use std::path::PathBuf;

use clap::Args;

use crate::cli::outcome::{CommandError, Outcome};
use crate::cli::output::{Output, write_new};
use crate::rule::{as_rule_name, is_rule_name};
use crate::syntax::closest;

/// `kalg rules new`.
#[derive(Debug, Args)]
pub(in crate::cli) struct New {
    /// The rule's name: lower case with hyphens
    name: String,
    /// Write it to this file, which must not exist yet
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The template. Its rule is sound, so the user edits a checked file step by step.
const TEMPLATE: &str = r#"; Written by `kalg rules new`. Check it:   kalg rules check FILE
;                       what it changes:  kalg rules stats --extra-rules FILE corpus
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

impl New {
    /// Prints the template, or writes it to a file.
    pub(super) fn run(self) -> Result<Outcome, CommandError> {
        let name = self.name.trim();
        if !is_rule_name(name) {
            let message = format!(
                "`{}` is not a valid rule name: use lower case with hyphens, such as `{}`",
                name.chars().take(64).collect::<String>(),
                as_rule_name(name)
            );
            return Err(CommandError::Usage(message));
        }
        let rules = crate::rule::RuleSet::builtin();
        let known = rules.rules().iter().map(|rule| rule.name.as_str());
        if closest(name, known).is_some_and(|known| known == name) {
            return Err(CommandError::Usage(format!(
                "there is a built-in rule `{name}`: choose another name"
            )));
        }
        let text = TEMPLATE.replace("@NAME@", name);
        match &self.output {
            Some(path) => write_new(path, text.as_bytes())?,
            None => Output::new(None).put(&text)?,
        }
        Ok(Outcome::Done)
    }
}

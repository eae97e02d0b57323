//! The option `--host`: what the host's variables and the parameters of functions are.

use super::machine::{Operand, Target};
use crate::backend::option::{OptionValues, once};
use crate::syntax::{Source, closest};

/// What a value may be.
const KINDS: &str = "a whole number, a register or a direction";

/// Parses `NAME=VALUE`.
///
/// # Errors
/// The name or the value is missing.
pub(super) fn host_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err(format!("expected a name, `=` and {KINDS}")),
    }
}

/// The values for a machine, by name. Numbers are decimal.
///
/// # Errors
/// A value is no number and nothing that the machine has, or a name occurs twice.
pub(super) fn host_values(target: &Target, options: &OptionValues) -> Result<Vec<(String, String)>, String> {
    let read = |text: &str| {
        let (name, value) = host_value(text)?;
        let value = meant(target, &value).ok_or_else(|| format!("`{value}` is not {KINDS}"))?;
        Ok((name, value))
    };
    once("host", options.list("host", read)?)
}

/// A value as sources have it; `None` if it means nothing.
fn meant(target: &Target, value: &str) -> Option<String> {
    if let Ok(number) = value.parse::<i64>() {
        return Some(number.to_string());
    }
    match target.operand(value)? {
        Operand::Count(number) => Some(number.to_string()),
        Operand::Number(number) => Some(number.to_string()),
        _ => Some(value.to_owned()),
    }
}

/// Refuses names that occur nowhere in the sources.
///
/// # Errors
/// The first of them.
pub(super) fn occur<'s>(
    values: &[(String, String)],
    sources: impl Iterator<Item = &'s Source> + Clone,
) -> Result<(), String> {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let words = || sources.clone().flat_map(|source| source.text().split(|c: char| !is_part(c)));
    // `config::steps` is `steps` where the namespace is used.
    let last = |name: &str| name.rsplit(|c: char| !is_part(c)).next().unwrap_or_default().to_owned();
    match values.iter().map(|(name, _)| name).find(|name| words().all(|word| word != last(name))) {
        None => Ok(()),
        Some(name) => {
            let help =
                closest(name, words()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Err(format!("--host {name}: no such name is in the source{help}"))
        }
    }
}

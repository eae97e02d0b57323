//! What the arguments of several commands are made of.

use std::str::FromStr;

use super::outcome::CommandError;
use crate::algebra::Rational;
use crate::syntax::closest;

/// `NAME=REGISTER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    /// The input or output.
    pub(super) name: String,
    /// The register.
    pub(super) register: String,
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, register)) if !name.is_empty() && !register.is_empty() => {
                Ok(Self { name: name.to_owned(), register: register.to_owned() })
            }
            _ => Err("expected a name, `=` and a register".to_owned()),
        }
    }
}

/// A name that means nothing, with the one that was meant or those that there are.
pub(super) fn unknown(what: &str, name: &str, owner: &str, known: &[&str]) -> CommandError {
    let instead = match closest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has {}", known.join(", ")),
    };
    CommandError::Usage(format!("`{owner}` has no {what} `{name}`; {instead}"))
}

/// `LEAST,GREATEST`.
pub(super) fn range(text: &str) -> Result<[Rational; 2], String> {
    let ends = text.split_once(',').and_then(|(low, high)| Some([number(low)?, number(high)?]));
    match ends {
        Some([low, high]) if low <= high => Ok([low, high]),
        Some(_) => Err("the least value is above the greatest".to_owned()),
        None => Err("expected two numbers and a comma, as in -128,127".to_owned()),
    }
}

/// An exact number: `3`, `-1/64`, `0.01`.
pub(super) fn number(text: &str) -> Option<Rational> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_have_two_sides() {
        let parsed: Assignment = "out=B".parse().unwrap();
        assert_eq!((parsed.name.as_str(), parsed.register.as_str()), ("out", "B"));
        for text in ["", "B", "=B", "out="] {
            assert!(text.parse::<Assignment>().is_err(), "{text}");
        }
    }
}

//! Explanations as proofs: the output of `kalg explain --json`, and a check that follows it step by step.
//!
//! The check reads texts and evaluates terms. It knows neither e-graphs nor rules and trusts nothing in the record: the
//! given term must denote the file's filter, which has the name that it says, every step must replace the parts it names by
//! equal ones, and the last term must be the claimed one. Which rule a step names, what it says of the rule, how it shows
//! the step, and the numbers of additions are not checked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::algebra::{Filter, Kernel, Offset, Placed, PlusTimes, Semiring, in_semiring};
use crate::syntax::{Diagnostics, Sexp, SexpKind, Source, read};

use super::denote::{finite_filter, tables};
use super::text::flat;
use super::{FilterSource, denote, denote_series, read_filter};

/// A machine-readable explanation.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct Proof {
    /// The file.
    pub file: String,
    /// The text of the file.
    pub source: String,
    /// The filter's name.
    pub filter: String,
    /// The given outputs, each as one kernel.
    pub given: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<ProofStep>,
    /// The decomposed outputs.
    pub outputs: Vec<String>,
    /// The additions of the decomposed outputs.
    pub additions: u64,
    /// The lower bound: no term in the e-graph has fewer additions.
    pub at_least: u64,
    /// The version of kalg that wrote it.
    pub version: String,
}

/// The application of one rule.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct ProofStep {
    /// The outputs before the step, with the replaced parts between « and ».
    pub before: Vec<String>,
    /// The rule.
    pub rule: String,
    /// Where the rule is stated.
    pub place: String,
    /// What the rule says.
    pub doc: String,
    /// The equality used.
    pub identity: String,
    /// Where the rule is used.
    pub rewrites: Vec<ProofRewrite>,
}

/// One place where a rule was applied.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct ProofRewrite {
    /// The output.
    pub output: String,
    /// The path from the output's term to the part: at each list the number of the item, the head being 0.
    pub path: Vec<usize>,
    /// The part before.
    pub from: String,
    /// The part after.
    pub to: String,
}

/// Why a proof does not hold.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum BadProof {
    /// Its source is not a kernel file.
    #[error("the source is not a kernel file: {0}")]
    Source(String),
    /// Its filter is not that of the source.
    #[error("it names the filter `{named}`, the source `{written}`")]
    Name {
        /// The name in the proof.
        named: String,
        /// The name in the source.
        written: String,
    },
    /// A term cannot be read or evaluated.
    #[error("{place}: `{term}` is not a term: {why}")]
    Term {
        /// Which text of the proof.
        place: String,
        /// The text.
        term: String,
        /// What is wrong with it.
        why: String,
    },
    /// The given outputs are not those of the source.
    #[error("the given outputs do not denote the filter of the source")]
    Given,
    /// A step replaces a part that is not there.
    #[error("step {step}: found {found} at {path:?} of `{output}`, expected {expected}")]
    Elsewhere {
        /// The number of the step.
        step: usize,
        /// The output.
        output: String,
        /// The path to the part.
        path: Vec<usize>,
        /// The part found there.
        found: String,
        /// The part that the proof names.
        expected: String,
    },
    /// A step replaces a part by one that is not equal.
    #[error("step {step}, by `{rule}`: {from} is not {to}")]
    Unequal {
        /// The number of the step.
        step: usize,
        /// The rule.
        rule: String,
        /// The part before.
        from: String,
        /// The part after.
        to: String,
    },
    /// The steps do not lead to the claimed outputs, or these do not denote the filter.
    #[error("the steps do not lead to the outputs that are claimed")]
    End,
}

/// The names of the outputs, and the non-zero taps of each on each input, as their coefficients are written.
type Taps = Vec<(String, BTreeMap<(usize, Offset), String>)>;

/// The context in which terms are evaluated.
#[derive(Clone, Copy)]
struct Scope<'p> {
    semiring: &'p str,
    dimensions: u8,
    inputs: &'p [String],
}

impl Proof {
    /// Checks the proof and returns the number of parts replaced.
    ///
    /// # Errors
    /// The first claim that does not hold.
    pub fn replay(&self) -> Result<usize, BadProof> {
        let source = Source::new(self.file.as_str(), self.source.as_str());
        let unreadable = |why: String| BadProof::Source(why);
        let filter = read_filter(&source).map_err(|wrong| unreadable(wrong.to_string()))?;
        if filter.name != self.filter {
            return Err(BadProof::Name { named: self.filter.clone(), written: filter.name });
        }
        let due = taps(&filter).map_err(unreadable)?;
        let mut outputs = Vec::new();
        for text in &self.given {
            outputs.push(parsed("given", text)?);
        }
        let scope =
            Scope { semiring: &filter.semiring, dimensions: filter.dimensions, inputs: &filter.inputs };
        let whole = |outputs: &[Sexp]| evaluated("given", scope, outputs);
        if whole(&outputs)? != due {
            return Err(BadProof::Given);
        }
        let mut replaced = 0;
        for (number, step) in self.steps.iter().enumerate() {
            for rewrite in &step.rewrites {
                apply(number + 1, step, rewrite, scope, &mut outputs)?;
                replaced += 1;
            }
        }
        let ends: Result<Vec<Sexp>, BadProof> =
            self.outputs.iter().map(|text| parsed("outputs", text)).collect();
        if ends? != outputs || whole(&outputs)? != due {
            return Err(BadProof::End);
        }
        Ok(replaced)
    }
}

/// Replaces one part, after checking it.
fn apply(
    number: usize,
    step: &ProofStep,
    rewrite: &ProofRewrite,
    scope: Scope<'_>,
    outputs: &mut [Sexp],
) -> Result<(), BadProof> {
    let ProofRewrite { output, path, from, to } = rewrite;
    let place = format!("step {number}");
    let (before, after) = (parsed(&place, from)?, parsed(&place, to)?);
    let elsewhere = |found: String| BadProof::Elsewhere {
        step: number,
        output: output.clone(),
        path: path.clone(),
        found,
        expected: from.clone(),
    };
    let named = |form: &&mut Sexp| {
        form.as_list().and_then(|items| items.get(1)?.as_atom()).is_some_and(|name| name == output)
    };
    // An output is `(output NAME TERM)`.
    let term = outputs.iter_mut().find(named).and_then(|form| item(form, 2));
    let part = path.iter().try_fold(term, |at, number| at.map(|at| item(at, *number)));
    let Some(part) = part.flatten() else { return Err(elsewhere("nothing".to_owned())) };
    if *part != before {
        return Err(elsewhere(flat(part)));
    }
    // A part that names no input is a kernel on any input.
    let any = ["in".to_owned()];
    let inputs = if names_input(&before) { scope.inputs } else { &any };
    let value = |term: &Sexp| {
        let output = Sexp::form("output", [Sexp::atom("out"), term.clone()]);
        evaluated(&place, Scope { inputs, ..scope }, &[output])
    };
    if value(&before)? != value(&after)? {
        let (from, to) = (from.clone(), to.clone());
        return Err(BadProof::Unequal { step: number, rule: step.rule.clone(), from, to });
    }
    *part = after;
    Ok(())
}

/// An item of a list.
fn item(sexp: &mut Sexp, number: usize) -> Option<&mut Sexp> {
    match &mut sexp.kind {
        SexpKind::List(items) => items.get_mut(number),
        _ => None,
    }
}

fn names_input(term: &Sexp) -> bool {
    let items = term.as_list().unwrap_or_default();
    items.first().and_then(Sexp::as_atom) == Some("from") || items.iter().any(names_input)
}

fn parsed(place: &str, text: &str) -> Result<Sexp, BadProof> {
    let wrong = |why: String| BadProof::Term { place: place.to_owned(), term: text.to_owned(), why };
    let mut read = read(&Source::new(place, text)).map_err(|why| wrong(why.to_string()))?;
    match (read.pop(), read.is_empty()) {
        (Some(term), true) => Ok(term),
        _ => Err(wrong("expected one expression".to_owned())),
    }
}

/// The taps that `outputs` over these inputs denote.
fn evaluated(place: &str, scope: Scope<'_>, outputs: &[Sexp]) -> Result<Taps, BadProof> {
    let named = Sexp::form("inputs", scope.inputs.iter().map(|name| Sexp::atom(name.as_str())));
    let dimensions = Sexp::form("dimensions", [Sexp::atom(scope.dimensions.to_string())]);
    let semiring = Sexp::form("semiring", [Sexp::atom(scope.semiring)]);
    let items = [Sexp::atom("proof"), semiring, dimensions, named].into_iter().chain(outputs.iter().cloned());
    let text = flat(&Sexp::form("filter", items));
    let wrong = |why: String| BadProof::Term { place: place.to_owned(), term: text.clone(), why };
    let filter = read_filter(&Source::new(place, text.as_str())).map_err(|why| wrong(why.to_string()))?;
    taps(&filter).map_err(wrong)
}

fn taps(filter: &FilterSource) -> Result<Taps, String> {
    let wrong = |wrong: Diagnostics| wrong.to_string();
    if filter.semiring == PlusTimes::NAME {
        let series = denote_series(filter).map_err(wrong)?;
        return match tables(filter, &series) {
            Some(tables) => {
                tables.into_iter().map(|(name, kernel)| Ok((name, rational_taps(&kernel)?))).collect()
            }
            None => finite_filter(filter, series).map(|filter| taps_of(&filter)).map_err(wrong),
        };
    }
    let unknown = || Err(format!("there is no semiring `{}`", filter.semiring));
    let taps =
        in_semiring!(&filter.semiring, |S| denote::<S>(filter).map(|filter| taps_of(&filter)).map_err(wrong));
    taps.unwrap_or_else(unknown)
}

/// The taps of the numerator of a rational function in lowest terms, and the steps of its scans on a channel of their own.
fn rational_taps(kernel: &Placed) -> Result<BTreeMap<(usize, Offset), String>, String> {
    let written = || {
        let (finite, steps) = kernel.recurrences()?;
        let taps = finite.taps()?;
        let mut all: BTreeMap<_, _> = taps
            .into_iter()
            .map(|(channel, at, tap)| ((usize::from(channel), at), tap.to_string()))
            .collect();
        for step in steps {
            all.entry((usize::MAX, step)).or_insert_with(String::new).push('/');
        }
        Some(all)
    };
    written().ok_or_else(|| "a number leaves the exact range".to_owned())
}

fn taps_of<S: Semiring>(filter: &Filter<S>) -> Taps {
    let row = |kernels: &[Kernel<S>]| {
        let taps = kernels.iter().enumerate().flat_map(|(input, kernel)| {
            kernel.nonzero_taps().map(move |(offset, value)| ((input, offset), value.to_string()))
        });
        taps.collect()
    };
    filter.rows().map(|(name, kernels)| (name.to_owned(), row(kernels))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof() -> Proof {
        let rewrite = |path: &[usize], from: &str, to: &str| ProofRewrite {
            output: "out".to_owned(),
            path: path.to_vec(),
            from: from.to_owned(),
            to: to.to_owned(),
        };
        let step = |rewrites: Vec<ProofRewrite>| ProofStep {
            before: Vec::new(),
            rule: "a rule".to_owned(),
            place: String::new(),
            doc: String::new(),
            identity: String::new(),
            rewrites,
        };
        Proof {
            file: "f.sexp".to_owned(),
            source: "(filter f (inputs in) (output out (compose (kernel (1 1 .)) (kernel (1 1 .)))))"
                .to_owned(),
            filter: "f".to_owned(),
            given: vec!["(output out (kernel (origin 2 0) (1 2 1)))".to_owned()],
            steps: vec![
                step(vec![rewrite(
                    &[],
                    "(kernel (origin 2 0) (1 2 1))",
                    "(compose (kernel (origin 1 0) (1 1)) (kernel (origin 1 0) (1 1)))",
                )]),
                step(vec![rewrite(&[2], "(kernel (origin 1 0) (1 1))", "(add (id) (shift -1 0 (id)))")]),
            ],
            outputs: vec![
                "(output out (compose (kernel (origin 1 0) (1 1)) (add (id) (shift -1 0 (id)))))".to_owned(),
            ],
            additions: 2,
            at_least: 2,
            version: String::new(),
        }
    }

    #[test]
    fn a_proof_that_holds_is_followed_to_its_end() {
        assert_eq!(proof().replay(), Ok(2));
    }

    #[test]
    fn forged_proofs_are_refused() {
        type Forgery = (fn(&mut Proof), fn(&BadProof) -> bool);
        let forgeries: [Forgery; 8] = [
            (|p| p.filter = "g".to_owned(), |why| matches!(why, BadProof::Name { .. })),
            (|p| p.source = p.source.replace("1 1 .", "1 2 ."), |why| *why == BadProof::Given),
            (
                |p| p.given[0] = p.given[0].replace("output out", "output other"),
                |why| *why == BadProof::Given,
            ),
            (|p| p.source.truncate(9), |why| matches!(why, BadProof::Source(_))),
            (
                |p| p.steps[1].rewrites[0].path = vec![1],
                |why| matches!(why, BadProof::Unequal { .. } | BadProof::End),
            ),
            (
                |p| p.steps[1].rewrites[0].path = vec![7],
                |why| matches!(why, BadProof::Elsewhere { step: 2, .. }),
            ),
            (
                |p| p.steps[1].rewrites[0].to = "(add (id) (shift 1 0 (id)))".to_owned(),
                |why| matches!(why, BadProof::Unequal { step: 2, .. }),
            ),
            (|p| drop(p.steps.pop()), |why| *why == BadProof::End),
        ];
        for (number, (forge, expected)) in forgeries.into_iter().enumerate() {
            let mut forged = proof();
            forge(&mut forged);
            let why = forged.replay().unwrap_err();
            assert!(expected(&why), "{number}: {why}");
        }
    }
}

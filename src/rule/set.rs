//! A set of rules: what a run of saturation is given.

use std::fmt;
use std::sync::Arc;

use include_dir::{Dir, include_dir};
use rustc_hash::FxHashMap;

use super::propose::{Proposer, registry};
use super::read::{Read, read_file};
use super::{Rewrite, Rule};
use crate::syntax::{Diagnostic, Diagnostics, Source, Span, render};

/// What a rule does with a class.
#[derive(Clone)]
pub enum Action {
    /// Matches a pattern and adds another to the class.
    Rewrite(Rewrite),
    /// Asks a proposer for decompositions of the class's kernel.
    Propose(Propose),
}

/// A proposer switched on.
#[derive(Clone)]
pub struct Propose {
    /// The mathematics.
    pub proposer: Arc<dyn Proposer>,
    /// What it is shown.
    pub bounds: Bounds,
}

/// What a proposer is shown. All are counts, so that a run does not depend on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Kernels with more taps are not shown.
    pub max_taps: Option<usize>,
    /// Kernels with a longer side are not shown.
    pub max_side: Option<usize>,
    /// Kernels further from a root, when they were first met, are not shown: roots are at depth 0, their parts at 1.
    pub max_depth: Option<u32>,
    /// How many kernels at most are compared with each other; 0 switches that off.
    pub max_among: usize,
}

impl Default for Bounds {
    /// Everything is shown; 16 kernels are compared with each other, as pairs are quadratic.
    fn default() -> Self {
        Self { max_taps: None, max_side: None, max_depth: None, max_among: 16 }
    }
}

impl fmt::Debug for Propose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Propose").field("proposer", &self.proposer.name()).finish_non_exhaustive()
    }
}

/// What is wrong with a set of rule files: the files concerned with their diagnostics, in the order of the files.
#[derive(Clone, Debug)]
pub struct RuleErrors(pub Vec<(Source, Diagnostics)>);

impl RuleErrors {
    /// All of it as text; `color` adds ANSI colours.
    pub fn render(&self, color: bool) -> String {
        self.0.iter().map(|(source, diagnostics)| render(source, diagnostics, color)).collect()
    }
}

impl fmt::Display for RuleErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for RuleErrors {}

static BUILTIN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rules");

/// Rules in the order in which they are applied: by file, then by place in the file. Cloning is cheap.
#[derive(Clone, Default)]
pub struct RuleSet {
    rules: Arc<[Rule]>,
}

impl RuleSet {
    /// A set of these rules, whose names must differ.
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        Self { rules: rules.into_iter().collect() }
    }

    /// The rule files of the folder `rules/` of the source, embedded in the binary.
    pub fn builtin() -> Self {
        match Self::from_dir(Self::builtin_sources()) {
            Ok(rules) => rules,
            Err(errors) => unreachable!("a test reads the embedded rules:\n{}", errors.render(false)),
        }
    }

    /// The texts that [`RuleSet::builtin`] is read from.
    pub fn builtin_sources() -> Vec<Source> {
        let files = BUILTIN.files().filter(|file| file.path().extension().is_some_and(|e| e == "rules"));
        let mut sources: Vec<Source> = files
            .map(|file| {
                Source::from_bytes(format!("rules/{}", file.path().display()), file.contents().to_vec())
            })
            .collect();
        sources.sort_by(|a, b| a.name().cmp(b.name()));
        sources
    }

    /// The rules of these files, in the order given, with the proposers of [`registry`]; no file is a valid set, too.
    ///
    /// # Errors
    /// All mistakes of all files, and names that are used twice.
    pub fn from_dir(files: Vec<Source>) -> Result<Self, RuleErrors> {
        let proposers: Vec<Arc<dyn Proposer>> = registry().into_iter().map(Arc::from).collect();
        Self::with_proposers(files, &proposers)
    }

    /// The rules of these files, with other proposers.
    ///
    /// # Errors
    /// As for [`RuleSet::from_dir`].
    pub fn with_proposers(files: Vec<Source>, proposers: &[Arc<dyn Proposer>]) -> Result<Self, RuleErrors> {
        let mut rules: Vec<Rule> = Vec::new();
        let mut places: FxHashMap<String, (usize, Span)> = FxHashMap::default();
        let mut wrong: Vec<(Source, Diagnostics)> = Vec::new();
        for (i, source) in files.iter().enumerate() {
            let (read, mut diagnostics) = read_file(source, stem(source.name()), proposers);
            for Read { rule, name_span } in read {
                match places.get(&rule.name) {
                    Some(first) => diagnostics.push(duplicate(&rule.name, name_span, i, *first, &files)),
                    None => {
                        places.insert(rule.name.clone(), (i, name_span));
                        rules.push(rule);
                    }
                }
            }
            if !diagnostics.is_empty() {
                wrong.push((source.clone(), diagnostics.sorted()));
            }
        }
        if wrong.is_empty() { Ok(Self::new(rules)) } else { Err(RuleErrors(wrong)) }
    }

    /// The rules in the order in which they are applied.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The groups, each once, in the order of their first rules.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups = Vec::new();
        for rule in self.rules.iter() {
            if !groups.contains(&rule.group.as_str()) {
                groups.push(rule.group.as_str());
            }
        }
        groups
    }

    /// The same rules without those of one group.
    pub fn without_group(&self, group: &str) -> Self {
        Self::new(self.rules.iter().filter(|rule| rule.group != group).cloned())
    }
}

/// A path's last part without its extension.
fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.split_once('.').map_or(file, |(stem, _)| stem)
}

fn duplicate(name: &str, span: Span, file: usize, first: (usize, Span), files: &[Source]) -> Diagnostic {
    let diagnostic = Diagnostic::error("duplicate-rule", format!("there is another rule `{name}`"))
        .label(span, "this name is taken");
    if first.0 == file {
        return diagnostic.label(first.1, "by this one");
    }
    let source = &files[first.0];
    let place = source.position(first.1.start as usize);
    diagnostic.help(format!("the other one is in {}:{}:{}", source.name(), place.line, place.column))
}

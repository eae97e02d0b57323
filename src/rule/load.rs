//! Loading of rule files, with the files they include, as rules and phases.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::definition::{Phase, Rule};
use super::propose::Proposer;
use super::read::{Item, read_file};
use crate::syntax::{Diagnostic, Diagnostics, Source, Span, closest, render};

/// Opens an included file, given the name of the including file and the included path relative to its folder. The error
/// says why the file cannot be opened, or which files exist.
pub type OpenFile<'a> = dyn Fn(&str, &str) -> Result<Source, String> + 'a;

/// The errors in a set of rule files: the files concerned with their diagnostics, in file order.
#[derive(Clone)]
pub struct RuleErrors(pub Vec<(Source, Diagnostics)>);

impl RuleErrors {
    /// Renders all diagnostics as text; `color` adds ANSI colours.
    pub fn render(&self, color: bool) -> String {
        self.0.iter().map(|(source, diagnostics)| render(source, diagnostics, color)).collect()
    }
}

impl fmt::Display for RuleErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

impl fmt::Debug for RuleErrors {
    /// The rendered text, which a `main` that returns this error prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for RuleErrors {}

/// The maximum number of rules, phases and files in a set, and the maximum depth of includes. Every rule is compared
/// with all others.
const MAX_RULES: usize = 512;
const MAX_PHASES: usize = 64;
const MAX_FILES: usize = 256;
const MAX_DEEP: usize = 16;

/// The state of loading a set of files.
pub(super) struct Loader<'a> {
    proposers: &'a [Arc<dyn Proposer>],
    open: &'a OpenFile<'a>,
    /// Every file read so far, once, with its diagnostics.
    files: Vec<(Source, Diagnostics)>,
    rules: Vec<Rule>,
    phases: Vec<(Phase, usize, Span)>,
    /// The place of each rule: the file and the span of its name.
    places: FxHashMap<String, (usize, Span)>,
    /// Whether a limit was exceeded; this is reported once.
    is_full: bool,
}

impl<'a> Loader<'a> {
    pub(super) fn new(proposers: &'a [Arc<dyn Proposer>], open: &'a OpenFile<'a>) -> Self {
        let places = FxHashMap::default();
        let (files, rules, phases) = (Vec::new(), Vec::new(), Vec::new());
        Self { proposers, open, files, rules, phases, places, is_full: false }
    }

    /// Returns the rules and phases of `files` and of the files they include, each at its first inclusion. Of `files`, texts of one name
    /// are the same file only if they are the same.
    pub(super) fn load(mut self, files: Vec<Source>) -> Result<(Vec<Rule>, Vec<Phase>), RuleErrors> {
        for source in files {
            let is_same = |other: &Source| other.name() == source.name() && other.text() == source.text();
            if !self.files.iter().any(|(other, _)| is_same(other)) {
                self.file(source, 0);
            }
        }
        self.check_phases();
        let wrong: Vec<(Source, Diagnostics)> = self
            .files
            .into_iter()
            .filter(|(_, diagnostics)| !diagnostics.is_empty())
            .map(|(source, diagnostics)| (source, diagnostics.sorted()))
            .collect();
        if !wrong.is_empty() {
            return Err(RuleErrors(wrong));
        }
        let phases = self.phases.into_iter().map(|(phase, ..)| phase).collect();
        Ok((self.rules, phases))
    }

    fn is_known(&self, name: &str) -> bool {
        self.files.iter().any(|(source, _)| source.name() == name)
    }

    fn file(&mut self, source: Source, depth: usize) {
        let (items, diagnostics) = read_file(&source, stem(source.name()), self.proposers);
        let index = self.files.len();
        self.files.push((source, diagnostics));
        for item in items {
            let fits = match &item {
                Item::Rules(rules, span) => self.is_within(
                    self.rules.len() + rules.len() <= MAX_RULES,
                    index,
                    *span,
                    format!("more than {MAX_RULES} rules"),
                ),
                Item::Phase(_, span) => self.is_within(
                    self.phases.len() < MAX_PHASES,
                    index,
                    *span,
                    format!("more than {MAX_PHASES} phases"),
                ),
                Item::Include(..) => true,
            };
            // Rules beyond a limit are not read: the same message would be repeated for each of them.
            if !fits {
                return;
            }
            match item {
                Item::Rules(rules, span) => rules.into_iter().for_each(|rule| self.rule(rule, index, span)),
                Item::Phase(phase, span) => self.phases.push((phase, index, span)),
                Item::Include(path, span) => self.include(&path, index, span, depth),
            }
        }
    }

    /// Whether a count is within its limit. Only the first violation is reported.
    fn is_within(&mut self, within: bool, file: usize, span: Span, what: String) -> bool {
        if !within && !self.is_full {
            self.is_full = true;
            self.report(
                file,
                Diagnostic::error("too-many", what).label(span, "this is the first one too many"),
            );
        }
        within
    }

    fn include(&mut self, path: &str, from: usize, span: Span, depth: usize) {
        let name = self.files[from].0.name().to_owned();
        let path = beside(&name, path);
        if self.is_known(&path) {
            return;
        }
        let deep = format!("includes more than {MAX_DEEP} deep");
        if !self.is_within(depth < MAX_DEEP, from, span, deep)
            || !self.is_within(
                self.files.len() < MAX_FILES,
                from,
                span,
                format!("more than {MAX_FILES} files"),
            )
        {
            return;
        }
        match (self.open)(&name, &path) {
            Ok(source) => self.file(source, depth + 1),
            Err(why) => {
                let message = format!("cannot include `{path}`");
                let near = closest(&path, why.split([',', ' ']).filter(|w| w.ends_with(".rules")));
                let help = near.map(|near| format!("did you mean `{}`?", stem_of_path(near)));
                let diagnostic = Diagnostic::error("cannot-include", message).label(span, why.clone());
                self.report(from, diagnostic.help_if(help));
            }
        }
    }

    fn rule(&mut self, rule: Rule, file: usize, span: Span) {
        let Some(first) = self.places.get(&rule.name).copied() else {
            self.places.insert(rule.name.clone(), (file, span));
            return self.rules.push(rule);
        };
        let diagnostic =
            Diagnostic::error("duplicate-rule", format!("there is another rule `{}`", rule.name))
                .label(span, "this name is taken");
        let diagnostic = if first.0 == file {
            diagnostic.label(first.1, "by this one")
        } else {
            let source = &self.files[first.0].0;
            let place = source.position(first.1.start as usize);
            diagnostic.help(format!("the other one is in {}:{}:{}", source.name(), place.line, place.column))
        };
        self.report(file, diagnostic);
    }

    /// Checks that the groups named by phases exist and that the names of phases differ.
    fn check_phases(&mut self) {
        let groups: Vec<String> = self.rules.iter().map(|rule| rule.group.clone()).collect();
        for i in 0..self.phases.len() {
            let (phase, file, span) = self.phases[i].clone();
            if self.phases[..i].iter().any(|(other, ..)| other.name == phase.name) {
                let message = format!("there is another phase `{}`", phase.name);
                self.report(
                    file,
                    Diagnostic::error("duplicate-phase", message).label(span, "this name is taken"),
                );
            }
            for group in phase.groups.iter().filter(|group| !groups.contains(group)) {
                let near = closest(group, groups.iter().map(String::as_str));
                let diagnostic =
                    Diagnostic::error("unknown-group", format!("no rule is in the group `{group}`"))
                        .label(span, "this phase names it");
                self.report(file, diagnostic.help_if(near.map(|near| format!("did you mean `{near}`?"))));
            }
        }
    }

    fn report(&mut self, file: usize, diagnostic: Diagnostic) {
        self.files[file].1.push(diagnostic);
    }
}

/// The name of the file `path` as seen from the file `from`. It is the same for all spellings of the path, so no file can
/// include itself.
fn beside(from: &str, path: &str) -> String {
    let folder = from.rfind(['/', '\\']).map_or("", |end| &from[..=end]);
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    format!("{folder}{}", parts.collect::<Vec<_>>().join("/"))
}

/// The last part of a path without its extension.
fn stem(name: &str) -> &str {
    let file = stem_of_path(name);
    file.split_once('.').map_or(file, |(stem, _)| stem)
}

/// The last part of a path.
fn stem_of_path(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

//! Sets of rules for saturation.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use include_dir::{Dir, include_dir};

use super::definition::{Action, Phase, Propose, Rule};
use super::load::{Loader, OpenFile, RuleErrors};
use super::propose::{Proposer, RandomSplits, registry};
use crate::algebra::Placed;
use crate::budget::Budget;
use crate::pipeline::identity::Identity;
use crate::syntax::Source;
use crate::term::Definition;

static BUILTIN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rules");

/// The file that names the default rules.
const DEFAULT: &str = "kalg:rules/default.rules";

/// Rules in the order in which they are applied: by priority, then by file, then by place in the file. Cloning is
/// cheap.
#[derive(Clone, Default)]
pub struct RuleSet {
    rules: Arc<[Rule]>,
    phases: Arc<[Phase]>,
}

impl fmt::Debug for RuleSet {
    /// The names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuleSet")?;
        f.debug_list().entries(self.rules.iter().map(|rule| &rule.name)).finish()
    }
}

impl RuleSet {
    /// The set of these rules without phases. Names must differ. Higher priorities come first.
    pub fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        let mut rules: Vec<Rule> = rules.into_iter().collect();
        rules.sort_by_key(|rule| -rule.priority);
        Self { rules: rules.into(), phases: Arc::default() }
    }

    fn of_files((rules, phases): (Vec<Rule>, Vec<Phase>)) -> Self {
        Self::new(rules).with_phases(phases)
    }

    /// The same rules with these phases.
    pub fn with_phases(self, phases: Vec<Phase>) -> Self {
        Self { phases: phases.into(), ..self }
    }

    /// These rules without phases, and others, which replace those of their names.
    pub fn with(&self, others: impl IntoIterator<Item = Rule>) -> Self {
        let others: Vec<Rule> = others.into_iter().collect();
        let kept =
            self.rules.iter().filter(|rule| others.iter().all(|other| other.name != rule.name)).cloned();
        Self::new(kept.chain(others.iter().cloned()))
    }

    /// The rules that the embedded file `rules/default.rules` names. They are read once: that takes longer than to compile a
    /// small filter.
    pub fn builtin() -> Self {
        static READ: OnceLock<RuleSet> = OnceLock::new();
        let read =
            || match Self::from_files(vec![Self::builtin_default()], &|_, name| Self::open_builtin(name)) {
                Ok(rules) => rules,
                Err(errors) => unreachable!("a test reads the embedded rules:\n{}", errors.render(false)),
            };
        READ.get_or_init(read).clone()
    }

    /// The embedded file `rules/default.rules`.
    pub fn builtin_default() -> Source {
        let sources = Self::builtin_sources();
        let found = sources.into_iter().find(|source| source.name() == DEFAULT);
        found.unwrap_or_else(|| unreachable!("a test compares the embedded files with the folder"))
    }

    /// Opens an embedded file, as `include` in an embedded file does.
    ///
    /// # Errors
    /// `name` is not an embedded file; the message lists the files that exist.
    pub fn open_builtin(name: &str) -> Result<Source, String> {
        let sources = Self::builtin_sources();
        let names: Vec<String> = sources.iter().map(|source| source.name().to_owned()).collect();
        let found = sources.into_iter().find(|source| source.name() == name);
        found.ok_or_else(|| format!("built in are {}", names.join(", ")))
    }

    /// The files of the folder `rules/` as embedded in the binary, sorted by name. Their names begin with `kalg:`, so that no file of a
    /// user's is taken for one that was read already.
    pub fn builtin_sources() -> Vec<Source> {
        let files = BUILTIN.files().filter(|file| file.path().extension().is_some_and(|e| e == "rules"));
        let mut sources: Vec<Source> = files
            .map(|file| {
                Source::from_bytes(format!("kalg:rules/{}", file.path().display()), file.contents().to_vec())
            })
            .collect();
        sources.sort_by(|a, b| a.name().cmp(b.name()));
        sources
    }

    /// The rules of these files, in the order given, with the proposers of [`registry`]. The list may be empty. The files
    /// may include one another, but no other files. A file that is given twice is read once.
    ///
    /// [`RuleSet::builtin_sources`] and files of your own together add rules to the built-in ones:
    ///
    /// ```
    /// use kalg::{RuleSet, Source};
    ///
    /// let mut files = RuleSet::builtin_sources();
    /// files.push(Source::new("mine.rules", "(rule mine (compose ?a (compose ?a ?a)) => (compose (compose ?a ?a) ?a))"));
    /// let rules = RuleSet::from_sources(files)?;
    /// assert_eq!(rules.rules().len(), RuleSet::builtin().rules().len() + 1);
    /// # Ok::<(), kalg::RuleErrors>(())
    /// ```
    ///
    /// # Errors
    /// All mistakes in all files, and names of rules that are used twice.
    pub fn from_sources(files: Vec<Source>) -> Result<Self, RuleErrors> {
        let proposers: Vec<Arc<dyn Proposer>> = registry().into_iter().map(Arc::from).collect();
        Self::with_proposers(files, &proposers)
    }

    /// The rules of these files with other proposers. [`registry`] has the built-in ones:
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use kalg::proposer::{Budget, Decomposition, Proposer, Shape, registry};
    /// use kalg::{RuleSet, Source};
    ///
    /// struct Mine;
    ///
    /// impl Proposer for Mine {
    ///     fn name(&self) -> &'static str {
    ///         "mine"
    ///     }
    ///
    ///     fn doc(&self) -> &'static str {
    ///         "finds nothing"
    ///     }
    ///
    ///     fn propose(&self, _: &Shape, _: usize, _: &Budget) -> Vec<Decomposition> {
    ///         Vec::new()
    ///     }
    /// }
    ///
    /// let mut proposers: Vec<Arc<dyn Proposer>> = registry().into_iter().map(Arc::from).collect();
    /// proposers.push(Arc::new(Mine));
    /// let mut files = RuleSet::builtin_sources();
    /// files.push(Source::new("mine.rules", "(proposer mine)"));
    /// let rules = RuleSet::with_proposers(files, &proposers)?;
    /// assert_eq!(rules.rules().len(), RuleSet::builtin().rules().len() + 1);
    /// # Ok::<(), kalg::RuleErrors>(())
    /// ```
    ///
    /// # Errors
    /// As for [`RuleSet::from_sources`], and proposers of one name that a file switches on.
    pub fn with_proposers(files: Vec<Source>, proposers: &[Arc<dyn Proposer>]) -> Result<Self, RuleErrors> {
        let known = files.clone();
        let open = |_: &str, name: &str| {
            let found = known.iter().find(|source| source.name() == name).cloned();
            found.ok_or_else(|| "no file of that name is read".to_owned())
        };
        Loader::new(proposers, &open).load(files).map(Self::of_files)
    }

    /// A budget of work for [`RuleSet::chains`]: more than one filter usually needs.
    pub(crate) const CHAINS: u64 = 1 << 24;

    /// The chains of decompositions of each output into parts that a proposer of this set cannot decompose further, and the
    /// names of these proposers. Parts of fewer than `least` taps are not split off.
    pub(crate) fn chains(
        &self,
        outputs: &[(String, Placed)],
        least: usize,
        budget: &Budget,
    ) -> (Vec<Definition>, Vec<String>) {
        let (mut links, mut names) = (Vec::new(), Vec::new());
        for rule in self.rules() {
            let Action::Propose(propose) = &rule.action else { continue };
            let found: Vec<Definition> = outputs
                .iter()
                .flat_map(|(_, kernel)| propose.proposer.chain(kernel, least, budget))
                .collect();
            if !found.is_empty() {
                names.push(rule.name.clone());
            }
            links.extend(found);
        }
        (links, names)
    }

    /// The rules of these files and of the files they include. `open` reads an included file, whose name is relative to the
    /// folder of the including file. Each file is read once. A name that leads out of that folder is refused; `open`
    /// decides whether to follow links.
    ///
    /// # Errors
    /// As for [`RuleSet::from_sources`], and the errors of `open`.
    pub fn from_files(files: Vec<Source>, open: &OpenFile<'_>) -> Result<Self, RuleErrors> {
        let proposers: Vec<Arc<dyn Proposer>> = registry().into_iter().map(Arc::from).collect();
        Loader::new(&proposers, open).load(files).map(Self::of_files)
    }

    /// The rules in the order in which they are applied.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The identities of point-wise operations, in the order in which they are applied.
    pub fn identities(&self) -> Vec<Identity> {
        let identity = |rule: &Rule| match &rule.action {
            Action::Pixel(identity) => Some(identity.clone()),
            _ => None,
        };
        self.rules.iter().filter_map(identity).collect()
    }

    /// Warnings of the identities of point-wise operations among those applied, by name: they are tried, never proved. Those that
    /// are built in are left out.
    pub(crate) fn tried_only(&self, applied: &BTreeMap<String, usize>) -> Vec<String> {
        let mut own = self.identities();
        own.retain(|one| applied.contains_key(&one.name));
        if own.is_empty() {
            return Vec::new();
        }
        let builtin = Self::builtin().identities();
        own.retain(|one| !builtin.contains(one));
        let warning = |one: &Identity| {
            format!("rule `{}` is tried, not proved: the result is right if the rule is", one.name)
        };
        own.iter().map(warning).collect()
    }

    /// The phases in the order in which they are applied; empty if all rules are applied together.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
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

    /// The same rules without one group.
    pub fn without_group(&self, group: &str) -> Self {
        self.filtered(|rule| rule.group != group)
    }

    /// The same rules with each proposer replaced by one that splits kernels at random with the same budget.
    pub(crate) fn with_random_proposers(&self) -> Self {
        let replaced = |rule: &Rule| {
            let Action::Propose(propose) = &rule.action else { return rule.clone() };
            let proposer: Arc<dyn Proposer> = Arc::new(RandomSplits::new(&rule.name));
            Rule { action: Action::Propose(Propose { proposer, ..propose.clone() }), ..rule.clone() }
        };
        Self { rules: self.rules.iter().map(replaced).collect(), phases: Arc::clone(&self.phases) }
    }

    /// The rules for this target, including those for every target.
    pub fn for_target(&self, target: &str) -> Self {
        self.filtered(|rule| rule.is_for(target))
    }

    /// The rules that satisfy `keep`, with the same phases.
    pub fn filtered(&self, keep: impl Fn(&Rule) -> bool) -> Self {
        Self {
            rules: self.rules.iter().filter(|rule| keep(rule)).cloned().collect(),
            phases: Arc::clone(&self.phases),
        }
    }
}

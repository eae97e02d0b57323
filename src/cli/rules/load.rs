//! The rules that a command uses.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::backend::Machine;
use crate::cli::complain::color;
use crate::cli::files;
use crate::cli::outcome::CommandError;
use crate::compiler::Error;
use crate::rule::{Rule, RuleErrors, RuleSet};
use crate::syntax::Source;

/// The file in a rule folder that selects the default rules.
const DEFAULT: &str = "default.rules";

/// The options that choose rules.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct RuleFiles {
    /// Use these rules instead of the built-in ones
    ///
    /// For a folder, these are the rules of its `default.rules` or, without one, of all its `.rules` files.
    #[arg(long, value_name = "DIR|FILE")]
    rules: Option<PathBuf>,
    /// Add the rules in this file
    #[arg(long, value_name = "FILE")]
    extra_rules: Vec<PathBuf>,
}

impl RuleFiles {
    /// Whether only the built-in rules are used.
    pub(in crate::cli) fn is_default(&self) -> bool {
        self.rules.is_none() && self.extra_rules.is_empty()
    }

    /// Loads the requested rules; errors in a file go to standard error.
    pub(in crate::cli) fn load(&self) -> Result<RuleSet, CommandError> {
        shown(load(self.rules.as_deref(), &self.extra_rules, Vec::new()))
    }

    /// The requested rules for a machine; without one, those for all machines without memory, which cannot use scans.
    pub(in crate::cli) fn load_for(&self, machine: Option<&dyn Machine>) -> Result<RuleSet, CommandError> {
        let rules = self.load()?;
        Ok(machine.map_or_else(|| rules.filtered(Rule::is_finite), |machine| machine.rules(&rules)))
    }
}

/// The kernel files among the paths, and those in the folders among them.
pub(super) fn filters(paths: &[PathBuf]) -> Result<Vec<Source>, CommandError> {
    let mut sources = Vec::new();
    for path in paths {
        let read = if path.is_dir() {
            files::read_folder(path, "sexp")
        } else {
            files::read_source(path).map(|source| vec![source])
        };
        sources.extend(read.map_err(|error| files::cannot_read(path, &error))?);
    }
    Ok(sources)
}

/// The rules of one file and its includes only.
pub(super) fn of_file(path: &Path) -> Result<RuleSet, CommandError> {
    shown(read(path).and_then(|source| from_sources(vec![source], false)))
}

/// Reads the built-in rules, or instead of them those of a file or folder; and then more, from files and texts.
///
/// # Errors
/// A file cannot be read, or is wrong.
pub fn read_rules(rules: Option<&Path>, extra: &[PathBuf], texts: Vec<Source>) -> Result<RuleSet, Error> {
    load(rules, extra, texts).map_err(|error| match error {
        LoadError::Unreadable(message) => Error::usage(message),
        LoadError::Wrong(_, errors) => Error::from(&errors),
    })
}

/// Why rules cannot be loaded.
enum LoadError {
    Unreadable(String),
    /// The last file, and what is wrong with which file.
    Wrong(String, RuleErrors),
}

/// Prints what is wrong with rules to standard error.
fn shown(loaded: Result<RuleSet, LoadError>) -> Result<RuleSet, CommandError> {
    loaded.map_err(|error| match error {
        LoadError::Unreadable(message) => CommandError::Usage(message),
        LoadError::Wrong(name, errors) => {
            eprint!("{}", errors.render(color()));
            CommandError::Usage(cannot_use(Path::new(&name), "see above"))
        }
    })
}

fn load(rules: Option<&Path>, extra: &[PathBuf], texts: Vec<Source>) -> Result<RuleSet, LoadError> {
    let mut sources = match rules {
        None => vec![RuleSet::builtin_default()],
        Some(path) => roots(path)?,
    };
    for path in extra {
        sources.push(read(path)?);
    }
    sources.extend(texts);
    from_sources(sources, rules.is_none())
}

/// The rules of these files; `builtin` says that some are embedded and may include embedded files.
fn from_sources(sources: Vec<Source>, builtin: bool) -> Result<RuleSet, LoadError> {
    let name = sources.last().map_or_else(String::new, |source| source.name().to_owned());
    let open = |from: &str, name: &str| match RuleSet::open_builtin(name) {
        Ok(source) if builtin => Ok(source),
        _ => files::read_below(Path::new(from), Path::new(name)).map_err(|error| explain(from, name, &error)),
    };
    RuleSet::from_files(sources, &open).map_err(|errors| LoadError::Wrong(name, errors))
}

/// Why a file cannot be included; if includes from its folder are allowed, also the files in that folder.
fn explain(from: &str, name: &str, error: &str) -> String {
    let others = files::names_below(Path::new(from), Path::new(name), "rules");
    if others.is_empty() { error.to_owned() } else { format!("{error}; there are {}", others.join(", ")) }
}

/// The files of a folder to read first, or the file itself. A folder without rule files is an empty rule set.
fn roots(path: &Path) -> Result<Vec<Source>, LoadError> {
    if !path.is_dir() {
        return Ok(vec![read(path)?]);
    }
    let default = path.join(DEFAULT);
    if default.is_file() {
        return Ok(vec![read(&default)?]);
    }
    let unusable = |why: &str| LoadError::Unreadable(cannot_use(path, why));
    let found = files::read_folder(path, "rules").map_err(|error| unusable(&error.to_string()))?;
    if found.is_empty() {
        return Err(unusable("there are no rule files (`.rules`) in it; an empty one stands for no rules"));
    }
    Ok(found)
}

fn read(path: &Path) -> Result<Source, LoadError> {
    files::read_source(path).map_err(|error| LoadError::Unreadable(cannot_use(path, &error.to_string())))
}

fn cannot_use(path: &Path, why: &str) -> String {
    format!("cannot use the rules in `{}`: {why}", path.display())
}

//! Which rules a command works with.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::backend::Machine;
use crate::cli::complain::color;
use crate::cli::files;
use crate::cli::outcome::CommandError;
use crate::rule::{Rule, RuleSet};
use crate::syntax::Source;

/// The file that says what is on in a folder of rules.
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

    /// The rules that were asked for; what is wrong with a file goes to standard error.
    pub(in crate::cli) fn load(&self) -> Result<RuleSet, CommandError> {
        let mut sources = match &self.rules {
            None => vec![RuleSet::builtin_default()],
            Some(path) => roots(path)?,
        };
        for path in &self.extra_rules {
            sources.push(read(path)?);
        }
        from_sources(sources, self.rules.is_none())
    }

    /// Those of them that apply to a machine, or without one to all machines without memory, which have no use for scans.
    pub(in crate::cli) fn load_for(&self, machine: Option<&dyn Machine>) -> Result<RuleSet, CommandError> {
        let rules = self.load()?;
        Ok(machine.map_or_else(|| rules.filtered(Rule::is_finite), |machine| machine.rules(&rules)))
    }
}

/// Kernel files, and all those of folders.
pub(super) fn filters(paths: &[PathBuf]) -> Result<Vec<Source>, CommandError> {
    let mut sources = Vec::new();
    for path in paths {
        let read = if path.is_dir() {
            files::read_folder(path, "sexp")
        } else {
            files::read_source(path).map(|source| vec![source])
        };
        let cannot = |error| CommandError::Usage(format!("cannot read `{}`: {error}", path.display()));
        sources.extend(read.map_err(cannot)?);
    }
    Ok(sources)
}

/// The rules of one file and of those that it includes, by themselves.
pub(super) fn of_file(path: &Path) -> Result<RuleSet, CommandError> {
    from_sources(vec![read(path)?], false)
}

/// The rules of these files; `builtin` says that embedded ones are among them, which include embedded ones.
fn from_sources(sources: Vec<Source>, builtin: bool) -> Result<RuleSet, CommandError> {
    let name = sources.last().map_or_else(String::new, |source| source.name().to_owned());
    let open = |from: &str, name: &str| match RuleSet::open_builtin(name) {
        Ok(source) if builtin => Ok(source),
        _ => files::read_below(Path::new(from), Path::new(name)).map_err(|error| explain(from, name, &error)),
    };
    RuleSet::from_files(sources, &open).map_err(|errors| {
        eprint!("{}", errors.render(color()));
        cannot_use(Path::new(&name), "see above")
    })
}

/// Why a file cannot be included, and which files its folder holds where that is one that may be included from.
fn explain(from: &str, name: &str, error: &str) -> String {
    let others = files::names_below(Path::new(from), Path::new(name), "rules");
    if others.is_empty() { error.to_owned() } else { format!("{error}; there are {}", others.join(", ")) }
}

/// The files that are read first of a folder, or the file itself. A folder without rule files is a set without rules.
fn roots(path: &Path) -> Result<Vec<Source>, CommandError> {
    if !path.is_dir() {
        return Ok(vec![read(path)?]);
    }
    let default = path.join(DEFAULT);
    if default.is_file() {
        return Ok(vec![read(&default)?]);
    }
    files::read_folder(path, "rules").map_err(|error| cannot_use(path, &error.to_string()))
}

fn read(path: &Path) -> Result<Source, CommandError> {
    files::read_source(path).map_err(|error| cannot_use(path, &error.to_string()))
}

fn cannot_use(path: &Path, why: &str) -> CommandError {
    CommandError::Usage(format!("cannot use the rules in `{}`: {why}", path.display()))
}

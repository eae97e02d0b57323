//! Which options mean something for what a command was asked to do: those that do not are refused, so that none is without effect.

use std::fmt::Display;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use super::outcome::CommandError;

/// Options, by the names of their fields, and what they are for. Every option of a command stands in one row.
pub(super) type Table<K> = [(&'static [K], &'static [&'static str])];

/// The options of one command, and which of them its command line has.
pub(super) struct Given {
    /// Field, what users call it, and whether it was given.
    options: Vec<(String, String, bool)>,
}

impl Given {
    /// What `matches` holds of the options of the subcommand that was chosen.
    pub(super) fn of(command: &Command, matches: &ArgMatches) -> Self {
        let chosen =
            matches.subcommand().and_then(|(name, matches)| Some((command.find_subcommand(name)?, matches)));
        chosen.map_or(Self { options: Vec::new() }, |(command, matches)| Self::in_matches(command, matches))
    }

    fn in_matches(command: &Command, matches: &ArgMatches) -> Self {
        let option = |argument: &clap::Arg| {
            let id = argument.get_id().as_str();
            let given = matches.value_source(id) == Some(ValueSource::CommandLine);
            let shown = match (argument.get_long(), argument.get_value_names()) {
                (Some(long), _) => format!("--{long}"),
                (None, Some([name, ..])) => name.to_string(),
                (None, _) => id.to_owned(),
            };
            (id.to_owned(), shown, given)
        };
        Self { options: command.get_arguments().map(option).collect() }
    }

    /// Refuses the first option that was given and is not for `kind`; `whose` is how the message calls what was asked for, and why.
    pub(super) fn check<K: Copy + PartialEq>(
        &self,
        table: &Table<K>,
        kind: K,
        whose: &dyn Display,
    ) -> Result<(), CommandError> {
        let takes = |id: &str| table.iter().any(|(kinds, ids)| kinds.contains(&kind) && ids.contains(&id));
        let Some((_, foreign, _)) = self.options.iter().find(|(id, _, given)| *given && !takes(id)) else {
            return Ok(());
        };
        let taken = self.options.iter().filter(|(id, shown, _)| takes(id) && shown.starts_with('-'));
        let taken = taken.map(|(_, shown, _)| shown.as_str()).collect::<Vec<_>>().join(", ");
        Err(CommandError::Usage(format!("`{foreign}` means nothing for {whose}, which takes {taken}")))
    }
}

/// What is wrong with a table: options that stand in no row or in several, and rows that name none.
#[cfg(test)]
pub(super) fn faults<K>(command: &Command, table: &Table<K>) -> Vec<String> {
    let known: Vec<&str> = command.get_arguments().map(|argument| argument.get_id().as_str()).collect();
    let named: Vec<&str> = table.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
    let rows = |id: &str| named.iter().filter(|named| **named == id).count();
    let missing = known.iter().filter(|id| rows(id) != 1).map(|id| format!("`{id}` is in {} rows", rows(id)));
    let unknown = named.iter().filter(|id| !known.contains(id)).map(|id| format!("there is no `{id}`"));
    missing.chain(unknown).collect()
}

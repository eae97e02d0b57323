//! Which options apply to which tasks. An option that does not apply is refused rather than ignored.

use std::fmt::Display;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::outcome::CommandError;
use crate::backend::option::{Accepts, Occurs, OptionSpec, OptionValues, check};
use crate::backend::{Machine, Offered, Registry, Task, refusal};

/// The options of a command, by field name, with the tasks that accept them. Every option is in exactly one row.
pub(super) type Table<K> = [(&'static [K], &'static [&'static str])];

/// The option after which messages list the options of machines.
const BEFORE: &str = "target";

/// The heading of options that several classes of machines have.
const SEVERAL: &str = "Several kinds of machines";

/// Adds the options of all classes of machines to a command: those of several classes, and then those of each.
pub(super) fn offer(command: Command, options: &[OptionSpec]) -> Command {
    let heading = |option: &OptionSpec| match option.classes[..] {
        [class] => class,
        _ => SEVERAL,
    };
    let (of_one, of_several): (Vec<_>, Vec<_>) = options.iter().partition(|option| option.classes.len() == 1);
    let all = of_several.into_iter().chain(of_one);
    command.args(all.map(|option| argument(option).help_heading(heading(option))))
}

/// An option as a clap argument.
fn argument(option: &OptionSpec) -> Arg {
    let argument = Arg::new(option.name)
        .long(option.name)
        .help(option.help.clone())
        .hide_short_help(option.rare)
        .conflicts_with_all(option.conflicts);
    let argument = match option.short {
        Some(short) => argument.short(short),
        None => argument,
    };
    let argument = option.alias.into_iter().fold(argument, Arg::alias);
    let argument = option.requires.into_iter().fold(argument, |argument, other| argument.requires(other));
    let argument = option.default.into_iter().fold(argument, |argument, value| argument.default_value(value));
    let valued = || {
        argument
            .clone()
            .value_name(option.value_name)
            .allow_hyphen_values(option.signed)
            .allow_negative_numbers(true)
    };
    let argument = match &option.accepts {
        Accepts::Flag => return argument.action(ArgAction::SetTrue),
        Accepts::Any => valued(),
        Accepts::OneOf(names) => valued().value_parser(names_parser(names)),
        Accepts::Checked(check) => {
            let check = *check;
            valued().value_parser(move |text: &str| check(text).map(|()| text.to_owned()))
        }
    };
    match option.occurs {
        Occurs::Once => argument,
        Occurs::List => argument.action(ArgAction::Append).value_delimiter(','),
        Occurs::Often => argument.action(ArgAction::Append),
    }
}

/// A parser that accepts these names, each with its help or an empty string.
pub(super) fn names_parser(names: &[(&'static str, impl AsRef<str>)]) -> PossibleValuesParser {
    let value = |name: &'static str, help: &str| match help.is_empty() {
        true => PossibleValue::new(name),
        false => PossibleValue::new(name).help(help.to_owned()),
    };
    PossibleValuesParser::new(names.iter().map(|(name, help)| value(name, help.as_ref())))
}

/// The options of one command, and which of them were given.
pub(super) struct Given {
    options: Vec<Offered>,
    values: OptionValues,
}

impl Given {
    /// Collects the options of the chosen subcommand from `matches`; `classes` are those of machines.
    pub(super) fn of(command: &Command, matches: &ArgMatches, classes: &[OptionSpec]) -> Self {
        let chosen =
            matches.subcommand().and_then(|(name, matches)| Some((command.find_subcommand(name)?, matches)));
        match chosen {
            Some((command, matches)) => Self::in_matches(command, matches, classes),
            None => Self { options: Vec::new(), values: OptionValues::default() },
        }
    }

    fn in_matches(command: &Command, matches: &ArgMatches, classes: &[OptionSpec]) -> Self {
        let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let option = |argument: &Arg| {
            let id = argument.get_id().as_str();
            let shown = match (argument.get_long(), argument.get_value_names()) {
                (Some(long), _) => format!("--{long}"),
                (None, Some([name, ..])) => name.to_string(),
                (None, _) => id.to_owned(),
            };
            Offered { name: id.to_owned(), shown, given: given(id) }
        };
        let of_class = |argument: &&Arg| classes.iter().any(|option| argument.get_id() == option.name);
        let (own, others): (Vec<&Arg>, Vec<&Arg>) = command.get_arguments().partition(of_class);
        let mut options: Vec<Offered> = others.into_iter().map(option).collect();
        let at = options.iter().position(|option| option.name == BEFORE).map_or(0, |place| place + 1);
        options.splice(at..at, own.into_iter().map(option));
        let values = classes.iter().filter(|option| given(option.name)).fold(
            OptionValues::default(),
            |values, option| match option.accepts {
                Accepts::Flag => values.with(option.name, [""; 0]),
                _ => values.with(option.name, matches.get_many::<String>(option.name).into_iter().flatten()),
            },
        );
        Self { options, values }
    }

    /// The given options of classes of machines.
    pub(super) fn values(&self) -> &OptionValues {
        &self.values
    }

    /// Refuses the first given option that does not apply to a machine, or that it does not take.
    pub(super) fn check_machine(
        &self,
        registry: &Registry,
        machine: &dyn Machine,
        task: Task,
    ) -> Result<(), CommandError> {
        let given: Vec<&str> =
            self.options.iter().filter(|option| option.given).map(|option| option.name.as_str()).collect();
        let known = registry.refuse_foreign(machine, task, &self.options);
        let checked = known.and_then(|()| check(&machine.class().options(task), &self.values, &given));
        checked.and_then(|()| machine.accept(task, &self.values)).map_err(CommandError::Usage)
    }

    /// Refuses the first given option that does not apply to `kind`; the message names the task and the reason with `whose`.
    pub(super) fn check<K: Copy + PartialEq>(
        &self,
        table: &Table<K>,
        kind: K,
        whose: &dyn Display,
    ) -> Result<(), CommandError> {
        let takes = |id: &str| table.iter().any(|(kinds, ids)| kinds.contains(&kind) && ids.contains(&id));
        let takes = |option: &Offered| takes(&option.name);
        refusal(&self.options, &takes, whose).map_err(CommandError::Usage)
    }
}

/// The faults of a table: options that are not in exactly one row, and rows that name an unknown option.
#[cfg(test)]
pub(super) fn faults<K>(command: &Command, table: &Table<K>) -> Vec<String> {
    let known: Vec<&str> = command.get_arguments().map(|argument| argument.get_id().as_str()).collect();
    let named: Vec<&str> = table.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
    let rows = |id: &str| named.iter().filter(|named| **named == id).count();
    let missing = known.iter().filter(|id| rows(id) != 1).map(|id| format!("`{id}` is in {} rows", rows(id)));
    let unknown = named.iter().filter(|id| !known.contains(id)).map(|id| format!("there is no `{id}`"));
    missing.chain(unknown).collect()
}

//! `kalg completions` and `kalg man`: what shells and `man` are told of the command line. Packagers use them; the help does not list them.

use clap::{Args, Command};
use clap_complete::Shell;

use super::outcome::{CommandError, Outcome};
use super::output::write_result;

/// `kalg completions`.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints a script that completes the arguments of kalg.
    pub(super) fn run(&self, command: &mut Command) -> Result<Outcome, CommandError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "kalg", &mut script);
        print(&script)
    }
}

/// `kalg man`.
#[derive(Debug, Args)]
pub(super) struct Man {
    /// The page of a subcommand, such as `optimize` or `rules check`, in place of that of kalg
    #[arg(value_name = "SUBCOMMAND")]
    path: Vec<String>,
}

impl Man {
    /// Prints a page for `man`.
    pub(super) fn run(&self, command: &mut Command) -> Result<Outcome, CommandError> {
        command.build();
        let mut found = &*command;
        for name in &self.path {
            found = found.find_subcommand(name).ok_or_else(|| {
                CommandError::Usage(format!("kalg has no subcommand `{}`", self.path.join(" ")))
            })?;
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(for_page(found)).render(&mut page).map_err(CommandError::StandardOutput)?;
        print(&page)
    }
}

/// A command for its manual page: with the usage of its help, and the long help of every option. clap_mangen leaves out
/// what the short help does not show.
fn for_page(command: &Command) -> Command {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim().to_owned();
    command.clone().override_usage(usage).mut_args(|argument| argument.hide_short_help(false))
}

fn print(text: &[u8]) -> Result<Outcome, CommandError> {
    write_result(None, &String::from_utf8_lossy(text))?;
    Ok(Outcome::Done)
}

//! The command as a process, and its output.
#![expect(clippy::unwrap_used, reason = "a test stops where its own files or processes fail")]

use std::process::{Command, Output};

pub(crate) fn kalg() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalg"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("NO_COLOR");
    command
}

/// Runs `kalg optimize … --cost TARGET --nodes 100` with the first target.
pub(crate) fn optimize(arguments: &[&str]) -> Output {
    let target = kalg::backend::array::machine::builtin_names()[0];
    kalg().arg("optimize").args(arguments).args(["--cost", target, "--nodes", "100"]).output().unwrap()
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

//! The command as a process, its output, and the files that tests give it.
#![expect(clippy::unwrap_used, reason = "a test stops where its own files or processes fail")]

use std::fs;
use std::path::{Path, PathBuf};
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

/// A temporary folder for one test, removed at the end.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn file(&self, name: &str, contents: &[u8]) -> String {
        let path = self.0.join(name);
        fs::write(&path, contents).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

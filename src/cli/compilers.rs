//! The system's compilers of C and C++, for checking and measuring emitted code.

use std::path::Path;
use std::process::{Command, Stdio};

use super::files::Scratch;
use crate::backend::{CTimer, Cpp};

/// The C++ compiler that `CXX` names, `c++` by default.
#[derive(Debug)]
pub struct SystemCpp;

impl SystemCpp {
    fn name() -> String {
        std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned())
    }
}

impl Cpp for SystemCpp {
    fn is_there(&self) -> bool {
        let asked =
            Command::new(Self::name()).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    }

    fn run(&self, code: &str, includes: &[(&str, &str)]) -> Result<Vec<i64>, String> {
        let files: Vec<(&str, &str)> = includes.iter().copied().chain([("code.cpp", code)]).collect();
        printed(&Self::name(), &["-std=c++17", "-O0", "-fno-strict-aliasing"], &files)
    }
}

/// A C compiler that optimizes for this processor.
#[derive(Debug)]
pub struct SystemC {
    /// The words of the command.
    command: Vec<String>,
}

/// The flags with which code is measured.
pub(super) const FAST: [&str; 3] = ["-std=c99", "-O3", "-march=native"];

impl SystemC {
    /// The compiler that `CC` names, `cc` by default. Flags in it come last, so that they hold.
    pub fn named() -> Self {
        let asked = std::env::var("CC").unwrap_or_default();
        let asked = if asked.trim().is_empty() { "cc" } else { asked.as_str() };
        let words = || asked.split_whitespace();
        // There may be a compiler's wrapper before it, which has no flags.
        let command = words().take_while(|word| !word.starts_with('-'));
        let flags = words().skip_while(|word| !word.starts_with('-'));
        Self { command: command.chain(FAST).chain(flags).map(str::to_owned).collect() }
    }
}

impl CTimer for SystemC {
    fn command(&self) -> String {
        self.command.join(" ")
    }

    fn run(&self, files: &[(String, String)]) -> Result<Vec<f64>, String> {
        let files: Vec<(&str, &str)> =
            files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let flags: Vec<&str> = self.command[1..].iter().map(String::as_str).collect();
        printed(&self.command[0], &flags, &files)
    }
}

/// Compiles files to a program and runs it, in a folder of their own. Files that are not headers are compiled. Returns the numbers that
/// the program prints.
pub(super) fn printed<N: std::str::FromStr>(
    compiler: &str,
    flags: &[&str],
    files: &[(&str, &str)],
) -> Result<Vec<N>, String> {
    let folder = Scratch::new("code").map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let folder = folder.path();
    let write = |(name, text): &(&str, &str)| std::fs::write(folder.join(name), text);
    files
        .iter()
        .try_for_each(write)
        .map_err(|error| format!("cannot write to `{}`: {error}", folder.display()))?;
    let is_source = |name: &&str| Path::new(name).extension().is_some_and(|of| of == "c" || of == "cpp");
    let program = folder.join("program");
    let compiled = Command::new(compiler)
        .args(flags)
        .args(files.iter().map(|(name, _)| *name).filter(is_source).map(|name| folder.join(name)))
        .arg("-o")
        .arg(&program)
        .arg("-lm")
        .output()
        .map_err(|error| format!("cannot run `{compiler}`: {error}"))?;
    if !compiled.status.success() {
        let said = String::from_utf8_lossy(&compiled.stderr);
        return Err(format!("`{compiler}` ends with {}: {said}", compiled.status));
    }
    let ran = Command::new(&program).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&ran.stdout);
    if !ran.status.success() {
        return Err(format!("it ends with {}: {text}{}", ran.status, String::from_utf8_lossy(&ran.stderr)));
    }
    text.split_whitespace().map(|word| word.parse().map_err(|_| format!("it prints `{word}`"))).collect()
}

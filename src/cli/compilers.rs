//! The system's compilers of C and C++, for checking and measuring emitted code.

use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use super::files::Scratch;
use crate::backend::{CTimer, Cpp};

/// A compiler and its flags.
#[derive(Debug)]
pub(super) struct Compiler {
    /// The command without flags. There may be a compiler's wrapper in it.
    command: String,
    flags: Vec<String>,
}

impl Compiler {
    /// The compiler of a command, with these flags. Those in the command come after them, so that they hold.
    pub(super) fn new(command: &str, flags: &[&str]) -> Self {
        let words: Vec<&str> = command.split_whitespace().collect();
        let end = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
        let (command, last) = words.split_at(end);
        Self {
            command: command.join(" "),
            flags: flags.iter().chain(last).map(ToString::to_string).collect(),
        }
    }

    /// The compiler that a variable of the environment names.
    fn named(variable: &str, default: &str, flags: &[&str]) -> Self {
        let asked = std::env::var(variable).ok().filter(|asked| !asked.trim().is_empty());
        Self::new(asked.as_deref().unwrap_or(default), flags)
    }

    /// The command without flags, to run.
    fn start(&self) -> Command {
        let mut words = self.command.split(' ');
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command
    }

    /// Whether it is installed.
    pub(super) fn is_there(&self) -> bool {
        let asked = self.start().arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    }

    /// Compiles files to a program and runs it, in a folder of their own. Files that are not headers are compiled. Returns the
    /// numbers that the program prints.
    pub(super) fn printed<N: FromStr>(&self, files: &[(&str, &str)]) -> Result<Vec<N>, String> {
        let folder =
            Scratch::new("code").map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let folder = folder.path();
        let write = |(name, text): &(&str, &str)| std::fs::write(folder.join(name), text);
        files
            .iter()
            .try_for_each(write)
            .map_err(|error| format!("cannot write to `{}`: {error}", folder.display()))?;
        let is_source = |name: &&str| Path::new(name).extension().is_some_and(|of| of == "c" || of == "cpp");
        let (name, program) = (&self.command, folder.join("program"));
        let compiled = self
            .start()
            .args(files.iter().map(|(name, _)| *name).filter(is_source).map(|name| folder.join(name)))
            // Libraries among the flags come after what uses them.
            .args(&self.flags)
            .arg("-o")
            .arg(&program)
            .arg("-lm")
            .output()
            .map_err(|error| format!("cannot run `{name}`: {error}"))?;
        if !compiled.status.success() {
            let said = String::from_utf8_lossy(&compiled.stderr);
            return Err(format!("`{name}` ends with {}: {said}", compiled.status));
        }
        let ran = Command::new(&program).output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&ran.stdout);
        if !ran.status.success() {
            return Err(format!(
                "it ends with {}: {text}{}",
                ran.status,
                String::from_utf8_lossy(&ran.stderr)
            ));
        }
        text.split_whitespace().map(|word| word.parse().map_err(|_| format!("it prints `{word}`"))).collect()
    }
}

/// The C++ compiler that `CXX` names, `c++` by default.
#[derive(Debug)]
pub struct SystemCpp(Compiler);

impl SystemCpp {
    /// The compiler, with flags in `CXX` last, so that they hold.
    pub fn named() -> Self {
        Self(Compiler::named("CXX", "c++", &["-std=c++17", "-O0", "-fno-strict-aliasing"]))
    }
}

impl Cpp for SystemCpp {
    fn is_there(&self) -> bool {
        self.0.is_there()
    }

    fn run(&self, code: &str, includes: &[(&str, &str)]) -> Result<Vec<i64>, String> {
        self.0.printed(&[includes, &[("code.cpp", code)]].concat())
    }
}

/// The C compiler that `CC` names, `cc` by default. It optimizes for this processor.
#[derive(Debug)]
pub struct SystemC(Compiler);

/// The flags with which code is measured.
pub(super) const FAST: [&str; 3] = ["-std=c99", "-O3", "-march=native"];

impl SystemC {
    /// The compiler, with flags in `CC` last, so that they hold.
    pub fn named() -> Self {
        Self(Compiler::named("CC", "cc", &FAST))
    }
}

impl CTimer for SystemC {
    fn command(&self) -> String {
        format!("{} {}", self.0.command, self.0.flags.join(" "))
    }

    fn run(&self, files: &[(String, String)]) -> Result<Vec<f64>, String> {
        let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        self.0.printed(&files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_may_have_a_wrapper_and_flags() {
        let of = |command: &str| {
            let Compiler { command, flags } = Compiler::new(command, &["-O3"]);
            format!("{command} / {}", flags.join(" "))
        };
        assert_eq!(of("c++"), "c++ / -O3");
        assert_eq!(of(" ccache  g++ -O1 -m32 "), "ccache g++ / -O3 -O1 -m32");
        assert!(!Compiler::new("", &[]).is_there(), "nothing is no compiler");
    }
}

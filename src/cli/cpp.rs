//! The system's C++ compiler, for checking emitted code.

use std::path::Path;
use std::process::{Command, Stdio};

use super::files::Scratch;
use crate::backend::Cpp;

/// The compiler that `CXX` names, `c++` by default.
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
        let folder =
            Scratch::new("code").map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        run(folder.path(), includes, code)
    }
}

fn run(folder: &Path, includes: &[(&str, &str)], code: &str) -> Result<Vec<i64>, String> {
    let (source, program) = (folder.join("code.cpp"), folder.join("code"));
    let write = |(name, text): (&str, &str)| std::fs::write(folder.join(name), text);
    let included = includes.iter().try_for_each(|include| write(*include));
    included
        .and_then(|()| std::fs::write(&source, code))
        .map_err(|error| format!("cannot write to `{}`: {error}", folder.display()))?;
    let compiled = Command::new(SystemCpp::name())
        .args(["-std=c++17", "-O0", "-fno-strict-aliasing"])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .map_err(|error| error.to_string())?;
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let ran = Command::new(&program).output().map_err(|error| error.to_string())?;
    if !ran.status.success() {
        return Err(format!("it ends with {}", ran.status));
    }
    let text = String::from_utf8_lossy(&ran.stdout);
    text.split_whitespace().map(|word| word.parse().map_err(|_| format!("it prints `{word}`"))).collect()
}

//! The system's C++ compiler, for checks of emitted code.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::files::Scratch;
use crate::backend::vector::RunCode;
use crate::backend::vector::machine::header;

/// The compiler that `CXX` names, or else `c++`.
fn compiler() -> String {
    std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned())
}

/// What compiles and runs C++ that includes a header of kalg's; `None` without such a header or without a compiler.
pub(super) fn runner(name: &str) -> Option<RunCode> {
    let text = header(name)?;
    let name = name.to_owned();
    let asked =
        Command::new(compiler()).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !asked.is_ok_and(|status| status.success()) {
        return None;
    }
    Some(Arc::new(move |code| {
        let folder =
            Scratch::new("code").map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        run(folder.path(), (&name, text), code)
    }))
}

fn run(folder: &Path, (header, text): (&str, &str), code: &str) -> Result<Vec<i64>, String> {
    let (source, program) = (folder.join("code.cpp"), folder.join("code"));
    std::fs::write(folder.join(header), text)
        .and_then(|()| std::fs::write(&source, code))
        .map_err(|error| format!("cannot write to `{}`: {error}", folder.display()))?;
    let compiled = Command::new(compiler())
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

//! Says of which commit kalg is built: `KALG_VERSION` is `0.1.0 (5a57959dc)`, or `0.1.0` where that is not known.
//!
//! The commit is the last one that changed the sources. It is looked up only when they have changed, so that a commit alone builds nothing
//! anew.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What kalg is made of.
const SOURCES: &[&str] = &["build.rs", "src", "rules", "Cargo.toml", "Cargo.lock"];

/// The digits of a commit: enough to tell those of one project apart.
const DIGITS: usize = 9;

fn main() {
    for path in SOURCES {
        println!("cargo::rerun-if-changed={path}");
    }
    let version = env::var("CARGO_PKG_VERSION").expect("Cargo sets the version");
    let commit = packaged().or_else(checked_out).map_or(String::new(), |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=KALG_VERSION={version}{commit}");
}

/// The commit that `cargo package` noted in what it packed.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1)?.get(..DIGITS).map(str::to_owned)
}

/// The commit of this folder, if it is a working tree of its own, and whether the sources differ from it.
fn checked_out() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    let format = format!("--abbrev={DIGITS}");
    let commit = git(&[&["log", "-1", "--format=%h", &format, "--"], SOURCES].concat())?;
    let changed = git(&[&["status", "--porcelain", "--"], SOURCES].concat())?;
    let commit = Some(commit).filter(|commit| !commit.is_empty())?;
    Some(if changed.is_empty() { commit } else { format!("{commit}, changed") })
}

/// What git prints. It must not write to the repository, where another git may be at work.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("--no-optional-locks").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

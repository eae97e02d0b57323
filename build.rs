//! Says which commit kalg is built of: `KALG_VERSION` is `0.1.0 (4093af8)`, or `0.1.0` where that is not known.
//!
//! Only optimised builds say it. A build script that looks at the commit runs after every commit, and what it belongs to is built
//! again; that is for those who give kalg away, not for those who change it.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What a built kalg is made of.
const SOURCES: &[&str] = &["build.rs", "src", "rules", "Cargo.toml", "Cargo.lock"];

/// The first digits of a commit: enough to tell those of one project apart.
const DIGITS: usize = 9;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let version = env::var("CARGO_PKG_VERSION").expect("Cargo sets the version");
    let optimised = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = if optimised { packaged().or_else(checked_out) } else { None };
    let commit = commit.map_or(String::new(), |commit| format!(" ({commit})"));
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
    // The log of HEAD grows with every commit, checkout and reset. In a new repository it may not exist yet.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    for path in SOURCES.iter().chain([&log.as_str()]).filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={path}");
    }
    let commit = git(&["rev-parse", &format!("--short={DIGITS}"), "HEAD"])?;
    let changed = git(&[&["status", "--porcelain", "--"], SOURCES].concat())?;
    Some(if changed.is_empty() { commit } else { format!("{commit}, changed") })
}

/// What git prints. It must not write to the repository, where another git may be at work.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").arg("--no-optional-locks").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

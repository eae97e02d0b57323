//! Files of every kind, damaged: each is read, or refused with a message. The targets are those of `fuzz/`, without its engine.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};

#[allow(unreachable_pub, reason = "the targets are a library of their own, too")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

/// The longest range of bytes that one damage removes, repeats or brings from another file.
const MAX_RANGE: usize = 80;

/// The longest file after it was damaged.
const MAX_BYTES: usize = 1 << 15;

/// One damage to a file. Places are relative to its length.
#[derive(Clone, Debug)]
enum Damage {
    /// Any bytes take the place of others.
    Overwrite(Index, Vec<u8>),
    /// A range is removed.
    Remove(Index, usize),
    /// A range is repeated elsewhere.
    Repeat(Index, Index, usize),
    /// A range of another file is inserted.
    Splice(Index, Index, Index, usize),
    /// A word of another file takes the place of a word.
    Replace(Index, Index, Index),
    /// The rest is cut off.
    Truncate(Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<Index>;
    let length = || 1..=MAX_RANGE;
    prop_oneof![
        1 => (index(), prop::collection::vec(any::<u8>(), 1..4)).prop_map(|(at, bytes)| Damage::Overwrite(at, bytes)),
        1 => (index(), length()).prop_map(|(at, length)| Damage::Remove(at, length)),
        1 => (index(), index(), length()).prop_map(|(from, to, length)| Damage::Repeat(from, to, length)),
        1 => (index(), index(), index(), length())
            .prop_map(|(file, from, to, length)| Damage::Splice(file, from, to, length)),
        4 => (index(), index(), index()).prop_map(|(file, word, at)| Damage::Replace(file, word, at)),
        1 => index().prop_map(Damage::Truncate),
    ]
}

/// The ranges of the words of a file: what stands between spaces, brackets and commas.
fn words(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let parts = bytes.chunk_by(|a, b| {
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./\"".contains(byte);
        inside(a) && inside(b)
    });
    let mut end = 0;
    parts
        .map(|part| {
            end += part.len();
            end - part.len()..end
        })
        .collect()
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>, files: &[Vec<u8>]) {
        let place = |index: &Index, bytes: &[u8]| index.index(bytes.len() + 1);
        let range = |from: usize, length: usize, bytes: &[u8]| from..(from + length).min(bytes.len());
        match self {
            Self::Overwrite(at, new) => {
                let range = range(place(at, bytes), new.len(), bytes);
                bytes.splice(range, new.iter().copied());
            }
            Self::Remove(at, length) => drop(bytes.drain(range(place(at, bytes), *length, bytes))),
            Self::Repeat(from, to, length) => {
                let part = bytes[range(place(from, bytes), *length, bytes)].to_vec();
                let to = place(to, bytes);
                bytes.splice(to..to, part);
            }
            Self::Splice(file, from, to, length) => {
                let other = file.get(files);
                let part = &other[range(place(from, other), *length, other)];
                let to = place(to, bytes);
                bytes.splice(to..to, part.iter().copied());
            }
            Self::Replace(file, word, at) => {
                let other = file.get(files);
                let (own, others) = (words(bytes), words(other));
                if !own.is_empty() && !others.is_empty() {
                    bytes.splice(at.get(&own).clone(), other[word.get(&others).clone()].iter().copied());
                }
            }
            Self::Truncate(at) => bytes.truncate(place(at, bytes)),
        }
        bytes.truncate(MAX_BYTES);
    }
}

/// A file, which shows itself as text in the report of a failure.
#[derive(Clone)]
struct File(Vec<u8>);

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Runs a target on damaged files, of its corpus and of the folders that campaigns start from; always the same ones.
fn run(name: &str, seeds: &[&str], cases: u32, target: fn(&[u8])) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let own = format!("fuzz/corpus/{name}");
    let folders = std::iter::once(own.as_str()).chain(seeds.iter().copied());
    let entries = folders.flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    let files: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let config =
        Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() };
    let inputs = (any::<Index>(), prop::collection::vec(damage(), 1..4)).prop_map(|(file, damages)| {
        let mut bytes = file.get(&files).clone();
        damages.iter().for_each(|damage| damage.apply(&mut bytes, &files));
        File(bytes)
    });
    let test = |File(bytes): File| {
        target(&bytes);
        Ok(())
    };
    TestRunner::new(config).run(&inputs, test).unwrap();
}

#[test]
fn programs() {
    run("program", &["corpus/handwritten"], 400, targets::program);
}

#[test]
fn kernel_files_certificates_and_workloads() {
    let seeds = ["corpus/classic", "corpus/papers", "corpus/cnn", "corpus/vyasa", "corpus/bytes"];
    run("kernel_file", &seeds, 3_000, targets::kernel_file);
}

#[test]
fn code_in_vector_intrinsics() {
    run("vector_code", &["corpus/handwritten-aie"], 500, targets::vector_code);
}

#[test]
fn rule_files() {
    run("rules", &["rules"], 600, targets::rules);
}

#[test]
fn descriptors() {
    run("descriptor", &["rules/scamp5", "rules/aie", "rules/ops"], 300, targets::descriptor);
}

#[test]
fn json() {
    run("json", &[], 3_000, targets::json);
}

#[test]
fn pictures() {
    run("picture", &[], 2_000, targets::picture);
}

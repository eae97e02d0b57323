//! Runs the fuzz targets on their saved inputs, whole and truncated: none panics. The targets, and how to run them on arbitrary
//! bytes, are in `fuzz/`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;

#[allow(unreachable_pub, reason = "the targets are a library of their own, too")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

/// The maximum length of inputs that are truncated after every byte.
const SHORT: usize = 400;

/// Runs a target on the files of its corpus and of its seed folders: short named ones truncated after every
/// byte, those that a campaign found whole, the others truncated at a few places.
#[expect(clippy::print_stdout, reason = "a test that fails shows which input did it")]
fn replay(name: &str, seeds: &[&str], target: fn(&[u8])) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let own = (root.join("fuzz/corpus").join(name), 1);
    let others = seeds.iter().map(|folder| (root.join(folder), 61));
    let mut runs = 0;
    for (folder, stride) in std::iter::once(own).chain(others) {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.is_file()) {
            let bytes = std::fs::read(path).unwrap();
            let found = path.file_name().unwrap().to_string_lossy().starts_with("campaign-");
            let stride = if found { SHORT } else { stride };
            for length in (1..=bytes.len().min(SHORT)).step_by(stride).chain([bytes.len()]) {
                println!("{name}: {}, {length} bytes", path.display());
                target(&bytes[..length]);
                runs += 1;
            }
        }
    }
    assert!(runs > 100, "the corpus of {name} is missing");
}

#[test]
fn programs() {
    replay("program", &["corpus/handwritten"], targets::program);
}

#[test]
fn kernel_files_certificates_and_workloads() {
    replay(
        "kernel_file",
        &["corpus/classic", "corpus/papers", "corpus/bytes", "corpus/vyasa"],
        targets::kernel_file,
    );
}

#[test]
fn code_in_vector_intrinsics() {
    replay("vector_code", &["corpus/handwritten-aie"], targets::vector_code);
}

#[test]
fn rule_files() {
    replay("rules", &["rules"], targets::rules);
}

#[test]
fn descriptors() {
    replay("descriptor", &["rules/scamp5", "rules/aie", "rules/ops"], targets::descriptor);
}

#[test]
fn json() {
    replay("json", &[], targets::json);
}

#[test]
fn pictures() {
    replay("picture", &[], targets::picture);
}

//! What the fuzz targets do with any bytes. None may panic; `tests/cli/fuzz_corpus.rs` does the same with the kept corpora, and
//! `tests/engine/damaged_files.rs` with damaged files.

use std::sync::{Arc, LazyLock};

use kalg::algebra::PlusTimes;
use kalg::backend::array::compile::{CheckRequest, OptimizeRequest, check_program, optimize};
use kalg::backend::array::machine::{Reading, Target, builtin_names, read_listing, read_target};
use kalg::backend::array::verify::replay;
use kalg::backend::scan::{StreamRequest, optimize_stream};
use kalg::backend::vector::report::code_check_text;
use kalg::backend::vector::workload::read_workload;
use kalg::backend::vector::{CodeRequest, check_code};
use kalg::backend::{CheckError, OptimizeError};
use kalg::backend::{scan, vector};
use kalg::budget::Budget;
use kalg::picture::{PictureFormat, read_picture, read_samples, write_picture, write_samples};
use kalg::report::{Baselines, BatchLine, OptimizeRecord};
use kalg::rule::{RuleSet, report};
use kalg::saturate::{cost_change, overlap, try_example, window_change};
use kalg::syntax::{Diagnostics, Source, render};
use kalg::term::{denote, denote_linear, footprints, print_filter, read_filter};

/// A filter that every machine has a program for.
const FILTER: &str = "(filter f (inputs image) (output out (kernel (1 2 1))))";

static TARGET: LazyLock<Arc<Target>> =
    LazyLock::new(|| Arc::new(Target::builtin(builtin_names()[0]).expect("a built-in target")));

static VECTOR: LazyLock<Arc<vector::machine::VliwMachine>> = LazyLock::new(|| {
    let name = vector::machine::VliwMachine::builtin_names()[0];
    Arc::new(vector::machine::VliwMachine::builtin(name).expect("a built-in machine"))
});

static RULES: LazyLock<RuleSet> = LazyLock::new(RuleSet::builtin);

fn filter() -> Source {
    Source::new("filter.sexp", FILTER)
}

/// Messages are made, too: places in odd bytes are where that errs.
fn refused(source: &Source, diagnostics: &Diagnostics) {
    assert!(render(source, diagnostics, false).contains("error"), "a message says that it is an error");
}

/// A program of an array: read, traced, and judged where that is possible.
pub fn program(bytes: &[u8]) {
    let source = Source::from_bytes("fuzz", bytes.to_vec());
    let reading = Reading { assume_all: true, ..Reading::default() };
    let listing = match read_listing(&TARGET, &source, &reading) {
        Err(diagnostics) => return refused(&source, &diagnostics),
        Ok(listing) => listing,
    };
    let printed = Source::new("printed", TARGET.print(&listing.program));
    let again = read_listing(&TARGET, &printed, &Reading::default()).expect("a printed program reads");
    assert_eq!(again.program, listing.program, "what is printed reads back");
    let _answer = check_program(&CheckRequest {
        against: Some(filter()),
        against_reading: reading.clone(),
        lenient: true,
        ..CheckRequest::new(source, Arc::clone(&TARGET), reading)
    });
}

/// S-expressions that are no descriptors: a kernel file, a certificate and a workload.
pub fn kernel_file(bytes: &[u8]) {
    let source = Source::from_bytes("fuzz", bytes.to_vec());
    match read_filter(&source) {
        Err(diagnostics) => refused(&source, &diagnostics),
        Ok(filter) => {
            let printed = Source::new("printed", print_filter(&filter));
            let again = read_filter(&printed).expect("a printed filter reads");
            assert_eq!(again, filter, "what is printed reads back");
            let denoted = [
                denote::<PlusTimes>(&filter).map(drop),
                denote_linear(&filter).map(drop),
                footprints(&filter).map(drop),
            ];
            denoted
                .iter()
                .filter_map(|result| result.as_ref().err())
                .for_each(|wrong| refused(&source, wrong));
        }
    }
    let _replayed = replay(&TARGET, &source);
    if let Err(diagnostics) = read_workload(&source) {
        refused(&source, &diagnostics);
    }
}

/// Code in vector intrinsics: read, followed and compared.
pub fn vector_code(bytes: &[u8]) {
    compare_code(&VECTOR, Source::from_bytes("fuzz", bytes.to_vec()));
}

fn compare_code(machine: &Arc<vector::machine::VliwMachine>, source: Source) {
    let request = CodeRequest {
        source,
        against: Some(filter()),
        machine: Arc::clone(machine),
        block: None,
        inputs: Vec::new(),
        outputs: Vec::new(),
        rows: Vec::new(),
        pitch: None,
        output_pitch: None,
        anchor: None,
        tile: None,
        weights: Vec::new(),
        defines: Vec::new(),
        input_range: None,
        lenient: true,
    };
    match check_code(&request) {
        Ok(record) => drop(code_check_text(&record)),
        Err(CheckError::Source(_, diagnostics)) => refused(&request.source, &diagnostics),
        Err(CheckError::Usage(_)) => {}
    }
}

/// A rule file, which may include those that are built in: read, and its first rules checked, tried and compared.
pub fn rules(bytes: &[u8]) {
    let source = Source::from_bytes("rules/fuzz.rules", bytes.to_vec());
    let rules = match RuleSet::from_files(vec![source], &|_, name| RuleSet::open_builtin(name)) {
        Err(errors) => {
            return assert!(errors.render(false).contains("error"), "a message says that it is an error");
        }
        Ok(rules) => rules,
    };
    let own = rules.rules().iter().filter(|rule| rule.place.starts_with("rules/fuzz.rules"));
    for rule in own.take(3) {
        let _report = report(rule, 2, 1);
        for example in &rule.examples {
            let _outcome = try_example(rule, example);
        }
        let _costs = (cost_change(rule, 1), window_change(rule));
        let _overlap = overlap(rule, &rules.filtered(|other| other.name != rule.name), 1);
    }
}

/// A descriptor, read as that of an array, of a vector machine and of one in scan order; where it is one, it is put to use.
pub fn descriptor(bytes: &[u8]) {
    let source = Source::from_bytes("fuzz", bytes.to_vec());
    match read_target(&source) {
        Err(diagnostics) => refused(&source, &diagnostics),
        Ok(target) => compile(&Arc::new(target)),
    }
    match vector::machine::read_machine(&source) {
        Err(diagnostics) => refused(&source, &diagnostics),
        Ok(machine) => {
            let code =
                Source::new("code.cc", include_str!("../../corpus/handwritten-aie/box-3-fused-rows.cc"));
            compare_code(&Arc::new(machine), code);
        }
    }
    match scan::machine::read_machine(&source) {
        Err(diagnostics) => refused(&source, &diagnostics),
        Ok(machine) => {
            let request = StreamRequest::new(filter(), Arc::new(machine), RULES.clone());
            internal(optimize_stream(&StreamRequest { budget: Budget::of_work(1), ..request }).err());
        }
    }
}

fn compile(target: &Arc<Target>) {
    for isa in &target.isas {
        let request = OptimizeRequest::new(filter(), Arc::clone(target), &isa.name, RULES.clone());
        internal(optimize(&OptimizeRequest { budget: Budget::of_work(1), ..request }, &mut |_| {}).err());
    }
}

/// A descriptor may describe a machine that nothing can be done with; kalg's own checks must pass in any case.
fn internal(error: Option<OptimizeError>) {
    if let Some(OptimizeError::Internal(why) | OptimizeError::Unsound(why)) = error {
        panic!("kalg's own check failed: {why}");
    }
}

/// JSON: the results of other compilers, a line of a batch, and kalg's own record.
pub fn json(bytes: &[u8]) {
    if let Ok(baselines) = serde_json::from_slice::<Baselines>(bytes) {
        for kernel in &baselines.kernels {
            let source = Source::new("kernel", kernel.kernel_file());
            if let Err(diagnostics) = read_filter(&source) {
                refused(&source, &diagnostics);
            }
        }
    }
    let _line = serde_json::from_slice::<BatchLine>(bytes);
    if let Ok(record) = serde_json::from_slice::<OptimizeRecord>(bytes) {
        let again: OptimizeRecord = serde_json::from_str(&record.to_json()).expect("a record reads back");
        assert_eq!(again.to_json(), record.to_json(), "what is written reads back");
    }
}

/// A picture, in PNG or PGM: as registers hold it, and its samples as they are.
pub fn picture(bytes: &[u8]) {
    for format in [PictureFormat::Png, PictureFormat::Pgm] {
        if let Ok(image) = read_picture(bytes) {
            let file = write_picture(&image, format).expect("a picture that was read can be written");
            assert_eq!(read_picture(&file).as_ref(), Ok(&image), "what is written reads back");
        }
        if let Ok((image, most)) = read_samples(bytes) {
            let file = write_samples(&image, most, format).expect("samples that were read can be written");
            assert_eq!(read_samples(&file).expect("what is written reads back").0, image);
        }
    }
}

//! Compiles filters for the tests, and checks the results again: from the printed text of the program, on other
//! images than the compiler's own check, against a separate convolution.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![allow(dead_code, reason = "no test uses all of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kalg::backend::OptimizeError;
use kalg::backend::array::compile::{OptimizeRequest, optimize};
use kalg::backend::array::machine::{Division, Operand, Program, RegisterId, Target};
use kalg::backend::array::simulate::{Options, PixelArray};
use kalg::budget::Budget;
use kalg::picture::{Image, Pattern};
use kalg::pipeline::is_pipeline;
use kalg::report::OptimizeRecord;
use kalg::rule::RuleSet;
use kalg::syntax::{Source, render};
use kalg::term::{filter_placed, read_filter};

/// The size of the array that programs run on again: larger than any kernel of the corpus, and not square.
const ARRAY: [usize; 2] = [40, 34];
/// The initial value of registers without an input, which detects programs that rely on it.
const RUBBISH: f64 = -37.0;
/// The seed of the first channel's image.
const SEED: u64 = 0x5EED;
/// The tolerance of sums of thirds, relative to the sum of the magnitudes of their terms. Dyadic sums are exact.
const TOLERANCE: f64 = 1e-12;

/// Every filter of a folder of the corpus, or of all folders for "", sorted by name.
pub(crate) fn corpus(folder: &str) -> Vec<PathBuf> {
    let mut pending = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.unwrap().path();
            if path.ends_with("scan-order") {
                // Filters for machines with memory, some of them over other semirings.
            } else if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == "sexp") && !is_pipeline(&file(&path)) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// A file of the corpus, by its path there.
pub(crate) fn file(path: impl AsRef<Path>) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(path);
    let text = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Source::from_bytes(path.file_name().unwrap().to_string_lossy(), text)
}

/// A request with the built-in rules and a budget of `nodes`, independent of time.
pub(crate) fn request(source: Source, isa: &str, nodes: u64) -> OptimizeRequest {
    let target = Arc::new(Target::builtin("scamp5").unwrap());
    OptimizeRequest {
        budget: Budget::of_work(nodes),
        ..OptimizeRequest::new(source, target, isa, RuleSet::builtin())
    }
}

/// The record of a request that must not fail; there may be no program.
pub(crate) fn record(request: &OptimizeRequest) -> OptimizeRecord {
    match optimize(request, &mut |_| {}) {
        Ok(record) => record,
        Err(error) => panic!("{}: {}", request.source.name(), error.describe(&request.source)),
    }
}

/// The messages for a request that must be refused.
pub(crate) fn refusal(request: &OptimizeRequest) -> String {
    match optimize(request, &mut |_| {}) {
        Err(OptimizeError::BadInput(diagnostics)) => render(&request.source, &diagnostics, false),
        other => panic!("{} was not refused: {other:?}", request.source.name()),
    }
}

/// The record of a request for which there must be a program, checked again.
pub(crate) fn compiled(request: &OptimizeRequest) -> OptimizeRecord {
    let record = record(request);
    if let Some(none) = &record.no_program {
        panic!("{}, {}: {none:?}", record.file, record.isa);
    }
    recheck(request, &record);
    record
}

/// The program of a record, read from its printed text.
pub(crate) fn program(request: &OptimizeRequest, record: &OptimizeRecord) -> Program {
    let text = record.program.as_ref().expect("there is a program").join("\n");
    let source = Source::new(format!("the program of {}", record.file), text);
    match request.target.parse(&source) {
        Ok(parsed) => parsed.program,
        Err(diagnostics) => panic!("{}", render(&source, &diagnostics, false)),
    }
}

/// Checks everything that a record states about its program.
pub(crate) fn recheck(request: &OptimizeRequest, record: &OptimizeRecord) {
    let target = &request.target;
    let program = program(request, record);
    let context =
        format!("{} ({}, {}):\n{}", record.file, record.isa, record.division, target.print(&program));
    assert_eq!((record.verified.symbolic, record.verified.simulated), (Some(true), Some(true)), "{context}");
    assert_eq!(program.violations(target), [], "{context}");
    assert_eq!(record.instructions, Some(program.instructions.len() as u32), "{context}");
    assert_eq!(record.cycles, program.cycles(target).ok(), "{context}");
    let division = Division::named(&record.division).expect("the record names a way of dividing");
    for instruction in &program.instructions {
        assert!(
            target.admits(&record.isa, division, instruction),
            "{instruction:?} is in another set\n{context}"
        );
        for operand in &instruction.operands {
            let Operand::Register(register) = operand else { continue };
            let general = target.files.iter().find(|f| f.registers.contains(register));
            let named = record.registers.iter().any(|name| name == target.register_name(*register));
            assert!(named || general.is_some_and(|f| f.registers.len() == 1), "{operand:?}\n{context}");
        }
    }
    simulate(request, record, &program, &context);
}

/// Runs a program on noise and compares the valid region of its outputs with direct convolution.
fn simulate(request: &OptimizeRequest, record: &OptimizeRecord, program: &Program, context: &str) {
    let target = &request.target;
    let register = |name: &Option<String>| -> RegisterId {
        target.register(name.as_deref().expect("ports have registers")).expect("registers have names")
    };
    let images: Vec<Image> = (0..record.inputs.len() as u64)
        .map(|channel| Image::synthetic(Pattern::Noise, ARRAY, [-128, 127], SEED + channel))
        .collect();
    let mut machine = PixelArray::new(target.registers.len(), ARRAY, RUBBISH, Options::default());
    for (port, image) in record.inputs.iter().zip(&images) {
        machine.set(register(&port.register), image).unwrap();
    }
    machine.execute(&program.transfers(target).unwrap());
    let kernels = filter_placed(&read_filter(&request.source).unwrap()).unwrap();
    assert_eq!(record.outputs.len(), kernels.len(), "{context}");
    let border = record.valid_border.expect("a program has a border");
    let [west, east, south, north] = [border.west, border.east, border.south, border.north].map(i64::from);
    for (port, (name, kernel)) in record.outputs.iter().zip(&kernels) {
        assert_eq!(&port.name, name, "{context}");
        let taps = kernel.taps().unwrap();
        for (_, [x, y, _], _) in &taps {
            let [x, y] = [*x, *y].map(i64::from);
            assert!(
                -west <= x && x <= east && -south <= y && y <= north,
                "{border:?} is too narrow\n{context}"
            );
        }
        let found = machine.image(register(&port.register));
        for y in south..ARRAY[1] as i64 - north {
            for x in west..ARRAY[0] as i64 - east {
                let terms = taps.iter().map(|(channel, [dx, dy, _], k)| {
                    let pixel = images[usize::from(*channel)].get(x + i64::from(*dx), y + i64::from(*dy));
                    k.to_f64() * pixel.expect("a valid pixel looks at the image only")
                });
                let (expected, size) = terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()));
                let found = found.get(x, y).unwrap();
                assert!(
                    (found - expected).abs() <= TOLERANCE * size,
                    "{name} at ({x}, {y}) is {found}, not {expected}\n{context}"
                );
            }
        }
    }
    if record.keep_input {
        for (port, image) in record.inputs.iter().zip(&images) {
            let kept = machine.image(register(&port.register));
            for y in south..ARRAY[1] as i64 - north {
                for x in west..ARRAY[0] as i64 - east {
                    assert_eq!(
                        kept.get(x, y),
                        image.get(x, y),
                        "{} is gone at ({x}, {y})\n{context}",
                        port.name
                    );
                }
            }
        }
    }
}

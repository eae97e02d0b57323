//! Operands of multiplications in emitted C++ have the sizes that the vendor's guide lists, and our definition of the intrinsics
//! accepts exactly those that the descriptor lists.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use kalg::backend::vector::machine::{Mode, PreAdd, VliwMachine, cpp};
use kalg::backend::vector::schedule::{space, tune};
use kalg::backend::vector::workload::{Element, read_workload};
use kalg::backend::vector::{VectorRequest, optimize_vector};
use kalg::budget::Budget;
use kalg::rule::RuleSet;
use kalg::syntax::Source;

fn machine() -> VliwMachine {
    VliwMachine::builtin(VliwMachine::builtin_names()[0]).unwrap()
}

/// Whether the vendor's guide to the intrinsics lists data of these bits, from one buffer or two, and coefficients of these bits:
/// stated here a second time, independent of the descriptor.
fn is_documented(name: &str, data: &[usize], coefficients: usize) -> bool {
    let combines = name.ends_with("_sym") || name.ends_with("_antisym");
    let listed = matches!(data, [1024] | [512]) || (combines && data == [512, 512]);
    listed && coefficients == 256
}

/// The bits of a vector type's name, as in `v32int16`.
fn bits_of_type(name: &str) -> Option<usize> {
    let (lanes, bits) = name.strip_prefix('v')?.split_once("int")?;
    Some(lanes.parse::<usize>().ok()? * bits.parse::<usize>().ok()?)
}

/// The multiplications of emitted code: the intrinsic, and the bits of each vector argument.
fn multiplications(code: &str) -> Vec<(&str, Vec<usize>)> {
    let mut variables = BTreeMap::new();
    let mut found = Vec::new();
    for line in code.lines().map(str::trim) {
        let words: Vec<&str> = line.split(' ').collect();
        if let ([ty, name, "=", "{};"], Some(bits)) = (&words[..], bits_of_type(words[0])) {
            assert!(variables.insert(*name, bits).is_none(), "{ty} {name} appears twice");
        }
        let call = line.split_once(" = ").and_then(|(_, value)| value.strip_suffix(");")?.split_once('('));
        let Some((name, arguments)) = call.filter(|(name, _)| name.contains("mac") || name.contains("mul"))
        else {
            continue;
        };
        let bits = |name: &str| variables.get(name).copied();
        let mut sizes = Vec::new();
        let mut arguments = arguments.split(", ");
        while let Some(argument) = arguments.next() {
            match argument.strip_prefix("concat(") {
                Some(low) => {
                    let high = arguments.next().and_then(|high| high.strip_suffix(')')).unwrap();
                    sizes.push(bits(low).unwrap() + bits(high).unwrap());
                }
                None => sizes.extend(bits(argument)),
            }
        }
        found.push((name, sizes));
    }
    found
}

/// The C++ of every workload of the paper and of every filter with known coefficients.
fn emitted() -> Vec<(String, String)> {
    let machine = Arc::new(machine());
    // Schedules are tuned as if no access waited for a bank: that takes a fraction of the time and gives the same operands.
    let ideal = VliwMachine { banks: None, ..(*machine).clone() };
    let mut found = Vec::new();
    for folder in ["vyasa", "vector"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
        let mut files: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        // Half of them have operands of all kinds.
        for file in files.into_iter().step_by(2) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let source = Source::from_bytes(name, std::fs::read(&file).unwrap());
            if folder == "vyasa" {
                let workload = read_workload(&source).unwrap();
                let tuned =
                    tune(&ideal, &workload, &space(&ideal, &workload), &Budget::unlimited(), &|| {}).unwrap();
                found.push((name.to_owned(), cpp(&ideal, &tuned.program)));
                continue;
            }
            // In 32 bits, too, for those in docs/results.md.
            let wide = name.starts_with("separable").then_some(Element::Int32);
            for element in std::iter::once(Element::Int16).chain(wide) {
                let request = VectorRequest {
                    budget: Budget::unlimited(),
                    source: source.clone(),
                    machine: Arc::clone(&machine),
                    tile: None,
                    element: Some(element),
                    range: None,
                    tolerance: 0,
                    ideal_banks: false,
                    oversize: false,
                    without: Vec::new(),
                    rules: RuleSet::builtin().for_target(&machine.name),
                    seed: 0,
                    run: None,
                };
                found
                    .push((format!("{name} {element}"), optimize_vector(&request, &|_, _| {}).unwrap().code));
            }
        }
    }
    found
}

#[test]
fn operands_are_as_intrinsics_are_documented() {
    let (mut programs, mut combining) = (0, 0);
    for (name, code) in emitted() {
        let multiplications = multiplications(&code);
        assert!(!multiplications.is_empty(), "{name} multiplies nothing:\n{code}");
        for (intrinsic, sizes) in multiplications {
            let (coefficients, data) = sizes.split_last().unwrap();
            assert!(
                is_documented(intrinsic, data, *coefficients),
                "{name}: {intrinsic} of {sizes:?}:\n{code}"
            );
            combining += usize::from(intrinsic.ends_with("sym"));
        }
        programs += 1;
    }
    assert!(programs == 29 && combining > 10, "{programs} programs, {combining} use the pre-adder");
}

/// A line of C++ that asserts at compile time whether an intrinsic accepts operands of these sizes.
fn assertion(mode: &Mode, begins: bool, how: Option<PreAdd>, [x, y, z]: [usize; 3], takes: bool) -> String {
    let vector = |element: Element, bits: usize| {
        format!("kalg::vector<std::{}_t, {}>", element.name(), bits / element.bits())
    };
    let squares = mode.x != Element::Int32;
    let mut arguments = Vec::new();
    if !begins {
        arguments.push(format!("v{}acc{}", mode.lanes, mode.accumulator_bits));
    }
    let numbers = |arguments: &mut Vec<String>, count: usize| {
        arguments.extend((0..count).map(|_| "int".to_owned()));
    };
    let high = usize::from(mode.x == Element::Int16);
    arguments.push(vector(mode.x, x));
    numbers(&mut arguments, 2 + high + usize::from(mode.columns > 2) + usize::from(squares));
    if how.is_some() {
        arguments.extend((y > 0).then(|| vector(mode.x, y)));
        numbers(&mut arguments, 1 + usize::from(squares));
    }
    arguments.push(vector(mode.z, z));
    numbers(&mut arguments, 2 + high + usize::from(squares) + usize::from(mode.z == Element::Int8));
    let name = mode.intrinsic(begins, how);
    let arguments = arguments.join(", ");
    format!(
        "static_assert(decltype(takes_{name}<{arguments}>(0))::value == {takes}, \"{name} of {x}, {y}, {z} bits\");\n"
    )
}

#[test]
fn the_header_takes_operands_of_the_listed_sizes_alone() {
    const SIZES: [usize; 5] = [128, 256, 512, 1024, 2048];
    let machine = machine();
    let (mut names, mut assertions) = (BTreeSet::new(), String::new());
    for mode in &machine.modes {
        for how in [None, Some(PreAdd::Sum), Some(PreAdd::Difference)] {
            if how.is_some_and(|how| !mode.combines(how)) {
                continue;
            }
            let second: &[usize] = if how.is_some() { &[0, 128, 256, 512, 1024, 2048] } else { &[0] };
            for begins in [false, true] {
                let name = mode.intrinsic(begins, how);
                let declared = machine.multiplication(name, mode.x.bits(), mode.z.bits()).unwrap();
                names.insert(name);
                for x in SIZES {
                    for (y, z) in second.iter().flat_map(|y| [256, 512].map(|z| (*y, z))) {
                        let takes = declared.z_bits == z && declared.lists(x, Some(y).filter(|y| *y > 0));
                        assertions.push_str(&assertion(mode, begins, how, [x, y, z], takes));
                    }
                }
            }
        }
    }
    let mut text = format!("#include \"{}\"\n#include <utility>\n", machine.header);
    for name in names {
        text.push_str(&format!(
            "template <class... A> auto takes_{name}(int) -> decltype({name}(std::declval<A>()...), std::true_type{{}});\n\
             template <class... A> std::false_type takes_{name}(...);\n"
        ));
    }
    assert!(assertions.contains("== true") && assertions.contains("== false"));
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("operands.cpp");
    std::fs::write(&file, text + &assertions).unwrap();
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(&machine.name);
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut command = Command::new(compiler);
    let options = ["-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I"];
    let compiled = command.args(options).args([&rules, &file]).output().expect("a C++ compiler is installed");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

//! The C++ that is emitted, compiled by the system's compiler against our statement of the intrinsics, and run: its
//! outputs are those of direct convolution.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::Command;

use kalg::algebra::Random;
use kalg::pipeline::decompose;
use kalg::syntax::Source;
use kalg::target::vliw::{Machine, Program, Trial, harness};
use kalg::tensor::{At, Element, Operand, Placed, Weights, Workload, read_workload};
use kalg::vectorize::constant::{Form, Plan, Split, choose, plans, program, run_time_plans};
use kalg::vectorize::{compile, space, tensors, tune};
use kalg::verify::tensor::{convolve, lay_out};

/// A program with data and what it should make of it.
struct Case {
    workload: Workload,
    placed: Placed,
    program: Program,
    weights: Vec<i64>,
    input: Vec<i64>,
}

fn machine() -> Machine {
    Machine::builtin(Machine::builtin_names()[0]).unwrap()
}

fn case(workload: Workload, placed: Placed, program: Program, random: &mut Random) -> Case {
    let mut draw = |which: Operand, bound: i64| -> Vec<i64> {
        (0..program.arrays[which as usize].length).map(|_| random.integer(-bound, bound)).collect()
    };
    let input = draw(Operand::Input, 100);
    let mut weights = draw(Operand::Weights, 20);
    if workload.weights == Weights::RunTime {
        lay_out(&workload, &placed, &mut weights, &0);
    }
    Case { workload, placed, program, weights, input }
}

fn published(name: &str, random: &mut Random) -> Case {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/vyasa").join(format!("{name}.conv"));
    let source = Source::from_bytes(name, std::fs::read(path).unwrap());
    let (machine, workload) = (machine(), read_workload(&source).unwrap());
    let schedule = workload.published.clone().unwrap();
    let program = compile(&machine, &workload, &schedule).unwrap();
    case(workload.clone(), tensors(&machine, &workload, &schedule).unwrap(), program, random)
}

/// A workload of bytes from the corpus: in its own form, or with the fastest schedule along output channels.
fn bytes(name: &str, random: &mut Random) -> Case {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/bytes").join(format!("{name}.conv"));
    let source = Source::from_bytes(name, std::fs::read(path).unwrap());
    let (machine, workload) = (machine(), read_workload(&source).unwrap());
    let own = run_time_plans(Element::Int8).into_iter().filter(|plan| plan.rows == 2).collect::<Vec<_>>();
    match tune(&machine, &workload, &space(&machine, &workload), &|| {}) {
        Ok(tuned) => {
            let placed = tensors(&machine, &workload, &tuned.schedule).unwrap();
            case(workload, placed, tuned.program, random)
        }
        Err(_) => {
            let chosen = choose(&machine, &workload, &[], &own).unwrap();
            case(workload, chosen.placed, chosen.program, random)
        }
    }
}

/// The rows of a filter, and its splits once they are known.
struct Filter {
    rows: &'static [&'static [i64]],
    splits: OnceCell<Vec<Split>>,
}

impl Filter {
    fn new(rows: &'static [&'static [i64]]) -> Self {
        Self { rows, splits: OnceCell::new() }
    }
}

/// A filter over 64×4 outputs, computed by the first plan of some kind that has a program.
fn known(
    name: &str,
    element: Element,
    filter: &Filter,
    kind: impl Fn(&Plan) -> bool,
    random: &mut Random,
) -> Case {
    let rows = filter.rows;
    let window = [rows[0].len(), rows.len()];
    let named = format!("{element}-{name}");
    let workload = Workload {
        shift: 4,
        range: [-100, 100],
        ..Workload::known(named, element, [64, 4], window, [1, 1], rows.concat())
    };
    let (machine, tolerance) = (machine(), u64::from(name == "rounded"));
    let workload = Workload { tolerance, ..workload };
    // Splits depend on coefficients only.
    let splits = filter.splits.get_or_init(|| decompose(&machine, &workload, &[]).unwrap());
    let plans = plans(&machine, &workload, splits, &[]);
    let mut plans: Vec<Plan> = plans.into_iter().filter(kind).collect();
    // Several rows through several pointers make the most code of all kinds.
    plans.sort_by_key(|plan| plan.rows * plan.pointers != 4);
    let first = plans.into_iter().find_map(|plan| program(&machine, &workload, splits, plan).ok());
    let (program, placed) = first.unwrap_or_else(|| panic!("{name}: no plan has a program"));
    case(workload, placed, program, random)
}

/// A case of every form and every way to multiply.
fn all_known(random: &mut Random) -> Vec<Case> {
    const ONES: [&[i64]; 5] = [&[1; 5]; 5];
    let binomial = Filter::new(&[
        &[1, 4, 6, 4, 1],
        &[4, 16, 24, 16, 4],
        &[6, 24, 36, 24, 6],
        &[4, 16, 24, 16, 4],
        &[1, 4, 6, 4, 1],
    ]);
    let gradient = Filter::new(&[&[1, 2, 1], &[0, 0, 0], &[-1, -2, -1]]);
    let tilted = Filter::new(&[&[1, 2, 5], &[0, 0, 0], &[-1, -2, -5]]);
    let ones = Filter::new(&ONES);
    // Of rank two.
    let sum = Filter::new(&[&[1, 4, 2], &[3, 1, -2], &[2, 8, 4]]);
    let in_registers = |plan: &Plan| plan.form == Form::Columns;
    let passes = |plan: &Plan| plan.form == Form::Passes;
    let mut cases = Vec::new();
    for element in [Element::Int16, Element::Int32] {
        for (name, form) in [("padded", Form::Padded), ("direct", Form::Direct), ("folded", Form::Folded)] {
            cases.push(known(name, element, &binomial, |plan| plan.form == form && !plan.bytes, random));
        }
        cases.push(known("opposite", element, &tilted, |plan| plan.form == Form::Folded, random));
        cases.push(known("passes", element, &binomial, |plan| passes(plan) && !plan.running, random));
        cases.push(known(
            "columns",
            element,
            &binomial,
            |p| in_registers(p) && !p.symmetric && !p.bytes,
            random,
        ));
        cases.push(known(
            "columns-folded",
            element,
            &gradient,
            |p| in_registers(p) && p.antisymmetric,
            random,
        ));
        cases.push(known("low-rank", element, &sum, |p| in_registers(p) && !p.bytes, random));
        cases.push(known("shifted", element, &gradient, |p| in_registers(p) && p.shifted, random));
        cases.push(known("shifted-passes", element, &binomial, |p| passes(p) && p.shifted, random));
        cases.push(known(
            "shifted-direct",
            element,
            &tilted,
            |p| p.form == Form::Direct && p.shifted,
            random,
        ));
        cases.push(known("running", element, &ones, |p| passes(p) && p.running && p.rows == 2, random));
    }
    cases.push(known("running-kept", Element::Int32, &ones, |p| in_registers(p) && p.running, random));
    // Columns of 101, 200 and 99 hundreds do not fit: half of them do.
    let heavy = Filter::new(&[&[101, 202, 101], &[200, 400, 200], &[99, 198, 99]]);
    cases.push(known("rounded", Element::Int16, &heavy, in_registers, random));
    cases.push(known("bytes", Element::Int16, &binomial, |p| p.form == Form::Direct && p.bytes, random));
    cases.push(known("columns-of-bytes", Element::Int16, &binomial, |p| in_registers(p) && p.bytes, random));
    let ones = Filter::new(&[&[1, 2, 1], &[2, 4, 2]]);
    ones.splits.get_or_init(Vec::new);
    cases.push(known("bytes-by-bytes", Element::Int8, &ones, |plan| plan.rows == 4, random));
    cases
}

/// A program that runs every case and prints its whole output array.
fn source(cases: &[Case]) -> String {
    let trials: Vec<Trial<'_>> = cases
        .iter()
        .map(|case| Trial { program: &case.program, weights: &case.weights, input: &case.input })
        .collect();
    harness(&machine(), &trials)
}

fn run(text: &str) -> Vec<Vec<i64>> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (file, binary) = (folder.join("emitted.cpp"), folder.join("emitted"));
    std::fs::write(&file, text).unwrap();
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(Machine::builtin_names()[0]);
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let compiled = Command::new(compiler)
        .args(["-std=c++17", "-O0", "-fno-strict-aliasing", "-Wall", "-Wextra", "-Werror", "-I"])
        .args([&rules, &file])
        .arg("-o")
        .arg(&binary)
        .output()
        .expect("a C++ compiler is installed");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.split_whitespace().map(|v| v.parse().unwrap()).collect()).collect()
}

#[test]
fn emitted_code_computes_the_convolution() {
    let mut random = Random::new(7);
    let mut cases: Vec<Case> = ["int16-3x3", "int32-10x10", "int16-ds-3x3"]
        .iter()
        .map(|name| published(name, &mut random))
        .collect();
    for name in ["int16-reg-3x3", "int32-reg-3x3", "int16-fc"] {
        cases.push(published(name, &mut random));
    }
    for name in ["filter-7", "depth-wise-3", "point-wise"] {
        cases.push(bytes(name, &mut random));
    }
    cases.extend(all_known(&mut random));
    let found = run(&source(&cases));
    assert_eq!(found.len(), cases.len());
    for (case, found) in cases.iter().zip(&found) {
        let workload = &case.workload;
        let expected = convolve(workload, &case.placed, &case.weights, &case.input);
        let [xs, ys, zs, ks] = workload.output;
        let mut wrong = 0;
        for (number, expected) in expected.iter().enumerate() {
            let mut at = At::default();
            let place = [number % xs, number / xs % ys, number / (xs * ys) % zs, number / (xs * ys * zs)];
            assert!(place[3] < ks);
            at[..4].copy_from_slice(&place);
            let found = found[case.placed.place(Operand::Output, &at)];
            wrong += usize::from(found.abs_diff(*expected) > workload.tolerance);
        }
        assert_eq!(wrong, 0, "{}: {wrong} of {} outputs", workload.name, expected.len());
    }
}

//! The emitted C++, compiled by the system's compiler against our definition of the intrinsics, and run: its
//! outputs are those of direct convolution. The caller knows about the buffers only what the contract in JSON says.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::process::Command;

use kalg::algebra::Random;
use kalg::backend::vector::decompose;
use kalg::backend::vector::machine::{Contract, Program, Purpose, Trial, VliwMachine, cpp, harness};
use kalg::backend::vector::schedule::constant::{Form, Plan, Split, choose, plans, program, run_time_plans};
use kalg::backend::vector::schedule::{compile, space, tensors, tune};
use kalg::backend::vector::verify::emitted::check_emitted;
use kalg::backend::vector::verify::tensor::{Answer, convolve};
use kalg::backend::vector::workload::{Element, Operand, TensorPlacements, Workload, read_workload};
use kalg::budget::Budget;
use kalg::syntax::Source;

/// A program with data and the expected outputs.
struct Case {
    workload: Workload,
    contract: Contract,
    code: String,
    weights: Vec<i64>,
    input: Vec<i64>,
}

fn machine() -> VliwMachine {
    VliwMachine::builtin(VliwMachine::builtin_names()[0]).unwrap()
}

fn case(workload: Workload, placed: TensorPlacements, program: Program, random: &mut Random) -> Case {
    let plain = TensorPlacements::plain(&workload);
    let mut draw = |which: Operand, bound: i64| -> Vec<i64> {
        (0..plain.length(which)).map(|_| random.integer(-bound, bound)).collect()
    };
    let (input, weights) = (draw(Operand::Input, 100), draw(Operand::Weights, 20));
    let contract = Contract::new(&machine(), &workload, &placed, &program);
    let contract = serde_json::from_str(&serde_json::to_string(&contract).unwrap()).unwrap();
    let code = cpp(&machine(), &program);
    let followed = check_emitted(&machine(), &workload, &placed, &program, &code);
    assert_eq!(followed.unwrap(), Some(Answer::Equal), "{}", workload.name);
    Case { workload, contract, code, weights, input }
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
    match tune(&machine, &workload, &space(&machine, &workload), &Budget::unlimited(), &|| {}) {
        Ok(tuned) => {
            let placed = tensors(&machine, &workload, &tuned.schedule).unwrap();
            case(workload, placed, tuned.program, random)
        }
        Err(_) => {
            let chosen = choose(&machine, &workload, &[], &own, &Budget::unlimited()).unwrap();
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

/// A filter over 64×4 outputs, compiled with the first plan of some kind that has a program.
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
    // Several rows through several pointers use the most kinds of code.
    plans.sort_by_key(|plan| plan.rows * plan.pointers != 4);
    let first = plans.into_iter().find_map(|plan| program(&machine, &workload, splits, plan).ok());
    let (program, placed) = first.unwrap_or_else(|| panic!("{name}: no plan has a program"));
    case(workload, placed, program, random)
}

/// A case for every form and every way to multiply.
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
    // Columns with sums of 101, 200 and 99 hundreds do not fit; half of them do.
    let heavy = Filter::new(&[&[101, 202, 101], &[200, 400, 200], &[99, 198, 99]]);
    cases.push(known("rounded", Element::Int16, &heavy, in_registers, random));
    cases.push(known("bytes", Element::Int16, &binomial, |p| p.form == Form::Direct && p.bytes, random));
    cases.push(known("columns-of-bytes", Element::Int16, &binomial, |p| in_registers(p) && p.bytes, random));
    let ones = Filter::new(&[&[1, 2, 1], &[2, 4, 2]]);
    ones.splits.get_or_init(Vec::new);
    cases.push(known("bytes-by-bytes", Element::Int8, &ones, |plan| plan.rows == 4, random));
    cases
}

impl Case {
    fn trial(&self) -> Trial<'_> {
        Trial { contract: &self.contract, code: &self.code, weights: &self.weights, input: &self.input }
    }

    /// The number of wrong outputs; or an unannounced write outside the outputs.
    fn wrong(&self, printed: &[i64]) -> Result<usize, String> {
        let found = self.trial().outputs(printed)?;
        let expected =
            convolve(&self.workload, &TensorPlacements::plain(&self.workload), &self.weights, &self.input);
        assert_eq!(found.len(), expected.len());
        let off = found.iter().zip(&expected).map(|(found, expected)| found.abs_diff(*expected));
        Ok(off.filter(|off| *off > self.workload.tolerance).count())
    }
}

/// Runs every case and collects its whole output array.
fn run(name: &str, cases: &[Case]) -> Vec<Vec<i64>> {
    let text = harness(&cases.iter().map(Case::trial).collect::<Vec<_>>());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (file, binary) = (folder.join(format!("{name}.cpp")), folder.join(name));
    std::fs::write(&file, text).unwrap();
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(VliwMachine::builtin_names()[0]);
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
    let found = run("emitted", &cases);
    assert_eq!(found.len(), cases.len());
    for (case, found) in cases.iter().zip(&found) {
        assert_eq!(case.wrong(found), Ok(0), "{}: {:?}", case.workload.name, case.contract);
    }
}

#[test]
fn a_wrong_contract_shows() {
    let mut random = Random::new(7);
    let filter = Filter::new(&[&[1, 2, 1], &[2, 4, 2], &[1, 2, 1]]);
    let in_registers = |plan: &Plan| plan.form == Form::Columns && !plan.bytes;
    let mut altered = |name: &str, change: &dyn Fn(&mut Contract)| {
        let mut case = known(name, Element::Int16, &filter, in_registers, &mut random);
        change(&mut case.contract);
        case
    };
    fn layout(contract: &mut Contract, purpose: Purpose) -> &mut kalg::backend::vector::machine::Indexed {
        let mut buffers = contract.buffers.iter_mut();
        buffers.find(|buffer| buffer.purpose == purpose).and_then(|buffer| buffer.layout.as_mut()).unwrap()
    }
    let cases = [
        altered("right", &|_| {}),
        altered("pitch", &|contract| layout(contract, Purpose::Input).pitch = Some(64)),
        altered("first", &|contract| layout(contract, Purpose::Input).first -= 16),
        altered("later", &|contract| layout(contract, Purpose::Output).first += 16),
        altered("beside", &|contract| contract.buffers[0].written_beside.clear()),
    ];
    // Outputs leave room between their rows, which is overwritten.
    assert!(!cases[0].contract.buffers[0].written_beside.is_empty());
    let found = run("contracts", &cases);
    let wrong: Vec<_> = cases.iter().zip(&found).map(|(case, found)| case.wrong(found)).collect();
    assert_eq!(wrong[0], Ok(0));
    assert!(wrong[1..3].iter().all(|wrong| matches!(wrong, Ok(64..))), "{wrong:?}");
    assert!(wrong[3..].iter().all(|wrong| *wrong != Ok(0)) && wrong[4].is_err(), "{wrong:?}");
}

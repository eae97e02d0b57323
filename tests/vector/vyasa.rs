//! Vyasa's workloads with the published schedules: each program is checked on symbols and on random tiles, and
//! the geometric means of a table are near the paper's.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;

use kalg::backend::vector::machine::{Address, Kind, Multiply, Operation, Program, VliwMachine};
use kalg::backend::vector::schedule::{compile, tensors};
use kalg::backend::vector::simulate::Fault;
use kalg::backend::vector::verify::tensor::{Answer, Verdict, check};
use kalg::backend::vector::workload::{Workload, read_workload};
use kalg::syntax::{Source, render};

fn machine() -> VliwMachine {
    VliwMachine::builtin(VliwMachine::builtin_names()[0]).unwrap()
}

fn workload(name: &str) -> Workload {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/vyasa").join(format!("{name}.conv"));
    let source = Source::from_bytes(name, std::fs::read(&path).unwrap());
    read_workload(&source).unwrap_or_else(|found| panic!("{}", render(&source, &found, false)))
}

/// The multiplications of the direct form per cycle, after both checks.
fn measured(name: &str) -> f64 {
    let (machine, workload) = (machine(), workload(name));
    let schedule = workload.published.clone().unwrap();
    let program =
        compile(&machine, &workload, &schedule).unwrap_or_else(|infeasible| panic!("{name}: {infeasible}"));
    let placed = tensors(&machine, &workload, &schedule).unwrap();
    let verdict = check(&machine, &workload, &placed, &program, 1);
    assert!(verdict.holds(), "{name}: {verdict:?}");
    assert_eq!(verdict.counts.cycles, program.cycles(&machine), "{name}");
    workload.macs() as f64 / verdict.counts.cycles as f64
}

fn mean(names: impl Iterator<Item = String>) -> f64 {
    let found: Vec<f64> = names.map(|name| measured(&name).ln()).collect();
    (found.iter().sum::<f64>() / found.len() as f64).exp()
}

/// Whether `found` is within `percent` of the paper's figure.
fn near(found: f64, paper: f64, percent: f64) {
    let off = 100.0 * (found / paper - 1.0);
    assert!(off.abs() <= percent, "{found:.2} is {off:+.1} % off the paper's {paper}");
}

const LAYERS: [&str; 8] = ["reg-3x3", "reg-5x5", "reg-7x7", "pw", "ss-1x3", "ss-3x1", "ds-3x3", "fc"];

#[test]
fn table_vi_in_32_bits() {
    near(mean((2..=11).map(|r| format!("int32-{r}x{r}"))), 7.67, 5.0);
}

#[test]
fn table_vi_in_16_bits() {
    near(mean((2..=11).map(|r| format!("int16-{r}x{r}"))), 25.92, 5.0);
}

#[test]
fn table_vii_in_32_bits() {
    near(mean(LAYERS.iter().map(|name| format!("int32-{name}"))), 7.67, 10.0);
}

#[test]
fn table_vii_in_16_bits() {
    near(mean(LAYERS.iter().map(|name| format!("int16-{name}"))), 22.53, 10.0);
}

#[test]
fn volumes_in_32_bits() {
    near(mean([3, 5, 7].iter().map(|r| format!("int32-{r}x{r}x{r}"))), 7.55, 10.0);
}

#[test]
fn volumes_in_16_bits() {
    near(mean([3, 5, 7].iter().map(|r| format!("int16-{r}x{r}x{r}"))), 21.60, 10.0);
}

/// The verdict on a program with a changed body.
fn changed(name: &str, change: impl Fn(&mut Program) -> bool) -> Verdict {
    let (machine, workload) = (machine(), workload(name));
    let schedule = workload.published.clone().unwrap();
    let mut program = compile(&machine, &workload, &schedule).unwrap();
    assert!(change(&mut program), "there is something to change");
    check(&machine, &workload, &tensors(&machine, &workload, &schedule).unwrap(), &program, 1)
}

#[test]
fn a_load_that_comes_too_late_or_too_early_is_found() {
    // Every load is as late as possible: one cycle later its reader sees the previous vector.
    let late = changed("int16-5x5", |program| {
        let mut loads = program.body.iter_mut().filter(|timed| timed.operation.kind() == Kind::Load);
        loads.next_back().map(|timed| timed.time += 1).is_some()
    });
    assert!(!late.symbolic.is_equal() && !late.simulated.is_equal(), "{late:?}");
    // Far too early, it overwrites a value that is still read.
    let early = changed("int32-5x5", |program| {
        let mut loads = program.body.iter_mut().filter(|timed| timed.operation.kind() == Kind::Load);
        loads.next_back().map(|timed| timed.time -= 20).is_some()
    });
    assert!(!early.holds(), "{early:?}");
}

#[test]
fn a_wrong_selection_coefficient_or_rounding_is_found() {
    let multiply = |change: fn(&mut Multiply)| {
        changed("int16-3x3", move |program| {
            let found = program.body.iter_mut().find_map(|timed| match &mut timed.operation {
                Operation::Multiply(multiply) if !multiply.begins => Some(multiply),
                _ => None,
            });
            found.map(change).is_some()
        })
    };
    assert!(!multiply(|m| m.selection.start += 2).holds());
    assert!(!multiply(|m| m.z_start += 1).holds());
    assert!(!multiply(|m| m.begins = true).holds());
    let rounded = changed("int16-3x3", |program| {
        let round = program.body.iter_mut().find_map(|timed| match &mut timed.operation {
            Operation::Round { shift, .. } => Some(shift),
            _ => None,
        });
        round.map(|shift| *shift = 1).is_some()
    });
    assert!(!rounded.symbolic.is_equal() && !rounded.simulated.is_equal());
}

#[test]
fn what_the_machine_does_not_do_is_a_fault() {
    let fault = |change: fn(&mut Program) -> bool| match changed("int32-3x3", change).simulated {
        Answer::Fault(fault) => fault,
        answer => panic!("{answer:?}"),
    };
    let same_slot = fault(|program| {
        let (slot, time) = (program.body[0].slot, program.body[0].time);
        let mut loads = program.body.iter_mut().filter(|timed| timed.operation.kind() == Kind::Load);
        loads.nth(1).map(|load| (load.slot, load.time) = (slot, time)).is_some()
    });
    assert!(matches!(same_slot, Fault::SlotTaken { .. }), "{same_slot}");
    assert!(matches!(
        fault(|p| first_address(p).map(|at| at.offset += 1).is_some()),
        Fault::Misaligned { .. }
    ));
    assert!(matches!(fault(|p| first_address(p).map(|at| at.step += 1000).is_some()), Fault::Outside { .. }));
}

/// The place of the first load.
fn first_address(program: &mut Program) -> Option<&mut Address> {
    program.body.iter_mut().find_map(|timed| match &mut timed.operation {
        Operation::Load { at, .. } => Some(at),
        _ => None,
    })
}

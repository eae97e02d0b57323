//! The cycle breakdown of a program, and of its baseline.

use std::collections::BTreeMap;

use crate::backend::vector::machine::{Kind, Operation, Program, VliwMachine};
use crate::backend::vector::report::{VectorBaseline, VectorPlan};
use crate::backend::vector::workload::Workload;
use crate::report::Figure;

/// The cycle breakdown of a program.
pub(super) fn plan(machine: &VliwMachine, method: String, program: &Program) -> VectorPlan {
    let (entries, iterations) = (program.entries(), program.inner.count);
    let usage = program.usage(machine);
    let of = |kind: Kind| program.body.iter().filter(|timed| timed.operation.kind() == kind).count();
    let multiplies = of(Kind::Multiply);
    let (loads, stores) = (of(Kind::Load), of(Kind::Round) + of(Kind::Store));
    let mut pointers: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for timed in &program.body {
        if let Operation::Load { at, .. } = &timed.operation {
            *pointers.entry((at.array, at.pointer)).or_insert(0) += 1;
        }
    }
    let all = entries * iterations;
    VectorPlan {
        method,
        cycles: program.cycles(machine) as u64,
        set_up: (machine.call + entries * program.set_up(machine)) as u64,
        multiplies: (all * multiplies) as u64,
        stalls: (all * (program.interval - multiplies.min(program.interval))) as u64,
        ramps: (entries * (program.span() - program.interval)) as u64,
        loads: (all * loads + entries * program.resident.len()) as u64,
        stores: (all * stores) as u64,
        bank_stalls: program.bank_stalls(machine) as u64,
        initiation_interval: program.interval as u64,
        iterations: iterations as u64,
        entries: entries as u64,
        loads_through_one: pointers.into_values().max().unwrap_or(0),
        loads_in_iteration: loads as u64,
        stores_in_iteration: stores as u64,
        multiplies_in_iteration: multiplies as u64,
        bundles: usage.bundles as u64,
        vectors: usage.vectors as u64,
        accumulators: usage.accumulators as u64,
    }
}

/// The baseline of a program.
pub(super) fn baseline(
    machine: &VliwMachine,
    what: &str,
    workload: &Workload,
    method: String,
    program: &Program,
) -> VectorBaseline {
    let plan = plan(machine, method, program);
    let macs_per_cycle = Figure::new(workload.macs() as f64 / plan.cycles as f64);
    VectorBaseline { what: what.to_owned(), cycles: plan.cycles, macs_per_cycle, plan }
}

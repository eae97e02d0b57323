//! The record of a program.

use super::candidates::Found;
use super::request::VectorRequest;
use crate::backend::vector::machine::{Contract, Kind, Usage, VliwMachine, fits_memory, listing};
use crate::backend::vector::report::{
    BankModel, VectorChecks, VectorCycles, VectorOutputs, VectorPlan, VectorRecord, VectorUsage,
    loop_operations, why,
};
use crate::backend::vector::simulate::Counts;
use crate::backend::vector::verify::tensor::Verdict;
use crate::backend::vector::workload::{Weights, Workload};
use crate::report::{Figure, VERSION};

/// The outputs before saturation, from the check of the program. `None` for run-time weights.
fn outputs(workload: &Workload, verdict: &Verdict) -> Option<VectorOutputs> {
    if workload.weights == Weights::RunTime {
        return None;
    }
    let [least, greatest] = verdict.outputs;
    let [low, high] = workload.element.range().map(i128::from);
    let saturated = least < low || high < greatest;
    Some(VectorOutputs {
        least,
        greatest,
        saturated,
        unsaturated_range: if saturated { workload.unsaturated() } else { Some(workload.range) },
    })
}

/// The cycles that the simulator counted.
fn spent(counts: &Counts) -> VectorCycles {
    VectorCycles {
        set_up: counts.set_up as u64,
        ramps: counts.ramps as u64,
        multiplies: counts.multiplies as u64,
        idle: counts.idle as u64,
        loads: counts.loads as u64,
        stores: counts.stores as u64,
        bank_stalls: counts.bank_stalls as u64,
    }
}

/// The resources that a program needs.
fn used(usage: &Usage) -> VectorUsage {
    VectorUsage {
        bundles: usage.bundles as u64,
        memory_bytes: usage.memory as u64,
        vectors: usage.vectors as u64,
        accumulators: usage.accumulators as u64,
        starts: usage.starts as u64,
        configurations: usage.configurations as u64,
    }
}

/// The resources of the machine.
fn available(machine: &VliwMachine) -> VectorUsage {
    VectorUsage {
        bundles: machine.program_memory as u64,
        memory_bytes: machine.memory as u64,
        vectors: machine.vectors.len() as u64,
        accumulators: machine.accumulators.len() as u64,
        starts: machine.scalars as u64,
        configurations: machine.configurations as u64,
    }
}

/// The record of a checked program. The caller fills in banks, contract and code.
pub(super) fn record(
    request: &VectorRequest,
    workload: &Workload,
    found: Found,
    plan: VectorPlan,
    (verdict, verified): (&Verdict, VectorChecks),
    seconds: f64,
) -> VectorRecord {
    let (machine, program) = (&request.machine, &found.program);
    let cycles = verdict.counts.cycles;
    let peak = machine.mode(&program.mode).map_or(0, |mode| mode.macs());
    VectorRecord {
        file: request.source.name().to_owned(),
        filter: workload.name.clone(),
        target: machine.name.clone(),
        element: workload.element.name().to_owned(),
        output: workload.output,
        window: workload.filter,
        range: workload.range,
        shift: workload.shift,
        error_bound: verdict.bound,
        method: found.how,
        decomposition: found.parts,
        macs: workload.macs() as u64,
        cycles: cycles as u64,
        time_us: Figure::new(cycles as f64 / (1000.0 * machine.clock)),
        macs_per_cycle: Figure::new(workload.macs() as f64 / cycles as f64),
        peak_macs_per_cycle: peak as u64,
        initiation_interval: program.interval as u64,
        iterations: program.inner.count as u64,
        entries: program.entries() as u64,
        spent: spent(&verdict.counts),
        usage: used(&program.usage(machine)),
        available: available(machine),
        banks: BankModel::NotDescribed,
        warning: fits_memory(machine, &program.arrays).err().map(|misfit| misfit.to_string()),
        outputs: outputs(workload, verdict),
        why: found.baseline.as_ref().map(|other| why(&plan, &other.plan, &other.what)).unwrap_or_default(),
        assumed: machine
            .widen_assumed
            .clone()
            .filter(|_| program.body.iter().any(|timed| timed.operation.kind() == Kind::Widen)),
        plan,
        baseline: found.baseline,
        contract: Contract::default(),
        code: String::new(),
        schedule: listing(machine, program).lines().map(str::to_owned).collect(),
        operations: loop_operations(machine, program),
        verified,
        attempts: found.attempts,
        seed: request.seed,
        seconds: Figure::new(seconds),
        version: VERSION.to_owned(),
    }
}

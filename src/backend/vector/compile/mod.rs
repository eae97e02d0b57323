//! The compiler stages for vector machines: from a filter or a workload to a checked, software-pipelined program.

mod request;
mod input;
mod refusal;
mod candidates;
mod plan;
mod record;

use std::sync::Arc;

use crate::algebra::Random;
use crate::backend::OptimizeError;
use crate::backend::vector::machine::{Contract, Misfit, Trial, VliwMachine, cpp, harness};
use crate::backend::vector::report::{BankModel, VectorPlan, VectorRecord};
use crate::backend::vector::schedule::Infeasible;
use crate::backend::vector::simulate::Counts;
use crate::backend::vector::verify::tensor::{Answer, Sample, Verdict, check};
use crate::backend::vector::workload::{Element, TensorPlacements, Weights, Workload};

pub use candidates::decompose;
use candidates::{Found, decompose_by, is_filter, known, run_time};
use plan::plan;
use record::record;
use refusal::Refusal;
pub use request::{RunCode, USUAL_RANGE, USUAL_TILE, VectorRequest};

/// Compiles for a vector machine. `progress` is called after every schedule, with the number tried and the total.
///
/// # Errors
/// [`OptimizeError::BadInput`] if the file is at fault or nothing compiles it. [`OptimizeError::Internal`] if a program
/// fails its checks.
pub fn optimize_vector(
    request: &VectorRequest,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<VectorRecord, OptimizeError> {
    let start = request.budget.now();
    let described = request.machine.banks.is_some();
    let ideal = || Arc::new(VliwMachine { banks: None, ..(*request.machine).clone() });
    let machine = if request.ideal_banks { ideal() } else { Arc::clone(&request.machine) };
    let request = &VectorRequest { machine, ..request.clone() };
    let (workload, outputs, written) = input::workload(request)?;
    let machine = &request.machine;
    let refuse = |why: Refusal| why.error(machine, &workload, &outputs);
    let memory = |needed: usize| match needed > machine.memory && !request.oversize {
        true => Err(refuse(Infeasible::Misfit(Misfit::Memory { needed, available: machine.memory }).into())),
        false => Ok(()),
    };
    memory(workload.bytes())?;
    let found = match workload.weights {
        Weights::Known(_) if is_filter(&workload) => {
            // Sums of bytes do not fit a byte, so nothing is split.
            let splits = match workload.element {
                Element::Int8 => Vec::new(),
                _ => {
                    let stated = (&workload, &written[..]);
                    decompose_by(&request.rules, stated, &request.without, &request.budget)?
                }
            };
            known(request, &workload, &splits, progress).map_err(refuse)?
        }
        Weights::Known(_) | Weights::RunTime => run_time(request, &workload, progress).map_err(refuse)?,
    };
    memory(found.program.usage(machine).memory)?;
    let banks = match (described, request.ideal_banks) {
        (true, true) => BankModel::Ideal,
        (true, false) if found.program.places.is_empty() => BankModel::NoPlaces,
        (true, false) => BankModel::Modelled,
        (false, _) => BankModel::NotDescribed,
    };
    let contract = Contract::new(machine, &workload, &found.placed, &found.program);
    let code = contract.comment(banks.describe()) + &cpp(machine, &found.program);
    let (verdict, compiled) = checked(request, &workload, &found, (&contract, &code))?;
    let plan = plan(machine, found.how.clone(), &found.program);
    check_counts(&plan, &verdict.counts)?;
    let seconds = (request.budget.now() - start).as_secs_f64();
    let record = record(request, &workload, found, plan, (&verdict, compiled), seconds);
    Ok(VectorRecord { banks, contract, code, ..record })
}

/// Checks a program symbolically and on random tiles, and its C++ on another tile: `None` if the C++ was not run.
fn checked(
    request: &VectorRequest,
    workload: &Workload,
    found: &Found,
    (contract, code): (&Contract, &str),
) -> Result<(Verdict, Option<bool>), OptimizeError> {
    let plain = TensorPlacements::plain(workload);
    let sample = Sample::random(workload, &plain, &mut Random::new(request.seed));
    let trial = Trial { contract, code, weights: &sample.weights, input: &sample.input };
    let (verdict, ran) = rayon::join(
        || check(&request.machine, workload, &found.placed, &found.program, request.seed),
        || {
            let run = request.run.as_ref().filter(|_| !request.budget.is_interrupted())?;
            Some(run(&harness(&[trial])).and_then(|printed| trial.outputs(&printed)))
        },
    );
    if !verdict.holds() {
        return Err(OptimizeError::Internal(failed(&found.how, &verdict)));
    }
    let wrong = |what: String| OptimizeError::Internal(format!("{}\nthe C++: {what}", found.how));
    let Some(output) = ran.transpose().map_err(wrong)? else { return Ok((verdict, None)) };
    match sample.compare(workload, &plain, &output, verdict.bound) {
        Answer::Different { output, expected, found } => {
            Err(wrong(format!("output {output:?} is {found}, not {expected}")))
        }
        answer => Ok((verdict, Some(answer.is_equal()))),
    }
}

/// Checks that the simulator's counts match the plan.
fn check_counts(plan: &VectorPlan, counts: &Counts) -> Result<(), OptimizeError> {
    let Counts { cycles, set_up, multiplies, loads, stores, bank_stalls, .. } = *counts;
    let measured = [cycles, set_up, multiplies, loads, stores, bank_stalls].map(|n| n as u64);
    let foreseen = [plan.cycles, plan.set_up, plan.multiplies, plan.loads, plan.stores, plan.bank_stalls];
    if measured == foreseen {
        return Ok(());
    }
    Err(OptimizeError::Internal(format!(
        "cycles, set-up, multiplications, loads, stores and waits for banks: {measured:?} run, {foreseen:?} foreseen"
    )))
}

/// The message for a failed check.
fn failed(how: &str, verdict: &Verdict) -> String {
    let say = |what: &str, answer: &Answer| match answer {
        Answer::Equal => format!("{what}: equal"),
        Answer::Different { output, expected, found } => {
            format!("{what}: output {output:?} is {found}, not {expected}")
        }
        Answer::Fault(fault) => format!("{what}: {fault}"),
    };
    format!("{how}\n{}\n{}", say("on symbols", &verdict.symbolic), say("on random tiles", &verdict.simulated))
}

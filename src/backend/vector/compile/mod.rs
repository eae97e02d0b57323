//! The compiler stages for vector machines: from a filter or a workload to a checked, software-pipelined program.

mod request;
mod input;
mod command;
mod refusal;
mod candidates;
mod plan;
mod record;

use std::sync::Arc;

use crate::algebra::Random;
use crate::backend::OptimizeError;
use crate::backend::vector::machine::{Contract, Misfit, Trial, VliwMachine, cpp, harness};
use crate::backend::vector::report::{BankModel, VectorChecks, VectorPlan, VectorRecord};
use crate::backend::vector::schedule::Infeasible;
use crate::backend::vector::simulate::Counts;
use crate::backend::vector::verify::emitted::check_emitted;
use crate::backend::vector::verify::tensor::{Answer, Sample, Verdict, check};
use crate::backend::vector::workload::{Element, TensorPlacements, Weights, Workload};

pub use candidates::decompose;
use candidates::{Found, decompose_by, is_filter, known, run_time};
use command::check_command;
use input::{Given, read_given};
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
    let given = read_given(request)?;
    let Given { workload, outputs, written, .. } = &given;
    let machine = &request.machine;
    let refuse = |why: Refusal| why.error(machine, workload, outputs);
    let memory = |needed: usize| match needed > machine.memory && !request.oversize {
        true => Err(refuse(Infeasible::Misfit(Misfit::Memory { needed, available: machine.memory }).into())),
        false => Ok(()),
    };
    memory(workload.bytes())?;
    let found = match workload.weights {
        Weights::Known(_) if is_filter(workload) => {
            // Sums of bytes do not fit a byte, so nothing is split.
            let splits = match workload.element {
                Element::Int8 => Vec::new(),
                _ => {
                    let stated = (workload, &written[..]);
                    decompose_by(&request.rules, stated, &request.without, &request.budget)?
                }
            };
            known(request, workload, &splits, progress).map_err(refuse)?
        }
        Weights::Known(_) | Weights::RunTime => run_time(request, workload, progress).map_err(refuse)?,
    };
    memory(found.program.usage(machine).memory)?;
    let banks = match (described, request.ideal_banks) {
        (true, true) => BankModel::Ideal,
        (true, false) if found.program.places.is_empty() => BankModel::NoPlaces,
        (true, false) => BankModel::Modelled,
        (false, _) => BankModel::NotDescribed,
    };
    let contract = Contract::new(machine, workload, &found.placed, &found.program);
    let check = check_command(&machine.name, &contract, &given);
    let code = contract.comment(banks.describe(), check.as_deref()) + &cpp(machine, &found.program);
    let (verdict, checks) = checked(request, workload, &found, (&contract, &code))?;
    let plan = plan(machine, found.how.clone(), &found.program);
    check_counts(&plan, &verdict.counts)?;
    let seconds = request.budget.seconds_since(start);
    let record = record(request, workload, found, plan, (&verdict, checks), seconds);
    Ok(VectorRecord { banks, contract, code, ..record })
}

/// Checks a program symbolically and on random tiles, and its C++ by following it and by running it on another tile.
fn checked(
    request: &VectorRequest,
    workload: &Workload,
    found: &Found,
    (contract, code): (&Contract, &str),
) -> Result<(Verdict, VectorChecks), OptimizeError> {
    let Found { placed, program, .. } = found;
    let plain = TensorPlacements::plain(workload);
    let sample = Sample::random(workload, &plain, &mut Random::new(request.seed));
    let trial = Trial { contract, code, weights: &sample.weights, input: &sample.input };
    let run = request.run.as_ref().filter(|_| !request.budget.is_interrupted());
    let ran = || run.map(|run| run(&harness(&[trial])).and_then(|printed| trial.outputs(&printed)));
    let followed = || check_emitted(&request.machine, workload, placed, program, code);
    let (verdict, (followed, ran)) = rayon::join(
        || check(&request.machine, workload, placed, program, request.seed),
        || rayon::join(followed, ran),
    );
    let internal = |what: String| OptimizeError::Internal(format!("{}\n{what}", found.how));
    if !verdict.holds() {
        let [symbolic, simulated] = [&verdict.symbolic, &verdict.simulated].map(say);
        return Err(internal(format!("on symbols: {symbolic}\non random tiles: {simulated}")));
    }
    let followed = followed.map_err(|unread| internal(format!("the C++: {unread}")))?;
    if let Some(wrong) = followed.as_ref().filter(|answer| !answer.is_equal()) {
        return Err(internal(format!("the C++: {}", say(wrong))));
    }
    let ran = ran.transpose().map_err(|what| internal(format!("the C++: {what}")))?;
    let ran = ran.map(|output| sample.compare(workload, &plain, &output, verdict.bound));
    if let Some(wrong) = ran.as_ref().filter(|answer| !answer.is_equal()) {
        return Err(internal(format!("the C++, compiled and run: {}", say(wrong))));
    }
    let is_equal = |answer: &Answer| answer.is_equal();
    let checks = VectorChecks {
        symbolic: verdict.symbolic.is_equal(),
        simulated: verdict.simulated.is_equal(),
        followed: followed.as_ref().map(is_equal),
        compiled: ran.as_ref().map(is_equal),
    };
    Ok((verdict, checks))
}

/// An answer in words.
fn say(answer: &Answer) -> String {
    match answer {
        Answer::Equal => "equal".to_owned(),
        Answer::Different { output, expected, found } => {
            format!("output {output:?} is {found}, not {expected}")
        }
        Answer::Fault(fault) => fault.to_string(),
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

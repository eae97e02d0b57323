//! Fills the record of a finished run.

use super::choose::{Candidate, Compiled};
use super::evidence::{Checked, Evidence, port_list};
use super::measured;
use super::ports::Ports;
use super::request::{Nearness, OptimizeRequest};
use super::searching::Search;
use crate::algebra::{Footprint, Offset, Placed};
use crate::backend::array::machine::RegisterId;
use crate::backend::array::report::{Binding, flow, trace};
use crate::backend::array::search::Objective;
use crate::backend::array::verify::Verdict;
use crate::backend::error::OptimizeError;
use crate::report::{Attempt, Figure, Kernel, OptimizeRecord, OutputKernels, Tap, VERSION, Verified};
use crate::term::{FilterSource, footprints};

/// The record of a run.
///
/// # Errors
/// [`OptimizeError::Internal`] if a checked program has no data flow or cost, which would be a bug in kalg.
pub(super) fn record(evidence: &Evidence<'_>) -> Result<OptimizeRecord, OptimizeError> {
    let mut record = searched(evidence);
    let Evidence { filter, of, checked, .. } = evidence;
    let Some(Checked { chosen, verdict, range }) = checked else { return Ok(record) };
    let Compiled { request, variant, ports, found } = of;
    let (target, outputs) = (&request.target, &variant.outputs);
    let bindings = |names: &[String], registers: &[RegisterId]| -> Vec<Binding> {
        names.iter().zip(registers).map(|(name, r)| Binding { name: name.clone(), register: *r }).collect()
    };
    let output_names: Vec<String> = outputs.iter().map(|(name, _)| name.clone()).collect();
    let internal = |error: &dyn std::fmt::Display| OptimizeError::Internal(error.to_string());
    let Candidate { program, code, .. } = chosen;
    record.instructions = Some(program.instructions.len() as u32);
    record.cycles = Some(chosen.cycles);
    record.time_us = Some(Figure::new(program.time_us(target).map_err(|e| internal(&e))?));
    record.energy_uj = Some(Figure::new(program.energy_uj(target).map_err(|e| internal(&e))?));
    record.program =
        Some(program.instructions.iter().map(|i| format!("{};", target.instruction_text(i))).collect());
    let flow = flow(
        target,
        program,
        &bindings(&filter.inputs, &ports.input_registers()),
        &bindings(&output_names, &ports.output_registers(code)),
    )
    .map_err(|e| internal(&e))?;
    record.decomposition = flow.values;
    record.trace = trace(target, program, flow.written).map_err(|e| internal(&e))?;
    record.footprint = outputs
        .iter()
        .zip(&verdict.outputs)
        .map(|((output, kernel), found)| OutputKernels {
            output: output.clone(),
            kernels: kernels(kernel, found.reach.as_ref().map(|r| &r.footprint), &filter.inputs),
        })
        .collect();
    if request.given.is_none() {
        record.written_footprint = written(filter, outputs, verdict)?;
    }
    record.valid_border = Some(verdict.valid_border.into());
    record.verified = Verified { symbolic: Some(true), simulated: Some(true) };
    record.range.clone_from(range);
    record.noise = measured::noise(evidence.meter, chosen);
    record.weighted_cost =
        request.aims.noise_weight.and(chosen.noise.as_ref()).map(|_| Figure::new(chosen.score()));
    record.front = evidence
        .front
        .map(|front| front.iter().map(|other| measured::alternative(evidence, other)).collect());
    // A bound on the cost does not bound the weighted cost.
    let proves = request.aims.noise_weight.is_none() && is_bounded(request, ports);
    record.optimal = proves.then_some(code.cost <= found.proofs.floor());
    let account = &evidence.solved.account;
    record.rules_used.clone_from(&account.rules_used);
    record.explanation = request.explain.then(|| account.explanation(evidence.back));
    Ok(record)
}

/// Whether bounds on the search's programs for the filter that was compiled bound all programs that would do: those for other
/// filters within the error, and those with instructions that the search does not cover.
fn is_bounded(request: &OptimizeRequest, ports: &Ports) -> bool {
    !matches!(request.aims.nearness, Some(Nearness::Within(_))) && uncovered(ports).is_empty()
}

fn uncovered(ports: &Ports) -> &[String] {
    ports.instructions.uncovered(ports.objective)
}

/// The record of a search, without the fields that describe a program.
fn searched(evidence: &Evidence<'_>) -> OptimizeRecord {
    let Evidence { filter, of, checked, solved, .. } = evidence;
    let Compiled { request, variant, ports, found } = of;
    let outputs = &variant.outputs;
    let target = &request.target;
    let name = |register: RegisterId| target.register_name(register).to_owned();
    let output_registers =
        checked.map(|checked| ports.output_registers(checked.chosen.code)).unwrap_or_default();
    let output_names: Vec<String> = outputs.iter().map(|(name, _)| name.clone()).collect();
    let input_registers = ports.input_registers();
    OptimizeRecord {
        file: request.source.name().to_owned(),
        filter: filter.name.clone(),
        target: target.name.clone(),
        isa: request.isa.clone(),
        objective: objective_name(ports.objective).to_owned(),
        division: ports.division.name().to_owned(),
        inputs: port_list(&filter.inputs, input_registers.iter().map(|r| Some(name(*r)))),
        outputs: port_list(
            &output_names,
            (0..outputs.len()).map(|i| output_registers.get(i).map(|r| name(*r))),
        ),
        registers: ports.registers().iter().map(|r| name(*r)).collect(),
        keep_input: request.keep_input,
        instructions: None,
        cycles: None,
        time_us: None,
        energy_uj: None,
        program: None,
        trace: Vec::new(),
        decomposition: Vec::new(),
        footprint: Vec::new(),
        written_footprint: Vec::new(),
        valid_border: None,
        verified: Verified::default(),
        optimal: None,
        lower_bound: is_bounded(request, ports).then_some(found.proofs.floor()),
        unused: uncovered(ports).to_vec(),
        seconds: Some(Figure::new(evidence.seconds)),
        seconds_to_best: checked.map(|_| Figure::new(found.seconds_to_best)),
        nodes_searched: Some(solved.nodes),
        egraph: solved.account.graph(evidence.back),
        rules_used: Vec::new(),
        per_rule: solved.account.per_rule.clone(),
        attempts: attempts(found, ports.objective),
        explanation: None,
        range: None,
        input_range: request.aims.input_range.map(|range| range.map(|end| Figure::new(end.to_f64()))),
        noise: None,
        noise_weight: request.aims.noise_weight.map(Figure::new),
        weighted_cost: None,
        front: None,
        approximation: measured::approximation(evidence),
        lifted: None,
        no_program: solved.no_program.clone(),
        error: None,
        seed: request.seed,
        version: VERSION.to_owned(),
    }
}

fn objective_name(objective: Objective) -> &'static str {
    match objective {
        Objective::Cycles => "cycles",
        Objective::Instructions => "instructions",
    }
}

fn attempts(found: &Search, objective: Objective) -> Vec<Attempt> {
    found
        .attempts
        .iter()
        .map(|attempt| Attempt {
            method: attempt.method.clone(),
            cycles: attempt.cost.filter(|_| objective == Objective::Cycles),
            instructions: attempt.cost.filter(|_| objective == Objective::Instructions),
            seconds: Figure::new(attempt.ended),
            note: attempt.note.clone(),
        })
        .collect()
}

/// The footprints of outputs as the file states them, where the program's are others.
fn written(
    filter: &FilterSource,
    outputs: &[(String, Placed)],
    verdict: &Verdict,
) -> Result<Vec<OutputKernels>, OptimizeError> {
    let stated = footprints(filter).map_err(|wrong| OptimizeError::Internal(wrong.to_string()))?;
    let found = verdict.outputs.iter().map(|found| found.reach.as_ref().map(|reach| &reach.footprint));
    let all = outputs.iter().zip(found).zip(&stated);
    let other = all.filter(|((_, found), (_, stated))| found.is_some_and(|found| found != stated));
    let kernels = other.map(|(((output, kernel), _), (_, stated))| OutputKernels {
        output: output.clone(),
        kernels: kernels(kernel, Some(stated), &filter.inputs),
    });
    Ok(kernels.collect())
}

/// The kernels of one output by input, for the inputs that it has taps of. Places that its value depends on and where it has no tap of any
/// input are zeros in all of them: which input cancels there is not known.
fn kernels(kernel: &Placed, touched: Option<&Footprint>, inputs: &[String]) -> Vec<Kernel> {
    let taps = kernel.taps().unwrap_or_default();
    let cancelled = |offset: &Offset| !taps.iter().any(|(_, tapped, _)| tapped == offset);
    let zeros: Vec<Offset> = touched.into_iter().flat_map(Footprint::iter).filter(cancelled).collect();
    let kernel = |(channel, input): (u16, &String)| {
        let own = taps.iter().filter(|(of, ..)| *of == channel);
        let mut places: Vec<Tap> =
            own.map(|(_, offset, value)| Tap { offset: *offset, coefficient: value.to_string() }).collect();
        if places.is_empty() && !taps.is_empty() {
            return None;
        }
        places.extend(zeros.iter().map(|offset| Tap { offset: *offset, coefficient: "0".to_owned() }));
        places.sort_by_key(|tap| [tap.offset[2], -tap.offset[1], tap.offset[0]]);
        Some(Kernel { input: input.clone(), taps: places })
    };
    (0..).zip(inputs).filter_map(kernel).collect()
}

//! Searches one stretch for a cheaper program, and proves what is found.

use super::flat::Line;
use super::live::Live;
use super::stretch::{Stretch, transfers};
use crate::algebra::Placed;
use crate::backend::array::compile::{OptimizeRequest, compensating, divisions, optimize};
use crate::backend::array::machine::{Division, Effect, Instruction, Program, RegisterId, Target};
use crate::backend::array::search::Objective;
use crate::backend::array::verify::same_effect;
use crate::backend::error::OptimizeError;
use crate::backend::interface::Progress;
use crate::budget::Budget;
use crate::syntax::Source;
use crate::term::{FilterSource, print_kernels};

/// A search of one stretch.
pub(super) struct Replaced {
    /// The cheaper lines, if any.
    pub(super) lines: Option<Vec<Line>>,
    /// The states searched.
    pub(super) nodes: u64,
}

/// Searches a stretch within a budget; `settings` has everything else that was asked for.
///
/// # Errors
/// Those of [`optimize`] that are mistakes of rules or of kalg.
pub(super) fn replacement(
    settings: &OptimizeRequest,
    needed: &[(Line, Live)],
    stretch: &Stretch,
    budget: Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Replaced, OptimizeError> {
    let target = &settings.target;
    let none = Replaced { lines: None, nodes: 0 };
    let own: Vec<&Line> = needed[stretch.range.clone()].iter().map(|(line, _)| line).collect();
    let Some(request) = request(settings, &own, stretch, budget) else { return Ok(none) };
    let record = match optimize(&request, progress) {
        Ok(record) => record,
        // Some kernels cannot be made of the instructions that may be used: thirds, say.
        Err(OptimizeError::BadInput(_) | OptimizeError::NoProgram(_)) => return Ok(none),
        Err(error) => return Err(error),
    };
    let nodes = record.nodes_searched.unwrap_or(0);
    let none = Replaced { nodes, ..none };
    let Some(text) = record.program.map(|lines| lines.join("\n")) else { return Ok(none) };
    let listing = target.parse(&Source::new("stretch", text.as_str()));
    let found = listing.ok().and_then(|listing| lines(target, listing.program.instructions, own[0].line));
    let Some(found) = found else {
        return Err(OptimizeError::Internal(format!("the program of a stretch cannot be read:\n{text}")));
    };
    let cycles = |lines: &mut dyn Iterator<Item = &Line>| lines.map(|line| line.cycles).sum::<u32>();
    let (before, after) = (cycles(&mut own.iter().copied()), cycles(&mut found.iter()));
    let less = match request.objective {
        Some(Objective::Instructions) => found.len() < own.len() && after <= before,
        _ => after < before,
    };
    if !less {
        return Ok(none);
    }
    let [one, other] = [transfers(own.iter().copied()), transfers(found.iter())];
    if !same_effect(target, &one, &other, &stretch.live, stretch.masked) {
        return Err(OptimizeError::Internal(format!(
            "the program of the stretch in lines {} to {} changes a register that is live:\n{text}",
            own[0].line,
            own[own.len() - 1].line
        )));
    }
    Ok(Replaced { lines: Some(found), nodes })
}

/// Instructions as lines; `None` if one is not allowed or not linear.
fn lines(target: &Target, instructions: Vec<Instruction>, line: usize) -> Option<Vec<Line>> {
    let of = |instruction: Instruction| {
        target.check_instruction(&instruction).ok()?;
        let effects = target.transfers(&instruction).ok()?.into_iter().map(Effect::Transfer).collect();
        let cycles = target.cycles(&instruction).ok()?;
        Some(Line { instruction, effects, cycles, line, at: None, fixed: false })
    };
    instructions.into_iter().map(of).collect()
}

/// The request for the filter of a stretch, in its registers; `None` if it has no inputs, or kernels that are too large.
fn request(
    settings: &OptimizeRequest,
    own: &[&Line],
    stretch: &Stretch,
    budget: Budget,
) -> Option<OptimizeRequest> {
    let target = &settings.target;
    let name = |register: &RegisterId| target.register_name(*register).to_owned();
    let inputs: Vec<String> = stretch.inputs.iter().map(name).collect();
    if inputs.is_empty() || stretch.outputs.is_empty() {
        return None;
    }
    // Inputs that live on are kept as such, or, if there are others, asked for where they are.
    let keep_input = stretch.kept.len() == inputs.len();
    let mut wanted = stretch.outputs.clone();
    if !keep_input {
        let registers = u16::try_from(target.registers.len()).ok()?;
        let identity = |r: &RegisterId| (*r, Placed::delta(r.0 as u16, registers));
        wanted.extend(stretch.kept.iter().map(identity));
    }
    let (mut kernels, mut outputs) = (Vec::new(), Vec::new());
    for (register, kernel) in &wanted {
        let mut taps = kernel.taps()?;
        for (channel, ..) in &mut taps {
            *channel = stretch.inputs.iter().position(|input| input.0 == usize::from(*channel))? as u16;
        }
        let output = format!("to-{}", name(register));
        kernels.push((output.clone(), Placed::from_taps(inputs.len() as u16, &taps)?));
        outputs.push((output, name(register)));
    }
    let text = print_kernels(&FilterSource::new("stretch", inputs.clone()), &kernels).ok()?;
    let Start { isa, division, program } = start(settings, own)?;
    Some(OptimizeRequest {
        source: Source::new("stretch", text),
        isa,
        division,
        objective: settings.objective.or(Some(Objective::Cycles)),
        registers: Some(usable(settings, stretch, &wanted)),
        inputs: inputs.iter().cloned().zip(inputs.iter().cloned()).collect(),
        outputs,
        keep_input,
        budget,
        given: Some(program),
        local: stretch.masked,
        ..settings.clone()
    })
}

/// Where the search of a stretch starts.
struct Start {
    isa: String,
    division: Option<Division>,
    program: Program,
}

/// The stretch itself, in the instruction set and with the way of halving that are asked for or that it has.
fn start(settings: &OptimizeRequest, own: &[&Line]) -> Option<Start> {
    let target = &settings.target;
    let mut program = Program::new(target);
    program.instructions = own.iter().map(|line| line.instruction.clone()).collect();
    let (isa, kept) = match settings.keep.compensation {
        true => compensating(target, &program, &settings.isa),
        false => (settings.isa.clone(), None),
    };
    let ways = divisions(target, &program);
    let single = if let [way] = ways[..] { Some(way) } else { None };
    let division = settings.division.or(kept).or(single);
    let way = division.or(target.isa(&isa).map(|isa| isa.division))?;
    if !program.instructions.iter().all(|instruction| target.admits(&isa, way, instruction)) {
        program = program.expand(target).ok()?;
    }
    Some(Start { isa, division, program })
}

/// The registers that a stretch may use: those of its inputs and outputs, and of the others those that are dead after it and that
/// the options allow.
fn usable(settings: &OptimizeRequest, stretch: &Stretch, wanted: &[(RegisterId, Placed)]) -> Vec<String> {
    let target = &settings.target;
    let own = |r: &RegisterId| stretch.inputs.contains(r) || wanted.iter().any(|(register, _)| register == r);
    let allowed = |r: &RegisterId| {
        let name = target.register_name(*r);
        settings.registers.as_ref().is_none_or(|names| names.iter().any(|own| own == name))
    };
    let general = target.general_registers().iter();
    let usable = general.filter(|r| own(r) || stretch.scratch.contains(r) && allowed(r));
    usable.map(|r| target.register_name(*r).to_owned()).collect()
}

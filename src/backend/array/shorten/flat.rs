//! The program to shorten: its instructions with their effects, where they stand in the source, and what must be kept.

use std::collections::BTreeSet;

use crate::backend::array::machine::{
    BitId, BitKind, Cause, Cell, Effect, Instruction, Listing, RegisterId, Target,
};
use crate::backend::error::{CheckError, OptimizeError, Whose};
use crate::syntax::{Diagnostic, Diagnostics, Source, Span};

/// An instruction of the program.
#[derive(Clone, Debug)]
pub struct Line {
    /// The instruction.
    pub instruction: Instruction,
    /// What it does.
    pub effects: Vec<Effect>,
    /// Its cost.
    pub cycles: u32,
    /// The line of the source, from 1.
    pub line: usize,
    /// Its place in the program that was given, perhaps with other operands; `None` for a new one.
    pub at: Option<usize>,
    /// Whether it must stay as it is: it loads an image.
    pub fixed: bool,
}

/// What must hold at the end what the given program leaves in it.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The registers and bits, those included that are kept whatever is asked.
    pub(super) cells: Vec<Cell>,
    /// The names of those that were asked for.
    pub(super) names: Vec<String>,
    /// Whether they are all that the host may see, since nothing says what matters.
    pub(super) all: bool,
}

/// A program to shorten.
#[derive(Clone, Debug)]
pub struct Flat {
    /// The instructions, with loops and functions unfolded.
    pub lines: Vec<Line>,
}

impl Flat {
    /// A program as it was read.
    ///
    /// # Errors
    /// Instructions that the machine does not allow, and code whose replacement would not be the whole program: loops whose bound is
    /// not known, registers that are parameters or come from other files, registers that the host reads between instructions.
    pub fn new(target: &Target, source: &Source, listing: &Listing) -> Result<Self, CheckError> {
        refuse(listing).map_err(|wrong| CheckError::Source(Whose::Program, wrong))?;
        let (mut lines, mut wrong) = (Vec::new(), Diagnostics::new());
        let line = |span: Span| source.line_number(span.start as usize);
        if let Some(load) = &listing.load {
            let effects = load.transfers.iter().cloned().map(Effect::Transfer).collect();
            let first = listing.spans.first().map_or(1, |span| line(*span));
            let instruction = load.instruction.clone();
            lines.push(Line { instruction, effects, cycles: 0, line: first, at: Some(0), fixed: true });
        }
        for (instruction, span) in listing.program.instructions.iter().zip(&listing.spans) {
            let read = target
                .check_instruction(instruction)
                .and_then(|()| Ok((target.effects(instruction)?, target.cycles(instruction)?)));
            match read {
                Ok((effects, cycles)) => lines.push(Line {
                    instruction: instruction.clone(),
                    effects,
                    cycles,
                    line: line(*span),
                    at: Some(lines.len()),
                    fixed: false,
                }),
                Err(violation) => wrong.push(
                    Diagnostic::error(violation.rule(), violation.to_string())
                        .label(*span, "the machine does not allow this"),
                ),
            }
        }
        if !wrong.is_empty() {
            return Err(CheckError::Source(Whose::Program, wrong));
        }
        Ok(Self { lines })
    }

    /// What must hold at the end what this program leaves in it: the registers and bits of these names, or all that the host may see;
    /// with `all`, all that there are.
    ///
    /// # Errors
    /// [`OptimizeError::Usage`] for an unknown name.
    pub(super) fn kept(&self, target: &Target, results: &[String], all: bool) -> Result<Kept, OptimizeError> {
        let named = |name: &String| {
            let unknown = || OptimizeError::Usage(format!("`{}` has no register `{name}`", target.name));
            target.cell(name).ok_or_else(unknown)
        };
        let mut cells = match results {
            [] if all => self.all(target),
            [] => self.seen(target),
            results => results.iter().map(named).collect::<Result<_, _>>()?,
        };
        let names = cells.iter().map(|cell| target.cell_name(*cell).to_owned()).collect();
        cells.extend(always(target));
        cells.sort_unstable();
        cells.dedup();
        Ok(Kept { cells, names, all: results.is_empty() && !all })
    }

    /// Every register and bit that programs write, except those that this one leaves with a value that is not specified.
    fn all(&self, target: &Target) -> Vec<Cell> {
        let registers = (0..target.registers.len()).map(RegisterId);
        let registers = registers.filter(|register| target.given(*register).is_none()).map(Cell::Register);
        let last = |cell: &Cell| {
            let mut effects = self.lines.iter().flat_map(|line| &line.effects).rev();
            effects.find(|effect| effect.writes().contains(cell))
        };
        let left =
            |cell: &Cell| matches!(last(cell), Some(Effect::Unknown { cause: Cause::Unspecified, .. }));
        registers.chain(bits(target)).filter(|cell| !left(cell)).collect()
    }

    /// What the host, or the next program, may see at the end if nothing says more: every general register and every bit that
    /// programs write, whether or not this one writes it, except those that it writes beside what it names or is there to set.
    fn seen(&self, target: &Target) -> Vec<Cell> {
        let lines = || self.lines.iter();
        let named = lines().flat_map(|line| &line.instruction.operands).filter_map(|operand| operand.cell());
        let results = lines().flat_map(|line| target.results(&line.instruction, &line.effects));
        let meant: BTreeSet<Cell> = named.chain(results).collect();
        let written: BTreeSet<Cell> =
            lines().flat_map(|line| &line.effects).flat_map(Effect::writes).collect();
        let general = target.general_registers().iter().map(|r| Cell::Register(*r));
        general.chain(bits(target)).filter(|cell| meant.contains(cell) || !written.contains(cell)).collect()
    }
}

/// The bits that programs write.
fn bits(target: &Target) -> impl Iterator<Item = Cell> {
    let bits = (0..target.bits.len()).map(BitId);
    bits.filter(|bit| target.bits[bit.0].kind == BitKind::Register).map(Cell::Bit)
}

/// What the machine keeps between programs whatever is asked: the flag, and the sources that are set from outside.
fn always(target: &Target) -> Vec<Cell> {
    let given = (0..target.registers.len()).map(RegisterId).filter(|r| target.given(*r).is_some());
    given.map(Cell::Register).chain(target.flag().map(Cell::Bit)).collect()
}

/// Refuses programs of which only a part, or an example, was read.
fn refuse(listing: &Listing) -> Result<(), Diagnostics> {
    let mut wrong = Diagnostics::new();
    let partly = ["unknown-bound", "from-outside", "parameter", "mask-not-followed", "host-jump"];
    for note in listing.notes.iter().filter(|note| partly.contains(&note.id)) {
        let message = format!("only a whole program can be shortened: {}", note.message);
        let mut own = Diagnostic::error(note.id, message).help_if(note.help.clone());
        own.labels.clone_from(&note.labels);
        wrong.push(own);
    }
    let count = listing.program.instructions.len();
    for (at, _) in listing.observed.iter().filter(|(at, _)| (1..count).contains(at)) {
        let message = "the host reads registers between the instructions of this program";
        let label = "the next instruction";
        wrong.push(Diagnostic::error("read-between", message).label(listing.spans[*at], label));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

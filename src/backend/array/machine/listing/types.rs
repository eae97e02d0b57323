//! The types of listings: how a source is read, and the program that results.

use crate::backend::array::machine::ids::{Cell, RegisterId};
use crate::backend::array::machine::instruction::Instruction;
use crate::backend::array::machine::operation::Transfer;
use crate::backend::array::machine::program::Program;
use crate::syntax::{Diagnostics, Span};

/// The maximum number of instructions of a program with its loops unrolled, and of loop iterations.
pub(super) const MAX_INSTRUCTIONS: usize = 100_000;

/// The number of rounds that are read of a loop whose bound is not known, unless the reading says otherwise.
pub const DEFAULT_ROUNDS: usize = 4;

/// How a source is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The program to read, counted from 1; required if the source has several.
    pub block: Option<usize>,
    /// The function to read instead, with all programs in it and the host's code around them.
    pub function: Option<String>,
    /// Whether instructions under a mask are read as if every element executed them.
    pub assume_all: bool,
    /// Values of the host's variables and of parameters, by name: numbers, registers or directions.
    pub host: Vec<(String, String)>,
    /// The number of rounds that are read of a loop whose bound is not known.
    pub rounds: usize,
}

impl Default for Reading {
    fn default() -> Self {
        Self { block: None, function: None, assume_all: false, host: Vec::new(), rounds: DEFAULT_ROUNDS }
    }
}

/// A program of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The call that begins it, or the whole source if there is no such call.
    pub place: Span,
}

/// A program with the places of its instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The program.
    pub program: Program,
    /// The place of each instruction; for one from a macro, the place of the macro's use.
    pub spans: Vec<Span>,
    /// Whether each instruction is under a mask that was ignored.
    pub masked: Vec<bool>,
    /// The program's first call, if it loads an image.
    pub load: Option<Loaded>,
    /// The registers and bits that known calls of the host read, each with the number of instructions before the call.
    pub observed: Vec<(usize, Vec<Cell>)>,
    /// Warnings about ambiguous code.
    pub notes: Diagnostics,
    /// The number of programs in the source.
    pub blocks: usize,
}

/// A call that loads an image before the first instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The call.
    pub instruction: Instruction,
    /// The register that holds the image.
    pub register: RegisterId,
    /// Its effect on other registers, from the image.
    pub transfers: Vec<Transfer>,
    /// All other registers that it overwrites, including those of `transfers`.
    pub overwritten: Vec<RegisterId>,
}

impl Loaded {
    /// Whether it overwrites a register or bit with anything but the image.
    pub fn overwrites(&self, cell: Cell) -> bool {
        matches!(cell, Cell::Register(register) if self.overwritten.contains(&register))
    }
}

//! Instruction forms: an instruction set as the search sees it.
//!
//! A form is one instruction with all its immediates (directions, neighbour views) chosen and its registers left open.
//! It gives an exact linear function of the registers read for each register written.

use crate::algebra::{Offset, Rational};

/// A class of interchangeable registers of the target: on SCAMP-5 the general registers, and NEWS separately.
pub type FileId = usize;

/// An open register operand of a form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The register file that the operand comes from.
    pub file: FileId,
    /// Whether the value before the instruction is read.
    pub reads: bool,
    /// Whether the register is written: with a result, or with an unspecified value if no result names it.
    pub writes: bool,
}

/// One term of a result: `coefficient · (value of slot at `offset`)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReadTap {
    /// Index into [`Form::slots`].
    pub slot: usize,
    /// Where it is read: the result at p uses the slot's value at p + offset.
    pub offset: Offset,
    /// Its exact factor.
    pub coefficient: Rational,
}

/// The final contents of one written slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FormResult {
    /// Index into [`Form::slots`].
    pub slot: usize,
    /// The linear function; empty for zero.
    pub taps: Vec<ReadTap>,
}

/// Where an operand of the printed instruction comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormOperand {
    /// The register chosen for a slot.
    Slot(usize),
    /// Text fixed by the form: a neighbour view (`XE`), a direction (`east`) or a fixed register.
    Fixed(String),
}

/// One instruction with its immediates chosen and its registers open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Name of the instruction in the target's syntax.
    pub instruction: String,
    /// The operands in the order in which they are printed.
    pub operands: Vec<FormOperand>,
    /// Its cost in cycles.
    pub cycles: u32,
    /// The open registers.
    pub slots: Vec<Slot>,
    /// The final contents of the written slots.
    pub results: Vec<FormResult>,
    /// Intermediate values that its operations write but that no slot holds afterwards, also as linear functions.
    pub passing: Vec<Vec<ReadTap>>,
    /// Pairs of slots that must be different registers. Other slots of one file may share one, for instance a result and an operand.
    pub differ: Vec<(usize, usize)>,
    /// Register files that are overwritten although no slot names them (NEWS after a macro).
    pub clobbers: Vec<FileId>,
}

impl Form {
    /// Whether it reads and writes nothing but the element itself, on its way to its results, too.
    pub fn is_local(&self) -> bool {
        let results = self.results.iter().map(|result| &result.taps);
        results.chain(&self.passing).flatten().all(|tap| tap.offset == [0; 3])
    }
}

//! Instruction forms: an instruction set as the search sees it.
//!
//! A form is one instruction with all its immediates (directions, neighbour views) chosen and its registers left open.
//! For each register that it writes, it gives the exact linear function of the registers that it reads.

use crate::algebra::{Offset, Rational};

/// A class of interchangeable registers of the target: for SCAMP-5 the general registers, and NEWS by itself.
pub type FileId = usize;

/// An open register operand of a form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The register file that the operand comes from.
    pub file: FileId,
    /// Whether the value before the instruction is read.
    pub reads: bool,
    /// Whether the register is written: with a result, or with an unspecified value where no result names it.
    pub writes: bool,
}

/// One term of a result: `coefficient · (value of slot, seen `offset` away)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReadTap {
    /// Index into [`Form::slots`].
    pub slot: usize,
    /// Where it is read: the result at p uses the slot's value at p + offset.
    pub offset: Offset,
    /// Its exact factor.
    pub coefficient: Rational,
}

/// What one written slot holds afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FormResult {
    /// Index into [`Form::slots`].
    pub slot: usize,
    /// The linear function; empty means zero.
    pub taps: Vec<ReadTap>,
}

/// How an operand of the printed instruction is found.
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
    /// Cycles it takes.
    pub cycles: u32,
    /// The open registers.
    pub slots: Vec<Slot>,
    /// What the written slots hold afterwards.
    pub results: Vec<FormResult>,
    /// Intermediate values that its operations write and no slot holds afterwards, as linear functions too.
    pub passing: Vec<Vec<ReadTap>>,
    /// Pairs of slots that must be different registers; others of one file may coincide (a result in the place of an operand, or one operand read twice).
    pub differ: Vec<(usize, usize)>,
    /// Register files that are overwritten although no slot names them (NEWS after a macro).
    pub clobbers: Vec<FileId>,
}

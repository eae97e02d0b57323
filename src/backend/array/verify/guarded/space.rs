//! The values that functions are about: inputs, registers and bits as they are before the program, and values that nothing exact is
//! known of.

use std::collections::BTreeMap;

use super::affine::Place;
use super::diagram::{Diagrams, Id, Trouble};
use crate::backend::array::machine::{Cell, Given, Target};

/// A channel: one value in every element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// What it is.
    pub kind: Kind,
    /// The register or bit, if it is one at the start.
    pub cell: Option<Cell>,
    /// Whether it holds bits.
    pub bit: bool,
}

/// What a channel is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An input, by its index.
    Input(usize),
    /// What a source that programs cannot write holds.
    Given,
    /// What was in a register or bit before the program.
    Before,
    /// A value that nothing exact is known of: where it comes from, and why.
    Unknown(Origin, Unknown),
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The program, in the order in which programs were followed.
    pub program: usize,
    /// The instruction that leaves it, by index.
    pub instruction: usize,
    /// The register or bit in which it is left.
    pub cell: Cell,
}

/// Why nothing exact is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The machine's documentation does not say what the instruction leaves there.
    Unspecified,
    /// An analogue process that no exact rule describes, in words.
    Inexact(String),
    /// A flood, which is executed and not proved; where a value comes from, if any, that is not documented and on which it may depend.
    Flood(Option<Origin>),
}

/// Functions and their channels.
pub struct Space {
    /// The functions.
    pub diagrams: Diagrams,
    /// The channels, by number.
    pub channels: Vec<Channel>,
    /// The channels of what registers and bits hold at the start of every program that has no input there.
    before: BTreeMap<Cell, u16>,
    /// How many programs were followed.
    pub(super) programs: usize,
}

impl Default for Space {
    fn default() -> Self {
        Self::new()
    }
}

impl Space {
    /// No channels yet.
    pub fn new() -> Self {
        Self { diagrams: Diagrams::new(), channels: Vec::new(), before: BTreeMap::new(), programs: 0 }
    }

    /// Adds a channel, and returns the function that is its value.
    pub(super) fn add(
        &mut self,
        target: &Target,
        kind: Kind,
        cell: Option<Cell>,
        bit: bool,
    ) -> Result<Id, Trouble> {
        let held = match &kind {
            Kind::Unknown(origin, _) => Some(origin.cell),
            _ => cell,
        };
        let uniform = matches!(held, Some(Cell::Register(r)) if target.given(r) == Some(Given::Number));
        let number = self.diagrams.channel(uniform);
        self.channels.push(Channel { kind, cell, bit });
        self.value(number)
    }

    /// The channel of a register or bit at the start, which is the same for every program that has no input there.
    pub(super) fn before(&mut self, target: &Target, kind: Kind, cell: Cell) -> Result<u16, Trouble> {
        if let Some(number) = self.before.get(&cell) {
            return Ok(*number);
        }
        let number = self.channels.len() as u16;
        self.before.insert(cell, number);
        self.add(target, kind, Some(cell), matches!(cell, Cell::Bit(_)))?;
        Ok(number)
    }

    /// Adds an input, which is in this register or bit at the start, and returns its channel.
    ///
    /// # Errors
    /// [`Trouble`] if there are too many.
    pub fn input(&mut self, target: &Target, index: usize, cell: Cell) -> Result<u16, Trouble> {
        let bit = matches!(cell, Cell::Bit(_));
        self.add(target, Kind::Input(index), Some(cell), bit)?;
        Ok((self.channels.len() - 1) as u16)
    }

    /// The function that is a channel's value here.
    pub fn value(&mut self, number: u16) -> Result<Id, Trouble> {
        match self.channels[usize::from(number)].bit {
            true => self.diagrams.bit(number),
            false => self.diagrams.linear(super::affine::Affine::channel(number)),
        }
    }

    /// A channel.
    pub fn channel(&self, place: Place) -> &Channel {
        &self.channels[usize::from(place.0)]
    }

    /// The channels that a function depends on, in order.
    pub fn depends(&self, id: Id) -> Vec<u16> {
        let mut channels: Vec<u16> = self.diagrams.places(id).into_iter().map(|place| place.0).collect();
        channels.dedup();
        channels
    }

    /// The channels that the function of a register or bit uses, where it does not just keep what was in there.
    pub fn uses(&self, id: Id, cell: Cell) -> Vec<u16> {
        let kept = |function: &super::affine::Affine| match function.taps() {
            [((channel, [0, 0, 0]), k)] => {
                *k == crate::algebra::Rational::ONE && self.channels[usize::from(*channel)].cell == Some(cell)
            }
            _ => false,
        };
        let mut channels: Vec<u16> =
            self.diagrams.places_unless(id, &kept).into_iter().map(|place| place.0).collect();
        channels.dedup();
        channels
    }

    /// The channels with nothing exact known of them that a function depends on.
    pub fn unknowns(&self, id: Id) -> Vec<u16> {
        let unknown = |number: &u16| matches!(self.channels[usize::from(*number)].kind, Kind::Unknown(..));
        self.depends(id).into_iter().filter(unknown).collect()
    }

    /// Where the first of the values comes from that a function depends on and that are not documented.
    pub(super) fn undocumented(&self, id: Id) -> Option<Origin> {
        self.depends(id).into_iter().find_map(|number| match self.channels[usize::from(number)].kind {
            Kind::Unknown(origin, Unknown::Unspecified) => Some(origin),
            Kind::Unknown(_, Unknown::Flood(origin)) => origin,
            _ => None,
        })
    }
}

//! Programs with conditions or digital registers as effects, and what they read and write.

use crate::backend::array::compile::check_request::CheckRequest;
use crate::backend::array::compile::refusal::refusals;
use crate::backend::array::machine::{
    BitKind, Broken, Cell, Effect, Given, Instruction, Listing, Target, Violation,
};
use crate::backend::array::verify::guarded::{Followed, Reaches, Space, Trouble, follow};
use crate::backend::error::{CheckError, Whose};

/// A program with conditions or digital registers, as effects.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The effects of each instruction; those of a call that loads an image come first in the first.
    pub effects: Vec<Vec<Effect>>,
    /// The number of registers that they use.
    pub registers: usize,
    /// Instructions, by index, that have a meaning although the machine does not allow them.
    pub lenient: Broken,
    /// The registers and bits of the inputs.
    pub inputs: Vec<Cell>,
}

impl Steps {
    /// The steps of a program whose inputs are still unknown.
    ///
    /// # Errors
    /// The instructions that are not allowed, each with the first rule that it breaks.
    pub(super) fn new(target: &Target, listing: &Listing, lenient: bool) -> Result<Self, Broken> {
        let lenient = lenient.then_some(|own: &Instruction| lenient_effects(target, own));
        let (mut effects, lenient) = listing.program.meanings(target, |own| target.effects(own), lenient)?;
        if let Some(load) = &listing.load {
            let loaded: Vec<Effect> = load.transfers.iter().cloned().map(Effect::Transfer).collect();
            match effects.first_mut() {
                Some(first) => first.splice(0..0, loaded).for_each(drop),
                None => effects.push(loaded),
            }
        }
        Ok(Self { effects, registers: target.lenient_registers(), lenient, inputs: Vec::new() })
    }

    /// The reaches of the registers and bits at the end.
    pub(in crate::backend::array::compile) fn reaches(&self, target: &Target) -> Reaches {
        Reaches::new(target, self.registers, self.effects.iter().flatten())
    }

    pub(super) fn follow(
        &self,
        space: &mut Space,
        target: &Target,
        channels: &[u16],
    ) -> Result<Followed, Trouble> {
        let inputs: Vec<(Cell, u16)> = self.inputs.iter().copied().zip(channels.iter().copied()).collect();
        follow(space, target, &self.effects, self.registers, &inputs)
    }
}

fn lenient_effects(target: &Target, instruction: &Instruction) -> Result<Vec<Effect>, Violation> {
    match target.transfers(instruction) {
        Ok(_) => Ok(target.lenient_transfers(instruction)?.into_iter().map(Effect::Transfer).collect()),
        Err(_) => target.effects(instruction),
    }
}

/// The steps of a program.
pub(super) fn steps(request: &CheckRequest, listing: &Listing, whose: Whose) -> Result<Steps, CheckError> {
    Steps::new(&request.target, listing, request.lenient)
        .map_err(|refused| CheckError::Source(whose, refusals(&refused, listing, request.lenient)))
}

/// Why functions cannot be followed, in words.
pub(in crate::backend::array::compile) fn trouble_text(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::Large => "the program has too many cases",
        Trouble::Product => "values that are no numbers are multiplied",
        Trouble::Overflow => "a coefficient does not fit in 64 bits",
    }
}

/// The registers and bits that are results of a program's instructions, the last written first.
pub(super) fn written(target: &Target, listing: &Listing, steps: &Steps) -> Vec<Cell> {
    let mut found = Vec::new();
    let instructions = listing.program.instructions.iter().zip(&steps.effects);
    for (instruction, effects) in instructions.rev() {
        for cell in target.results(instruction, effects) {
            if !found.contains(&cell) {
                found.push(cell);
            }
        }
    }
    if let Some(load) = &listing.load {
        let image = Cell::Register(load.register);
        if !found.contains(&image) {
            found.push(image);
        }
    }
    found
}

/// The registers and bits that may hold an output, the likeliest first.
pub(super) fn candidates(target: &Target, listing: &Listing) -> Vec<Cell> {
    let steps = Steps::new(target, listing, true);
    let mut found = steps.map(|steps| written(target, listing, &steps)).unwrap_or_default();
    let general = target.general_registers();
    found.retain(|cell| match cell {
        Cell::Register(register) => general.contains(register),
        Cell::Bit(bit) => target.bits[bit.0].kind == BitKind::Register,
    });
    let others = general.iter().map(|register| Cell::Register(*register));
    let others: Vec<Cell> = others.filter(|cell| !found.contains(cell)).collect();
    found.extend(others);
    found
}

/// The register or bit with a name.
pub(in crate::backend::array::compile) fn named_cell(
    target: &Target,
    name: &str,
) -> Result<Cell, CheckError> {
    target.cell(name).ok_or_else(|| {
        let registers = target.registers.iter().map(|r| r.name.as_str());
        let known: Vec<&str> = registers.chain(target.bits.iter().map(|b| b.name.as_str())).collect();
        CheckError::Usage(format!("`{}` has no register `{name}`; it has {}", target.name, known.join(", ")))
    })
}

/// The registers and bits whose values before the program its results depend on: the register of a loaded image, general registers
/// in the order of the target, images from outside, bits.
pub(super) fn reads(target: &Target, listing: &Listing, steps: &Steps) -> Vec<Cell> {
    let mut space = Space::new();
    let general = target.general_registers();
    let mut found: Vec<Cell> = listing.load.iter().map(|load| Cell::Register(load.register)).collect();
    let Ok(followed) = steps.follow(&mut space, target, &[]) else { return found };
    let mut depended: Vec<Cell> = Vec::new();
    for cell in written(target, listing, steps) {
        let Ok(value) = followed.end.value(cell) else { continue };
        let channels = space.uses(value, cell).into_iter();
        depended.extend(channels.filter_map(|channel| space.channels[usize::from(channel)].cell));
    }
    let is_input = |cell: &Cell| match cell {
        Cell::Register(register) => {
            general.contains(register) || target.given(*register) == Some(Given::Image)
        }
        Cell::Bit(bit) => target.bits[bit.0].kind == BitKind::Register,
    };
    depended.retain(|cell| is_input(cell) && !found.contains(cell));
    depended.sort_unstable();
    depended.dedup();
    found.extend(depended);
    found
}

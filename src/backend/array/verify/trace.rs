//! The trace of a program: the transfers of every instruction, the channels, and the registers before and after every
//! instruction.
//!
//! A register that is read before it is written is a separate channel, after the inputs. Dependence on it is known exactly,
//! even where it cancels.

use super::footprint::{Reach, reaches_of};
use crate::algebra::{Offset, Placed, Rational};
use crate::backend::array::machine::{
    Broken, Instruction, Loaded, Program, RegisterId, State, Target, Transfer, Value,
};

/// A program as transfers over channels.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The transfers of each instruction.
    pub lines: Vec<Vec<Transfer>>,
    /// The call that loads an image before the first instruction.
    pub loaded: Option<Loaded>,
    /// The registers that hold the inputs at the start, by channel.
    pub inputs: Vec<RegisterId>,
    /// The registers that are read before they are written, in order: the channels after the inputs.
    pub unknowns: Vec<RegisterId>,
    /// Instructions, by index, that are evaluated although the machine does not allow them.
    pub lenient: Broken,
    /// The number of registers that the transfers may use: the machine's, then those of [`Target::lenient_transfers`].
    pub registers: usize,
    /// The number of registers of the machine.
    pub machine_registers: usize,
}

impl Trace {
    /// Traces a program with its inputs in these registers. With `lenient`, instructions have a meaning even if their operands
    /// share a register against the rules of the machine.
    ///
    /// # Errors
    /// The instructions that are unknown or not allowed, each with the first rule that it breaks.
    pub fn new(
        target: &Target,
        program: &Program,
        inputs: &[RegisterId],
        lenient: bool,
    ) -> Result<Self, Broken> {
        let lenient = lenient.then_some(|own: &Instruction| target.lenient_transfers(own));
        let (lines, lenient) = program.meanings(target, |own| target.transfers(own), lenient)?;
        let unknowns = read_first(lines.iter().flatten(), inputs, target.lenient_registers());
        Ok(Self {
            lines,
            loaded: None,
            inputs: inputs.to_vec(),
            unknowns,
            lenient,
            registers: target.lenient_registers(),
            machine_registers: target.registers.len(),
        })
    }

    /// The same program after a call that loads an image.
    pub fn with_load(mut self, loaded: Option<Loaded>) -> Self {
        self.loaded = loaded;
        self.unknowns = read_first(self.transfers(), &self.inputs, self.registers);
        self
    }

    /// The transfers of the call that loads an image.
    pub(super) fn prologue(&self) -> &[Transfer] {
        self.loaded.as_ref().map_or(&[], |loaded| loaded.transfers.as_slice())
    }

    /// All transfers in order: those of the call that loads an image, then those of the instructions.
    pub fn transfers(&self) -> impl Iterator<Item = &Transfer> {
        self.prologue().iter().chain(self.lines.iter().flatten())
    }

    /// The same program with its inputs in these registers.
    pub fn with_inputs(mut self, inputs: &[RegisterId]) -> Self {
        self.unknowns = read_first(self.transfers(), inputs, self.registers);
        self.inputs = inputs.to_vec();
        self
    }

    /// The number of channels: inputs and unknowns.
    pub fn channels(&self) -> u16 {
        u16::try_from(self.inputs.len() + self.unknowns.len())
            .expect("a target has fewer than 65536 registers, and each is one channel at most")
    }

    /// The register that holds a channel at the start.
    pub fn register_of(&self, channel: u16) -> RegisterId {
        let at = channel as usize;
        if at < self.inputs.len() { self.inputs[at] } else { self.unknowns[at - self.inputs.len()] }
    }

    /// The registers before the first instruction.
    pub fn start(&self) -> State {
        let mut state = State::undefined(self.registers, self.channels());
        for channel in 0..self.channels() {
            let value = Value::Known(Placed::delta(channel, self.channels()));
            state.set(self.register_of(channel), value);
        }
        state.apply_all(self.prologue());
        state
    }

    /// The registers after the first `count` instructions.
    pub fn after(&self, count: usize) -> State {
        let mut state = self.start();
        for transfers in &self.lines[..count] {
            state.apply_all(transfers);
        }
        state
    }

    /// The registers at the end.
    pub fn end(&self) -> State {
        self.after(self.lines.len())
    }

    /// For each register, the final value's dependences; uninitialised registers count like inputs.
    pub fn reaches(&self) -> Vec<Option<Reach>> {
        let channels: Vec<RegisterId> = (0..self.channels()).map(|c| self.register_of(c)).collect();
        reaches_of(self.registers, self.transfers(), &channels)
    }

    /// The machine's registers that the program writes, the last written first; the register of a loaded image comes last.
    pub fn written(&self) -> Vec<RegisterId> {
        let transfers = self.lines.iter().flatten().rev().chain(self.prologue());
        let written = transfers.flat_map(|transfer| &transfer.writes).map(|write| write.register);
        let mut found = Vec::new();
        for register in written.chain(self.loaded.iter().map(|loaded| loaded.register)) {
            if register.0 < self.machine_registers && !found.contains(&register) {
                found.push(register);
            }
        }
        found
    }

    /// The general register that the program writes last.
    pub fn last_written(&self, target: &Target) -> Option<RegisterId> {
        self.written().into_iter().find(|register| target.general_registers().contains(register))
    }

    /// A kernel over the inputs as a kernel over all channels; `None` if it has more inputs or a coefficient does not fit.
    pub fn widen(&self, kernel: &Placed) -> Option<Placed> {
        if kernel.shape.channels() == self.channels() {
            return Some(kernel.clone());
        }
        let taps: Vec<(u16, Offset, Rational)> = kernel.taps()?;
        let fits = taps.iter().all(|(channel, ..)| (*channel as usize) < self.inputs.len());
        fits.then(|| Placed::from_taps(self.channels(), &taps)).flatten()
    }
}

/// The machine's registers that are read before they are written.
fn read_first<'a>(
    transfers: impl Iterator<Item = &'a Transfer>,
    inputs: &[RegisterId],
    registers: usize,
) -> Vec<RegisterId> {
    let mut written = vec![false; registers];
    for input in inputs {
        written[input.0] = true;
    }
    let mut unknowns = Vec::new();
    for transfer in transfers {
        for (read, _) in &transfer.reads {
            if !std::mem::replace(&mut written[read.register.0], true) {
                unknowns.push(read.register);
            }
        }
        for write in &transfer.writes {
            written[write.register.0] = true;
        }
    }
    unknowns
}

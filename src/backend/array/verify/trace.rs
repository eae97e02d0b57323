//! A program on its way to being judged: what every instruction reads and writes, the channels that its registers are
//! kernels of, and the registers before and after every instruction.
//!
//! A register that is read before anything was written to it is a channel of its own, behind the inputs: what depends on
//! it is known exactly, and so is what does not, as where it cancels.

use super::footprint::{Reach, reaches_of};
use crate::algebra::{Offset, Placed, Rational};
use crate::backend::array::machine::{Loaded, Program, RegisterId, State, Step, Target, Value, Violation};

/// A program as steps over channels.
#[derive(Clone, Debug)]
pub struct Trace {
    /// For each instruction its steps.
    pub lines: Vec<Vec<Step>>,
    /// The call before the first instruction that took an image.
    pub loaded: Option<Loaded>,
    /// The registers that hold the inputs at first: channel by channel.
    pub inputs: Vec<RegisterId>,
    /// The registers that are read before they are written, in the order in which that happens: the channels behind the inputs.
    pub unknowns: Vec<RegisterId>,
    /// Instructions that the machine does not allow and that were given a meaning all the same, by index.
    pub lenient: Vec<(usize, Violation)>,
    /// How many registers the steps may name: the machine's, then those of [`Target::lenient_steps`].
    pub registers: usize,
    /// How many of them are the machine's.
    pub machine_registers: usize,
}

impl Trace {
    /// The steps of a program whose inputs stand in these registers. `lenient` gives a meaning to instructions that share
    /// a register where the machine does not allow it.
    ///
    /// # Errors
    /// The instructions that have no meaning, or that the machine does not allow, with the first rule that each breaks.
    pub fn new(
        target: &Target,
        program: &Program,
        inputs: &[RegisterId],
        lenient: bool,
    ) -> Result<Self, Vec<(usize, Violation)>> {
        let (mut lines, mut allowed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for (index, instruction) in program.instructions.iter().enumerate() {
            let steps = match target.check_instruction(instruction) {
                Ok(()) => target.steps(instruction),
                Err(violation) if lenient && violation.is_operand_rule() => {
                    allowed.push((index, violation));
                    target.lenient_steps(instruction)
                }
                Err(violation) => Err(violation),
            };
            match steps {
                Ok(steps) => lines.push(steps),
                Err(violation) => refused.push((index, violation)),
            }
        }
        if !refused.is_empty() {
            return Err(refused);
        }
        let unknowns = read_first(lines.iter().flatten(), inputs, target.lenient_registers());
        Ok(Self {
            lines,
            loaded: None,
            inputs: inputs.to_vec(),
            unknowns,
            lenient: allowed,
            registers: target.lenient_registers(),
            machine_registers: target.registers.len(),
        })
    }

    /// The same program behind a call that took an image.
    pub fn with_load(mut self, loaded: Option<Loaded>) -> Self {
        self.loaded = loaded;
        self.unknowns = read_first(self.steps(), &self.inputs, self.registers);
        self
    }

    /// What the call that takes an image leaves beside it.
    pub(super) fn prologue(&self) -> &[Step] {
        self.loaded.as_ref().map_or(&[], |loaded| loaded.steps.as_slice())
    }

    /// All steps, in order: what the call that takes an image leaves beside it, and the instructions.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.prologue().iter().chain(self.lines.iter().flatten())
    }

    /// The same program with its inputs in these registers.
    pub fn with_inputs(mut self, inputs: &[RegisterId]) -> Self {
        self.unknowns = read_first(self.steps(), inputs, self.registers);
        self.inputs = inputs.to_vec();
        self
    }

    /// The number of channels: inputs and unknowns.
    pub fn channels(&self) -> u16 {
        u16::try_from(self.inputs.len() + self.unknowns.len())
            .expect("a target has fewer than 65536 registers, and each is one channel at most")
    }

    /// The register that a channel stood in at first.
    pub fn register_of(&self, channel: u16) -> RegisterId {
        let at = channel as usize;
        if at < self.inputs.len() { self.inputs[at] } else { self.unknowns[at - self.inputs.len()] }
    }

    /// What the registers hold before the first instruction.
    pub fn start(&self) -> State {
        let mut state = State::undefined(self.registers, self.channels());
        for channel in 0..self.channels() {
            let value = Value::Known(Placed::delta(channel, self.channels()));
            state.set(self.register_of(channel), value);
        }
        state.apply_all(self.prologue());
        state
    }

    /// What the registers hold after the first `count` instructions.
    pub fn after(&self, count: usize) -> State {
        let mut state = self.start();
        for steps in &self.lines[..count] {
            state.apply_all(steps);
        }
        state
    }

    /// What the registers hold at the end.
    pub fn end(&self) -> State {
        self.after(self.lines.len())
    }

    /// For each register what its value depends on at the end: what an unknown touches counts as an input does.
    pub fn reaches(&self) -> Vec<Option<Reach>> {
        let channels: Vec<RegisterId> = (0..self.channels()).map(|c| self.register_of(c)).collect();
        reaches_of(self.registers, self.steps(), &channels)
    }

    /// The machine's registers that the program writes, the one written last first; that of an image that it takes last.
    pub fn written(&self) -> Vec<RegisterId> {
        let steps = self.lines.iter().flatten().rev().chain(self.prologue());
        let written = steps.flat_map(|step| &step.writes).map(|write| write.register);
        let mut found = Vec::new();
        for register in written.chain(self.loaded.iter().map(|loaded| loaded.register)) {
            if register.0 < self.machine_registers && !found.contains(&register) {
                found.push(register);
            }
        }
        found
    }

    /// A kernel of the inputs as one of all channels; `None` where it has more inputs, or a coefficient does not fit.
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
    steps: impl Iterator<Item = &'a Step>,
    inputs: &[RegisterId],
    registers: usize,
) -> Vec<RegisterId> {
    let mut written = vec![false; registers];
    for input in inputs {
        written[input.0] = true;
    }
    let mut unknowns = Vec::new();
    for step in steps {
        for (read, _) in &step.reads {
            if !std::mem::replace(&mut written[read.register.0], true) {
                unknowns.push(read.register);
            }
        }
        for write in &step.writes {
            written[write.register.0] = true;
        }
    }
    unknowns
}

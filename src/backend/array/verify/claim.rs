//! Claims about a program, by name and resolved.

use super::answer::Reason;
use crate::algebra::Placed;
use crate::backend::array::machine::{RegisterId, Target};

/// A claim about the results of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The registers that hold the input channels at the start.
    pub inputs: Vec<(String, u16)>,
    /// The outputs: name, final register, kernel.
    pub outputs: Vec<(String, String, Placed)>,
    /// Input registers that still hold their input at the end.
    pub keep: Vec<String>,
}

impl Claim {
    /// A claim without outputs.
    pub fn new<'a>(inputs: impl IntoIterator<Item = (&'a str, u16)>) -> Self {
        let inputs = inputs.into_iter().map(|(register, channel)| (register.to_owned(), channel)).collect();
        Self { inputs, ..Self::default() }
    }

    /// Adds an output.
    pub fn output(mut self, name: &str, register: &str, kernel: Placed) -> Self {
        self.outputs.push((name.to_owned(), register.to_owned(), kernel));
        self
    }

    /// Adds a register that must keep its input.
    pub fn keeping(mut self, register: &str) -> Self {
        self.keep.push(register.to_owned());
        self
    }
}

/// An output or a kept input with its names resolved.
pub(super) struct Expectation {
    pub(super) name: String,
    pub(super) register: RegisterId,
    pub(super) kernel: Placed,
}

type Resolved = (Vec<(RegisterId, u16)>, Vec<Expectation>);

/// The names of a claim resolved: inputs, and expectations with the outputs first.
pub(super) fn resolve(target: &Target, claim: &Claim) -> Result<Resolved, Reason> {
    let register = |name: &str| target.register(name).ok_or_else(|| Reason::NoRegister(name.to_owned()));
    let channels = claim.outputs.first().map_or(1, |(.., kernel)| kernel.shape.channels());
    let mut inputs = Vec::new();
    for (name, channel) in &claim.inputs {
        if *channel >= channels {
            return Err(Reason::NoChannel(*channel));
        }
        inputs.push((register(name)?, *channel));
    }
    let mut expectations = Vec::new();
    for (name, holder, kernel) in &claim.outputs {
        if kernel.shape.channels() != channels {
            return Err(Reason::MixedChannels);
        }
        expectations.push(Expectation {
            name: name.clone(),
            register: register(holder)?,
            kernel: kernel.clone(),
        });
    }
    for name in &claim.keep {
        let kept = register(name)?;
        let Some((_, channel)) = inputs.iter().find(|(r, _)| *r == kept) else {
            return Err(Reason::NotAnInput(name.clone()));
        };
        let kernel = Placed::delta(*channel, channels);
        expectations.push(Expectation { name: name.clone(), register: kept, kernel });
    }
    Ok((inputs, expectations))
}

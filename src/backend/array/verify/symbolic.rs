//! The exact check: evaluates every register as a kernel of the inputs.

use super::answer::{Answer, KernelWitness, Reason};
use super::claim::Expectation;
use crate::algebra::{Placed, carrier, mismatches};
use crate::backend::array::machine::{RegisterId, State, Target, Transfer, Value};

/// The value of every register after `transfers`. The registers in `inputs` hold the input channels at the start; the others are
/// uninitialised.
pub fn evaluate(
    target: &Target,
    transfers: &[Transfer],
    inputs: &[(RegisterId, u16)],
    channels: u16,
) -> State {
    let mut state = State::undefined(target.registers.len(), channels);
    for (register, channel) in inputs {
        state.set(*register, Value::Known(Placed::delta(*channel, channels)));
    }
    state.apply_all(transfers);
    state
}

pub(super) fn compare(target: &Target, state: &State, expectations: &[Expectation]) -> Answer<KernelWitness> {
    let mut witnesses = Vec::new();
    for expectation in expectations {
        let (expected, found) = (&expectation.kernel, state.value(expectation.register));
        let (differs_at, up_to) = match found {
            Value::Known(kernel) if kernel == expected => continue,
            Value::Known(kernel) => {
                let Some(differences) = mismatches(expected, kernel) else {
                    return Answer::Unknown(Reason::Overflow(expectation.name.clone()));
                };
                (differences, carrier(expected, kernel))
            }
            Value::Overflow => return Answer::Unknown(Reason::Overflow(expectation.name.clone())),
            Value::Undefined(_) => (Vec::new(), None),
        };
        witnesses.push(KernelWitness {
            output: expectation.name.clone(),
            register: target.register_name(expectation.register).to_owned(),
            expected: expected.clone(),
            found: found.clone(),
            differs_at,
            up_to,
        });
    }
    if witnesses.is_empty() { Answer::Equal } else { Answer::Different(witnesses) }
}

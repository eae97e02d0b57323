//! The exact check: every register as a kernel of the inputs, after the last instruction.

use super::Expectation;
use super::answer::{Answer, Difference, KernelWitness, Reason};
use crate::algebra::{Label, Offset, Placed, Rational};
use crate::target::{RegisterId, State, Step, Target, Value};

/// What every register holds after `steps` when the registers of `inputs` hold the input channels and nothing is known
/// of the others.
pub fn evaluate(target: &Target, steps: &[Step], inputs: &[(RegisterId, u16)], channels: u16) -> State {
    let mut state = State::undefined(target.registers.len(), channels);
    for (register, channel) in inputs {
        state.set(*register, Value::Known(Placed::delta(*channel, channels)));
    }
    state.apply_all(steps);
    state
}

pub(super) fn compare(target: &Target, state: &State, expectations: &[Expectation]) -> Answer<KernelWitness> {
    let mut witnesses = Vec::new();
    for expectation in expectations {
        let (expected, found) = (&expectation.kernel, state.value(expectation.register));
        let (differs_at, up_to) = match found {
            Value::Known(kernel) if kernel == expected => continue,
            Value::Known(kernel) => {
                let Some(differences) = differences(expected, kernel) else {
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

pub(super) fn differences(expected: &Placed, found: &Placed) -> Option<Vec<Difference>> {
    let (expected, found) = (expected.taps()?, found.taps()?);
    let mut places: Vec<_> =
        expected.iter().chain(&found).map(|(c, [x, y, z], _)| (*c, *z, *y, *x)).collect();
    places.sort_unstable();
    places.dedup();
    let mut differences = Vec::new();
    for (channel, z, y, x) in places {
        let offset = [x, y, z];
        let at = |taps: &[(u16, _, Rational)]| {
            taps.iter().find(|t| (t.0, t.1) == (channel, offset)).map_or(Rational::ZERO, |t| t.2)
        };
        let (expected, found) = (at(&expected), at(&found));
        if expected != found {
            differences.push(Difference { channel, offset, expected, found });
        }
    }
    Some(differences)
}

/// The translation and factor that carry one kernel to the other; `None` where there are none, and for zero kernels.
pub(super) fn carrier(expected: &Placed, found: &Placed) -> Option<Label> {
    let (expected, found) = (expected.taps()?, found.taps()?);
    let (first, last) = (expected.first()?, found.first()?);
    if expected.len() != found.len() {
        return None;
    }
    // Taps of both stand in storage order, which a translation keeps.
    let offset = [0, 1, 2].map(|axis| last.1[axis].checked_sub(first.1[axis]));
    let [Some(x), Some(y), Some(z)] = offset else { return None };
    let label = Label { scale: last.2.div(first.2)?, offset: [x, y, z] };
    let carried = |((c, o, k), (d, p, l)): (&(u16, Offset, Rational), &(u16, Offset, Rational))| {
        let there = [0, 1, 2].map(|axis| o[axis].checked_add(label.offset[axis]));
        c == d && there == p.map(Some) && k.mul(label.scale) == Some(*l)
    };
    expected.iter().zip(&found).all(carried).then_some(label)
}

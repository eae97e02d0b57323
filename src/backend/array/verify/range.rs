//! Whether values fit into registers. This is exact: a kernel reaches its extremes on the image that is greatest under its
//! positive and least under its negative coefficients.

use super::trace::Trace;
use crate::algebra::{Placed, Rational};
use crate::backend::array::machine::{RegisterId, State, Target, Value};

/// The greatest input amplitude for which no write of a program overflows, in pixels whose reads stay on the array. Closer to
/// the edge, terms that cancel elsewhere may be missing individually.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amplitude {
    /// The greatest a such that nothing overflows for inputs from -a to a.
    pub symmetric: Rational,
    /// The greatest a such that nothing overflows for inputs from 0 to a.
    pub positive: Rational,
    /// The write that limits inputs from -a to a: its instruction, by index (`None` for an input itself), and its register.
    pub limit: (Option<usize>, RegisterId),
}

impl Amplitude {
    /// Whether it says that nothing overflows for inputs from `least` to `greatest`.
    pub fn covers(&self, [least, greatest]: [Rational; 2]) -> bool {
        greatest <= self.symmetric && least >= self.symmetric.negate()
            || greatest <= self.positive && least >= Rational::ZERO
    }
}

/// The sums of the positive coefficients and of the absolute values of the negative ones, over channels for which `counts` holds.
fn halves(kernel: &Placed, counts: impl Fn(u16) -> bool) -> Option<[Rational; 2]> {
    let [width, height, depth] = kernel.shape.size().map(usize::from);
    let mut halves = [0i64; 2];
    for (channel, taps) in (0..).zip(kernel.shape.dense().chunks((width * height * depth).max(1))) {
        if counts(channel) {
            for tap in taps {
                let half = &mut halves[usize::from(*tap < 0)];
                *half = half.checked_add(tap.checked_abs()?)?;
            }
        }
    }
    let scale = kernel.label.scale;
    if scale.is_negative() {
        halves.swap(0, 1);
    }
    let [positive, negative] = halves.map(|half| Rational::integer(half).mul(scale.abs()));
    Some([positive?, negative?])
}

/// The least and the greatest value of a register, over all images of the range; uninitialised registers may hold any value
/// that fits. `None` if a coefficient does not fit.
pub(super) fn extremes(
    target: &Target,
    trace: &Trace,
    state: &State,
    register: RegisterId,
    inputs: [Rational; 2],
) -> Option<[Rational; 2]> {
    let Value::Known(kernel) = state.value(register) else { return None };
    kernel_extremes(target, kernel, trace.inputs.len(), inputs)
}

/// The same for a kernel whose first `known` channels are inputs of the range.
fn kernel_extremes(
    target: &Target,
    kernel: &Placed,
    known: usize,
    inputs: [Rational; 2],
) -> Option<[Rational; 2]> {
    let own = |channel: u16| usize::from(channel) < known;
    let mut found = [Rational::ZERO; 2];
    for (halves, [low, high]) in
        [(halves(kernel, own)?, inputs), (halves(kernel, |channel| !own(channel))?, target.range)]
    {
        let [positive, negative] = halves;
        found[0] = found[0].add(positive.mul(low)?)?.sub(negative.mul(high)?)?;
        found[1] = found[1].add(positive.mul(high)?)?.sub(negative.mul(low)?)?;
    }
    Some(found)
}

/// The least and the greatest value of a kernel of the inputs, over all images of the range; `None` if a number does not fit.
pub fn span(target: &Target, kernel: &Placed, inputs: [Rational; 2]) -> Option<[Rational; 2]> {
    kernel_extremes(target, kernel, usize::from(u16::MAX) + 1, inputs)
}

/// Whether nothing overflows, for all images of the range.
pub fn fits(target: &Target, trace: &Trace, inputs: [Rational; 2]) -> bool {
    let [least, most] = target.range;
    let mut state = trace.start();
    let fits = |state: &State, register: RegisterId| {
        extremes(target, trace, state, register, inputs)
            .is_some_and(|[low, high]| low >= least && high <= most)
    };
    trace.inputs.iter().all(|register| fits(&state, *register))
        && trace.transfers().all(|transfer| {
            state.apply(transfer);
            transfer.writes.iter().all(|write| fits(&state, write.register))
        })
}

/// The greatest input amplitude without overflow; `None` if a value depends on an uninitialised register, a coefficient does
/// not fit, or there is no input.
pub fn amplitude(target: &Target, trace: &Trace) -> Option<Amplitude> {
    let [least, most] = target.range;
    let below = least.negate().max(Rational::ZERO);
    let above = most.max(Rational::ZERO);
    let mut found: Option<Amplitude> = None;
    let mut consider = |state: &State, line: Option<usize>, register: RegisterId| -> Option<()> {
        let Value::Known(kernel) = state.value(register) else { return None };
        let foreign = |channel: u16| usize::from(channel) >= trace.inputs.len();
        if usize::from(kernel.shape.channels()) > trace.inputs.len()
            && !halves(kernel, foreign)?.iter().all(|half| half.is_zero())
        {
            return None;
        }
        let [positive, negative] = halves(kernel, |_| true)?;
        let both = positive.add(negative)?;
        if both.is_zero() {
            return Some(());
        }
        let up_to = |bound: Rational, by: Rational| if by.is_zero() { None } else { bound.div(by) };
        let symmetric = up_to(above.min(below), both)?;
        let sides = [up_to(above, positive), up_to(below, negative)].into_iter().flatten();
        let positive = sides.min()?;
        found = Some(match found {
            None => Amplitude { symmetric, positive, limit: (line, register) },
            Some(earlier) => Amplitude {
                symmetric: earlier.symmetric.min(symmetric),
                positive: earlier.positive.min(positive),
                limit: if symmetric < earlier.symmetric { (line, register) } else { earlier.limit },
            },
        });
        Some(())
    };
    let mut state = trace.start();
    let loaded = trace.prologue().iter().flat_map(|transfer| &transfer.writes).map(|write| write.register);
    for register in trace.inputs.iter().copied().chain(loaded) {
        consider(&state, None, register)?;
    }
    for (index, transfers) in trace.lines.iter().enumerate() {
        for transfer in transfers {
            state.apply(transfer);
            for write in &transfer.writes {
                consider(&state, Some(index), write.register)?;
            }
        }
    }
    found
}

//! Whether values of a program with conditions fit into registers. Every case counts as possible, so the amplitude is one for which
//! nothing overflows, and perhaps not the greatest.

use std::collections::BTreeSet;

use super::affine::Affine;
use super::diagram::{Id, Node};
use super::evaluate::Followed;
use super::space::{Kind, Space};
use crate::algebra::Rational;
use crate::backend::array::machine::{Cell, RegisterId, Target};
use crate::backend::array::verify::range::Amplitude;

/// The range of a program's inputs.
pub enum Range {
    /// An amplitude for which no write overflows.
    Within(Amplitude),
    /// If all inputs are 0, this write, of an instruction by index, leaves a number in a register that may not fit.
    Beyond(usize, RegisterId, Rational),
}

/// An amplitude of the inputs, and of what registers hold at the start, for which no write overflows; `None` if a value cannot be
/// followed or depends on something that nothing exact is known of, if a number does not fit, or if there is no input.
pub fn amplitude(target: &Target, space: &Space, followed: &Followed) -> Option<Range> {
    let [least, most] = target.range;
    let (below, above) = (least.negate().max(Rational::ZERO), most.max(Rational::ZERO));
    let mut seen = BTreeSet::new();
    let mut found: Option<Amplitude> = None;
    for (at, register, value) in &followed.writes {
        let mut functions = Vec::new();
        leaves(space, (*value).ok()?, &mut seen, &mut functions);
        functions.retain(|function| !is_kept(space, function, *register));
        if let Some(constant) = functions.iter().map(Affine::offset).find(|c| *c < least || *c > most) {
            return Some(Range::Beyond(*at, *register, constant));
        }
        for function in functions.iter().filter(|function| !function.taps().is_empty()) {
            let [symmetric, positive] = limits(space, function, [below, above])?;
            let own = Amplitude { symmetric, positive, limit: (Some(*at), *register) };
            found = Some(match found {
                None => within(own, function, space, [below, above]),
                Some(earlier) => Amplitude {
                    symmetric: earlier.symmetric.min(symmetric),
                    positive: earlier.positive.min(positive),
                    limit: if symmetric < earlier.symmetric { own.limit } else { earlier.limit },
                },
            });
        }
    }
    found.map(Range::Within)
}

/// Whether a function is what the register held before the program: where the flag is not 1, writes leave that.
fn is_kept(space: &Space, function: &Affine, register: RegisterId) -> bool {
    match function.taps() {
        [((channel, [0, 0, 0]), k)] => {
            let own = &space.channels[usize::from(*channel)];
            let before = own.kind == Kind::Before && own.cell == Some(Cell::Register(register));
            before && *k == Rational::ONE && function.offset().is_zero()
        }
        _ => false,
    }
}

/// No input is greater than what its own register holds.
fn within(own: Amplitude, function: &Affine, space: &Space, [below, above]: [Rational; 2]) -> Amplitude {
    let both = below.min(above);
    if own.symmetric < both {
        return Amplitude { positive: own.positive.min(above), ..own };
    }
    let ((channel, _), _) = function.taps()[0];
    let input = match space.channels[usize::from(channel)].cell {
        Some(Cell::Register(register)) => register,
        _ => RegisterId(0),
    };
    Amplitude { symmetric: both, positive: own.positive.min(above), limit: (None, input) }
}

/// The linear functions of a value that were not seen yet.
fn leaves(space: &Space, id: Id, seen: &mut BTreeSet<Id>, found: &mut Vec<Affine>) {
    if !seen.insert(id) {
        return;
    }
    match space.diagrams.node(id) {
        Node::Truth(_) => {}
        Node::Linear(function) => found.push(function.clone()),
        Node::Split { parts, .. } => parts.iter().for_each(|part| leaves(space, *part, seen, found)),
    }
}

/// The greatest a such that a function of inputs from -a to a, and of inputs from 0 to a, fits.
fn limits(space: &Space, function: &Affine, [below, above]: [Rational; 2]) -> Option<[Rational; 2]> {
    let mut sums = [Rational::ZERO; 2];
    for ((channel, _), k) in function.taps() {
        if matches!(space.channels[usize::from(*channel)].kind, Kind::Unknown(..)) {
            return None;
        }
        let sum = &mut sums[usize::from(k.is_negative())];
        *sum = sum.add(k.abs())?;
    }
    let [up, down] = sums;
    let room =
        [above.sub(function.offset())?, below.add(function.offset())?].map(|room| room.max(Rational::ZERO));
    let both = room[0].min(room[1]).div(up.add(down)?)?;
    let side = |room: Rational, by: Rational| if by.is_zero() { None } else { room.div(by) };
    let positive = [side(room[0], up), side(room[1], down)].into_iter().flatten().min()?;
    Some([both, positive])
}

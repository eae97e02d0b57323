//! Compares the outputs of a program with the expected ones: equal, equal up to a translation and a factor, or different, with
//! evidence.

use super::counterexample::{Counterexample, smallest};
use super::footprint::Reach;
use super::lost::lost_at;
use super::trace::Trace;
use crate::algebra::{Label, Placed, Relation, Shape};
use crate::backend::array::machine::{RegisterId, State, Target, Value};

/// An expected output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name.
    pub name: String,
    /// The register that should hold it at the end; `None` if any may.
    pub register: Option<RegisterId>,
    /// The expected kernel, over the trace's inputs or all of its channels.
    pub kernel: Placed,
}

/// The comparison of one output.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The output's name.
    pub name: String,
    /// The register: the requested one, or the closest match.
    pub register: RegisterId,
    /// The expected kernel, over all channels of the trace.
    pub expected: Placed,
    /// The value of the register.
    pub found: Value,
    /// The relation between the two.
    pub relation: Relation,
    /// Uninitialised registers that the value found depends on.
    pub uninitialised: Vec<RegisterId>,
    /// The pixels that the value depends on, if known.
    pub reach: Option<Reach>,
    /// The first instruction, by index, after which the value can no longer become right, if known.
    pub lost_at: Option<usize>,
    /// The smallest images that show that the kernels differ; `None` if they do not, or if no two-dimensional image shows it.
    pub counterexample: Option<Counterexample>,
}

/// Compares a program with its expected outputs.
///
/// An output without a register is searched for in the target's general registers: first in those that the program
/// writes, the last written first, then in the others. The first equal register is chosen, otherwise the first that is equal up to
/// translation and factor, otherwise the one with the fewest differing taps.
pub fn judge(target: &Target, trace: &Trace, wanted: &[Wanted]) -> Vec<Finding> {
    let end = trace.end();
    let reaches = trace.reaches();
    wanted
        .iter()
        .map(|wanted| {
            let expected = trace.widen(&wanted.kernel);
            let (register, relation) = match wanted.register {
                Some(register) => (register, relation(expected.as_ref(), end.value(register))),
                None => nearest(target, trace, &end, expected.as_ref()),
            };
            let found = end.value(register).clone();
            let mut finding = Finding {
                name: wanted.name.clone(),
                register,
                expected: expected.unwrap_or_else(|| wanted.kernel.clone()),
                uninitialised: uninitialised(trace, &found),
                found,
                reach: reaches[register.0].clone(),
                lost_at: None,
                counterexample: None,
                relation,
            };
            if !matches!(finding.relation, Relation::Equal | Relation::Undecided) {
                finding.lost_at = lost_at(target, trace, &finding.expected);
                let border = finding.reach.as_ref().map(|reach| reach.border).unwrap_or_default();
                finding.counterexample = smallest(trace, register, &finding.expected, &finding.found, border);
            }
            finding
        })
        .collect()
}

fn nearest(target: &Target, trace: &Trace, end: &State, expected: Option<&Placed>) -> (RegisterId, Relation) {
    let general = target.general_registers();
    let mut candidates = trace.written();
    candidates.retain(|register| general.contains(register));
    let written = candidates.len();
    let others: Vec<RegisterId> = general.iter().copied().filter(|r| !candidates.contains(r)).collect();
    candidates.extend(others);
    let judged = candidates.into_iter().enumerate().filter_map(|(place, register)| {
        let relation = match end.value(register) {
            Value::Undefined(_) => return None,
            value => relation(expected, value),
        };
        // A register that the program does not access is not a wrong result.
        let alone = place >= written && !matches!(relation, Relation::Equal | Relation::UpTo(_));
        Some((register, alone, relation))
    });
    let best = judged.min_by_key(|(_, alone, relation)| (*alone, relation.rank()));
    let none = (general.first().copied().unwrap_or(RegisterId(0)), Relation::Undecided);
    best.map_or(none, |(register, _, relation)| (register, relation))
}

/// The relation between a register's value and the expected one, both over the same channels.
fn relation(expected: Option<&Placed>, found: &Value) -> Relation {
    let Some(expected) = expected else { return Relation::Undecided };
    match found {
        Value::Known(found) => Relation::between(expected, found),
        Value::Overflow => Relation::Undecided,
        // Neither read nor written, so it still has its initial value.
        Value::Undefined(_) => Relation::between(
            expected,
            &Placed { label: Label::IDENTITY, shape: Shape::zero(expected.shape.channels()) },
        ),
    }
}

/// The registers, other than inputs, whose initial values a value depends on.
pub fn uninitialised(trace: &Trace, value: &Value) -> Vec<RegisterId> {
    let kernel = match value {
        Value::Known(kernel) => kernel,
        Value::Undefined(register) => return vec![*register],
        Value::Overflow => return Vec::new(),
    };
    let mut channels: Vec<u16> = kernel.shape.taps().map(|(channel, ..)| channel).collect();
    channels.sort_unstable();
    channels.dedup();
    let unknown = channels.into_iter().filter(|c| *c as usize >= trace.inputs.len());
    unknown.map(|channel| trace.register_of(channel)).collect()
}

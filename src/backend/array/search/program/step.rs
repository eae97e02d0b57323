//! Steps of a program on values, and the contents required of the registers between them.

use smallvec::SmallVec;

use super::value::{Shapes, Value, View};

/// A value that a register of a file must hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Need {
    pub(crate) file: u8,
    pub(crate) value: Value,
}

/// The needs of all registers, sorted.
pub(crate) type State = SmallVec<[Need; 8]>;

/// One instruction on values, before registers are chosen: it reads `sources` and leaves `produced`, each with its slot.
#[derive(Clone, Debug)]
pub(crate) struct ValueStep {
    pub(crate) form: u16,
    pub(crate) sources: SmallVec<[(u8, Value); 4]>,
    pub(crate) produced: SmallVec<[(u8, Value); 3]>,
}

impl ValueStep {
    /// The same step on other values; `None` if a value has no image.
    pub(crate) fn map(&self, image: &mut dyn FnMut(Value) -> Option<Value>) -> Option<Self> {
        let sources =
            self.sources.iter().map(|(slot, v)| Some((*slot, image(*v)?))).collect::<Option<_>>()?;
        let produced =
            self.produced.iter().map(|(slot, v)| Some((*slot, image(*v)?))).collect::<Option<_>>()?;
        Some(Self { form: self.form, sources, produced })
    }
}

/// The operands of a sum, each with the view through which the form sees it; `None` if one is missing.
pub(crate) fn operands(
    terms: &[(usize, View)],
    sources: &[(u8, Value)],
) -> Option<SmallVec<[(Value, View); 8]>> {
    let seen = |(slot, view): &(usize, View)| {
        sources.iter().find(|(at, _)| usize::from(*at) == *slot).map(|(_, value)| (*value, *view))
    };
    terms.iter().map(seen).collect()
}

/// The sum of an instruction's operands for one result. `None` if an operand is missing or the sum is out of range.
pub(crate) fn left_by(
    terms: &[(usize, View)],
    sources: &[(u8, Value)],
    shapes: &mut Shapes,
) -> Option<Value> {
    shapes.sum(&operands(terms, sources)?)
}

/// The state that consists of these needs.
pub(crate) fn state_of(needs: &[(Need, Option<usize>)]) -> State {
    let mut state: State = needs.iter().map(|(n, _)| *n).collect();
    state.sort_unstable();
    state
}

/// Whether a state holds only values of the start, each at most once.
pub(crate) fn is_start(state: &State, start: &[Need]) -> bool {
    state.iter().enumerate().all(|(i, n)| start.contains(n) && !state[..i].contains(n))
}

//! The footprint of a program, whatever the coefficients, and the border where its results are invalid.

use crate::algebra::{AlgebraError, Border, Footprint, Offset};
use crate::backend::array::machine::{RegisterId, Target, Transfer};

/// The pixels that the value of a register at p depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The offsets of the input pixels that enter the computation, including those whose coefficients cancel.
    pub footprint: Footprint,
    /// The number of invalid pixels on each side of the image, because an element on the path from an input pixel lies outside
    /// and passes on 0. It can exceed the footprint's border: a value fetched from the east and moved back has the
    /// footprint of a copy, but is lost in the easternmost column.
    pub border: Border,
}

/// The footprint, and all places that values pass on their way, including p. Both are empty for a value that depends
/// on no input, which is the same everywhere.
#[derive(Clone)]
struct Trace {
    inputs: Footprint,
    visited: Footprint,
}

impl Trace {
    fn constant() -> Self {
        Self { inputs: Footprint::empty(), visited: Footprint::empty() }
    }

    fn input() -> Self {
        Self { inputs: Footprint::origin(), visited: Footprint::origin() }
    }

    /// The trace of the value at `offset`.
    fn seen(&self, offset: Offset) -> Result<Self, AlgebraError> {
        if self.inputs.is_empty() {
            return Ok(Self::constant());
        }
        let visited = self.visited.shift(offset)?.union(&Footprint::origin())?;
        Ok(Self { inputs: self.inputs.shift(offset)?, visited })
    }

    fn union(&self, other: &Self) -> Result<Self, AlgebraError> {
        Ok(Self { inputs: self.inputs.union(&other.inputs)?, visited: self.visited.union(&other.visited)? })
    }
}

/// For each register, what its value depends on after `transfers`; `None` if it depends on a register that was never written,
/// or on more places than a footprint can represent.
pub fn reaches(target: &Target, transfers: &[Transfer], inputs: &[(RegisterId, u16)]) -> Vec<Option<Reach>> {
    let inputs: Vec<RegisterId> = inputs.iter().map(|(register, _)| *register).collect();
    reaches_of(target.registers.len(), transfers.iter(), &inputs)
}

/// The same for any number of registers.
pub(super) fn reaches_of<'a>(
    registers: usize,
    transfers: impl Iterator<Item = &'a Transfer>,
    inputs: &[RegisterId],
) -> Vec<Option<Reach>> {
    let mut traces: Vec<Option<Trace>> = vec![None; registers];
    for register in inputs {
        traces[register.0] = Some(Trace::input());
    }
    for transfer in transfers {
        let sum = transfer.reads.iter().try_fold(Trace::constant(), |sum, (read, _)| {
            let seen = traces[read.register.0].as_ref()?.seen(read.offset).ok()?;
            sum.union(&seen).ok()
        });
        for write in &transfer.writes {
            traces[write.register.0] = sum.as_ref().and_then(|sum| sum.seen(write.offset).ok());
        }
    }
    let reach = |trace: Trace| Reach { border: trace.visited.border(), footprint: trace.inputs };
    traces.into_iter().map(|trace| trace.map(reach)).collect()
}

/// The widest border on each side.
pub(super) fn widest<'a>(reaches: impl Iterator<Item = &'a Reach>) -> Border {
    reaches.fold(Border::default(), |widest, reach| {
        let b = reach.border;
        Border {
            west: widest.west.max(b.west),
            east: widest.east.max(b.east),
            south: widest.south.max(b.south),
            north: widest.north.max(b.north),
            down: widest.down.max(b.down),
            up: widest.up.max(b.up),
        }
    })
}

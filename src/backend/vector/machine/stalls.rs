//! The cycles in which accesses of a program wait for a memory bank that another access uses.

use super::{Access, Operation, Program, VliwMachine};

/// A memory operation as the loop executes it: its lag in iterations, the address of its first execution, the strides
/// of the loops, and its bytes.
struct Stream {
    lag: usize,
    first: i64,
    strides: Vec<i64>,
    step: i64,
    bytes: usize,
}

impl Stream {
    /// Its access in one pass of the kernel. `None` before its first iteration and after its last.
    fn access(&self, outer: i64, turn: usize, iterations: usize) -> Option<Access> {
        let iteration = turn.checked_sub(self.lag).filter(|iteration| *iteration < iterations)?;
        let address = self.first + outer + self.step * iteration as i64;
        Some(Access { address: usize::try_from(address).ok()?, bytes: self.bytes })
    }
}

impl Program {
    /// The bytes that a memory operation moves: a vector, or the lanes of the accumulator that are stored.
    pub(super) fn moved(&self, machine: &VliwMachine, operation: &Operation) -> usize {
        match operation {
            Operation::Store { .. } => {
                let lanes = machine.mode(&self.mode).map_or(0, |mode| mode.lanes);
                lanes * self.element.bytes()
            }
            _ => machine.vector_bits / 8,
        }
    }

    /// The stall cycles of all runs of the loop, in which accesses wait for a bank. Zero if the machine declares no
    /// banks, or the tensors have no places.
    pub fn bank_stalls(&self, machine: &VliwMachine) -> usize {
        self.stalls_at(machine, &self.places)
    }

    /// The stall cycles with the tensors at these addresses.
    pub fn stalls_at(&self, machine: &VliwMachine, places: &[usize]) -> usize {
        let Some(banks) = machine.banks.filter(|_| places.len() == self.arrays.len()) else { return 0 };
        let together = self.together(machine, places);
        let mut stalls = 0;
        let mut accesses = Vec::new();
        for entry in 0..self.entries() {
            let indices = self.indices(entry);
            for bundle in &together {
                let outer: Vec<i64> = bundle
                    .iter()
                    .map(|stream| stream.strides.iter().zip(&indices).map(|(s, i)| s * *i as i64).sum())
                    .collect();
                let last = bundle.iter().map(|stream| stream.lag).max().unwrap_or(0);
                for turn in 0..self.inner.count + last {
                    accesses.clear();
                    let of = bundle.iter().zip(&outer);
                    accesses.extend(of.filter_map(|(s, outer)| s.access(*outer, turn, self.inner.count)));
                    if accesses.len() > 1 {
                        stalls += banks.stalls(&accesses);
                    }
                }
            }
        }
        stalls
    }

    /// The indices of the outer loops at the given entry of the innermost loop.
    pub(super) fn indices(&self, mut entry: usize) -> Vec<usize> {
        let mut indices: Vec<usize> = self
            .outer
            .iter()
            .rev()
            .map(|counted| {
                let index = entry % counted.count;
                entry /= counted.count;
                index
            })
            .collect();
        indices.reverse();
        indices
    }

    /// The groups of memory operations that share a cycle of the kernel.
    fn together(&self, machine: &VliwMachine, places: &[usize]) -> Vec<Vec<Stream>> {
        let mut found: Vec<Vec<Stream>> = (0..self.interval).map(|_| Vec::new()).collect();
        for timed in &self.body {
            let (Operation::Load { at, .. } | Operation::Store { at, .. }) = &timed.operation else {
                continue;
            };
            let bytes = self.arrays[at.array].element.bytes() as i64;
            found[timed.time % self.interval].push(Stream {
                lag: timed.time / self.interval,
                first: places[at.array] as i64 + at.offset * bytes,
                strides: at.strides.iter().map(|stride| stride * bytes).collect(),
                step: at.step * bytes,
                bytes: self.moved(machine, &timed.operation),
            });
        }
        found.retain(|bundle| bundle.len() > 1);
        found
    }
}

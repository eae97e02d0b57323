//! The bundles of a software-pipelined loop: what fills the pipeline, what repeats, what empties it.

use super::Program;

/// What issues in one cycle: indices of operations of the body.
pub type Bundle = Vec<usize>;

/// The code of a pipelined loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bundles {
    /// Fills the pipeline.
    pub prologue: Vec<Bundle>,
    /// Repeats.
    pub kernel: Vec<Bundle>,
    /// How often the kernel runs.
    pub repeats: usize,
    /// Empties the pipeline.
    pub epilogue: Vec<Bundle>,
}

/// The three pieces of a pipelined loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Fills the pipeline.
    Prologue,
    /// Repeats.
    Kernel,
    /// Empties the pipeline.
    Epilogue,
}

impl Bundles {
    /// The bundles of the code.
    pub fn count(&self) -> usize {
        self.prologue.len() + self.kernel.len() + self.epilogue.len()
    }

    /// The bundles in the order in which they issue, each with its piece.
    pub fn issued(&self) -> impl Iterator<Item = (Stage, &Bundle)> {
        let kernel = (0..self.repeats).flat_map(|_| self.kernel.iter());
        (self.prologue.iter().map(|b| (Stage::Prologue, b)))
            .chain(kernel.map(|b| (Stage::Kernel, b)))
            .chain(self.epilogue.iter().map(|b| (Stage::Epilogue, b)))
    }
}

impl Program {
    /// The code of the innermost loop. Where it runs too few times to fill the pipeline, nothing repeats.
    pub fn bundles(&self) -> Bundles {
        let (interval, span, count) = (self.interval, self.span(), self.inner.count);
        let stages = span.div_ceil(interval);
        let end = (count - 1) * interval + span;
        // What issues in a cycle: operations at time `t` of iteration `i` issue at `i · interval + t`.
        let at = |cycle: usize, first: usize, last: usize| -> Bundle {
            let issues = |time: usize| {
                cycle >= time && (cycle - time).is_multiple_of(interval) && {
                    let iteration = (cycle - time) / interval;
                    (first..=last).contains(&iteration)
                }
            };
            let found = self.body.iter().enumerate().filter(|(_, timed)| issues(timed.time));
            found.map(|(index, _)| index).collect()
        };
        if count < stages {
            let prologue = (0..end).map(|cycle| at(cycle, 0, count - 1)).collect();
            return Bundles { prologue, kernel: Vec::new(), repeats: 0, epilogue: Vec::new() };
        }
        let filled = (stages - 1) * interval;
        Bundles {
            prologue: (0..filled).map(|cycle| at(cycle, 0, count - 1)).collect(),
            kernel: (filled..filled + interval).map(|cycle| at(cycle, 0, stages - 1)).collect(),
            repeats: count - stages + 1,
            epilogue: (count * interval..end).map(|cycle| at(cycle, 0, count - 1)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::vliw::{Counted, Operation, Timed};
    use crate::tensor::Element;

    fn program(count: usize) -> Program {
        let timed = |time| Timed { operation: Operation::Move { start: time }, time, slot: 0 };
        Program {
            name: "p".to_owned(),
            mode: "m".to_owned(),
            element: Element::Int16,
            arrays: Vec::new(),
            outer: Vec::new(),
            inner: Counted { name: "x".to_owned(), count },
            resident: Vec::new(),
            body: vec![timed(0), timed(1), timed(7)],
            interval: 3,
        }
    }

    #[test]
    fn every_operation_issues_once_an_iteration_at_its_time() {
        for count in 1..9 {
            let program = program(count);
            let mut found: Vec<(usize, usize)> = Vec::new();
            for (cycle, (_, bundle)) in program.bundles().issued().enumerate() {
                found.extend(bundle.iter().map(|index| (cycle, *index)));
            }
            let mut expected: Vec<(usize, usize)> =
                (0..count).flat_map(|i| [(3 * i, 0), (3 * i + 1, 1), (3 * i + 7, 2)]).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{count} iterations");
        }
    }
}

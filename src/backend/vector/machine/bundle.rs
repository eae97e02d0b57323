//! The bundles of a software-pipelined loop: prologue, kernel and epilogue.

use super::Program;

/// The operations that issue in one cycle, as indices into the body.
pub type Bundle = Vec<usize>;

/// The code of a pipelined loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bundles {
    /// The bundles that fill the pipeline.
    pub prologue: Vec<Bundle>,
    /// The bundles that repeat.
    pub kernel: Vec<Bundle>,
    /// The number of runs of the kernel.
    pub repeats: usize,
    /// The bundles that empty the pipeline.
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
    /// The number of bundles of the code.
    pub fn count(&self) -> usize {
        self.prologue.len() + self.kernel.len() + self.epilogue.len()
    }

    /// The bundles in issue order, each with its stage.
    pub fn issued(&self) -> impl Iterator<Item = (Stage, &Bundle)> {
        let kernel = (0..self.repeats).flat_map(|_| self.kernel.iter());
        (self.prologue.iter().map(|b| (Stage::Prologue, b)))
            .chain(kernel.map(|b| (Stage::Kernel, b)))
            .chain(self.epilogue.iter().map(|b| (Stage::Epilogue, b)))
    }
}

impl Program {
    /// The code of the innermost loop. If it runs too few times to fill the pipeline, no bundle repeats.
    pub fn bundles(&self) -> Bundles {
        let (interval, count) = (self.interval, self.inner.count);
        let [filled, repeated, end] = self.boundaries();
        // The bundles of the cycles `from..to`. An operation at time `t` of iteration `i` issues at `i · interval + t`.
        let during = |from: usize, to: usize, iterations: usize| {
            let mut bundles: Vec<Bundle> = vec![Vec::new(); to - from];
            for (index, timed) in self.body.iter().enumerate() {
                let first = from.saturating_sub(timed.time).div_ceil(interval);
                let cycles = (first..iterations).map(|iteration| iteration * interval + timed.time);
                cycles.take_while(|cycle| *cycle < to).for_each(|cycle| bundles[cycle - from].push(index));
            }
            bundles
        };
        Bundles {
            prologue: during(0, filled, count),
            // All iterations that overlap. None of them ends here.
            kernel: during(filled, repeated, count.min(self.stages())),
            repeats: if repeated > filled { count - self.stages() + 1 } else { 0 },
            epilogue: during(end - self.emptying(), end, count),
        }
    }

    /// The number of bundles of the code.
    pub fn bundle_count(&self) -> usize {
        self.boundaries()[1] + self.emptying()
    }

    /// The number of iterations that overlap.
    fn stages(&self) -> usize {
        self.span().div_ceil(self.interval)
    }

    /// The cycles at which the pipeline is full, the first run of the kernel ends, and the loop ends.
    fn boundaries(&self) -> [usize; 3] {
        let end = (self.inner.count - 1) * self.interval + self.span();
        if self.inner.count < self.stages() {
            return [end, end, end];
        }
        let filled = (self.stages() - 1) * self.interval;
        [filled, filled + self.interval, end]
    }

    /// The number of cycles in which the pipeline empties.
    fn emptying(&self) -> usize {
        if self.inner.count < self.stages() { 0 } else { self.span() - self.interval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::vector::machine::{Counted, Operation, Timed};
    use crate::backend::vector::workload::Element;

    fn program(count: usize, interval: usize) -> Program {
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
            interval,
            places: Vec::new(),
        }
    }

    #[test]
    fn every_operation_issues_once_an_iteration_at_its_time() {
        // An interval of nine is longer than an iteration, so its last bundle is empty.
        for (count, interval) in (1..9).flat_map(|count| [(count, 3), (count, 9)]) {
            let program = program(count, interval);
            let mut found: Vec<(usize, usize)> = Vec::new();
            for (cycle, (_, bundle)) in program.bundles().issued().enumerate() {
                found.extend(bundle.iter().map(|index| (cycle, *index)));
            }
            let mut expected: Vec<(usize, usize)> = (0..count)
                .flat_map(|i| [(0, 0), (1, 1), (7, 2)].map(|(time, index)| (interval * i + time, index)))
                .collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{count} iterations");
            assert_eq!(program.bundle_count(), program.bundles().count());
        }
    }
}

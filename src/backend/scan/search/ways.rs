//! The ways to make a kernel on a machine with memory, and what each costs by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::algebra::{Offset, Placed, Shape};
use crate::backend::scan::machine::ScanMachine;
use crate::saturate::{Limits, SaturateError, Saturated, WRITTEN};
use crate::term::Decomposition;

/// How often the e-graph grows by kernels that limits left as they were.
const MAX_ROUNDS: usize = 2;
/// How many of a kernel's decompositions are looked at, the cheapest by additions first.
const MAX_PARTS: usize = 32;
/// How many kernels are given to the e-graph at once.
const MAX_GROWN: usize = 24;

/// A way to make a kernel.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Tap by tap, and its scans as recurrences.
    Direct,
    /// From parts, with the rule that found them.
    Part(Decomposition, Rc<str>),
}

/// Which ways may be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Style {
    pub(super) name: &'static str,
    pub(super) parts: bool,
    pub(super) last: bool,
    pub(super) first: bool,
}

impl Style {
    pub(super) const ALL: [Self; 5] = [
        Self { name: "direct", parts: false, last: false, first: false },
        Self { name: "decomposed", parts: true, last: false, first: false },
        Self { name: "sliding windows", parts: true, last: true, first: false },
        Self { name: "integral images", parts: false, last: false, first: true },
        Self { name: "all together", parts: true, last: true, first: true },
    ];

    fn allows(self, way: &Way) -> bool {
        match way {
            Way::Direct => true,
            Way::Part(Decomposition::Compose { outer, inner, .. }, _) => {
                match (outer.is_finite(), inner.is_finite()) {
                    (true, true) => self.parts,
                    // What is read from a table of the input is shared by all that read it.
                    (true, false) => self.first && (self.last || inner.tap_count() == 1),
                    (false, reads_values) => self.last && (self.first || reads_values),
                }
            }
            Way::Part(Decomposition::Sum(terms), _) => {
                self.parts && (self.first || terms.iter().all(|(_, part)| part.is_finite()))
            }
        }
    }
}

/// Grows the e-graph by the kernels that the best ways leave tap by tap: limits may have ended before they were taken apart.
pub(super) fn deepened(
    roots: &[(String, Placed)],
    machine: &ScanMachine,
    saturated: &mut Saturated,
    limits: &Limits,
) -> Result<(), SaturateError> {
    let mut asked: BTreeSet<Shape> = BTreeSet::new();
    for _ in 0..MAX_ROUNDS {
        let mut ways = Ways::new(machine, saturated);
        let mut left: Vec<Shape> = Vec::new();
        for style in Style::ALL {
            let mut estimates = Estimates::new(style);
            left.extend(roots.iter().flat_map(|(_, kernel)| estimates.direct(&mut ways, &kernel.shape)));
        }
        left.retain(|shape| asked.insert(shape.clone()));
        left.sort_by(crate::term::order);
        left.truncate(MAX_GROWN);
        if left.is_empty() {
            break;
        }
        saturated.grow(&left, limits)?;
    }
    Ok(())
}

/// The ways of all kernels, found when they are asked for.
pub(super) struct Ways<'a> {
    machine: &'a ScanMachine,
    graph: &'a Saturated,
    known: BTreeMap<Shape, Rc<[Way]>>,
}

impl<'a> Ways<'a> {
    pub(super) fn new(machine: &'a ScanMachine, graph: &'a Saturated) -> Self {
        Self { machine, graph, known: BTreeMap::new() }
    }

    /// The ways to make a kernel.
    pub(super) fn of(&mut self, shape: &Shape) -> Rc<[Way]> {
        if let Some(ways) = self.known.get(shape) {
            return Rc::clone(ways);
        }
        let mut ways = vec![Way::Direct];
        let decompositions = self.graph.decompositions();
        let parts = decompositions.of(shape).iter().filter(|(way, _)| is_integral(way) && runs(way));
        let parts = parts.map(|(way, index)| (way, &*decompositions.provenance(*index).rule));
        let (written, found): (Vec<_>, Vec<_>) = parts.partition(|(_, rule)| *rule == WRITTEN);
        let (finite, mut scanned): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(way, _)| way.parts().into_iter().all(Shape::is_finite));
        // By rules: kernels that cost the same either way read the same table.
        scanned.sort_by_key(|(_, rule)| *rule);
        let parts = written.into_iter().chain(finite.into_iter().take(MAX_PARTS)).chain(scanned);
        ways.extend(parts.map(|(way, rule)| Way::Part(way.clone(), rule.into())));
        let ways: Rc<[Way]> = ways.into();
        self.known.insert(shape.clone(), Rc::clone(&ways));
        ways
    }

    /// The kernels that a way is made of.
    fn parts(way: &Way) -> Vec<&Shape> {
        match way {
            Way::Direct => Vec::new(),
            Way::Part(decomposition, _) => {
                let mut parts = decomposition.parts();
                parts.sort();
                parts.dedup();
                parts
            }
        }
    }

    /// What a way costs beside its parts, roughly: delay lines are counted as if nothing were shared.
    fn own(&self, shape: &Shape, way: &Way) -> u64 {
        let machine = self.machine;
        match way {
            Way::Direct => {
                let taps = shape.tap_count() as u64;
                let mut weights: Vec<u64> = shape.taps().map(|(_, _, t)| t.unsigned_abs()).collect();
                weights.sort_unstable();
                weights.dedup();
                let weigh = |weight: &u64| match weight {
                    1 => 0,
                    weight if weight.is_power_of_two() => machine.shift,
                    weight => {
                        let weight = u128::from(*weight);
                        let digits = u64::from((weight ^ (3 * weight)).count_ones());
                        let made = (digits - 1) * machine.addition + digits * machine.shift;
                        made.min(machine.multiplication)
                    }
                };
                let weighing = if weights.len() == 1 { 0 } else { weights.iter().map(weigh).sum() };
                let rows = u64::from(shape.size()[1]).saturating_sub(1);
                let sums = taps.saturating_sub(1) * machine.addition
                    + taps * machine.load
                    + weighing
                    + self.lines(rows);
                sums + backs(shape).map(|back| self.recurrence(&back)).sum::<u64>()
            }
            Way::Part(Decomposition::Sum(terms), _) => {
                let terms = terms.len() as u64;
                terms.saturating_sub(1) * machine.addition + terms * machine.load
            }
            // Values of a table take twice as many bits as those of a window.
            Way::Part(Decomposition::Compose { inner, .. }, _) => {
                u64::from(shape.channels()) * backs(inner).map(|back| self.lines(back[1] as u64)).sum::<u64>()
            }
        }
    }

    /// What a recurrence costs beside the sum that it takes in.
    fn recurrence(&self, back: &Offset) -> u64 {
        let load = if back[1] > 0 { self.machine.load } else { 0 };
        self.machine.addition + load + self.lines(back[1] as u64)
    }

    /// What delay lines for some rows of values of two bytes cost.
    fn lines(&self, rows: u64) -> u64 {
        rows * self.machine.width as u64 * 2 * self.machine.kibibyte / 1024
    }
}

/// The steps of a kernel's recurrences.
fn backs(shape: &Shape) -> impl Iterator<Item = Offset> {
    let recurrences = if shape.is_finite() { None } else { shape.recurrences() };
    recurrences.into_iter().flat_map(|(_, steps)| steps)
}

/// Whether recurrences stay within a plane: planes are inputs of their own, and what was computed for another plane is gone.
fn runs(way: &Decomposition) -> bool {
    way.parts().into_iter().all(|part| part.is_finite() || backs(part).all(|back| back[2] == 0))
}

/// Whether no part is divided: halves of parts are not exact where steps are computed modulo a power of two.
fn is_integral(way: &Decomposition) -> bool {
    match way {
        Decomposition::Sum(terms) => terms.iter().all(|(label, _)| label.scale.is_integer()),
        Decomposition::Compose { label, .. } => label.scale.is_integer(),
    }
}

/// The cheapest way to make each kernel by itself, in a style.
pub(super) struct Estimates {
    style: Style,
    known: BTreeMap<Shape, (u64, usize)>,
}

impl Estimates {
    pub(super) fn new(style: Style) -> Self {
        Self { style, known: BTreeMap::new() }
    }

    /// What a kernel costs, and which of its ways costs that.
    pub(super) fn of(&mut self, ways: &mut Ways<'_>, shape: &Shape) -> (u64, usize) {
        if shape.is_delta() || shape.is_zero() {
            return (0, 0);
        }
        if let Some(known) = self.known.get(shape) {
            return *known;
        }
        // A file may make a kernel of larger ones: until its best way is known, it is made tap by tap.
        let mut best = (ways.own(shape, &Way::Direct), 0);
        self.known.insert(shape.clone(), best);
        for (cost, index) in self.ranked(ways, shape) {
            best = best.min((cost, index));
        }
        self.known.insert(shape.clone(), best);
        best
    }

    /// The kernels of three and more taps that the best way to make `root` leaves tap by tap.
    fn direct(&mut self, ways: &mut Ways<'_>, root: &Shape) -> BTreeSet<Shape> {
        let (mut direct, mut seen, mut stack) = (BTreeSet::new(), BTreeSet::new(), vec![root.clone()]);
        while let Some(shape) = stack.pop() {
            if shape.tap_count() < 3 || !seen.insert(shape.clone()) {
                continue;
            }
            let (_, index) = self.of(ways, &shape);
            match &ways.of(&shape)[index] {
                Way::Direct if self.style.parts => {
                    direct.insert(shape);
                }
                way => stack.extend(Ways::parts(way).into_iter().cloned()),
            }
        }
        direct
    }

    /// All ways that the style allows, with their costs.
    ///
    /// It ends, as [`Estimates::of`] looks at each kernel once.
    pub(super) fn ranked(&mut self, ways: &mut Ways<'_>, shape: &Shape) -> Vec<(u64, usize)> {
        let all = ways.of(shape);
        let allowed = all.iter().enumerate().filter(|(_, way)| self.style.allows(way));
        let allowed: Vec<(usize, &Way)> = allowed.collect();
        let mut costs = Vec::with_capacity(allowed.len());
        for (index, way) in allowed {
            let own = ways.own(shape, way);
            let parts = Ways::parts(way).into_iter();
            let cost = parts.fold(own, |sum, part| sum.saturating_add(self.of(ways, part).0));
            costs.push((cost, index));
        }
        costs.sort_unstable();
        costs
    }
}

//! The ways to make a kernel on a machine with memory, and the cost of each.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::algebra::{Arithmetic, Offset, Placed, Shape};
use crate::backend::scan::machine::ScanMachine;
use crate::saturate::{Limits, SaturateError, Saturated, WRITTEN};
use crate::term::Decomposition;

/// The number of times that the e-graph grows by kernels that the limits left undecomposed.
const MAX_ROUNDS: usize = 2;
/// The number of a kernel's decompositions that are considered, fewest additions first.
const MAX_PARTS: usize = 32;
/// The number of kernels given to the e-graph at once.
const MAX_GROWN: usize = 24;

/// A way to make a kernel.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Tap by tap, with its scans as recurrences.
    Direct,
    /// From parts. The name is that of the rule that found them.
    Part(Decomposition, Rc<str>),
    /// A window of this many values in this direction, in three operations for any length (van Herk, A fast algorithm
    /// for local minimum and maximum filters, 1992).
    Window(Offset, usize),
}

/// The ways that are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Style {
    pub(super) name: &'static str,
    pub(super) parts: bool,
    pub(super) last: bool,
    pub(super) first: bool,
    pub(super) windows: bool,
}

impl Style {
    const LINEAR: [Self; 5] = [
        Self { name: "direct", ..Self::DIRECT },
        Self { name: "decomposed", parts: true, ..Self::DIRECT },
        Self { name: "sliding windows", parts: true, last: true, ..Self::DIRECT },
        Self { name: "integral images", first: true, ..Self::DIRECT },
        Self { name: "all together", parts: true, last: true, first: true, ..Self::DIRECT },
    ];
    const CHOOSING: [Self; 2] = [
        Self { name: "pairs, doubled", parts: true, ..Self::DIRECT },
        Self { name: "van Herk's windows", parts: true, windows: true, ..Self::DIRECT },
    ];
    const DIRECT: Self = Self { name: "direct", parts: false, last: false, first: false, windows: false };

    /// The styles for kernels of this arithmetic. Idempotent semirings have no subtraction and no recurrences.
    pub(super) fn all(arithmetic: Arithmetic) -> &'static [Self] {
        if arithmetic.is_linear() { &Self::LINEAR } else { &Self::CHOOSING }
    }

    fn allows(self, way: &Way) -> bool {
        match way {
            Way::Direct => true,
            Way::Window(..) => self.windows,
            Way::Part(Decomposition::Compose { outer, inner, .. }, _) => {
                match (outer.is_finite(), inner.is_finite()) {
                    (true, true) => self.parts,
                    // All readers of a table of the input share it.
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

/// Grows the e-graph by the kernels that the best ways leave tap by tap. Limits may have stopped their decomposition.
pub(super) fn deepened(
    roots: &[(String, Placed)],
    machine: &ScanMachine,
    cancels: bool,
    saturated: &mut Saturated,
    limits: &Limits,
) -> Result<(), SaturateError> {
    let mut asked: BTreeSet<Shape> = BTreeSet::new();
    let styles = roots.first().map_or(&[][..], |(_, kernel)| Style::all(kernel.shape.arithmetic()));
    for _ in 0..MAX_ROUNDS {
        let mut ways = Ways::new(machine, cancels, saturated);
        let mut left: Vec<Shape> = Vec::new();
        for style in styles {
            let mut estimates = Estimates::new(*style);
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

/// The ways of all kernels, found on demand.
pub(super) struct Ways<'a> {
    machine: &'a ScanMachine,
    graph: &'a Saturated,
    /// Whether parts may reach places at which their kernel has no tap.
    cancels: bool,
    known: BTreeMap<Shape, Rc<[Way]>>,
}

impl<'a> Ways<'a> {
    /// The ways on a machine, with or without those that cancel.
    pub(super) fn new(machine: &'a ScanMachine, cancels: bool, graph: &'a Saturated) -> Self {
        Self { machine, graph, cancels, known: BTreeMap::new() }
    }

    /// The ways to make a kernel.
    pub(super) fn of(&mut self, shape: &Shape) -> Rc<[Way]> {
        if let Some(ways) = self.known.get(shape) {
            return Rc::clone(ways);
        }
        let mut ways = vec![Way::Direct];
        let decompositions = self.graph.decompositions();
        let fits =
            |way: &Decomposition| is_integral(way) && runs(way) && (self.cancels || !way.cancels(shape));
        let parts = decompositions.of(shape).iter().filter(|(way, _)| fits(way));
        let parts = parts.map(|(way, index)| (way, &*decompositions.provenance(*index).rule));
        let (written, found): (Vec<_>, Vec<_>) = parts.partition(|(_, rule)| *rule == WRITTEN);
        let (sums, mut special): (Vec<_>, Vec<_>) = found.into_iter().partition(|(way, _)| is_ordinary(way));
        // Sorted by rule, so that kernels of equal cost read the same table.
        special.sort_by_key(|(_, rule)| *rule);
        let parts = written.into_iter().chain(sums.into_iter().take(MAX_PARTS)).chain(special);
        ways.extend(parts.map(|(way, rule)| Way::Part(way.clone(), rule.into())));
        ways.extend(window(shape).map(|(step, length)| Way::Window(step, length)));
        let ways: Rc<[Way]> = ways.into();
        self.known.insert(shape.clone(), Rc::clone(&ways));
        ways
    }

    /// The kernels that make up a way. The terms of a sum share values, so each counts once. A composition applies both
    /// of its kernels.
    fn parts(way: &Way) -> Vec<&Shape> {
        let Way::Part(decomposition, _) = way else { return Vec::new() };
        let mut parts = decomposition.parts();
        if matches!(decomposition, Decomposition::Sum(_)) {
            parts.sort();
            parts.dedup();
        }
        parts
    }

    /// The estimated cost of a way without its parts. Delay lines count as if nothing were shared.
    fn own(&self, shape: &Shape, way: &Way) -> u64 {
        let machine = self.machine;
        match way {
            Way::Direct => {
                let taps = shape.tap_count() as u64;
                let mut weights: Vec<u64> = shape.taps().map(|(_, _, t)| t.unsigned_abs()).collect();
                weights.sort_unstable();
                weights.dedup();
                let linear = shape.arithmetic().is_linear();
                let weigh = |weight: &u64| match weight {
                    0 => 0,
                    _ if !linear => machine.addition,
                    1 => 0,
                    weight if weight.is_power_of_two() => machine.shift,
                    weight => {
                        let weight = u128::from(*weight);
                        let digits = u64::from((weight ^ (3 * weight)).count_ones());
                        let made = (digits - 1) * machine.addition + digits * machine.shift;
                        made.min(machine.multiplication)
                    }
                };
                let weighing = if linear && weights.len() == 1 { 0 } else { weights.iter().map(weigh).sum() };
                let rows = u64::from(shape.size()[1]).saturating_sub(1);
                let sums = taps.saturating_sub(1) * machine.addition
                    + taps * machine.load
                    + machine.rows.map_or(0, |rows| rows.pass)
                    + weighing
                    + self.lines(rows);
                sums + backs(shape).map(|back| self.recurrence(&back)).sum::<u64>()
            }
            Way::Part(Decomposition::Sum(terms), _) => {
                let weights = terms.iter().filter(|(label, _)| label.weight != 0).count();
                let terms = terms.len() as u64;
                (terms.saturating_sub(1) + weights as u64) * machine.addition + terms * machine.load
            }
            Way::Window(..) => 3 * machine.addition + 2 * machine.load,
            // Values of a table take twice as many bits as those of a window.
            Way::Part(Decomposition::Compose { inner, .. }, _) => {
                u64::from(shape.channels()) * backs(inner).map(|back| self.lines(back[1] as u64)).sum::<u64>()
            }
        }
    }

    /// The cost of a recurrence without the sum that enters it.
    fn recurrence(&self, back: &Offset) -> u64 {
        let load =
            if back[1] > 0 { self.machine.load } else { self.machine.rows.map_or(0, |rows| rows.scalar) };
        self.machine.addition + load + self.lines(back[1] as u64)
    }

    /// The cost of delay lines for `rows` rows of two-byte values.
    fn lines(&self, rows: u64) -> u64 {
        rows * self.machine.width as u64 * 2 * self.machine.kibibyte / 1024
    }
}

/// The direction and the length of a kernel that is a window in a row or a column, in an idempotent semiring.
fn window(shape: &Shape) -> Option<(Offset, usize)> {
    let [w, h, d] = shape.size().map(usize::from);
    let (step, length) = if h == 1 { ([1, 0, 0], w) } else { ([0, 1, 0], h) };
    let is_line = w.min(h) == 1 && d == 1 && shape.channels() == 1 && shape.tap_count() == length;
    let plain = is_line && length > 2 && shape.taps().all(|(_, _, weight)| weight == 0);
    (plain && !shape.arithmetic().is_linear()).then_some((step, length))
}

/// The steps of a kernel's recurrences.
fn backs(shape: &Shape) -> impl Iterator<Item = Offset> {
    let recurrences = if shape.is_finite() { None } else { shape.recurrences() };
    recurrences.into_iter().flat_map(|(_, steps)| steps)
}

/// Whether recurrences stay within a plane. Planes are separate inputs, so values computed for another plane are gone.
fn runs(way: &Decomposition) -> bool {
    way.parts().into_iter().all(|part| part.is_finite() || backs(part).all(|back| back[2] == 0))
}

/// Whether every part is made by additions, not as a recurrence or a window.
fn is_ordinary(way: &Decomposition) -> bool {
    way.parts().into_iter().all(|part| part.is_finite() && window(part).is_none())
}

/// Whether no part is divided. Halves of parts are not exact where steps are computed modulo a power of two.
fn is_integral(way: &Decomposition) -> bool {
    match way {
        Decomposition::Sum(terms) => terms.iter().all(|(label, _)| label.scale.is_integer()),
        Decomposition::Compose { label, .. } => label.scale.is_integer(),
    }
}

/// The cheapest way to make each kernel separately, in a style.
pub(super) struct Estimates {
    style: Style,
    known: BTreeMap<Shape, (u64, usize)>,
}

impl Estimates {
    pub(super) fn new(style: Style) -> Self {
        Self { style, known: BTreeMap::new() }
    }

    /// The cost of a kernel, and the index of its cheapest way.
    pub(super) fn of(&mut self, ways: &mut Ways<'_>, shape: &Shape) -> (u64, usize) {
        if shape.is_delta() || shape.is_zero() {
            return (0, 0);
        }
        if let Some(known) = self.known.get(shape) {
            return *known;
        }
        // A file may make a kernel of larger ones. Until its best way is known, it counts as made tap by tap.
        let mut best = (ways.own(shape, &Way::Direct), 0);
        self.known.insert(shape.clone(), best);
        for (cost, index) in self.ranked(ways, shape) {
            best = best.min((cost, index));
        }
        self.known.insert(shape.clone(), best);
        best
    }

    /// The kernels of three or more taps that the best way to make `root` leaves tap by tap.
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
    /// The recursion ends because [`Estimates::of`] visits each kernel once.
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

//! The ways to make a kernel on a machine with memory, and what each costs by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::algebra::{Label, Offset, Placed, Rational, Shape, negate_offset};
use crate::backend::scan::machine::ScanMachine;
use crate::rule::{Recurrence, RuleSet};
use crate::saturate::{Limits, SaturateError, Saturated, WRITTEN, saturate_written};
use crate::term::{Decomposition, Definition, kernel_text};

/// How often the e-graph grows by what recurrences leave: a box becomes a difference of rows, and that one of corners.
const MAX_ROUNDS: usize = 2;
/// How many of a kernel's decompositions are looked at, the cheapest by additions first.
const MAX_PARTS: usize = 32;
/// How many kernels are given to the e-graph because a recurrence needs them.
const MAX_GROWN: usize = 24;

/// A way to make a kernel.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Tap by tap.
    Direct,
    /// From parts, with the rule that found them.
    Part(Decomposition, Rc<str>),
    /// Between recurrences.
    Scan(Scan),
}

/// `rest` / Π (1 − x^b): recurrences after the rest, which slide a window, and before it, which make a table.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    /// The rule, as an index into [`Scans::rules`].
    pub(super) rule: usize,
    pub(super) after: Vec<Offset>,
    pub(super) before: Vec<Offset>,
    pub(super) rest: Placed,
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
            Way::Part(..) => self.parts,
            Way::Scan(scan) => (scan.after.is_empty() || self.last) && (scan.before.is_empty() || self.first),
        }
    }
}

/// What rules with scans say of kernels, found when it is asked for.
pub(super) struct Scans {
    /// The rules.
    pub(super) rules: Vec<Recurrence>,
    known: BTreeMap<Shape, Rc<[Scan]>>,
    /// The first thing that a rule said and that is not so.
    unsound: Option<SaturateError>,
}

impl Scans {
    pub(super) fn new(rules: &RuleSet) -> Self {
        let stated = rules.rules().iter().filter_map(Recurrence::of);
        let mut rules: Vec<Recurrence> = stated.collect();
        // Planes are inputs of their own: what was computed for another plane is gone.
        rules.retain(Recurrence::is_in_plane);
        Self { rules, known: BTreeMap::new(), unsound: None }
    }

    /// For each rule, of how many kernels it left fewer taps.
    pub(super) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts: BTreeMap<String, usize> =
            self.rules.iter().map(|rule| (rule.name.clone(), 0)).collect();
        for scan in self.known.values().flat_map(|scans| scans.iter()) {
            *counts.entry(self.rules[scan.rule].name.clone()).or_default() += 1;
        }
        counts
    }

    /// The recurrences that leave fewer taps of a kernel, each rest once for each order.
    pub(super) fn of(&mut self, shape: &Shape) -> Rc<[Scan]> {
        if let Some(known) = self.known.get(shape) {
            return Rc::clone(known);
        }
        let taps = shape.tap_count();
        let mut found: Vec<Scan> = Vec::new();
        for (rule, recurrence) in self.rules.iter().enumerate() {
            let Some(mut rest) = recurrence.rest(shape) else { continue };
            let in_order = |steps: &[Offset], rest: &mut Placed| -> Option<Vec<Offset>> {
                steps.iter().map(|step| in_scan_order(*step, rest)).collect()
            };
            let (after, before) =
                (in_order(&recurrence.after, &mut rest), in_order(&recurrence.before, &mut rest));
            let (Some(after), Some(before)) = (after, before) else { continue };
            // A fraction in the label would have to be divided by, which no step does exactly.
            if rest.shape.is_zero() || rest.shape.tap_count() >= taps || !rest.label.scale.is_integer() {
                continue;
            }
            match multiplied(shape, after.iter().chain(&before)) {
                Some(due) if due == rest => found.push(Scan { rule, after, before, rest }),
                Some(due) => {
                    let error = SaturateError::Unsound {
                        rule: recurrence.name.clone(),
                        lhs_term: kernel_text(&due),
                        rhs_term: kernel_text(&rest),
                        lhs_kernel: Box::new(due),
                        rhs_kernel: Box::new(rest),
                    };
                    self.unsound.get_or_insert(error);
                }
                None => {}
            }
        }
        let found: Rc<[Scan]> = found.into();
        self.known.insert(shape.clone(), Rc::clone(&found));
        found
    }
}

/// The kernel times Π (1 − x^step); `None` on overflow.
fn multiplied<'a>(shape: &Shape, mut steps: impl Iterator<Item = &'a Offset>) -> Option<Placed> {
    let whole = Placed { label: Label::IDENTITY, shape: shape.clone() };
    steps.try_fold(whole, |kernel, step| {
        let moved = kernel.label.then(Label { scale: Rational::integer(-1), offset: *step })?;
        Placed::sum(shape.channels(), [(kernel.label, &kernel.shape), (moved, &kernel.shape)])
    })
}

/// The step of a recurrence that reads what comes earlier in scan order, whatever the size of the image. A scan that runs the
/// other way is the same rational function from its other end: 1/(1 − x^d) = −x^−d / (1 − x^−d).
fn in_scan_order(step: Offset, rest: &mut Placed) -> Option<Offset> {
    if [step[1], -step[0]] > [0; 2] {
        return Some(step);
    }
    let back = negate_offset(step);
    *rest = rest.apply(Label { scale: Rational::integer(-1), offset: back })?;
    Some(back)
}

/// The e-graph of kernels, grown by what their recurrences leave and by what those of their factors leave.
pub(super) fn grown(
    roots: &[(String, Placed)],
    written: &[Definition],
    rules: &RuleSet,
    limits: &Limits,
    scans: &mut Scans,
) -> Result<Saturated, SaturateError> {
    let mut saturated = saturate_written(roots, written, rules, limits)?;
    let mut seen: BTreeSet<Shape> = BTreeSet::new();
    let mut frontier: Vec<Shape> = roots.iter().map(|(_, kernel)| kernel.shape.clone()).collect();
    for _ in 0..MAX_ROUNDS {
        let mut left = Vec::new();
        while let Some(shape) = frontier.pop() {
            if !seen.insert(shape.clone()) || left.len() > MAX_GROWN {
                continue;
            }
            left.extend(scans.of(&shape).iter().map(|scan| scan.rest.shape.clone()));
            for (way, _) in saturated.decompositions().of(&shape).iter().take(MAX_PARTS) {
                if let Decomposition::Compose { outer, inner, .. } = way {
                    frontier.extend([outer.clone(), inner.clone()]);
                }
            }
        }
        if let Some(error) = scans.unsound.take() {
            return Err(error);
        }
        left.retain(|shape| !saturated.decompositions().contains(shape));
        left.sort_by(crate::term::order);
        left.dedup();
        left.truncate(MAX_GROWN);
        if left.is_empty() {
            break;
        }
        saturated.grow(&left, limits)?;
        frontier = left;
    }
    Ok(saturated)
}

/// Grows the e-graph by the kernels that the best ways leave tap by tap: limits may have ended before they were taken apart.
pub(super) fn deepened(
    roots: &[(String, Placed)],
    machine: &ScanMachine,
    saturated: &mut Saturated,
    limits: &Limits,
    scans: &mut Scans,
) -> Result<(), SaturateError> {
    let mut asked: BTreeSet<Shape> = BTreeSet::new();
    for _ in 0..MAX_ROUNDS {
        let mut ways = Ways::new(machine, saturated, scans);
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
    pub(super) scans: &'a mut Scans,
    known: BTreeMap<Shape, Rc<[Way]>>,
}

impl<'a> Ways<'a> {
    pub(super) fn new(machine: &'a ScanMachine, graph: &'a Saturated, scans: &'a mut Scans) -> Self {
        Self { machine, graph, scans, known: BTreeMap::new() }
    }

    /// The ways to make a kernel.
    pub(super) fn of(&mut self, shape: &Shape) -> Rc<[Way]> {
        if let Some(ways) = self.known.get(shape) {
            return Rc::clone(ways);
        }
        let mut ways = vec![Way::Direct];
        let decompositions = self.graph.decompositions();
        let parts = decompositions.of(shape).iter().filter(|(way, _)| is_integral(way));
        let parts = parts.map(|(way, index)| (way, &*decompositions.provenance(*index).rule));
        let (written, found): (Vec<_>, Vec<_>) = parts.partition(|(_, rule)| *rule == WRITTEN);
        let parts = written.into_iter().chain(found.into_iter().take(MAX_PARTS));
        ways.extend(parts.map(|(way, rule)| Way::Part(way.clone(), rule.into())));
        ways.extend(self.scans.of(shape).iter().cloned().map(Way::Scan));
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
            Way::Scan(scan) => vec![&scan.rest.shape],
        }
    }

    /// What a way costs beside its parts, roughly: delay lines are counted as if nothing were shared.
    fn own(&self, shape: &Shape, way: &Way) -> u64 {
        let machine = self.machine;
        let lines = |rows: u64, bytes: u64| rows * machine.width as u64 * bytes * machine.kibibyte / 1024;
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
                taps.saturating_sub(1) * machine.addition + taps * machine.load + weighing + lines(rows, 2)
            }
            Way::Part(Decomposition::Sum(terms), _) => {
                let terms = terms.len() as u64;
                terms.saturating_sub(1) * machine.addition + terms * machine.load
            }
            Way::Part(Decomposition::Compose { .. }, _) => 0,
            Way::Scan(scan) => {
                let each = |back: &Offset, bytes: u64| {
                    let load = if back[1] > 0 { machine.load } else { 0 };
                    machine.addition + load + lines(back[1] as u64, bytes)
                };
                let after = scan.after.iter().map(|back| each(back, 2)).sum::<u64>();
                let before = scan.before.iter().map(|back| each(back, 4)).sum::<u64>();
                after + u64::from(shape.channels()) * before
            }
        }
    }
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
        // A recurrence may leave what a file makes of the kernel: until its best way is known, it is made tap by tap.
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

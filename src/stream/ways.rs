//! The ways to make a kernel on a machine with memory, and what each costs by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::algebra::{Offset, Placed, Rational, Shape};
use crate::rule::RuleSet;
use crate::saturate::{Decompositions, Limits, SaturateError, Saturated, saturate};
use crate::target::stream::Machine;
use crate::term::Decomposition;

/// The longest step of a recurrence, in pixels: kernels that are dilated further are rare.
const LONGEST_BACK: i32 = 4;
/// How often a recurrence is repeated: twice sums a ramp.
const MOST_SCANS: usize = 2;
/// Kernels of fewer taps gain nothing by a recurrence.
const FEWEST_TAPS: usize = 3;
/// How many of a kernel's decompositions are looked at, the cheapest by additions first.
const MOST_PARTS: usize = 32;
/// How many kernels are given to the e-graph because a recurrence needs them.
const MOST_GROWN: usize = 24;

/// A way to make a kernel.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Tap by tap.
    Direct,
    /// From parts, with the index of its provenance.
    Part(Decomposition, usize),
    /// `rest`/Π (1 − x^b) over `backs`: recurrences after the rest, or before it where `first`.
    Scan { backs: Vec<Offset>, rest: Placed, first: bool },
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
            Way::Scan { first, .. } => {
                if *first {
                    self.first
                } else {
                    self.last
                }
            }
        }
    }
}

/// The offsets at which a recurrence can read itself: what comes earlier in scan order, whatever the size of the image.
fn backs() -> impl Iterator<Item = Offset> {
    (1..=LONGEST_BACK).flat_map(|n| [[-n, 0, 0], [0, n, 0], [-n, n, 0]])
}

/// The recurrences that leave less of a kernel K, and what they leave: K·Π (1 − x^b).
fn scans(shape: &Shape) -> Vec<(Vec<Offset>, Placed)> {
    let taps = shape.tap_count();
    let mut found = Vec::new();
    for back in backs().filter(|_| taps >= FEWEST_TAPS) {
        let [dx, dy] = [-back[0], back[1]];
        let mut low = [0; 3];
        let [mut width, mut height, depth] = shape.size().map(usize::from);
        let mut dense = shape.dense().to_vec();
        for times in 1..=MOST_SCANS {
            // In the box that grows to the west and north, the old places move to the east.
            let (wide, high) = (width + dx as usize, height + dy as usize);
            let mut less = vec![0i64; wide * high * dense.len() / (width * height)];
            let mut exact = true;
            for (index, tap) in dense.iter().enumerate().filter(|(_, tap)| **tap != 0) {
                let (x, y, layer) = (index % width, index / width % height, index / (width * height));
                let own = (layer * high + y) * wide + x + dx as usize;
                let moved = (layer * high + y + dy as usize) * wide + x;
                for (place, sum) in
                    [(own, less[own].checked_add(*tap)), (moved, less[moved].checked_sub(*tap))]
                {
                    exact &= sum.is_some();
                    less[place] = sum.unwrap_or(0);
                }
            }
            if !exact {
                break;
            }
            (width, height, dense) = (wide, high, less);
            low[0] -= dx;
            if dense.iter().filter(|tap| **tap != 0).count() < taps {
                let rest =
                    Placed::from_dense(shape.channels(), low, [width, height, depth], &dense, Rational::ONE);
                // A fraction in the label would have to be divided by, which no step does exactly.
                found.extend(
                    rest.filter(|r| r.label.scale.is_integer()).map(|rest| (vec![back; times], rest)),
                );
            }
        }
    }
    found
}

/// The e-graph of kernels, grown by what their recurrences leave and by what those of their factors leave.
pub(super) fn grown(
    roots: &[(String, Placed)],
    rules: &RuleSet,
    limits: &Limits,
) -> Result<Saturated, SaturateError> {
    let mut saturated = saturate(roots, rules, limits)?;
    let mut seen: BTreeSet<Shape> = BTreeSet::new();
    let mut frontier: Vec<Shape> = roots.iter().map(|(_, kernel)| kernel.shape.clone()).collect();
    for _ in 0..MOST_SCANS {
        let mut left = Vec::new();
        while let Some(shape) = frontier.pop() {
            if !seen.insert(shape.clone()) || left.len() > MOST_GROWN {
                continue;
            }
            left.extend(scans(&shape).into_iter().map(|(_, rest)| rest.shape));
            for (way, _) in saturated.decompositions().of(&shape).iter().take(MOST_PARTS) {
                if let Decomposition::Compose { outer, inner, .. } = way {
                    frontier.extend([outer.clone(), inner.clone()]);
                }
            }
        }
        left.retain(|shape| !saturated.decompositions().contains(shape));
        left.sort_by(crate::term::order);
        left.dedup();
        left.truncate(MOST_GROWN);
        if left.is_empty() {
            break;
        }
        saturated.grow(&left, limits)?;
        frontier = left;
    }
    Ok(saturated)
}

/// The ways of all kernels, found when they are asked for.
pub(super) struct Ways<'a> {
    machine: &'a Machine,
    decompositions: &'a Decompositions,
    known: BTreeMap<Shape, Rc<[Way]>>,
}

impl<'a> Ways<'a> {
    pub(super) fn new(machine: &'a Machine, decompositions: &'a Decompositions) -> Self {
        Self { machine, decompositions, known: BTreeMap::new() }
    }

    /// The ways to make a kernel.
    pub(super) fn of(&mut self, shape: &Shape) -> Rc<[Way]> {
        if let Some(ways) = self.known.get(shape) {
            return Rc::clone(ways);
        }
        let mut ways = vec![Way::Direct];
        let parts = self.decompositions.of(shape).iter().filter(|(way, _)| is_integral(way));
        ways.extend(parts.take(MOST_PARTS).map(|(way, index)| Way::Part(way.clone(), *index)));
        for (backs, rest) in scans(shape) {
            for first in [false, true] {
                ways.push(Way::Scan { backs: backs.clone(), rest: rest.clone(), first });
            }
        }
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
            Way::Scan { rest, .. } => vec![&rest.shape],
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
            Way::Scan { backs, first, .. } => {
                let channels = if *first { u64::from(shape.channels()) } else { 1 };
                let each = |back: &Offset| {
                    let load = if back[1] > 0 { machine.load } else { 0 };
                    machine.addition + load + lines(back[1] as u64, if *first { 4 } else { 2 })
                };
                channels * backs.iter().map(each).sum::<u64>()
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
        let mut best = (u64::MAX, 0);
        for (cost, index) in self.ranked(ways, shape) {
            best = best.min((cost, index));
        }
        self.known.insert(shape.clone(), best);
        best
    }

    /// All ways that the style allows, with their costs.
    ///
    /// It ends: the parts of a decomposition come before the whole ([`crate::term::precedes`]), which is by taps first,
    /// and what a recurrence leaves has fewer taps.
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

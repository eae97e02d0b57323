//! Plans where addition is idempotent: kernels are divided by pairs of taps, by residuation.
//!
//! Where a + a = a, the greatest B with A∘B ≤ K is the residual of K by A: B(q) is the lesser of what K allows at q + d for
//! every tap d of A. K = A∘B is then tested exactly. Division by the pairs {0, d} makes windows of n pixels in ⌈log2 n⌉ steps.

use std::collections::BTreeMap;

use super::NoPlan;
use super::arena::{Arena, Goal, View};
use super::choose::{Attempt, Searched};
use crate::algebra::{Filter, Kernel, Offset, Rational, Semiring};
use crate::backend::scan::machine::{Cost, Fold, Pixel, ScanMachine};
use crate::term::{Statement, StatementKind};

/// How many divisors of one kernel are followed, those that leave the fewest taps first.
const MAX_DIVISORS: usize = 5;
/// Weights up to this one can be added and subtracted a few times.
const MAX_WEIGHT: u64 = 1 << 60;
/// The shortest window that van Herk's three operations can be worth: four pixels take two.
const SHORTEST_WINDOW: usize = 5;

/// Taps and weights of a kernel whose first tap is at the origin with weight zero, sorted from the south-west.
type Set = Vec<(Offset, i64)>;

/// A way to make such a kernel.
#[derive(Clone, Debug)]
enum Way {
    /// Tap by tap.
    Direct,
    /// The other kernel, folded with itself moved and weighted.
    Pair(Offset, i64, Set),
    /// A window of that many values in that direction of the other kernel.
    Window(Offset, usize, Set),
    /// Several kernels, moved and weighted, that cover the taps.
    Cover(Vec<(Offset, i64, Set)>),
    /// The first kernel after the second.
    After(Set, Set),
}

/// Whether windows and divisions are used.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Style {
    name: &'static str,
    pairs: bool,
    windows: bool,
}

const STYLES: [Style; 4] = [
    Style { name: "rows and columns", pairs: false, windows: false },
    Style { name: "pairs, doubled", pairs: true, windows: false },
    Style { name: "van Herk's windows", pairs: false, windows: true },
    Style { name: "all together", pairs: true, windows: true },
];

/// The best plan for a filter whose coefficients add idempotently, of which its file states something.
///
/// # Errors
/// [`NoPlan`].
pub fn plan_idempotent<S: Semiring>(
    machine: &ScanMachine,
    pixel: Pixel,
    name: &str,
    filter: &Filter<S>,
    stated: &[Statement<S>],
    reach: [i32; 4],
) -> Result<Searched, NoPlan> {
    let fold = Fold::of_symbol(S::SYMBOLS[0]).filter(|fold| *fold != Fold::Sum);
    let fold = fold.ok_or_else(|| NoPlan::Fold(S::NAME.to_owned()))?;
    let mut rows = Vec::new();
    for (output, kernels) in filter.rows() {
        let mut row = Vec::new();
        for kernel in kernels {
            let taps = taps(kernel).ok_or_else(|| NoPlan::Weight(output.to_owned()))?;
            if taps.iter().any(|(_, weight)| weight.unsigned_abs() > MAX_WEIGHT) {
                return Err(NoPlan::Overflow(output.to_owned()));
            }
            row.push(taps);
        }
        rows.push((output.to_owned(), row));
    }
    let stated = ways(stated);
    let mut attempts = Vec::new();
    let mut best: Option<Searched> = None;
    for style in STYLES {
        let arena = Arena::new(machine, fold, pixel, filter.inputs().len());
        let (known, steps) = (BTreeMap::new(), BTreeMap::new());
        let mut planner = Planner { arena, fold, style, stated: &stated, known, steps };
        let mut goals = Vec::new();
        for (output, row) in &rows {
            let view = planner.row(row).ok_or_else(|| NoPlan::Overflow(output.clone()))?;
            goals.push(Goal { name: output.clone(), view, scale: Rational::ONE });
        }
        let plan = planner.arena.plan(name, filter.inputs(), &goals, reach)?;
        let cost = Cost::of(&plan, machine);
        attempts.push(Attempt { method: style.name.to_owned(), cost });
        if best.as_ref().is_none_or(|best| (cost.total, cost.bytes) < (best.cost.total, best.cost.bytes)) {
            let method = style.name.to_owned();
            best = Some(Searched::found(plan, cost, method));
        }
    }
    let Some(best) = best else { unreachable!("there is a style") };
    Ok(Searched { plans: attempts.len(), attempts, ..best })
}

/// A coefficient as what an instruction adds; `None` where it is no integer.
fn integer<S: Semiring>(weight: S::Element) -> Option<i64> {
    if weight == S::one() { Some(0) } else { weight.to_string().parse().ok() }
}

/// The taps of a kernel with what an instruction adds for each; `None` where one is no integer.
fn taps<S: Semiring>(kernel: &Kernel<S>) -> Option<Vec<(Offset, i64)>> {
    kernel.nonzero_taps().map(|(offset, weight)| Some((offset, integer::<S>(weight)?))).collect()
}

/// The ways that a file states. All parts have fewer taps than the whole, or as many and come before it.
fn ways<S: Semiring>(stated: &[Statement<S>]) -> BTreeMap<Set, Vec<Way>> {
    let mut ways: BTreeMap<Set, Vec<Way>> = BTreeMap::new();
    for statement in stated {
        let kernel = |kernel: &Kernel<S>| canonical(&taps(kernel)?);
        let Some((first, base, whole)) = kernel(&statement.whole) else { continue };
        let parts: Option<Vec<_>> = statement.parts.iter().map(kernel).collect();
        let Some(parts) = parts else { continue };
        if !parts.iter().all(|(_, _, part)| (part.len(), part) < (whole.len(), &whole)) {
            continue;
        }
        let way = match (statement.kind, &parts[..]) {
            (StatementKind::Compose, [(_, _, outer), (_, _, inner)]) => {
                Way::After(outer.clone(), inner.clone())
            }
            _ => {
                let moved = parts.into_iter().map(|(offset, weight, part)| {
                    let by = [0, 1, 2].map(|axis| offset[axis] - first[axis]);
                    (by, weight.saturating_sub(base), part)
                });
                Way::Cover(moved.collect())
            }
        };
        ways.entry(whole).or_default().push(way);
    }
    ways
}

struct Planner<'m> {
    arena: Arena<'m>,
    fold: Fold,
    style: Style,
    /// The ways that the file states.
    stated: &'m BTreeMap<Set, Vec<Way>>,
    /// The cheapest way to make a kernel, and its cost.
    known: BTreeMap<Set, (u64, Way)>,
    /// Kernels that are made already, of which step.
    steps: BTreeMap<(Set, usize), View>,
}

impl Planner<'_> {
    /// One output: a kernel for each input.
    fn row(&mut self, row: &[Set]) -> Option<View> {
        let mut views = Vec::new();
        for (channel, taps) in row.iter().enumerate() {
            if let Some((offset, weight, set)) = canonical(taps) {
                let view = self.make(&set, channel)?;
                views.push(self.moved(view, offset, weight)?);
            }
        }
        let view = self.arena.fold(&views, None)?;
        self.arena.settled(view)
    }

    fn moved(&self, view: View, offset: Offset, weight: i64) -> Option<View> {
        let view = self.arena.moved(view, offset)?;
        Some(View { weight: view.weight.checked_add(weight)?, ..view })
    }

    /// A kernel applied to a step; the inputs are the first steps.
    fn make(&mut self, set: &Set, source: usize) -> Option<View> {
        let key = (set.clone(), source);
        if let Some(view) = self.steps.get(&key) {
            return Some(*view);
        }
        let input = self.arena.plain(source);
        let way = self.best(set).1;
        let view = match way {
            Way::Direct => {
                let views: Option<Vec<View>> =
                    set.iter().map(|(offset, weight)| self.moved(input, *offset, *weight)).collect();
                self.arena.fold(&views?, None)?
            }
            Way::Pair(by, weight, rest) => {
                let view = self.make(&rest, source)?;
                let views = [view, self.moved(view, by, weight)?];
                self.arena.fold(&views, None)?
            }
            Way::Window(step, length, rest) => {
                let view = self.make(&rest, source)?;
                self.arena.window(view, step, length)?
            }
            Way::Cover(parts) => {
                let mut views = Vec::new();
                for (offset, weight, part) in parts {
                    let view = self.make(&part, source)?;
                    views.push(self.moved(view, offset, weight)?);
                }
                self.arena.fold(&views, None)?
            }
            Way::After(outer, inner) => {
                let inner = self.make(&inner, source)?;
                let view = self.make(&outer, inner.source)?;
                self.moved(view, inner.offset, inner.weight)?
            }
        };
        self.steps.insert(key, view);
        Some(view)
    }

    /// The cheapest way to make a kernel, and its cost; parts are smaller, so it ends.
    fn best(&mut self, set: &Set) -> (u64, Way) {
        if let Some(known) = self.known.get(set) {
            return known.clone();
        }
        let machine = self.arena.machine;
        let operation = machine.addition + machine.load;
        let taps = set.len() as u64;
        let mut best = (taps.saturating_sub(1) * operation, Way::Direct);
        let offer = |best: &mut (u64, Way), cost: u64, way: Way| {
            if cost < best.0 {
                *best = (cost, way);
            }
        };
        if set.len() > 2 {
            if self.style.pairs {
                for (by, weight, rest) in self.divisors(set) {
                    let cost = operation + self.best(&rest).0;
                    offer(&mut best, cost, Way::Pair(by, weight, rest));
                }
            }
            if self.style.windows {
                for step in [[1, 0, 0], [0, 1, 0]] {
                    if let Some((length, rest)) = self.run(set, step) {
                        let cost = 3 * machine.addition + 2 * machine.load + self.best(&rest).0;
                        offer(&mut best, cost, Way::Window(step, length, rest));
                    }
                }
            }
            for way in self.stated.get(set).into_iter().flatten() {
                let cost = match way {
                    Way::Cover(parts) => self.covering(parts),
                    Way::After(outer, inner) => self.best(outer).0 + self.best(inner).0,
                    _ => continue,
                };
                offer(&mut best, cost, way.clone());
            }
            // What can be divided need not be covered.
            let divided = !matches!(best.1, Way::Direct);
            for parts in if divided { Vec::new() } else { self.covers(set) } {
                let cost = self.covering(&parts);
                offer(&mut best, cost, Way::Cover(parts));
            }
        }
        self.known.insert(set.clone(), best.clone());
        best
    }

    /// The cost of several kernels, each made once, and of what puts them together.
    fn covering(&mut self, parts: &[(Offset, i64, Set)]) -> u64 {
        let mut distinct: Vec<&Set> = parts.iter().map(|(_, _, part)| part).collect();
        distinct.sort();
        distinct.dedup();
        let made: u64 = distinct.into_iter().map(|part| self.best(part).0).sum();
        made + (parts.len() as u64 - 1) * (self.arena.machine.addition + self.arena.machine.load)
    }

    /// The pairs of taps that divide a kernel, with the quotients.
    fn divisors(&self, set: &Set) -> Vec<(Offset, i64, Set)> {
        let mut found = Vec::new();
        for (by, weight) in &set[1..] {
            let rest = self.residual(set, &[(*by, *weight)]);
            if rest.len() < set.len()
                && 2 * rest.len() >= set.len()
                && self.product(&rest, &[(*by, *weight)]) == *set
            {
                found.push((*by, *weight, rest));
            }
        }
        found.sort_by_key(|(_, _, rest)| rest.len());
        found.truncate(MAX_DIVISORS);
        found
    }

    /// The longest window that divides a kernel along `step`.
    fn run(&self, set: &Set, step: Offset) -> Option<(usize, Set)> {
        let has = |n: i32| weight_at(set, step.map(|along| along * n)) == Some(0);
        let length = (1..).take_while(|n| has(*n)).count() + 1;
        if length < SHORTEST_WINDOW {
            return None;
        }
        let window: Vec<(Offset, i64)> =
            (1..length as i32).map(|n| (step.map(|along| along * n), 0)).collect();
        let rest = self.residual(set, &window);
        (self.product(&rest, &window) == *set).then_some((length, rest))
    }

    /// Ways to cover a kernel by smaller ones: by its rows, by its columns, and by what a pair makes of it and the rest.
    fn covers(&self, set: &Set) -> Vec<Vec<(Offset, i64, Set)>> {
        let mut covers = Vec::new();
        for axis in [1, 0] {
            let mut lines: BTreeMap<i32, Set> = BTreeMap::new();
            for (offset, weight) in set {
                lines.entry(offset[axis]).or_default().push((*offset, *weight));
            }
            if lines.len() > 1 && lines.len() < set.len() {
                covers.push(lines.values().filter_map(|line| canonical(line)).collect());
            }
        }
        if !self.style.pairs {
            return covers;
        }
        // The pair of the first tap with another that covers the most.
        let mut most: Option<(usize, Set)> = None;
        for (by, weight) in set[1..].iter().take(64) {
            let rest = self.residual(set, &[(*by, *weight)]);
            let covered = self.product(&rest, &[(*by, *weight)]);
            if covered.len() > 3
                && covered.len() < set.len()
                && most.as_ref().is_none_or(|(n, _)| covered.len() > *n)
            {
                most = Some((covered.len(), covered));
            }
        }
        if let Some((_, covered)) = most {
            let open: Set = set
                .iter()
                .filter(|(offset, weight)| weight_at(&covered, *offset) != Some(*weight))
                .copied()
                .collect();
            covers.push([covered, open].iter().filter_map(|part| canonical(part)).collect());
        }
        // The first tap by itself, as the one in the middle of a ring often is.
        for lone in [0, set.len() / 2] {
            let others: Set =
                set.iter().enumerate().filter(|(i, _)| *i != lone).map(|(_, tap)| *tap).collect();
            if set.len() <= 32 && self.divides(&others) {
                covers.push([vec![set[lone]], others].iter().filter_map(|part| canonical(part)).collect());
            }
        }
        covers
    }

    /// Whether some pair makes at least half of a kernel's taps.
    fn divides(&self, taps: &Set) -> bool {
        let Some((_, _, set)) = canonical(taps) else { return false };
        set[1..].iter().any(|(by, weight)| {
            let rest = self.residual(&set, &[(*by, *weight)]);
            2 * self.product(&rest, &[(*by, *weight)]).len() >= set.len() && rest.len() > 1
        })
    }

    /// The greatest kernel whose product with the origin's tap and `others` is no more than `set`.
    fn residual(&self, set: &Set, others: &[(Offset, i64)]) -> Set {
        let rest = set.iter().filter_map(|(offset, own)| {
            let mut least = *own;
            for (by, weight) in others {
                let place = [0, 1, 2].map(|axis| offset[axis] + by[axis]);
                let allowed = weight_at(set, place)?.checked_sub(*weight)?;
                least = if self.fold == Fold::Least { least.max(allowed) } else { least.min(allowed) };
            }
            Some((*offset, least))
        });
        rest.collect()
    }

    /// `set` folded with itself moved and weighted by each of `others`.
    fn product(&self, set: &Set, others: &[(Offset, i64)]) -> Set {
        let mut taps: BTreeMap<[i32; 3], i64> = BTreeMap::new();
        for (by, added) in std::iter::once(&([0; 3], 0)).chain(others) {
            for (offset, weight) in set {
                let place = [0, 1, 2].map(|axis| offset[axis] + by[axis]);
                let weight = weight.saturating_add(*added);
                let own = taps.entry(order(&place)).or_insert(weight);
                *own = if self.fold == Fold::Least { weight.min(*own) } else { weight.max(*own) };
            }
        }
        taps.into_iter().map(|([z, y, x], weight)| ([x, y, z], weight)).collect()
    }
}

/// The weight of a kernel's tap at a place.
fn weight_at(set: &Set, place: Offset) -> Option<i64> {
    let found = set.binary_search_by(|(offset, _)| order(offset).cmp(&order(&place)));
    found.ok().map(|index| set[index].1)
}

/// The order of taps: by rows from the south, each from the west.
fn order(offset: &Offset) -> [i32; 3] {
    [offset[2], offset[1], offset[0]]
}

/// Taps moved so that the first is at the origin with weight zero, with where it was; `None` for none.
fn canonical(taps: &[(Offset, i64)]) -> Option<(Offset, i64, Set)> {
    let mut taps = taps.to_vec();
    taps.sort_by_key(|(offset, _)| order(offset));
    let (first, base) = *taps.first()?;
    let moved = taps.iter().map(|(offset, weight)| {
        Some(([0, 1, 2].map(|axis| offset[axis] - first[axis]), weight.checked_sub(base)?))
    });
    Some((first, base, moved.collect::<Option<Set>>()?))
}

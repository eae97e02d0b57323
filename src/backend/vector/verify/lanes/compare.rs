//! Compares the stored outputs with a filter. Output elements that compute the same kernel are reported together.

use std::collections::{BTreeMap, BTreeSet};

use super::anchor::{common, nearest};
use super::memory::Role;
use super::picture::{Cell, Layout, Picture, Pitches, Taps, cells, spread};
use super::run::Execution;
use super::sum::Symbol;
use crate::algebra::{Label, Mismatch, Offset, Placed, Rational, Relation, carrier, mismatches};
use crate::syntax::Span;

/// An output that the code should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sought {
    /// Its name.
    pub name: String,
    /// The array that should hold it from its first element on, or `None` for any array, and any first element if there is a tile.
    pub array: Option<usize>,
    /// Its expected kernel over the filter's inputs.
    pub kernel: Placed,
}

/// A tap of a kernel that was found: channel, offset, coefficient, and the unknown weight.
pub type FoundTap = (u16, Offset, Rational, Option<Symbol>);

/// Output elements that compute the same kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Their kernel, or `None` for elements that are not written.
    pub taps: Option<Vec<FoundTap>>,
    /// Its relation to the expected kernel, or `None` if none is expected.
    pub relation: Option<Relation>,
    /// The number of elements.
    pub count: usize,
    /// Their place, in words.
    pub place: String,
    /// The column and row of the first one.
    pub first: [i64; 2],
    /// The statement that stores the first one.
    pub span: Option<Span>,
}

/// An element of an input with its expected and its actual contribution to an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The input element, as (array, index).
    pub input: (usize, i64),
    /// The output element, as (array, index).
    pub output: (usize, i64),
    /// The expected factor.
    pub expected: Rational,
    /// The actual factor.
    pub found: Rational,
}

/// The findings on an output.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Its name, or that of its array if no output is expected.
    pub name: String,
    /// The array: the requested one, or the one that comes nearest.
    pub array: usize,
    /// The expected kernel over all channels, or zero if none is expected.
    pub expected: Placed,
    /// The relation of the whole output to the expected kernel, or `None` if none is expected.
    pub relation: Option<Relation>,
    /// Its elements grouped by kernel: wrong ones first, then in order.
    pub groups: Vec<Group>,
    /// The width and height of the compared region.
    pub size: [usize; 2],
    /// The row pitches of inputs and outputs in elements; `None` for one row.
    pub pitches: [Option<i64>; 2],
    /// The column and row of the input element assumed under the first output.
    pub anchor: [i64; 2],
    /// The number of elements written outside the region.
    pub outside: usize,
    /// The index of the array element at which the tile begins, if it is not the first one.
    pub begins: Option<i64>,
    /// Whether values were rounded before the last step.
    pub early: bool,
    /// The values of unknown weights for which the code computes the expected filter.
    pub weights: Vec<(Symbol, Rational)>,
    /// The evidence for the first mistake.
    pub witness: Option<Witness>,
}

/// A comparison of all outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The expected outputs, in order, or every written array if none are expected.
    pub outputs: Vec<Judged>,
    /// The array of each channel after the inputs; `None` for an added constant.
    pub others: Vec<Option<usize>>,
}

/// The arrays supplied by the caller that are written: the outputs of a kernel.
pub fn output_arrays(out: &Execution) -> Vec<usize> {
    let arrays = out.arrays.iter().enumerate();
    arrays
        .filter(|(_, array)| array.role == Role::Given && !array.stores.is_empty())
        .map(|(index, _)| index)
        .collect()
}

/// Compares the stored outputs with the expected ones. `None` if a coefficient does not fit 64 bits or nothing was stored.
pub fn compare(
    out: &Execution,
    layout: &Layout,
    weights: &BTreeSet<usize>,
    sought: &[Sought],
) -> Option<Comparison> {
    let arrays = output_arrays(out);
    let all: Vec<Vec<Cell>> =
        arrays.iter().map(|array| cells(out, *array, weights)).collect::<Option<_>>()?;
    if all.is_empty() {
        return None;
    }
    let picture = Picture::new(out, layout, &all);
    let judge = |sought: Option<&Sought>, place: usize| -> Option<Judged> {
        let judge = Judge { picture: &picture, array: arrays[place], cells: &all[place], origin: [0, 0] };
        let judged = judge.judged(sought)?;
        let is_placed = sought.is_some_and(|sought| sought.array.is_some());
        let wrong =
            matches!(judged.relation, Some(Relation::Different(_))) && layout.tile.is_some() && !is_placed;
        if let Some(origin) = wrong.then(|| judge.elsewhere(&judged.expected)).flatten() {
            let found = Judge { origin, ..judge }.judged(sought)?;
            if matches!(found.relation, Some(Relation::Equal | Relation::UpTo(_))) {
                return Some(found);
            }
        }
        let moved = judge.moved(sought, &judged, &all);
        Some(moved.unwrap_or(judged))
    };
    let mut outputs = Vec::new();
    if sought.is_empty() {
        for place in 0..arrays.len() {
            outputs.push(judge(None, place)?);
        }
    }
    for sought in sought {
        let named = arrays.iter().position(|array| match sought.array {
            Some(asked) => asked == *array,
            None => out.arrays[*array].name == sought.name,
        });
        let mut best: Option<(usize, Judged)> = None;
        for place in named.map_or(0..arrays.len(), |place| place..place + 1) {
            let judged = judge(Some(sought), place)?;
            let rank = judged.rank();
            if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                best = Some((rank, judged));
            }
        }
        outputs.push(best?.1);
    }
    Some(Comparison { outputs, others: picture.others.clone() })
}

impl Judged {
    /// The rank of the result; lower is better.
    fn rank(&self) -> usize {
        match &self.relation {
            Some(Relation::Equal) | None => 0,
            Some(Relation::UpTo(_)) => 1,
            Some(Relation::Different(differences)) => 2 + differences.len(),
            Some(Relation::Undecided) => usize::MAX,
        }
    }
}

#[derive(Clone, Copy)]
struct Judge<'a> {
    picture: &'a Picture<'a>,
    array: usize,
    cells: &'a [Cell],
    /// The column and row at which the tile begins.
    origin: [i64; 2],
}

/// A kernel without unknown weights, over all channels.
fn placed(taps: &[FoundTap], channels: u16) -> Option<Placed> {
    let mut sums: BTreeMap<(u16, Offset), Rational> = BTreeMap::new();
    for (channel, offset, value, weight) in taps {
        if weight.is_some() {
            return None;
        }
        let sum = sums.entry((*channel, *offset)).or_insert(Rational::ZERO);
        *sum = sum.add(*value)?;
    }
    let taps: Vec<(u16, Offset, Rational)> =
        sums.into_iter().filter(|(_, value)| *value != Rational::ZERO).map(|((c, o), v)| (c, o, v)).collect();
    Placed::from_taps(channels, &taps)
}

fn with_weights(taps: &Taps, weights: &BTreeMap<Symbol, Rational>) -> Option<Vec<FoundTap>> {
    let value = |(channel, offset, (weight, factor)): &(u16, Offset, (Option<Symbol>, Rational))| match weight
        .map(|weight| (weight, weights.get(&weight)))
    {
        Some((_, Some(value))) => Some((*channel, *offset, factor.mul(*value)?, None)),
        Some((weight, None)) => Some((*channel, *offset, *factor, Some(weight))),
        None => Some((*channel, *offset, *factor, None)),
    };
    let zero = |tap: &FoundTap| tap.2 == Rational::ZERO;
    let all: Option<Vec<FoundTap>> = taps.iter().map(value).collect();
    all.map(|all| all.into_iter().filter(|tap| !zero(tap)).collect())
}

impl Judge<'_> {
    fn judged(&self, sought: Option<&Sought>) -> Option<Judged> {
        let channels = self.picture.channels();
        let expected = match sought {
            Some(sought) => Placed::from_taps(channels, &sought.kernel.taps()?)?,
            None => Placed::from_taps(channels, &[])?,
        };
        let wanted = |taps: &Taps| distance(&expected, taps, channels);
        let pitches = self.picture.pitches(self.cells, sought.map(|_| &wanted as &dyn Fn(&Taps) -> usize));
        let (size, origin) = self.size(pitches);
        let inside = |cell: &&Cell| {
            let [x, y] = pitches.pixel(cell.index);
            (origin[0]..origin[0] + size[0] as i64).contains(&x)
                && (origin[1]..origin[1] + size[1] as i64).contains(&y)
        };
        let kept: Vec<&Cell> = self.cells.iter().filter(inside).collect();
        let values = match sought {
            Some(_) => self.solve(&expected, &kept, pitches)?,
            None => BTreeMap::new(),
        };
        let related = |taps: &[FoundTap]| {
            sought.map(|_| match placed(taps, channels) {
                Some(found) => Relation::between(&expected, &found),
                None => Relation::Undecided,
            })
        };
        let missing = sought.map(|_| Relation::Different(Vec::new()));
        let groups = self.groups(Tile { origin, size }, &kept, (pitches, &values), &related, missing)?;
        let relation = sought.map(|_| self.whole(&expected, &groups, channels));
        let witness = match &relation {
            Some(Relation::Different(differences)) => self.witness(&groups, differences, pitches),
            _ => None,
        };
        Some(Judged {
            name: sought.map_or_else(|| self.picture.out.arrays[self.array].name.clone(), |s| s.name.clone()),
            array: self.array,
            expected,
            relation,
            groups,
            size,
            pitches: [pitches.input, pitches.output].map(Pitches::several_rows),
            anchor: self.picture.layout.anchor,
            outside: self.cells.len() - kept.len(),
            begins: (self.origin != [0, 0]).then(|| self.origin[1] * pitches.output + self.origin[0]),
            early: kept.iter().any(|cell| cell.early),
            weights: values.into_iter().collect(),
            witness,
        })
    }

    /// The outputs grouped by their taps, including those that are not written. Groups that differ come first.
    fn groups(
        &self,
        tile: Tile,
        kept: &[&Cell],
        (pitches, values): (Pitches, &BTreeMap<Symbol, Rational>),
        related: &dyn Fn(&[FoundTap]) -> Option<Relation>,
        missing: Option<Relation>,
    ) -> Option<Vec<Group>> {
        let mut kernels: Vec<(Vec<FoundTap>, Vec<&Cell>)> = Vec::new();
        for cell in kept {
            let taps = with_weights(&self.picture.taps(cell, pitches), values)?;
            match kernels.iter_mut().find(|(known, _)| *known == taps) {
                Some((_, cells)) => cells.push(cell),
                None => kernels.push((taps, vec![cell])),
            }
        }
        let pixels = |cells: &[&Cell]| -> BTreeSet<[i64; 2]> {
            cells.iter().map(|cell| swapped(pitches.pixel(cell.index))).collect()
        };
        let group = |(taps, cells): (Vec<FoundTap>, Vec<&Cell>)| {
            let relation = related(&taps);
            tile.group(Some(taps), relation, &pixels(&cells), cells.first().map(|cell| cell.span))
        };
        let mut groups: Vec<Group> = kernels.into_iter().map(group).collect();
        let unwritten = tile.without(&pixels(kept));
        if !unwritten.is_empty() {
            groups.push(tile.group(None, missing, &unwritten, None));
        }
        let right = |group: &Group| matches!(group.relation, Some(Relation::Equal) | None);
        groups.sort_by_key(|group| (right(group), swapped(group.first)));
        Some(groups)
    }

    /// The comparison after moving the first output so that most outputs come nearest to the expected kernel. `None` if
    /// the user gave the place, or the move brings them no nearer.
    fn moved(&self, sought: Option<&Sought>, judged: &Judged, all: &[Vec<Cell>]) -> Option<Judged> {
        let layout = self.picture.layout;
        if layout.anchored || !matches!(judged.relation, Some(Relation::Different(_))) {
            return None;
        }
        let wanted = judged.expected.taps()?;
        let apart = |taps: &Taps| {
            let here = distance(&judged.expected, taps, self.picture.channels());
            let elsewhere = || (1 + wanted.len() + taps.len()).saturating_sub(2 * nearest(&wanted, taps).1);
            if here > 1 { here.min(elsewhere()) } else { here }
        };
        let pitches = self.picture.pitches(self.cells, Some(&apart));
        let sample = spread(self.cells).into_iter().map(|cell| self.picture.taps(cell, pitches));
        let by = common(&wanted, sample);
        let [east, north, _] = by.map(i64::from);
        let anchor = [layout.anchor[0] + east, layout.anchor[1] - north];
        let [pitch, output_pitch] = [pitches.input, pitches.output].map(Pitches::several_rows);
        let elsewhere = Layout { anchor, pitch, output_pitch, anchored: true, ..layout.clone() };
        let picture = Picture::new(self.picture.out, &elsewhere, all);
        let found = Judge { picture: &picture, ..*self }.judged(sought)?;
        let nearer = found.rank() < judged.rank();
        match found.relation {
            Some(Relation::Equal) if nearer => Some(as_translation(found, layout.anchor, by)),
            _ => nearer.then_some(found),
        }
    }

    /// A candidate for the column and row at which the tile begins, if not at the first output. It is the first output
    /// that computes the expected kernel up to the most frequent translation.
    fn elsewhere(&self, expected: &Placed) -> Option<[i64; 2]> {
        let channels = self.picture.channels();
        let wanted = |taps: &Taps| distance(expected, taps, channels);
        let pitches = self.picture.pitches(self.cells, Some(&wanted));
        // For each translation, the number of its outputs, and the column and row of the first one.
        let mut counts: BTreeMap<Label, (usize, [i64; 2])> = BTreeMap::new();
        for cell in self.cells {
            let taps = with_weights(&self.picture.taps(cell, pitches), &BTreeMap::new())?;
            let Some(found) = placed(&taps, channels) else { continue };
            let label = match Relation::between(expected, &found) {
                Relation::Equal => Label::IDENTITY,
                Relation::UpTo(label) if label.scale == Rational::ONE => label,
                _ => continue,
            };
            counts.entry(label).or_insert((0, pitches.pixel(cell.index))).0 += 1;
        }
        counts.into_values().max_by_key(|(count, _)| *count).map(|(_, first)| first)
    }

    /// The size and the origin of the compared region: the tile, or the bounding box of the written elements.
    fn size(&self, pitches: Pitches) -> ([usize; 2], [i64; 2]) {
        if let Some(tile) = self.picture.layout.tile {
            return (tile, self.origin);
        }
        let pixels = || self.cells.iter().map(|cell| pitches.pixel(cell.index));
        let ends = |axis: usize| {
            let along = || pixels().map(|pixel| pixel[axis]);
            (along().min().unwrap_or(0), along().max().unwrap_or(0))
        };
        let [(west, east), (north, south)] = [0, 1].map(ends);
        let size = [(east - west + 1) as usize, (south - north + 1) as usize];
        (size, [west, north])
    }

    /// The values of unknown weights with which the outputs come nearest. Earlier outputs take precedence.
    fn solve(
        &self,
        expected: &Placed,
        cells: &[&Cell],
        pitches: Pitches,
    ) -> Option<BTreeMap<Symbol, Rational>> {
        let wanted = expected.taps()?;
        let mut values = BTreeMap::new();
        for cell in cells {
            let taps = self.picture.taps(cell, pitches);
            for (channel, offset, (weight, factor)) in &taps {
                let Some(weight) = weight else { continue };
                let same = taps.iter().filter(|tap| (tap.0, tap.1) == (*channel, *offset)).count();
                if same == 1 && !values.contains_key(weight) {
                    let tap = wanted.iter().find(|tap| (tap.0, tap.1) == (*channel, *offset));
                    values.insert(*weight, tap.map_or(Rational::ZERO, |tap| tap.2).div(*factor)?);
                }
            }
        }
        Some(values)
    }

    fn whole(&self, expected: &Placed, groups: &[Group], channels: u16) -> Relation {
        let relations = || groups.iter().filter_map(|group| group.relation.as_ref());
        if relations().all(|relation| *relation == Relation::Equal) {
            return Relation::Equal;
        }
        if relations().any(|relation| *relation == Relation::Undecided) {
            return Relation::Undecided;
        }
        let label = |relation: &Relation| match relation {
            Relation::UpTo(label) => Some(*label),
            _ => None,
        };
        let labels: Vec<Option<Label>> = relations().map(label).collect();
        if let [Some(first), ..] = labels[..]
            && labels.iter().all(|label| *label == Some(first))
        {
            return Relation::UpTo(first);
        }
        let first = groups.iter().find_map(|group| placed(group.taps.as_deref()?, channels));
        let found = first.and_then(|found| mismatches(expected, &found));
        Relation::Different(found.unwrap_or_default())
    }

    /// The input element that shows the first difference.
    fn witness(&self, groups: &[Group], found: &[Mismatch], pitches: Pitches) -> Option<Witness> {
        let group = groups.iter().find(|group| group.taps.is_some())?;
        let [x, y] = group.first;
        let layout = self.picture.layout;
        let difference = found.iter().find(|d| (d.channel as usize) < layout.inputs.len())?;
        let rows = &layout.inputs[difference.channel as usize];
        let [east, north, _] = difference.offset.map(i64::from);
        let [column, row] = [x + layout.anchor[0] + east, y + layout.anchor[1] - north];
        let input = match rows.len() {
            1 => (rows[0], row * pitches.input + column),
            _ => {
                let array = *rows.get(usize::try_from(row).ok()?)?;
                (array, column)
            }
        };
        let stored = |cell: &&Cell| pitches.pixel(cell.index) == [x, y];
        let output = self.cells.iter().find(stored)?.index;
        let Mismatch { expected, found, .. } = *difference;
        Some(Witness { input, output: (self.array, output), expected, found })
    }
}

/// The distance of a kernel from the expected one: 0 if equal, 1 if equal up to a translation and a factor. If weights
/// are unknown, places are compared.
fn distance(expected: &Placed, taps: &Taps, channels: u16) -> usize {
    let Some(wanted) = expected.taps() else { return 0 };
    let found: Option<Vec<FoundTap>> = with_weights(taps, &BTreeMap::new());
    let Some(found) = found.and_then(|found| placed(&found, channels)) else {
        let here: BTreeSet<(u16, Offset)> = taps.iter().map(|tap| (tap.0, tap.1)).collect();
        let there: BTreeSet<(u16, Offset)> = wanted.iter().map(|tap| (tap.0, tap.1)).collect();
        return here.symmetric_difference(&there).count();
    };
    if found == *expected {
        return 0;
    }
    if carrier(expected, &found).is_some() {
        return 1;
    }
    1 + mismatches(expected, &found).map_or(wanted.len(), |differences| differences.len())
}

/// Swaps column and row.
fn swapped([x, y]: [i64; 2]) -> [i64; 2] {
    [y, x]
}

/// A rectangle of outputs.
struct Tile {
    origin: [i64; 2],
    size: [usize; 2],
}

/// The maximum number of rows or columns listed in words.
const MAX_WORDS: usize = 6;
/// The maximum number of outputs for which missing ones are searched.
const MAX_PIXELS: usize = 1 << 20;

impl Tile {
    fn along(&self, axis: usize) -> std::ops::Range<i64> {
        self.origin[axis]..self.origin[axis] + self.size[axis] as i64
    }

    /// The outputs of the tile that are not among the written ones.
    fn without(&self, written: &BTreeSet<[i64; 2]>) -> BTreeSet<[i64; 2]> {
        if self.size[0].saturating_mul(self.size[1]) > MAX_PIXELS {
            return BTreeSet::new();
        }
        let all = self.along(1).flat_map(|y| self.along(0).map(move |x| [y, x]));
        all.filter(|pixel| !written.contains(pixel)).collect()
    }

    /// A group of outputs, given as (row, column).
    fn group(
        &self,
        taps: Option<Vec<FoundTap>>,
        relation: Option<Relation>,
        pixels: &BTreeSet<[i64; 2]>,
        span: Option<Span>,
    ) -> Group {
        let first = pixels.first().copied().map_or([0, 0], swapped);
        Group { taps, relation, count: pixels.len(), place: self.words(pixels), first, span }
    }

    fn words(&self, pixels: &BTreeSet<[i64; 2]>) -> String {
        let axis = |axis: usize| -> Vec<i64> {
            let all: BTreeSet<i64> = pixels.iter().map(|pixel| pixel[1 - axis]).collect();
            all.into_iter().collect()
        };
        let (columns, rows) = (axis(0), axis(1));
        if columns.len() * rows.len() != pixels.len() {
            let [y, x] = pixels.first().copied().unwrap_or_default();
            return format!("the first in column {x} of row {y}");
        }
        let whole = |axis: usize, found: &[i64]| found.len() == self.size[axis];
        let mut parts = Vec::new();
        if !whole(0, &columns) {
            parts.push(self.lanes(&columns).unwrap_or_else(|| listed("column", &columns)));
        }
        if !whole(1, &rows) {
            parts.push(listed("row", &rows));
        }
        if parts.is_empty() { "everywhere".to_owned() } else { parts.join(" of ") }
    }

    /// Describes columns that are the same lanes of every vector.
    fn lanes(&self, columns: &[i64]) -> Option<String> {
        [4, 8, 16, 32].into_iter().filter(|lanes| (*lanes as usize) < self.size[0]).find_map(|lanes| {
            let found: BTreeSet<i64> = columns.iter().map(|x| x.rem_euclid(lanes)).collect();
            let all = self.along(0).filter(|x| found.contains(&x.rem_euclid(lanes)));
            let several = (found.len() as i64) < lanes && found.len() < columns.len();
            let same = several && all.eq(columns.iter().copied());
            let found: Vec<i64> = found.iter().copied().collect();
            same.then(|| format!("{} of every {lanes}", listed("lane", &found)))
        })
    }
}

/// Numbers in words: a single one, a range, or a list.
fn listed(what: &str, numbers: &[i64]) -> String {
    let shown: Vec<String> = numbers.iter().take(MAX_WORDS).map(i64::to_string).collect();
    match numbers {
        [] => format!("no {what}"),
        [one] => format!("{what} {one}"),
        [first, .., last] if last - first == numbers.len() as i64 - 1 => format!("{what}s {first} to {last}"),
        _ if numbers.len() > MAX_WORDS => format!("{} {what}s, {}, …", numbers.len(), shown.join(", ")),
        _ => format!("{what}s {}", shown.join(", ")),
    }
}

/// Restates a comparison with a moved first output as a translation from the original place.
fn as_translation(judged: Judged, anchor: [i64; 2], by: Offset) -> Judged {
    let moved = |relation: Option<Relation>| match relation {
        Some(Relation::Equal) => Some(Relation::UpTo(Label::at(by))),
        other => other,
    };
    let mut judged = Judged { anchor, relation: moved(judged.relation), ..judged };
    for group in &mut judged.groups {
        group.relation = moved(group.relation.take());
        for (_, offset, ..) in group.taps.iter_mut().flatten() {
            *offset = std::array::from_fn(|axis| offset[axis].saturating_add(by[axis]));
        }
    }
    judged
}

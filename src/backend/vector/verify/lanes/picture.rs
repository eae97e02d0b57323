//! The layout of images: the pointer of each row, the row pitch, and the kernel that each output element computes
//! around it.

use std::collections::{BTreeMap, BTreeSet};

use super::memory::Role;
use super::run::Execution;
use super::sum::{Sum, Symbol};
use crate::algebra::{Offset, Rational};
use crate::syntax::Span;

/// The pitch of rows that are not in one array.
const APART: i64 = 1 << 24;
/// The number of outputs sampled to find the row pitches.
const SAMPLE: usize = 24;
/// The number of row pitches considered.
const CANDIDATES: usize = 24;

/// The layout of the images, as given by options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The arrays of each input: the rows of an image from north to south, or one array for all rows.
    pub inputs: Vec<Vec<usize>>,
    /// The row pitch of the inputs in elements.
    pub pitch: Option<i64>,
    /// The row pitch of the outputs in elements.
    pub output_pitch: Option<i64>,
    /// The column and row of the input element below the first output.
    pub anchor: [i64; 2],
    /// The column in the middle of the window, from the pixel under an output. An element is taken to lie in the row in which it is
    /// nearest to it.
    pub middle: i64,
    /// Whether the user gave `anchor`. If not, other places are tried, too.
    pub anchored: bool,
    /// The width and height of the outputs.
    pub tile: Option<[usize; 2]>,
}

/// The factor of an element in a sum.
pub(super) type Factor = (Option<Symbol>, Rational);

/// A stored element.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// Its index in its array.
    pub(super) index: i64,
    /// The statement that stores it.
    pub(super) span: Span,
    /// Its terms as (element, factor); no element for an added constant.
    pub(super) terms: Vec<(Option<Symbol>, Factor)>,
    /// Whether it was rounded before the last step.
    pub(super) early: bool,
}

/// The kernel that an output computes: channel, offset, factor.
pub(super) type Taps = Vec<(u16, Offset, Factor)>;

/// The row pitches of inputs and outputs; [`APART`] if there is one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pitches {
    pub(super) input: i64,
    pub(super) output: i64,
}

impl Pitches {
    /// The pitch in reports: `None` for one row.
    pub(super) fn several_rows(pitch: i64) -> Option<i64> {
        (pitch != APART).then_some(pitch)
    }

    /// The column and row of an output.
    pub(super) fn pixel(self, index: i64) -> [i64; 2] {
        [index.rem_euclid(self.output), index.div_euclid(self.output)]
    }
}

/// The position of a kernel's arrays in its images.
#[derive(Clone, Debug)]
pub(super) struct Picture<'a> {
    pub(super) out: &'a Execution,
    pub(super) layout: &'a Layout,
    /// The channel and row of each array. Arrays that are not inputs have separate channels after those of the inputs.
    places: BTreeMap<usize, (u16, i64)>,
    /// The arrays after the inputs, channel by channel; `None` for an added constant.
    pub(super) others: Vec<Option<usize>>,
}

impl<'a> Picture<'a> {
    pub(super) fn new(out: &'a Execution, layout: &'a Layout, cells: &[Vec<Cell>]) -> Self {
        let mut places = BTreeMap::new();
        for (channel, rows) in layout.inputs.iter().enumerate() {
            for (row, array) in rows.iter().enumerate() {
                places.insert(*array, (channel as u16, row as i64));
            }
        }
        let mut others = Vec::new();
        let used: BTreeSet<Option<usize>> = cells
            .iter()
            .flatten()
            .flat_map(|cell| cell.terms.iter().map(|(symbol, _)| symbol.map(|symbol| symbol.array)))
            .collect();
        for array in used {
            if array.is_none_or(|array| !places.contains_key(&array)) {
                others.push(array);
            }
        }
        Self { out, layout, places, others }
    }

    /// The number of channels.
    pub(super) fn channels(&self) -> u16 {
        (self.layout.inputs.len() + self.others.len()) as u16
    }

    /// The kernel of an output, ordered by channel and place. Several terms of one place stay separate.
    pub(super) fn taps(&self, cell: &Cell, pitches: Pitches) -> Taps {
        let [x, y] = pitches.pixel(cell.index);
        let [east, south] = self.layout.anchor;
        let origin = (y + south) * pitches.input + x + east;
        let half = pitches.input / 2;
        let place = |symbol: Option<Symbol>| -> (u16, Offset) {
            let known = symbol.and_then(|symbol| Some((symbol.index, self.places.get(&symbol.array)?)));
            match known {
                Some((index, (channel, row))) => {
                    let away = row * pitches.input + index - origin;
                    let down = (away - self.layout.middle + half).div_euclid(pitches.input);
                    let small = |n: i64| n.clamp(-(1 << 24), 1 << 24) as i32;
                    (*channel, [small(away - down * pitches.input), small(-down), 0])
                }
                None => {
                    let array = symbol.map(|symbol| symbol.array);
                    let other = self.others.iter().position(|other| *other == array).unwrap_or(0);
                    ((self.layout.inputs.len() + other) as u16, [0; 3])
                }
            }
        };
        let mut taps: Taps = cell
            .terms
            .iter()
            .map(|(symbol, factor)| {
                let (channel, offset) = place(*symbol);
                (channel, offset, *factor)
            })
            .collect();
        taps.sort_by_key(|(channel, [x, y, z], (weight, _))| (*channel, *z, *y, *x, *weight));
        taps
    }

    /// The row pitches that bring the outputs nearest to the wanted kernel. `wanted` gives the distance of a kernel.
    /// Without it, the pitches for which most outputs have one kernel, the smallest such kernel.
    pub(super) fn pitches(&self, cells: &[Cell], wanted: Option<&dyn Fn(&Taps) -> usize>) -> Pitches {
        let sample: Vec<&Cell> = spread(cells);
        let inputs = match self.layout.pitch {
            Some(pitch) => vec![pitch],
            None => self.input_candidates(cells, wanted),
        };
        let apart = self.layout.pitch.is_none() && self.layout.inputs.iter().any(|rows| rows.len() > 1);
        if !apart {
            return self.best(cells, &sample, &inputs, wanted).1;
        }
        // Rows with separate pointers have no fixed pitch, unless one explains every output of several rows.
        let (own, pitches) = self.best(cells, &sample, &[APART], wanted);
        let (score, other) = self.best(cells, &sample, &inputs, wanted);
        if own.0 > 0 && score.0 == 0 && other.output != APART { other } else { pitches }
    }

    /// The best of some pitches of the input, with its score.
    fn best(
        &self,
        cells: &[Cell],
        sample: &[&Cell],
        inputs: &[i64],
        wanted: Option<&dyn Fn(&Taps) -> usize>,
    ) -> ((usize, usize), Pitches) {
        let outputs = match (self.layout.output_pitch, self.layout.tile) {
            (Some(pitch), _) => vec![pitch],
            (None, tile) => self.output_candidates(cells, inputs, tile),
        };
        let mut best: Option<((usize, usize), Pitches)> = None;
        for input in inputs {
            for output in &outputs {
                let pitches = Pitches { input: *input, output: *output };
                if self.layout.pitch.is_none() && self.columns(cells, *output) > *input {
                    continue;
                }
                let kernels: Vec<Taps> = sample.iter().map(|cell| self.taps(cell, pitches)).collect();
                let score = score(&kernels, wanted);
                if best.is_none_or(|(least, _)| score < least) {
                    best = Some((score, pitches));
                }
            }
        }
        best.unwrap_or(((0, 0), Pitches { input: APART, output: APART }))
    }

    /// The columns of the outputs, in elements. Input rows cannot be nearer to one another than that.
    fn columns(&self, cells: &[Cell], output: i64) -> i64 {
        let written = cells.last().zip(cells.first()).map_or(0, |(last, first)| last.index - first.index + 1);
        self.layout.tile.map_or(written, |[width, _]| width as i64).min(output)
    }

    /// The candidates for the input pitch, most plausible first. The default is one row.
    fn input_candidates(&self, cells: &[Cell], wanted: Option<&dyn Fn(&Taps) -> usize>) -> Vec<i64> {
        // Rows may begin with vectors outside the image, so sample the whole first row, as far as its width is known.
        let row = self.layout.tile.map_or(SAMPLE, |[width, _]| width.max(SAMPLE)).min(cells.len());
        let begin: Vec<&Cell> = cells[..row].iter().step_by(row.div_ceil(SAMPLE).max(1)).collect();
        let mut found = BTreeSet::from([APART]);
        for rows in &self.layout.inputs {
            found.extend(rows.iter().flat_map(|array| self.out.steps[*array].iter().copied()));
        }
        for cell in [begin.first(), begin.last()].into_iter().flatten() {
            let places: Vec<i64> =
                cell.terms.iter().filter_map(|(s, _)| s.map(|symbol| symbol.index)).collect();
            found.extend(places.iter().flat_map(|a| places.first().map(|b| (a - b).abs())));
        }
        found
            .extend(cells.windows(2).take(4096).filter_map(|pair| Some(first(&pair[1])? - first(&pair[0])?)));
        found.retain(|pitch| (2..=APART).contains(pitch));
        let mut scored: Vec<((usize, usize), i64)> = found
            .into_iter()
            .map(|input| {
                // The outputs at the beginning are in the first row, whatever their pitch.
                let pitches = Pitches { input, output: APART };
                let kernels: Vec<Taps> = begin.iter().map(|cell| self.taps(cell, pitches)).collect();
                (score(&kernels, wanted), -input)
            })
            .collect();
        scored.sort_unstable();
        scored.into_iter().take(CANDIDATES).map(|(_, input)| -input).collect()
    }

    fn output_candidates(&self, cells: &[Cell], inputs: &[i64], tile: Option<[usize; 2]>) -> Vec<i64> {
        // A tile of several rows is in one row only if nothing else explains it.
        let flat = if tile.is_some_and(|[_, height]| height > 1) { None } else { Some(APART) };
        let mut found: Vec<i64> = flat.into_iter().collect();
        found.extend(tile.map(|[width, _]| width as i64));
        found.extend(inputs);
        // Places after a gap, or at which the place read jumps.
        let jumps = cells.windows(2).filter(|pair| {
            let read = first(&pair[1]).zip(first(&pair[0])).map(|(b, a)| b - a);
            pair[1].index - pair[0].index != 1 || read.is_some_and(|step| step != 1)
        });
        found.extend(jumps.map(|pair| pair[1].index - cells[0].index).take(2 * CANDIDATES));
        let arrays: BTreeSet<usize> = self
            .out
            .arrays
            .iter()
            .enumerate()
            .filter(|(_, a)| !a.stores.is_empty())
            .map(|(i, _)| i)
            .collect();
        for array in arrays {
            found.extend(self.out.steps[array].iter().rev().take(2 * CANDIDATES));
        }
        let mut seen = BTreeSet::new();
        found.retain(|pitch| (1..=APART).contains(pitch) && seen.insert(*pitch));
        match tile {
            Some([width, _]) => found.retain(|pitch| *pitch >= width as i64),
            None => found.retain(|pitch| *pitch == APART || is_rectangle(cells, *pitch)),
        }
        found.truncate(4 * CANDIDATES);
        if flat.is_none() {
            found.push(APART);
        }
        found
    }
}

/// Whether the written elements fill a rectangle with this row pitch.
fn is_rectangle(cells: &[Cell], pitch: i64) -> bool {
    let pitches = Pitches { input: APART, output: pitch };
    let ends = |axis: usize| {
        let along = || cells.iter().map(|cell| pitches.pixel(cell.index)[axis]);
        along().max().unwrap_or(0) - along().min().unwrap_or(0) + 1
    };
    ends(0) * ends(1) == cells.len() as i64
}

/// A sample of the outputs, from the beginning to the end.
pub(super) fn spread(cells: &[Cell]) -> Vec<&Cell> {
    let step = cells.len().div_ceil(SAMPLE).max(1);
    // Varies the lane of the vector.
    (0..cells.len())
        .step_by(step)
        .enumerate()
        .map(|(n, at)| &cells[(at + n % step).min(cells.len() - 1)])
        .collect()
}

fn first(cell: &Cell) -> Option<i64> {
    cell.terms.iter().find_map(|(symbol, _)| symbol.map(|symbol| symbol.index))
}

/// The distance of some kernels from the wanted one, and their size.
fn score(kernels: &[Taps], wanted: Option<&dyn Fn(&Taps) -> usize>) -> (usize, usize) {
    let area = |taps: &Taps| {
        let along = |axis: usize| {
            let all = taps.iter().map(|(_, offset, _)| i64::from(offset[axis]));
            all.clone().max().unwrap_or(0) - all.min().unwrap_or(0) + 1
        };
        (along(0) * along(1)) as usize
    };
    let size = kernels.iter().map(area).max().unwrap_or(0);
    match wanted {
        Some(wanted) => (kernels.iter().map(wanted).sum(), size),
        None => {
            let like = |a: &Taps| kernels.iter().filter(|b| *b == a).count();
            (kernels.len() - kernels.iter().map(like).max().unwrap_or(0), size)
        }
    }
}

/// The stored elements of an array, with their terms. `weights` are the arrays that inputs are multiplied with. `None`
/// if a coefficient does not fit 64 bits.
pub(super) fn cells(out: &Execution, array: usize, weights: &BTreeSet<usize>) -> Option<Vec<Cell>> {
    let array = &out.arrays[array];
    let mut found = Vec::new();
    for (index, span) in &array.stores {
        let sum = array.contents.get(index)?;
        found.push(Cell { index: *index, span: *span, terms: terms(sum, weights)?, early: sum.early });
    }
    Some(found)
}

fn terms(sum: &Sum, weights: &BTreeSet<usize>) -> Option<Vec<(Option<Symbol>, Factor)>> {
    sum.terms()
        .map(|(product, value)| {
            let value = value?;
            Some(match product {
                [Some(a), Some(b)] if weights.contains(&a.array) => (Some(b), (Some(a), value)),
                [Some(a), Some(b)] => (Some(a), (Some(b), value)),
                [_, Some(a)] if weights.contains(&a.array) => (None, (Some(a), value)),
                [_, a] => (a, (None, value)),
            })
        })
        .collect()
}

/// The arrays whose elements are factors of others: the same arrays in every output.
pub fn weights(out: &Execution) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for array in out.arrays.iter().filter(|array| array.role == Role::Given && !array.stores.is_empty()) {
        let ends = [array.stores.first_key_value(), array.stores.last_key_value()];
        let places = ends.map(|end| {
            let sum = end.and_then(|(index, _)| array.contents.get(index));
            let pairs =
                sum.into_iter().flat_map(|sum| sum.terms()).filter_map(|(product, _)| match product {
                    [Some(a), Some(b)] => Some([a, b]),
                    _ => None,
                });
            pairs.flatten().fold(BTreeMap::new(), |mut places: BTreeMap<usize, BTreeSet<i64>>, symbol| {
                places.entry(symbol.array).or_default().insert(symbol.index);
                places
            })
        });
        let [first, last] = &places;
        let same = first.iter().filter(|(array, places)| last.get(array) == Some(places));
        let fewest = same.min_by_key(|(array, places)| (places.len(), **array));
        found.extend(fewest.map(|(array, _)| *array));
    }
    found
}

//! Direct construction of a program for kernels of any size: tap by tap and digit by digit, by Horner's scheme.
//!
//! An accumulator goes from cell to cell of a kernel's window (Horner's scheme: moved by one step, added to, moved again),
//! once for each binary digit of the coefficients. Rows that are multiples of each other are summed once and then swept
//! over the column of their multiples, K = Σ C ∘ R, if that takes fewer moves; likewise for columns. One move is a
//! few instructions, found once by a narrow beam on an accumulator and a source, and used everywhere. The programs are
//! long; other searches start from them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::idioms::Idioms;
use crate::algebra::gcd;
use crate::backend::array::search::program::recipe::Recipes;
use crate::backend::array::search::program::step::ValueStep;
use crate::backend::array::search::program::value::{Factor, Shapes, Value, View, signed_digits};

/// The channels of the kernels in the searches for moves.
const ACCUMULATOR: usize = 0;
const SOURCE: usize = 1;

/// One move: (2^`twos` · accumulator + `digit` · source), shifted by `step`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Move {
    /// Whether there is no accumulator yet.
    fresh: bool,
    twos: i8,
    digit: i8,
    step: [i8; 2],
    /// Whether the source is needed afterwards.
    keep: bool,
}

impl Move {
    const NOTHING: Self = Self { fresh: false, twos: 0, digit: 0, step: [0, 0], keep: true };
    /// The sum of accumulator and source, which ends both.
    const SUM: Self = Self { digit: 1, keep: false, ..Self::NOTHING };

    /// What it makes of an accumulator and a source.
    fn of(self, values: [Value; 2], shapes: &mut Shapes) -> Option<Value> {
        let view = |factor| View { dx: self.step[0], dy: self.step[1], factor };
        shapes.sum(&terms(self, values[ACCUMULATOR], values[SOURCE], &view))
    }
}

/// A cell of a window and its weight.
type Cell = ([i8; 2], i32);

/// A term C ∘ R of a kernel; `inner` is empty if R is a single tap.
struct Product {
    inner: Vec<Cell>,
    outer: Vec<Cell>,
}

impl Product {
    /// The approximate number of moves.
    fn moves(&self) -> usize {
        let outer = match sides(&self.outer) {
            Some(sides) => sides.iter().map(|side| moves(side, true)).sum(),
            None => moves(&self.outer, true),
        };
        moves(&self.inner, false) + outer
    }
}

/// Builds programs move by move.
pub(crate) struct Horner<'a> {
    shapes: &'a mut Shapes,
    moves: Idioms<'a>,
    steps: Vec<ValueStep>,
    /// Construction stops once there are more steps than this.
    most: usize,
}

impl<'a> Horner<'a> {
    pub(crate) fn new(recipes: &'a Recipes, shapes: &'a mut Shapes, file: u8, most: usize) -> Self {
        Self { shapes, moves: Idioms::new(recipes, file, 2), steps: Vec::new(), most }
    }

    /// The steps so far.
    pub(crate) fn finish(self) -> Vec<ValueStep> {
        self.steps
    }

    /// Builds `goal` from the inputs, which are kept, in `registers` registers besides those that hold other values; `None` if that
    /// fails.
    pub(crate) fn make(&mut self, goal: Value, registers: usize) -> Option<()> {
        if goal.factor.threes != 0 {
            return None;
        }
        let mut total: Option<Value> = None;
        for (channel, products) in self.products(goal)? {
            for Product { inner, outer } in products {
                let free = registers.checked_sub(usize::from(total.is_some()))?;
                let input = Shapes::delta(channel);
                let part = if inner.is_empty() {
                    self.centred(input, &outer, goal.factor.twos, free)?
                } else {
                    // The inner sum takes as much of the division as possible, which keeps values small.
                    let digits = inner.iter().map(|(_, weight)| length(*weight)).max()? as i8;
                    let twos = goal.factor.twos.clamp(1 - digits, 0);
                    let (row, [x, y]) = self.sweep(input, &inner, twos, false, free)?;
                    let moved =
                        |([ox, oy], weight): &Cell| Some(([ox.checked_add(x)?, oy.checked_add(y)?], *weight));
                    let moved: Vec<Cell> = outer.iter().map(moved).collect::<Option<_>>()?;
                    self.centred(row, &moved, goal.factor.twos - twos, free.checked_sub(1)?)?
                };
                total = Some(match total {
                    Some(total) => self.apply(Move::SUM, Some(total), part, registers.checked_sub(1)?)?,
                    None => part,
                });
            }
        }
        (total == Some(goal)).then_some(())
    }

    /// The cells of each channel as sums of products, with as few moves as possible.
    fn products(&self, goal: Value) -> Option<Vec<(usize, Vec<Product>)>> {
        let mut channels: Vec<(usize, Vec<Cell>)> = Vec::new();
        for (x, y, channel, weight) in self.shapes.get(goal.shape).iter() {
            let place = |v: i32, moved: i8| i8::try_from(v + i32::from(moved)).ok();
            let cell = [place(x, goal.dx)?, place(y, goal.dy)?];
            let weight = if goal.factor.negative { -weight } else { weight };
            match channels.iter_mut().find(|(c, _)| *c == channel) {
                Some((_, cells)) => cells.push((cell, weight)),
                None => channels.push((channel, vec![(cell, weight)])),
            }
        }
        let ways = |cells: &Vec<Cell>| {
            let plain = vec![Product { inner: Vec::new(), outer: cells.clone() }];
            [plain, grouped(cells, 1), grouped(cells, 0)]
                .into_iter()
                .min_by_key(|products| products.iter().map(Product::moves).sum::<usize>())
        };
        channels.iter().map(|(channel, cells)| Some((*channel, ways(cells)?))).collect()
    }

    /// 2^`twos` · Σ weight · source at the cell, in the middle of the window. Cells on both sides of the middle are two sums where that
    /// saves moves: either ends there.
    fn centred(&mut self, source: Value, cells: &[Cell], twos: i8, registers: usize) -> Option<Value> {
        let Some([before, after]) = sides(cells) else {
            return Some(self.sweep(source, cells, twos, true, registers)?.0);
        };
        let first = self.sweep(source, &before, twos, true, registers)?.0;
        let second = self.sweep(source, &after, twos, true, registers.checked_sub(1)?)?.0;
        self.apply(Move::SUM, Some(first), second, registers)
    }

    /// 2^`twos` · Σ weight · source at the cell. Returns the value and the displacement that remains unless it must be `centred`.
    fn sweep(
        &mut self,
        source: Value,
        cells: &[Cell],
        twos: i8,
        centred: bool,
        registers: usize,
    ) -> Option<(Value, [i8; 2])> {
        let planes = cells.iter().map(|(_, weight)| length(*weight)).max()? as i8;
        // If the whole sum is divided: lowest digits first, halving on the way. Otherwise: highest first, doubling on the way.
        let halving = twos < planes && twos + planes - 1 <= 0;
        let order: Vec<i8> = if halving { (0..planes).collect() } else { (0..planes).rev().collect() };
        let mut path = serpentine(cells);
        let distance = |cell: &Cell| cell.0.iter().map(|v| v.unsigned_abs()).max();
        let (first, last) = (path.first().and_then(distance), path.last().and_then(distance));
        let ends_at_last = order.len() % 2 == 1;
        if centred && (first < last) == ends_at_last && first != last {
            path.reverse();
        }
        let mut sweep = Sweep { source, registers, at: [0, 0], accumulator: None, due: Move::NOTHING };
        let mut scale = 0i8;
        for (pass, plane) in order.iter().enumerate() {
            for (cell, weight) in &path {
                let Some((_, negative)) = signed_digits(*weight).into_iter().find(|(p, _)| p == plane) else {
                    continue;
                };
                sweep.visit(self, *cell, scale)?;
                scale = 0;
                sweep.due.digit = if negative { -1 } else { 1 };
            }
            path.reverse();
            if pass + 1 < order.len() {
                scale += if halving { -1 } else { 1 };
            }
        }
        // The remaining scale.
        scale += if halving { twos + planes - 1 } else { twos };
        sweep.visit(self, if centred { [0, 0] } else { sweep.at }, scale)?;
        sweep.settle(self, [0, 0])?;
        Some((sweep.accumulator?, sweep.at))
    }

    /// Appends the steps of a move.
    fn apply(
        &mut self,
        step: Move,
        accumulator: Option<Value>,
        source: Value,
        registers: usize,
    ) -> Option<Value> {
        if self.steps.len() > self.most {
            return None;
        }
        let step = Move { fresh: accumulator.is_none(), ..step };
        let images = [accumulator.unwrap_or(source), source];
        let (results, read, registers) = self.task(step, registers)?;
        self.moves.append((&results, &read, registers), &images, self.shapes, &mut self.steps)?;
        step.of(images, self.shapes)
    }

    /// The results of a move, what it reads and its registers.
    fn task(&mut self, step: Move, registers: usize) -> Option<(Vec<Value>, SmallVec<[usize; 2]>, usize)> {
        let channels = [Shapes::delta(ACCUMULATOR), Shapes::delta(SOURCE)];
        // A source that is not read would only occupy a register.
        let reads = step.digit != 0;
        let registers = registers.checked_sub(usize::from(!reads))?;
        let mut results = vec![step.of(channels, &mut self.moves.over)?];
        results.extend((reads && step.keep).then_some(channels[SOURCE]));
        let mut read: SmallVec<[usize; 2]> = SmallVec::new();
        read.extend((!step.fresh).then_some(ACCUMULATOR));
        read.extend(reads.then_some(SOURCE));
        Some((results, read, registers))
    }

    /// The cost of a move.
    fn cost(&mut self, step: Move, registers: usize) -> Option<u32> {
        let (results, read, registers) = self.task(step, registers)?;
        self.moves.cost(&results, &read, registers)
    }
}

/// A sweep over the cells of a window, in progress.
struct Sweep {
    source: Value,
    registers: usize,
    at: [i8; 2],
    accumulator: Option<Value>,
    /// The scaling due with the next step.
    due: Move,
}

impl Sweep {
    /// Moves to a cell, two pixels at a time where that is cheaper, and scales there.
    fn visit(&mut self, horner: &mut Horner<'_>, cell: [i8; 2], mut scale: i8) -> Option<()> {
        if self.accumulator.is_none() && self.due.digit == 0 {
            self.at = cell;
            return Some(());
        }
        while self.at != cell {
            let axis = usize::from(self.at[0] == cell[0]);
            let forward = (cell[axis] - self.at[axis]).signum();
            let far = cell[axis].abs_diff(self.at[axis]) > 1 && self.goes_by_two(horner, axis, forward);
            let by = if far { 2 * forward } else { forward };
            self.settle(horner, on(axis, -by, 0))?;
            let [x, y] = on(axis, by, 0);
            self.at = [self.at[0] + x, self.at[1] + y];
        }
        while scale != 0 {
            self.settle(horner, [0, 0])?;
            self.due.twos = scale.signum();
            scale -= scale.signum();
        }
        if self.due.digit != 0 {
            self.settle(horner, [0, 0])?;
        }
        Some(())
    }

    /// Whether a move by two pixels costs less than two by one.
    fn goes_by_two(&self, horner: &mut Horner<'_>, axis: usize, forward: i8) -> bool {
        let due = Move { fresh: self.accumulator.is_none(), ..self.due };
        let mut cost = |due: Move, pixels: i8| {
            horner.cost(Move { step: on(axis, -forward * pixels, 0), ..due }, self.registers)
        };
        let (one, rest) = (cost(due, 1), cost(Move::NOTHING, 1));
        match (cost(due, 2), one, rest) {
            (Some(both), Some(one), Some(rest)) => both < one + rest,
            _ => false,
        }
    }

    /// Applies the pending scaling together with a step.
    fn settle(&mut self, horner: &mut Horner<'_>, step: [i8; 2]) -> Option<()> {
        let due = Move { step, ..self.due };
        self.due = Move::NOTHING;
        if due != Move::NOTHING {
            self.accumulator = Some(horner.apply(due, self.accumulator, self.source, self.registers)?);
        }
        Some(())
    }
}

/// The terms that a move sums.
fn terms(
    step: Move,
    accumulator: Value,
    source: Value,
    view: &dyn Fn(Factor) -> View,
) -> SmallVec<[(Value, View); 2]> {
    let mut terms = SmallVec::new();
    if !step.fresh {
        terms.push((accumulator, view(Factor { twos: step.twos, ..Factor::ONE })));
    }
    if step.digit != 0 {
        terms.push((source, view(Factor { negative: step.digit < 0, ..Factor::ONE })));
    }
    terms
}

/// One more than the position of a weight's highest signed digit.
fn length(weight: i32) -> usize {
    signed_digits(weight).last().map_or(0, |(place, _)| *place as usize + 1)
}

/// Width and height of the bounding box of the cells.
fn span(cells: &[Cell]) -> Option<[usize; 2]> {
    let range = |axis: usize| {
        let along = || cells.iter().map(|(cell, _)| i32::from(cell[axis]));
        Some((along().max()? - along().min()? + 1) as usize)
    };
    Some([range(0)?, range(1)?])
}

/// The cells row by row, every other row backwards; along columns if these are longer.
fn serpentine(cells: &[Cell]) -> Vec<Cell> {
    let across = usize::from(span(cells).is_none_or(|[w, h]| h <= w));
    let mut path = cells.to_vec();
    path.sort_by_key(|([x, y], _)| {
        let [line, place] = if across == 1 { [*y, *x] } else { [*x, *y] };
        let odd = line.rem_euclid(2) == 1;
        (line, if odd { -i32::from(place) } else { i32::from(place) })
    });
    path
}

/// The approximate number of moves of a sweep, by one pixel each, with the way to the middle of the window if it must be `centred`.
fn moves(cells: &[Cell], centred: bool) -> usize {
    let path = serpentine(cells);
    let digits = cells.iter().map(|(_, weight)| length(*weight)).max().unwrap_or(0);
    let way: usize = path.windows(2).map(|pair| distance(pair[0].0, pair[1].0)).sum();
    let ends = [path.first(), path.last()].into_iter().flatten().map(|(cell, _)| distance(*cell, [0, 0]));
    digits * (way + 2) + ends.min().filter(|_| centred).unwrap_or(0)
}

/// The cells up to the one that is nearest to the middle of the window, in the order of a sweep, and the others, if two sweeps take
/// fewer moves than one. The nearest cell belongs where that takes fewer.
fn sides(cells: &[Cell]) -> Option<[Vec<Cell>; 2]> {
    let path = serpentine(cells);
    let nearest = (0..path.len()).min_by_key(|place| distance(path[*place].0, [0, 0]))?;
    let split = |place: usize| [path[..place].to_vec(), path[place..].to_vec()];
    let cost = |sides: &[Vec<Cell>; 2]| 1 + sides.iter().map(|side| moves(side, true)).sum::<usize>();
    [split(nearest), split(nearest + 1)]
        .into_iter()
        .min_by_key(cost)
        .filter(|sides| cost(sides) < moves(cells, true))
}

/// The number of moves between two cells.
fn distance([x, y]: [i8; 2], [to_x, to_y]: [i8; 2]) -> usize {
    usize::from(x.abs_diff(to_x)) + usize::from(y.abs_diff(to_y))
}

/// The kernel as a sum of products. Lines along the other axis that are multiples of each other share a product.
fn grouped(cells: &[Cell], axis: usize) -> Vec<Product> {
    let mut lines: FxHashMap<i8, Vec<Cell>> = FxHashMap::default();
    for (cell, weight) in cells {
        lines.entry(cell[axis]).or_default().push((on(axis, 0, cell[1 - axis]), *weight));
    }
    let mut positions: Vec<i8> = lines.keys().copied().collect();
    positions.sort_unstable();
    let mut products: Vec<Product> = Vec::new();
    for position in positions {
        let Some(mut line) = lines.remove(&position) else { continue };
        line.sort_unstable();
        let content = line.iter().fold(0, |g, (_, weight)| gcd(g, weight.unsigned_abs().into())) as i32;
        let multiple = if line[0].1 < 0 { -content } else { content };
        for (_, weight) in &mut line {
            *weight /= multiple;
        }
        let at = on(axis, position, 0);
        match products.iter_mut().find(|product| product.inner == line) {
            Some(product) => product.outer.push((at, multiple)),
            None => products.push(Product { inner: line, outer: vec![(at, multiple)] }),
        }
    }
    products
}

/// The place at `along` on one axis and `across` on the other.
///
/// This selects instead of storing through an index, because rustc 1.95 miscompiles such stores into tuples with padding when it
/// optimises; weights came out changed.
fn on(axis: usize, along: i8, across: i8) -> [i8; 2] {
    if axis == 0 { [along, across] } else { [across, along] }
}

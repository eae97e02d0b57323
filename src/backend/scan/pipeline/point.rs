//! Point-wise values as operations of loops, over numerators of the values' denominators.

use std::collections::{BTreeMap, BTreeSet};

use crate::algebra::{Choice, Offset, Rational};
use crate::backend::scan::machine::Storage;
use crate::pipeline::{
    Comparison, NodeId, Operation, Pipeline, PixelType, Rounding, Stencil, common_multiple,
};
use crate::syntax::Diagnostic;

use super::arithmetic::{ANY, TRUTH, working};
use super::coordinate::Coordinate;
use super::expression::{Expressions, Extent, From, Id, Load, Operator, Read};
use super::places::{Places, gathered};
use super::plans::{Compiled, PATTERN, input_storage, storage, taps_of_numerators};
use super::regions::Made;

/// Why a value has no code.
pub(super) type Refused = Box<Diagnostic>;

/// The greatest number of values of a pattern.
const MAX_PATTERN: i64 = 1 << 16;

/// The tables and patterns of a pipeline, each with its number.
#[derive(Default)]
pub(super) struct Constants {
    pub(super) tables: BTreeMap<Vec<i64>, usize>,
    /// Rows of numbers that repeat: their length, and the numbers.
    pub(super) patterns: BTreeMap<(usize, Vec<i64>), usize>,
}

impl Constants {
    /// The arrays that programs have of these: names, numbers, types and values.
    pub(super) fn lists(&self) -> Vec<(&'static str, usize, Storage, &[i64])> {
        let tables = self.tables.iter().map(|(values, n)| ("table", *n, table_type(values), values));
        let patterns = self.patterns.iter().map(|((_, values), n)| ("pattern", *n, PATTERN, values));
        tables.chain(patterns).map(|(name, n, of, values)| (name, n, of, values.as_slice())).collect()
    }
}

/// The integers that hold the entries of a table.
fn table_type(values: &[i64]) -> Storage {
    let ends = [values.iter().min(), values.iter().max()].map(|end| end.copied().unwrap_or(0).into());
    Storage::holding(ends[0], ends[1]).expect("64 bits hold 64 bits")
}

/// Where a value is computed: column and row.
pub(super) type At = [Coordinate; 2];

/// Makes the operations of one loop.
pub(super) struct Points<'c> {
    pub(super) compiled: &'c Compiled,
    pub(super) places: &'c Places,
    pub(super) constants: &'c mut Constants,
    pub(super) code: Expressions,
    /// Whether all pixels that are computed are in the picture.
    is_inside: bool,
    done: BTreeMap<(NodeId, At), Id>,
}

pub(super) fn refuse(compiled: &Compiled, id: NodeId, what: &str) -> Refused {
    let node = compiled.pipeline.node(id);
    let diagnostic = Diagnostic::error("not-in-code", format!("{what} is not written as code yet"))
        .label(node.span, "this value");
    Box::new(diagnostic)
}

/// The type that a kept value has in memory.
///
/// # Errors
/// More than 63 bits.
pub(super) fn kept(compiled: &Compiled, id: NodeId) -> Result<Storage, Refused> {
    if let Some(found) = compiled.types.get(&id) {
        return Ok(*found);
    }
    numerators(compiled, id)?;
    Ok(storage(&compiled.pipeline, id).expect("a value of at most 63 bits has a type"))
}

/// The interval of numerators; [`ANY`] in single precision.
fn numerators(compiled: &Compiled, id: NodeId) -> Result<[i128; 2], Refused> {
    let Some(range) = compiled.pipeline.facts(id).range() else { return Ok(ANY) };
    let range = [range.least, range.greatest];
    match working(range) {
        Some(_) => Ok(range),
        None => Err(refuse(compiled, id, "a value of more than 63 bits")),
    }
}

fn numerator(value: Rational, denominator: i128) -> i128 {
    i128::from(value.numerator()) * (denominator / i128::from(value.denominator()))
}

impl<'c> Points<'c> {
    pub(super) fn new(
        compiled: &'c Compiled,
        places: &'c Places,
        constants: &'c mut Constants,
        is_inside: bool,
    ) -> Self {
        Self { compiled, places, constants, code: Expressions::default(), is_inside, done: BTreeMap::new() }
    }

    /// A value, from memory if it is kept.
    ///
    /// # Errors
    /// What has no code yet, at its place.
    pub(super) fn read(&mut self, id: NodeId, at: &At) -> Result<Id, Refused> {
        self.plane(id, at, 0)
    }

    /// A value in the plane at a distance.
    pub(super) fn plane(&mut self, id: NodeId, at: &At, z: i32) -> Result<Id, Refused> {
        if self.places.kept[id.index()] {
            let from = self.picture(id, at).map_or(From::Value(id), From::Picture);
            return self.load(id, (from, Extent::Row(z)), at, (None, None));
        }
        if z != 0 {
            return Err(refuse(self.compiled, id, "a kernel of several planes on this value"));
        }
        self.own(id, at)
    }

    /// The picture that a value is, if its pixels can be read there: nothing need be copied for them.
    fn picture(&self, id: NodeId, at: &At) -> Option<usize> {
        let Operation::Input(index) = self.compiled.pipeline.node(id).operation else { return None };
        (self.is_inside && at.iter().all(|along| *along == Coordinate::itself())).then_some(index)
    }

    /// A value, computed here even if it is kept.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(super) fn own(&mut self, id: NodeId, at: &At) -> Result<Id, Refused> {
        let key = (id, at.clone());
        if let Some(found) = self.done.get(&key) {
            return Ok(*found);
        }
        let range = numerators(self.compiled, id)?;
        let found = match self.compiled.values.made[id.index()] {
            _ if self.is_float(id) => self.single(id, at)?,
            Made::Taps => self.taps(id, at)?,
            _ => self.operation(id, at)?,
        };
        let found = self.code.known(found, range);
        self.done.insert(key, found);
        Ok(found)
    }

    fn load(
        &mut self,
        id: NodeId,
        (from, extent): (From, Extent),
        [column, row]: &At,
        (plane, by): (Option<Id>, Option<[Id; 2]>),
    ) -> Result<Id, Refused> {
        let range = numerators(self.compiled, id)?;
        let of = match from {
            From::Value(id) => kept(self.compiled, id)?,
            From::Picture(index) => input_storage(&self.compiled.pipeline, index),
            From::Pattern(_) => PATTERN,
        };
        if column.down != 1 && !column.varying.is_empty() {
            return Err(refuse(self.compiled, id, "a distance that depends on a fold, in repeated pixels,"));
        }
        // Columns that are repeated differ by more than a constant.
        let plus = if column.down == 1 { column.plus } else { 0 };
        let column = if column.down == 1 { Coordinate { plus: 0, ..column.clone() } } else { column.clone() };
        let read = Read { from, extent, row: row.clone(), column };
        let known = self.code.reads.iter().position(|other| *other == read);
        let read = known.unwrap_or_else(|| {
            self.code.reads.push(read);
            self.code.reads.len() - 1
        });
        let loaded = self.code.push(Operator::Load(Load { read, plus, plane, by }), of, range);
        let working = working(range).expect("the interval was checked");
        Ok(if of.bits >= 32 && !of.signed { self.code.cast(loaded, working) } else { loaded })
    }

    fn fits(&self, id: NodeId, found: Option<Id>) -> Result<Id, Refused> {
        found.ok_or_else(|| {
            refuse(self.compiled, id, "a value with intermediate results of more than 63 bits")
        })
    }

    /// Whether a value is of single precision.
    fn is_float(&self, id: NodeId) -> bool {
        self.compiled.pipeline.facts(id).is_float()
    }

    fn denominator(&self, id: NodeId) -> i128 {
        self.compiled.pipeline.facts(id).denominator()
    }

    /// An operand over another denominator, which its own divides.
    pub(super) fn lifted(&mut self, id: NodeId, to: i128, at: &At) -> Result<Id, Refused> {
        let value = self.read(id, at)?;
        if self.is_float(id) {
            return Ok(value);
        }
        let of = self.denominator(id);
        let common = common_multiple(to, of).ok_or_else(|| refuse(self.compiled, id, "a fraction"))?;
        let lifted = self.code.sum(&[(value, common / of)], 0);
        // A value that has a smaller fraction here than where it is made leaves no rest.
        let lifted = lifted.and_then(|lifted| self.floor(lifted, common / to));
        self.fits(id, lifted)
    }

    fn operation(&mut self, id: NodeId, at: &At) -> Result<Id, Refused> {
        let compiled = self.compiled;
        let denominator = self.denominator(id);
        let found = match &compiled.pipeline.node(id).operation {
            Operation::Constant(value) => self.code.number(numerator(*value, denominator)),
            Operation::Variable(variable) => {
                let of = Storage { bits: 32, signed: true, float: false };
                let range = numerators(compiled, id)?;
                Some(self.code.push(Operator::Variable(*variable), of, range))
            }
            Operation::Add(list) => return self.sum(id, list, at),
            Operation::Minimum(list) => return self.joined(id, list, Choice::Least, at),
            Operation::Maximum(list) => return self.joined(id, list, Choice::Greatest, at),
            Operation::Multiply(list) => return self.product(id, list, at),
            Operation::Quotient(a, b) => {
                let common = self.denominator(*a) * self.denominator(*b);
                let (a, b) = (self.lifted(*a, common, at)?, self.lifted(*b, common, at)?);
                self.code.quotient(Operator::Quotient, a, b)
            }
            Operation::Absolute(value) => {
                let value = self.read(*value, at)?;
                self.code.absolute(value)
            }
            Operation::Compare(comparison, a, b) => return self.compared(id, *comparison, [*a, *b], at),
            Operation::Select(condition, then, otherwise) => {
                let condition = self.read(*condition, at)?;
                let (then, otherwise) =
                    (self.lifted(*then, denominator, at)?, self.lifted(*otherwise, denominator, at)?);
                self.code.select(condition, then, otherwise)
            }
            Operation::Table { first, values, index } => {
                let index = self.read(*index, at)?;
                let next = self.constants.tables.len();
                let table = *self.constants.tables.entry(values.clone()).or_insert(next);
                let range = numerators(compiled, id)?;
                let table = Operator::Table { table, first: *first, index };
                working(range).map(|of| self.code.push(table, of, range))
            }
            Operation::Root(value) => {
                let down = self.denominator(*value);
                let value = self.read(*value, at)?;
                let whole = self.floor(value, down);
                let whole = self.fits(id, whole)?;
                let bits = if self.code.range(whole)[1] > i128::from(i32::MAX) { 64 } else { 32 };
                let of = Storage { bits, signed: true, float: false };
                let whole = self.code.cast(whole, of);
                Some(self.code.push(Operator::Root(whole), of, numerators(compiled, id)?))
            }
            Operation::Wrap(PixelType::Integer { bits, signed }, value) => {
                let value = self.read(*value, at)?;
                self.code.wrapped(value, *bits, *signed)
            }
            Operation::Saturate(pixel, value) => self.saturated(*pixel, *value, at)?,
            Operation::Round(rounding, value) => self.round(*rounding, *value, at)?,
            Operation::Filter(stencil, list) => return self.filter(id, stencil, list, at),
            _ => return self.moving(id, at),
        };
        self.fits(id, found)
    }

    fn sum(&mut self, id: NodeId, list: &[NodeId], at: &At) -> Result<Id, Refused> {
        let denominator = self.denominator(id);
        let mut parts = Vec::new();
        for operand in list {
            if denominator % self.denominator(*operand) != 0 {
                return Err(refuse(self.compiled, id, "a sum of fractions"));
            }
            parts.push((self.read(*operand, at)?, denominator / self.denominator(*operand)));
        }
        let sum = self.code.sum(&parts, 0);
        self.fits(id, sum)
    }

    fn product(&mut self, id: NodeId, list: &[NodeId], at: &At) -> Result<Id, Refused> {
        if list.iter().map(|id| self.denominator(*id)).product::<i128>() != self.denominator(id) {
            return Err(refuse(self.compiled, id, "a product of fractions"));
        }
        let factors: Vec<Id> = list.iter().map(|id| self.read(*id, at)).collect::<Result<_, _>>()?;
        let product = self.code.product(&factors, numerators(self.compiled, id)?);
        self.fits(id, product)
    }

    fn compared(
        &mut self,
        id: NodeId,
        comparison: Comparison,
        [a, b]: [NodeId; 2],
        at: &At,
    ) -> Result<Id, Refused> {
        if self.is_float(a) {
            let operator = Operator::Compared(comparison, self.read(a, at)?, self.read(b, at)?);
            return Ok(self.code.push(operator, TRUTH, [0, 1]));
        }
        let common = self.denominator(a) * self.denominator(b);
        let (a, b) = (self.lifted(a, common, at)?, self.lifted(b, common, at)?);
        let found = self.code.compared(comparison, a, b);
        self.fits(id, found)
    }

    /// The least or the greatest operand.
    fn joined(&mut self, id: NodeId, list: &[NodeId], choice: Choice, at: &At) -> Result<Id, Refused> {
        let denominator = self.denominator(id);
        let mut all: Option<Id> = None;
        for operand in list {
            let next = self.lifted(*operand, denominator, at)?;
            all = Some(self.chosen(id, choice, all, next)?);
        }
        Ok(all.expect("operations have operands"))
    }

    fn chosen(&mut self, id: NodeId, choice: Choice, all: Option<Id>, next: Id) -> Result<Id, Refused> {
        let found = all.map_or(Some(next), |all| self.code.extreme(choice, all, next));
        self.fits(id, found)
    }

    /// ⌊value / down⌋.
    fn floor(&mut self, value: Id, down: i128) -> Option<Id> {
        match down {
            1 => Some(value),
            _ if u128::try_from(down).is_ok_and(u128::is_power_of_two) => {
                Some(self.code.right(value, down.trailing_zeros()))
            }
            _ => {
                let down = self.code.number(down)?;
                self.code.quotient(Operator::Quotient, value, down)
            }
        }
    }

    fn round(&mut self, rounding: Rounding, value: NodeId, at: &At) -> Result<Option<Id>, Refused> {
        let down = self.denominator(value);
        let value = self.read(value, at)?;
        if down == 1 {
            return Ok(Some(value));
        }
        let mut by = |with: fn(Id, Id) -> Operator, value: Option<Id>| {
            let down = self.code.number(down)?;
            self.code.quotient(with, value?, down)
        };
        Ok(match rounding {
            Rounding::Zero => by(Operator::Divided, Some(value)),
            Rounding::Even => by(Operator::Even, Some(value)),
            Rounding::Floor => self.floor(value, down),
            Rounding::Up if down % 2 == 0 => {
                let half = self.code.sum(&[(value, 1)], down / 2);
                half.and_then(|half| self.floor(half, down))
            }
            Rounding::Up => {
                let half = self.code.sum(&[(value, 2)], down);
                half.and_then(|half| self.floor(half, 2 * down))
            }
            Rounding::Ceiling => {
                let minus = self.code.negation(value);
                let below = minus.and_then(|minus| self.floor(minus, down));
                below.and_then(|below| self.code.negation(below))
            }
        })
    }

    fn filter(&mut self, id: NodeId, stencil: &Stencil, list: &[NodeId], at: &At) -> Result<Id, Refused> {
        let denominator = self.denominator(id);
        let place = |[x, y, _]: Offset| [at[0].moved(x.into()), at[1].moved(-i64::from(y))];
        match stencil {
            Stencil::Linear(kernels) => {
                let mut parts = Vec::new();
                for (source, kernel) in list.iter().zip(kernels) {
                    let ratio = denominator / self.denominator(*source);
                    for (offset, tap) in kernel.nonzero_taps() {
                        if ratio % i128::from(tap.denominator()) != 0 {
                            return Err(refuse(self.compiled, id, "a filter with weights of fractions"));
                        }
                        let value = self.plane(*source, &place(offset), offset[2])?;
                        parts.push((value, numerator(tap, ratio)));
                    }
                }
                let sum = self.code.sum(&parts, 0);
                self.fits(id, sum)
            }
            Stencil::Extreme(choice, taps) => {
                let mut all: Option<Id> = None;
                for (source, taps) in list.iter().zip(taps) {
                    let ratio = denominator / self.denominator(*source);
                    for (offset, weight) in taps {
                        let whole = denominator % i128::from(weight.denominator()) == 0;
                        if !whole || denominator % self.denominator(*source) != 0 {
                            return Err(refuse(self.compiled, id, "a filter with weights of fractions"));
                        }
                        let value = self.plane(*source, &place(*offset), offset[2])?;
                        let next = self.code.sum(&[(value, ratio)], numerator(*weight, denominator));
                        let next = self.fits(id, next)?;
                        all = Some(self.chosen(id, *choice, all, next)?);
                    }
                }
                all.ok_or_else(|| refuse(self.compiled, id, "a filter without taps"))
            }
        }
    }

    /// A linear value, tap by tap. Where what is known of a source from a finer grid makes the value a multiple of a smaller fraction
    /// than its taps are, the sum is divided, which leaves no rest.
    fn taps(&mut self, id: NodeId, at: &At) -> Result<Id, Refused> {
        let Compiled { pipeline, values, .. } = self.compiled;
        let denominator = self.denominator(id);
        let taps = taps_of_numerators(pipeline, values, id);
        let constant = values.forms[id.index()].constant;
        let mut down =
            common_multiple(denominator, constant.denominator().into()).map(|all| all / denominator);
        for (.., weight) in &taps {
            down = down.and_then(|down| common_multiple(down, weight.denominator().into()));
        }
        let down = down.ok_or_else(|| refuse(self.compiled, id, "a sum of fractions"))?;
        let mut parts = Vec::new();
        for (source, [x, y, _], weight) in taps {
            let value = self.read(source, &[at[0].moved(x.into()), at[1].moved(-i64::from(y))])?;
            parts.push((value, numerator(weight, down)));
        }
        let sum = self.code.sum(&parts, numerator(constant, denominator * down));
        let whole = sum.and_then(|sum| self.floor(sum, down));
        self.fits(id, whole)
    }

    /// Operations that read an operand at another place.
    pub(super) fn moving(&mut self, id: NodeId, at: &At) -> Result<Id, Refused> {
        let compiled = self.compiled;
        let denominator = self.denominator(id);
        let rated = |id: NodeId| compiled.pipeline.facts(id).rate.is_some();
        match &compiled.pipeline.node(id).operation {
            Operation::At([x, y], value) => {
                let at = [at[0].far(x, 1), at[1].far(y, -1)];
                self.lifted(*value, denominator, &at)
            }
            Operation::Down { period, phase, value } => {
                let along = |axis: usize| {
                    let moved = at[axis].multiplied(period[axis], phase[axis]);
                    moved.ok_or_else(|| refuse(compiled, id, "a phase of repeated pixels in a gather"))
                };
                let at = [along(0)?, along(1)?];
                self.lifted(*value, denominator, &at)
            }
            Operation::Up([p, q], value) if !rated(id) => {
                self.lifted(*value, denominator, &[at[0].divided(*p), at[1].divided(*q)])
            }
            Operation::Border(_, value) if !rated(id) => self.lifted(*value, denominator, at),
            Operation::Interleave(period, list) if !rated(id) => self.pattern(id, *period, list, at),
            Operation::Gather { .. } => self.gather(id, at),
            Operation::Histogram { .. } => Err(refuse(compiled, id, "a histogram of numbers")),
            Operation::Fold(..) => Err(refuse(compiled, id, "a fold of numbers")),
            _ => Err(refuse(compiled, id, "this operation")),
        }
    }

    /// Numbers that repeat along columns and rows. Where the place is divided, each is there as often.
    fn pattern(&mut self, id: NodeId, [p, q]: [u32; 2], list: &[NodeId], at: &At) -> Result<Id, Refused> {
        let denominator = self.denominator(id);
        let mut numbers = Vec::new();
        for one in list {
            let Operation::Constant(value) = self.compiled.pipeline.node(*one).operation else {
                return Err(refuse(self.compiled, id, "a pattern of what are not whole numbers"));
            };
            let value = i32::try_from(numerator(value, denominator));
            let value =
                value.map_err(|_| refuse(self.compiled, id, "a pattern of numbers of more than 32 bits"))?;
            numbers.push(i64::from(value));
        }
        let [width, height] = [i64::from(p) * at[0].down, i64::from(q) * at[1].down];
        if at.iter().any(|place| !place.varying.is_empty()) || width * height > MAX_PATTERN {
            return Err(refuse(self.compiled, id, "a pattern at a computed place"));
        }
        let places = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
        let number = |[x, y]: [i64; 2]| numbers[((y / at[1].down) * i64::from(p) + x / at[0].down) as usize];
        let numbers = places.map(number).collect();
        let next = self.constants.patterns.len();
        let pattern = *self.constants.patterns.entry((width as usize, numbers)).or_insert(next);
        let at = at.clone().map(|place| Coordinate { down: 1, ..place });
        self.load(id, (From::Pattern(pattern), Extent::Row(0)), &at, (None, None))
    }

    fn gather(&mut self, id: NodeId, at: &At) -> Result<Id, Refused> {
        let compiled = self.compiled;
        let pipeline = &compiled.pipeline;
        let Operation::Gather { value, by, plane } = pipeline.node(id).operation.clone() else {
            unreachable!("only gathers are gathered");
        };
        let known = |id: NodeId| pipeline.facts(id).range().filter(|range| range.is_single());
        if pipeline.facts(value).rate.is_none() {
            let moved = match by.map(known) {
                [Some(x), Some(y)] => [at[0].moved(x.least as i64), at[1].moved(-(y.least as i64))],
                _ if is_even(pipeline, value) => at.clone(),
                _ => return Err(refuse(compiled, id, "a pattern at a computed place")),
            };
            return self.lifted(value, self.denominator(id), &moved);
        }
        let (base, moves) = gathered(pipeline, id);
        let plane = plane.map(|plane| self.read(plane, at)).transpose()?;
        let mut at = at.clone();
        let mut computed = None;
        match by.map(known) {
            [Some(x), Some(y)] => at = [at[0].moved(x.least as i64), at[1].moved(-(y.least as i64))],
            _ => {
                let distances = [self.read(by[0], &at)?, self.read(by[1], &at)?];
                let wide = Storage { bits: 64, signed: true, float: false };
                computed = Some(distances.map(|id| self.code.cast(id, wide)));
            }
        }
        for one in moves {
            at = match &pipeline.node(one).operation {
                Operation::At([x, y], _) => [at[0].far(x, 1), at[1].far(y, -1)],
                Operation::Up([p, q], _) => [at[0].divided(*p), at[1].divided(*q)],
                _ => unreachable!("only these are passed over"),
            };
        }
        let extent = match (computed, plane) {
            (None, None) => Extent::Row(0),
            (None, Some(_)) => Extent::Planes,
            _ => Extent::Rows,
        };
        self.load(base, (From::Value(base), extent), &at, (plane, computed))
    }
}

/// Whether a value without a rate is the same everywhere.
fn is_even(pipeline: &Pipeline, id: NodeId) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![id]);
    while let Some(id) = open.pop() {
        let operation = &pipeline.node(id).operation;
        if matches!(operation, Operation::Interleave(..)) {
            return false;
        }
        open.extend(operation.operands().into_iter().filter(|operand| seen.insert(*operand)));
    }
    true
}

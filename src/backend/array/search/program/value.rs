//! Values: the contents of a register, as a small handle on an interned kernel.
//!
//! A value is a canonical kernel moved in the plane and scaled by ±2^a·3^b. The table that interns the kernels belongs to one
//! search; its numbers mean nothing outside it.

use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::algebra::approximate::digit_count;
use crate::algebra::{Label, Placed, Rational, Shape, place};
use crate::budget::Budget;

/// An index into [`Shapes`].
pub(crate) type ShapeId = u32;

/// The largest offset of a kernel's window from the pixel that it computes.
pub(crate) const FARTHEST: i8 = 100;

/// The largest exponent of 2 in a factor, of either sign.
const MAX_TWOS: i8 = 60;

/// The exponents of 3 in a factor: machines make thirds, and no multiples of three by one operand.
const THREES: RangeInclusive<i8> = -20..=0;

/// The factor ±2^`twos`·3^`threes`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Factor {
    pub(crate) twos: i8,
    pub(crate) threes: i8,
    pub(crate) negative: bool,
}

impl Factor {
    /// One.
    pub(crate) const ONE: Self = Self { twos: 0, threes: 0, negative: false };

    /// Converts a rational without primes other than 2 and 3.
    pub(crate) fn of(value: Rational) -> Option<Self> {
        let (mut twos, mut threes) = (0i8, 0i8);
        let mut strip = |mut n: i64, sign: i8| {
            while n % 2 == 0 {
                n /= 2;
                twos += sign;
            }
            while n % 3 == 0 {
                n /= 3;
                threes += sign;
            }
            n == 1
        };
        if value.is_zero() || !strip(value.numerator().abs(), 1) || !strip(value.denominator(), -1) {
            return None;
        }
        Some(Self { twos, threes, negative: value.is_negative() })
    }

    /// The product.
    pub(crate) fn times(self, other: Self) -> Self {
        Self {
            twos: self.twos + other.twos,
            threes: self.threes + other.threes,
            negative: self.negative != other.negative,
        }
    }

    /// The reciprocal.
    pub(crate) fn inverse(self) -> Self {
        Self { twos: -self.twos, threes: -self.threes, negative: self.negative }
    }

    fn rational(self) -> Option<Rational> {
        let three = Rational::integer(3i64.checked_pow(u32::from(self.threes.unsigned_abs()))?);
        let two = Rational::power_of_two(i32::from(self.twos))?;
        let value = if self.threes < 0 { two.div(three)? } else { two.mul(three)? };
        Some(if self.negative { value.negate() } else { value })
    }
}

/// `factor · value(p + offset)`: an operand as an instruction sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct View {
    pub(crate) dx: i8,
    pub(crate) dy: i8,
    pub(crate) factor: Factor,
}

impl View {
    /// The value itself.
    pub(crate) const PLAIN: Self = Self { dx: 0, dy: 0, factor: Factor::ONE };
    /// The negated value.
    pub(crate) const MINUS: Self =
        Self { dx: 0, dy: 0, factor: Factor { twos: 0, threes: 0, negative: true } };
}

/// A kernel that a register can hold. The zero kernel has shape 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Value {
    pub(crate) shape: ShapeId,
    pub(crate) dx: i8,
    pub(crate) dy: i8,
    pub(crate) factor: Factor,
}

impl Value {
    /// The value seen through `view`; `None` if an offset or exponent leaves its range.
    pub(crate) fn seen(self, view: View) -> Option<Self> {
        if self.shape == ZERO {
            return Some(self);
        }
        let (dx, dy) = (self.dx.checked_add(view.dx)?, self.dy.checked_add(view.dy)?);
        let factor = self.factor.times(view.factor);
        let in_range = dx.abs() <= FARTHEST
            && dy.abs() <= FARTHEST
            && factor.twos.abs() <= MAX_TWOS
            && THREES.contains(&factor.threes);
        in_range.then_some(Self { shape: self.shape, dx, dy, factor })
    }

    /// The value that equals this one when seen through `view`.
    pub(crate) fn unseen(self, view: View) -> Option<Self> {
        self.seen(View { dx: -view.dx, dy: -view.dy, factor: view.factor.inverse() })
    }

    /// The value as a number, for hashing; it depends on the table.
    pub(crate) fn bits(self) -> u64 {
        let f = self.factor;
        u64::from(self.shape) << 32
            | u64::from(self.dx as u8) << 24
            | u64::from(self.dy as u8) << 16
            | u64::from(f.twos as u8) << 8
            | u64::from((f.threes as u8) << 1)
            | u64::from(f.negative)
    }
}

/// The terms of a sum that equals a kernel.
pub(crate) type Terms = SmallVec<[Value; 6]>;

/// The shape of the zero kernel.
pub(crate) const ZERO: ShapeId = 0;

/// The x, y, channel and weight of a tap.
pub(crate) type Tap = (i32, i32, usize, i32);

/// An interned canonical kernel: dense taps, x fastest, then y, then channel.
#[derive(Clone, Debug)]
pub(crate) struct ShapeData {
    pub(crate) width: u16,
    pub(crate) height: u16,
    /// Shared by the tables of all searches that have the kernel.
    pub(crate) taps: Arc<[i32]>,
    /// The sum of the absolute taps.
    pub(crate) mass: i64,
}

impl ShapeData {
    /// The non-zero taps as (x, y, channel, weight).
    pub(crate) fn iter(&self) -> impl Iterator<Item = Tap> + '_ {
        let size = [self.width.into(), self.height.into(), 1];
        self.taps.iter().enumerate().filter(|(_, t)| **t != 0).map(move |(i, t)| {
            let [x, y, channel] = place(size, i);
            (x as i32, y as i32, channel, *t)
        })
    }
}

/// The kernels that one search has met, and the work that the search may still spend on forming others.
///
/// On large kernels nearly all time goes into forming other kernels. When the work is used up, no more kernels can be
/// formed, and every search that needs them ends.
#[derive(Clone, Debug)]
pub(crate) struct Shapes {
    channels: usize,
    data: Vec<ShapeData>,
    /// Indexed by a hash of size and taps.
    index: FxHashMap<u64, SmallVec<[ShapeId; 2]>>,
    scratch: Vec<i64>,
    budget: Budget,
    /// Work not yet reported to the budget.
    pending: u64,
    /// Whether the budget is used up.
    over: bool,
}

/// The work allowed per state of a search: more than any state needs for a kernel of ordinary size.
const WORK_PER_NODE: u64 = 1 << 24;

/// The work allowed to every search, however few its states.
const MIN_WORK: u64 = 1 << 26;

/// The portion of work reported to the budget at once: some microseconds, so that the cost of reading the clock is negligible.
const WORK_PER_REPORT: u64 = 1 << 12;

impl Shapes {
    pub(crate) fn new(channels: u16) -> Self {
        let mut shapes = Self {
            channels: usize::from(channels),
            data: Vec::new(),
            index: FxHashMap::default(),
            scratch: Vec::new(),
            budget: Budget::unlimited(),
            pending: 0,
            over: false,
        };
        shapes.intern(SmallVec::from_slice(&[0, 0]));
        for channel in 0..usize::from(channels) {
            let mut key = SmallVec::from_slice(&[1, 1]);
            key.extend((0..usize::from(channels)).map(|c| i32::from(c == channel)));
            shapes.intern(key);
        }
        shapes
    }

    /// The same kernels for a search that may expand this many states and obeys the budget `task`.
    pub(crate) fn for_search(&self, task: &Budget, nodes: u64) -> Self {
        let work = MIN_WORK.saturating_add(nodes.saturating_mul(WORK_PER_NODE));
        Self { budget: task.with_work(work), pending: 0, over: false, ..self.clone() }
    }

    /// Counts work; returns whether any is left.
    pub(crate) fn charge(&mut self, work: u64) -> bool {
        self.pending += work;
        if self.pending >= WORK_PER_REPORT {
            self.over |= !self.budget.spend(std::mem::take(&mut self.pending));
        }
        !self.over
    }

    /// Whether no more kernels can be formed.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// The number of states that corresponds to the work so far.
    pub(crate) fn nodes(&self) -> u64 {
        self.budget.spent() / WORK_PER_NODE
    }

    /// One tap of weight one on a channel.
    pub(crate) fn delta(channel: usize) -> Value {
        Value { shape: 1 + channel as ShapeId, dx: 0, dy: 0, factor: Factor::ONE }
    }

    /// Whether a shape is one tap of weight one.
    pub(crate) fn is_delta(&self, id: ShapeId) -> bool {
        (1..=self.channels as ShapeId).contains(&id)
    }

    pub(crate) fn get(&self, id: ShapeId) -> &ShapeData {
        &self.data[id as usize]
    }

    /// The handle of a kernel of the algebra; `None` if its taps do not fit `i32`, it is not planar, or its scale has a prime other
    /// than two and three.
    pub(crate) fn import(&mut self, placed: &Placed) -> Option<Value> {
        if placed.shape.is_zero() {
            return Some(Value { shape: ZERO, dx: 0, dy: 0, factor: Factor::ONE });
        }
        let [w, h, d] = placed.shape.size();
        if d > 1 {
            return None;
        }
        let mut key = SmallVec::from_slice(&[i32::from(w), i32::from(h)]);
        for tap in placed.shape.dense() {
            key.push(i32::try_from(*tap).ok().filter(|t| *t > -(1 << 30) && *t < 1 << 30)?);
        }
        let [dx, dy, _] = placed.label.offset;
        let in_range = |v: i32| i8::try_from(v).ok().filter(|v| v.abs() <= FARTHEST);
        let (dx, dy) = (in_range(dx)?, in_range(dy)?);
        let factor = Factor::of(placed.label.scale)?;
        Some(Value { shape: self.intern(key), dx, dy, factor })
    }

    /// The kernel of a handle; `None` if the scale is not an exact rational in range.
    pub(crate) fn export(&self, value: Value) -> Option<Placed> {
        let label = Label::new(value.factor.rational()?, [i32::from(value.dx), i32::from(value.dy), 0]);
        Placed { label: Label::IDENTITY, shape: self.export_shape(value.shape)? }.apply(label)
    }

    /// The interned kernel as a shape of the algebra.
    pub(crate) fn export_shape(&self, id: ShapeId) -> Option<Shape> {
        let data = self.get(id);
        let taps: Vec<i64> = data.taps.iter().map(|t| i64::from(*t)).collect();
        let extent = [usize::from(data.width), usize::from(data.height), 1];
        Some(Placed::from_dense(self.channels as u16, [0; 3], extent, &taps, Rational::ONE)?.shape)
    }

    fn intern(&mut self, key: SmallVec<[i32; 30]>) -> ShapeId {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        let known = self.index.entry(hasher.finish()).or_default();
        let [width, height] = [key[0] as u16, key[1] as u16];
        let same = |id: &&ShapeId| {
            let data = &self.data[**id as usize];
            [data.width, data.height] == [width, height] && *data.taps == key[2..]
        };
        if let Some(id) = known.iter().find(same) {
            return *id;
        }
        let id = self.data.len() as ShapeId;
        known.push(id);
        let mass = key[2..].iter().map(|tap| i64::from(*tap).abs()).sum();
        self.data.push(ShapeData { width, height, taps: key[2..].into(), mass });
        id
    }

    /// The value with these taps; `None` if a tap or an offset is out of range.
    pub(crate) fn of_taps(&mut self, taps: &[Tap]) -> Option<Value> {
        let terms = tap_terms(taps.iter().copied())?;
        self.sum(&terms.into_iter().map(|term| (term, View::PLAIN)).collect::<SmallVec<[(Value, View); 8]>>())
    }

    /// Σ view(value), exactly; `None` if a tap or an offset is out of range.
    pub(crate) fn sum(&mut self, terms: &[(Value, View)]) -> Option<Value> {
        let mut seen = Seen::new();
        see(terms, &mut seen)?;
        match seen[..] {
            [] => return Some(Value { shape: ZERO, dx: 0, dy: 0, factor: Factor::ONE }),
            // A third of three times a kernel is the kernel.
            [one] if one.factor.threes == 0 => return Some(one),
            _ => {}
        }
        let window = self.accumulate(&seen)?;
        self.canonical(window)
    }

    /// Substitutes an image for each channel of a kernel: Σ weight · image of the tap's channel, moved to the tap.
    pub(crate) fn substitute(&self, value: Value, images: &[Value]) -> Option<SmallVec<[(Value, View); 8]>> {
        let mut terms = SmallVec::new();
        for (x, y, channel, weight) in self.get(value.shape).iter() {
            let (dx, dy) = (i8::try_from(x).ok()?, i8::try_from(y).ok()?);
            for (twos, negative) in signed_digits(weight) {
                let factor = Factor { twos, threes: 0, negative }.times(value.factor);
                let view = View { dx: dx.checked_add(value.dx)?, dy: dy.checked_add(value.dy)?, factor };
                terms.push((*images.get(channel)?, view));
            }
        }
        Some(terms)
    }

    /// The distance of a kernel's box from the pixel that computes it, in steps.
    pub(crate) fn distance(&self, value: Value) -> i32 {
        let data = self.get(value.shape);
        gap(value.dx.into(), data.width.into()) + gap(value.dy.into(), data.height.into())
    }

    /// The sum of the absolute coefficients of Σ view(value), without interning it; infinite if it cannot be formed.
    pub(crate) fn size_of(&mut self, terms: &[(Value, View)]) -> f64 {
        let mut seen = Seen::new();
        if see(terms, &mut seen).is_none() {
            return f64::INFINITY;
        }
        if let [Value { shape, factor, .. }] = seen[..] {
            return self.get(shape).mass as f64 * scale_of(factor.twos, factor.threes);
        }
        let Some(window) = self.accumulate(&seen) else { return f64::INFINITY };
        let size: i64 = self.scratch.iter().map(|t| t.abs()).sum();
        size as f64 * scale_of(window.twos, window.threes)
    }

    /// The sums of the positive and, without their sign, of the negative coefficients of Σ view(value); `None` if it cannot be formed.
    pub(crate) fn halves_of(&mut self, terms: &[(Value, View)]) -> Option<[f64; 2]> {
        let mut seen = Seen::new();
        see(terms, &mut seen)?;
        let window = self.accumulate(&seen)?;
        let scale = scale_of(window.twos, window.threes);
        let sum = |sign: i64| self.scratch.iter().map(|t| (t * sign).max(0)).sum::<i64>() as f64 * scale;
        Some([sum(1), sum(-1)])
    }

    /// Adds up values in the scratch window.
    fn accumulate(&mut self, seen: &[Value]) -> Option<Window> {
        let (mut low, mut high) = ([i32::MAX; 2], [i32::MIN; 2]);
        let (mut twos, mut threes) = (i8::MAX, i8::MAX);
        for v in seen {
            let data = &self.data[v.shape as usize];
            let (x, y) = (i32::from(v.dx), i32::from(v.dy));
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x + i32::from(data.width) - 1), high[1].max(y + i32::from(data.height) - 1)];
            twos = twos.min(v.factor.twos);
            threes = threes.min(v.factor.threes);
        }
        self.scratch.clear();
        if seen.is_empty() {
            return Some(Window { low: [0; 2], size: [1, 0], twos: 0, threes: 0 });
        }
        let (w, h) = ((high[0] - low[0] + 1) as usize, (high[1] - low[1] + 1) as usize);
        let work = w * h * self.channels + seen.iter().map(|v| self.get(v.shape).taps.len()).sum::<usize>();
        if !self.charge(work as u64) {
            return None;
        }
        self.scratch.resize(w * h * self.channels, 0);
        for v in seen {
            let data = &self.data[v.shape as usize];
            let shift = u32::from((v.factor.twos - twos) as u8);
            let mut scale = 1i64.checked_shl(shift).filter(|_| shift < 31)?
                * 3i64.checked_pow(u32::from((v.factor.threes - threes) as u8)).filter(|s| *s < 1 << 20)?;
            if v.factor.negative {
                scale = -scale;
            }
            let (x0, y0) = ((i32::from(v.dx) - low[0]) as usize, (i32::from(v.dy) - low[1]) as usize);
            let (sw, sh) = (usize::from(data.width), usize::from(data.height));
            for c in 0..self.channels {
                for y in 0..sh {
                    let from = &data.taps[(c * sh + y) * sw..][..sw];
                    let to = &mut self.scratch[(c * h + y0 + y) * w + x0..][..sw];
                    for (t, f) in to.iter_mut().zip(from) {
                        *t = t.checked_add(i64::from(*f).checked_mul(scale)?)?;
                    }
                }
            }
        }
        Some(Window { low, size: [w, h], twos, threes })
    }

    /// Interns the contents of the scratch window.
    fn canonical(&mut self, window: Window) -> Option<Value> {
        let Window { low, size: [w, h], mut twos, mut threes } = window;
        let (mut first, mut last) = ([usize::MAX; 2], [0usize; 2]);
        let (mut bits, mut sign) = (0u64, 0i64);
        for (row, line) in self.scratch.chunks_exact(w).enumerate() {
            let y = row % h;
            for (x, tap) in line.iter().enumerate().filter(|(_, t)| **t != 0) {
                first = [first[0].min(x), first[1].min(y)];
                last = [last[0].max(x), last[1].max(y)];
                if sign == 0 {
                    sign = tap.signum();
                }
                bits |= tap.unsigned_abs();
            }
        }
        if sign == 0 {
            return Some(Value { shape: ZERO, dx: 0, dy: 0, factor: Factor::ONE });
        }
        let shift = bits.trailing_zeros();
        twos = twos.checked_add(shift as i8)?;
        let mut divisor = sign << shift;
        while threes < 0 && self.scratch.iter().all(|t| (t / divisor) % 3 == 0) {
            divisor *= 3;
            threes += 1;
        }
        let mut key: SmallVec<[i32; 30]> =
            SmallVec::from_slice(&[(last[0] - first[0] + 1) as i32, (last[1] - first[1] + 1) as i32]);
        // A positive power of three belongs to the taps.
        let mut multiplier = 1i64;
        while threes > 0 {
            multiplier *= 3;
            threes -= 1;
        }
        for c in 0..self.channels {
            for y in first[1]..=last[1] {
                for x in first[0]..=last[0] {
                    let tap = self.scratch[(c * h + y) * w + x] / divisor * multiplier;
                    key.push(i32::try_from(tap).ok().filter(|t| *t > -(1 << 30) && *t < 1 << 30)?);
                }
            }
        }
        let in_range = |v: i32| i8::try_from(v).ok().filter(|v| v.abs() <= FARTHEST);
        let (dx, dy) = (in_range(low[0] + first[0] as i32)?, in_range(low[1] + first[1] as i32)?);
        let shape = self.intern(key);
        Some(Value { shape, dx, dy, factor: Factor { twos, threes, negative: sign < 0 } })
    }
}

/// The position of the scratch window, and its common scale 2^twos·3^threes.
struct Window {
    low: [i32; 2],
    size: [usize; 2],
    twos: i8,
    threes: i8,
}

/// 2^`twos`, exactly. Searches take it for every sum, so it must not be a call of the mathematical library.
pub(crate) fn power_of_two(twos: i8) -> f64 {
    f64::from_bits(((1023 + i64::from(twos)) as u64) << 52)
}

/// 2^`twos`·3^`threes`.
fn scale_of(twos: i8, threes: i8) -> f64 {
    let two = power_of_two(twos);
    if threes == 0 { two } else { two * 3f64.powi(i32::from(threes)) }
}

/// Values as seen through their views, without zeros.
type Seen = SmallVec<[Value; 8]>;

/// Puts values as they are seen through their views into `seen`; `None` if one leaves its range. Returning them would copy them once
/// more for every sum.
fn see(terms: &[(Value, View)], seen: &mut Seen) -> Option<()> {
    for (value, view) in terms {
        let value = value.seen(*view)?;
        if value.shape != ZERO {
            seen.push(value);
        }
    }
    Some(())
}

/// The total number of signed digits of a kernel's weights.
pub(crate) fn digits_of(data: &ShapeData) -> usize {
    data.taps.iter().map(|weight| digits_of_weight(*weight)).sum()
}

/// The number of [`signed_digits`] of a weight.
pub(crate) fn digits_of_weight(weight: i32) -> usize {
    digit_count(weight.into()) as usize
}

/// The canonical signed digits of a weight as (exponent, negative).
pub(crate) fn signed_digits(weight: i32) -> SmallVec<[(i8, bool); 8]> {
    let mut digits = SmallVec::new();
    let (mut rest, mut exponent) = (i64::from(weight), 0);
    while rest != 0 {
        if rest % 2 != 0 {
            let digit = 2 - rest.rem_euclid(4);
            digits.push((exponent, digit < 0));
            rest -= digit;
        }
        rest /= 2;
        exponent += 1;
    }
    digits
}

/// Taps as values: one for each non-zero signed digit of a weight. `None` if an offset is out of range.
pub(crate) fn tap_terms(taps: impl Iterator<Item = Tap>) -> Option<Terms> {
    let mut terms = Terms::new();
    for (x, y, channel, weight) in taps {
        let (dx, dy) = (i8::try_from(x).ok()?, i8::try_from(y).ok()?);
        for (twos, negative) in signed_digits(weight) {
            let view = View { dx, dy, factor: Factor { twos, threes: 0, negative } };
            terms.push(Shapes::delta(channel).seen(view)?);
        }
    }
    Some(terms)
}

/// The distance in steps from pixel 0 to a row of `size` pixels that begins at `low`.
pub(crate) fn gap(low: i32, size: i32) -> i32 {
    low.max(1 - low - size).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_has_used_up_its_work_forms_no_more_kernels() {
        let mut shapes = Shapes::new(1).for_search(&Budget::unlimited(), 1);
        let view = |dx| View { dx, ..View::PLAIN };
        let mut sum = |dx: i8| shapes.sum(&[(Shapes::delta(0), View::PLAIN), (Shapes::delta(0), view(dx))]);
        assert!(sum(1).is_some());
        assert!(shapes.charge(MIN_WORK) && shapes.nodes() >= MIN_WORK / WORK_PER_NODE);
        assert!(!shapes.charge(WORK_PER_NODE) && shapes.is_over());
        let pair = [(Shapes::delta(0), View::PLAIN), (Shapes::delta(0), view(2))];
        assert_eq!((shapes.sum(&pair), shapes.size_of(&pair)), (None, f64::INFINITY));
        // The next search has its own allowance but the same kernels.
        let mut next = shapes.for_search(&Budget::unlimited(), 0);
        assert_eq!(next.sum(&pair).map(|sum| sum.shape), Some(shapes.data.len() as ShapeId));
    }

    fn placed(taps: &[(i32, i32, i64, i64)]) -> Placed {
        let taps: Vec<_> =
            taps.iter().map(|(x, y, n, d)| (0, [*x, *y, 0], Rational::new(*n, *d).unwrap())).collect();
        Placed::from_taps(1, &taps).unwrap()
    }

    #[test]
    fn sums_agree_with_the_algebra() {
        let mut shapes = Shapes::new(1);
        let (a, b) = (placed(&[(0, 0, 1, 4), (1, 0, 1, 2)]), placed(&[(-1, 1, 3, 8), (1, 0, -1, 2)]));
        let (va, vb) = (shapes.import(&a).unwrap(), shapes.import(&b).unwrap());
        let view = View { dx: 0, dy: 2, factor: Factor { twos: -1, threes: 0, negative: true } };
        let sum = shapes.sum(&[(va, View::PLAIN), (vb, view)]).unwrap();
        let moved = b.apply(Label::new(Rational::new(-1, 2).unwrap(), [0, 2, 0])).unwrap();
        let expected = Placed::sum(1, [(a.label, &a.shape), (moved.label, &moved.shape)]).unwrap();
        assert_eq!(shapes.export(sum).unwrap(), expected);
        assert_eq!(shapes.import(&expected).unwrap(), sum);
    }

    #[test]
    fn digits_are_counted_as_they_are_written() {
        for weight in (-300..300).chain([i32::MAX, i32::MIN + 1]) {
            assert_eq!(digits_of_weight(weight), signed_digits(weight).len(), "{weight}");
        }
    }

    #[test]
    fn thirds_cancel() {
        let mut shapes = Shapes::new(1);
        let third = shapes.import(&placed(&[(0, 0, 1, 3)])).unwrap();
        let one = shapes.sum(&[(third, View::PLAIN), (third, View::PLAIN), (third, View::PLAIN)]).unwrap();
        assert_eq!(one, shapes.import(&placed(&[(0, 0, 1, 1)])).unwrap());
        assert_eq!(shapes.sum(&[(third, View::PLAIN), (third, View::MINUS)]).unwrap().shape, ZERO);
        let three = shapes.import(&placed(&[(0, 0, 3, 1)])).unwrap();
        let view = View { dx: 0, dy: 0, factor: third.factor };
        assert_eq!(shapes.sum(&[(three, view)]).unwrap(), one);
    }
}

//! Random kernels and numbers for the variables of a rule, and the shrinking of counter-examples.

use std::collections::BTreeMap;

use crate::algebra::{
    Arithmetic, Kernel, Label, Offset, Placed, PlusTimes, Random, Rational, Semiring, Shape,
};
use crate::rule::{Argument, Condition, Rewrite, Sort, Subject, VariableId};
use crate::term::matrix;

/// Small numbers, simplest first.
pub(super) const NUMBERS: [(i64, i64); 9] =
    [(1, 1), (-1, 1), (2, 1), (3, 1), (-2, 1), (1, 2), (5, 1), (-3, 1), (3, 4)];

/// The maximum number of taps examined in total to shrink a counter-example.
const MAX_EFFORT: usize = 200_000;

/// A kernel as a list of taps, which can be interpreted in any semiring.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Taps {
    pub(super) channels: u16,
    pub(super) taps: Vec<(u16, Offset, Rational)>,
}

/// A number as a coefficient of `S`; one if `S` has no such coefficient.
pub(super) fn element<S: Semiring>(number: Rational) -> S::Element {
    S::of(number).unwrap_or(S::one())
}

/// The values of the variables of a rule.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Instance {
    /// For each variable, its kernel, or the kernels of a sequence; empty for a number.
    pub(super) kernels: Vec<Vec<Taps>>,
    /// For each variable, its number if it is a number variable.
    pub(super) numbers: Vec<Option<Rational>>,
}

/// Values of the variables of a rewrite that satisfy its conditions and for which both sides denote the same kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// For each variable, its kernel, or the kernels of a sequence; empty for a number.
    pub kernels: Vec<Vec<Placed>>,
    /// For each variable, its number if it is a number variable.
    pub numbers: Vec<Option<Rational>>,
}

impl Taps {
    /// One of two channels.
    fn channel<S: Semiring>(channel: u16) -> Self {
        let one = S::number(S::one()).unwrap_or(Rational::ONE);
        Self { channels: 2, taps: vec![(channel, [0; 3], one)] }
    }

    /// The kernel over the rationals; `None` on overflow.
    pub(super) fn placed(&self) -> Option<Placed> {
        Placed::from_taps(self.channels, &self.taps)
    }

    /// The kernel over `S`; a coefficient that `S` lacks becomes one. `None` on overflow, and for weights that are not integers.
    fn placed_in<S: Semiring>(&self) -> Option<Placed> {
        let arithmetic = Arithmetic::of::<S>()?;
        if arithmetic.is_linear() {
            return self.placed();
        }
        let taps = self.taps.iter().map(|(channel, offset, value)| (*channel, *offset, element::<S>(*value)));
        let taps = taps.filter(|(.., value)| !S::is_zero(*value));
        let taps = taps.map(|(channel, offset, value)| Some((channel, offset, S::weight(value)?)));
        Placed::from_weights(arithmetic, self.channels, taps.collect::<Option<Vec<_>>>()?)
    }

    /// The kernel of each channel over `S`; a coefficient that `S` lacks becomes one.
    pub(super) fn over<S: Semiring>(&self) -> Option<Vec<Kernel<S>>> {
        let on = |channel| {
            let taps = self.taps.iter().filter(|(own, ..)| *own == channel);
            let taps: Vec<_> = taps.map(|(_, offset, value)| (*offset, element::<S>(*value))).collect();
            Kernel::from_taps(&taps).ok()
        };
        (0..self.channels).map(on).collect()
    }

    /// The kernel with these taps; taps at the same place are added in `S`. `None` if no tap is left or on overflow.
    pub(super) fn gathered<S: Semiring>(channels: u16, taps: &[(u16, Offset, Rational)]) -> Option<Self> {
        let mut sums: BTreeMap<(u16, Offset), S::Element> = BTreeMap::new();
        for (channel, offset, value) in taps {
            let sum = sums.entry((*channel, *offset)).or_insert(S::zero());
            *sum = S::add(*sum, element::<S>(*value))?;
        }
        let taps = sums.into_iter().filter(|(_, value)| !S::is_zero(*value));
        let taps = taps.map(|((channel, offset), value)| Some((channel, offset, S::number(value)?)));
        let taps = taps.collect::<Option<Vec<_>>>()?;
        (!taps.is_empty()).then_some(Self { channels, taps })
    }

    /// The sum of the kernel and its rotation by 180 degrees, which is even; with `negated`, their difference, which is odd.
    pub(super) fn turned_and_added<S: Semiring>(&self, negated: bool) -> Option<Self> {
        let turned = |(c, o, v): &(u16, Offset, Rational)| {
            (*c, [2 - o[0], 2 - o[1], 0], if negated { v.negate() } else { *v })
        };
        let both: Vec<_> = self.taps.iter().copied().chain(self.taps.iter().map(turned)).collect();
        Self::gathered::<S>(self.channels, &both)
    }

    /// The composition in `S` with `self` as the outer kernel.
    pub(super) fn after<S: Semiring>(&self, inner: &Self) -> Option<Self> {
        let mut taps = Vec::new();
        for (_, p, x) in &self.taps {
            for (channel, q, y) in &inner.taps {
                let product = S::number(S::mul(element::<S>(*x), element::<S>(*y))?)?;
                taps.push((*channel, [0, 1, 2].map(|axis| p[axis] + q[axis]), product));
            }
        }
        Self::gathered::<S>(inner.channels, &taps)
    }

    /// The number of taps, the size of their coefficients and their distances. Smaller kernels are easier to read.
    fn size(&self) -> (usize, i64, i64) {
        let weight = |(_, _, value): &(u16, Offset, Rational)| {
            value.numerator().saturating_abs().saturating_add(value.denominator())
                + i64::from(value.is_negative())
        };
        let distance = |(channel, offset, _): &(u16, Offset, Rational)| {
            i64::from(*channel)
                + offset.iter().map(|c| 2 * i64::from(c.abs()) + i64::from(*c < 0)).sum::<i64>()
        };
        let channels = usize::from(self.channels);
        (self.taps.len() + channels, self.taps.iter().map(weight).sum(), self.taps.iter().map(distance).sum())
    }

    /// Slightly smaller kernels.
    fn smaller<S: Semiring>(&self) -> Vec<Self> {
        let mut found = Vec::new();
        let with = |taps: Vec<(u16, Offset, Rational)>| Self { taps, ..self.clone() };
        if self.channels > 1 {
            let taps = self.taps.iter().map(|(_, offset, value)| (0, *offset, *value)).collect();
            found.push(Self { channels: 1, taps });
        }
        for i in 0..self.taps.len() {
            if self.taps.len() > 1 {
                let mut taps = self.taps.clone();
                taps.remove(i);
                found.push(with(taps));
            }
            let simple = [Rational::ZERO, Rational::ONE, self.taps[i].2.abs(), Rational::integer(2)];
            for value in simple.into_iter().filter(|value| !S::is_zero(element::<S>(*value))) {
                let mut taps = self.taps.clone();
                taps[i].2 = value;
                found.push(with(taps));
            }
            for axis in 0..3 {
                let mut taps = self.taps.clone();
                taps[i].1[axis] -= taps[i].1[axis].signum();
                let mut places: Vec<(u16, Offset)> = taps.iter().map(|(c, o, _)| (*c, *o)).collect();
                places.sort_unstable();
                places.dedup();
                if places.len() == taps.len() {
                    found.push(with(taps));
                }
            }
        }
        // Move all taps together: moving them one by one may make them collide.
        for axis in 0..3 {
            let low = self.taps.iter().map(|(_, offset, _)| offset[axis]).min().unwrap_or(0);
            let mut taps = self.taps.clone();
            taps.iter_mut().for_each(|(_, offset, _)| offset[axis] -= low);
            found.push(with(taps));
        }
        found
    }
}

impl Instance {
    /// Random kernels up to `side` wide and high for all variables of a rule. Some are related to each other, because
    /// conditions may require it.
    pub(super) fn random<S: Semiring>(rewrite: &Rewrite, side: usize, random: &mut Dice) -> Self {
        let channels = 1 + random.below(4) as u16 / 3;
        let mut kernels: Vec<Vec<Taps>> = Vec::new();
        let mut numbers: Vec<Option<Rational>> = Vec::new();
        for variable in &rewrite.variables {
            let count = match variable.sort {
                Sort::Kernel => 1,
                Sort::Sequence => random.below(3),
                Sort::Number => 0,
                Sort::Channel => {
                    kernels.push(vec![Taps::channel::<S>(random.below(2) as u16)]);
                    numbers.push(None);
                    continue;
                }
            };
            let channels = if random.below(2) == 0 { channels } else { 1 };
            let before: Vec<Taps> = kernels.iter().flatten().cloned().collect();
            let fresh: Vec<Taps> = (0..count).map(|_| random.like::<S>(&before, channels, side)).collect();
            kernels.push(fresh);
            let is_number = variable.sort == Sort::Number;
            let earlier = numbers.iter().flatten().last().copied();
            numbers.push(is_number.then(|| random.number::<S>(earlier)));
        }
        Self { kernels, numbers }
    }

    /// The kernels over `S` in canonical form; `None` on overflow, and if there is none.
    pub(super) fn sample<S: Semiring>(&self) -> Option<Sample> {
        let placed =
            |kernels: &Vec<Taps>| kernels.iter().map(Taps::placed_in::<S>).collect::<Option<Vec<_>>>();
        let kernels = self.kernels.iter().map(placed).collect::<Option<_>>()?;
        Some(Sample { kernels, numbers: self.numbers.clone() })
    }

    /// The value of a number variable.
    pub(super) fn number(&self, variable: VariableId) -> Option<Rational> {
        self.numbers[variable.0]
    }

    /// Whether a condition holds in `S`.
    pub(super) fn satisfies<S: Semiring>(&self, condition: &Condition) -> bool {
        if S::NAME == PlusTimes::NAME {
            return self.answers::<S, _>(condition, |taps| Some(taps.placed()?.shape));
        }
        self.answers::<S, _>(condition, Taps::over::<S>)
    }

    fn answers<S: Semiring, K: Subject>(
        &self,
        condition: &Condition,
        view: impl Fn(&Taps) -> Option<K>,
    ) -> bool {
        let view = |argument: &Argument| match argument {
            Argument::Kernel(variable) => Some(Some((*variable, view(self.kernels[variable.0].first()?)?))),
            Argument::Number(_) => Some(None),
        };
        let Some(views) = condition.arguments.iter().map(view).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let kernel = |variable: VariableId| {
            let found = views.iter().flatten().find(|(known, _)| *known == variable);
            found.map(|(_, kernel)| kernel).unwrap_or_else(|| unreachable!("viewed above"))
        };
        condition.holds::<S, K>(kernel, |variable| S::of(self.number(variable)?))
    }

    /// The smallest instance that a bounded number of steps reaches while `fails` stays true.
    pub(super) fn shrunk<S: Semiring>(self, rewrite: &Rewrite, fails: &impl Fn(&Self) -> bool) -> Self {
        let mut smallest = self;
        let mut effort = 0;
        let mut fails = |next: &Self| {
            effort += 1 + next.size().0;
            effort < MAX_EFFORT && fails(next)
        };
        while let Some(next) = smallest
            .smaller::<S>(rewrite)
            .into_iter()
            .find(|next| next.size() < smallest.size() && fails(next))
        {
            smallest = next;
        }
        smallest
    }

    fn smaller<S: Semiring>(&self, rewrite: &Rewrite) -> Vec<Self> {
        let mut found = Vec::new();
        let with = |kernels| Self { kernels, numbers: self.numbers.clone() };
        for (i, kernels) in self.kernels.iter().enumerate() {
            let sort = rewrite.variables[i].sort;
            for j in 0..kernels.len() {
                if sort == Sort::Sequence {
                    let mut fewer = self.kernels.clone();
                    fewer[i].remove(j);
                    found.push(with(fewer));
                }
                let smaller = match sort {
                    Sort::Channel => vec![Taps::channel::<S>(0)],
                    _ => kernels[j].smaller::<S>(),
                };
                for smaller in smaller {
                    let mut changed = self.kernels.clone();
                    changed[i][j] = smaller;
                    found.push(with(changed));
                }
            }
        }
        for (i, number) in self.numbers.iter().enumerate().filter_map(|(i, n)| Some((i, (*n)?))) {
            for (numerator, denominator) in NUMBERS {
                let simple = Rational::new(numerator, denominator).filter(|simple| *simple != number);
                let mut changed = self.numbers.clone();
                changed[i] = simple.or(Some(number));
                found.push(Self { kernels: self.kernels.clone(), numbers: changed });
            }
        }
        found
    }

    fn size(&self) -> (usize, i64, i64) {
        let kernels = self.kernels.iter().flatten().map(Taps::size);
        let (taps, weight, distance) =
            kernels.fold((0, 0i64, 0), |(a, b, c), (x, y, z)| (a + x, b.saturating_add(y), c + z));
        let rank = |number: &Rational| {
            let simple = |(n, d): &(i64, i64)| Rational::new(*n, *d) == Some(*number);
            NUMBERS.iter().position(simple).unwrap_or(NUMBERS.len()) as i64
        };
        (taps, weight, distance + self.numbers.iter().flatten().map(rank).sum::<i64>())
    }

    /// Each variable as written, with its value.
    pub(super) fn texts<S: Semiring>(&self, rewrite: &Rewrite) -> Vec<(String, Vec<String>)> {
        let kernel = |sort: Sort, taps: &Taps| {
            if let (Sort::Channel, Some((channel, ..))) = (sort, taps.taps.first()) {
                return format!("    channel {channel}");
            }
            if S::NAME == PlusTimes::NAME {
                return taps.placed().map_or_else(String::new, |placed| matrix(&placed, "    "));
            }
            taps.over::<S>().map_or_else(String::new, |kernels| row(&kernels))
        };
        let variables = rewrite.variables.iter().zip(self.kernels.iter().zip(&self.numbers));
        variables
            .map(|(variable, (kernels, number))| {
                let texts = match number {
                    Some(number) => vec![format!("    {number}")],
                    None => kernels.iter().map(|taps| kernel(variable.sort, taps)).collect(),
                };
                (format!("?{}", variable.name), texts)
            })
            .collect()
    }
}

/// Draws numbers and kernels.
pub(super) struct Dice(Random);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0.next() % bound
    }

    /// A number with a reciprocal in `S`; rules match no others.
    pub(super) fn number<S: Semiring>(&mut self, earlier: Option<Rational>) -> Rational {
        let number = self.any_number(earlier);
        if S::of(number).and_then(S::reciprocal).is_some() {
            number
        } else {
            S::number(S::one()).unwrap_or(number)
        }
    }

    /// A non-zero coefficient.
    pub(super) fn value<S: Semiring>(&mut self) -> Rational {
        let value = Rational::integer(self.below(9) as i64 - 4);
        if S::is_zero(element::<S>(value)) { Rational::ONE } else { value }
    }

    fn any_number(&mut self, earlier: Option<Rational>) -> Rational {
        if let Some(earlier) = earlier {
            match self.below(4) {
                0 => return earlier,
                1 => return earlier.negate(),
                _ => {}
            }
        }
        let (numerator, denominator) = NUMBERS[self.below(NUMBERS.len() as u64) as usize];
        Rational::new(numerator, denominator).unwrap_or(Rational::ONE)
    }

    /// A kernel; sometimes one that is related to an earlier one or has a special form.
    fn like<S: Semiring>(&mut self, earlier: &[Taps], channels: u16, side: usize) -> Taps {
        let fresh = self.kernel::<S>(channels, side);
        match (self.below(8), earlier.last()) {
            (0, Some(last)) => last.clone(),
            (1, Some(last)) => {
                let by = self.below(3) as i32;
                let moved = |(c, o, v): &(u16, Offset, Rational)| (*c, [o[0] + by, o[1], o[2]], v.negate());
                Taps { taps: last.taps.iter().map(moved).collect(), ..last.clone() }
            }
            (2, _) => Taps { taps: fresh.taps[..1].to_vec(), ..fresh },
            (kind @ 3..=4, _) => fresh.turned_and_added::<S>(kind == 4).unwrap_or(fresh),
            (5, _) => {
                let (outer, inner) = (self.kernel::<S>(1, side), self.kernel::<S>(channels, side));
                outer.after::<S>(&inner).unwrap_or(fresh)
            }
            _ => fresh,
        }
    }

    /// A non-zero kernel, at most `side` wide and high, with coefficients of at most `side` over 1, 2 or 4. Where the
    /// coefficient 0 is not the zero of `S`, about half of these coefficients are left out.
    pub(super) fn kernel<S: Semiring>(&mut self, channels: u16, side: usize) -> Taps {
        let side = side.clamp(1, 4);
        let size = [1 + self.below(side as u64) as usize, 1 + self.below(side as u64) as usize];
        let places = size[0] * size[1] * usize::from(channels);
        let most = side as i64;
        let mut dense: Vec<i64> =
            (0..places).map(|_| self.below(2 * side as u64 + 1) as i64 - most).collect();
        let somewhere = self.below(places as u64) as usize;
        dense[somewhere] = 1 + self.below(side as u64) as i64;
        let low = [self.below(2) as i32, self.below(2) as i32];
        let scale = if side == 1 { 1 } else { 1 << self.below(3) };
        let is_zero_something = !S::is_zero(element::<S>(Rational::ZERO));
        let mut taps = Vec::new();
        for (i, value) in dense.into_iter().enumerate() {
            if value == 0 && !(is_zero_something && self.below(2) == 0) {
                continue;
            }
            let (channel, place) = (i / (size[0] * size[1]), i % (size[0] * size[1]));
            let at = [low[0] + (place % size[0]) as i32, low[1] + (place / size[0]) as i32, 0];
            taps.push((channel as u16, at, Rational::new(value, scale).unwrap_or(Rational::ONE)));
        }
        Taps { channels, taps }
    }

    /// [`Dice::kernel`] in canonical form.
    pub(super) fn placed(&mut self, channels: u16, side: usize) -> Placed {
        let placed = self.kernel::<PlusTimes>(channels, side).placed();
        placed.unwrap_or_else(|| unreachable!("coefficients of one digit do not overflow"))
    }
}

/// A kernel with the identity label, for messages.
pub(super) fn unmoved(shape: &Shape) -> Placed {
    Placed { label: Label::IDENTITY, shape: shape.clone() }
}

/// The kernel of each channel as indented text, headed by the channel if there are several.
pub(super) fn row<S: Semiring>(kernels: &[Kernel<S>]) -> String {
    let mut lines = Vec::new();
    for (channel, kernel) in kernels.iter().enumerate() {
        if kernels.len() > 1 {
            lines.push(format!("    channel {channel}"));
        }
        lines.extend(kernel.to_string().lines().map(|line| format!("    {line}")));
    }
    lines.join("\n")
}

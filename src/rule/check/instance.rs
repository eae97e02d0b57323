//! Random kernels and numbers for a rule's variables, and the way from a failing choice to a small one.

use super::Sample;
use super::trial::indented;
use crate::algebra::{Kernel, Label, Offset, Placed, PlusTimes, Random, Rational, Semiring, Shape};
use crate::rule::{Argument, Condition, Rewrite, Sort, VariableId};
use crate::term::matrix;

/// Small numbers, simplest first.
const NUMBERS: [(i64, i64); 9] = [(1, 1), (-1, 1), (2, 1), (3, 1), (-2, 1), (1, 2), (5, 1), (-3, 1), (3, 4)];

/// A kernel as its taps, which any semiring can read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Taps {
    channels: u16,
    taps: Vec<(u16, Offset, Rational)>,
}

/// What each variable of a rule stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Instance {
    /// Per variable: one kernel, those of a sequence, or none for a number.
    pub(super) kernels: Vec<Vec<Taps>>,
    numbers: Vec<Option<Rational>>,
    /// The canonical form of each single kernel, for conditions.
    shapes: Vec<Option<Shape>>,
}

impl Taps {
    /// The kernel over the rationals; `None` on overflow.
    pub(super) fn placed(&self) -> Option<Placed> {
        Placed::from_taps(self.channels, &self.taps)
    }

    /// The kernel over `S`, all channels as one; a coefficient that `S` does not know is one.
    pub(super) fn over<S: Semiring>(&self) -> Option<Kernel<S>> {
        let element = |value: &Rational| S::parse(&value.to_string()).unwrap_or(S::one());
        let taps: Vec<_> = self.taps.iter().map(|(_, offset, value)| (*offset, element(value))).collect();
        Kernel::from_taps(&taps).ok()
    }

    /// Taps, their coefficients, and how far they are: the less, the better to read.
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

    /// Kernels that are a little smaller.
    fn smaller(&self) -> Vec<Self> {
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
            for value in [Rational::ONE, self.taps[i].2.abs(), Rational::integer(2)] {
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
        // All taps together, where they would meet one by one.
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
    /// Kernels up to `side` wide and high for all variables of a rule, with likenesses between them that its conditions
    /// may ask for.
    pub(super) fn random(rewrite: &Rewrite, side: usize, random: &mut Dice) -> Self {
        let channels = 1 + random.below(4) as u16 / 3;
        let mut kernels: Vec<Vec<Taps>> = Vec::new();
        let mut numbers: Vec<Option<Rational>> = Vec::new();
        for variable in &rewrite.variables {
            let count = match variable.sort {
                Sort::Kernel => 1,
                Sort::Sequence => random.below(3),
                Sort::Number => 0,
            };
            let channels = if random.below(2) == 0 { channels } else { 1 };
            let before: Vec<Taps> = kernels.iter().flatten().cloned().collect();
            let fresh: Vec<Taps> = (0..count).map(|_| random.like(&before, channels, side)).collect();
            kernels.push(fresh);
            let is_number = variable.sort == Sort::Number;
            let earlier = numbers.iter().flatten().last().copied();
            numbers.push(is_number.then(|| random.number(earlier)));
        }
        Self::new(kernels, numbers)
    }

    fn new(kernels: Vec<Vec<Taps>>, numbers: Vec<Option<Rational>>) -> Self {
        let shape = |kernels: &Vec<Taps>| Some(kernels.first()?.placed()?.shape);
        let shapes = kernels.iter().map(shape).collect();
        Self { kernels, numbers, shapes }
    }

    /// The kernels in canonical form; `None` on overflow.
    pub(super) fn sample(&self) -> Option<Sample> {
        let placed = |kernels: &Vec<Taps>| kernels.iter().map(Taps::placed).collect::<Option<Vec<_>>>();
        let kernels = self.kernels.iter().map(placed).collect::<Option<_>>()?;
        Some(Sample { kernels, numbers: self.numbers.clone() })
    }

    /// What a number variable stands for.
    pub(super) fn number(&self, variable: VariableId) -> Option<Rational> {
        self.numbers[variable.0]
    }

    /// Whether a condition holds.
    pub(super) fn satisfies(&self, condition: &Condition) -> bool {
        let known = condition.arguments.iter().all(|argument| match argument {
            Argument::Kernel(variable) => self.shapes[variable.0].is_some(),
            Argument::Number(_) => true,
        });
        let shape = |variable: VariableId| match &self.shapes[variable.0] {
            Some(shape) => shape,
            None => unreachable!("asked for above"),
        };
        known && condition.holds(shape, |variable| self.number(variable))
    }

    /// The smallest instance that is reached from this one by steps that leave `fails` true.
    pub(super) fn shrunk(self, fails: &impl Fn(&Self) -> bool) -> Self {
        let mut smallest = self;
        while let Some(next) =
            smallest.smaller().into_iter().find(|next| next.size() < smallest.size() && fails(next))
        {
            smallest = next;
        }
        smallest
    }

    fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for (i, kernels) in self.kernels.iter().enumerate() {
            for j in 0..kernels.len() {
                if self.shapes[i].is_none() || kernels.len() > 1 {
                    let mut fewer = self.kernels.clone();
                    fewer[i].remove(j);
                    found.push(Self::new(fewer, self.numbers.clone()));
                }
                for smaller in kernels[j].smaller() {
                    let mut changed = self.kernels.clone();
                    changed[i][j] = smaller;
                    found.push(Self::new(changed, self.numbers.clone()));
                }
            }
        }
        for (i, number) in self.numbers.iter().enumerate().filter_map(|(i, n)| Some((i, (*n)?))) {
            for (numerator, denominator) in NUMBERS {
                let simple = Rational::new(numerator, denominator).filter(|simple| *simple != number);
                let mut changed = self.numbers.clone();
                changed[i] = simple.or(Some(number));
                found.push(Self::new(self.kernels.clone(), changed));
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

    /// Each variable as it is written, with what it stands for.
    pub(super) fn texts<S: Semiring>(&self, rewrite: &Rewrite) -> Vec<(String, Vec<String>)> {
        let kernel = |taps: &Taps| {
            if S::NAME == PlusTimes::NAME {
                return taps.placed().map_or_else(String::new, |placed| matrix(&placed, "    "));
            }
            taps.over::<S>().map_or_else(String::new, |kernel| indented(&kernel.to_string()))
        };
        let variables = rewrite.variables.iter().zip(self.kernels.iter().zip(&self.numbers));
        variables
            .map(|(variable, (kernels, number))| {
                let texts = match number {
                    Some(number) => vec![format!("    {number}")],
                    None => kernels.iter().map(kernel).collect(),
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

    fn number(&mut self, earlier: Option<Rational>) -> Rational {
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

    /// A kernel, now and then one that has to do with an earlier one, or that is of a special form.
    fn like(&mut self, earlier: &[Taps], channels: u16, side: usize) -> Taps {
        let fresh = self.kernel(channels, side);
        match (self.below(8), earlier.last()) {
            (0, Some(last)) => last.clone(),
            (1, Some(last)) => {
                let by = self.below(3) as i32;
                let moved = |(c, o, v): &(u16, Offset, Rational)| (*c, [o[0] + by, o[1], o[2]], v.negate());
                Taps { taps: last.taps.iter().map(moved).collect(), ..last.clone() }
            }
            (2, _) => Taps { taps: fresh.taps[..1].to_vec(), ..fresh },
            (kind @ 3..=4, _) => {
                // The kernel and itself turned around: of even, or of odd, parity.
                let turned = |(c, o, v): &(u16, Offset, Rational)| {
                    (*c, [2 - o[0], 2 - o[1], 0], if kind == 3 { *v } else { v.negate() })
                };
                let both: Vec<_> = fresh.taps.iter().copied().chain(fresh.taps.iter().map(turned)).collect();
                let sum = Placed::from_taps(channels, &both).filter(|sum| !sum.shape.is_zero());
                match sum.and_then(|sum| sum.taps()) {
                    Some(taps) => Taps { channels, taps },
                    None => fresh,
                }
            }
            (5, _) => {
                let factors = [self.kernel(1, side), self.kernel(channels, side)].map(|taps| taps.placed());
                let product = match factors {
                    [Some(outer), Some(inner)] => Placed::compose(&outer, &inner).and_then(|p| p.taps()),
                    _ => None,
                };
                product.map_or(fresh, |taps| Taps { channels, taps })
            }
            _ => fresh,
        }
    }

    /// A kernel that is not zero, `side` wide and high at most, with coefficients of at most `side` over 1, 2 or 4.
    pub(super) fn kernel(&mut self, channels: u16, side: usize) -> Taps {
        let side = side.clamp(1, 4);
        let size = [1 + self.below(side as u64) as usize, 1 + self.below(side as u64) as usize, 1];
        let places = size[0] * size[1] * usize::from(channels);
        let most = side as i64;
        let mut dense: Vec<i64> =
            (0..places).map(|_| self.below(2 * side as u64 + 1) as i64 - most).collect();
        let somewhere = self.below(places as u64) as usize;
        dense[somewhere] = 1 + self.below(side as u64) as i64;
        let low = [self.below(2) as i32, self.below(2) as i32, 0];
        let scale = Rational::new(1, if side == 1 { 1 } else { 1 << self.below(3) }).unwrap_or(Rational::ONE);
        let placed = Placed::from_dense(channels, low, size, &dense, scale).and_then(|placed| placed.taps());
        let taps = placed.unwrap_or_else(|| unreachable!("coefficients of one digit do not overflow"));
        Taps { channels, taps }
    }

    /// [`Dice::kernel`] in canonical form.
    pub(super) fn placed(&mut self, channels: u16, side: usize) -> Placed {
        let placed = self.kernel(channels, side).placed();
        placed.unwrap_or_else(|| unreachable!("coefficients of one digit do not overflow"))
    }
}

/// A kernel moved nowhere, for messages.
pub(super) fn unmoved(shape: &Shape) -> Placed {
    Placed { label: Label::IDENTITY, shape: shape.clone() }
}

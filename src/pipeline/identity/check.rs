//! Whether an identity holds: exhaustively on small values, and on intervals of large ones.

use crate::algebra::{Random, Rational};
use crate::pipeline::build::Builder;
use crate::pipeline::id::NodeId;
use crate::pipeline::{Border, Input, Operation, PixelType, Range, Rounding};
use crate::syntax::Span;

use super::condition::Condition;
use super::nodes::Nodes;
use super::number::Numbers;
use super::statement::Identity;
use super::term::{Meaning, Sort, Unknown};

/// The outcome of the check of an identity.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Checked {
    /// The choices of small values to which the identity applied, and of points in intervals of large ones.
    pub applied: usize,
    /// Values for which the sides differ.
    pub refuted: Option<String>,
}

/// The most values of a sequence that are tried.
const MAX_SEQUENCE: usize = 3;

/// What unknowns stand for.
type Assignment<V> = Vec<Option<Meaning<V>>>;

/// The intervals of large values that are tried for each thousand choices of small ones, and the points in each.
const BOXES: usize = 8;
const POINTS: usize = 6;
/// How often a box is drawn for each that the conditions admit.
const PATIENCE: usize = 30;

impl Identity {
    /// Tries all choices of small values, of which there are at most about `choices`, and of the numbers that the identity names, and
    /// intervals of large values. All ways to round are tried, types of one to three bits with all small values, and wider ones
    /// with the intervals.
    pub fn check(&self, choices: usize) -> Checked {
        let mut checked = Checked::default();
        let words = self.words(&[[1, 0], [2, 1], [3, 0]]);
        let count =
            self.unknowns.iter().filter(|one| matches!(one.sort, Sort::Value | Sort::Sequence)).count();
        let each = (choices.max(1) as f64 / words.len() as f64).powf(1.0 / count.max(1) as f64);
        let mut domain = small(each as usize);
        let named: Vec<Rational> = self.named().into_iter().filter(|value| !domain.contains(value)).collect();
        domain.extend(named);
        for assignment in words {
            self.exhaust(assignment, 0, &domain, &mut checked);
        }
        self.intervals(BOXES * choices.div_ceil(1000), &mut checked);
        checked
    }

    /// The numbers of both sides and of the conditions, and for each the next integer on either side.
    fn named(&self) -> Vec<Rational> {
        let mut found = Vec::new();
        self.lhs.numbers(&mut found);
        self.rhs.numbers(&mut found);
        for term in self.conditions.iter().flat_map(Condition::terms) {
            term.numbers(&mut found);
        }
        let beside =
            |value: &Rational| [-1, 0, 1].map(|by| value.floor().checked_add(by).map(Rational::integer));
        let near: Vec<Rational> = found.iter().flat_map(beside).flatten().collect();
        found.extend(near);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// All choices of types and ways to round, values left open. Types are given by bits and sign.
    fn words(&self, types: &[[u32; 2]]) -> Vec<Assignment<Rational>> {
        let mut all = vec![vec![None; self.unknowns.len()]];
        for (number, unknown) in self.unknowns.iter().enumerate() {
            let meanings: Vec<Meaning<Rational>> = match unknown.sort {
                Sort::Value | Sort::Sequence => continue,
                Sort::Type => types
                    .iter()
                    .map(|[bits, signed]| PixelType::Integer { bits: *bits, signed: *signed == 1 })
                    .map(Meaning::Type)
                    .collect(),
                Sort::Rounding => Rounding::ALL.into_iter().map(|(_, one)| Meaning::Rounding(one)).collect(),
            };
            let with = |meaning: &Meaning<Rational>, before: &Assignment<Rational>| {
                let mut assignment = before.clone();
                assignment[number] = Some(meaning.clone());
                assignment
            };
            all = all.iter().flat_map(|before| meanings.iter().map(move |one| with(one, before))).collect();
        }
        all
    }

    /// Tries all small values of the unknowns from this one on.
    fn exhaust(
        &self,
        assignment: Assignment<Rational>,
        from: usize,
        domain: &[Rational],
        checked: &mut Checked,
    ) {
        if checked.refuted.is_some() {
            return;
        }
        let Some(unknown) = self.unknowns.get(from) else {
            return self.compare(&assignment, checked);
        };
        let mut with = |meaning: Meaning<Rational>| {
            let mut assignment = assignment.clone();
            assignment[from] = Some(meaning);
            self.exhaust(assignment, from + 1, domain, checked);
        };
        match unknown.sort {
            Sort::Value => domain.iter().for_each(|value| with(Meaning::Value(*value))),
            Sort::Sequence => {
                with(Meaning::Sequence(Vec::new()));
                // Of longer sequences, those of values that follow one another in the domain.
                for length in 1..=MAX_SEQUENCE.min(domain.len()) {
                    for first in 0..domain.len() {
                        let values = domain.iter().cycle().skip(first).take(length);
                        with(Meaning::Sequence(values.copied().collect()));
                    }
                }
            }
            Sort::Type | Sort::Rounding => self.exhaust(assignment, from + 1, domain, checked),
        }
    }

    /// Compares the sides for one choice, if the conditions hold and the left side is defined.
    fn compare(&self, assignment: &Assignment<Rational>, checked: &mut Checked) {
        if !self.conditions.iter().all(|condition| condition.holds(assignment)) {
            return;
        }
        let [lhs, rhs] = [&self.lhs, &self.rhs].map(|side| side.value(&mut Numbers, assignment));
        if let (Some(lhs), Some(rhs)) = (lhs, rhs) {
            checked.applied += 1;
            if lhs != rhs {
                let values = self.describe(assignment);
                checked.refuted =
                    Some(format!("for {values}, the left side is {lhs} and the right side {rhs}"));
            }
        }
    }

    fn describe(&self, assignment: &Assignment<Rational>) -> String {
        let of = |(unknown, meaning): (&Unknown, &Option<Meaning<Rational>>)| {
            let text = match meaning {
                Some(Meaning::Value(value)) => value.to_string(),
                Some(Meaning::Sequence(list)) => {
                    let list: Vec<String> = list.iter().map(Rational::to_string).collect();
                    format!("({})", list.join(" "))
                }
                Some(Meaning::Type(pixel)) => pixel.to_string(),
                Some(Meaning::Rounding(rounding)) => format!("{rounding:?}").to_lowercase(),
                None => "anything".to_owned(),
            };
            format!("?{} = {text}", unknown.name)
        };
        let all: Vec<String> = self.unknowns.iter().zip(assignment).map(of).collect();
        all.join(", ")
    }

    /// Draws intervals of large values that the conditions admit, makes both sides of values in them as a pipeline does, and
    /// compares the sides, and their intervals, at random points.
    fn intervals(&self, boxes: usize, checked: &mut Checked) {
        let mut random = Random::new(1);
        let words = self.words(&[[8, 0], [8, 1], [16, 0], [16, 1], [32, 1]]);
        let mut left = boxes;
        for _ in 0..boxes * PATIENCE {
            if left == 0 || checked.refuted.is_some() {
                return;
            }
            let word = &words[random.integer(0, words.len() as i64 - 1) as usize];
            let Some(drawn) = Drawn::new(self, word, &mut random) else { continue };
            left -= 1;
            for _ in 0..POINTS {
                let point = drawn.point(self, &mut random);
                self.compare(&point, checked);
                if let Some(why) = drawn.outside(self, &point) {
                    checked.refuted = Some(why);
                }
            }
        }
    }
}

/// Small numbers, the least first: integers, halves and thirds.
fn small(count: usize) -> Vec<Rational> {
    let whole = (0..).flat_map(|n: i64| [[n, 1], [-n, 1], [2 * n - 1, 2], [1 - 2 * n, 3]]);
    let mut found: Vec<Rational> = Vec::new();
    for [numerator, denominator] in whole {
        if found.len() >= count.max(3) {
            break;
        }
        if let Some(value) = Rational::new(numerator, denominator)
            && !found.contains(&value)
        {
            found.push(value);
        }
    }
    found
}

/// A value of a drawn pipeline: an earlier one or nothing, plus an integer of an interval, divided by a number.
struct Part {
    base: Option<usize>,
    range: [i64; 2],
    divisor: i64,
}

impl Part {
    /// A random value, often at an end of its interval.
    fn value(&self, base: Option<Rational>, random: &mut Random) -> Option<Rational> {
        let [least, greatest] = self.range;
        let own = match random.integer(0, 3) {
            0 => least,
            1 => greatest,
            _ => random.integer(least, greatest),
        };
        let own = Rational::new(own, self.divisor)?;
        base.map_or(Some(own), |base| base.add(own))
    }
}

/// Intervals for the unknowns, in which the conditions are proved, and both sides made of them.
struct Drawn {
    words: Assignment<Rational>,
    /// For each unknown the parts of its values: one, several of a sequence, or none.
    parts: Vec<Vec<Part>>,
    /// The intervals of the sides.
    sides: [Range; 2],
}

impl Drawn {
    /// Draws intervals; `None` if the conditions are not proved there, or a side is refused.
    fn new(identity: &Identity, words: &Assignment<Rational>, random: &mut Random) -> Option<Self> {
        let part = |index: usize, random: &mut Random| {
            let widths = [1, 2, 8, 8, 10, 16, 16, 24, 31];
            let most = (1i64 << widths[random.integer(0, widths.len() as i64 - 1) as usize]) - 1;
            let first = if random.integer(0, 2) == 0 { -most - 1 } else { 0 };
            let ends = [random.integer(first, most), random.integer(first, most)];
            let range = match random.integer(0, 3) {
                0 => [ends[0]; 2],
                1 => [first, most],
                _ => [ends[0].min(ends[1]), ends[0].max(ends[1])],
            };
            let base = (index > 0 && random.integer(0, 2) == 0)
                .then(|| random.integer(0, index as i64 - 1) as usize);
            Part { base, range, divisor: [1, 1, 1, 2, 16, 3][random.integer(0, 5) as usize] }
        };
        let of = |(index, unknown): (usize, &Unknown)| match unknown.sort {
            Sort::Value => vec![part(index, random)],
            Sort::Sequence => {
                let count = random.integer(0, MAX_SEQUENCE as i64);
                (0..count).map(|_| part(index, random)).collect()
            }
            Sort::Type | Sort::Rounding => Vec::new(),
        };
        let parts: Vec<Vec<Part>> = identity.unknowns.iter().enumerate().map(of).collect();
        let pixel = PixelType::Integer { bits: 64, signed: true };
        let input = |number: usize| Input {
            name: number.to_string(),
            span: Span::default(),
            pixel,
            rate: [Rational::ONE; 2],
        };
        let count = parts.iter().map(Vec::len).sum();
        let mut inputs = 0..count;
        let mut builder = Builder::new((0..count).map(input).collect(), Border::Replicate);
        let mut meanings: Vec<Option<Meaning<NodeId>>> = Vec::new();
        for (index, (unknown, parts)) in identity.unknowns.iter().zip(&parts).enumerate() {
            let mut values = Vec::new();
            for part in parts {
                values.push(node(&mut builder, inputs.next()?, part, &meanings)?);
            }
            meanings.push(match (unknown.sort, values.as_slice(), &words[index]) {
                (Sort::Value, [value], _) => Some(Meaning::Value(*value)),
                (Sort::Sequence, ..) => Some(Meaning::Sequence(values)),
                (_, _, Some(Meaning::Type(pixel))) => Some(Meaning::Type(*pixel)),
                (_, _, Some(Meaning::Rounding(rounding))) => Some(Meaning::Rounding(*rounding)),
                _ => None,
            });
        }
        if !identity.conditions.iter().all(|condition| condition.is_proved(&builder, &meanings)) {
            return None;
        }
        let mut nodes = Nodes { builder: &mut builder, span: Span::default() };
        let lhs = identity.lhs.value(&mut nodes, &meanings)?;
        let rhs = identity.rhs.value(&mut nodes, &meanings)?;
        let sides = [builder.facts(lhs).range()?, builder.facts(rhs).range()?];
        Some(Self { words: words.clone(), parts, sides })
    }

    /// Random values of the unknowns, often at the ends of their intervals.
    fn point(&self, identity: &Identity, random: &mut Random) -> Assignment<Rational> {
        let mut values: Vec<Vec<Rational>> = Vec::new();
        for parts in &self.parts {
            let base = |part: &Part| part.base.and_then(|base| values[base].first().copied());
            let of = |part: &Part| part.value(base(part), random);
            values.push(parts.iter().filter_map(of).collect());
        }
        let of = |(index, unknown): (usize, &Unknown)| match unknown.sort {
            Sort::Value => values[index].first().copied().map(Meaning::Value),
            Sort::Sequence => Some(Meaning::Sequence(values[index].clone())),
            Sort::Type | Sort::Rounding => self.words[index].clone(),
        };
        identity.unknowns.iter().enumerate().map(of).collect()
    }

    /// Why a side is not in its interval, if it is not.
    fn outside(&self, identity: &Identity, point: &Assignment<Rational>) -> Option<String> {
        for (side, range) in [&identity.lhs, &identity.rhs].into_iter().zip(&self.sides) {
            let value = side.value(&mut Numbers, point)?;
            let scaled = value.mul(Rational::integer(i64::try_from(range.denominator).ok()?))?;
            let numerator = i128::from(scaled.numerator());
            if !scaled.is_integer() || numerator < range.least || numerator > range.greatest {
                return Some(format!("for {}, {value} is not in {range}", identity.describe(point)));
            }
        }
        None
    }
}

/// The node of a part: an input of 64 bits that is limited to the interval.
fn node(
    builder: &mut Builder,
    index: usize,
    part: &Part,
    before: &[Option<Meaning<NodeId>>],
) -> Option<NodeId> {
    let mut push = |operation: Operation| builder.push(Span::default(), operation).ok();
    let [least, greatest] = part.range;
    let mut value = if least == greatest {
        push(Operation::Constant(Rational::integer(least)))?
    } else {
        let input = push(Operation::Input(index))?;
        let high = push(Operation::Constant(Rational::integer(greatest)))?;
        let low = push(Operation::Constant(Rational::integer(least)))?;
        let below = push(Operation::Minimum(vec![high, input]))?;
        push(Operation::Maximum(vec![low, below]))?
    };
    if part.divisor != 1 {
        let factor = push(Operation::Constant(Rational::new(1, part.divisor)?))?;
        value = push(Operation::Multiply(vec![factor, value]))?;
    }
    let base = part.base.and_then(|base| before[base].as_ref());
    let base = match base {
        Some(Meaning::Value(base)) => Some(*base),
        Some(Meaning::Sequence(list)) => list.first().copied(),
        _ => None,
    };
    match base {
        Some(base) => push(Operation::Add(vec![base, value])),
        None => Some(value),
    }
}

//! Point-wise values as expressions in C, in 32 or 64 bits as their intervals allow.

use std::collections::{BTreeMap, BTreeSet};

use crate::algebra::{Choice, Rational};
use crate::pipeline::{Comparison, NodeId, Operation, PixelType, Rounding, Stencil};
use crate::syntax::Diagnostic;

use super::plans::{Compiled, whole_taps};
use super::regions::Made;

/// Why a value has no expression.
pub(super) type Refused = Box<Diagnostic>;

/// An expression, and whether it has 64 bits.
#[derive(Clone)]
struct Text {
    text: String,
    is_wide: bool,
}

/// A table in the code: its number by its entries.
pub(super) type Tables = BTreeMap<Vec<i64>, usize>;

/// Makes expressions, and notes what they need.
pub(super) struct Expressions<'c> {
    pub(super) compiled: &'c Compiled,
    /// The values in memory.
    pub(super) kept: &'c [bool],
    /// The prefix of names in the code.
    pub(super) name: &'c str,
    /// The values in memory that were read.
    pub(super) reads: BTreeSet<NodeId>,
    /// The tables.
    pub(super) tables: Tables,
}

/// The greatest magnitude of a value, over its denominator.
type Size = i128;

impl Expressions<'_> {
    /// A value at a column and a row, computed here even if it is kept.
    ///
    /// # Errors
    /// What cannot be said in C yet, at its place.
    pub(super) fn value(&mut self, id: NodeId, at: [&str; 2]) -> Result<String, Refused> {
        Ok(self.own(id, at)?.text)
    }

    /// A value at a column and a row, from memory if it is kept.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub(super) fn read(&mut self, id: NodeId, at: [&str; 2]) -> Result<String, Refused> {
        Ok(self.operand(id, at)?.text)
    }

    /// Whether a value can be kept.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub(super) fn checked(&self, id: NodeId) -> Result<(), Refused> {
        self.size(id).map(drop)
    }

    fn operand(&mut self, id: NodeId, at: [&str; 2]) -> Result<Text, Refused> {
        if self.compiled.values.made[id.index()] == Made::Not || !self.kept[id.index()] {
            return self.own(id, at);
        }
        let is_wide = self.is_wide(id)?;
        self.reads.insert(id);
        let [x, y] = at;
        let n = id.index();
        let of = if is_wide { "int64_t" } else { "int32_t" };
        Ok(Text { text: format!("({of})b{n}[({y}) * s{n} + {x}]"), is_wide })
    }

    fn refuse(&self, id: NodeId, what: &str) -> Refused {
        let node = self.compiled.pipeline.node(id);
        let diagnostic = Diagnostic::error("not-in-c", format!("{what} is not written in C yet"))
            .label(node.span, "this value");
        Box::new(diagnostic)
    }

    /// The greatest magnitude of a numerator.
    fn size(&self, id: NodeId) -> Result<Size, Refused> {
        let facts = self.compiled.pipeline.facts(id);
        if facts.planes.is_some() {
            return Err(self.refuse(id, "a value with planes"));
        }
        let range = facts.range().ok_or_else(|| self.refuse(id, "single precision"))?;
        let size = range.least.abs().max(range.greatest.abs());
        if size > i128::from(i64::MAX) {
            return Err(self.refuse(id, "a value of more than 63 bits"));
        }
        Ok(size)
    }

    fn is_wide(&self, id: NodeId) -> Result<bool, Refused> {
        Ok(self.size(id)? > i128::from(i32::MAX))
    }

    /// Whether 64 bits are needed for numbers of this magnitude.
    fn wide(&self, id: NodeId, size: Option<Size>) -> Result<bool, Refused> {
        match size {
            Some(size) if size <= i128::from(i32::MAX) => Ok(false),
            Some(size) if size <= i128::from(i64::MAX) => Ok(true),
            _ => Err(self.refuse(id, "a value with intermediate results of more than 63 bits")),
        }
    }

    fn denominator(&self, id: NodeId) -> i128 {
        self.compiled.pipeline.facts(id).denominator()
    }

    /// An operand over another denominator, which its own divides, in 32 or 64 bits.
    fn lifted(&mut self, id: NodeId, to: i128, is_wide: bool, at: [&str; 2]) -> Result<String, Refused> {
        let text = widened(self.operand(id, at)?, is_wide);
        match to / self.denominator(id) {
            1 => Ok(text),
            factor => Ok(format!("({text} * {})", number(factor, is_wide))),
        }
    }

    fn own(&mut self, id: NodeId, at: [&str; 2]) -> Result<Text, Refused> {
        let own_wide = self.is_wide(id)?;
        let pipeline = &self.compiled.pipeline;
        if self.compiled.values.made[id.index()] == Made::Taps {
            return self.taps(id, at);
        }
        let denominator = self.denominator(id);
        match &pipeline.node(id).operation {
            Operation::Constant(value) => {
                Ok(Text { text: number(numerator(*value, denominator), own_wide), is_wide: own_wide })
            }
            Operation::Add(list) => self.joined(id, list, " + ", at),
            Operation::Minimum(list) => self.joined(id, list, "min", at),
            Operation::Maximum(list) => self.joined(id, list, "max", at),
            Operation::Multiply(list) => self.product(id, list, at),
            Operation::Quotient(a, b) => self.quotient(id, *a, *b, at),
            Operation::Absolute(value) => {
                let value = self.operand(*value, at)?;
                Ok(self.call("abs", std::slice::from_ref(&value.text), value.is_wide))
            }
            Operation::Compare(comparison, a, b) => self.compare(id, *comparison, [*a, *b], at),
            Operation::Select(condition, then, otherwise) => {
                let condition = self.operand(*condition, at)?.text;
                let wide = self.wide(id, self.scaled(&[*then, *otherwise], denominator)?)?;
                let then = self.lifted(*then, denominator, wide, at)?;
                let otherwise = self.lifted(*otherwise, denominator, wide, at)?;
                Ok(Text { text: format!("({condition} ? {then} : {otherwise})"), is_wide: wide })
            }
            Operation::Table { first, values, index } => {
                let index = self.operand(*index, at)?.text;
                let next = self.tables.len();
                let table = *self.tables.entry(values.clone()).or_insert(next);
                let from = if *first == 0 { String::new() } else { format!(" - ({first})") };
                let of = if own_wide { "int64_t" } else { "int32_t" };
                let text = format!("({of}){}_table_{table}[{index}{from}]", self.name);
                Ok(Text { text, is_wide: own_wide })
            }
            Operation::Root(value) => {
                let down = self.denominator(*value);
                let value = widened(self.operand(*value, at)?, true);
                let value = if down == 1 { value } else { format!("({value} / {})", number(down, true)) };
                Ok(Text { text: format!("{}_root({value})", self.name), is_wide: true })
            }
            Operation::Wrap(PixelType::Integer { bits, signed }, value) => {
                let value = widened(self.operand(*value, at)?, true);
                let flag = i32::from(*signed);
                Ok(Text { text: format!("{}_wrap({value}, {bits}, {flag})", self.name), is_wide: true })
            }
            Operation::Round(rounding, value) => self.round(id, *rounding, *value, at),
            Operation::Filter(Stencil::Extreme(choice, taps), list) => {
                let taps: Vec<_> = list.iter().zip(taps).map(|(id, taps)| (*id, taps.as_slice())).collect();
                self.extreme(id, *choice, &taps, at)
            }
            _ => self.moving(id, at),
        }
    }

    fn compare(
        &mut self,
        id: NodeId,
        comparison: Comparison,
        [a, b]: [NodeId; 2],
        at: [&str; 2],
    ) -> Result<Text, Refused> {
        let common = self.denominator(a) * self.denominator(b);
        let wide = self.wide(id, self.scaled(&[a, b], common)?)?;
        let [a, b] = [self.lifted(a, common, wide, at)?, self.lifted(b, common, wide, at)?];
        let sign = match comparison {
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Equal => "==",
        };
        Ok(Text { text: format!("({a} {sign} {b})"), is_wide: false })
    }

    /// Operations that read an operand at another place.
    fn moving(&mut self, id: NodeId, [x, y]: [&str; 2]) -> Result<Text, Refused> {
        let denominator = self.denominator(id);
        let wide = self.is_wide(id)?;
        let name = self.name;
        let (operand, [x, y]) = match &self.compiled.pipeline.node(id).operation {
            Operation::At([dx, dy], value) if dx.factors.is_empty() && dy.factors.is_empty() => {
                (*value, [moved(x, dx.constant.into()), moved(y, -i64::from(dy.constant))])
            }
            Operation::Down { period: [p, q], phase: [px, py], value } => (
                *value,
                [moved(&format!("{p} * ({x})"), (*px).into()), moved(&format!("{q} * ({y})"), (*py).into())],
            ),
            Operation::Up([p, q], value) => {
                (*value, [format!("{name}_down({x}, {p})"), format!("{name}_down({y}, {q})")])
            }
            Operation::Interleave([p, q], list) => {
                let at = [format!("{name}_down({x}, {p})"), format!("{name}_down({y}, {q})")];
                let phase = format!("({name}_phase({y}, {q}) * {p} + {name}_phase({x}, {p}))");
                let mut text = String::new();
                for (number, value) in list.iter().enumerate().rev() {
                    let value = self.lifted(*value, denominator, wide, [&at[0], &at[1]])?;
                    text = if text.is_empty() {
                        value
                    } else {
                        format!("({phase} == {number} ? {value} : {text})")
                    };
                }
                return Ok(Text { text, is_wide: wide });
            }
            Operation::Input(_) | Operation::Border(..) => {
                unreachable!("inputs and continued values are in memory")
            }
            Operation::Fold(..) => return Err(self.refuse(id, "a fold")),
            Operation::Variable(_) => return Err(self.refuse(id, "a variable of a fold")),
            Operation::At(..) => return Err(self.refuse(id, "a distance that depends on a fold")),
            Operation::Histogram { .. } => return Err(self.refuse(id, "a histogram")),
            Operation::Gather { .. } => return Err(self.refuse(id, "a gather")),
            _ => return Err(self.refuse(id, "this operation")),
        };
        Ok(Text { text: self.lifted(operand, denominator, wide, [&x, &y])?, is_wide: wide })
    }

    /// The sum of the magnitudes of operands over a denominator.
    fn scaled(&self, list: &[NodeId], to: i128) -> Result<Option<Size>, Refused> {
        let mut sum = Some(0i128);
        for id in list {
            let one = self.size(*id)?.checked_mul(to / self.denominator(*id));
            sum = sum.and_then(|sum| sum.checked_add(one?));
        }
        Ok(sum)
    }

    fn call(&self, function: &str, arguments: &[String], is_wide: bool) -> Text {
        let bits = if is_wide { 64 } else { 32 };
        Text { text: format!("{}_{function}{bits}({})", self.name, arguments.join(", ")), is_wide }
    }

    /// A sum, or the least or the greatest operand.
    fn joined(&mut self, id: NodeId, list: &[NodeId], by: &str, at: [&str; 2]) -> Result<Text, Refused> {
        // The denominator of the result is a multiple of all.
        let denominator = self.denominator(id);
        if list.iter().any(|id| denominator % self.denominator(*id) != 0) {
            return Err(self.refuse(id, "a sum of fractions"));
        }
        let wide = self.wide(id, self.scaled(list, denominator)?)?;
        let mut text = String::new();
        for (number, operand) in list.iter().enumerate() {
            let next = self.lifted(*operand, denominator, wide, at)?;
            text = match (number, by) {
                (0, _) => next,
                (_, " + ") => format!("{text} + {next}"),
                _ => self.call(by, &[text, next], wide).text,
            };
        }
        Ok(Text { text: format!("({text})"), is_wide: wide })
    }

    fn product(&mut self, id: NodeId, list: &[NodeId], at: [&str; 2]) -> Result<Text, Refused> {
        let denominators: i128 = list.iter().map(|id| self.denominator(*id)).product();
        if denominators != self.denominator(id) {
            return Err(self.refuse(id, "a product of fractions"));
        }
        let mut size = Some(1i128);
        for id in list {
            let one = self.size(*id)?.max(1);
            size = size.and_then(|size| size.checked_mul(one));
        }
        let wide = self.wide(id, size)?;
        let mut parts = Vec::new();
        for operand in list {
            parts.push(widened(self.operand(*operand, at)?, wide));
        }
        Ok(Text { text: format!("({})", parts.join(" * ")), is_wide: wide })
    }

    fn quotient(&mut self, id: NodeId, a: NodeId, b: NodeId, at: [&str; 2]) -> Result<Text, Refused> {
        let common = self.denominator(a) * self.denominator(b);
        let wide = self.wide(id, self.scaled(&[a, b], common)?)?;
        let positive = [a, b]
            .iter()
            .all(|id| self.compiled.pipeline.facts(*id).range().is_some_and(|range| range.least >= 0));
        let [a, b] = [self.lifted(a, common, wide, at)?, self.lifted(b, common, wide, at)?];
        if positive {
            return Ok(Text { text: format!("({a} / {b})"), is_wide: wide });
        }
        Ok(self.call("quotient", &[a, b], wide))
    }

    fn round(
        &mut self,
        id: NodeId,
        rounding: Rounding,
        value: NodeId,
        at: [&str; 2],
    ) -> Result<Text, Refused> {
        let down = self.denominator(value);
        let room = self.size(value)?.checked_mul(2).and_then(|twice| twice.checked_add(2 * down));
        let wide = self.wide(id, room)?;
        let of = widened(self.operand(value, at)?, wide);
        let is_positive = self.compiled.pipeline.facts(value).range().is_some_and(|range| range.least >= 0);
        let n = |value: i128| number(value, wide);
        let floor = |this: &Self, above: String, below: i128| match below {
            1 => above,
            _ if u128::try_from(below).is_ok_and(u128::is_power_of_two) => {
                format!("({above} >> {})", below.trailing_zeros())
            }
            _ if is_positive => format!("({above} / {})", n(below)),
            _ => this.call("quotient", &[above, n(below)], wide).text,
        };
        let text = match rounding {
            _ if down == 1 => of,
            Rounding::Floor => floor(self, of, down),
            Rounding::Up if down % 2 == 0 => floor(self, format!("({of} + {})", n(down / 2)), down),
            Rounding::Up => floor(self, format!("(2 * {of} + {})", n(down)), 2 * down),
            Rounding::Zero => format!("({of} / {})", n(down)),
            Rounding::Ceiling => {
                let below = self.call("quotient", &[format!("-{of}"), n(down)], wide).text;
                format!("(-{below})")
            }
            Rounding::Even => self.call("even", &[of, n(down)], wide).text,
        };
        Ok(Text { text, is_wide: wide })
    }

    fn extreme(
        &mut self,
        id: NodeId,
        choice: Choice,
        taps: &[(NodeId, &[(crate::algebra::Offset, Rational)])],
        [x, y]: [&str; 2],
    ) -> Result<Text, Refused> {
        let denominator = self.denominator(id);
        let whole = |weight: &Rational| denominator % i128::from(weight.denominator()) == 0;
        if taps.iter().any(|(source, list)| {
            denominator % self.denominator(*source) != 0 || !list.iter().all(|(_, weight)| whole(weight))
        }) {
            return Err(self.refuse(id, "a filter with weights of fractions"));
        }
        let sources: Vec<NodeId> = taps.iter().map(|(id, _)| *id).collect();
        let weights = taps
            .iter()
            .flat_map(|(_, taps)| taps.iter().map(|(_, weight)| numerator(*weight, denominator).abs()));
        let room = weights.max().unwrap_or(0);
        let size = self.scaled(&sources, denominator)?.and_then(|size| size.checked_add(room));
        let wide = self.wide(id, size)?;
        let mut text = String::new();
        for (source, list) in taps {
            for ([dx, dy, _], weight) in *list {
                let at = [moved(x, (*dx).into()), moved(y, -i64::from(*dy))];
                let mut next = self.lifted(*source, denominator, wide, [&at[0], &at[1]])?;
                if !weight.is_zero() {
                    next = format!("({next} + {})", number(numerator(*weight, denominator), wide));
                }
                let by = if choice == Choice::Least { "min" } else { "max" };
                text = if text.is_empty() { next } else { self.call(by, &[text, next], wide).text };
            }
        }
        Ok(Text { text, is_wide: wide })
    }

    /// A linear value, tap by tap.
    fn taps(&mut self, id: NodeId, [x, y]: [&str; 2]) -> Result<Text, Refused> {
        let Compiled { pipeline, values, .. } = self.compiled;
        let taps = whole_taps(pipeline, values, id);
        let constant = numerator(values.forms[id.index()].constant, self.denominator(id));
        let mut size = Some(constant.abs());
        for (source, _, weight) in &taps {
            let one = self.size(*source)?.checked_mul(i128::from(weight.numerator()).abs());
            size = size.and_then(|size| size.checked_add(one?));
        }
        let wide = self.wide(id, size)?;
        let mut parts = Vec::new();
        for (source, [dx, dy, _], weight) in taps {
            let at = [moved(x, dx.into()), moved(y, -i64::from(dy))];
            let value = widened(self.operand(source, [&at[0], &at[1]])?, wide);
            parts.push(match weight.numerator() {
                1 => value,
                factor => format!("{} * {value}", number(factor.into(), wide)),
            });
        }
        if constant != 0 || parts.is_empty() {
            parts.push(number(constant, wide));
        }
        Ok(Text { text: format!("({})", parts.join(" + ")), is_wide: wide })
    }
}

fn numerator(value: Rational, denominator: i128) -> i128 {
    i128::from(value.numerator()) * (denominator / i128::from(value.denominator()))
}

fn widened(value: Text, is_wide: bool) -> String {
    if is_wide && !value.is_wide { format!("(int64_t){}", value.text) } else { value.text }
}

/// An integer constant.
fn number(value: i128, is_wide: bool) -> String {
    match (is_wide, value < 0) {
        (true, false) => format!("INT64_C({value})"),
        (true, true) => format!("(-INT64_C({}))", -value),
        (false, false) => value.to_string(),
        (false, true) => format!("({value})"),
    }
}

/// A column or row, moved.
fn moved(place: &str, by: i64) -> String {
    match by {
        0 => place.to_owned(),
        by if by < 0 => format!("{place} - {}", -by),
        by => format!("{place} + {by}"),
    }
}

//! Intervals of nodes: what values each can have.

use crate::pipeline::id::NodeId;
use crate::pipeline::{Comparison, Fold, Linear, Number, Operation, PixelType, Range, Rounding, Stencil};
use crate::syntax::{Diagnostic, Span};

use super::{Builder, MAX_BITS, Refused, fraction};

impl Builder {
    /// The values of an operation, and its linear form if it is linear.
    pub(super) fn number(
        &self,
        span: Span,
        operation: &Operation,
    ) -> Result<(Number, Option<Linear>), Refused> {
        self.check_operands(operation)?;
        if self.is_single_precision(operation) {
            return Ok((Number::Float, None));
        }
        let linear = Linear::of(operation, &self.linear, &self.nodes);
        if let Some(form) = &linear {
            let range = form.range(&self.nodes).ok_or_else(|| overflow(span))?;
            return Ok((Number::Exact(range), linear));
        }
        let range = match operation {
            Operation::Quotient(a, b) => self.quotient(span, *a, *b)?,
            Operation::Table { first, values, index } => self.table(span, *first, values, *index)?,
            Operation::Root(value) => self.root(span, *value)?,
            Operation::Wrap(pixel, value) => self.wrapped(*pixel, *value),
            Operation::Histogram { cell, bins, index, weight } => {
                self.histogram(*cell, *bins, *index, *weight)?.ok_or_else(|| overflow(span))?
            }
            Operation::Gather { value, by: _, plane } => {
                self.check_plane(*value, *plane)?;
                self.of(*value)
            }
            other => self.plain(other).ok_or_else(|| overflow(span))?,
        };
        Ok((Number::Exact(range), None))
    }

    /// The interval of an exact node.
    fn of(&self, id: NodeId) -> Range {
        self.facts(id).range().expect("single precision was refused or handled before")
    }

    fn is_single_precision(&self, operation: &Operation) -> bool {
        match operation {
            Operation::Input(index) => self.inputs[*index].pixel == PixelType::Float32,
            Operation::Float(_) => true,
            Operation::Saturate(..)
            | Operation::Compare(..)
            | Operation::Fold(Fold::ArgumentOfMinimum, ..)
            | Operation::Table { .. }
            | Operation::Wrap(..)
            | Operation::Histogram { .. } => false,
            Operation::Select(_, then, _) => self.is_float(*then),
            Operation::Gather { value, .. } => self.is_float(*value),
            other => other.operands().iter().any(|id| self.is_float(*id)),
        }
    }

    /// Refuses operands of a wrong kind.
    fn check_operands(&self, operation: &Operation) -> Result<(), Refused> {
        match operation {
            Operation::Select(condition, ..) => self.check_truth(*condition, "the condition of `select`"),
            Operation::Table { index, .. } => self.check_integer(*index, "the index of a table"),
            Operation::Wrap(_, value) => self.check_integer(*value, "`wrap`"),
            Operation::Histogram { index, weight, .. } => {
                self.check_integer(*index, "the index of a histogram")?;
                self.check_integer(*weight, "the weight of a histogram")
            }
            Operation::Gather { by, plane, .. } => {
                for id in by {
                    self.check_integer(*id, "a distance of `gather`")?;
                    let range = self.of(*id);
                    if range.bits() > 20 {
                        let diagnostic =
                            Diagnostic::error("too-far", format!("a distance of {range} pixels"))
                                .label(self.written_at(*id), "expected less than a million pixels")
                                .help("limit it: `(clamp LOW HIGH E)`");
                        return Err(Box::new(diagnostic));
                    }
                }
                plane.map_or(Ok(()), |id| self.check_integer(id, "the plane of `gather`"))
            }
            _ => Ok(()),
        }
    }

    pub(in crate::pipeline) fn check_integer(&self, id: NodeId, what: &str) -> Result<(), Refused> {
        let span = self.written_at(id);
        match self.facts(id).number {
            Number::Exact(range) if range.is_integer() => Ok(()),
            Number::Exact(range) => Err(fraction(span, what, range.denominator)),
            Number::Float => {
                let diagnostic =
                    Diagnostic::error("float", format!("a value of single precision for {what}"))
                        .label(span, "expected an integer")
                        .help("round it and limit it: `(saturate TYPE E)`");
                Err(Box::new(diagnostic))
            }
        }
    }

    pub(in crate::pipeline) fn check_truth(&self, id: NodeId, what: &str) -> Result<(), Refused> {
        self.check_integer(id, what)?;
        let range = self.of(id);
        if range.is_truth() {
            return Ok(());
        }
        let diagnostic = Diagnostic::error("not-truth", format!("{what} is {range}, not 0 or 1"))
            .label(self.written_at(id), "expected a truth value")
            .help("compare it: `(!= E 0)`, `(> E THRESHOLD)`");
        Err(Box::new(diagnostic))
    }

    /// The interval of an operation that can only fail by overflow.
    fn plain(&self, operation: &Operation) -> Option<Range> {
        let of = |id: &NodeId| self.of(*id);
        Some(match operation {
            Operation::Input(index) => {
                let [least, greatest] = self.inputs[*index].pixel.limits()?;
                let range = Range::integers(least, greatest);
                match self.border {
                    crate::pipeline::Border::Constant(value) => {
                        range.union(Range::integers(value.into(), value.into()))?
                    }
                    _ => range,
                }
            }
            Operation::Variable(id) => {
                let variable = &self.variables[id.0];
                Range::integers(variable.first.into(), i128::from(variable.end) - 1)
            }
            Operation::Add(list) => list.iter().map(of).try_fold(Range::single(0, 1), Range::sum)?,
            Operation::Multiply(list) => self.product(list)?,
            Operation::Filter(stencil, list) => self.filter(stencil, list)?,
            Operation::Absolute(value) => of(value).absolute()?,
            Operation::Minimum(list) => self.extreme(list, true)?,
            Operation::Maximum(list) => self.extreme(list, false)?,
            Operation::Compare(comparison, a, b) => self.comparison(*comparison, *a, *b)?,
            Operation::Select(condition, then, otherwise) => match of(condition) {
                Range { least: 1, .. } => of(then),
                Range { greatest: 0, .. } => of(otherwise),
                _ => of(then).union(of(otherwise))?,
            },
            Operation::Saturate(pixel, _) => {
                let [least, greatest] = pixel.limits()?;
                Range::integers(least, greatest)
            }
            Operation::Round(rounding, value) => rounded(*rounding, of(value))?,
            Operation::At(_, value) | Operation::Down { value, .. } | Operation::Up(_, value) => of(value),
            Operation::Interleave(_, list) => {
                list.iter().skip(1).try_fold(of(&list[0]), |all, id| all.union(of(id)))?
            }
            Operation::Border(border, value) => match border {
                crate::pipeline::Border::Constant(outside) => {
                    of(value).union(Range::integers((*outside).into(), (*outside).into()))?
                }
                _ => of(value),
            },
            Operation::Fold(fold, own, value) => {
                let variables = own.iter().map(|id| &self.variables[id.0]);
                match fold {
                    Fold::Minimum | Fold::Maximum => of(value),
                    Fold::Add => {
                        let count = variables.map(|v| i128::from(v.end) - i128::from(v.first)).product();
                        Range::single(count, 1).product(of(value))?
                    }
                    Fold::ArgumentOfMinimum => {
                        let variable = &self.variables[own[0].0];
                        Range::integers(variable.first.into(), i128::from(variable.end) - 1)
                    }
                }
            }
            _ => return None,
        })
    }

    /// Products; equal factors are a power, so squares are not negative.
    fn product(&self, list: &[NodeId]) -> Option<Range> {
        let mut powers: Vec<(NodeId, u32)> = Vec::new();
        for factor in list {
            match powers.iter_mut().find(|(other, _)| other == factor) {
                Some((_, exponent)) => *exponent += 1,
                None => powers.push((*factor, 1)),
            }
        }
        let of = |(factor, exponent): &(NodeId, u32)| self.of(*factor).power(*exponent);
        powers.iter().try_fold(Range::single(1, 1), |product, power| product.product(of(power)?))
    }

    /// The interval of a filter that is not linear, or reads other planes, which are zero beyond the first and the last.
    fn filter(&self, stencil: &Stencil, list: &[NodeId]) -> Option<Range> {
        match stencil {
            Stencil::Linear(kernels) => {
                let mut sum = Range::single(0, 1);
                for (kernel, id) in kernels.iter().zip(list) {
                    for ([.., z], tap) in kernel.nonzero_taps() {
                        let tap = Range::single(tap.numerator().into(), tap.denominator().into());
                        sum = sum.sum(tap.product(self.read(*id, z)?)?)?;
                    }
                }
                Some(sum)
            }
            Stencil::Extreme(choice, taps) => {
                let mut all: Option<Range> = None;
                for (taps, id) in taps.iter().zip(list) {
                    for ([.., z], weight) in taps {
                        let weight = Range::single(weight.numerator().into(), weight.denominator().into());
                        let one = self.read(*id, *z)?.sum(weight)?;
                        all = Some(match all {
                            Some(all) => extreme(all, one, *choice == crate::algebra::Choice::Least)?,
                            None => one,
                        });
                    }
                }
                all
            }
        }
    }

    /// The values of a node in the plane at this distance.
    fn read(&self, id: NodeId, z: i32) -> Option<Range> {
        if z == 0 { Some(self.of(id)) } else { self.of(id).union(Range::single(0, 1)) }
    }

    fn extreme(&self, list: &[NodeId], least: bool) -> Option<Range> {
        list.iter().skip(1).try_fold(self.of(list[0]), |all, id| extreme(all, self.of(*id), least))
    }

    /// Whether the comparison holds, if the intervals, or that of the difference, decide it.
    fn comparison(&self, comparison: Comparison, a: NodeId, b: NodeId) -> Option<Range> {
        if self.is_float(a) {
            return Some(Range::TRUTH);
        }
        let (a, b) = self.of(a).aligned(self.of(b))?;
        let (always, never) = match comparison {
            Comparison::Less => (a.greatest < b.least, a.least >= b.greatest),
            Comparison::AtMost => (a.greatest <= b.least, a.least > b.greatest),
            Comparison::Equal => (
                a.is_single() && b.is_single() && a.least == b.least,
                a.greatest < b.least || a.least > b.greatest,
            ),
        };
        Some(match (always, never) {
            (true, _) => Range::single(1, 1),
            (_, true) => Range::single(0, 1),
            _ => Range::TRUTH,
        })
    }

    fn quotient(&self, span: Span, a: NodeId, b: NodeId) -> Result<Range, Refused> {
        let (above, below) = (self.of(a), self.of(b));
        if below.has_zero() {
            let diagnostic = Diagnostic::error("division-by-zero", "division by an interval with zero")
                .label(self.written_at(b), format!("this value is {below}"))
                .help("exclude zero, for instance by `(max E 1)`");
            return Err(Box::new(diagnostic));
        }
        let ends = || {
            let mut all: Option<Range> = None;
            for n in [above.least, above.greatest] {
                for d in [below.least, below.greatest] {
                    let end = Range::single(quotient([n, above.denominator], [d, below.denominator])?, 1);
                    all = Some(all.map_or(Some(end), |all| all.union(end))?);
                }
            }
            all
        };
        ends().ok_or_else(|| overflow(span))
    }

    fn table(&self, span: Span, first: i64, values: &[i64], index: NodeId) -> Result<Range, Refused> {
        let range = self.of(index);
        let last = i128::from(first) + values.len() as i128 - 1;
        if range.least < i128::from(first) || range.greatest > last {
            let message = format!("the table has entries for {first} to {last}, and its index is {range}");
            let diagnostic = Diagnostic::error("table-too-short", message)
                .label(span, format!("{} entries", values.len()))
                .label(self.written_at(index), format!("this index is {range}"))
                .help("give the table more entries, or limit the index: `(clamp LOW HIGH E)`");
            return Err(Box::new(diagnostic));
        }
        let at = |index: i128| (index - i128::from(first)) as usize;
        let reached = &values[at(range.least)..=at(range.greatest)];
        let ends = (reached.iter().min(), reached.iter().max());
        let (Some(least), Some(greatest)) = ends else { return Err(overflow(span)) };
        Ok(Range::integers((*least).into(), (*greatest).into()))
    }

    fn root(&self, span: Span, value: NodeId) -> Result<Range, Refused> {
        let range = self.of(value);
        if range.least < 0 {
            let diagnostic =
                Diagnostic::error("root-of-negative", "the square root of an interval with negative values")
                    .label(self.written_at(value), format!("this value is {range}"))
                    .help("exclude them, for instance by `(max E 0)`");
            return Err(Box::new(diagnostic));
        }
        let floor = rounded(Rounding::Floor, range).ok_or_else(|| overflow(span))?;
        Ok(Range::integers(floor.least.isqrt(), floor.greatest.isqrt()))
    }

    fn wrapped(&self, pixel: PixelType, value: NodeId) -> Range {
        let range = self.of(value);
        match pixel.limits() {
            Some([least, greatest]) if !pixel.holds(range.least, range.greatest) => {
                Range::integers(least, greatest)
            }
            _ => range,
        }
    }

    fn histogram(
        &self,
        cell: [u32; 2],
        bins: u32,
        index: NodeId,
        weight: NodeId,
    ) -> Result<Option<Range>, Refused> {
        self.check_within(index, bins, "the index of a histogram")?;
        let count = Range::single(i128::from(cell[0]) * i128::from(cell[1]), 1);
        // Another pixel of the cell may count elsewhere.
        Ok(self.of(weight).union(Range::single(0, 1)).and_then(|each| count.product(each)))
    }

    fn check_plane(&self, value: NodeId, plane: Option<NodeId>) -> Result<(), Refused> {
        match (self.facts(value).planes, plane) {
            (Some(planes), Some(plane)) => self.check_within(plane, planes, "the plane of `gather`"),
            _ => Ok(()),
        }
    }

    fn check_within(&self, index: NodeId, planes: u32, what: &str) -> Result<(), Refused> {
        let range = self.of(index);
        if range.least >= 0 && range.greatest < i128::from(planes) {
            return Ok(());
        }
        let message = format!("{what} is {range}, and there are planes 0 to {}", planes - 1);
        let diagnostic = Diagnostic::error("no-such-plane", message)
            .label(self.written_at(index), format!("this index is {range}"))
            .help("limit it: `(clamp LOW HIGH E)`");
        Err(Box::new(diagnostic))
    }
}

/// The interval of the lesser, or of the greater, of two values.
fn extreme(a: Range, b: Range, least: bool) -> Option<Range> {
    let (a, b) = a.aligned(b)?;
    let choose = if least { i128::min } else { i128::max };
    Some(Range { least: choose(a.least, b.least), greatest: choose(a.greatest, b.greatest), ..a })
}

fn rounded(rounding: Rounding, range: Range) -> Option<Range> {
    let [least, greatest] = [range.least, range.greatest].map(|n| rounding.apply(n, range.denominator));
    Some(Range::integers(least?, greatest?))
}

/// The floor of a quotient of fractions.
fn quotient([n, d]: [i128; 2], [m, e]: [i128; 2]) -> Option<i128> {
    let (above, below) = (n.checked_mul(e)?, m.checked_mul(d)?);
    let (above, below) =
        if below < 0 { (above.checked_neg()?, below.checked_neg()?) } else { (above, below) };
    Rounding::Floor.apply(above, below)
}

fn overflow(span: Span) -> Refused {
    let diagnostic = Diagnostic::error("too-wide", "a value of more than 127 bits")
        .label(span, format!("expected at most {MAX_BITS} bits"))
        .help("lose bits where it is meant: `(floor-shift N E)`, `(saturate int32 E)` or `(wrap int32 E)`, here or in what it is made of");
    Box::new(diagnostic)
}

//! Linear forms: a value as kernels of the nodes before it that are not linear themselves.

use std::collections::BTreeMap;

use crate::algebra::{Kernel, ORIGIN, Offset, PlusTimes, Rational};

use super::id::NodeId;
use super::range::{Range, common_multiple};
use super::{Facts, Node, Operation, Pipeline, Stencil};

/// A node that is not linear, read at every `stride`-th column and row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Origin {
    /// The node.
    pub node: NodeId,
    /// The distance of columns and rows that are read for neighbouring pixels.
    pub stride: [u32; 2],
}

/// A value at pixel p: constant + Σ over the terms, and d, of k(d) · origin(stride · p + d).
///
/// Nodes in single precision are not linear: their sums depend on the order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Linear {
    /// The constant.
    pub constant: Rational,
    /// The kernels by their origins; none is zero.
    pub terms: BTreeMap<Origin, Kernel<PlusTimes>>,
}

impl Linear {
    /// A node as itself.
    pub fn itself(node: NodeId) -> Self {
        let origin = Origin { node, stride: [1, 1] };
        Self { constant: Rational::ZERO, terms: BTreeMap::from([(origin, Kernel::identity())]) }
    }

    /// A number.
    pub(super) fn constant(constant: Rational) -> Self {
        Self { constant, terms: BTreeMap::new() }
    }

    /// Whether the value is the node itself.
    pub fn is_itself(&self, node: NodeId) -> bool {
        *self == Self::itself(node)
    }

    /// The form of an operation on nodes of these forms; `None` if it is not linear, or beyond the limits of the algebra.
    pub fn of(operation: &Operation, forms: &[Self], nodes: &[Node]) -> Option<Self> {
        let form = |id: &NodeId| &forms[id.index()];
        match operation {
            Operation::Constant(value) => Some(Self::constant(*value)),
            Operation::Add(list) => list.iter().map(form).try_fold(Self::zero(), |sum, one| sum.plus(one)),
            Operation::Multiply(list) => {
                let mut product = Self::constant(Rational::ONE);
                for factor in list.iter().map(form) {
                    product = match (product.terms.is_empty(), factor.terms.is_empty()) {
                        (_, true) => product.scaled(factor.constant)?,
                        (true, false) => factor.scaled(product.constant)?,
                        (false, false) => return None,
                    };
                }
                Some(product)
            }
            Operation::At([x, y], value) if x.factors.is_empty() && y.factors.is_empty() => {
                form(value).shifted([x.constant, y.constant, 0])
            }
            Operation::Filter(Stencil::Linear(kernels), list) if kernels.iter().all(is_flat) => {
                let mut sum = Self::zero();
                for (kernel, value) in kernels.iter().zip(list) {
                    sum = sum.plus(&form(value).filtered(kernel)?)?;
                }
                Some(sum)
            }
            Operation::Down { period, phase, value } => form(value).down(*period, *phase, forms, nodes),
            _ => None,
        }
    }

    fn zero() -> Self {
        Self { constant: Rational::ZERO, terms: BTreeMap::new() }
    }

    fn plus(mut self, other: &Self) -> Option<Self> {
        self.constant = self.constant.add(other.constant)?;
        for (origin, kernel) in &other.terms {
            let sum = match self.terms.remove(origin) {
                Some(before) => before.add(kernel).ok()?.trimmed(),
                None => kernel.clone(),
            };
            if !sum.is_zero() {
                self.terms.insert(*origin, sum);
            }
        }
        Some(self)
    }

    fn scaled(&self, factor: Rational) -> Option<Self> {
        if factor.is_zero() {
            return Some(Self::zero());
        }
        self.map(self.constant.mul(factor)?, |_, kernel| kernel.scale(factor).ok())
    }

    fn shifted(&self, by: Offset) -> Option<Self> {
        self.map(self.constant, |origin, kernel| kernel.shift(spread(by, origin.stride)?).ok())
    }

    /// The form of a filter on this one.
    fn filtered(&self, kernel: &Kernel<PlusTimes>) -> Option<Self> {
        let total = kernel.nonzero_taps().try_fold(Rational::ZERO, |sum, (_, tap)| sum.add(tap))?;
        let mut sum = self.map(self.constant.mul(total)?, |origin, inner| {
            let taps: Option<Vec<_>> = kernel
                .nonzero_taps()
                .map(|(offset, tap)| Some((spread(offset, origin.stride)?, tap)))
                .collect();
            Kernel::from_taps(&taps?).and_then(|outer| outer.compose(inner)).ok().map(|k| k.trimmed())
        })?;
        sum.terms.retain(|_, kernel| !kernel.is_zero());
        Some(sum)
    }

    /// The form of every period-th pixel. Where these are single phases of pixels that were repeated or interleaved, the form
    /// leads on to those.
    pub(super) fn down(
        &self,
        period: [u32; 2],
        phase: [u32; 2],
        forms: &[Self],
        nodes: &[Node],
    ) -> Option<Self> {
        let phase = phase.map(i32::try_from).map(Result::ok);
        let moved = self.shifted([phase[0]?, -phase[1]?, 0])?;
        let mut sum = Self { constant: moved.constant, terms: BTreeMap::new() };
        for (Origin { node, stride }, kernel) in &moved.terms {
            let stride = [stride[0].checked_mul(period[0])?, stride[1].checked_mul(period[1])?];
            let origin = Origin { node: *node, stride };
            let before = before_repeating(origin, kernel, forms, nodes);
            let one = || Self { constant: Rational::ZERO, terms: BTreeMap::from([(origin, kernel.clone())]) };
            sum = sum.plus(&before.unwrap_or_else(one))?;
        }
        Some(sum)
    }

    /// The difference of two values.
    pub(super) fn difference(a: &Self, b: &Self) -> Option<Self> {
        b.scaled(Rational::ONE.negate())?.plus(a)
    }

    fn map(
        &self,
        constant: Rational,
        with: impl Fn(&Origin, &Kernel<PlusTimes>) -> Option<Kernel<PlusTimes>>,
    ) -> Option<Self> {
        let mapped = self.terms.iter().map(|(origin, kernel)| Some((*origin, with(origin, kernel)?)));
        Some(Self { constant, terms: mapped.collect::<Option<_>>()? })
    }

    /// The interval of the values: the sum of the positive taps at one end of the origins' intervals and of the negative
    /// taps at the other. `None` on overflow.
    ///
    /// # Panics
    /// If an origin is of single precision, which no linear form has.
    pub fn range(&self, nodes: &[Node]) -> Option<Range> {
        let range_of = |origin: &Origin| {
            let facts: &Facts = &nodes[origin.node.index()].facts;
            facts.range().expect("linear forms are of exact values")
        };
        let mut denominator = i128::from(self.constant.denominator());
        for (origin, kernel) in &self.terms {
            for (_, tap) in kernel.nonzero_taps() {
                let own = i128::from(tap.denominator()).checked_mul(range_of(origin).denominator)?;
                denominator = common_multiple(denominator, own)?;
            }
        }
        let constant = Range::single(self.constant.numerator().into(), self.constant.denominator().into());
        let mut sum = constant.over(denominator)?;
        for (origin, kernel) in &self.terms {
            let values = range_of(origin);
            for (_, tap) in kernel.nonzero_taps() {
                let tap = Range::single(tap.numerator().into(), tap.denominator().into());
                sum = sum.sum(tap.product(values)?)?;
            }
        }
        debug_assert_eq!(sum.denominator, denominator);
        Some(sum)
    }
}

/// The linear form of each node of a pipeline: a value as kernels of inputs and of nodes that are not linear. Two values are equal
/// if their forms are, and a [`Builder`](super::Builder) to which both are added makes them one node.
pub fn linear_forms(pipeline: &Pipeline) -> Vec<Linear> {
    forms_where(pipeline, &|_| true)
}

/// The linear form of each node in values of its own rate: a `down` is a value of its own.
pub fn linear_forms_at_one_rate(pipeline: &Pipeline) -> Vec<Linear> {
    forms_where(pipeline, &|operation| !matches!(operation, Operation::Down { .. }))
}

/// The linear forms; operations for which `follows` does not hold, and values of single precision, are themselves.
fn forms_where(pipeline: &Pipeline, follows: &dyn Fn(&Operation) -> bool) -> Vec<Linear> {
    pipeline.ids().fold(Vec::with_capacity(pipeline.nodes.len()), |mut forms, id| {
        let operation = &pipeline.node(id).operation;
        let is_followed = pipeline.facts(id).range().is_some() && follows(operation);
        let form = Linear::of(operation, &forms, &pipeline.nodes).filter(|_| is_followed);
        forms.push(form.unwrap_or_else(|| Linear::itself(id)));
        forms
    })
}

/// A kernel of pixels that were repeated or interleaved, in pixels before that; `None` if the stride does not keep to a phase.
fn before_repeating(
    origin: Origin,
    kernel: &Kernel<PlusTimes>,
    forms: &[Linear],
    nodes: &[Node],
) -> Option<Linear> {
    let (period, list) = match &nodes[origin.node.index()].operation {
        Operation::Up(period, value) => (*period, vec![*value]),
        Operation::Interleave(period, list) => (*period, list.clone()),
        _ => return None,
    };
    if [0, 1].iter().any(|axis| !origin.stride[*axis].is_multiple_of(period[*axis])) {
        return None;
    }
    let mut taps = vec![Vec::new(); list.len()];
    for (offset, tap) in kernel.nonzero_taps() {
        let ([x, y], inside) = in_phase(offset, period)?;
        let number = if list.len() == 1 { 0 } else { (y * period[0] + x) as usize };
        taps[number].push((inside, tap));
    }
    let stride = [origin.stride[0] / period[0], origin.stride[1] / period[1]];
    let mut sum = Linear::zero();
    for (value, taps) in list.iter().zip(taps) {
        // Several pixels of a phase may be one pixel before.
        let mut kernel = Kernel::zero();
        for (offset, tap) in taps {
            kernel = kernel.add(&Kernel::monomial(offset, tap).ok()?).ok()?;
        }
        if !kernel.trimmed().is_zero() {
            let form = forms[value.index()].filtered(&kernel.trimmed())?;
            sum = sum.plus(&form.down(stride, [0, 0], forms, nodes)?)?;
        }
    }
    Some(sum)
}

/// The phase of a pixel at an offset from one of phase 0, and its offset among the pixels of that phase. Phases and rows count south,
/// offsets north.
pub(super) fn in_phase([x, y, z]: Offset, [p, q]: [u32; 2]) -> Option<([u32; 2], Offset)> {
    let (p, q) = (i32::try_from(p).ok()?, i32::try_from(q).ok()?);
    let phase = [x.rem_euclid(p), (-y).rem_euclid(q)].map(i32::unsigned_abs);
    Some((phase, [x.div_euclid(p), -(-y).div_euclid(q), z]))
}

/// Whether a kernel reads only the plane of the pixel itself.
pub(super) fn is_flat(kernel: &Kernel<PlusTimes>) -> bool {
    kernel.nonzero_taps().all(|([.., z], _)| z == ORIGIN[2])
}

/// An offset in pixels of a node that is read with a stride.
fn spread([x, y, z]: Offset, [p, q]: [u32; 2]) -> Option<Offset> {
    let along = |distance: i32, stride: u32| distance.checked_mul(i32::try_from(stride).ok()?);
    Some([along(x, p)?, along(y, q)?, z])
}

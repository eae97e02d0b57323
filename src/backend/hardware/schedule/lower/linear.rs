//! Sums: of operands as they are written where that can be, otherwise of what these are sums of.

use super::{Lowered, Lowering};
use crate::algebra::{Offset, Rational};
use crate::pipeline::{NodeId, Operation, Stencil, common_multiple};

/// A summand: a value, where in the raster and in which plane it is read, and its weight.
type Written = (NodeId, [i32; 2], u32, Rational);

/// Summands with weights that are whole, and a constant.
type Weighed = (Vec<(NodeId, [i32; 2], u32, i128)>, i128);

impl Lowering<'_> {
    /// A sum of its operands where the weights of their numerators are whole, otherwise of what these are sums of. Where those of both
    /// are fractions, what is known of an operand makes the sum a multiple of a smaller fraction: it is divided, which leaves no rest.
    pub(super) fn linear(&mut self, id: NodeId) -> Lowered {
        let (written, constant) = self.written(id).ok_or_else(|| self.too_wide(id))?;
        let whole = || self.weighed(id, &written, constant, 1);
        let of_parts = || self.weighed(id, &self.parts(id), self.forms[id.index()].constant, 1);
        let divided = || {
            let down = self.rest(id, &written, constant)?;
            Some((self.weighed(id, &written, constant, down)?, down))
        };
        let found = whole().or_else(of_parts).map(|found| (found, 1)).or_else(divided);
        let ((terms, constant), down) = found.ok_or_else(|| self.too_wide(id))?;
        let mut placed = Vec::new();
        for (of, at, plane, weight) in terms {
            placed.push((self.value(of, self.stride, plane)?.moved(at), weight));
        }
        let sum = self.sum(id, placed, constant, down == 1)?;
        if down == 1 { Ok(sum) } else { self.quotient_by(id, sum, down, self.range(id)) }
    }

    /// What the operands of a value are sums of.
    fn parts(&self, id: NodeId) -> Vec<Written> {
        let mut parts = Vec::new();
        for (origin, kernel) in &self.forms[id.index()].terms {
            let place =
                |([x, y, _], tap): (Offset, Rational)| (origin.node, self.spread([x, y]), self.plane, tap);
            parts.extend(kernel.nonzero_taps().map(place));
        }
        parts
    }

    /// The weights of the numerators of summands, and the constant, in a multiple of a value's numerator; `None` if one is not whole.
    fn weighed(&self, id: NodeId, terms: &[Written], constant: Rational, times: i128) -> Option<Weighed> {
        let own = self.denominator(id).checked_mul(times)?;
        let weight = |value: Rational, of: i128| {
            let up = i128::from(value.numerator()).checked_mul(own)?;
            let down = i128::from(value.denominator()).checked_mul(of)?;
            (up % down == 0).then_some(up / down)
        };
        let each = terms
            .iter()
            .map(|(of, at, plane, tap)| Some((*of, *at, *plane, weight(*tap, self.denominator(*of))?)));
        Some((each.collect::<Option<Vec<_>>>()?, weight(constant, 1)?))
    }

    /// By what a value's numerator is multiplied so that all weights are whole.
    fn rest(&self, id: NodeId, terms: &[Written], constant: Rational) -> Option<i128> {
        let of_terms = terms.iter().map(|(of, .., tap)| (*tap, self.denominator(*of)));
        let all = of_terms.chain([(constant, 1)]).try_fold(self.denominator(id), |all, (value, of)| {
            common_multiple(all, i128::from(value.denominator()).checked_mul(of)?)
        })?;
        Some(all / self.denominator(id))
    }

    /// The summands of a sum or filter as it is written, with multiples and sums that nobody else reads taken apart, and the
    /// constant. `None` beyond the range of rationals.
    fn written(&self, id: NodeId) -> Option<(Vec<Written>, Rational)> {
        let mut open: Vec<(Written, bool)> = Vec::new();
        match &self.pipeline.node(id).operation {
            Operation::Filter(Stencil::Linear(kernels), list) => {
                for (kernel, of) in kernels.iter().zip(list) {
                    for ([x, y, z], tap) in kernel.nonzero_taps() {
                        // Planes that do not exist are zero.
                        if let Some(plane) = self.shapes.plane(*of, self.plane, z) {
                            open.push(((*of, self.spread([x, y]), plane, tap), false));
                        }
                    }
                }
            }
            _ => open.push(((id, [0, 0], self.plane, Rational::ONE), true)),
        }
        let (mut terms, mut constant) = (Vec::new(), Rational::ZERO);
        while let Some(((of, [x, y], plane, tap), apart)) = open.pop() {
            let varies = |of: &&NodeId| !self.forms[of.index()].terms.is_empty();
            match &self.pipeline.node(of).operation {
                Operation::Constant(value) => constant = constant.add(value.mul(tap)?)?,
                Operation::At(distances, value) => {
                    let [east, north] = self.spread(self.distances(of, distances).ok()?);
                    open.push(((*value, [x + east, y + north], plane, tap), apart));
                }
                Operation::Add(list) if of == id || apart && self.readers[of.index()] == 1 => {
                    open.extend(list.iter().map(|one| ((*one, [x, y], plane, tap), true)));
                }
                Operation::Multiply(list) if list.iter().filter(varies).count() == 1 => {
                    let numbers = list.iter().filter(|of| !varies(of));
                    let factor = numbers
                        .map(|of| self.forms[of.index()].constant)
                        .try_fold(tap, |all, number| all.mul(number))?;
                    let rest = list.iter().filter(varies);
                    open.extend(rest.map(|one| ((*one, [x, y], plane, factor), apart)));
                }
                _ => terms.push((of, [x, y], plane, tap)),
            }
        }
        Some((terms, constant))
    }
}

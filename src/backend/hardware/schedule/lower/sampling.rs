//! Changes of rate, histograms and gathers as cells.

use super::refusal::refusal;
use super::shape::{Stride, inner};
use super::{Lowered, Lowering};
use crate::backend::hardware::machine::{Operand, Operation as Made, Since};
use crate::pipeline::{Comparison, NodeId};
use crate::syntax::Diagnostic;

/// The most places that a gather reads.
const MAX_PLACES: i128 = 1 << 10;

impl Lowering<'_> {
    /// The stride of what a node reads.
    fn inner(&self, id: NodeId) -> Result<Stride, Box<Diagnostic>> {
        let node = self.pipeline.node(id);
        inner(&node.operation, self.stride).map_err(|()| refusal(node.span, "such a change of rate"))
    }

    /// Every period-th pixel is the same value, of which less is read.
    pub(super) fn down(&self, id: NodeId, phase: [u32; 2], value: NodeId) -> Lowered {
        let stride = self.inner(id)?;
        let [x, y] = [0, 1].map(|axis| (phase[axis] * stride[axis]) as i32);
        Ok(self.value(value, stride, self.plane)?.moved([x, -y]))
    }

    /// A value that stays for a period of rows, and in each of columns.
    pub(super) fn up(&mut self, id: NodeId, period: [u32; 2], value: NodeId) -> Lowered {
        let stride = self.inner(id)?;
        let mut operand = self.value(value, stride, self.plane)?;
        for axis in [1, 0] {
            if period[axis] > 1 {
                operand = self.along(id, (axis, stride[axis], Since::First), operand)?;
            }
        }
        Ok(operand)
    }

    fn along(&mut self, id: NodeId, (axis, period, since): (usize, u32, Since), operand: Operand) -> Lowered {
        if matches!(operand, Operand::Number(_)) && since == Since::First {
            return Ok(operand);
        }
        let stage = self.stages[id.index()].clone();
        let made = Made::Along { axis, period, since };
        self.netlist.add(&stage, made, vec![operand], None).ok_or_else(|| self.too_wide(id))
    }

    /// The value of each phase, west and north of the place where it is read.
    pub(super) fn interleave(&mut self, id: NodeId, phases: [u32; 2], list: &[NodeId]) -> Lowered {
        let (step, outer) = (self.stride, self.inner(id)?);
        self.stride = outer;
        let operands = self.aligned(id, list, self.denominator(id));
        self.stride = step;
        let operands = operands?;
        let first = operands[0];
        if matches!(first, Operand::Number(_)) && operands.iter().all(|other| *other == first) {
            return Ok(first);
        }
        let mut placed = Vec::new();
        for (number, operand) in (0u32..).zip(operands) {
            let [x, y] = [number % phases[0] * step[0], number / phases[0] * step[1]];
            placed.push(operand.moved([-(x as i32), y as i32]));
        }
        self.made(id, Made::Interleave { phases, step }, placed)
    }

    /// A plane of a histogram: what counts in it, summed along columns and then along rows.
    pub(super) fn histogram(&mut self, id: NodeId, [p, q]: [u32; 2], of: [NodeId; 2]) -> Lowered {
        let stride = self.inner(id)?;
        let (stage, plane) = (self.stages[id.index()].clone(), i128::from(self.plane));
        let factor = self.denominator(id) / self.denominator(of[1]);
        let [index, weight] = [self.value(of[0], stride, 0)?, self.value(of[1], stride, 0)?];
        let weight = self.over(id, weight, factor)?;
        let equal = Made::Compare(Comparison::Equal);
        let counts = self.netlist.add(&stage, equal, vec![index, Operand::Number(plane)], None);
        let counts = counts.ok_or_else(|| self.too_wide(id))?;
        let counted = match (counts, weight) {
            (Operand::Number(0), _) | (_, Operand::Number(0)) => return Ok(Operand::Number(0)),
            (Operand::Number(_), weight) => weight,
            (_, Operand::Number(1)) => counts,
            _ => {
                let operands = vec![counts, weight, Operand::Number(0)];
                let chosen = self.netlist.add(&stage, Made::Select, operands, None);
                chosen.ok_or_else(|| self.too_wide(id))?
            }
        };
        if let Operand::Number(number) = counted {
            return Ok(Operand::Number(number * i128::from(p) * i128::from(q)));
        }
        if stride != [1, 1] {
            // The pixels between would be counted too.
            let places = (0..q).flat_map(|y| (0..p).map(move |x| [x, y]));
            let at = |[x, y]: [u32; 2]| [(x * stride[0]) as i32, -((y * stride[1]) as i32)];
            let terms = places.map(|place| (counted.moved(at(place)), 1)).collect();
            return self.sum(id, terms, 0, true);
        }
        let mut sum = counted;
        // A sum that goes on from pixel to pixel goes through all pixels of a word in one clock.
        let prices = self.prices;
        if p > 1 && prices.frame.lanes > prices.machine.levels as usize {
            let columns = (0..p as i32).map(|x| (counted.moved([x, 0]), 1));
            sum = self.sum(id, columns.collect(), 0, false)?;
        } else if p > 1 {
            sum = self.along(id, (0, p, Since::Sum), sum)?.moved([p as i32 - 1, 0]);
        }
        if q > 1 {
            sum = self.along(id, (1, q, Since::Sum), sum)?.moved([0, 1 - q as i32]);
        }
        Ok(sum)
    }

    /// A choice among all places that the distances and the plane can lead to.
    pub(super) fn gather(
        &mut self,
        id: NodeId,
        value: NodeId,
        [dx, dy]: [NodeId; 2],
        plane: Option<NodeId>,
    ) -> Lowered {
        let axes = [Some(dy), Some(dx), plane];
        let mut limits = [[0i128; 2]; 3];
        for (limits, of) in limits.iter_mut().zip(axes) {
            if let Some(range) = of.and_then(|of| self.range(of)) {
                *limits = [range.least, range.greatest];
            }
        }
        let places = limits.iter().try_fold(1i128, |all, [a, b]| all.checked_mul(b - a + 1));
        if places.is_none_or(|places| places > MAX_PLACES) {
            let what = format!("a gather over more than {MAX_PLACES} places");
            return Err(refusal(self.pipeline.node(id).span, &what));
        }
        let [rows, columns, planes] = limits.map(|[a, b]| (a as i32..=b as i32).collect::<Vec<_>>());
        let mut by_row = Vec::new();
        for y in &rows {
            let mut by_column = Vec::new();
            for x in &columns {
                let mut by_plane = Vec::new();
                for z in &planes {
                    // Planes are counted from 0, not from the present one.
                    let above = if plane.is_some() { z - self.plane as i32 } else { 0 };
                    by_plane.push(self.tap(value, [*x, *y, above])?);
                }
                by_column.push(self.choose(id, (plane, planes[0]), by_plane)?);
            }
            by_row.push(self.choose(id, (Some(dx), columns[0]), by_column)?);
        }
        self.choose(id, (Some(dy), rows[0]), by_row)
    }

    fn choose(&mut self, id: NodeId, (by, first): (Option<NodeId>, i32), of: Vec<Operand>) -> Lowered {
        let (Some(by), [_, _, ..]) = (by, of.as_slice()) else { return Ok(of[0]) };
        let mut operands = vec![self.operand(by)?];
        operands.extend(of);
        self.made(id, Made::Choose { first: first.into() }, operands)
    }
}

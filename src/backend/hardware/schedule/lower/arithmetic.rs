//! Products, quotients, comparisons, extremes and roundings as cells.

use super::refusal::refusal;
use super::{Lowered, Lowering};
use crate::algebra::{Choice, Rational};
use crate::backend::hardware::machine::{Operand, Operation as Made};
use crate::backend::hardware::schedule::division::add_quotient;
use crate::backend::hardware::schedule::extremes::add_extreme;
use crate::pipeline::{Comparison, NodeId, Range, Rounding, common_multiple};

impl Lowering<'_> {
    pub(super) fn product(&mut self, id: NodeId, list: &[NodeId]) -> Lowered {
        let varying: Vec<NodeId> =
            list.iter().copied().filter(|of| !self.forms[of.index()].terms.is_empty()).collect();
        if varying.len() < 2 {
            return self.scaled(id, list, &varying);
        }
        let Some(ratio) = self.ratio(id, list) else {
            return Err(refusal(self.pipeline.node(id).span, "a product of fractions with a common factor"));
        };
        let mut factor = ratio;
        let mut factors = Vec::new();
        for operand in self.operands(list)? {
            match operand {
                Operand::Number(number) => {
                    factor = factor.checked_mul(number).ok_or_else(|| self.too_wide(id))?;
                }
                tap => factors.push(tap),
            }
        }
        let stage = self.stages[id.index()].clone();
        let Some((first, rest)) = factors.split_first() else { return Ok(Operand::Number(factor)) };
        let mut product = *first;
        for (number, operand) in rest.iter().enumerate() {
            let square = self.netlist.range(product).power(2).filter(|_| product == *operand);
            let is_all = number + 1 == rest.len() && factor == 1;
            let within = if is_all { self.range(id) } else { square };
            let cell = self.netlist.add(&stage, Made::Product, vec![product, *operand], within);
            product = cell.ok_or_else(|| self.too_wide(id))?;
        }
        if factor == 1 { Ok(product) } else { self.sum(id, vec![(product, factor)], 0, true) }
    }

    /// The factor from the product of numerators to the numerator of the product, if it is whole.
    fn ratio(&self, id: NodeId, list: &[NodeId]) -> Option<i128> {
        let below = list.iter().try_fold(1i128, |all, of| all.checked_mul(self.denominator(*of)))?;
        let own = self.denominator(id);
        (own % below == 0).then_some(own / below)
    }

    /// A product of which at most one factor is not a number.
    fn scaled(&mut self, id: NodeId, list: &[NodeId], varying: &[NodeId]) -> Lowered {
        let mut factor = Rational::integer(1);
        for of in list.iter().filter(|of| !varying.contains(of)) {
            let number = self.forms[of.index()].constant;
            factor = factor.mul(number).ok_or_else(|| self.too_wide(id))?;
        }
        let own = self.denominator(id);
        let below = varying.first().map_or(1, |of| self.denominator(*of));
        let (up, down) = (i128::from(factor.numerator()) * own, i128::from(factor.denominator()) * below);
        if up % down != 0 {
            return self.linear(id);
        }
        match varying.first() {
            Some(of) => {
                let operand = self.operand(*of)?;
                self.sum(id, vec![(operand, up / down)], 0, true)
            }
            None => Ok(Operand::Number(up / down)),
        }
    }

    /// ⌊value / divisor⌋ by a positive number. A quotient of a quotient is one.
    pub(super) fn quotient_by(
        &mut self,
        id: NodeId,
        mut value: Operand,
        mut divisor: i128,
        within: Option<Range>,
    ) -> Lowered {
        while let Operand::Tap(cell, at) = value
            && let Some((inner, by)) = self.quotients.get(&cell)
            && let Some(product) = divisor.checked_mul(*by)
        {
            (value, divisor) = (inner.moved(at), product);
        }
        let stage = self.stages[id.index()].clone();
        let found = add_quotient(&mut self.netlist, &stage, (value, divisor), within, self.prices);
        if let Some(Operand::Tap(cell, [x, y])) = found
            && divisor > 1
        {
            self.quotients.insert(cell, (value.moved([-x, -y]), divisor));
        }
        found.ok_or_else(|| self.too_wide(id))
    }

    /// ⌊a / b⌋: numerators are multiplied by the denominator of the other, as far as these differ.
    pub(super) fn quotient(&mut self, id: NodeId, a: NodeId, b: NodeId) -> Lowered {
        let [below_a, below_b] = [a, b].map(|of| self.denominator(of));
        let over = common_multiple(below_a, below_b).ok_or_else(|| self.too_wide(id))?;
        let value = self.operand(a)?;
        let value = self.over(id, value, over / below_a)?;
        let divisor = self.operand(b)?;
        let divisor = self.over(id, divisor, over / below_b)?;
        if let Operand::Number(divisor) = divisor {
            let factor = if divisor < 0 { -1 } else { 1 };
            let value = self.over(id, value, factor)?;
            return self.quotient_by(id, value, divisor.abs(), self.range(id));
        }
        if self.range(b).is_none_or(|range| range.least <= 0) {
            return Err(refusal(self.pipeline.node(b).span, "a divisor that is negative"));
        }
        self.made(id, Made::Quotient, vec![value, divisor])
    }

    /// ⌊√v⌋, for a numerator of v over a denominator.
    pub(super) fn root(&mut self, id: NodeId, value: NodeId) -> Lowered {
        let numerator = self.operand(value)?;
        let whole = self.quotient_by(id, numerator, self.denominator(value), None)?;
        // An interval of the sum that it comes from may be wider than that of the pipeline.
        let operands = if self.netlist.range(whole).least < 0 {
            let stage = self.stages[id.index()].clone();
            let greatest = self.netlist.add(&stage, Made::Maximum, vec![whole, Operand::Number(0)], None);
            vec![greatest.ok_or_else(|| self.too_wide(id))?]
        } else {
            vec![whole]
        };
        self.made(id, Made::Root, operands)
    }

    pub(super) fn compare(&mut self, id: NodeId, how: Comparison, pair: [NodeId; 2]) -> Lowered {
        let [a, b] = pair.map(|of| self.denominator(of));
        let common = common_multiple(a, b).ok_or_else(|| self.too_wide(id))?;
        let operands = self.aligned(id, &pair, common)?;
        self.made(id, Made::Compare(how), operands)
    }

    pub(super) fn extreme_of(&mut self, id: NodeId, operation: &Made, list: &[NodeId]) -> Lowered {
        let operands = self.aligned(id, list, self.denominator(id))?;
        let values: Vec<(Operand, i128)> = operands.into_iter().map(|operand| (operand, 0)).collect();
        self.extremes(id, operation, &values)
    }

    fn extremes(&mut self, id: NodeId, operation: &Made, values: &[(Operand, i128)]) -> Lowered {
        let (range, stage) = (self.range(id), self.stages[id.index()].clone());
        add_extreme(&mut self.netlist, &stage, operation, values, (range, self.blocks))
            .ok_or_else(|| self.too_wide(id))
    }

    pub(super) fn extreme(
        &mut self,
        id: NodeId,
        choice: Choice,
        taps: &[Vec<([i32; 3], Rational)>],
        list: &[NodeId],
    ) -> Lowered {
        let own = self.denominator(id);
        let mut values = Vec::new();
        for (of, taps) in list.iter().zip(taps) {
            for (at, weight) in taps {
                let (up, down) = (i128::from(weight.numerator()) * own, i128::from(weight.denominator()));
                let operand = self.tap(*of, *at)?;
                let operand = self.over(id, operand, own / self.denominator(*of))?;
                values.push((operand, up / down));
            }
        }
        let operation = if choice == Choice::Least { Made::Minimum } else { Made::Maximum };
        self.extremes(id, &operation, &values)
    }

    /// A numerator n over d as an integer.
    pub(super) fn round(&mut self, id: NodeId, rounding: Rounding, value: NodeId) -> Lowered {
        let (n, d) = (self.operand(value)?, self.denominator(value));
        let stage = self.stages[id.index()].clone();
        let floor = |lowering: &mut Self, factor: i128, addend: i128| {
            let n = lowering.sum(id, vec![(n, factor)], addend, false)?;
            lowering.quotient_by(id, n, d * factor, None)
        };
        // Half of an odd denominator is not whole.
        let (twice, half) = if d % 2 == 0 { (1, d / 2) } else { (2, d) };
        match rounding {
            Rounding::Floor => floor(self, 1, 0),
            Rounding::Ceiling => floor(self, 1, d - 1),
            Rounding::Up => floor(self, twice, half),
            Rounding::Zero => {
                let (down, up) = (floor(self, 1, 0)?, floor(self, 1, d - 1)?);
                let sign = Made::Compare(Comparison::Less);
                let negative = self.netlist.add(&stage, sign, vec![n, Operand::Number(0)], None);
                let negative = negative.ok_or_else(|| self.too_wide(id))?;
                self.made(id, Made::Select, vec![negative, up, down])
            }
            Rounding::Even => {
                let up = floor(self, twice, half)?;
                let rest = self.sum(id, vec![(n, twice), (up, -d * twice)], half, false)?;
                let tie = Made::Compare(Comparison::Equal);
                let tie = self.netlist.add(&stage, tie, vec![rest, Operand::Number(0)], None);
                let odd = self.netlist.add(&stage, Made::Wrap(1, false), vec![up], None);
                let (Some(tie), Some(odd)) = (tie, odd) else { return Err(self.too_wide(id)) };
                let operands = vec![tie, odd, Operand::Number(0)];
                let less = self.netlist.add(&stage, Made::Select, operands, None);
                let less = less.ok_or_else(|| self.too_wide(id))?;
                self.sum(id, vec![(up, 1), (less, -1)], 0, true)
            }
        }
    }
}

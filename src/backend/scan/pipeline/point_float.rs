//! Operations in single precision as operations of loops, in the order of the reference executor.

use crate::algebra::{Choice, Offset, Rational};
use crate::backend::scan::machine::Storage;
use crate::pipeline::{NodeId, Operation, PixelType, Stencil};

use super::arithmetic::{ANY, working};
use super::expression::{Id, Operator};
use super::plans::FLOAT;
use super::point::{At, Points, Refused, refuse};

/// Double precision, in which fractions are divided before they are rounded to single precision.
const DOUBLE: Storage = Storage { bits: 64, signed: true, float: true };

impl Points<'_> {
    /// A value of single precision.
    ///
    /// # Errors
    /// What has no code, at its place.
    pub(super) fn single(&mut self, id: NodeId, at: &At) -> Result<Id, Refused> {
        let operator = match &self.compiled.pipeline.node(id).operation {
            Operation::Float(value) => return self.converted(*value, at),
            Operation::Add(list) => Operator::Sum(self.all(list, at)?),
            Operation::Multiply(list) => Operator::Product(self.all(list, at)?),
            Operation::Minimum(list) => return self.extreme(id, Choice::Least, list, at),
            Operation::Maximum(list) => return self.extreme(id, Choice::Greatest, list, at),
            Operation::Quotient(a, b) => Operator::Divided(self.read(*a, at)?, self.read(*b, at)?),
            Operation::Absolute(value) => Operator::Absolute(self.read(*value, at)?),
            Operation::Root(value) => Operator::Root(self.read(*value, at)?),
            Operation::Round(rounding, value) => Operator::Rounded(*rounding, self.read(*value, at)?),
            Operation::Select(condition, then, otherwise) => {
                let condition = self.read(*condition, at)?;
                Operator::Select(condition, self.read(*then, at)?, self.read(*otherwise, at)?)
            }
            Operation::Filter(stencil, list) => return self.single_filter(id, stencil, list, at),
            _ => return self.moving(id, at),
        };
        Ok(self.float(operator))
    }

    /// The integer of a type that is nearest to a value of single precision. `None` for more than 63 bits.
    pub(super) fn saturated(
        &mut self,
        pixel: PixelType,
        value: NodeId,
        at: &At,
    ) -> Result<Option<Id>, Refused> {
        let value = self.read(value, at)?;
        let limits = pixel.limits().unwrap_or_default();
        Ok(working(limits).map(|of| self.code.push(Operator::Saturated(value, limits), of, limits)))
    }

    fn float(&mut self, operator: Operator) -> Id {
        match operator {
            Operator::Sum(list) | Operator::Product(list) if list.len() == 1 => list[0],
            operator => self.code.push(operator, FLOAT, ANY),
        }
    }

    fn all(&mut self, list: &[NodeId], at: &At) -> Result<Vec<Id>, Refused> {
        list.iter().map(|id| self.read(*id, at)).collect()
    }

    /// An exact value in single precision. A fraction is rounded to double precision first, as the reference executor does.
    fn converted(&mut self, value: NodeId, at: &At) -> Result<Id, Refused> {
        let facts = self.compiled.pipeline.facts(value);
        if facts.is_float() {
            return self.read(value, at);
        }
        let denominator = facts.denominator();
        if let Operation::Constant(number) = self.compiled.pipeline.node(value).operation {
            return Ok(self.real(nearest(number)));
        }
        let read = self.read(value, at)?;
        if denominator == 1 {
            return Ok(self.code.push(Operator::Cast(read), FLOAT, ANY));
        }
        let above = self.code.push(Operator::Cast(read), DOUBLE, ANY);
        let below = self.code.push(Operator::Real((denominator as f64).to_bits()), DOUBLE, ANY);
        let quotient = self.code.push(Operator::Divided(above, below), DOUBLE, ANY);
        Ok(self.code.push(Operator::Cast(quotient), FLOAT, ANY))
    }

    fn real(&mut self, value: f32) -> Id {
        self.float(Operator::Real(f64::from(value).to_bits()))
    }

    fn extreme(&mut self, id: NodeId, choice: Choice, list: &[NodeId], at: &At) -> Result<Id, Refused> {
        let all = self.all(list, at)?;
        self.chosen_float(id, choice, &all)
    }

    /// The least or the greatest of values: the first of those that are equal.
    fn chosen_float(&mut self, id: NodeId, choice: Choice, list: &[Id]) -> Result<Id, Refused> {
        let with = match choice {
            Choice::Least => Operator::Minimum,
            Choice::Greatest => Operator::Maximum,
        };
        let chosen = list.iter().copied().reduce(|all, next| self.float(with(all, next)));
        chosen.ok_or_else(|| refuse(self.compiled, id, "a filter without taps"))
    }

    fn single_filter(
        &mut self,
        id: NodeId,
        stencil: &Stencil,
        list: &[NodeId],
        at: &At,
    ) -> Result<Id, Refused> {
        let place = |[x, y, _]: Offset| [at[0].moved(x.into()), at[1].moved(-i64::from(y))];
        let mut terms = Vec::new();
        for (number, offset, weight) in taps(stencil) {
            let value = self.plane(list[number], &place(offset), offset[2])?;
            let weight = self.real(weight);
            terms.push(self.float(match stencil {
                Stencil::Linear(_) => Operator::Product(vec![value, weight]),
                Stencil::Extreme(..) => Operator::Sum(vec![value, weight]),
            }));
        }
        match stencil {
            Stencil::Linear(_) if terms.is_empty() => Ok(self.real(0.0)),
            Stencil::Linear(_) => Ok(self.float(Operator::Sum(terms))),
            Stencil::Extreme(choice, _) => self.chosen_float(id, *choice, &terms),
        }
    }
}

/// The operand, the offset and the weight of each tap: operands in order, planes, rows from north to south, and each from west to east.
fn taps(stencil: &Stencil) -> Vec<(usize, Offset, f32)> {
    let mut taps: Vec<(usize, Offset, Rational)> = Vec::new();
    match stencil {
        Stencil::Linear(kernels) => {
            for (number, kernel) in kernels.iter().enumerate() {
                taps.extend(kernel.nonzero_taps().map(|(offset, weight)| (number, offset, weight)));
            }
        }
        Stencil::Extreme(_, all) => {
            for (number, list) in all.iter().enumerate() {
                taps.extend(list.iter().map(|(offset, weight)| (number, *offset, *weight)));
            }
        }
    }
    taps.sort_by_key(|(number, [x, y, z], _)| (*number, *z, std::cmp::Reverse(*y), *x));
    taps.into_iter().map(|(number, offset, weight)| (number, offset, nearest(weight))).collect()
}

/// The nearest value of single precision; of a fraction, that of the nearest value of double precision.
fn nearest(value: Rational) -> f32 {
    match (value.numerator(), value.denominator()) {
        (numerator, 1) => numerator as f32,
        (numerator, denominator) => (numerator as f64 / denominator as f64) as f32,
    }
}

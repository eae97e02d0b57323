//! Rates, planes and variables of nodes.

use crate::algebra::Rational;
use crate::pipeline::id::{NodeId, VariableId};
use crate::pipeline::rate::rate_text;
use crate::pipeline::{Operation, Stencil};
use crate::syntax::{Diagnostic, Span};

use super::{Builder, Refused};

type Rate = Option<[Rational; 2]>;

/// The greatest number of combinations of a fold's variables.
const MAX_COMBINATIONS: i64 = 1 << 16;

impl Builder {
    /// The rate, the planes and the variables of an operation.
    pub(super) fn shape(
        &self,
        span: Span,
        operation: &Operation,
    ) -> Result<(Rate, Option<u32>, Vec<VariableId>), Refused> {
        let operands = operation.operands();
        let mut variables: Vec<VariableId> =
            operands.iter().flat_map(|id| self.facts(*id).variables.clone()).collect();
        let rate = self.rate(&operands)?;
        let planes = self.planes(&operands)?;
        let scale =
            |by: fn(Rational, Rational) -> Option<Rational>, period: &[u32; 2]| -> Result<Rate, Refused> {
                let Some(rate) = rate else { return Ok(None) };
                let along = |axis: usize| by(rate[axis], Rational::integer(period[axis].into()));
                match (along(0), along(1)) {
                    (Some(x), Some(y)) => Ok(Some([x, y])),
                    _ => Err(Box::new(
                        Diagnostic::error("rates", "a rate beyond all limits").label(span, "here"),
                    )),
                }
            };
        let (rate, planes) = match operation {
            Operation::Input(index) => (Some(self.inputs[*index].rate), None),
            Operation::Variable(id) => {
                variables.push(*id);
                (None, None)
            }
            Operation::At(distances, _) => {
                let all = distances.iter().flat_map(|distance| &distance.factors);
                variables.extend(all.map(|(id, _)| *id));
                (rate, planes)
            }
            Operation::Down { period, .. } => (scale(Rational::div, period)?, planes),
            Operation::Up(period, _) => (scale(Rational::mul, period)?, planes),
            Operation::Interleave(period, _) => (scale(Rational::mul, period)?, planes),
            Operation::Fold(_, own, _) => {
                self.check_combinations(span, own)?;
                variables.retain(|id| !own.contains(id));
                (rate, planes)
            }
            Operation::Histogram { cell, bins, .. } => {
                self.check_flat(&operands, "the pixels of a histogram")?;
                (scale(Rational::div, cell)?, Some(*bins))
            }
            Operation::Gather { value, by, plane } => {
                self.check_flat(&by.iter().copied().chain(*plane).collect::<Vec<_>>(), "a distance")?;
                let planes = self.facts(*value).planes;
                if planes.is_some() != plane.is_some() {
                    return Err(self.gathered_planes(span, *value));
                }
                (rate, None)
            }
            Operation::Filter(stencil, list) => {
                self.check_volume(span, stencil, list)?;
                (rate, planes)
            }
            _ => (rate, planes),
        };
        variables.sort_unstable();
        variables.dedup();
        Ok((rate, planes, variables))
    }

    /// The rate that all operands have.
    fn rate(&self, operands: &[NodeId]) -> Result<Rate, Refused> {
        let mut found: Option<(NodeId, [Rational; 2])> = None;
        for id in operands {
            let Some(rate) = self.facts(*id).rate else { continue };
            match found {
                Some((other, before)) if before != rate => {
                    let [this, that] = [rate, before].map(rate_text);
                    let diagnostic = Diagnostic::error("rates", "values of different rates meet")
                        .label(self.written_at(*id), format!("this one has the rate {this}"))
                        .label(self.written_at(other), format!("this one {that}"))
                        .help("bring one to the rate of the other: `(down SX SY E)` or `(up SX SY E)`");
                    return Err(Box::new(diagnostic));
                }
                _ => found = Some((*id, rate)),
            }
        }
        Ok(found.map(|(_, rate)| rate))
    }

    /// The planes that all operands with planes have.
    fn planes(&self, operands: &[NodeId]) -> Result<Option<u32>, Refused> {
        let mut found = None;
        for id in operands {
            let Some(planes) = self.facts(*id).planes else { continue };
            if found.is_some_and(|before| before != planes) {
                let message = format!("values of {} and of {planes} planes meet", found.unwrap_or_default());
                let diagnostic = Diagnostic::error("planes", message)
                    .label(self.written_at(*id), format!("this one has {planes} planes"));
                return Err(Box::new(diagnostic));
            }
            found = Some(planes);
        }
        Ok(found)
    }

    fn check_flat(&self, operands: &[NodeId], what: &str) -> Result<(), Refused> {
        for id in operands {
            if self.facts(*id).planes.is_some() {
                let diagnostic = Diagnostic::error("planes", format!("a value with planes for {what}"))
                    .label(self.written_at(*id), "expected a value without planes");
                return Err(Box::new(diagnostic));
            }
        }
        Ok(())
    }

    fn gathered_planes(&self, span: Span, value: NodeId) -> Refused {
        let (message, help) = match self.facts(value).planes {
            Some(planes) => (
                format!("`gather` of a value with {planes} planes"),
                "say which plane: `(gather E DX DY PLANE)`",
            ),
            None => {
                ("a plane of a value without planes".to_owned(), "leave the plane out: `(gather E DX DY)`")
            }
        };
        Box::new(Diagnostic::error("planes", message).label(span, "here").help(help))
    }

    /// A kernel that reads other planes needs planes.
    fn check_volume(&self, span: Span, stencil: &Stencil, list: &[NodeId]) -> Result<(), Refused> {
        for (number, id) in list.iter().enumerate() {
            let other = stencil.offsets(number).iter().any(|[.., z]| *z != 0);
            if other && self.facts(*id).planes.is_none() {
                let diagnostic =
                    Diagnostic::error("planes", "a kernel of several planes on a value without planes")
                        .label(span, "here")
                        .label(self.written_at(*id), "this value has no planes");
                return Err(Box::new(diagnostic));
            }
        }
        Ok(())
    }

    fn check_combinations(&self, span: Span, own: &[VariableId]) -> Result<(), Refused> {
        let sizes = own.iter().map(|id| {
            let variable = &self.variables[id.0];
            i64::from(variable.end) - i64::from(variable.first)
        });
        let count = sizes.fold(1i64, i64::saturating_mul);
        if count <= MAX_COMBINATIONS {
            return Ok(());
        }
        let diagnostic = Diagnostic::error("fold-too-large", format!("a fold over {count} values"))
            .label(span, format!("expected at most {MAX_COMBINATIONS}"));
        Err(Box::new(diagnostic))
    }
}

//! Chooses the programs to report: the cheapest one, the one with the least weighted cost, or the Pareto front.

use ordered_float::OrderedFloat;

use super::meter::{Meter, together};
use super::ports::Ports;
use super::request::OptimizeRequest;
use super::searching::Search;
use super::variant::Variant;
use crate::algebra::{Placed, Rational};
use crate::backend::array::machine::{Program, RegisterId};
use crate::backend::array::search::Code;
use crate::backend::array::simulate::Prediction;
use crate::backend::array::verify::{Reach, Trace, fits, reaches, span};

/// The result for one variant of a request.
pub(super) struct Compiled {
    pub(super) variant: Variant,
    /// The request, with the variant's way of dividing.
    pub(super) request: OptimizeRequest,
    pub(super) ports: Ports,
    pub(super) found: Search,
}

/// A program found.
pub(super) struct Candidate<'a> {
    pub(super) of: &'a Compiled,
    pub(super) code: &'a Code,
    pub(super) program: Program,
    pub(super) cycles: u32,
    /// The prediction for each output; `None` without a noise model, or if the program reaches across the whole scene.
    pub(super) noise: Option<Vec<Prediction>>,
}

impl Candidate<'_> {
    /// The predicted RMS error of all outputs, from noise and approximation; infinite without a prediction.
    pub(super) fn rms_error(&self) -> f64 {
        let error = |noise: &Vec<Prediction>| together(noise).rms_error().hypot(self.of.variant.lost);
        self.noise.as_ref().map_or(f64::INFINITY, error)
    }

    /// The objective: the cost plus the weighted error.
    pub(super) fn score(&self) -> f64 {
        let weighted = self.of.request.aims.noise_weight.map_or(0.0, |weight| weight * self.rms_error());
        f64::from(self.code.cost) + weighted
    }
}

impl Compiled {
    /// All programs, the cheapest first.
    pub(super) fn codes(&self) -> impl Iterator<Item = &Code> {
        self.found.code.iter().chain(&self.found.kept)
    }

    /// A program with its properties; `None` if it may overflow.
    pub(super) fn candidate<'a>(&'a self, code: &'a Code, meter: Option<&Meter>) -> Option<Candidate<'a>> {
        let target = &self.request.target;
        let program = self.ports.program(target, code);
        let noise =
            predicted(&self.request, &self.ports, &program, &self.ports.output_registers(code), meter)?;
        let cycles = program.cycles(target).ok()?;
        Some(Candidate { of: self, code, program, cycles, noise })
    }
}

/// The predicted noise of a program's results; `None` if it cannot be executed or may overflow, `Some(None)` without a prediction.
#[expect(clippy::option_option, reason = "no program, and a program without a prediction, differ")]
pub(super) fn predicted(
    request: &OptimizeRequest,
    ports: &Ports,
    program: &Program,
    results: &[RegisterId],
    meter: Option<&Meter>,
) -> Option<Option<Vec<Prediction>>> {
    let (target, inputs) = (&request.target, ports.input_registers());
    if let Some(range) = request.aims.input_range {
        let trace = Trace::new(target, program, &inputs, false).ok()?;
        if !fits(target, &trace, range) {
            return None;
        }
    }
    let Some(meter) = meter else { return Some(None) };
    let transfers = program.transfers(target).ok()?;
    let channels: Vec<(RegisterId, u16)> = inputs.iter().copied().zip(0..).collect();
    let reaches: Vec<Option<Reach>> = reaches(target, &transfers, &channels);
    Some(meter.predict(&transfers, &inputs, results, &reaches))
}

/// The program with the lowest score; ties go to the least error of coefficients, then to the first.
pub(super) fn best<'a>(compiled: &'a [Compiled], meter: Option<&'a Meter>) -> Option<Candidate<'a>> {
    candidates(compiled, meter).min_by_key(|candidate| {
        let lost = candidate.of.variant.approximation.as_ref().map_or(0.0, |a| a.rms_error);
        (OrderedFloat(candidate.score()), OrderedFloat(lost))
    })
}

/// The Pareto front: the programs that no other one beats in both cycles and error, the shortest first.
pub(super) fn front<'a>(compiled: &'a [Compiled], meter: Option<&'a Meter>) -> Vec<Candidate<'a>> {
    let mut all: Vec<Candidate<'_>> = candidates(compiled, meter).collect();
    all.sort_by_key(|candidate| (candidate.cycles, OrderedFloat(candidate.rms_error())));
    let mut least: Option<f64> = None;
    all.retain(|candidate| {
        let better = least.is_none_or(|least| candidate.rms_error() < least - NEGLIGIBLE);
        if better {
            least = Some(candidate.rms_error());
        }
        better
    });
    all
}

/// Errors that differ by less count as equal: a millionth of a pixel's last bit.
const NEGLIGIBLE: f64 = 1e-6;

fn candidates<'a>(compiled: &'a [Compiled], meter: Option<&'a Meter>) -> impl Iterator<Item = Candidate<'a>> {
    compiled.iter().flat_map(move |of| of.codes().filter_map(move |code| of.candidate(code, meter)))
}

/// Why every program overflows, if an output itself does.
pub(super) fn overflowing(request: &OptimizeRequest, outputs: &[(String, Placed)]) -> Option<String> {
    let (target, range) = (&request.target, request.aims.input_range?);
    let [least, most] = target.range;
    let text = |[low, high]: [Rational; 2]| format!("{} to {}", low.to_f64(), high.to_f64());
    outputs.iter().find_map(|(name, kernel)| {
        let [low, high] = span(target, kernel, range)?;
        (low < least || high > most).then(|| {
            format!(
                "for inputs of {} the output `{name}` itself becomes {}, and a register holds {}; scale the filter down",
                text(range),
                text([low, high]),
                text([least, most])
            )
        })
    })
}

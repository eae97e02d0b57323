//! The parts of records that are measured or predicted: range, noise, approximation, and alternative programs.

use std::collections::BTreeSet;

use super::choose::{Candidate, Compiled};
use super::evidence::{Evidence, port_list};
use super::meter::{Meter, SIZE, pixels, scene, together};
use crate::algebra::{Offset, Placed, Rational};
use crate::backend::array::machine::Target;
use crate::backend::array::simulate::Prediction;
use crate::backend::array::verify::{Amplitude, Trace, amplitude, convolve};
use crate::picture::Image;
use crate::report::{Alternative, Approximation, Figure, NoiseRecord, OutputNoise, RangeLimit, RangeRecord};

/// The greatest input amplitude without overflow.
pub(super) fn range(chosen: &Candidate<'_>) -> Option<RangeRecord> {
    let Compiled { request, ports, .. } = chosen.of;
    let trace = Trace::new(&request.target, &chosen.program, &ports.input_registers(), false).ok()?;
    amplitude(&request.target, &trace).map(|amplitude| range_record(&request.target, &amplitude))
}

/// An amplitude for records.
pub fn range_record(target: &Target, amplitude: &Amplitude) -> RangeRecord {
    let (instruction, register) = amplitude.limit;
    let named = register.0 < target.registers.len();
    let register = if named { target.register_name(register) } else { "a copy of an operand" };
    RangeRecord {
        symmetric: floor(amplitude.symmetric),
        positive: floor(amplitude.positive),
        limit: RangeLimit { instruction, register: register.to_owned() },
    }
}

/// Rounds down to six decimals, so that the reported amplitude is safe.
fn floor(value: Rational) -> Figure {
    let millionths = i128::from(value.numerator()) * 1_000_000 / i128::from(value.denominator());
    Figure::new(millionths as f64 / 1e6)
}

/// The predicted noise of a program's outputs.
pub(super) fn noise(meter: Option<&Meter>, chosen: &Candidate<'_>) -> Option<NoiseRecord> {
    let names: Vec<&str> = chosen.of.variant.outputs.iter().map(|(name, _)| name.as_str()).collect();
    Some(noise_record(meter?, &names, chosen.noise.as_ref()?))
}

pub(super) fn noise_record(meter: &Meter, names: &[&str], noise: &[Prediction]) -> NoiseRecord {
    let all = together(noise);
    let output = |(name, prediction): (&&str, &Prediction)| OutputNoise {
        output: (*name).to_owned(),
        deviation: Figure::new(prediction.deviation),
        bias: Figure::new(prediction.bias),
        rms_error: Figure::new(prediction.rms_error()),
    };
    NoiseRecord {
        model: meter.noise.name.clone(),
        image_range: meter.range.map(Figure::new),
        deviation: Figure::new(all.deviation),
        bias: Figure::new(all.bias),
        rms_error: Figure::new(all.rms_error()),
        outputs: names.iter().zip(noise).map(output).collect(),
    }
}

/// An alternative to the reported program.
pub(super) fn alternative(evidence: &Evidence<'_>, other: &Candidate<'_>) -> Alternative {
    let Compiled { request, variant, ports, .. } = other.of;
    let target = &request.target;
    let name = |register| Some(target.register_name(register).to_owned());
    let names: Vec<String> = variant.outputs.iter().map(|(name, _)| name.clone()).collect();
    let instructions = &other.program.instructions;
    Alternative {
        cycles: other.cycles,
        instructions: instructions.len() as u32,
        division: ports.division.name().to_owned(),
        noise: noise(evidence.meter, other),
        rms_error: other.noise.as_ref().map(|_| Figure::new(other.rms_error())),
        range: range(other),
        approximation: variant_approximation(evidence.exact, other.of),
        inputs: port_list(&evidence.filter.inputs, ports.input_registers().into_iter().map(name)),
        outputs: port_list(&names, ports.output_registers(other.code).into_iter().map(name)),
        program: instructions.iter().map(|i| format!("{};", target.instruction_text(i))).collect(),
    }
}

/// The error of approximated coefficients.
pub(super) fn approximation(evidence: &Evidence<'_>) -> Option<Approximation> {
    variant_approximation(evidence.exact, evidence.of)
}

fn variant_approximation(exact: &[(String, Placed)], of: &Compiled) -> Option<Approximation> {
    let lost = of.variant.approximation.as_ref()?;
    let range = pixels(&of.request.target, of.request.aims.input_range);
    let images = image_errors(range, exact, &of.variant.outputs);
    Some(Approximation {
        method: Some(lost.method.clone()),
        max_error: lost.max_error.to_f64(),
        rms_error: lost.rms_error,
        image_max_error: images.map(|(max, _)| Figure::new(max)),
        image_rms_error: images.map(|(_, rms)| Figure::new(rms)),
    })
}

/// The maximum and RMS differences of the outputs on a picture of this range, over valid pixels.
pub(super) fn image_errors(
    range: [f64; 2],
    exact: &[(String, Placed)],
    near: &[(String, Placed)],
) -> Option<(f64, f64)> {
    // Planes of a volume are pictures of their own, like channels.
    let both = exact.iter().zip(near).map(|((_, exact), (_, near))| Some([exact.taps()?, near.taps()?]));
    let both: Vec<[Vec<_>; 2]> = both.collect::<Option<_>>()?;
    let taps = both.iter().flatten().flatten();
    let planes: BTreeSet<(i32, u16)> = taps.map(|(channel, [.., z], _)| (*z, *channel)).collect();
    let planes: Vec<(i32, u16)> = planes.into_iter().collect();
    let seed = |(z, channel): &(i32, u16)| (i64::from(*z) << 16 | i64::from(*channel)) as u64;
    let images: Vec<Image> = planes.iter().map(|plane| scene(range, seed(plane))).collect();
    let (mut most, mut squares, mut count) = (0.0f64, 0.0, 0usize);
    for [a, b] in &both {
        let reach = |axis: usize| a.iter().chain(b).map(|(_, o, _)| o[axis].unsigned_abs() as usize).max();
        let (dx, dy) = (reach(0).unwrap_or(0), reach(1).unwrap_or(0));
        let numbers = |taps: &[(u16, Offset, Rational)]| -> Vec<(usize, i32, i32, f64)> {
            let plane = |z: i32, channel: u16| planes.partition_point(|plane| *plane < (z, channel));
            taps.iter().map(|(c, [x, y, z], k)| (plane(*z, *c), *x, *y, k.to_f64())).collect()
        };
        let [a, b] = [a, b].map(|taps| convolve(&images, &numbers(taps), [SIZE; 2]));
        for y in dy..SIZE.saturating_sub(dy) {
            let rows = a.row(y).iter().zip(b.row(y)).take(SIZE.saturating_sub(dx)).skip(dx);
            for (a, b) in rows {
                most = most.max((a - b).abs());
                squares += (a - b) * (a - b);
                count += 1;
            }
        }
    }
    (count > 0).then(|| (most, (squares / count as f64).sqrt()))
}

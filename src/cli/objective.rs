//! Options of `kalg optimize` that say what counts beside the cost: range, noise, and how near coefficients must be.

use clap::Args;

use super::arguments::{number, range, unknown};
use super::outcome::CommandError;
use crate::algebra::Rational;
use crate::backend::array::compile::{Aims, Nearness};
use crate::backend::array::machine::{Noise, Target};

/// The noise model that is none.
pub(super) const NO_NOISE: &str = "ideal";

/// What counts beside the cost.
#[derive(Debug, Args)]
pub(super) struct ObjectiveOptions {
    /// Programs in which nothing overflows for inputs of this range
    #[arg(long, value_name = "LO,HI", value_parser = range, allow_hyphen_values = true)]
    input_range: Option<[Rational; 2]>,
    /// Let coefficients be off by up to E where that makes the program cheaper
    #[arg(long, value_name = "E", value_parser = error)]
    max_error: Option<Rational>,
    /// Round coefficients to multiples of 2^-D
    #[arg(long, value_name = "D", conflicts_with = "max_error", hide_short_help = true)]
    depth: Option<u32>,
    /// Minimise cycles + W · predicted RMS error, whichever way of halving is better
    #[arg(long, value_name = "W", value_parser = weight)]
    weigh_noise: Option<f64>,
    /// Also print the programs that no other one beats in both cycles and predicted RMS error
    #[arg(long)]
    pareto: bool,
    /// Noise model, by the target's name for it, or `ideal` [default: the target's first]
    #[arg(long, value_name = "MODEL", hide_short_help = true)]
    noise: Option<String>,
}

impl ObjectiveOptions {
    /// What they ask for.
    pub(super) fn aims(&self, target: &Target) -> Result<Aims, CommandError> {
        if let Some(range) = self.input_range
            && let [low, high] = range.map(Rational::to_f64)
            && (low < target.range[0] || high > target.range[1])
        {
            let [least, most] = target.range;
            return Err(CommandError::Usage(format!(
                "inputs of {low} to {high} do not fit a register of `{}`, which holds {least} to {most}",
                target.name
            )));
        }
        let noise = self.noise.as_deref().map(|name| noise_model(target, name)).transpose()?;
        if target.noise.is_empty() && noise.is_none() && (self.pareto || self.weigh_noise.is_some()) {
            let message =
                format!("`{}` has no model of noise to weigh; its description can have one", target.name);
            return Err(CommandError::Usage(message));
        }
        Ok(Aims {
            input_range: self.input_range,
            noise,
            noise_weight: self.weigh_noise,
            front: self.pareto,
            nearness: self.max_error.map(Nearness::Within).or(self.depth.map(Nearness::Depth)),
        })
    }
}

/// The model that a target calls by this name, or none at all.
pub(super) fn noise_model(target: &Target, name: &str) -> Result<Noise, CommandError> {
    if name == NO_NOISE {
        return Ok(Noise {
            name: NO_NOISE.to_owned(),
            source: String::new(),
            gain: 1.0,
            fixed_pattern: 0.0,
            temporal: 0.0,
            relative: 0.0,
        });
    }
    target.noise(name).cloned().ok_or_else(|| {
        let known = std::iter::once(NO_NOISE).chain(target.noise.iter().map(|noise| noise.name.as_str()));
        unknown("noise model", name, &target.name, &known.collect::<Vec<_>>())
    })
}

/// An error of coefficients.
pub(super) fn error(text: &str) -> Result<Rational, String> {
    let value = number(text).ok_or("expected a number, as 0.01 or 1/64")?;
    if value.is_negative() { Err("an error is not below 0".to_owned()) } else { Ok(value) }
}

fn weight(text: &str) -> Result<f64, String> {
    let finite = text.parse().ok().filter(|value: &f64| value.is_finite());
    let value = finite.ok_or_else(|| "expected a number, as 0.5".to_owned())?;
    if value >= 0.0 { Ok(value) } else { Err("a weight is not below 0".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_weights_are_not_negative() {
        assert_eq!(error("1/64"), Ok(Rational::new(1, 64).unwrap()));
        assert_eq!(error("0.25"), Ok(Rational::new(1, 4).unwrap()));
        assert!(error("-1/64").is_err() && error("much").is_err());
        assert_eq!(weight("0.5"), Ok(0.5));
        assert!(weight("-1").is_err() && weight("NaN").is_err() && weight("inf").is_err());
    }
}

//! `kalg optimize` and `kalg run` for machines in scan order.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::arguments::unknown;
use super::complain::explain;
use super::files;
use super::interrupt::Interrupt;
use super::outcome::{CommandError, Outcome};
use super::output::{Output, write_whole};
use super::pictures::{named, pictures, usage};
use crate::backend::scan::machine::{Border, Machine, Overflow, Pixel};
use crate::backend::scan::report::{StreamRunInput, StreamRunOutput, StreamRunRecord};
use crate::backend::scan::{Applied, StreamRequest, Streamed, apply, optimize_stream};
use crate::picture::{Image, PictureFormat, read_samples, write_samples};
use crate::report::{Figure, VERSION};
use crate::rule::RuleSet;
use crate::saturate::Clock;

/// What only machines in scan order need to know.
#[derive(Debug, Args, Default, Clone)]
pub(super) struct StreamOptions {
    /// Machines in scan order: what is beyond the image [default: reflect101]
    #[arg(long, hide_short_help = true, value_name = "BORDER", value_parser = PossibleValuesParser::new(Border::ALL.map(|(name, _)| name)))]
    pub(super) border: Option<String>,
    /// Machines in scan order: what happens to results that the type does not hold [default: saturate]
    #[arg(long, hide_short_help = true, value_name = "WHAT", value_parser = PossibleValuesParser::new(Overflow::ALL.map(|(name, _)| name)))]
    pub(super) overflow: Option<String>,
    /// Machines in scan order: the row length that delay lines are counted for [default: the descriptor's]
    #[arg(long, hide_short_help = true, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(super) width: Option<u32>,
    /// Machines in scan order: what 1024 bytes of delay lines cost [default: the descriptor's]
    #[arg(long, hide_short_help = true, value_name = "COST")]
    pub(super) memory_weight: Option<Weight>,
    /// Machines in scan order, with --type float32: also plans with recurrences, where one pixel that is no number spoils all
    /// that follow
    #[arg(long, hide_short_help = true)]
    pub(super) float_recurrences: bool,
}

/// A cost that is not negative, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weight(u64);

impl FromStr for Weight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let cost: f64 = text.parse().map_err(|_| "expected a number, as in 0.05".to_owned())?;
        if !(0.0..=1e6).contains(&cost) {
            return Err("expected a number from 0 to 1000000".to_owned());
        }
        Ok(Self((cost * 1000.0).round() as u64))
    }
}

/// How files are compiled.
pub(super) struct Job {
    machine: Arc<Machine>,
    pixel: Pixel,
    border: Border,
    overflow: Overflow,
    rules: RuleSet,
    float_recurrences: bool,
    nodes: Option<u64>,
    seed: u64,
    interrupt: Interrupt,
}

impl Job {
    /// Resolves options.
    pub(super) fn new(
        mut machine: Machine,
        options: &StreamOptions,
        pixel: Option<&str>,
        rules: &RuleSet,
        [nodes, seed]: [Option<u64>; 2],
    ) -> Result<Self, CommandError> {
        if let Some(width) = options.width {
            machine.width = width as usize;
        }
        if let Some(Weight(weight)) = options.memory_weight {
            machine.kibibyte = weight;
        }
        let pixel = match pixel {
            None => Pixel::UINT8,
            Some(name) => Pixel::named(name).ok_or_else(|| {
                unknown("type of pixels", name, &machine.name, &Pixel::ALL.map(|(name, _)| name))
            })?,
        };
        if options.float_recurrences && !pixel.float {
            let message = format!("--float-recurrences is for --type float32; {} is exact", pixel.name());
            return Err(CommandError::Usage(message));
        }
        Ok(Self {
            rules: rules.for_target(&machine.name),
            float_recurrences: options.float_recurrences,
            machine: Arc::new(machine),
            pixel,
            border: options.border.as_deref().and_then(Border::named).unwrap_or(Border::Reflect101),
            overflow: options.overflow.as_deref().and_then(Overflow::named).unwrap_or(Overflow::Saturate),
            nodes,
            seed: seed.unwrap_or(0),
            interrupt: Interrupt::listen(),
        })
    }

    /// Compiles one file; what is wrong goes to standard error.
    pub(super) fn compile(&self, path: &Path) -> Result<Streamed, Outcome> {
        let name = path.to_string_lossy();
        let source = files::read_source(path).map_err(|error| {
            eprintln!("error: cannot read `{name}`: {error}");
            Outcome::BadInput
        })?;
        let began = Instant::now();
        let clock: Clock = Arc::new(move || began.elapsed());
        let request = StreamRequest {
            source,
            machine: Arc::clone(&self.machine),
            pixel: self.pixel,
            border: self.border,
            overflow: self.overflow,
            rules: self.rules.clone(),
            float_recurrences: self.float_recurrences,
            nodes: self.nodes,
            seed: self.seed,
            time: None,
            interrupted: self.interrupt.flag(),
            clock,
        };
        optimize_stream(&request).map_err(|error| explain(&name, &request.source, error, false).0.into())
    }

    /// Applies the plan of a kernel file to pictures, and compares with direct convolution.
    pub(super) fn apply(
        &self,
        path: &Path,
        given: &[String],
        out: &Path,
        json: bool,
    ) -> Result<Outcome, CommandError> {
        let format = PictureFormat::of(&out.to_string_lossy()).map_err(|e| usage(out, &e))?;
        let streamed = match self.compile(path) {
            Ok(streamed) => streamed,
            Err(outcome) => return Ok(outcome),
        };
        let inputs = &streamed.plan.inputs;
        let read = pictures(inputs, given, |path, bytes| self.image(path, bytes))?;
        let (images, clipped): (Vec<Image>, Vec<usize>) = read.into_iter().unzip();
        let inputs = inputs.iter().zip(clipped);
        let inputs = inputs.map(|(name, clipped)| StreamRunInput { name: name.clone(), clipped }).collect();
        let most = if self.pixel.bits == 8 { 255 } else { u16::MAX };
        let [least, greatest] = self.pixel.range();
        let wraps = self.overflow == Overflow::Wrap && !self.pixel.float;
        let range = if wraps { [least, greatest] } else { [least.max(0), greatest.min(most.into())] };
        let applied = apply(&streamed, &images, streamed.border, self.overflow, range)
            .map_err(|why| CommandError::Usage(format!("cannot run `{}`: {why}", path.display())))?;
        let several = applied.len() > 1;
        let mut outputs = Vec::new();
        for (output, Applied { image, direct, outside }) in streamed.plan.outputs.iter().zip(&applied) {
            let path = if several { named(out, &output.name) } else { out.to_owned() };
            let file = write_samples(image, most, format).map_err(|error| usage(&path, &error))?;
            write_whole(&path, &file)?;
            let pixels = image.pixels();
            let fold = |pick: fn(f64, f64) -> f64, from: f64| pixels.iter().copied().fold(from, pick);
            let differences = pixels.iter().zip(direct.pixels()).map(|(a, b)| (a - b).abs());
            // What wrapped is a pixel of the type again, which the file may still not hold.
            let count = |is: &dyn Fn(f64) -> bool| pixels.iter().filter(|pixel| is(**pixel)).count();
            let [below, above] = if wraps {
                [count(&|pixel| pixel < 0.0), count(&|pixel| pixel > most.into())]
            } else {
                *outside
            };
            outputs.push(StreamRunOutput {
                name: output.name.clone(),
                file: path.to_string_lossy().into_owned(),
                size: [image.width(), image.height()],
                least: Figure::new(fold(f64::min, f64::INFINITY)),
                greatest: Figure::new(fold(f64::max, f64::NEG_INFINITY)),
                clipped: below + above,
                clipped_below: below,
                wrapped: if wraps { outside.iter().sum() } else { 0 },
                greatest_difference: Figure::new(differences.fold(0.0, f64::max)),
            });
        }
        let differs = !self.pixel.float && outputs.iter().any(|o| o.greatest_difference.get() > 0.0);
        let record = StreamRunRecord {
            file: streamed.record.file.clone(),
            filter: streamed.record.filter.clone(),
            target: self.machine.name.clone(),
            pixel: self.pixel.name().to_owned(),
            border: streamed.border.name().to_owned(),
            overflow: self.overflow.name().to_owned(),
            cost: streamed.record.cost,
            inputs,
            outputs,
            version: VERSION.to_owned(),
        };
        Output::new(None).put(&if json { record.to_json() } else { record.text() })?;
        Ok(if differs { Outcome::Internal } else { Outcome::Done })
    }

    /// A picture as pixels of the type, and how many of them it does not hold: those are limited to its range.
    fn image(&self, path: &Path, bytes: &[u8]) -> Result<(Image, usize), CommandError> {
        let (mut image, _) = read_samples(bytes).map_err(|error| usage(path, &error))?;
        let [least, greatest] = self.pixel.range().map(|bound| bound as f64);
        let mut clipped = 0;
        for pixel in image.pixels_mut() {
            let limited = pixel.clamp(least, greatest);
            clipped += usize::from(limited != *pixel);
            *pixel = limited;
        }
        Ok((image, clipped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_numbers_that_are_not_negative() {
        assert_eq!("0.05".parse(), Ok(Weight(50)));
        for text in ["", "-1", "x", "inf", "NaN"] {
            assert!(text.parse::<Weight>().is_err(), "{text}");
        }
    }
}

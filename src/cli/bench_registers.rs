//! `kalg bench --set registers`: one to ten random kernels on a machine with 18 registers, together and one by one.
//!
//! The experiment of Cain's figure 4 (Stow et al. 2020, section 4.3): 3×3 kernels with coefficients k/8, k drawn from 0..8.
//! One by one, each program has the registers that the outputs before it leave, and all but the last keep the input.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::clock::clock;
use super::outcome::{CommandError, Outcome};
use super::output::Output;
use crate::algebra::Random;
use crate::backend::array::compile::{OptimizeRequest, optimize};
use crate::backend::array::machine::Target;
use crate::budget::Budget;
use crate::report::{Figure, VERSION, json_line, markdown};
use crate::rule::RuleSet;
use crate::syntax::Source;

/// The registers of the machine, and the maximum number of kernels per filter, both from the paper.
const REGISTERS: usize = 18;
const MAX_KERNELS: usize = 10;

/// The default instruction set: that of the paper's compiler.
const ISA: &str = "macro";

/// The seed of the random kernels.
const SEED: u64 = 2020;

/// The compile settings.
pub(super) struct Request<'a> {
    pub(super) target: &'a Target,
    pub(super) isa: Option<&'a str>,
    pub(super) samples: usize,
    pub(super) time: Option<Duration>,
    pub(super) nodes: Option<u64>,
    pub(super) rules: RuleSet,
    pub(super) json: bool,
    pub(super) output: Option<PathBuf>,
}

/// Compiles the samples for every number of kernels, and prints the mean numbers of instructions.
pub(super) fn run(request: Request<'_>) -> Result<Outcome, CommandError> {
    let Some(target) = request.target.with_registers(REGISTERS).map(Arc::new) else {
        let message = format!("`{}` cannot be given {REGISTERS} registers", request.target.name);
        return Err(CommandError::Usage(message));
    };
    let mut output = Output::new(request.output.clone());
    let mut rows =
        vec![["kernels", "samples", "one by one", "together", "together / one by one"].map(str::to_owned)];
    for kernels in 1..=MAX_KERNELS {
        let (mut single, mut joint) = (Vec::new(), Vec::new());
        for sample in 0..request.samples {
            let stream = (kernels * request.samples + sample) as u64;
            let matrices = matrices(kernels, &mut Random::stream(SEED, stream));
            let one = |(index, matrix): (usize, &String)| {
                let keep = index + 1 < kernels;
                request.instructions(&target, std::slice::from_ref(matrix), REGISTERS - index, keep)
            };
            let parts: Option<Vec<u32>> = matrices.iter().enumerate().map(one).collect::<Result<_, _>>()?;
            let together = request.instructions(&target, &matrices, REGISTERS, false)?;
            // Only samples with both programs count.
            if let (Some(parts), Some(together)) = (parts, together) {
                single.push(parts.iter().sum());
                joint.push(together);
            }
            eprintln!("{kernels} of {MAX_KERNELS} kernels: sample {} of {}", sample + 1, request.samples);
        }
        let (one_by_one, together) = (mean(&single), mean(&joint));
        if request.json {
            output.put(&json_line(&serde_json::json!({
                "kernels": kernels, "registers": REGISTERS, "samples": request.samples,
                "one_by_one": single, "together": joint,
                "mean_one_by_one": one_by_one.map(Figure::new), "mean_together": together.map(Figure::new),
                "version": VERSION,
            })))?;
        }
        let ratio = together.zip(one_by_one).map(|(together, one_by_one)| together / one_by_one);
        let [one_by_one, together, ratio] = [one_by_one, together, ratio]
            .map(|figure| figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.2}")));
        let compared = format!("{} of {}", single.len(), request.samples);
        rows.push([kernels.to_string(), compared, one_by_one, together, ratio]);
    }
    if !request.json {
        output.put(&format!(
            "Instructions on {} with {REGISTERS} registers, means of the samples that have both programs.\n\n{}",
            target.name,
            markdown(&rows)
        ))?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}

impl Request<'_> {
    /// The instruction count of a program for these kernels in the first `registers` registers, if one is found. Kernels compiled
    /// together get the same total time, or number of nodes, as kernels compiled one by one.
    fn instructions(
        &self,
        target: &Arc<Target>,
        matrices: &[String],
        registers: usize,
        keep_input: bool,
    ) -> Result<Option<u32>, CommandError> {
        let outputs = matrices
            .iter()
            .enumerate()
            .map(|(index, matrix)| format!("\n  (output out{index} (scale 1/8 (kernel {matrix})))"));
        let text = format!("(filter random (inputs image){})", outputs.collect::<String>());
        let general = target.general_registers();
        let names = general.iter().take(registers).map(|r| target.register_name(*r).to_owned()).collect();
        let isa = self.isa.unwrap_or(ISA);
        let time = self.time.map(|time| time.saturating_mul(matrices.len() as u32));
        let nodes = self.nodes.map(|nodes| nodes.saturating_mul(matrices.len() as u64));
        let asked = OptimizeRequest {
            registers: Some(names),
            keep_input,
            budget: Budget::of_work(nodes.unwrap_or(u64::MAX)).with_clock(&clock()).until(time),
            objective: Some(crate::backend::array::search::Objective::Instructions),
            ..OptimizeRequest::new(Source::new("random", text), Arc::clone(target), isa, self.rules.clone())
        };
        let record = optimize(&asked, &mut |_| {})
            .map_err(|error| CommandError::Usage(error.describe(&asked.source)))?;
        Ok(record.instructions)
    }
}

/// Random kernels in the syntax of a kernel file.
fn matrices(count: usize, random: &mut Random) -> Vec<String> {
    let mut row = || format!("({})", [0; 3].map(|_: u8| random.integer(0, 8).to_string()).join(" "));
    (0..count).map(|_| [row(), row(), row()].join(" ")).collect()
}

fn mean(values: &[u32]) -> Option<f64> {
    let sum = values.iter().map(|value| f64::from(*value)).sum::<f64>();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_the_same_every_time() {
        let of = |stream| matrices(2, &mut Random::stream(SEED, stream));
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert!(of(1).iter().all(|matrix| matrix.split(['(', ')', ' ']).all(|n| n.is_empty() || n <= "8")));
    }
}

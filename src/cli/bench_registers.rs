//! `kalg bench --set registers`: one to ten random kernels on a machine with 18 registers, together and one by one.
//!
//! The experiment of Cain's figure 4 (Stow et al. 2020, section 4.3): 3×3 kernels with coefficients k/8, k drawn from 0..8.
//! One by one, each program has the registers that the outputs before it leave, and all but the last keep the input.

use std::num::NonZero;
use std::sync::Arc;

use super::bench_options::Bench;
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

/// The default number of filters for each number of kernels.
const SAMPLES: usize = 10;

/// Compiles the samples for every number of kernels, and prints the mean numbers of instructions.
pub(super) fn run(bench: &Bench) -> Result<Outcome, CommandError> {
    let target = bench.target()?;
    let rules = bench.rules.load()?.for_target(&target.name);
    let Some(target) = target.with_registers(REGISTERS).map(Arc::new) else {
        let message = format!("`{}` cannot be given {REGISTERS} registers", target.name);
        return Err(CommandError::Usage(message));
    };
    let setup = Setup { bench, target: &target, rules };
    let samples = bench.samples.map_or(SAMPLES, NonZero::get);
    let mut output = Output::new(bench.output.clone());
    let mut rows =
        vec![["kernels", "samples", "one by one", "together", "together / one by one"].map(str::to_owned)];
    for kernels in 1..=MAX_KERNELS {
        let (mut single, mut joint) = (Vec::new(), Vec::new());
        for sample in 0..samples {
            let stream = (kernels * samples + sample) as u64;
            let matrices = matrices(kernels, &mut Random::stream(SEED, stream));
            let one = |(index, matrix): (usize, &String)| {
                let keep = index + 1 < kernels;
                setup.instructions(std::slice::from_ref(matrix), REGISTERS - index, keep)
            };
            let parts: Option<Vec<u32>> = matrices.iter().enumerate().map(one).collect::<Result<_, _>>()?;
            let together = setup.instructions(&matrices, REGISTERS, false)?;
            // Only samples with both programs count.
            if let (Some(parts), Some(together)) = (parts, together) {
                single.push(parts.iter().sum());
                joint.push(together);
            }
            eprintln!("{kernels} of {MAX_KERNELS} kernels: sample {} of {samples}", sample + 1);
        }
        let (one_by_one, together) = (mean(&single), mean(&joint));
        if bench.json {
            output.put(&json_line(&serde_json::json!({
                "kernels": kernels, "registers": REGISTERS, "samples": samples,
                "one_by_one": single, "together": joint,
                "mean_one_by_one": one_by_one.map(Figure::new), "mean_together": together.map(Figure::new),
                "version": VERSION,
            })))?;
        }
        let ratio = together.zip(one_by_one).map(|(together, one_by_one)| together / one_by_one);
        let [one_by_one, together, ratio] = [one_by_one, together, ratio]
            .map(|figure| figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.2}")));
        let compared = format!("{} of {samples}", single.len());
        rows.push([kernels.to_string(), compared, one_by_one, together, ratio]);
    }
    if !bench.json {
        output.put(&format!(
            "Instructions on {} with {REGISTERS} registers, means of the samples that have both programs.\n\n{}",
            target.name,
            markdown(&rows)
        ))?;
    }
    output.finish()?;
    Ok(Outcome::Done)
}

/// What every filter is compiled with.
struct Setup<'a> {
    bench: &'a Bench,
    target: &'a Arc<Target>,
    rules: RuleSet,
}

impl Setup<'_> {
    /// The instruction count of a program for these kernels in the first `registers` registers, if one is found. Kernels compiled
    /// together get the same total time, or number of nodes, as kernels compiled one by one.
    fn instructions(
        &self,
        matrices: &[String],
        registers: usize,
        keep_input: bool,
    ) -> Result<Option<u32>, CommandError> {
        let outputs = matrices
            .iter()
            .enumerate()
            .map(|(index, matrix)| format!("\n  (output out{index} (scale 1/8 (kernel {matrix})))"));
        let text = format!("(filter random (inputs image){})", outputs.collect::<String>());
        let Self { bench, target, rules } = self;
        let general = target.general_registers();
        let names = general.iter().take(registers).map(|r| target.register_name(*r).to_owned()).collect();
        let isa = bench.isa.as_deref().unwrap_or(ISA);
        let time = bench.nodes.is_none().then(|| bench.time.0.saturating_mul(matrices.len() as u32));
        let nodes = bench.nodes.map(|nodes| nodes.saturating_mul(matrices.len() as u64));
        let asked = OptimizeRequest {
            registers: Some(names),
            keep_input,
            budget: Budget::of_work(nodes.unwrap_or(u64::MAX)).with_clock(&clock()).until(time),
            objective: Some(crate::backend::array::search::Objective::Instructions),
            ..OptimizeRequest::new(Source::new("random", text), Arc::clone(target), isa, rules.clone())
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

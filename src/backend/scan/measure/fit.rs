//! Costs that fit measured times: non-negative least squares.

use std::collections::BTreeMap;

use super::weights::{NAMES, shares, weights};
use crate::backend::scan::machine::{Cost, Plan, ScanMachine};

/// A plan of a filter, and the measured time of its C.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The filter.
    pub filter: String,
    /// The plan.
    pub plan: Plan,
    /// The time for each pixel.
    pub picoseconds: f64,
}

/// How much slower than the fastest measured plan of a filter the plan of least cost is: 1 if it is that plan.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Slower {
    /// The geometric mean over the filters.
    pub mean: f64,
    /// The greatest.
    pub worst: f64,
}

/// The number of rounds over all weights.
const ROUNDS: usize = 20_000;

/// The machine with weights, in picoseconds for each pixel, with which the costs of these plans are nearest to their times: the sum of
/// squares of relative errors is least. Weights are rounded to thousandths. `None` if the costs are not those of loops over rows.
pub fn fit(machine: &ScanMachine, samples: &[Sample]) -> Option<ScanMachine> {
    let mut fitted = machine.clone();
    let places = weights(&mut fitted)?;
    let rows: Vec<[f64; NAMES.len()]> = samples
        .iter()
        .map(|sample| shares(&sample.plan, machine).map(|share| share / sample.picoseconds))
        .collect();
    for (place, weight) in places.into_iter().zip(least_squares(&rows)) {
        *place = (weight * 1000.0).round() as u64;
    }
    Some(fitted)
}

/// The x ≥ 0 for which the sum of squares of (rows · x − 1) is least, by coordinate descent: the sum is convex, so that it is reached.
fn least_squares<const N: usize>(rows: &[[f64; N]]) -> [f64; N] {
    let mut x = [0.0; N];
    let mut left = vec![-1.0; rows.len()];
    let squares: [f64; N] = std::array::from_fn(|j| rows.iter().map(|row| row[j] * row[j]).sum());
    for _ in 0..ROUNDS {
        for j in (0..N).filter(|j| squares[*j] > 0.0) {
            let slope: f64 = rows.iter().zip(&left).map(|(row, left)| row[j] * left).sum();
            let next = (x[j] - slope / squares[j]).max(0.0);
            rows.iter().zip(&mut left).for_each(|(row, left)| *left += row[j] * (next - x[j]));
            x[j] = next;
        }
    }
    x
}

/// The cost of a plan by the weights of a machine, in its unit.
pub fn modelled(machine: &ScanMachine, plan: &Plan) -> f64 {
    Cost::of(plan, machine).total as f64 / 1000.0
}

impl Slower {
    /// For the plans that cost least on a machine.
    pub fn of(machine: &ScanMachine, samples: &[Sample]) -> Self {
        let mut filters: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        for Sample { filter, plan, picoseconds } in samples {
            filters.entry(filter).or_default().push((modelled(machine, plan), *picoseconds));
        }
        let ratios: Vec<f64> = filters
            .into_values()
            .filter_map(|plans| {
                let (_, chosen) = plans.iter().min_by(|one, other| one.0.total_cmp(&other.0))?;
                let fastest = plans.iter().map(|plan| plan.1).min_by(f64::total_cmp)?;
                Some(chosen / fastest)
            })
            .collect();
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        Self {
            mean: (logarithms / ratios.len().max(1) as f64).exp(),
            worst: ratios.into_iter().fold(1.0, f64::max),
        }
    }
}

/// The descriptor of a machine whose costs are those of loops over rows, as a file.
pub fn descriptor(machine: &ScanMachine) -> String {
    let mut copy = machine.clone();
    let values =
        weights(&mut copy).into_iter().flatten().map(|weight| format!("{}", *weight as f64 / 1000.0));
    let clauses: Vec<String> =
        NAMES.iter().zip(values).map(|(name, value)| format!("({name} {value})")).collect();
    let (plain, rows) = clauses.split_at(clauses.len().saturating_sub(2));
    let ScanMachine { name, doc, width, resident, .. } = machine;
    format!(
        "(stream-machine {name}\n  (doc {doc:?})\n  {}\n  (width {width})\n  (input {})\n  (rows {}))\n",
        plain.join("\n  "),
        if *resident { "resident" } else { "streamed" },
        rows.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::scan::machine::read_machine;
    use crate::syntax::Source;

    #[test]
    fn weights_that_made_the_times_are_found_and_never_negative() {
        let rows: Vec<[f64; 3]> = (1..20)
            .map(|i| {
                let row = [f64::from(i), f64::from(i * i % 7), 1.0];
                let time = 2.0 * row[0] + 0.5 * row[1];
                row.map(|share| share / time)
            })
            .collect();
        let [a, b, c] = least_squares(&rows);
        assert!((a - 2.0).abs() < 1e-6 && (b - 0.5).abs() < 1e-6 && c.abs() < 1e-6, "{a} {b} {c}");
        // The best second weight would be negative.
        assert_eq!(least_squares(&[[1.2, 1.0], [1.0, 0.2]])[1], 0.0);
    }

    #[test]
    fn a_descriptor_is_read_back() {
        let machine = ScanMachine::builtin("cpu").unwrap();
        assert_eq!(read_machine(&Source::new("cpu.sexp", descriptor(&machine))), Ok(machine));
    }
}

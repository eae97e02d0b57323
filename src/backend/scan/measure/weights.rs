//! The weights of a descriptor whose costs are those of loops over rows.

use crate::backend::scan::machine::{Cost, Plan, ScanMachine};

/// The names of the weights in descriptors.
pub(super) const NAMES: [&str; 7] =
    ["addition", "multiplication", "shift", "load", "kibibyte", "pass", "scalar"];

/// A weight that loses nothing where costs are divided by 1024 and by 2.
const UNIT: u64 = 2048;

/// The weights, in thousandths. `None` if the costs are not those of loops over rows.
pub(super) fn weights(machine: &mut ScanMachine) -> Option<[&mut u64; NAMES.len()]> {
    let ScanMachine { addition, multiplication, shift, load, kibibyte, rows: Some(rows), .. } = machine
    else {
        return None;
    };
    Some([addition, multiplication, shift, load, kibibyte, &mut rows.pass, &mut rows.scalar])
}

/// How much of each weight the cost of a plan is.
pub(super) fn shares(plan: &Plan, machine: &ScanMachine) -> [f64; NAMES.len()] {
    std::array::from_fn(|index| {
        let mut unit = machine.clone();
        for (number, weight) in weights(&mut unit).into_iter().flatten().enumerate() {
            *weight = if number == index { UNIT } else { 0 };
        }
        Cost::of(plan, &unit).total as f64 / UNIT as f64
    })
}

/// Machines on which one weight is nothing, or several times as much: their plans differ from those of `machine`, and are good ones
/// if its weights are wrong.
pub(super) fn variants(machine: &ScanMachine) -> Vec<ScanMachine> {
    let mut variants = Vec::new();
    for index in 0..NAMES.len() {
        for factor in [0, 8] {
            let mut variant = machine.clone();
            if let Some(weights) = weights(&mut variant) {
                *weights[index] *= factor;
                variants.push(variant);
            }
        }
    }
    variants
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::scan::{StreamRequest, optimize_stream};
    use crate::rule::RuleSet;
    use crate::syntax::Source;
    use std::sync::Arc;

    #[test]
    fn shares_times_weights_are_the_cost() {
        let mut machine = ScanMachine::builtin("cpu").unwrap();
        let text = "(filter f (inputs image) (output out (scale 1/36 (compose (kernel (1 2 3)) (kernel (3) (2) (1))))))";
        let source = Source::new("f.sexp", text);
        let request = StreamRequest::new(source, Arc::new(machine.clone()), RuleSet::builtin());
        let plan = optimize_stream(&request).unwrap().plan;
        let cost = Cost::of(&plan, &machine).total as f64;
        let shares = shares(&plan, &machine);
        let weights = weights(&mut machine).unwrap();
        let sum: f64 = shares.iter().zip(&weights).map(|(share, weight)| share * **weight as f64).sum();
        assert!((sum - cost).abs() <= 1.0, "{sum} {cost}");
        assert!(variants(&machine).len() == 2 * NAMES.len());
        assert!(variants(&ScanMachine::builtin("ops").unwrap()).is_empty());
    }
}

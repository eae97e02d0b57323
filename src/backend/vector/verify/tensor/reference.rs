//! The reference: convolution as loops over outputs and places of the filter, in 128 bits.

use super::at;
use crate::backend::vector::workload::{Operand, TensorPlacements, Workload};

/// The outputs of a workload, `x` fastest, then `y z k`: the sum shifted right, rounded halves up, saturated to the
/// type. Known weights are those of the workload; `weights` holds the others.
pub fn convolve(workload: &Workload, placed: &TensorPlacements, weights: &[i64], input: &[i64]) -> Vec<i64> {
    let [rs, ss, ts, cs] = workload.filter;
    let [least, greatest] = workload.element.range();
    let half = if workload.shift == 0 { 0 } else { 1i128 << (workload.shift - 1) };
    let mut found = Vec::with_capacity(workload.output.iter().product());
    for output in workload.outputs() {
        let mut sum = 0i128;
        for c in 0..cs {
            for t in 0..ts {
                for s in 0..ss {
                    for r in 0..rs {
                        let tap = [r, s, t, c];
                        let at = at(output, tap);
                        let known = workload.weight(tap, output[3]);
                        let weight = known.unwrap_or_else(|| weights[placed.place(Operand::Weights, &at)]);
                        sum += i128::from(weight) * i128::from(input[placed.place(Operand::Input, &at)]);
                    }
                }
            }
        }
        let shifted = (sum + half) >> workload.shift;
        found.push(shifted.clamp(i128::from(least), i128::from(greatest)) as i64);
    }
    found
}

//! Finds where a program overwrites a value that its result still needs.
//!
//! A machine can still compute the combinations Σ h · r of the registers' kernels r, where the coefficients of the h are sums
//! of products of the weights of its operations: for SCAMP-like machines in Z[1/6], translations included. Such a combination
//! is preserved modulo a prime that divides no weight's denominator, with nonzero values for x and y. A kernel outside the span
//! of the registers' values at such a point is therefore out of reach for good. The converse does not hold: a value may be
//! lost although no point shows it.

use super::trace::Trace;
use crate::algebra::{Placed, Rational};
use crate::backend::array::machine::{State, Target, Value};

/// The primes tried. Modulo 7 and 13 there are cube roots of one, modulo 5, 13 and 17 fourth roots, modulo 11 fifth roots:
/// points where runs of three, four and five ones vanish.
const PRIMES: [u64; 6] = [5, 7, 11, 13, 17, 31];

/// The first instruction, by index, after which no program can compute `wanted` (over all channels of the trace);
/// `None` if unknown.
pub fn lost_at(target: &Target, trace: &Trace, wanted: &Placed) -> Option<usize> {
    let primes: Vec<u64> = PRIMES.into_iter().filter(|p| usable(target, wanted, *p)).collect();
    let lost = |count: usize| out_of_reach(&trace.after(count), trace.machine_registers, wanted, &primes);
    if !lost(trace.lines.len()) {
        return None;
    }
    // A lost value stays lost, so bisection finds the first instruction.
    let (mut kept, mut gone) = (0, trace.lines.len());
    if lost(0) {
        return None;
    }
    while gone - kept > 1 {
        let middle = kept + (gone - kept) / 2;
        if lost(middle) { gone = middle } else { kept = middle }
    }
    Some(gone - 1)
}

/// Whether the denominators of all weights and of the kernel can be inverted modulo a prime.
fn usable(target: &Target, wanted: &Placed, prime: u64) -> bool {
    let inverts = |value: Rational| !value.denominator().unsigned_abs().is_multiple_of(prime);
    let weights = target.primitives.iter().flat_map(|p| &p.weights);
    weights.copied().all(inverts) && wanted.taps().is_some_and(|taps| taps.iter().all(|(.., k)| inverts(*k)))
}

fn out_of_reach(state: &State, registers: usize, wanted: &Placed, primes: &[u64]) -> bool {
    let mut kernels = Vec::new();
    for register in 0..registers {
        match state.value(crate::backend::array::machine::RegisterId(register)) {
            Value::Known(kernel) => kernels.push(kernel),
            Value::Undefined(_) => {}
            Value::Overflow => return false,
        }
    }
    // A kernel with a single tap is an input, moved and scaled: if every channel has such a kernel, nothing is lost.
    let whole =
        |channel| kernels.iter().any(|k| k.shape.is_delta() && k.shape.dense()[channel as usize] != 0);
    if (0..wanted.shape.channels()).all(whole) {
        return false;
    }
    let taps = |kernel: &Placed| kernel.taps();
    let Some(wanted) = taps(wanted) else { return false };
    let Some(kernels) = kernels.into_iter().map(taps).collect::<Option<Vec<_>>>() else { return false };
    if wanted.iter().chain(kernels.iter().flatten()).any(|(_, offset, _)| offset[2] != 0) {
        return false;
    }
    let channels = wanted.iter().chain(kernels.iter().flatten()).map(|t| t.0).max().map_or(0, |c| c + 1);
    primes.iter().any(|p| {
        let field = Field { p: *p };
        let value = |taps: &Taps, at: [u64; 2]| field.evaluate(taps, at, channels);
        (1..*p).flat_map(|x| (1..*p).map(move |y| [x, y])).any(|at| {
            let rows: Vec<Vec<u64>> = kernels.iter().map(|taps| value(taps, at)).collect();
            !field.spans(rows, value(&wanted, at))
        })
    })
}

type Taps = Vec<(u16, [i32; 3], Rational)>;

/// The integers modulo a small prime.
struct Field {
    p: u64,
}

impl Field {
    fn power(&self, base: u64, exponent: i64) -> u64 {
        let mut exponent = exponent.rem_euclid(self.p as i64 - 1);
        let (mut result, mut square) = (1, base % self.p);
        while exponent > 0 {
            if exponent % 2 == 1 {
                result = result * square % self.p;
            }
            square = square * square % self.p;
            exponent /= 2;
        }
        result
    }

    fn inverse(&self, value: u64) -> u64 {
        self.power(value, self.p as i64 - 2)
    }

    fn element(&self, value: Rational) -> u64 {
        let reduce = |n: i64| n.rem_euclid(self.p as i64) as u64;
        reduce(value.numerator()) * self.inverse(reduce(value.denominator())) % self.p
    }

    /// The value of every channel's kernel at this point (x east, y north).
    fn evaluate(&self, taps: &Taps, [x, y]: [u64; 2], channels: u16) -> Vec<u64> {
        let mut values = vec![0; channels as usize];
        for (channel, offset, coefficient) in taps {
            let monomial = self.power(x, offset[0].into()) * self.power(y, offset[1].into()) % self.p;
            let value = &mut values[*channel as usize];
            *value = (*value + monomial * self.element(*coefficient)) % self.p;
        }
        values
    }

    /// Whether `wanted` is a combination of the rows, by elimination.
    fn spans(&self, rows: Vec<Vec<u64>>, mut wanted: Vec<u64>) -> bool {
        let mut reduced: Vec<(usize, Vec<u64>)> = Vec::new();
        for mut row in rows {
            self.reduce(&mut row, &reduced);
            if let Some(pivot) = row.iter().position(|v| *v != 0) {
                let factor = self.inverse(row[pivot]);
                row.iter_mut().for_each(|v| *v = *v * factor % self.p);
                reduced.push((pivot, row));
            }
        }
        self.reduce(&mut wanted, &reduced);
        wanted.iter().all(|v| *v == 0)
    }

    fn reduce(&self, row: &mut [u64], reduced: &[(usize, Vec<u64>)]) {
        for (pivot, other) in reduced {
            let factor = row[*pivot];
            for (value, o) in row.iter_mut().zip(other) {
                *value = (*value + self.p * self.p - factor * o) % self.p;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::{RegisterId, builtin_names};
    use crate::syntax::Source;

    fn row(taps: &[(i32, i64)]) -> Placed {
        let taps: Vec<_> = taps.iter().map(|(x, k)| (0, [*x, 0, 0], Rational::integer(*k))).collect();
        Placed::from_taps(1, &taps).unwrap()
    }

    fn lost(text: &str, wanted: &Placed) -> Option<usize> {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let program = target.parse(&Source::new("test", text)).unwrap().program;
        let trace = Trace::new(&target, &program, &[RegisterId(0)], false).unwrap();
        lost_at(&target, &trace, wanted)
    }

    #[test]
    fn an_input_that_is_overwritten_by_a_sum_is_lost_there() {
        let difference = row(&[(0, -1), (1, 1)]);
        // The neighbour's value stays in B until B is cleared.
        assert_eq!(lost("movx(B, A, east); add(A, A, B); res(B); sub(C, A, B);", &difference), Some(2));
        assert_eq!(lost("movx(B, A, east); add(C, A, B);", &difference), None);
    }

    #[test]
    fn runs_without_rational_zeros_are_seen_through_roots_of_one() {
        let three = "movx(B, A, east); movx(C, A, west); add(A, A, B, C); res(B, C);";
        assert_eq!(lost(three, &row(&[(0, 1)])), Some(3));
        assert_eq!(lost(three, &row(&[(0, 1), (1, 1), (2, 1)])), None, "a run of three, elsewhere");
    }

    #[test]
    fn what_a_cleared_array_lacks_is_lost_with_the_last_register() {
        assert_eq!(lost("bus(A); bus(B, A);", &row(&[(0, 1)])), Some(0));
        assert_eq!(lost("bus(A);", &row(&[])), None, "zero can always be computed");
    }
}

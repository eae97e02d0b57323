//! The error of divisions, to first order.
//!
//! An operation with several destinations splits a charge between registers that are not exactly alike. One of two receives a
//! little more and the other as much less, in a proportion ε that belongs to the pair. Programs are linear in ε. This module
//! tracks, for each register and each pair of destinations, the kernel that multiplies ε. Compensating sequences make it cancel
//! in their result and leave it in another register.

use std::collections::BTreeMap;

use super::remark::Review;
use super::trace::Trace;
use crate::algebra::{Label, Placed, Rational};
use crate::backend::array::machine::{RegisterId, State, Target, Transfer, Value};

/// Two destinations of one operation.
type Pair = (RegisterId, RegisterId);

/// The error of a register.
#[derive(Clone, Debug, Default)]
struct Share {
    /// The kernel of each pair's proportion; none is zero.
    kernels: BTreeMap<Pair, Placed>,
    /// The dividing instructions that it may come from.
    from: Vec<usize>,
    /// The instruction that left it in addition to an error-free result.
    left_by: Option<usize>,
}

impl Share {
    fn is_free(&self) -> bool {
        self.kernels.is_empty()
    }
}

/// Remarks about reads of an error that a compensating division left, and about divisions whose error reaches a result.
pub(super) fn remarks(target: &Target, trace: &Trace, results: &[RegisterId]) -> Vec<Review> {
    let mut errors = Errors { channels: trace.channels(), shares: vec![Share::default(); trace.registers] };
    let mut state = trace.start();
    let mut remarks = Vec::new();
    for (instruction, transfers) in trace.lines.iter().enumerate() {
        let mut written: Vec<RegisterId> = Vec::new();
        let mut divides = false;
        let mut said = false;
        for transfer in transfers {
            for (read, _) in &transfer.reads {
                let own = written.contains(&read.register);
                let left = errors.shares[read.register.0].left_by.filter(|_| !own && !said);
                if let Some(by) = left {
                    said = true;
                    let message = format!(
                        "reads {}, where instruction {} left the error that it removed from its result",
                        target.register_name(read.register),
                        by + 1
                    );
                    remarks.push(Review { id: "error-read", instruction, message });
                }
            }
            divides |= dividing(transfer);
            state.apply(transfer);
            errors.apply(transfer, &state, instruction);
            written.extend(transfer.writes.iter().map(|w| w.register));
        }
        let machine = |register: &RegisterId| register.0 < trace.machine_registers;
        let compensated = written.iter().filter(|r| machine(r)).any(|r| errors.shares[r.0].is_free());
        for register in written.iter().filter(|_| divides && compensated) {
            let share = &mut errors.shares[register.0];
            share.left_by = (!share.is_free()).then_some(instruction);
        }
    }
    let mut blamed: Vec<usize> = Vec::new();
    for result in results {
        let share = &errors.shares[result.0];
        for instruction in share.from.iter().filter(|_| !share.is_free()) {
            if !blamed.contains(instruction) {
                blamed.push(*instruction);
                let message = format!(
                    "the error of this division is not compensated: it is in {}",
                    target.register_name(*result)
                );
                remarks.push(Review { id: "division-error", instruction: *instruction, message });
            }
        }
    }
    remarks
}

/// Whether a transfer divides: it has several destinations, and weights that are not integers.
fn dividing(transfer: &Transfer) -> bool {
    transfer.writes.len() > 1 && transfer.reads.iter().any(|(_, weight)| !weight.is_integer())
}

struct Errors {
    channels: u16,
    shares: Vec<Share>,
}

impl Errors {
    /// Applies one transfer; `state` holds the values after it.
    fn apply(&mut self, transfer: &Transfer, state: &State, instruction: usize) {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut from: Vec<usize> = Vec::new();
        for (read, _) in &transfer.reads {
            let share = &self.shares[read.register.0];
            pairs.extend(share.kernels.keys());
            from.extend(share.from.iter().filter(|_| !share.is_free()));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let sums: Vec<(Pair, Placed)> =
            pairs.into_iter().filter_map(|p| Some((p, self.sum(transfer, p)?))).collect();
        let divides = dividing(transfer);
        if divides {
            from.push(instruction);
        }
        from.sort_unstable();
        from.dedup();
        let mut shares = Vec::new();
        for (index, write) in transfer.writes.iter().enumerate() {
            let moved = Label::at(write.offset);
            let mut kernels: BTreeMap<Pair, Placed> = BTreeMap::new();
            for (pair, sum) in &sums {
                kernels.extend(sum.apply(moved).map(|kernel| (*pair, kernel)));
            }
            // Of two adjacent destinations the first receives more, the second less.
            for (other, sign) in [(index + 1, 1), (index.wrapping_sub(1), -1)].into_iter().filter(|_| divides)
            {
                let Some(other) = transfer.writes.get(other) else { continue };
                let pair = if sign > 0 {
                    (write.register, other.register)
                } else {
                    (other.register, write.register)
                };
                if let Value::Known(value) = state.value(write.register) {
                    let label = Label::scaled(Rational::integer(sign));
                    let terms = kernels.get(&pair).map(|k| (k.label, &k.shape));
                    let own = value.apply(label);
                    let own = own.as_ref().map(|k| (k.label, &k.shape));
                    if let Some(sum) = Placed::sum(self.channels, terms.into_iter().chain(own)) {
                        kernels.insert(pair, sum);
                    }
                }
            }
            kernels.retain(|_, kernel| !kernel.shape.is_zero());
            let from = if kernels.is_empty() { Vec::new() } else { from.clone() };
            shares.push((write.register, Share { kernels, from, left_by: None }));
        }
        for (register, share) in shares {
            self.shares[register.0] = share;
        }
    }

    /// The kernel of one pair's proportion in the sum of a transfer.
    fn sum(&self, transfer: &Transfer, pair: Pair) -> Option<Placed> {
        let terms = transfer.reads.iter().filter_map(|(read, weight)| {
            let kernel = self.shares[read.register.0].kernels.get(&pair)?;
            Some((kernel.label.then(Label::new(*weight, read.offset))?, &kernel.shape))
        });
        Placed::sum(self.channels, terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::builtin_names;
    use crate::syntax::Source;

    /// The remarks about a program: name and instruction.
    fn remarked(text: &str, result: &str) -> Vec<(&'static str, usize)> {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        let program = target.parse(&Source::new("test", text)).unwrap().program;
        let trace = Trace::new(&target, &program, &[RegisterId(0)], false).unwrap();
        let found = remarks(&target, &trace, &[target.register(result).unwrap()]);
        found.into_iter().map(|r| (r.id, r.instruction)).collect()
    }

    #[test]
    fn compensating_divisions_are_free_of_error_in_their_result() {
        assert_eq!(remarked("div(B, C, A);", "B"), []);
        assert_eq!(remarked("div(B, C, A); neg(D, C);", "D"), []);
        assert_eq!(remarked("div(B, C, D, A);", "B"), []);
        assert_eq!(remarked("diva(A, B, C);", "A"), []);
        assert_eq!(remarked("div(B, C, A);", "A"), [("division-error", 0)]);
        assert_eq!(remarked("diva(A, B, C);", "C"), [("division-error", 0)]);
    }

    #[test]
    fn what_a_compensating_division_leaves_is_remarked_where_it_is_read() {
        assert_eq!(remarked("div(B, C, A); add(D, A, B);", "D"), [("error-read", 1), ("division-error", 0)]);
        assert_eq!(remarked("div(B, C, D, A); add(D, A, B);", "D"), [], "A was not touched");
    }

    #[test]
    fn quick_divisions_keep_their_error() {
        assert_eq!(
            remarked("divq(B, A); divq(C, B); res(B);", "C"),
            [("division-error", 0), ("division-error", 1)]
        );
        assert_eq!(remarked("divq(B, A);", "A"), []);
        assert_eq!(remarked("bus3(B, C, D, A);", "D"), [("division-error", 0)]);
    }

    #[test]
    fn both_halves_of_a_split_add_up_to_the_whole() {
        assert_eq!(remarked("bus2(B, C, A); bus(D, B, C);", "D"), []);
        assert_eq!(remarked("bus2(B, C, A); bus(NEWS, B); bus(D, NEWS, C);", "D").len(), 1);
    }
}

//! The signs of steps. Steps are stored once up to a factor, so a plan may need the negative of what is stored: of a difference that is
//! the other difference, which takes no further operation.

use crate::backend::scan::machine::PlanStep;

/// A result: a step times a factor.
pub(super) struct Signed {
    pub(super) source: usize,
    pub(super) is_negative: bool,
    /// Whether a negative factor takes an operation: the code of other factors, and what rounds, has a sign anyway.
    pub(super) negates: bool,
}

/// Steps that are sums, of which some can be made with the opposite sign.
pub(super) struct Signs<'a> {
    pub(super) steps: &'a [PlanStep],
    /// Which of them the plan has.
    pub(super) needed: &'a [bool],
    pub(super) results: &'a [Signed],
}

impl Signs<'_> {
    /// Which steps have the opposite sign in a plan, so that it negates less: one by one and together with an operand, as long as that
    /// saves an operation.
    pub(super) fn chosen(&self) -> Vec<bool> {
        let mut opposite = vec![false; self.steps.len()];
        while self.negations(&opposite) > 0
            && (0..self.steps.len()).rev().any(|step| self.turn(step, &mut opposite))
        {}
        opposite
    }

    /// Turns the sign of a step, and that of one of its operands if need be; returns whether that saves an operation.
    fn turn(&self, step: usize, opposite: &mut [bool]) -> bool {
        let turns = |step: usize| self.needed[step] && matches!(self.steps[step], PlanStep::Fold { .. });
        if !turns(step) {
            return false;
        }
        let before = self.negations(opposite);
        opposite[step] = !opposite[step];
        if self.negations(opposite) < before {
            return true;
        }
        for (source, _) in self.steps[step].reads().filter(|(source, _)| turns(*source)) {
            opposite[source] = !opposite[source];
            if self.negations(opposite) < before {
                return true;
            }
            opposite[source] = !opposite[source];
        }
        opposite[step] = !opposite[step];
        false
    }

    /// The operations that negate values: of sums without a positive term, and of results.
    fn negations(&self, opposite: &[bool]) -> usize {
        let needed = (0..self.steps.len()).filter(|step| self.needed[*step]);
        let sums = needed.filter(|step| match &self.steps[*step] {
            PlanStep::Fold { terms, back: None } => {
                let positive =
                    |weight: i64, source: usize| (weight > 0) == (opposite[source] == opposite[*step]);
                !terms.is_empty() && !terms.iter().any(|term| positive(term.weight, term.source))
            }
            _ => false,
        });
        let negates = |result: &&Signed| result.negates && result.is_negative != opposite[result.source];
        let results = self.results.iter().filter(negates);
        sums.count() + results.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::scan::machine::Term;

    /// Steps over one input: each a sum of terms (step, place to the east, weight).
    fn steps(sums: &[&[(usize, i32, i64)]]) -> Vec<PlanStep> {
        let term = |&(source, x, weight): &(usize, i32, i64)| Term { source, offset: [x, 0, 0], weight };
        let sum = |terms: &&[_]| PlanStep::Fold { terms: terms.iter().map(term).collect(), back: None };
        std::iter::once(PlanStep::Input(0)).chain(sums.iter().map(sum)).collect()
    }

    fn chosen(sums: &[&[(usize, i32, i64)]], is_negative: bool) -> Vec<bool> {
        let (steps, needed) = (steps(sums), vec![true; sums.len() + 1]);
        let results = [Signed { source: sums.len(), is_negative, negates: true }];
        Signs { steps: &steps, needed: &needed, results: &results }.chosen()
    }

    #[test]
    fn a_negative_difference_is_the_other_one() {
        assert_eq!(chosen(&[&[(0, 0, -1), (0, 2, 1)]], true), [false, true]);
        assert_eq!(chosen(&[&[(0, 0, -1), (0, 2, 1)]], false), [false, false]);
        // The negative of a sum takes an operation wherever it is made.
        assert_eq!(chosen(&[&[(0, 0, 1), (0, 2, 1)]], true), [false, false]);
    }

    #[test]
    fn a_sum_of_differences_turns_with_one_of_them() {
        let difference: &[(usize, i32, i64)] = &[(0, 0, 1), (0, 2, -1)];
        assert_eq!(chosen(&[difference, &[(0, 4, 1), (1, 0, 1)]], true), [false, true, true]);
    }
}

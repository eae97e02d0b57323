//! The divisions that a program needs: a lower bound of their cost, and an upper bound of what fits beside them.
//!
//! An instruction that halves its operands lowers the 2-adic valuation of coefficients by one, and a sum has no lower valuation
//! than all of its terms. Eighths therefore take three halvings, one after the other. The same holds for 3.

use super::value::{Factor, Value, ZERO};

/// The primes by which instructions divide: 2 and 3.
const PRIMES: usize = 2;

/// More divisions by a prime count as this many.
const MAX_DIVISIONS: usize = 64;

/// The exponents of 2 and of 3 that all coefficients of a value share, or lower bounds of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Exponents([i16; PRIMES]);

impl Exponents {
    /// Those of zero, which every number divides.
    pub(crate) const ZERO: Self = Self([1000; PRIMES]);

    pub(crate) fn of(value: Value) -> Self {
        if value.shape == ZERO { Self::ZERO } else { Self::of_factor(value.factor) }
    }

    pub(crate) fn of_factor(factor: Factor) -> Self {
        Self([factor.twos.into(), factor.threes.into()])
    }

    /// Those of a sum.
    pub(crate) fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|prime| self.0[prime].min(other.0[prime])))
    }

    /// Those that all of these share; those of zero if there are none.
    pub(crate) fn common(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::ZERO, Self::and)
    }

    /// Those of a product.
    pub(crate) fn times(self, other: Self) -> Self {
        Self(std::array::from_fn(|prime| (self.0[prime] + other.0[prime]).min(Self::ZERO.0[prime])))
    }

    /// The divisions that lead from these to `wanted`.
    pub(crate) fn down_to(self, wanted: Self) -> Quotient {
        Quotient(std::array::from_fn(|prime| {
            usize::try_from(self.0[prime] - wanted.0[prime]).unwrap_or(0).min(MAX_DIVISIONS)
        }))
    }
}

/// How often values are divided by 2 and by 3.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Quotient([usize; PRIMES]);

impl Quotient {
    /// The divisions left after an instruction.
    pub(crate) fn after(self, done: Self) -> Self {
        Self(std::array::from_fn(|prime| self.0[prime].saturating_sub(done.0[prime])))
    }
}

/// What divisions cost on a machine.
pub(crate) struct Divisions {
    /// The least cost of an instruction, at least 1.
    least: u32,
    /// For each prime, the most divisions by it of an instruction, at least 1.
    most: [usize; PRIMES],
    /// For each prime and number of divisions by it, the least cost of instructions that divide so often; `u32::MAX` if none divide.
    costs: [Vec<u32>; PRIMES],
    /// How much more these cost, at least, than as many instructions of the least cost.
    surpluses: [Vec<u32>; PRIMES],
}

impl Divisions {
    /// For instructions with these costs and divisions on the way from an operand to a result.
    pub(crate) fn new(forms: &[(u32, Quotient)]) -> Self {
        let least = forms.iter().map(|(cost, _)| *cost).min().unwrap_or(1).max(1);
        let dividing = |prime: usize| {
            let all = forms.iter().map(move |(cost, by)| ((*cost).max(least), by.0[prime]));
            all.filter(|(_, divisions)| *divisions > 0)
        };
        let sums = |prime: usize, of: &dyn Fn(u32) -> u32| {
            let mut sums = vec![0u32];
            for left in 1..=MAX_DIVISIONS {
                let with = |(cost, divisions): (u32, usize)| {
                    of(cost).saturating_add(sums[left.saturating_sub(divisions)])
                };
                sums.push(dividing(prime).map(with).min().unwrap_or(u32::MAX));
            }
            sums
        };
        Self {
            least,
            most: std::array::from_fn(|prime| dividing(prime).map(|(_, most)| most).max().unwrap_or(1)),
            costs: std::array::from_fn(|prime| sums(prime, &|cost| cost)),
            surpluses: std::array::from_fn(|prime| sums(prime, &|cost| cost - least)),
        }
    }

    /// A lower bound of the cost of these divisions; 0 if no instruction divides.
    pub(crate) fn cost(&self, quotient: Quotient) -> u32 {
        let of = |prime: usize| self.costs[prime][quotient.0[prime]];
        (0..PRIMES).map(of).filter(|cost| *cost < u32::MAX).max().unwrap_or(0)
    }

    /// A lower bound of the number of instructions that these divisions take.
    pub(crate) fn count(&self, quotient: Quotient) -> usize {
        (0..PRIMES).map(|prime| quotient.0[prime].div_ceil(self.most[prime])).max().unwrap_or(0)
    }

    /// An upper bound of the number of instructions in a program that costs at most `cost` and makes these divisions; `None` if the
    /// divisions alone cost more.
    pub(crate) fn steps(&self, cost: u32, quotient: Quotient) -> Option<usize> {
        let of = |prime: usize| {
            let divisions = quotient.0[prime];
            let fits = self.costs[prime][divisions] <= cost;
            fits.then(|| ((cost - self.surpluses[prime][divisions]) / self.least) as usize)
        };
        (0..PRIMES).map(of).try_fold(usize::MAX, |most, steps| Some(most.min(steps?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::machine::{Division, Target, builtin_names};
    use crate::backend::array::search::program::recipe::{Objective, Recipes};
    use crate::backend::array::search::program::value::Shapes;

    fn quotient(twos: i8, threes: i8) -> Quotient {
        let factor = Factor { twos, threes, negative: false };
        Exponents::of(Shapes::delta(0)).down_to(Exponents::of_factor(factor))
    }

    fn recipes(division: Division, objective: Objective) -> Recipes {
        let target = Target::builtin(builtin_names()[0]).unwrap();
        Recipes::compile(&target.forms("bus", division), &[6, 1], objective)
    }

    /// A compensated halving takes five cycles and a quick one a cycle; quick operations also divide by three.
    #[test]
    fn halvings_cost_what_the_machine_says() {
        let compensated = recipes(Division::Compensated, Objective::Cycles).divisions;
        assert_eq!([0, 1, 3].map(|halvings| compensated.cost(quotient(-halvings, 0))), [0, 5, 15]);
        assert_eq!(compensated.cost(quotient(2, 0)), 0, "eight is not halved");
        assert_eq!(compensated.cost(quotient(0, -1)), 0, "nothing divides by three");
        let quick = recipes(Division::Quick, Objective::Cycles).divisions;
        assert_eq!(quick.cost(quotient(-3, -2)), 3);
        let instructions = recipes(Division::Compensated, Objective::Instructions).divisions;
        assert_eq!(instructions.cost(quotient(-3, 0)), 3);
    }

    #[test]
    fn halvings_leave_fewer_instructions_within_a_cost() {
        let compensated = recipes(Division::Compensated, Objective::Cycles).divisions;
        let most = |cost, halvings: i8| compensated.steps(cost, quotient(-halvings, 0));
        assert_eq!([most(21, 0), most(21, 1), most(21, 4), most(20, 4)], [21, 17, 5, 4].map(Some));
        assert_eq!([most(19, 4), most(0, 1)], [None; 2]);
        assert_eq!(compensated.steps(21, quotient(0, -1)), None, "no such program");
        assert_eq!([compensated.count(quotient(-4, 0)), compensated.count(quotient(1, 0))], [4, 0]);
    }
}

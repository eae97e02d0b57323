//! Minimum-cost flow: least weighted sums of values under difference constraints, with a proof.
//!
//! The least Σ b(v) · x(v) with x(j) − x(i) ≥ c(i, j) equals the greatest Σ c(i, j) · f(i, j) over flows f ≥ 0 whose inflow less
//! outflow at each v is b(v). The flow is found along longest paths, all of one search at once; what it costs proves that the values are least.

use std::collections::{BTreeSet, VecDeque};

/// A constraint: `to` is at least `from` plus `least`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Constraint {
    /// A variable.
    pub(super) from: usize,
    /// Another.
    pub(super) to: usize,
    /// The least difference.
    pub(super) least: i64,
}

/// A least sum under difference constraints.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Problem {
    /// The factors of the variables; their sum is zero.
    pub(super) factors: Vec<i64>,
    /// The constraints.
    pub(super) constraints: Vec<Constraint>,
}

/// The least values, and a flow for each constraint that proves them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Solution {
    /// The values of the variables, up to a common addend.
    pub(super) values: Vec<i64>,
    /// The flows.
    pub(super) flows: Vec<i64>,
}

/// No values, or none yet.
const FAR: i64 = i64::MIN / 4;

impl Problem {
    /// A new variable with this factor.
    pub(super) fn variable(&mut self, factor: i64) -> usize {
        self.factors.push(factor);
        self.factors.len() - 1
    }

    /// Adds a constraint.
    pub(super) fn constrain(&mut self, from: usize, to: usize, least: i64) {
        self.constraints.push(Constraint { from, to, least });
    }

    /// Σ b(v) · x(v).
    pub(super) fn sum(&self, values: &[i64]) -> i64 {
        self.factors.iter().zip(values).map(|(factor, value)| factor * value).sum()
    }

    /// Solves the problem. `None` if the constraints contradict one another, or leave the sum without bound.
    pub(super) fn solve(&self) -> Option<Solution> {
        let mut residual = Residual::new(self);
        let mut excess: Vec<i64> = self.factors.iter().map(|factor| -factor).collect();
        while excess.iter().any(|excess| *excess > 0) {
            let starts: Vec<i64> = excess.iter().map(|excess| if *excess > 0 { 0 } else { FAR }).collect();
            let lengths = residual.longest(starts)?;
            if !residual.fill(&lengths, &mut excess) {
                return None;
            }
        }
        let values = residual.longest(vec![0; self.factors.len()])?;
        Some(Solution { values, flows: residual.flows })
    }
}

/// A constraint, followed forwards or backwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Step {
    constraint: usize,
    forwards: bool,
}

struct Residual<'p> {
    problem: &'p Problem,
    flows: Vec<i64>,
    /// The steps from each variable.
    steps: Vec<Vec<Step>>,
}

impl<'p> Residual<'p> {
    fn new(problem: &'p Problem) -> Self {
        let mut steps = vec![Vec::new(); problem.factors.len()];
        for (constraint, Constraint { from, to, .. }) in problem.constraints.iter().enumerate() {
            steps[*from].push(Step { constraint, forwards: true });
            steps[*to].push(Step { constraint, forwards: false });
        }
        Self { problem, flows: vec![0; problem.constraints.len()], steps }
    }

    fn of(&self, step: Step) -> &Constraint {
        &self.problem.constraints[step.constraint]
    }

    fn tail(&self, step: Step) -> usize {
        if step.forwards { self.of(step).from } else { self.of(step).to }
    }

    fn head(&self, step: Step) -> usize {
        if step.forwards { self.of(step).to } else { self.of(step).from }
    }

    fn length(&self, step: Step) -> i64 {
        if step.forwards { self.of(step).least } else { -self.of(step).least }
    }

    fn room(&self, step: Step) -> i64 {
        if step.forwards { i64::MAX } else { self.flows[step.constraint] }
    }

    fn push(&mut self, step: Step, amount: i64) {
        self.flows[step.constraint] += if step.forwards { amount } else { -amount };
    }

    /// The lengths of the longest paths from any start. `None` if there is a cycle of positive length.
    fn longest(&self, mut lengths: Vec<i64>) -> Option<Vec<i64>> {
        let mut visits = vec![0usize; lengths.len()];
        let mut open: VecDeque<usize> = (0..lengths.len()).filter(|v| lengths[*v] > FAR).collect();
        let mut waiting: Vec<bool> = lengths.iter().map(|length| *length > FAR).collect();
        while let Some(v) = open.pop_front() {
            waiting[v] = false;
            visits[v] += 1;
            if visits[v] > lengths.len() + 1 {
                return None;
            }
            for step in &self.steps[v] {
                let (next, length) = (self.head(*step), lengths[v] + self.length(*step));
                if self.room(*step) > 0 && length > lengths[next] {
                    lengths[next] = length;
                    if !std::mem::replace(&mut waiting[next], true) {
                        open.push_back(next);
                    }
                }
            }
        }
        Some(lengths)
    }

    /// Sends what flows along longest paths, from where there is too much to where there is too little. The lengths still prove that
    /// the flow costs least: each step along a longest path is as long as the difference of its ends, and so is its way back. Returns
    /// whether anything flowed.
    fn fill(&mut self, lengths: &[i64], excess: &mut [i64]) -> bool {
        let mut closed = vec![false; lengths.len()];
        let mut flowed = false;
        for start in 0..lengths.len() {
            while excess[start] > 0
                && let Some(path) = self.path(start, lengths, excess, &mut closed)
            {
                let Some(end) = path.last().map(|step| self.head(*step)) else { break };
                let room = path.iter().map(|step| self.room(*step)).min().unwrap_or(0);
                let amount = excess[start].min(-excess[end]).min(room);
                path.iter().for_each(|step| self.push(*step, amount));
                excess[start] -= amount;
                excess[end] += amount;
                flowed |= amount > 0;
            }
        }
        flowed
    }

    /// A path of longest steps from a start to where there is too little. What leads nowhere is closed.
    fn path(&self, start: usize, lengths: &[i64], excess: &[i64], closed: &mut [bool]) -> Option<Vec<Step>> {
        let mut path: Vec<Step> = Vec::new();
        let mut on_path = BTreeSet::from([start]);
        // The next step to try from the start, and from each variable on the path.
        let mut tried = vec![0];
        let mut at = start;
        while excess[at] >= 0 {
            let next = tried.last_mut()?;
            let Some(step) = self.steps[at].get(*next) else {
                closed[at] = true;
                tried.pop();
                on_path.remove(&at);
                at = self.tail(path.pop()?);
                continue;
            };
            *next += 1;
            let head = self.head(*step);
            let is_longest = self.room(*step) > 0 && lengths[head] == lengths[at] + self.length(*step);
            if is_longest && !closed[head] && on_path.insert(head) {
                path.push(*step);
                tried.push(0);
                at = head;
            }
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Random;

    /// The least sum over all values from 0 to `most`, by trying all.
    fn by_trying(problem: &Problem, most: i64) -> Option<i64> {
        let count = problem.factors.len();
        let all = (most + 1).pow(count as u32);
        let mut least = None;
        for mut code in 0..all {
            let values: Vec<i64> = (0..count)
                .map(|_| {
                    let digit = code % (most + 1);
                    code /= most + 1;
                    digit
                })
                .collect();
            let holds = |c: &Constraint| values[c.to] - values[c.from] >= c.least;
            if problem.constraints.iter().all(holds) {
                let sum = problem.sum(&values);
                least = Some(least.map_or(sum, |least: i64| least.min(sum)));
            }
        }
        least
    }

    #[test]
    fn sums_are_least_and_flows_prove_it() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let mut problem = Problem::default();
            let mut factors: Vec<i64> = (0..3).map(|_| random.integer(-2, 2)).collect();
            factors.push(-factors.iter().sum::<i64>());
            problem.factors = factors;
            for to in 1..4 {
                for from in 0..to {
                    // Both ways, so that the sum has a bound and no value goes beyond 6.
                    let least = random.integer(-1, 2);
                    problem.constrain(from, to, least);
                    problem.constrain(to, from, -least - random.integer(0, 2));
                }
            }
            let found = problem.solve();
            let Some(solution) = found else {
                assert_eq!(by_trying(&problem, 6), None);
                continue;
            };
            let Solution { values, flows } = &solution;
            assert_eq!(Some(problem.sum(values)), by_trying(&problem, 6), "{problem:?}");
            let proof: i64 = problem.constraints.iter().zip(flows).map(|(c, flow)| c.least * flow).sum();
            assert_eq!(problem.sum(values), proof);
        }
    }
}

//! Explains why one program for a vector machine is faster than another: where it saves cycles, and at what price.

use serde::Serialize;

use crate::report::counted;

/// The performance data of a program for a vector machine. Its cycles are the sum of set-up, multiplications, stalls,
/// ramps and waits for banks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VectorPlan {
    /// The form or schedule.
    pub method: String,
    /// All cycles: set-up, multiplications, stalls, ramps and waits for banks.
    pub cycles: u64,
    /// Cycles of the call and of loop set-ups.
    pub set_up: u64,
    /// Cycles that multiply.
    pub multiplies: u64,
    /// Cycles of the loop's intervals that do not multiply, because loads or stores take longer.
    pub stalls: u64,
    /// Cycles in which the pipeline fills or empties, in addition to the intervals of the iterations.
    pub ramps: u64,
    /// Cycles in which accesses wait for a bank that another access uses.
    pub bank_stalls: u64,
    /// The number of vector loads, including those of the set-ups.
    pub loads: u64,
    /// The number of roundings and stores.
    pub stores: u64,
    /// The cycles from one iteration of the pipelined loop to the next.
    pub initiation_interval: u64,
    /// The number of iterations of the pipelined loop.
    pub iterations: u64,
    /// The number of times that the pipelined loop is entered.
    pub entries: u64,
    /// The loads of an iteration through the busiest pointer.
    pub loads_through_one: u64,
    /// The loads of an iteration.
    pub loads_in_iteration: u64,
    /// The roundings and stores of an iteration.
    pub stores_in_iteration: u64,
    /// The multiplications of an iteration.
    pub multiplies_in_iteration: u64,
    /// The bundles of program memory.
    pub bundles: u64,
    /// The number of vector registers.
    pub vectors: u64,
    /// The number of accumulators.
    pub accumulators: u64,
}

impl VectorPlan {
    /// The operations that determine the interval, in words.
    fn limit(&self) -> String {
        let interval = self.initiation_interval;
        let per_iteration =
            |n: u64, one: &str| format!("{} in {}", counted(n, one), counted(interval, "cycle"));
        if self.multiplies_in_iteration == interval {
            return format!("{} in as many cycles", counted(interval, "multiplication"));
        }
        if self.stores_in_iteration == interval {
            return per_iteration(self.stores_in_iteration, "operation") + ", all in the store slot";
        }
        if self.loads_through_one == interval {
            return per_iteration(self.loads_through_one, "load")
                + " through one pointer, which takes one a cycle";
        }
        format!(
            "{}, with {} and {} in the store slot",
            per_iteration(self.multiplies_in_iteration, "multiplication"),
            counted(self.loads_in_iteration, "load"),
            counted(self.stores_in_iteration, "operation")
        )
    }
}

/// "n fewer" or "n more", of cycles.
fn less(chosen: u64, other: u64) -> String {
    match other.checked_sub(chosen) {
        Some(saved) => format!("{} fewer", counted(saved, "cycle")),
        None => format!("{} more", counted(chosen - other, "cycle")),
    }
}

/// Explains why the chosen program is faster than the other, or why no other was chosen. Returns sentences, the largest
/// saving first. `what` names the other, such as "the published schedule".
pub fn why(chosen: &VectorPlan, other: &VectorPlan, what: &str) -> Vec<String> {
    if chosen.method == other.method {
        return vec![format!("{what} was chosen: none that was tried is faster")];
    }
    let mut found = vec![format!(
        "{} cycles, {} than {what} with its {}",
        chosen.cycles,
        less(chosen.cycles, other.cycles),
        other.cycles
    )];
    if chosen.cycles == other.cycles {
        found = vec![format!("as fast as {what}, and found before it")];
    }
    found.extend(saved(chosen, other, what));
    let told = taken(chosen, other);
    if !told.is_empty() {
        found.push(format!("it takes {}", told.join(", ")));
    }
    found
}

/// The cycles saved or lost, the largest saving first.
fn saved(chosen: &VectorPlan, other: &VectorPlan, what: &str) -> Vec<String> {
    let mut parts: Vec<(i64, String)> = Vec::new();
    let mut part = |chosen: u64, other: u64, text: String| {
        if chosen != other {
            parts.push((chosen as i64 - other as i64, text));
        }
    };
    part(
        chosen.multiplies,
        other.multiplies,
        format!(
            "{} for multiplications: {} operations compute the outputs, not {}",
            less(chosen.multiplies, other.multiplies),
            chosen.multiplies,
            other.multiplies
        ),
    );
    part(
        chosen.stalls,
        other.stalls,
        format!(
            "{} in which the loop does not multiply: an iteration has {}; that of {what} has {}",
            less(chosen.stalls, other.stalls),
            chosen.limit(),
            other.limit()
        ),
    );
    part(
        chosen.bank_stalls,
        other.bank_stalls,
        format!(
            "{} in which accesses wait for a bank: {} wait, not {}",
            less(chosen.bank_stalls, other.bank_stalls),
            chosen.bank_stalls,
            other.bank_stalls
        ),
    );
    let around = [chosen, other].map(|plan| plan.set_up + plan.ramps);
    let times = match chosen.entries == other.entries {
        true => format!("the loop is entered {} by both", counted(chosen.entries, "time")),
        false => format!("the loop is entered {}, not {}", counted(chosen.entries, "time"), other.entries),
    };
    part(
        around[0],
        around[1],
        format!(
            "{} around the loop: {times}; {} in set-ups and {} in filling and emptying the pipeline, not {} and {}",
            less(around[0], around[1]),
            counted(chosen.set_up, "cycle"),
            chosen.ramps,
            other.set_up,
            other.ramps
        ),
    );
    parts.sort();
    parts.into_iter().map(|(_, text)| text).collect()
}

/// The resources that the chosen program uses in another amount than the other.
fn taken(chosen: &VectorPlan, other: &VectorPlan) -> Vec<String> {
    let resources = [
        ("bundle of program memory", "bundles of program memory", chosen.bundles, other.bundles),
        ("vector register", "vector registers", chosen.vectors, other.vectors),
        ("accumulator", "accumulators", chosen.accumulators, other.accumulators),
        ("load", "loads", chosen.loads, other.loads),
    ];
    resources
        .into_iter()
        .filter(|(.., chosen, other)| chosen != other)
        .map(|(one, more, chosen, other)| {
            format!("{chosen} {} and not {other}", if chosen == 1 { one } else { more })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(method: &str, entries: u64, iterations: u64, multiplies: u64, loads: u64) -> VectorPlan {
        let interval = multiplies.max(loads);
        let (all, set_up, ramps) = (entries * iterations, 20 + 24 * entries, 17 * entries);
        VectorPlan {
            method: method.to_owned(),
            cycles: all * interval + set_up + ramps,
            set_up,
            multiplies: all * multiplies,
            stalls: all * (interval - multiplies),
            ramps,
            loads: all * loads,
            initiation_interval: interval,
            iterations,
            entries,
            loads_through_one: loads,
            loads_in_iteration: loads,
            multiplies_in_iteration: multiplies,
            bundles: interval + 30,
            ..VectorPlan::default()
        }
    }

    #[test]
    fn what_saves_most_comes_first() {
        let (chosen, other) = (plan("rows", 2, 16, 32, 20), plan("published", 8, 16, 8, 9));
        let told = why(&chosen, &other, "the published schedule");
        assert!(
            told[0].contains(&format!("{} fewer than", counted(other.cycles - chosen.cycles, "cycle"))),
            "{told:?}"
        );
        assert!(
            told[1].starts_with("246 cycles fewer around the loop: the loop is entered 2 times, not 8"),
            "{told:?}"
        );
        assert!(told[2].starts_with("128 cycles fewer in which the loop does not multiply"), "{told:?}");
        assert!(
            told[2].ends_with("9 loads in 9 cycles through one pointer, which takes one a cycle"),
            "{told:?}"
        );
        assert!(told[3].contains("62 bundles of program memory and not 39"), "{told:?}");
        assert_eq!(told.len(), 4);
    }

    #[test]
    fn the_published_one_may_be_the_best() {
        let same = plan("published", 8, 16, 8, 9);
        assert_eq!(why(&same, &same, "the published schedule").len(), 1);
    }
}

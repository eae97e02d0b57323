//! The cycle of every operation of an iteration at a given initiation interval.
//!
//! Multiplications issue in order, as soon as the multiplier is free and their operands have arrived. Roundings and
//! stores issue as early as possible. Loads issue as late as possible, to hold registers no longer than needed.

use std::collections::{BTreeMap, BTreeSet};

use super::body::{Body, Origin, Sum};
use crate::backend::vector::machine::{Address, VliwMachine};

/// The cycles of the operations of one iteration. Negative cycles are before the first multiplication.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Times {
    pub(super) interval: i64,
    /// The cycle of each multiplication.
    pub(super) products: Vec<i64>,
    /// The issue cycle and slot of each load. `None` for vectors that are not loaded in the iteration.
    pub(super) loads: Vec<Option<(i64, usize)>>,
    /// The cycle of each sum's rounding, and of its store if it has one.
    pub(super) sums: Vec<(i64, Option<i64>)>,
    /// For each sum that begins with a vector, the issue cycle and slot of the widening.
    pub(super) widened: Vec<Option<(i64, usize)>>,
    /// For each vector, the cycle in which it arrives and the last one in which it is read.
    pub(super) lives: Vec<Option<(i64, i64)>>,
}

/// The spacing of multiplications.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spacing {
    /// Back to back, with the idle cycles at the end of the interval.
    Dense,
    /// Evenly over the interval.
    Even,
}

/// The treatment of accesses to one tensor in one cycle, which may conflict in a bank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meetings {
    /// They are not avoided.
    Ignored,
    /// A load goes to a cycle without another access to its tensor, if there is one.
    Avoided,
}

/// The slots taken in each cycle of the interval.
struct Reservation {
    interval: i64,
    taken: Vec<Vec<bool>>,
}

impl Reservation {
    fn new(machine: &VliwMachine, interval: i64) -> Self {
        Self { interval, taken: vec![vec![false; machine.slots.len()]; interval as usize] }
    }

    fn free(&self, time: i64, slots: &[usize]) -> Option<usize> {
        let row = &self.taken[time.rem_euclid(self.interval) as usize];
        slots.iter().copied().find(|slot| !row[*slot])
    }

    fn take(&mut self, time: i64, slot: usize) {
        self.taken[time.rem_euclid(self.interval) as usize][slot] = true;
    }

    /// The first cycle from `ready` on in which one of the slots is free.
    fn earliest(&mut self, ready: i64, slots: &[usize]) -> Option<i64> {
        let time = (ready..ready + self.interval).find(|t| self.free(*t, slots).is_some())?;
        let slot = self.free(time, slots)?;
        self.take(time, slot);
        Some(time)
    }
}

/// The least interval that slots and pointers allow.
pub(super) fn least_interval(machine: &VliwMachine, body: &Body) -> usize {
    let mut through: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for vector in &body.vectors {
        if let Origin::Memory(at) = &vector.origin {
            *through.entry((at.array, at.pointer)).or_default() += 1;
        }
    }
    let pointers = through.values().map(|n| n.div_ceil(machine.loads_per_pointer)).max().unwrap_or(0);
    let widened = body.sums.iter().filter(|sum| sum.widened.is_some()).count();
    let shared = machine.widen.slots.iter().all(|slot| machine.load.slots.contains(slot));
    let beside = if shared { widened } else { 0 };
    let loads = (through.values().sum::<usize>() + beside).div_ceil(machine.load.slots.len());
    let widened = if widened == 0 { 0 } else { widened.div_ceil(machine.widen.slots.len().max(1)) };
    let stores = body.sums.len() + body.sums.iter().filter(|sum| sum.store.is_some()).count();
    body.products.len().max(pointers).max(loads).max(stores).max(widened).max(1)
}

/// The cycles at an interval, or `None` if some operation cannot be placed.
pub(super) fn times(
    machine: &VliwMachine,
    body: &Body,
    interval: usize,
    spacing: Spacing,
    meetings: Meetings,
) -> Option<Times> {
    let mut planner = Planner {
        machine,
        body,
        reservation: Reservation::new(machine, interval as i64),
        times: Times {
            interval: interval as i64,
            products: vec![0; body.products.len()],
            loads: vec![None; body.vectors.len()],
            sums: vec![(0, None); body.sums.len()],
            widened: vec![None; body.sums.len()],
            lives: vec![None; body.vectors.len()],
        },
    };
    planner.products(spacing)?;
    planner.loads(meetings)?;
    planner.lives();
    planner.consistent().then_some(planner.times)
}

struct Planner<'a> {
    machine: &'a VliwMachine,
    body: &'a Body,
    reservation: Reservation,
    times: Times,
}

impl Planner<'_> {
    fn products(&mut self, spacing: Spacing) -> Option<()> {
        let (body, interval) = (self.body, self.times.interval);
        let mut left = vec![0usize; body.sums.len()];
        for product in &body.products {
            left[product.sum] += 1;
        }
        let mut last: Vec<Option<i64>> = vec![None; body.sums.len()];
        let mut rounded = vec![false; body.sums.len()];
        for (index, product) in body.products.iter().enumerate() {
            let mut ready = match spacing {
                Spacing::Dense => 0,
                Spacing::Even => index as i64 * interval / body.products.len() as i64,
            };
            ready = ready.max(last[product.sum].map_or(0, |time| time + 1));
            if let Some(before) = self.body.sums[product.sum].continues {
                // The accumulator changes after this product's latency, which must be after the rounding.
                let rounded = rounded[before].then(|| self.times.sums[before].0)?;
                ready = ready.max(rounded + 1 - self.machine.multiply.latency as i64);
            }
            for (vector, back) in product.data() {
                if let Origin::Sum(sum) = body.vectors[vector].origin
                    && rounded[sum]
                {
                    let arrives = self.times.sums[sum].0 + self.machine.round.latency as i64;
                    ready = ready.max(arrives - back as i64 * interval);
                }
            }
            let begins = self.body.sums[product.sum].widened.filter(|_| last[product.sum].is_none());
            let made = begins.map(|widened| match body.vectors[widened.vector].origin {
                Origin::Sum(sum) if rounded[sum] => {
                    let arrives = self.times.sums[sum].0 + self.machine.round.latency as i64;
                    arrives - widened.back as i64 * interval
                }
                _ => i64::MIN / 2,
            });
            if let Some(made) = made {
                ready = ready.max(made + self.before());
            }
            let time = self.reservation.earliest(ready, &self.machine.multiply.slots)?;
            self.times.products[index] = time;
            if let Some(made) = made {
                self.times.widened[product.sum] = Some(self.widen(time, made)?);
            }
            last[product.sum] = Some(time);
            left[product.sum] -= 1;
            if left[product.sum] == 0 {
                self.round(product.sum, time)?;
                rounded[product.sum] = true;
            }
        }
        rounded.iter().all(|done| *done).then_some(())
    }

    /// The cycles from the issue of a widened vector to that of the first product added to it: the accumulator changes
    /// before the product reads it.
    fn before(&self) -> i64 {
        (self.machine.widen.latency as i64 - self.machine.accumulate as i64).max(1)
    }

    /// Issues a widening as late as possible before the first product of its sum, but not before the vector is `made`.
    fn widen(&mut self, first: i64, made: i64) -> Option<(i64, usize)> {
        let latest = first - self.before();
        let slots = &self.machine.widen.slots;
        let earliest = made.max(latest - self.times.interval + 1);
        let time = (earliest..=latest).rev().find(|t| self.reservation.free(*t, slots).is_some())?;
        let slot = self.reservation.free(time, slots)?;
        self.reservation.take(time, slot);
        Some((time, slot))
    }

    fn round(&mut self, sum: usize, last: i64) -> Option<()> {
        let ready = last + self.machine.multiply.latency as i64;
        let time = self.reservation.earliest(ready, &self.machine.round.slots)?;
        let store = match self.body.sums[sum].store {
            None => None,
            Some(_) => {
                let ready = time + self.machine.round.latency as i64;
                Some(self.reservation.earliest(ready, &self.machine.store.slots)?)
            }
        };
        self.times.sums[sum] = (time, store);
        Some(())
    }

    /// The first and the last cycle in which each vector is read, including reads by later iterations.
    fn reads(&self) -> Vec<Option<(i64, i64)>> {
        let mut reads: Vec<Option<(i64, i64)>> = vec![None; self.body.vectors.len()];
        let mut read = |vector: usize, time: i64| {
            let (first, last) = reads[vector].unwrap_or((time, time));
            reads[vector] = Some((first.min(time), last.max(time)));
        };
        for (product, time) in self.body.products.iter().zip(&self.times.products) {
            for (vector, back) in product.data() {
                read(vector, time + back as i64 * self.times.interval);
            }
            read(product.z, *time);
        }
        for (sum, time) in self.body.sums.iter().zip(&self.times.widened) {
            if let (Some(widened), Some((time, _))) = (sum.widened, time) {
                read(widened.vector, time + widened.back as i64 * self.times.interval);
            }
        }
        for (sum, (_, store)) in self.body.sums.iter().zip(&self.times.sums) {
            if let Some(time) = store {
                read(sum.vector, *time);
            }
        }
        reads
    }

    /// Places loads as late as possible, those needed last first.
    fn loads(&mut self, meetings: Meetings) -> Option<()> {
        let reads = self.reads();
        let mut wanted: Vec<(i64, usize, &Address)> = Vec::new();
        for (index, vector) in self.body.vectors.iter().enumerate() {
            if let (Origin::Memory(at), Some((first, _))) = (&vector.origin, reads[index]) {
                wanted.push((first, index, at));
            }
        }
        wanted.sort_unstable_by_key(|(first, index, _)| std::cmp::Reverse((*first, *index)));
        let interval = self.times.interval;
        let mut through: BTreeMap<(usize, usize, i64), usize> = BTreeMap::new();
        let mut accessed: BTreeSet<(usize, i64)> = self.stores();
        for (first, index, at) in wanted {
            let latest = first - self.machine.load.latency as i64;
            let cycle = |t: i64| (at.array, at.pointer, t.rem_euclid(interval));
            let pointer = |t: i64| through.get(&cycle(t)).copied().unwrap_or(0);
            let free = |t: &i64| {
                pointer(*t) < self.machine.loads_per_pointer
                    && self.reservation.free(*t, &self.machine.load.slots).is_some()
            };
            let mut possible = (latest - interval + 1..=latest).rev().filter(free);
            let time = match meetings {
                Meetings::Ignored => possible.next(),
                Meetings::Avoided => {
                    let mut first = None;
                    let alone = |t: &i64| {
                        first.get_or_insert(*t);
                        !accessed.contains(&(at.array, t.rem_euclid(interval)))
                    };
                    possible.find(alone).or(first)
                }
            }?;
            accessed.insert((at.array, time.rem_euclid(interval)));
            let slot = self.reservation.free(time, &self.machine.load.slots)?;
            self.reservation.take(time, slot);
            *through.entry(cycle(time)).or_default() += 1;
            self.times.loads[index] = Some((time, slot));
        }
        Some(())
    }

    /// The tensor of each store, with its cycle of the interval.
    fn stores(&self) -> BTreeSet<(usize, i64)> {
        let of = |(sum, (_, time)): (&Sum, &(i64, Option<i64>))| {
            Some((sum.store.as_ref()?.array, (*time)?.rem_euclid(self.times.interval)))
        };
        self.body.sums.iter().zip(&self.times.sums).filter_map(of).collect()
    }

    fn lives(&mut self) {
        let reads = self.reads();
        for (index, vector) in self.body.vectors.iter().enumerate() {
            let Some((_, last)) = reads[index] else { continue };
            let arrives = match vector.origin {
                Origin::Memory(_) => {
                    self.times.loads[index].map(|(time, _)| time + self.machine.load.latency as i64)
                }
                Origin::Sum(sum) => Some(self.times.sums[sum].0 + self.machine.round.latency as i64),
                Origin::Resident(_) => None,
            };
            self.times.lives[index] = arrives.map(|arrives| (arrives, last));
        }
    }

    /// Whether everything has arrived when it is first read, and no vector lives longer than the interval.
    fn consistent(&self) -> bool {
        let reads = self.reads();
        self.times.lives.iter().zip(&reads).all(|(life, reads)| match (life, reads) {
            (Some((arrives, last)), Some((first, _))) => {
                first >= arrives && last - arrives < self.times.interval
            }
            _ => true,
        })
    }
}

//! Register allocation for vectors and accumulators, with the resulting lane selections, at given cycles.
//!
//! A vector occupies its register from its arrival to its last read, on a circle of the length of the interval. The register of
//! a data vector decides whether lanes can be selected at all. So registers and selections are searched together, depth first.

use std::collections::BTreeMap;

use super::body::{Body, Origin, Use};
use super::operands::{Operands, Selector};
use super::times::Times;
use crate::backend::vector::machine::VliwMachine;

/// The registers of an iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Registers {
    /// The vector register of each vector.
    pub(super) vectors: Vec<usize>,
    /// The accumulator of each sum.
    pub(super) sums: Vec<usize>,
    /// For each product, the buffer and selection of its data, and of the data combined with it.
    pub(super) operands: Vec<Operands>,
}

/// The number of placements tried for each limit on the number of distinct selection offsets. Bodies that fit need only
/// a few per vector. Fewer offsets leave configuration registers free, so they are tried first.
const MAX_TRIED: [(usize, usize); 3] = [(1, 2_000), (2, 2_000), (usize::MAX, 4_000)];

/// The cycles of the interval in which each register is occupied.
struct Circle {
    interval: i64,
    taken: Vec<Vec<bool>>,
}

impl Circle {
    fn cycles(&self, (from, to): (i64, i64)) -> impl Iterator<Item = usize> + use<> {
        let interval = self.interval;
        (from..=to).map(move |time| time.rem_euclid(interval) as usize)
    }

    fn free(&self, register: usize, life: (i64, i64)) -> bool {
        life.1 - life.0 < self.interval && self.cycles(life).all(|cycle| !self.taken[register][cycle])
    }

    fn set(&mut self, register: usize, life: (i64, i64), taken: bool) {
        for cycle in self.cycles(life) {
            self.taken[register][cycle] = taken;
        }
    }
}

/// Allocates the registers, or returns `None` if none are found.
pub(super) fn registers(
    machine: &VliwMachine,
    body: &Body,
    times: &Times,
    selector: &mut Selector<'_>,
) -> Option<Registers> {
    if crowded(machine, body, times) {
        return None;
    }
    let sums = accumulators(machine, body, times)?;
    for (offsets, tries) in MAX_TRIED {
        let mut search = Search::new(machine, body, times, selector)?;
        (search.most_offsets, search.tries_left) = (offsets, tries);
        if search.descend(0).is_some() {
            let vectors = search.register.iter().map(|register| register.unwrap_or(0)).collect();
            let operands = search.operands.into_iter().collect::<Option<_>>()?;
            return Some(Registers { vectors, sums, operands });
        }
    }
    None
}

/// Whether some cycle has more live vectors than registers. Then no search can succeed.
fn crowded(machine: &VliwMachine, body: &Body, times: &Times) -> bool {
    let cycles = times.interval as usize;
    let [mut data, mut coefficients, mut all] = [(); 3].map(|()| vec![0usize; cycles]);
    for (vector, life) in body.vectors.iter().zip(&times.lives) {
        let (from, to) = match (&vector.origin, life) {
            (Origin::Resident(_), _) => (0, times.interval - 1),
            (_, Some(life)) => *life,
            (_, None) => continue,
        };
        for cycle in (from..=to).map(|time| time.rem_euclid(times.interval) as usize) {
            all[cycle] += 1;
            match vector.purpose {
                Use::Data => data[cycle] += 1,
                Use::Coefficient => coefficients[cycle] += 1,
                Use::Result => {}
            }
        }
    }
    let beyond = |held: &[usize], registers: usize| held.iter().any(|held| *held > registers);
    beyond(&data, machine.data_vectors().len())
        || beyond(&coefficients, machine.coefficients.len())
        || beyond(&all, machine.vectors.len())
}

/// The accumulator of each sum: in order of their beginnings, each takes the first that is free.
fn accumulators(machine: &VliwMachine, body: &Body, times: &Times) -> Option<Vec<usize>> {
    let mut circle = Circle {
        interval: times.interval,
        taken: vec![vec![false; times.interval as usize]; machine.accumulators.len()],
    };
    let first = |sum: usize| {
        let of = body.products.iter().zip(&times.products).filter(|(product, _)| product.sum == sum);
        of.map(|(_, time)| *time).min()
    };
    let mut lives: Vec<(i64, i64, usize)> = Vec::new();
    for sum in (0..body.sums.len()).filter(|sum| body.sums[*sum].continues.is_none()) {
        // The lifetime extends to the last sum that continues this one.
        let mut last = sum;
        while let Some(next) = body.sums.iter().position(|other| other.continues == Some(last)) {
            last = next;
        }
        let begins = match times.widened[sum] {
            Some((time, _)) => time + machine.widen.latency as i64,
            None => first(sum)? + machine.multiply.latency as i64,
        };
        lives.push((begins, times.sums[last].0, sum));
    }
    lives.sort_unstable();
    let mut found = vec![0; body.sums.len()];
    for (from, to, sum) in lives {
        let register = (0..machine.accumulators.len()).find(|a| circle.free(*a, (from, to)))?;
        circle.set(register, (from, to), true);
        found[sum] = register;
    }
    for (sum, before) in body.sums.iter().enumerate().filter_map(|(sum, s)| Some((sum, s.continues?))) {
        found[sum] = found[before];
    }
    Some(found)
}

struct Search<'a, 's, 'b> {
    machine: &'a VliwMachine,
    body: &'a Body,
    selector: &'s mut Selector<'b>,
    circle: Circle,
    /// The vectors in placement order, with their lifetimes.
    order: Vec<(usize, (i64, i64))>,
    register: Vec<Option<usize>>,
    /// For each vector, the products that read it as data.
    readers: Vec<Vec<usize>>,
    operands: Vec<Option<Operands>>,
    data: Vec<usize>,
    /// The number of products that use each offset.
    offsets: BTreeMap<u64, usize>,
    most_offsets: usize,
    tries_left: usize,
    /// Whether coefficients are narrower than data.
    narrow: bool,
}

impl<'a, 's, 'b> Search<'a, 's, 'b> {
    fn new(
        machine: &'a VliwMachine,
        body: &'a Body,
        times: &Times,
        selector: &'s mut Selector<'b>,
    ) -> Option<Self> {
        let mut readers = vec![Vec::new(); body.vectors.len()];
        for index in 0..body.products.len() {
            selector.vectors(index).iter().for_each(|vector| readers[*vector].push(index));
        }
        let mut search = Self {
            machine,
            body,
            selector,
            circle: Circle {
                interval: times.interval,
                taken: vec![vec![false; times.interval as usize]; machine.vectors.len()],
            },
            order: Vec::new(),
            register: vec![None; body.vectors.len()],
            readers,
            operands: vec![None; body.products.len()],
            data: machine.data_vectors(),
            offsets: BTreeMap::new(),
            most_offsets: usize::MAX,
            tries_left: 0,
            narrow: machine.mode(&body.mode).is_some_and(|mode| mode.z != mode.x),
        };
        let whole = (0, times.interval - 1);
        for (index, vector) in body.vectors.iter().enumerate() {
            match (&vector.origin, times.lives[index]) {
                (Origin::Resident(_), _) => {
                    let free = search
                        .candidates(vector.purpose)
                        .into_iter()
                        .find(|r| search.circle.free(*r, whole))?;
                    search.circle.set(free, whole, true);
                    search.register[index] = Some(free);
                }
                (_, Some(life)) => search.order.push((index, life)),
                (_, None) => {}
            }
        }
        // Selections from resident vectors are already settled.
        for index in 0..body.products.len() {
            if search.placed(index) {
                let operands = search.selector.operands(index, &search.register)?;
                *search.offsets.entry(operands.0.1.offsets).or_default() += 1;
                search.operands[index] = Some(operands);
            }
        }
        // Results come last: they fit wherever a cycle is free.
        search
            .order
            .sort_by_key(|(index, life)| (body.vectors[*index].purpose == Use::Result, life.0, *index));
        Some(search)
    }

    fn candidates(&self, purpose: Use) -> Vec<usize> {
        match purpose {
            Use::Data => self.data.clone(),
            Use::Coefficient => self.machine.coefficients.clone(),
            // In some modes, coefficient registers hold elements of another type.
            Use::Result if self.narrow => self.data.clone(),
            Use::Result => (0..self.machine.vectors.len()).collect(),
        }
    }

    fn descend(&mut self, depth: usize) -> Option<()> {
        let Some(&(vector, life)) = self.order.get(depth) else { return Some(()) };
        for register in self.candidates(self.body.vectors[vector].purpose) {
            if !self.circle.free(register, life) || self.is_crossed(vector, register, life) {
                continue;
            }
            self.tries_left = self.tries_left.checked_sub(1)?;
            self.register[vector] = Some(register);
            let mut settled = Vec::new();
            if self.selectable(vector, &mut settled) {
                self.circle.set(register, life, true);
                if self.descend(depth + 1).is_some() {
                    return Some(());
                }
                self.circle.set(register, life, false);
            }
            for product in settled {
                self.unsettle(product);
            }
            self.register[vector] = None;
        }
        None
    }

    /// Whether another vector needs the register during this vector's life in C++, where one iteration follows the other. A vector that
    /// the next iteration reads lives across the boundary: others may share its register only if they begin after that read and end
    /// before the vector is made anew. Results that are only stored have variables of their own there.
    fn is_crossed(&self, vector: usize, register: usize, life: (i64, i64)) -> bool {
        let is_result = |vector: usize| self.body.vectors[vector].purpose == Use::Result;
        let is_carried = |vector: usize| self.body.vectors[vector].initial.is_some();
        let within = |own: (i64, i64), carried: (i64, i64)| {
            own.0 > carried.1 - self.circle.interval && own.1 < carried.0
        };
        let placed = self.order.iter().filter(|(other, _)| self.register[*other] == Some(register));
        !is_result(vector)
            && placed.filter(|(other, _)| !is_result(*other)).any(|(other, theirs)| {
                match (is_carried(vector), is_carried(*other)) {
                    (true, true) => true,
                    (true, false) => !within(*theirs, life),
                    (false, true) => !within(life, *theirs),
                    (false, false) => false,
                }
            })
    }

    /// Whether every product whose data is now in registers can select its lanes. Adds the newly settled products to `settled`.
    fn selectable(&mut self, vector: usize, settled: &mut Vec<usize>) -> bool {
        for at in 0..self.readers[vector].len() {
            let index = self.readers[vector][at];
            if !self.placed(index) {
                continue;
            }
            let Some(operands) = self.selector.operands(index, &self.register) else { return false };
            *self.offsets.entry(operands.0.1.offsets).or_default() += 1;
            self.operands[index] = Some(operands);
            settled.push(index);
            if self.offsets.len() > self.most_offsets {
                return false;
            }
        }
        true
    }

    /// Forgets the selection of a product.
    fn unsettle(&mut self, product: usize) {
        let Some(((_, selection), _)) = self.operands[product].take() else { return };
        if let Some(count) = self.offsets.get_mut(&selection.offsets) {
            *count -= 1;
            if *count == 0 {
                self.offsets.remove(&selection.offsets);
            }
        }
    }

    /// Whether all data of a product is in registers.
    fn placed(&self, product: usize) -> bool {
        self.selector.vectors(product).iter().all(|vector| self.register[*vector].is_some())
    }
}

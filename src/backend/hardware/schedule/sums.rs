//! Weighted sums as adders and shifts: the cheapest of several arrangements, by the bits of adders and of what is kept.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::lags::lags;
use super::price::row_bits;
use crate::algebra::adders::{Request, Summand, System, arrangements};
use crate::algebra::gcd;
use crate::backend::hardware::machine::{
    Columns, Factor, Frame, HardwareMachine, Netlist, Operand, Operation, Port,
};
use crate::budget::Budget;
use crate::pipeline::Range;

/// The work on the arrangements of one sum, and the most where it does not suffice for any.
const WORK: u64 = 1 << 17;
const MOST_WORK: u64 = 1 << 25;
/// The number of arrangements of a system that are priced.
const PRICED: usize = 3;

/// What arrangements are chosen by.
#[derive(Clone, Copy)]
pub(super) struct Prices<'m> {
    /// The machine.
    pub(super) machine: &'m HardwareMachine,
    /// The frame.
    pub(super) frame: &'m Frame,
    /// Whether sums may go on from pixel to pixel.
    pub(super) running: bool,
    /// What was chosen before.
    pub(super) known: &'m RefCell<Known>,
}

/// Chains by the intervals of what is given and the summands.
pub(super) type Known = BTreeMap<(Vec<[i128; 2]>, Vec<[i64; 4]>), Chain>;

/// A weighted sum of values, and a constant.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    /// The values with their weights.
    pub(super) terms: Vec<(Operand, i128)>,
    /// The constant.
    pub(super) constant: i128,
    /// The values that the sum can have, if more is known than the values of the terms.
    pub(super) within: Option<Range>,
}

/// A step of a chain.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Sums of given values. `reads` names the given value that each one of the system is, and the rows that it is read north: where
    /// rows are apart, no partial sum is kept for another row.
    Sums { system: System, reads: Vec<(usize, i32)> },
    /// The sum of the first given value over neighbours along an axis, which goes on from one pixel to the next, and the factor of
    /// that sum.
    Running { axis: usize, length: u32, first: [i32; 2], weight: i64 },
}

/// Steps one after the other: each but the first reads the first sum of the one before.
pub(super) type Chain = Vec<Step>;

/// Adds the cells of a sum for a stage. `None` where there are too many bits.
pub(super) fn add_sum(netlist: &mut Netlist, stage: &str, sum: &Sum, prices: Prices<'_>) -> Option<Operand> {
    let mut constant = sum.constant;
    let mut weights: BTreeMap<Operand, i128> = BTreeMap::new();
    for (operand, weight) in &sum.terms {
        match operand {
            Operand::Number(number) => constant = constant.checked_add(number.checked_mul(*weight)?)?,
            tap => {
                let all = weights.entry(*tap).or_default();
                *all = all.checked_add(*weight)?;
            }
        }
    }
    weights.retain(|_, weight| *weight != 0);
    let Some(twos) = weights.values().map(|weight| weight.trailing_zeros()).min() else {
        return Some(Operand::Number(constant));
    };
    let terms: Vec<(Operand, i64)> = weights
        .into_iter()
        .map(|(tap, weight)| Some((tap, i64::try_from(weight >> twos).ok()?)))
        .collect::<Option<_>>()?;
    let (given, system) = system(&terms);
    let chain = chosen(netlist, &given, &system, prices)?;
    let part = realise(netlist, stage, &given, &chain)?;
    finish(netlist, stage, part, (twos, constant), sum.within)
}

/// The cheapest chain for a sum, found once for sums that are alike.
fn chosen(netlist: &Netlist, given: &[Operand], system: &System, prices: Prices<'_>) -> Option<Chain> {
    let ranges = given.iter().map(|of| netlist.range(*of)).map(|range| [range.least, range.greatest]);
    let summands = system.sums.iter().flatten();
    let summands =
        summands.map(|one| [one.source as i64, one.offset[0].into(), one.offset[1].into(), one.weight]);
    let key = (ranges.collect(), summands.collect());
    if let Some(chain) = prices.known.borrow().get(&key) {
        return Some(chain.clone());
    }
    // With several pixels in a clock, a sum along columns would go through all of them in one clock.
    let fits = |step: &Step| match step {
        Step::Running { axis, .. } => prices.running && (prices.frame.lanes == 1 || *axis == 1),
        Step::Sums { .. } => true,
    };
    let best = chains(given, system)
        .into_iter()
        .filter(|chain| chain.iter().all(fits))
        .filter_map(|chain| Some((price(netlist, given, &chain, prices)?, chain)))
        .min_by_key(|(price, _)| *price);
    let (_, chain) = best?;
    prices.known.borrow_mut().insert(key, chain.clone());
    Some(chain)
}

/// Shifts a partial sum and adds the constant.
fn finish(
    netlist: &mut Netlist,
    stage: &str,
    part: Part,
    (twos, constant): (u32, i128),
    within: Option<Range>,
) -> Option<Operand> {
    let factor = Factor { negative: part.negative, shift: part.shift + twos };
    let one = Factor { negative: false, shift: 0 };
    if constant != 0 {
        let operands = vec![part.operand, Operand::Number(constant)];
        return netlist.add(stage, Operation::Sum(vec![factor, one]), operands, within);
    }
    if factor == one {
        if let Some(within) = within {
            netlist.narrow(part.operand, within);
        }
        return Some(part.operand);
    }
    netlist.add(stage, Operation::Sum(vec![factor]), vec![part.operand], within)
}

/// The values that are read, at no offset, and the sum of them as a system.
fn system(terms: &[(Operand, i64)]) -> (Vec<Operand>, System) {
    let mut given: Vec<Operand> = Vec::new();
    let mut summands = Vec::new();
    for (operand, weight) in terms {
        let Operand::Tap(cell, [x, y]) = operand else { continue };
        let itself = Operand::Tap(*cell, [0, 0]);
        let source = given.iter().position(|one| *one == itself).unwrap_or_else(|| {
            given.push(itself);
            given.len() - 1
        });
        summands.push(Summand { source, offset: [*x, *y, 0], weight: *weight });
    }
    let sums = vec![summands];
    (given.clone(), System { given: given.len(), sums })
}

/// Ways to compute a sum: at once, or the columns before the rows, or the rows before the columns, where that is possible.
fn chains(given: &[Operand], system: &System) -> Vec<Chain> {
    let mut chains: Vec<Chain> = arranged(system).into_iter().map(|one| vec![one]).collect();
    if given.len() == 1
        && let Some([columns, rows]) = separated(&system.sums[0])
    {
        for [first, second] in [[&columns, &rows], [&rows, &columns]] {
            for one in arranged(first) {
                chains.extend(arranged(second).into_iter().map(|other| vec![one.clone(), other]));
            }
        }
    }
    chains
}

/// The arrangements of a system that are worth a price, cheapest first. A system without a second summand is its own.
fn arranged(system: &System) -> Vec<Step> {
    let request = Request { plain: &|_| true, kept: &|_| false, cost: &|system| system.additions() as u64 };
    let together = (system.clone(), (0..system.given).map(|given| (given, 0)).collect());
    let mut all: Vec<Step> = running(system).into_iter().collect();
    for (system, reads) in std::iter::once(together).chain(rows_apart(system)) {
        let mut work = WORK;
        let mut found = arrangements(&system, &request, &Budget::of_work(work));
        while found.is_empty() && work < MOST_WORK {
            work *= 4;
            found = arrangements(&system, &request, &Budget::of_work(work));
        }
        all.extend(found.into_iter().take(PRICED).map(|system| Step::Sums { system, reads: reads.clone() }));
    }
    all
}

/// The fewest neighbours whose sum goes on from pixel to pixel: of fewer, adders in pairs are as few.
const FEWEST_RUNNING: usize = 4;

/// A sum of neighbours with equal weights as one that goes on from pixel to pixel; `None` if it is no such sum.
fn running(system: &System) -> Option<Step> {
    let [sum] = &system.sums[..] else { return None };
    let lead = sum.iter().min_by_key(|summand| summand.offset)?;
    let weight = lead.weight;
    let end = sum.iter().map(|summand| summand.offset).max()?;
    let axis = [0, 1].into_iter().find(|axis| lead.offset[*axis] != end[*axis])?;
    let other = 1 - axis;
    let length = sum.len();
    let is_row = end[axis] - lead.offset[axis] + 1 == length as i32 && lead.offset[other] == end[other];
    let places: BTreeSet<[i32; 3]> = sum.iter().map(|summand| summand.offset).collect();
    let is_even = sum.iter().all(|one| one.source == 0 && one.weight == weight) && places.len() == length;
    if system.given != 1
        || length < FEWEST_RUNNING
        || !is_row
        || !is_even
        || !weight.unsigned_abs().is_power_of_two()
    {
        return None;
    }
    let [x, y, _] = lead.offset;
    Some(Step::Running { axis, length: length as u32, first: [x, y], weight })
}

/// A sum whose rows are given values of their own, and which these are; `None` if it reads one row.
fn rows_apart(system: &System) -> Option<(System, Vec<(usize, i32)>)> {
    let mut reads: Vec<(usize, i32)> = Vec::new();
    let mut sums = system.sums.clone();
    for summand in sums.iter_mut().flatten() {
        let read = (summand.source, summand.offset[1]);
        summand.source = reads.iter().position(|one| *one == read).unwrap_or_else(|| {
            reads.push(read);
            reads.len() - 1
        });
        summand.offset[1] = 0;
    }
    let rows: BTreeSet<i32> = reads.iter().map(|(_, row)| *row).collect();
    (rows.len() > 1).then_some((System { given: reads.len(), sums }, reads))
}

/// A sum of one source as a column of factors times a row of factors, if it is one and has both.
fn separated(sum: &[Summand]) -> Option<[System; 2]> {
    let mut rows: BTreeMap<i32, BTreeMap<i32, i64>> = BTreeMap::new();
    for Summand { offset: [x, y, _], weight, .. } in sum {
        rows.entry(*y).or_default().insert(*x, *weight);
    }
    let first = rows.values().next()?;
    let divisor = first.values().fold(0, |all, weight| gcd(all, weight.unsigned_abs())) as i64;
    // Rows begin with a positive weight, so that signs stand in the column.
    let divisor = if *first.values().next()? < 0 { -divisor } else { divisor };
    let row: BTreeMap<i32, i64> = first.iter().map(|(x, weight)| (*x, weight / divisor)).collect();
    if rows.len() < 2 || row.len() < 2 {
        return None;
    }
    let (lead, unit) = row.iter().next()?;
    let mut column = Vec::new();
    for (y, weights) in &rows {
        let factor = weights.get(lead)? / unit;
        let equal = weights.len() == row.len()
            && row.iter().all(|(x, weight)| weights.get(x) == weight.checked_mul(factor).as_ref());
        if !equal {
            return None;
        }
        column.push(Summand { source: 0, offset: [0, *y, 0], weight: factor });
    }
    let row = row.into_iter().map(|(x, weight)| Summand { source: 0, offset: [x, 0, 0], weight }).collect();
    Some([column, row].map(|sum| System { given: 1, sums: vec![sum] }))
}

/// The price of a chain by itself: the bits of its adders, and those that are kept of it and of what it reads.
fn price(netlist: &Netlist, given: &[Operand], chain: &Chain, prices: Prices<'_>) -> Option<u64> {
    let mut alone = Netlist::default();
    let mut inputs = Vec::new();
    for operand in given {
        let range = netlist.range(*operand);
        let port = Port { name: String::new(), bits: range.bits(), signed: range.is_signed(), every: [1, 1] };
        inputs.push(alone.input(port, range));
    }
    let part = realise(&mut alone, "", &inputs, chain)?;
    let port = Port { name: String::new(), bits: 1, signed: false, every: [1, 1] };
    alone.outputs.push((port, part.operand));
    let rows = row_bits(&alone, prices.frame, &Columns::new(&alone, prices.frame));
    let kept = lags(&alone, prices.frame, None)?.bits.unsigned_abs() + rows;
    let adders = adder_bits(&alone) * prices.frame.lanes as u64;
    Some(adders * prices.machine.adder_bit + kept * prices.machine.buffer_bit)
}

/// The bits of all adders of a netlist.
pub(super) fn adder_bits(netlist: &Netlist) -> u64 {
    netlist.cells.iter().map(|cell| u64::from(netlist.adder_bits(cell))).sum()
}

/// A partial sum: plus or minus an operand times a power of two.
#[derive(Clone)]
struct Part {
    operand: Operand,
    /// The operand as a sum of what is given.
    form: Form,
    negative: bool,
    shift: u32,
    depth: u32,
}

/// Weights of given values, by their numbers and offsets.
type Form = BTreeMap<(usize, [i32; 2]), i128>;

/// A form, moved by this many pixels to the east and to the north.
fn moved(form: &Form, [x, y]: [i32; 2]) -> Form {
    form.iter().map(|((given, at), weight)| ((*given, [at[0] + x, at[1] + y]), *weight)).collect()
}

/// What a form can be, for given values in these intervals: less than the sum of its parts where these have values in common.
/// `None` beyond 127 bits.
fn range_of(form: &Form, given: &[Range]) -> Option<Range> {
    let (mut least, mut greatest) = (0i128, 0i128);
    for ((number, _), weight) in form {
        let [a, b] = [given[*number].least, given[*number].greatest].map(|end| end.checked_mul(*weight));
        let (a, b) = (a?, b?);
        least = least.checked_add(a.min(b))?;
        greatest = greatest.checked_add(a.max(b))?;
    }
    Some(Range::integers(least, greatest))
}

/// Adds the cells of a chain.
fn realise(netlist: &mut Netlist, stage: &str, given: &[Operand], chain: &Chain) -> Option<Part> {
    let ranges: Vec<Range> = given.iter().map(|operand| netlist.range(*operand)).collect();
    let itself = |number: usize| Form::from([((number, [0, 0]), 1)]);
    let parts = given.iter().enumerate().map(|(number, operand)| {
        let form = itself(number);
        Part { operand: *operand, form, negative: false, shift: 0, depth: 0 }
    });
    let mut given: Vec<Part> = parts.collect();
    for step in chain {
        let (system, reads) = match step {
            Step::Sums { system, reads } => (system, reads),
            Step::Running { axis, length, first, weight } => {
                let of = given.first()?;
                given = vec![running_sum(netlist, stage, of, &ranges, (*axis, *length, *first, *weight))?];
                continue;
            }
        };
        let mut sums: Vec<Option<Part>> = vec![None; system.sums.len()];
        for number in system.order() {
            if system.sums[number].is_empty() {
                continue;
            }
            let mut parts = Vec::new();
            for Summand { source, offset: [x, y, _], weight } in &system.sums[number] {
                let (of, row) = match source.checked_sub(system.given) {
                    None => (&given[reads[*source].0], reads[*source].1),
                    Some(sum) => (sums[sum].as_ref()?, 0),
                };
                let at = [*x, *y + row];
                let magnitude = weight.unsigned_abs();
                if !magnitude.is_power_of_two() {
                    return None;
                }
                parts.push(Part {
                    operand: of.operand.moved(at),
                    form: moved(&of.form, at),
                    negative: of.negative != (*weight < 0),
                    shift: of.shift + magnitude.trailing_zeros(),
                    depth: of.depth,
                });
            }
            sums[number] = Some(together(netlist, stage, &ranges, parts)?);
        }
        given = vec![sums.swap_remove(0)?];
    }
    given.pop()
}

/// Adds a sum of neighbours that goes on from pixel to pixel.
fn running_sum(
    netlist: &mut Netlist,
    stage: &str,
    of: &Part,
    given: &[Range],
    (axis, length, first, weight): (usize, u32, [i32; 2], i64),
) -> Option<Part> {
    let mut form = Form::new();
    for number in 0..length as i32 {
        let mut at = first;
        at[axis] += number;
        for (place, weight) in moved(&of.form, at) {
            *form.entry(place).or_default() += weight;
        }
    }
    // The last pixel that comes in is the easternmost, or the southernmost.
    let mut last = first;
    let left = match axis {
        0 => {
            last[0] += length as i32 - 1;
            [-(length as i32), 0]
        }
        _ => [0, length as i32],
    };
    let range = range_of(&form, given);
    let operation = Operation::Running { axis, length };
    let operand = netlist.add(stage, operation, vec![of.operand, of.operand.moved(left)], range)?;
    let (negative, shift) = (of.negative != (weight < 0), of.shift + weight.unsigned_abs().trailing_zeros());
    Some(Part { operand: operand.moved(last), form, negative, shift, depth: of.depth + 2 })
}

/// Adds partial sums in pairs, those that are there first first.
fn together(netlist: &mut Netlist, stage: &str, given: &[Range], mut parts: Vec<Part>) -> Option<Part> {
    while parts.len() > 1 {
        // The last two are added: those of least depth, of equal ones the smallest.
        parts.sort_by_key(|part| std::cmp::Reverse((part.depth, part.shift, part.operand)));
        let (a, b) = (parts.pop()?, parts.pop()?);
        let shift = a.shift.min(b.shift);
        let negative = a.negative && b.negative;
        let (a, b) = if a.negative && !b.negative { (b, a) } else { (a, b) };
        let factor = |part: &Part| Factor { negative: part.negative && !negative, shift: part.shift - shift };
        let factors = vec![factor(&a), factor(&b)];
        let mut form = Form::new();
        for (part, factor) in [&a, &b].into_iter().zip(&factors) {
            for (place, weight) in &part.form {
                let weight = weight.checked_mul(1i128.checked_shl(factor.shift)?)?;
                *form.entry(*place).or_default() += if factor.negative { -weight } else { weight };
            }
        }
        let range = range_of(&form, given);
        let operand = netlist.add(stage, Operation::Sum(factors), vec![a.operand, b.operand], range)?;
        parts.push(Part { operand, form, negative, shift, depth: a.depth.max(b.depth) + 1 });
    }
    parts.pop()
}

//! Fronts: what designs compute against what they keep, for a range of prices of a bit that is kept.

use super::machine::{Design, HardwareMachine};
use super::point::FrontRecord;
use super::report::{MemoryRecord, Units, memory, units};
use super::schedule::{Lags, operations_price};
use super::task::{Task, internal};
use super::verify::least_bits;
use crate::algebra::Rational;
use crate::backend::OptimizeError;

/// The prices that are tried: this one by four to the power of each of these, and nothing.
const POWERS: std::ops::RangeInclusive<i32> = -2..=6;

/// The designs of a pipeline that none of those found beats, the one that computes least first. Each is checked.
///
/// # Errors
/// A design failed its checks.
pub(super) fn front(task: &Task<'_>) -> Result<Vec<FrontRecord>, OptimizeError> {
    let mut found: Vec<(FrontRecord, Design, Lags)> = Vec::new();
    for price in prices(task.machine.buffer_bit) {
        let machine = HardwareMachine { buffer_bit: price, ..task.machine.clone() };
        let other = task.on(&machine);
        let (design, lags, _) = other.design()?;
        found.push((point(&other, &design, &lags), design, lags));
    }
    // Of equal designs, the first has the lowest price.
    found.sort_by_key(|(point, ..)| (point.operations, point.kept_bits));
    let mut front: Vec<FrontRecord> = Vec::new();
    for (point, design, lags) in found {
        if front.last().is_none_or(|last| point.kept_bits < last.kept_bits) {
            least_bits(&design, &lags.proof).map_err(internal)?;
            task.checked(&design)?;
            front.push(point);
        }
    }
    Ok(front)
}

/// Prices of a bit that is kept, in thousandths, from nothing on.
fn prices(own: u64) -> Vec<u64> {
    let mut prices = vec![0, own];
    for power in POWERS {
        let by = 4u64.pow(power.unsigned_abs());
        prices.push(if power < 0 { own / by } else { own.saturating_mul(by) });
    }
    prices.sort_unstable();
    prices.dedup();
    prices
}

fn point(task: &Task<'_>, design: &Design, lags: &Lags) -> FrontRecord {
    let Units { adders, hard_multipliers, .. } = units(design, task.machine);
    let MemoryRecord { line_bits, row_bits, block_rams, .. } =
        memory(design, task.machine, lags.bits.unsigned_abs(), task.margin_words(&design.frame));
    let thousandths = i64::try_from(task.machine.buffer_bit).unwrap_or(i64::MAX);
    let price = Rational::new(thousandths, 1000).unwrap_or(Rational::ZERO);
    FrontRecord {
        buffer_price: price.to_string(),
        operations: operations_price(&design.netlist, task.machine, &design.frame).div_ceil(1000),
        adders: adders.values().sum(),
        hard_multipliers,
        kept_bits: line_bits + row_bits,
        block_rams,
        latency: design.frame.latency(design.sink),
    }
}

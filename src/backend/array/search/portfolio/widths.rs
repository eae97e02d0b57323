//! How wide the searches of each round are.

/// Widths of the beams, round by round; then the last is doubled each time. Each round takes three to four times as long as the one
/// before: so all earlier rounds together take less than half of the last one.
const WIDTHS: [usize; 7] = [1, 4, 16, 60, 200, 600, 2000];

/// The widest beam: a level of it holds several hundred megabytes.
pub(super) const MAX_WIDTH: usize = 1 << 17;

/// A round uses up what is left if it would not suffice for this many such rounds. Otherwise the next round, which takes longer, would be
/// cut off, and a beam that is cut off finds nothing.
const LAST_ROUNDS: u64 = 3;

/// The width of the beams of a round.
pub(super) fn planned(round: usize) -> usize {
    let last = WIDTHS.len() - 1;
    let doubled = round.saturating_sub(last).min(63) as u32;
    WIDTHS[round.min(last)].saturating_mul(1usize.checked_shl(doubled).unwrap_or(usize::MAX))
}

/// The width of a round's beams if only `nodes` states may be expanded in `searches` searches at once, each over as many levels as
/// the best program costs.
pub(super) fn fitted(round: usize, searches: usize, cost: u32, nodes: u64) -> usize {
    let planned = planned(round);
    let most = nodes / (searches.max(1) as u64 * u64::from(cost.max(1)));
    if most < LAST_ROUNDS.saturating_mul(planned as u64) {
        (most as usize).clamp(1, MAX_WIDTH)
    } else {
        planned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_grow_by_at_least_two() {
        assert!((0..20).all(|round| planned(round + 1) >= 2 * planned(round)));
    }

    #[test]
    fn a_round_uses_up_what_would_not_suffice_for_another() {
        // Four searches over ten levels: 60 wide they take 2,400 states.
        assert_eq!(fitted(3, 4, 10, 100_000), 60);
        assert_eq!(fitted(3, 4, 10, 7_199), 179);
        assert_eq!(fitted(3, 4, 10, 2_000), 50);
        assert_eq!(fitted(3, 4, 10, 3), 1);
        assert_eq!(fitted(60, 0, 0, u64::MAX), planned(60));
    }
}

//! The budget of a task: work, time and an interrupt flag.
//!
//! Every function that can run for long takes a [`Budget`]. Work is counted where it grows with the input; a unit is
//! about one coefficient touched. The same work gives the same result on every machine. The caller supplies the clock.
//! It is read once in some thousand units, so checking the budget costs next to nothing.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Time since a fixed moment. The library never reads the system clock: a caller who wants times passes a clock in.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// The units of work between two readings of the clock: 20 to 200 microseconds.
const LOOK: u64 = 1 << 14;

/// The budget of one task, and what the task has spent.
///
/// Each task counts for itself. A task that runs in parallel with others gets its own [`part`](Budget::part), so its
/// result depends only on its work. The task that hands out the parts adds up what they spent.
///
/// ```
/// use kalg::proposer::Budget;
///
/// let budget = Budget::of_work(100);
/// let part = budget.part(30);
/// assert!(part.spend(30) && !part.spend(1));
/// assert!(budget.spend(part.spent()) && budget.left() == 69);
/// ```
pub struct Budget {
    work: u64,
    spent: AtomicU64,
    /// The amount of work at which the clock is read next.
    look: AtomicU64,
    /// Whether a time limit or an interrupt has ended the task. It stays set.
    ended: AtomicBool,
    clock: Option<Clock>,
    until: Option<Duration>,
    interrupted: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// A budget without any bound.
    pub const fn unlimited() -> Self {
        Self::of_work(u64::MAX)
    }

    /// A budget of this many units of work and unlimited time.
    pub const fn of_work(work: u64) -> Self {
        Self {
            work,
            spent: AtomicU64::new(0),
            look: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            clock: None,
            until: None,
            interrupted: None,
        }
    }

    /// Sets the clock.
    pub fn with_clock(self, clock: &Clock) -> Self {
        Self { clock: Some(Arc::clone(clock)), ..self }
    }

    /// Sets the time on the clock at which the task ends; `None` for no limit.
    pub fn until(self, until: Option<Duration>) -> Self {
        Self { until, ..self }
    }

    /// Sets how long the task may take from now on; `None` for no limit.
    pub fn within(self, limit: Option<Duration>) -> Self {
        let until = limit.map(|limit| self.now().saturating_add(limit));
        self.until(until)
    }

    /// Sets a flag that ends the task from outside.
    pub fn interrupted_by(self, flag: &Arc<AtomicBool>) -> Self {
        Self { interrupted: Some(Arc::clone(flag)), ..self }
    }

    /// Returns the same budget with another bound on the work, none of it spent.
    pub fn with_work(&self, work: u64) -> Self {
        Self {
            work,
            spent: AtomicU64::new(0),
            look: AtomicU64::new(0),
            ended: AtomicBool::new(self.ended.load(Ordering::Relaxed)),
            clock: self.clock.clone(),
            until: self.until,
            interrupted: self.interrupted.clone(),
        }
    }

    /// Returns a budget for a part of the task: at most this much work, at most what is left, and the same time limit.
    pub fn part(&self, work: u64) -> Self {
        self.with_work(work.min(self.left()))
    }

    /// Returns the same budget with one of `parts` equal parts of the time left, at least one.
    pub fn share(&self, parts: usize) -> Self {
        let parts = u32::try_from(parts).unwrap_or(u32::MAX).max(1);
        self.clone().within(self.time_left().map(|time| time / parts))
    }

    /// Counts work. Returns whether the task may go on.
    pub fn spend(&self, work: u64) -> bool {
        self.spent.fetch_add(work, Ordering::Relaxed);
        !self.is_over()
    }

    /// The units of work spent so far.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// The units of work left.
    pub fn left(&self) -> u64 {
        self.work.saturating_sub(self.spent())
    }

    /// Whether the task must end. Cheap: reads the clock only now and then.
    pub fn is_over(&self) -> bool {
        let spent = self.spent();
        if spent > self.work || self.ended.load(Ordering::Relaxed) {
            return true;
        }
        if spent < self.look.load(Ordering::Relaxed) {
            return false;
        }
        self.look.store(spent + LOOK, Ordering::Relaxed);
        self.has_ended()
    }

    /// Whether time is up or the task is interrupted. Reads the clock and the flag now.
    pub fn has_ended(&self) -> bool {
        let ended = self.ended.load(Ordering::Relaxed) || self.is_interrupted() || self.is_late();
        if ended {
            self.ended.store(true, Ordering::Relaxed);
        }
        ended
    }

    /// Whether the interrupt flag is set.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether the work is used up.
    pub fn is_spent(&self) -> bool {
        self.spent() > self.work
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| self.clock.is_some() && self.now() >= until)
    }

    /// The bound on the work, or `None` if there is none.
    pub fn bound(&self) -> Option<u64> {
        (self.work < u64::MAX).then_some(self.work)
    }

    /// The time left, or `None` if there is no time limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_sub(self.now()))
    }

    /// The interrupt flag.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupted.clone().unwrap_or_default()
    }

    /// The seconds since a time on the clock; zero if the clock went back.
    pub fn seconds_since(&self, start: Duration) -> f64 {
        self.now().saturating_sub(start).as_secs_f64()
    }

    /// The time on the clock; zero without a clock.
    pub fn now(&self) -> Duration {
        self.clock.as_ref().map_or(Duration::ZERO, |clock| clock())
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::unlimited()
    }
}

impl Clone for Budget {
    /// Copies the work spent. After that, each counts for itself.
    fn clone(&self) -> Self {
        let clone = self.with_work(self.work);
        clone.spent.store(self.spent(), Ordering::Relaxed);
        clone
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("work", &self.work)
            .field("spent", &self.spent())
            .field("until", &self.until)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_a_task_at_the_same_place_every_time() {
        let budget = Budget::of_work(10);
        assert_eq!((0..).take_while(|_| budget.spend(3)).count(), 3);
        assert!(budget.is_over() && budget.is_spent() && budget.left() == 0);
        assert!(!Budget::unlimited().is_over());
    }

    #[test]
    fn a_part_has_no_more_than_is_left() {
        let whole = Budget::of_work(10);
        assert!(whole.spend(8));
        let part = whole.part(100);
        assert!(part.spend(2) && !part.spend(1));
        assert_eq!(whole.spent(), 8, "each counts for itself");
    }

    #[test]
    fn the_clock_is_read_now_and_then_and_ends_the_parts_too() {
        let time = Arc::new(AtomicU64::new(0));
        let reads = Arc::new(AtomicU64::new(0));
        let (shown, counted) = (Arc::clone(&time), Arc::clone(&reads));
        let clock: Clock = Arc::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Duration::from_secs(shown.load(Ordering::Relaxed))
        });
        let whole = Budget::unlimited().with_clock(&clock).until(Some(Duration::from_secs(5)));
        let part = whole.part(u64::MAX);
        assert!((0..LOOK / 4).all(|_| part.spend(1)));
        assert_eq!(reads.load(Ordering::Relaxed), 1);
        time.store(5, Ordering::Relaxed);
        assert!((0..LOOK).any(|_| !part.spend(1)));
        assert!(whole.has_ended() && whole.part(1).is_over());
    }

    #[test]
    fn times_are_divided_and_added_without_overflow() {
        let clock: Clock = Arc::new(|| Duration::MAX - Duration::from_secs(4));
        let whole = Budget::unlimited().with_clock(&clock).until(Some(Duration::MAX));
        let left = [0, 1, 2, usize::MAX].map(|parts| whole.share(parts).time_left().unwrap().as_secs());
        assert_eq!(left, [4, 4, 2, 0]);
        assert_eq!(whole.clone().within(Some(Duration::MAX)).time_left(), whole.time_left());
        assert_eq!(whole.seconds_since(Duration::MAX), 0.0);
    }

    #[test]
    fn whoever_waits_ends_it() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().interrupted_by(&flag);
        assert!(budget.spend(1));
        flag.store(true, Ordering::Relaxed);
        assert!(budget.has_ended() && !budget.spend(1));
    }
}

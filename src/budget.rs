//! What a task may spend: work, time, and until someone asks it to end.
//!
//! A [`Budget`] is handed down to all that can take long. Work is counted where it grows with the input, in units of about one
//! coefficient touched, and the same work gives the same result on every machine. The clock comes from the caller; it is read
//! once in some thousand units, so that to ask costs next to nothing.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Time since some fixed moment. The library never reads the clock itself: a caller who wants times passes one in.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// How many units of work pass between two readings of the clock: 20 to 200 microseconds.
const LOOK: u64 = 1 << 14;

/// What one task may spend, and what it has spent.
///
/// One task counts for itself: a task that runs beside others gets a [`part`](Budget::part) of its own, so that what it does
/// depends on nothing but its work; whoever handed the part out adds up what was spent.
///
/// ```
/// use kalg::budget::Budget;
///
/// let budget = Budget::of_work(100);
/// let part = budget.part(30);
/// assert!(part.spend(30) && !part.spend(1));
/// assert!(budget.spend(part.spent()) && budget.left() == 69);
/// ```
pub struct Budget {
    work: u64,
    spent: AtomicU64,
    /// At which amount of work the clock is read next.
    look: AtomicU64,
    /// Whether time or whoever waits has ended it; for good.
    ended: AtomicBool,
    clock: Option<Clock>,
    until: Option<Duration>,
    interrupted: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// No bound at all.
    pub const fn unlimited() -> Self {
        Self::of_work(u64::MAX)
    }

    /// So many units of work, and as much time as they take.
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

    /// The same with a clock, for those who want to know the time.
    pub fn with_clock(self, clock: &Clock) -> Self {
        Self { clock: Some(Arc::clone(clock)), ..self }
    }

    /// The same until the clock shows a time; `None` for no limit of time.
    pub fn until(self, until: Option<Duration>) -> Self {
        Self { until, ..self }
    }

    /// The same until a flag is set from outside.
    pub fn interrupted_by(self, flag: &Arc<AtomicBool>) -> Self {
        Self { interrupted: Some(Arc::clone(flag)), ..self }
    }

    /// The same with another bound on the work, nothing of it spent.
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

    /// A budget for a part of the task: no more work than this or than is left, and no more time than the whole.
    pub fn part(&self, work: u64) -> Self {
        self.with_work(work.min(self.left()))
    }

    /// Counts work; says whether the task may go on.
    pub fn spend(&self, work: u64) -> bool {
        self.spent.fetch_add(work, Ordering::Relaxed);
        !self.is_over()
    }

    /// Units of work so far.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// Units of work that are left.
    pub fn left(&self) -> u64 {
        self.work.saturating_sub(self.spent())
    }

    /// Whether the task must end; cheap.
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

    /// Whether time is up or someone waits: looks at once.
    pub fn has_ended(&self) -> bool {
        let ended = self.ended.load(Ordering::Relaxed) || self.is_interrupted() || self.is_late();
        if ended {
            self.ended.store(true, Ordering::Relaxed);
        }
        ended
    }

    /// Whether the flag is set.
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

    /// The bound on the work; `None` for none.
    pub fn bound(&self) -> Option<u64> {
        (self.work < u64::MAX).then_some(self.work)
    }

    /// What is left of the time; `None` for no limit of time.
    pub fn time_left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_sub(self.now()))
    }

    /// The clock; one that stands still where there is none.
    pub fn clock(&self) -> Clock {
        self.clock.clone().unwrap_or_else(|| Arc::new(|| Duration::ZERO))
    }

    /// The flag that ends it from outside.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupted.clone().unwrap_or_default()
    }

    /// What the clock shows; zero without one.
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
    /// With what is spent; from then on each counts for itself.
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
    fn whoever_waits_ends_it() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().interrupted_by(&flag);
        assert!(budget.spend(1));
        flag.store(true, Ordering::Relaxed);
        assert!(budget.has_ended() && !budget.spend(1));
    }
}

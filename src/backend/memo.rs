//! What requests that differ in their sources alone have in common.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The maximum number of results that are kept: some ten thousand bytes each.
const MOST: usize = 1 << 13;

/// A result, made while its lock is held.
type Entry = Arc<Mutex<Option<Arc<dyn Any + Send + Sync>>>>;

/// Results that several requests need, by names. It is for requests that differ in their sources alone. A result must follow from its
/// name and the rest of the request, so that nothing changes but the time where it is shared.
///
/// Clones share their results. Of many results the oldest are forgotten. The default keeps none, so that a request made of another
/// one with other settings is safe.
#[derive(Clone, Default)]
pub struct Memo(Option<Arc<Mutex<Known>>>);

#[derive(Default)]
struct Known {
    entries: BTreeMap<String, Entry>,
    order: VecDeque<String>,
}

impl Memo {
    /// One that keeps results, and has none yet.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }

    /// One without results that keeps them if this one does.
    pub(crate) fn renewed(&self) -> Self {
        self.0.as_ref().map_or_else(Self::default, |_| Self::new())
    }

    /// The result of this name: a known one, or one that is made now. `make` also says whether it may be shared. Who asks for a result
    /// while it is made waits for it.
    ///
    /// # Errors
    /// That of `make`. It is not kept.
    pub(crate) fn get<T: Any + Send + Sync, E>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<(T, bool), E>,
    ) -> Result<Arc<T>, E> {
        let Some(known) = &self.0 else { return Ok(Arc::new(make()?.0)) };
        let entry = entry(known, name);
        let mut entry = locked(&entry);
        if let Some(known) = entry.clone().and_then(|known| known.downcast().ok()) {
            return Ok(known);
        }
        let (made, is_shared) = make()?;
        let made = Arc::new(made);
        if is_shared {
            *entry = Some(Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
        }
        Ok(made)
    }
}

fn entry(known: &Mutex<Known>, name: &str) -> Entry {
    let mut known = locked(known);
    if let Some(entry) = known.entries.get(name) {
        return Arc::clone(entry);
    }
    if known.order.len() == MOST
        && let Some(oldest) = known.order.pop_front()
    {
        known.entries.remove(&oldest);
    }
    known.order.push_back(name.to_owned());
    Arc::clone(known.entries.entry(name.to_owned()).or_default())
}

/// A thread that panicked while it made a result left none.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.as_ref().map_or(0, |known| locked(known).order.len());
        write!(f, "Memo({count} results)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_made_once_unless_they_fail_or_may_not_be_shared() {
        let memo = Memo::new();
        let get = |name: &str, made: Result<(u8, bool), &'static str>| memo.clone().get(name, || made);
        assert_eq!(get("a", Err("no")), Err("no"));
        assert_eq!(get("a", Ok((1, false))), Ok(Arc::new(1)));
        assert_eq!(get("a", Ok((2, true))), Ok(Arc::new(2)));
        assert_eq!(get("a", Ok((3, true))), Ok(Arc::new(2)));
        assert_eq!(get("b", Ok((3, true))), Ok(Arc::new(3)));
        let none = Memo::default();
        assert_eq!(
            [1, 2].map(|made| none.get("a", || Ok::<_, ()>((made, true)))),
            [1, 2].map(|made| Ok(Arc::new(made)))
        );
    }

    #[test]
    fn the_oldest_results_are_forgotten() {
        let memo = Memo::new();
        for number in 0..=MOST {
            memo.get(&number.to_string(), || Ok::<_, ()>((number, true))).unwrap();
        }
        let again = |name: &str| *memo.get(name, || Ok::<_, ()>((usize::MAX, true))).unwrap();
        assert_eq!(again("1"), 1);
        assert_eq!(again("0"), usize::MAX);
    }
}

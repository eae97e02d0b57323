//! Ctrl-C: the first one ends the search with the best so far, the second one the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::TERM_SIGNALS;
use signal_hook::flag;

use super::outcome::Outcome;

/// Whether someone wants the command to end.
#[derive(Clone)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on, to Ctrl-C and to polite requests to end.
    pub(super) fn listen() -> Self {
        let flagged = Arc::new(AtomicBool::new(false));
        for signal in TERM_SIGNALS {
            // Where a signal cannot be listened to it does what it always did. The order matters: the first signal finds the
            // flag unset and sets it, the second finds it set.
            let _ = flag::register_conditional_shutdown(
                *signal,
                Outcome::Interrupted as i32,
                Arc::clone(&flagged),
            );
            let _ = flag::register(*signal, Arc::clone(&flagged));
        }
        Self(flagged)
    }

    /// Whether it has happened.
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag that it sets.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

//! Ctrl-C: the first ends the search with the best program so far, the second ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::TERM_SIGNALS;
use signal_hook::flag;

use super::outcome::Outcome;

/// Whether the user wants the command to end.
#[derive(Clone)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen for Ctrl-C and for termination requests.
    pub(super) fn listen() -> Self {
        let flagged = Arc::new(AtomicBool::new(false));
        for signal in TERM_SIGNALS {
            // A signal that cannot be handled keeps its default action. The order matters: the first signal finds the flag unset and
            // sets it, the second finds it set.
            let _ = flag::register_conditional_shutdown(
                *signal,
                Outcome::Interrupted as i32,
                Arc::clone(&flagged),
            );
            let _ = flag::register(*signal, Arc::clone(&flagged));
        }
        Self(flagged)
    }

    /// Whether the user asked the command to end.
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The underlying flag.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

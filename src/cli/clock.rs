//! The clock of a command.

use std::sync::Arc;
use std::time::Instant;

use crate::budget::Clock;

/// A clock that starts now.
pub(super) fn clock() -> Clock {
    let began = Instant::now();
    Arc::new(move || began.elapsed())
}

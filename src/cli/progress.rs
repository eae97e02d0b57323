//! Progress on standard error, if that is a terminal.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::backend::Progress;

/// A progress line for one filter; dropping the value removes it.
pub(super) struct Display {
    bar: ProgressBar,
    file: String,
    found: Mutex<String>,
}

impl Display {
    /// How often the line is redrawn.
    const TICK: Duration = Duration::from_millis(120);

    /// Starts the line for a file. Shows nothing if standard error is not a terminal.
    pub(super) fn new(file: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_message(format!("{file}: saturating"));
        if !bar.is_hidden() {
            bar.enable_steady_tick(Self::TICK);
        }
        Self { bar, file: file.to_owned(), found: Mutex::default() }
    }

    /// Shows the progress.
    pub(super) fn show(&self, progress: &Progress) {
        let message = self.message(progress);
        self.bar.set_message(message);
    }

    fn message(&self, progress: &Progress) -> String {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let doing = match progress {
            Progress::Saturated { nodes, classes } => {
                format!("e-graph of {nodes} nodes in {classes} classes")
            }
            Progress::Better { cost } => {
                *found = format!(", cost {cost} so far");
                "searching".to_owned()
            }
            Progress::Tried { done, all } => format!("{done} of {all} ways tried"),
        };
        format!("{}: {doing}{}", self.file, *found)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_so_far_stays_in_sight() {
        let display = Display::new("a.sexp");
        assert_eq!(
            display.message(&Progress::Saturated { nodes: 4, classes: 2 }),
            "a.sexp: e-graph of 4 nodes in 2 classes"
        );
        assert_eq!(display.message(&Progress::Better { cost: 5 }), "a.sexp: searching, cost 5 so far");
        let grown = display.message(&Progress::Saturated { nodes: 9, classes: 3 });
        assert_eq!(grown, "a.sexp: e-graph of 9 nodes in 3 classes, cost 5 so far");
    }
}

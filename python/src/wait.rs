//! Work on a thread of its own. The calling thread leaves the interpreter to others, passes progress on, and looks for signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use kalg::machine::Progress;
use pyo3::prelude::*;

use crate::raise::failed;

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(50);

/// The memory for the stack of a thread: as much as the main thread has.
const STACK: usize = 8 << 20;

/// What a worker tells the thread that waits.
enum News<T> {
    Progress(Progress),
    Done(T),
}

/// How a worker is told to end, and how it tells its progress.
pub(crate) struct Line<'a> {
    /// Set when nobody waits for the result any more.
    pub(crate) stop: &'a Arc<AtomicBool>,
    /// Takes progress.
    pub(crate) watch: &'a (dyn Fn(Progress) + Sync),
}

/// Does `work` and gives its result. `watch`, a callable, is called with progress.
///
/// # Errors
/// What a signal or the callable raises, and if `stop` is set elsewhere; the work is then told to end, and not waited for.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    watch: Option<&Bound<'_, PyAny>>,
    stop: Arc<AtomicBool>,
    work: impl FnOnce(&Line<'_>) -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    let (own, watched) = (Arc::clone(&stop), watch.is_some());
    let worker = move || {
        let tell = |progress| {
            if watched {
                // Nobody listens any more after a signal.
                let _ = sender.send(News::Progress(progress));
            }
        };
        let result = work(&Line { stop: &own, watch: &tell });
        let _ = sender.send(News::Done(result));
    };
    thread::Builder::new()
        .name("kalg".to_owned())
        .stack_size(STACK)
        .spawn(worker)
        .map_err(|error| failed(py, &error.to_string()))?;
    loop {
        let news = py.detach(|| {
            let news = receiver.recv_timeout(LOOK);
            (receiver, news)
        });
        let heard = news.1;
        receiver = news.0;
        let looked = match heard {
            // A signal that came with the result counts.
            Ok(News::Done(result)) => return py.check_signals().map(|()| result),
            Ok(News::Progress(progress)) => told(watch, &progress).and_then(|()| py.check_signals()),
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                Err(failed(py, "nobody waits for the result any more"))
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals(),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(failed(py, "kalg ended unexpectedly; see standard error"));
            }
        };
        if let Err(error) = looked {
            stop.store(true, Ordering::Relaxed);
            return Err(error);
        }
    }
}

/// Calls the callable with the kind of progress and two numbers.
fn told(watch: Option<&Bound<'_, PyAny>>, progress: &Progress) -> PyResult<()> {
    let Some(watch) = watch else { return Ok(()) };
    let (kind, first, second) = match *progress {
        Progress::Saturated { nodes, classes } => ("saturated", nodes, classes),
        Progress::Better { cost } => ("better", cost.into(), 0),
        Progress::Tried { done, all } => ("tried", done as u64, all as u64),
    };
    watch.call1((kind, first, second)).map(drop)
}

//! The output lines of a batch: their destination, the lines of earlier runs, and the lock that admits one batch at a time.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::files::is_standard;
use super::outcome::{CommandError, Outcome};
use super::output::{Output, write_whole};
use crate::report::{BatchLine, ErrorKind, ErrorRecord};

/// The first bytes of every line; they identify a line that was cut short.
const BEGINNING: &[u8] = b"{\"file\":\"";

/// The maximum length of a line, in bytes.
const MAX_LINE: u64 = 1 << 26;

/// The outcome of an earlier run for a file, according to its line.
fn outcome(line: &BatchLine) -> Outcome {
    match (&line.error, &line.no_program) {
        (Some(ErrorRecord { kind: ErrorKind::Internal, .. }), _) => Outcome::Internal,
        (Some(_), _) => Outcome::BadInput,
        (None, Some(_)) => Outcome::Negative,
        (None, None) => Outcome::Done,
    }
}

/// The destination of the lines, and the lines already in it.
pub(super) struct Lines {
    known: HashSet<String>,
    worst: Outcome,
    to: Sink,
}

enum Sink {
    Standard(Output),
    /// Not a regular file: lines are written to it, never read from it.
    Stream(PathBuf, File),
    /// A locked file that grows, and the kernel file of each of its lines.
    File {
        path: PathBuf,
        file: File,
        order: Vec<PathBuf>,
    },
}

impl Lines {
    /// Opens standard output, or a file with the lines of earlier runs for the same target. Removes an incomplete last line.
    pub(super) fn open(path: Option<&Path>, target: &str) -> Result<Self, CommandError> {
        let nothing = |to| Self { known: HashSet::new(), worst: Outcome::Done, to };
        let Some(path) = path.filter(|path| !is_standard(path)) else {
            return Ok(nothing(Sink::Standard(Output::new(None))));
        };
        let failed = |error: io::Error| CommandError::Write { path: path.to_owned(), error };
        if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
            return Ok(nothing(Sink::Stream(path.to_owned(), file)));
        }
        let file = locked(path)?;
        let (mut known, mut worst, mut order) = (HashSet::new(), Outcome::Done, Vec::new());
        let mut other = None;
        let end = read_lines(path, &file, &mut |record| {
            worst = worst.max(outcome(&record));
            order.push(PathBuf::from(&record.file));
            known.insert(record.file);
            other = other.take().or(record.target.filter(|own| own != target));
        })?;
        if let Some(other) = other {
            return Err(CommandError::Usage(format!(
                "`{}` has results for `{other}`: name another file for those of `{target}`",
                path.display()
            )));
        }
        match end {
            End::Whole => {}
            End::Unended => (&file).write_all(b"\n").map_err(failed)?,
            End::CutAt(length) => file.set_len(length).map_err(failed)?,
        }
        Ok(Self { known, worst, to: Sink::File { path: path.to_owned(), file, order } })
    }

    /// Whether the output already has a line for this file.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.known.contains(path.to_string_lossy().as_ref())
    }

    /// The worst outcome among the lines of earlier runs.
    pub(super) fn worst(&self) -> Outcome {
        self.worst
    }

    /// Adds the line for a file.
    pub(super) fn put(&mut self, of: &Path, line: &str) -> Result<(), CommandError> {
        let (path, mut file) = match &mut self.to {
            Sink::Standard(output) => return output.put(line),
            Sink::Stream(path, file) => (path, &*file),
            Sink::File { path, file, order } => {
                order.push(of.to_owned());
                (path, &*file)
            }
        };
        // One write per line, so that almost nothing but a full disk can leave half a line.
        file.write_all(format!("{line}\n").as_bytes())
            .map_err(|error| CommandError::Write { path: path.clone(), error })
    }

    /// Sorts the lines of all runs by the paths of their files.
    pub(super) fn finish(self) -> Result<(), CommandError> {
        let Sink::File { path, mut file, order } = self.to else { return Ok(()) };
        if order.is_sorted() {
            return Ok(());
        }
        let mut text = Vec::new();
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut text));
        read.map_err(|error| CommandError::Write { path: path.clone(), error })?;
        // Reading the file skipped empty lines, too.
        let lines = text.split_inclusive(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let mut lines: Vec<(PathBuf, &[u8])> = order.into_iter().zip(lines).collect();
        lines.sort_by(|(a, _), (b, _)| a.cmp(b));
        // The lock is on the file being replaced. A process that opens it in between notices the replacement: see `locked`.
        write_whole(&path, &lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().concat())
    }
}

/// The state of the end of a file of lines.
enum End {
    /// The last line is complete.
    Whole,
    /// The last line lacks its line break.
    Unended,
    /// The last line is incomplete; it begins at this byte.
    CutAt(u64),
}

/// Reads the output of earlier runs line by line.
///
/// # Errors
/// If a line is not from a batch; the file then stays unchanged.
fn read_lines(path: &Path, file: &File, each: &mut dyn FnMut(BatchLine)) -> Result<End, CommandError> {
    let (mut reader, mut begin, mut line) = (BufReader::new(file), 0, Vec::new());
    for number in 1_usize.. {
        line.clear();
        let read = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line);
        let length = read.map_err(|error| CommandError::Write { path: path.to_owned(), error })?;
        let ended = line.ends_with(b"\n");
        let foreign = |why: String| {
            CommandError::Usage(format!(
                "line {number} of `{}` is not a result of `kalg optimize`: {why}; nothing is added to such a file",
                path.display()
            ))
        };
        if length as u64 == MAX_LINE && !ended {
            return Err(foreign(format!("it has more than {MAX_LINE} bytes")));
        }
        match record(line.trim_ascii()) {
            _ if line.is_empty() => return Ok(End::Whole),
            Ok(Some(record)) => each(record),
            Ok(None) => {}
            Err(_) if !ended && is_beginning(&line) => return Ok(End::CutAt(begin)),
            Err(why) => return Err(foreign(why)),
        }
        if !ended {
            return Ok(End::Unended);
        }
        begin += length as u64;
    }
    Ok(End::Whole)
}

/// Parses a line; `None` if it is empty.
fn record(line: &[u8]) -> Result<Option<BatchLine>, String> {
    if line.is_empty() {
        return Ok(None);
    }
    let text = std::str::from_utf8(line)
        .map_err(|error| format!("byte {} of it is not UTF-8 text", error.valid_up_to() + 1))?;
    serde_json::from_str(text).map(Some).map_err(|error| error.to_string())
}

/// Whether this can be the beginning of a line that an interrupted batch was writing.
fn is_beginning(line: &[u8]) -> bool {
    line.starts_with(BEGINNING) || BEGINNING.starts_with(line)
}

/// Opens a file for reading and appending, and locks it until it is closed.
///
/// # Errors
/// If another process holds the lock; the message names it if the system does.
fn locked(path: &Path) -> Result<File, CommandError> {
    let failed = |error: io::Error| CommandError::Write { path: path.to_owned(), error };
    loop {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path).map_err(failed)?;
        match file.try_lock() {
            // The last holder may have replaced the file by its sorted version.
            Ok(()) if is_at(&file, path) => return Ok(file),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holders = holders(&file).iter().map(u32::to_string).collect::<Vec<_>>();
                let whose = match holders.len() {
                    0 => "another process".to_owned(),
                    1 => format!("process {}", holders[0]),
                    _ => format!("one of the processes {}", holders.join(", ")),
                };
                return Err(CommandError::Usage(format!(
                    "another batch is writing `{}`: {whose} holds its lock; wait for it, or name another file",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// Whether the path still leads to this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let (held, named) = (file.metadata().map(identity), fs::metadata(path).map(identity));
    matches!((held, named), (Ok(held), Ok(named)) if held == named)
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// The processes that hold a lock on the file, from `/proc/locks` on Linux: `1: FLOCK ADVISORY WRITE PID MAJOR:MINOR:INODE 0 EOF`.
#[cfg(unix)]
fn holders(file: &File) -> Vec<u32> {
    use std::os::unix::fs::MetadataExt;
    let (Ok(found), Ok(locks)) = (file.metadata(), fs::read_to_string("/proc/locks")) else {
        return Vec::new();
    };
    let of = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "FLOCK")?;
        let inode: u64 = words.get(at + 4)?.rsplit(':').next()?.parse().ok()?;
        (inode == found.ino()).then(|| words[at + 3].parse().ok()).flatten()
    };
    locks.lines().filter_map(of).collect()
}

#[cfg(not(unix))]
fn holders(_: &File) -> Vec<u32> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::files::Scratch;

    /// Opens a file with this text; returns its text afterwards, or the error message.
    fn opened(text: &[u8]) -> Result<String, String> {
        let scratch = Scratch::new("lines").unwrap();
        let path = scratch.path().join("out.jsonl");
        fs::write(&path, text).unwrap();
        let lines = Lines::open(Some(&path), "ops").map(|_| ());
        let after = fs::read(&path).unwrap();
        let message = lines.map_err(|error| {
            assert_eq!(after, text, "nothing is taken from a file that is refused");
            error.to_string()
        });
        message.map(|()| String::from_utf8(after).unwrap())
    }

    #[test]
    fn only_what_was_cut_short_is_taken_off() {
        let line = "{\"file\":\"a\"}\n";
        assert_eq!(opened(b"").as_deref(), Ok(""));
        for cut in ["{", "{\"fi", "{\"file\":\"b", "{\"file\":\"b\",\"x\":["] {
            assert_eq!(opened(format!("{line}{cut}").as_bytes()).as_deref(), Ok(line), "{cut}");
        }
        assert_eq!(opened(b"{\"file\":\"caf\xc3").as_deref(), Ok(""));
        assert_eq!(
            opened(line.trim_end().as_bytes()).as_deref(),
            Ok(line),
            "only the line break was missing"
        );
        for foreign in ["my notes", "my notes\n", "{\"other\": 1", "{\n  \"file\": \"a\"\n}\n", "[1]"] {
            let wrong = opened(format!("{line}{foreign}").as_bytes()).unwrap_err();
            assert!(wrong.starts_with("line 2 of `") && wrong.contains("nothing is added"), "{wrong}");
        }
    }

    #[test]
    fn a_file_has_the_results_for_one_target() {
        let [same, other] =
            ["ops", "cpu"].map(|target| format!("{{\"file\":\"a\",\"target\":\"{target}\"}}\n"));
        assert_eq!(opened(same.as_bytes()).as_deref(), Ok(same.as_str()));
        let wrong = opened(format!("{same}{other}").as_bytes()).unwrap_err();
        assert!(wrong.contains("has results for `cpu`") && wrong.contains("of `ops`"), "{wrong}");
    }

    #[test]
    fn lines_that_are_no_text_are_named_and_kept() {
        let wrong = opened(b"{\"file\":\"a\"}\n{\"file\":\"b\",\"x\":\"\xff\"}\n").unwrap_err();
        assert!(wrong.contains("line 2 of `") && wrong.contains("byte 18 of it is not UTF-8"), "{wrong}");
    }

    #[test]
    fn lines_of_all_runs_end_in_the_order_of_paths() {
        let scratch = Scratch::new("order").unwrap();
        let path = scratch.path().join("out.jsonl");
        let line = |name: &str| format!("{{\"file\":\"{name}\"}}");
        fs::write(&path, format!("{}\n\n \r\n{}\n", line("k/b-c"), line("k/d"))).unwrap();
        let mut lines = Lines::open(Some(&path), "ops").unwrap();
        assert!(lines.has(Path::new("k/d")) && !lines.has(Path::new("k/a")));
        for name in ["k/a", "k/b/c"] {
            lines.put(Path::new(name), &line(name)).unwrap();
        }
        lines.finish().unwrap();
        let sorted = ["k/a", "k/b/c", "k/b-c", "k/d"].map(|name| line(name) + "\n").concat();
        assert_eq!(fs::read_to_string(&path).unwrap(), sorted);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn one_batch_writes_a_file_at_a_time() {
        let scratch = Scratch::new("lock").unwrap();
        let path = scratch.path().join("out.jsonl");
        let first = Lines::open(Some(&path), "ops").unwrap();
        let refused = Lines::open(Some(&path), "ops").map(|_| ()).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {} holds its lock", std::process::id())), "{refused}");
        drop(first);
        assert!(Lines::open(Some(&path), "ops").is_ok());
    }
}

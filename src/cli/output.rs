//! Where results go: standard output at once, or one file at the end. Everything that kalg writes for its users goes through here.
//!
//! A regular file is replaced whole or not at all, and keeps its permissions; a link stays, and the file that it leads to is
//! replaced. Anything else, such as a device or a pipe, is written in place.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::files::is_standard;
use super::outcome::CommandError;

/// The maximum length of a chain of links; more than systems allow.
const MAX_LINKS: usize = 64;

/// The results of a command.
pub(super) enum Output {
    /// Written to standard output at once.
    Standard,
    /// Written to a file all together, when the command is done.
    File { path: PathBuf, contents: Vec<u8> },
}

impl Output {
    /// Output to the named file, or to standard output, which is also called `-`.
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        path.filter(|path| !is_standard(path))
            .map_or(Self::Standard, |path| Self::File { path, contents: Vec::new() })
    }

    /// Adds one result, with a line break at its end if it lacks one.
    pub(super) fn put(&mut self, text: &str) -> Result<(), CommandError> {
        let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
        match self {
            Self::Standard => {
                let mut out = io::stdout().lock();
                let written = write!(out, "{text}{end}").and_then(|()| out.flush());
                written.map_err(CommandError::StandardOutput)
            }
            Self::File { contents, .. } => {
                contents.extend_from_slice(text.as_bytes());
                contents.extend_from_slice(end.as_bytes());
                Ok(())
            }
        }
    }

    /// Leaves the file as it is, and says so if there were results for it.
    pub(super) fn discard(self) {
        if let Self::File { path, contents } = self
            && !contents.is_empty()
        {
            eprintln!("`{}` is not written: not all results are there", path.display());
        }
    }

    /// Writes the file, unless there are no results.
    pub(super) fn finish(self) -> Result<(), CommandError> {
        match self {
            Self::File { path, contents } if !contents.is_empty() => write_whole(&path, &contents),
            _ => Ok(()),
        }
    }
}

/// Writes the result of a command to the named file, or to standard output.
pub(super) fn write_result(path: Option<PathBuf>, text: &str) -> Result<(), CommandError> {
    let mut output = Output::new(path);
    output.put(text)?;
    output.finish()
}

/// Writes a regular file whole or not at all, and anything else in place.
pub(super) fn write_whole(path: &Path, contents: &[u8]) -> Result<(), CommandError> {
    let written = match place(path) {
        Ok(Place::InPlace) => {
            OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(contents))
        }
        Ok(Place::Regular(place, there)) => replace(&place, there.as_ref(), contents),
        Err(error) => Err(error),
    };
    written.map_err(|error| CommandError::Write { path: path.to_owned(), error })
}

/// Writes a new file. Anything that already has its name stays untouched, even a dangling link.
pub(super) fn write_new(path: &Path, contents: &[u8]) -> Result<(), CommandError> {
    let made = OpenOptions::new().write(true).create_new(true).open(path);
    made.and_then(|mut file| file.write_all(contents)).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => CommandError::Usage(format!("`{}` already exists", path.display())),
        _ => CommandError::Write { path: path.to_owned(), error },
    })
}

/// What a path leads to, for writing.
enum Place {
    /// A device, a pipe, or an open file behind a descriptor: `/dev/stdout`.
    InPlace,
    /// A file that can be created or replaced, with the metadata of the existing one.
    Regular(PathBuf, Option<Metadata>),
}

/// Follows links by hand, because the last one may lead to a file that does not exist yet.
fn place(path: &Path) -> io::Result<Place> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        let found = match fs::symlink_metadata(&at) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Place::Regular(at, None)),
            Err(error) => return Err(error),
        };
        if !found.is_symlink() {
            let regular = found.is_file() || found.is_dir();
            return Ok(if regular { Place::Regular(at, Some(found)) } else { Place::InPlace });
        }
        let folder = at.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A link to an open file is not a path that another file can take.
        if fs::canonicalize(folder)?.starts_with("/proc") {
            return Ok(Place::InPlace);
        }
        at = folder.join(fs::read_link(&at)?);
    }
    Err(io::Error::other("too many links follow each other"))
}

/// Writes a temporary file next to `path` and renames it. `there` is the metadata of the existing file.
fn replace(path: &Path, there: Option<&Metadata>, contents: &[u8]) -> io::Result<()> {
    if there.is_some() {
        // Whoever must not write to a file must not replace it, either. Opening a folder fails here.
        OpenOptions::new().append(true).open(path)?;
    }
    let (part, mut file) = neighbour(path)?;
    let written = there
        .map_or(Ok(()), |there| keep(&file, there))
        .and_then(|()| file.write_all(contents))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The first error is the one to report; the temporary file may not exist.
        let _ = fs::remove_file(&part);
    }
    written
}

/// Creates a file next to `path` with an unused name.
fn neighbour(path: &Path) -> io::Result<(PathBuf, File)> {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    loop {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let part = path.with_file_name(format!(".kalg-{}-{number}.part", process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (part, file)),
        }
    }
}

/// Gives a file the permissions of the file that it replaces, and its owner as far as the system allows.
fn keep(file: &File, there: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let made = file.metadata()?;
        if (made.uid(), made.gid()) != (there.uid(), there.gid()) {
            let _ = fchown(file, Some(there.uid()), Some(there.gid()));
        }
    }
    file.set_permissions(there.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::files::Scratch;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_stays() {
        let scratch = Scratch::new("replace").unwrap();
        let path = scratch.path().join("out.txt");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
        assert!(write_new(&path, b"third").unwrap_err().to_string().ends_with("already exists"));
        assert_eq!(fs::read(&path).unwrap(), b"second");
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_nothing_behind() {
        let scratch = Scratch::new("refused").unwrap();
        let folder = scratch.path().join("taken");
        fs::create_dir(&folder).unwrap();
        let names = [folder, scratch.path().join("gone/out"), scratch.path().join("out/"), PathBuf::new()];
        for path in names {
            let error = write_whole(&path, b"text").unwrap_err();
            assert!(error.to_string().starts_with("cannot write `"), "{error}");
            assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1, "{}", path.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_permissions_too() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let scratch = Scratch::new("links").unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("sub/file"), "old").unwrap();
        fs::set_permissions(at("sub/file"), PermissionsExt::from_mode(0o640)).unwrap();
        symlink("sub/file", at("near")).unwrap();
        symlink("near", at("far")).unwrap();
        symlink("sub/made", at("dangling")).unwrap();
        symlink("round", at("round")).unwrap();
        let held = File::open(at("sub/file")).unwrap();
        write_whole(&at("far"), b"new").unwrap();
        write_whole(&at("dangling"), b"made").unwrap();
        assert!(write_whole(&at("round"), b"x").is_err());
        assert!(write_new(&at("round"), b"x").is_err());
        for link in ["near", "far", "dangling"] {
            assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link}");
        }
        assert_eq!(fs::read(at("sub/made")).unwrap(), b"made");
        assert_eq!(fs::metadata(at("sub/file")).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read(at("sub/file")).unwrap(), b"new");
        // Whoever opened the file before still reads the old contents, complete.
        assert_eq!(io::read_to_string(held).unwrap(), "old");
        assert_eq!(fs::read_dir(at("sub")).unwrap().count(), 2);
    }

    /// A socket stands in for devices: no test may risk the system's own.
    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let scratch = Scratch::new("sockets").unwrap();
        let (socket, link) = (scratch.path().join("socket"), scratch.path().join("link"));
        let _listens = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&socket, &link).unwrap();
        for path in [&socket, &link] {
            assert!(write_whole(path, b"text").is_err(), "sockets are not opened");
            assert!(fs::metadata(path).unwrap().file_type().is_socket());
        }
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 2);
    }
}

//! Reading files and folders of files, with a size limit per file.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::de::DeserializeOwned;

use super::outcome::CommandError;
use crate::syntax::{Kind, MAX_BYTES, Source, other_kind};

/// The maximum size of a picture file, in bytes: 8192 × 8192 pixels with three colours of sixteen bits, and more.
pub(super) const MAX_PICTURE: u64 = 1 << 29;

/// The maximum size of a data file, such as other compilers' results, in bytes.
const MAX_DATA: u64 = 1 << 26;

/// The name for standard input, or for standard output.
const STANDARD_STREAM: &str = "-";

/// Whether a path stands for a standard stream.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD_STREAM
}

/// Reads a source; `-` is standard input. Reads one byte beyond the limit at most, enough for the source to report that it is
/// too long.
pub(super) fn read_source(path: &Path) -> io::Result<Source> {
    let most = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    if is_standard(path) {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
        return Ok(Source::from_bytes("<standard input>", bytes));
    }
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(Source::from_bytes(path.to_string_lossy(), bytes))
}

/// Reads a source that a command depends on.
pub(super) fn source(path: &Path) -> Result<Source, CommandError> {
    read_source(path).map_err(|error| cannot_read(path, &error))
}

/// Reads a file of JSON that a command depends on.
pub(super) fn data<T: DeserializeOwned>(path: &Path) -> Result<T, CommandError> {
    let bytes = read_bytes(path, MAX_DATA).map_err(|error| cannot_read(path, &error))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let source = Source::from_bytes(path.to_string_lossy(), bytes);
        let other = other_kind(&source, &[Kind::Json]);
        cannot_read(path, &other.map_or_else(|| error.to_string(), |other| other.to_string()))
    })
}

/// The error for a file that cannot be read.
pub(super) fn cannot_read(path: &Path, error: &dyn Display) -> CommandError {
    if path.is_dir() {
        let path = path.display();
        return CommandError::Usage(format!(
            "`{path}` is a folder; `kalg optimize --batch {path}` compiles all its files"
        ));
    }
    CommandError::Usage(format!("cannot read `{}`: {error}", path.display()))
}

/// Reads a file that is not a source.
///
/// # Errors
/// Also if the file has more than `most` bytes; endless devices do.
pub(super) fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if read as u64 > most {
        return Err(io::Error::other(format!("it is larger than the maximum of {most} bytes")));
    }
    Ok(bytes)
}

/// Reads a source that the file `from` includes. `path` is relative to the working folder and must, after following links, lead to
/// a regular file below the folder of `from`: an included name must not give access to the reader's other files.
///
/// # Errors
/// The reason; it reveals nothing of the file's contents.
pub(super) fn read_below(from: &Path, path: &Path) -> Result<Source, String> {
    let real = below(from, path)?;
    if !real.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    read_source(path).map_err(|error| error.to_string())
}

/// The paths of the files with this extension beside `path`, which the file `from` includes; empty if they are not below `from`.
pub(super) fn names_below(from: &Path, path: &Path, extension: &str) -> Vec<String> {
    let folder = folder_of(path);
    if below(from, folder).is_err() {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| path.with_file_name(entry.file_name()));
    let named = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    let mut names: Vec<String> = named.map(|path| path.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Follows the links of `path`, which must lead into the folder of `from`.
fn below(from: &Path, path: &Path) -> Result<PathBuf, String> {
    let place = |path: &Path| fs::canonicalize(path).map_err(|error| error.to_string());
    let (folder, real) = (folder_of(from), place(path)?);
    if real.starts_with(place(folder)?) {
        Ok(real)
    } else {
        Err(format!("it leads out of `{}`", folder.display()))
    }
}

/// The folder that contains a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The sources below `folder` with this extension, sorted by path.
pub(super) fn read_folder(folder: &Path, extension: &str) -> io::Result<Vec<Source>> {
    list_folder(folder, extension)?.iter().map(|path| read_source(path)).collect()
}

/// The paths of the files below `folder` with this extension, sorted. Links to files count as files; anything else with such a name
/// is skipped with a warning on standard error.
pub(super) fn list_folder(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    collect(folder, extension, &mut paths)?;
    paths.sort();
    paths.retain(|path| match infeasible(path) {
        None => true,
        Some(why) => {
            eprintln!("warning: `{}` is skipped: {why}", path.display());
            false
        }
    });
    Ok(paths)
}

fn collect(folder: &Path, extension: &str, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Links to folders are not followed because they may form a cycle.
        if entry.file_type()?.is_dir() {
            collect(&path, extension, paths)?;
        } else if path.extension().is_some_and(|e| e == extension) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Why a path cannot be read as a file: reading a pipe, for instance, could block forever.
fn infeasible(path: &Path) -> Option<String> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && path.to_str().is_some() => None,
        Ok(found) if found.is_file() => Some("its name is not UTF-8 text".to_owned()),
        Ok(_) => Some("it is not a regular file".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

/// A new private folder in the system's temporary folder; dropping it removes it with its contents.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Creates the folder; `name` makes it recognisable. An existing folder is never used, because files in this one may be executed.
    pub(super) fn new(name: &str) -> io::Result<Self> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        loop {
            let number = MADE.fetch_add(1, Ordering::Relaxed);
            let folder = std::env::temp_dir().join(format!("kalg-{name}-{}-{number}", process::id()));
            let mut builder = fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            match builder.create(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Self(folder)),
            }
        }
    }

    /// The path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody needs the contents any more, so the caller need not know if this fails.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_files_below_are_read_for_a_file() {
        use std::os::unix::fs::symlink;
        let scratch = Scratch::new("below").unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir_all(at("own/sub")).unwrap();
        for name in ["secret", "own/sub/a.rules"] {
            fs::write(at(name), name).unwrap();
        }
        symlink("sub/a.rules", at("own/link")).unwrap();
        symlink("../secret", at("own/out")).unwrap();
        symlink("..", at("own/up")).unwrap();
        symlink("/dev/zero", at("own/zero")).unwrap();
        let read =
            |name: &str| read_below(&at("own/main.rules"), &at(name)).map(|source| source.text().to_owned());
        for name in ["own/sub/a.rules", "own/link", "own/sub/../link"] {
            assert_eq!(read(name).as_deref(), Ok("own/sub/a.rules"), "{name}");
        }
        for name in ["secret", "own/out", "own/up/secret", "own/../secret", "own/zero"] {
            assert!(read(name).unwrap_err().starts_with("it leads out of `"), "{name}");
        }
        assert_eq!(read("own/sub").unwrap_err(), "it is not a regular file");
    }

    #[test]
    fn a_folder_is_read_in_the_order_of_its_paths() {
        let scratch = Scratch::new("folder").unwrap();
        fs::create_dir(scratch.path().join("b")).unwrap();
        for name in ["c.rules", "b/z.rules", "a.rules", "a.txt"] {
            fs::write(scratch.path().join(name), name).unwrap();
        }
        let found = read_folder(scratch.path(), "rules").unwrap();
        assert_eq!(found.iter().map(Source::text).collect::<Vec<_>>(), ["a.rules", "b/z.rules", "c.rules"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_never_ends_is_read_no_further_than_shows_it() {
        assert!(read_source(Path::new("/dev/zero")).unwrap().defect().is_some());
        let error = read_bytes(Path::new("/dev/zero"), 1000).unwrap_err().to_string();
        assert_eq!(error, "it is larger than the maximum of 1000 bytes");
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_listed_and_links_to_them() {
        use std::os::unix::fs::symlink;
        let scratch = Scratch::new("members").unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::write(at("a.sexp"), "a").unwrap();
        symlink("a.sexp", at("b.sexp")).unwrap();
        symlink("gone", at("c.sexp")).unwrap();
        symlink("/dev/zero", at("d.sexp")).unwrap();
        symlink(".", at("e.sexp")).unwrap();
        std::os::unix::net::UnixListener::bind(at("f.sexp")).unwrap();
        assert_eq!(list_folder(scratch.path(), "sexp").unwrap(), [at("a.sexp"), at("b.sexp")]);
    }
}

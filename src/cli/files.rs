//! Reading and writing files.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::outcome::CommandError;
use crate::syntax::{MAX_BYTES, Source};

/// The most bytes that are read of a file that is no source: a picture of 8192 × 8192 in sixteen bits and three colours.
const MOST_BYTES: u64 = 1 << 29;

/// The name that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Reads a source; `-` is standard input. What is too long to be one is read no further than needed to say so.
pub(super) fn read_source(path: &Path) -> io::Result<Source> {
    let most = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    if path.as_os_str() == STANDARD_INPUT {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
        return Ok(Source::from_bytes("<standard input>", bytes));
    }
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(Source::from_bytes(path.to_string_lossy(), bytes))
}

/// Reads a source that the file `from` names, given by its path as seen from here: a regular file below the folder of `from`, with
/// links followed. What a file names is the choice of whoever wrote it, and is no way to the reader's other files.
///
/// # Errors
/// Why it is not read; nothing of what it holds.
pub(super) fn read_below(from: &Path, path: &Path) -> Result<Source, String> {
    let real = below(from, path)?;
    if !real.is_file() {
        return Err("it is no regular file".to_owned());
    }
    read_source(path).map_err(|error| error.to_string())
}

/// The paths of the files that end in `.extension` and lie beside `path`, which the file `from` names; none where that is not below.
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

/// Where `path` leads, with links followed: into the folder of `from`.
fn below(from: &Path, path: &Path) -> Result<PathBuf, String> {
    let place = |path: &Path| fs::canonicalize(path).map_err(|error| error.to_string());
    let (folder, real) = (folder_of(from), place(path)?);
    if real.starts_with(place(folder)?) {
        Ok(real)
    } else {
        Err(format!("it leads out of `{}`", folder.display()))
    }
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads a file of any kind.
pub(super) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The sources below `folder` whose names end in `.extension`, in the order of their paths.
pub(super) fn read_folder(folder: &Path, extension: &str) -> io::Result<Vec<Source>> {
    list_folder(folder, extension)?.iter().map(|path| read_source(path)).collect()
}

/// The paths of the files below `folder` whose names end in `.extension`, sorted.
pub(super) fn list_folder(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    collect(folder, extension, &mut paths)?;
    paths.sort();
    Ok(paths)
}

fn collect(folder: &Path, extension: &str, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Links to folders are not followed: they may lead back.
        if entry.file_type()?.is_dir() {
            collect(&path, extension, paths)?;
        } else if path.extension().is_some_and(|e| e == extension) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Writes a file whole or not at all: to a neighbour first, which then takes its name.
pub(super) fn write_whole(path: &Path, contents: &[u8]) -> Result<(), CommandError> {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(contents)?;
        file.sync_all()
    });
    let moved = written.and_then(|()| fs::rename(&part, path));
    moved.map_err(|error| {
        // The first error is the one to report; what could not be written may not be there to remove.
        let _ = fs::remove_file(&part);
        CommandError::Write { path: path.to_owned(), error }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for one test, removed at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("kalg-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_stays() {
        let scratch = Scratch::new("replace");
        let path = scratch.0.join("out.txt");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_nothing_behind() {
        let scratch = Scratch::new("refused");
        let folder = scratch.0.join("taken");
        fs::create_dir(&folder).unwrap();
        let error = write_whole(&folder, b"text").unwrap_err();
        assert!(error.to_string().starts_with("cannot write `"), "{error}");
        assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn only_files_below_are_read_for_a_file() {
        use std::os::unix::fs::symlink;
        let scratch = Scratch::new("below");
        let at = |name: &str| scratch.0.join(name);
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
        assert_eq!(read("own/sub").unwrap_err(), "it is no regular file");
    }

    #[test]
    fn a_folder_is_read_in_the_order_of_its_paths() {
        let scratch = Scratch::new("folder");
        fs::create_dir(scratch.0.join("b")).unwrap();
        for name in ["c.rules", "b/z.rules", "a.rules", "a.txt"] {
            fs::write(scratch.0.join(name), name).unwrap();
        }
        let found = read_folder(&scratch.0, "rules").unwrap();
        assert_eq!(found.iter().map(Source::text).collect::<Vec<_>>(), ["a.rules", "b/z.rules", "c.rules"]);
    }
}

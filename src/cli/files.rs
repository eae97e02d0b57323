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

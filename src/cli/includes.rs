//! Reading C and C++ sources together with the files that they include.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::Args;

use super::files::{folder_of, read_source};
use crate::syntax::Source;

/// The most files that one source may include.
const MAX_FILES: usize = 256;

/// The option that says where included files may be.
#[derive(Debug, Default, Args)]
pub(super) struct Includes {
    /// Also look in this folder for files that a C++ source includes; those below its own folder are read anyway
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    include: Vec<PathBuf>,
}

impl Includes {
    /// Reads a source and the files that it includes, as [`with_includes`] does. Why a file is passed over is a warning on standard
    /// error.
    pub(super) fn read(&self, path: &Path) -> io::Result<Source> {
        with_includes(read_source(path)?, path, &self.include, &mut |why| {
            eprintln!("warning: {}: {why}", path.display());
        })
    }
}

/// Adds to a source, which is that of `path`, the files that it includes by `#include "NAME"`, relative to the including file or to
/// one of `folders`. Others are passed over, and `warn` is told why if they are there but not below one of these folders: an included
/// name must not give access to the reader's other files.
///
/// # Errors
/// A file is there but cannot be read.
pub fn with_includes(
    mut source: Source,
    path: &Path,
    folders: &[PathBuf],
    warn: &mut dyn FnMut(String),
) -> io::Result<Source> {
    let own = folder_of(path);
    let allowed = folders.iter().map(PathBuf::as_path).chain([own]);
    let allowed: Vec<PathBuf> = allowed.filter_map(|dir| dir.canonicalize().ok()).collect();
    let mut known: BTreeMap<PathBuf, usize> = path.canonicalize().map(|own| (own, 0)).into_iter().collect();
    let mut places = vec![own.to_path_buf()];
    let mut file = 0;
    while file < places.len() && source.defect().is_none() {
        let place = source.files()[file].clone();
        for (offset, name) in directives(&source.text()[place.clone()]) {
            let beside = [places[file].as_path()].into_iter();
            let there = beside.chain(folders.iter().map(PathBuf::as_path)).map(|dir| path_in(dir, &name));
            let Some(found) = there.into_iter().find(|path| path.is_file()) else { continue };
            let real = fs::canonicalize(&found)?;
            let number = match known.get(&real) {
                Some(number) => Ok(*number),
                None if !allowed.iter().any(|dir| real.starts_with(dir)) => {
                    Err("it is not below the source's folder or one of --include".to_owned())
                }
                None if places.len() > MAX_FILES => Err("there are too many files".to_owned()),
                None => add(&mut source, &found)?,
            };
            match number {
                Ok(number) => {
                    if known.insert(real, number).is_none() {
                        places.push(folder_of(&found).to_path_buf());
                    }
                    source.set_included(place.start + offset, number);
                }
                Err(why) => warn(format!("`{}` is not read: {why}", name.display())),
            }
        }
        file += 1;
    }
    Ok(source)
}

/// Adds a file to a source; or says why it cannot be used.
fn add(source: &mut Source, found: &Path) -> io::Result<Result<usize, String>> {
    let text = read_source(found)?;
    Ok(match text.defect() {
        Some(defect) => Err(defect.message.clone()),
        None => source.include(text.name(), text.text()).map_err(|defect| defect.message),
    })
}

/// The path of a file in a folder; without the working folder's `.`.
fn path_in(folder: &Path, name: &Path) -> PathBuf {
    let path = folder.join(name);
    path.strip_prefix(".").map(Path::to_path_buf).unwrap_or(path)
}

/// The lines `#include "NAME"` of a text: the offset of each `#`, and the name, with `/` for `\`.
fn directives(text: &str) -> Vec<(usize, PathBuf)> {
    let mut offset = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let directive = line.trim_start();
        let name = directive
            .strip_prefix('#')
            .and_then(|rest| rest.trim_start().strip_prefix("include"))
            .and_then(|rest| rest.trim_start().strip_prefix('"'))
            .and_then(|rest| rest.split_once('"'));
        if let Some((name, _)) = name {
            found.push((offset + line.len() - directive.len(), PathBuf::from(name.replace('\\', "/"))));
        }
        offset += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_include_are_found() {
        let text = "#include <a.h>\n  # include \"b\\c.h\" // x\nint d; #include \"d.h\"\n#include \"e.h\"";
        let names = directives(text);
        assert_eq!(names, [(17, PathBuf::from("b/c.h")), (62, PathBuf::from("e.h"))]);
        assert!(names.iter().all(|(at, _)| text[*at..].starts_with('#')));
    }
}

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
    /// Reads a source and the files that it includes by `#include "NAME"`, relative to the including file or to a folder of
    /// `--include`. Others are passed over, with a warning on standard error if they are there but not below one of these
    /// folders: an included name must not give access to the reader's other files.
    pub(super) fn read(&self, path: &Path) -> io::Result<Source> {
        let mut source = read_source(path)?;
        let own = folder_of(path);
        let allowed: Vec<PathBuf> = self
            .include
            .iter()
            .map(PathBuf::as_path)
            .chain([own])
            .filter_map(|dir| dir.canonicalize().ok())
            .collect();
        let mut known: BTreeMap<PathBuf, usize> =
            path.canonicalize().map(|own| (own, 0)).into_iter().collect();
        let mut folders = vec![own.to_path_buf()];
        let mut file = 0;
        while file < folders.len() && source.defect().is_none() {
            let place = source.files()[file].clone();
            for (offset, name) in directives(&source.text()[place.clone()]) {
                let beside = [folders[file].as_path()].into_iter();
                let there =
                    beside.chain(self.include.iter().map(PathBuf::as_path)).map(|dir| path_in(dir, &name));
                let Some(found) = there.into_iter().find(|path| path.is_file()) else { continue };
                let real = fs::canonicalize(&found)?;
                let number = match known.get(&real) {
                    Some(number) => Some(*number),
                    None if !allowed.iter().any(|dir| real.starts_with(dir)) => {
                        passed_over(path, &name, "it is not below the source's folder or one of --include");
                        None
                    }
                    None if folders.len() > MAX_FILES => {
                        passed_over(path, &name, "there are too many files");
                        None
                    }
                    None => add(&mut source, path, &name, &found)?,
                };
                let Some(number) = number else { continue };
                if known.insert(real, number).is_none() {
                    folders.push(folder_of(&found).to_path_buf());
                }
                source.set_included(place.start + offset, number);
            }
            file += 1;
        }
        Ok(source)
    }
}

/// Adds a file to a source; `None` if it cannot be used.
fn add(source: &mut Source, path: &Path, name: &Path, found: &Path) -> io::Result<Option<usize>> {
    let text = read_source(found)?;
    let added = match text.defect() {
        Some(defect) => Err(defect.message.clone()),
        None => source.include(text.name(), text.text()).map_err(|defect| defect.message),
    };
    Ok(added.map_err(|why| passed_over(path, name, &why)).ok())
}

/// The path of a file in a folder; without the working folder's `.`.
fn path_in(folder: &Path, name: &Path) -> PathBuf {
    let path = folder.join(name);
    path.strip_prefix(".").map(Path::to_path_buf).unwrap_or(path)
}

fn passed_over(path: &Path, name: &Path, why: &str) {
    eprintln!("warning: {}: `{}` is not read: {why}", path.display(), name.display());
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

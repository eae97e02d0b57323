//! The pictures of `kalg run`, and the inputs that they are for.

use std::path::{Path, PathBuf};

use super::files::{MAX_PICTURE, read_bytes};
use super::outcome::CommandError;
use crate::backend::Pictures;
use crate::picture::PictureFormat;

/// The picture arguments of a run.
pub(super) struct Files<'a> {
    /// `--image`.
    pub(super) given: &'a [String],
    /// `--out`.
    pub(super) out: &'a Path,
    pub(super) format: PictureFormat,
}

impl Pictures for Files<'_> {
    fn open(&self, inputs: &[String]) -> Result<Vec<(String, Vec<u8>)>, String> {
        let read = |path: &Path, bytes: &[u8]| Ok((path.display().to_string(), bytes.to_vec()));
        each_input(inputs, self.given, read).map_err(|error| error.to_string())
    }

    fn format(&self) -> PictureFormat {
        self.format
    }

    fn file(&self, output: &str, several: bool) -> String {
        let path = if several { named(self.out, output) } else { self.out.to_owned() };
        path.to_string_lossy().into_owned()
    }
}

/// Decodes the pictures `given`, in the order of the inputs: each is a file, or `NAME=FILE` if there are several inputs.
pub(super) fn each_input<T>(
    inputs: &[String],
    given: &[String],
    decode: impl Fn(&Path, &[u8]) -> Result<T, CommandError>,
) -> Result<Vec<T>, CommandError> {
    let mut found: Vec<Option<T>> = inputs.iter().map(|_| None).collect();
    for given in given {
        let named = given.split_once('=');
        let place = named.and_then(|(name, file)| Some((inputs.iter().position(|i| i == name)?, file)));
        let (place, file) = match place {
            Some(place) => place,
            // A file name may contain the equals sign.
            None if inputs.len() == 1 && (named.is_none() || Path::new(given).exists()) => {
                (0, given.as_str())
            }
            None => {
                let message =
                    format!("`{given}` names none of the inputs {}; write NAME=FILE", inputs.join(", "));
                return Err(CommandError::Usage(message));
            }
        };
        let path = Path::new(file);
        let bytes = read_bytes(path, MAX_PICTURE).map_err(|error| usage(path, &error))?;
        if found[place].replace(decode(path, &bytes)?).is_some() {
            let message = format!("the input `{}` has two pictures", inputs[place]);
            return Err(CommandError::Usage(message));
        }
    }
    let each = inputs.iter().zip(found).map(|(name, picture)| {
        picture.ok_or_else(|| {
            CommandError::Usage(format!("the input `{name}` has no picture; give it one with --image"))
        })
    });
    each.collect()
}

/// `out-NAME.png` for `out.png`.
pub(super) fn named(path: &Path, name: &str) -> PathBuf {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    path.with_file_name(format!("{}-{name}.{}", part(path.file_stem()), part(path.extension())))
}

/// The error for a file that cannot be used.
pub(super) fn usage(path: &Path, error: &dyn std::fmt::Display) -> CommandError {
    CommandError::Usage(format!("cannot use `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(inputs: &[&str], given: &[&str]) -> Result<Vec<String>, String> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let shown = |path: &Path, _: &[u8]| Ok(path.display().to_string());
        each_input(&owned(inputs), &owned(given), shown).map_err(|error| error.to_string())
    }

    #[test]
    fn names_go_before_the_ending() {
        assert_eq!(named(Path::new("a/out.png"), "gx"), Path::new("a/out-gx.png"));
    }

    #[test]
    fn every_input_has_one_picture() {
        let (a, b) = ("Cargo.toml", "README.md");
        assert_eq!(of(&["x"], &[a]), Ok(vec![a.to_owned()]));
        assert_eq!(of(&["x", "y"], &["y=README.md", "x=Cargo.toml"]), Ok(vec![a.to_owned(), b.to_owned()]));
        let wrong = |inputs: &[&str], given: &[&str]| of(inputs, given).unwrap_err();
        assert!(wrong(&["x"], &["z=README.md"]).contains("`z=README.md` names none of the inputs x"));
        assert!(wrong(&["x", "y"], &[a]).contains("names none of the inputs x, y"));
        assert!(wrong(&["x", "y"], &["x=Cargo.toml"]).contains("the input `y` has no picture"));
        assert!(wrong(&["x"], &[a, b]).contains("the input `x` has two pictures"));
    }
}

//! Names of filters whose files have none.

use std::path::Path;

use crate::syntax::is_name;

/// The name of a filter whose file has none, and the beginning of names that would be numbers.
const USUAL: &str = "filter";

/// The name of a filter as kernel files write it: anything but letters, digits and underscores becomes a hyphen.
///
/// # Errors
/// If the name is empty, or would be read as a number.
pub fn filter_name(text: &str) -> Result<String, String> {
    let name = hyphened(text);
    if is_name(&name) {
        Ok(name)
    } else {
        Err("a filter's name has letters, digits, hyphens and underscores, and does not begin as numbers do"
            .to_owned())
    }
}

/// The name of a filter, made from that of its file.
pub(super) fn of_file(file: &str) -> String {
    // Standard input has no name.
    let stem = Path::new(file).file_stem().filter(|_| !file.starts_with('<'));
    let name = hyphened(&stem.unwrap_or_default().to_string_lossy());
    if is_name(&name) && name.contains(|c| c != '-') {
        return name;
    }
    match name.trim_start_matches('-') {
        "" => USUAL.to_owned(),
        number => format!("{USUAL}-{number}"),
    }
}

fn hyphened(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::Filter;

    #[test]
    fn every_file_gives_a_name() {
        for (file, name) in [
            ("a/blur 3.csv", "blur-3"),
            ("a/A_B.csv", "A_B"),
            ("--x.csv", "--x"),
            ("3x3.csv", "filter-3x3"),
            ("1e5.csv", "filter-1e5"),
            ("-1.csv", "filter-1"),
            ("+.csv", "filter"),
            ("....csv", "filter"),
            ("", "filter"),
            ("<standard input>", "filter"),
        ] {
            assert_eq!(of_file(file), name, "{file}");
            assert_eq!(Filter::from_rows(name, [[1]]).unwrap().name(), name);
        }
    }

    #[test]
    fn given_names_are_not_numbers() {
        assert_eq!(filter_name("blur 3").as_deref(), Ok("blur-3"));
        for name in ["", "1", "-1", "3x3", "+"] {
            assert!(filter_name(name).is_err(), "{name}");
        }
    }
}

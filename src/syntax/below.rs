//! Paths in files: a file may only name files in its own folder or in folders below it.

/// Returns why a `path` named in a file is refused, or `None` if its text is relative and stays below that file's folder.
/// Only the code that opens the file can tell whether a link leads out of the folder.
pub fn leads_out(path: &str) -> Option<&'static str> {
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.is_empty() {
        Some("it is empty")
    } else if path.contains(|c: char| c.is_control() || c == '"') {
        Some("it contains characters not allowed in paths")
    } else if path.starts_with(['/', '\\']) || drive {
        Some("it is absolute")
    } else if path.split(['/', '\\']).any(|part| part == "..") {
        Some("`..` leads out of it")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_is_followed() {
        for path in ["a.rules", "./a.rules", "sub/a.rules", "a..b/c", "...", "a b.rules"] {
            assert_eq!(leads_out(path), None, "{path}");
        }
        for path in [
            "",
            "/etc/passwd",
            "\\\\server\\a",
            "C:a",
            "..",
            "../a",
            "sub/../../a",
            "sub\\..\\a",
            "a\n",
            "a\"b",
        ] {
            assert!(leads_out(path).is_some(), "{path:?}");
        }
    }
}

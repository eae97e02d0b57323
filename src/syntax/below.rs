//! Paths in files: a file may only name files in its own folder or below.

/// Why `path`, which a file names, is not followed; `None` where it is relative and stays below that file's folder by its text.
/// Whether links lead out of it, only who opens the file can tell.
pub fn leads_out(path: &str) -> Option<&'static str> {
    let drive = path.as_bytes().get(1) == Some(&b':');
    if path.is_empty() {
        Some("it is empty")
    } else if path.contains(|c: char| c.is_control() || c == '"') {
        Some("it holds characters that no path needs")
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

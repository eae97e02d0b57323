//! Numbers of things, in the singular or the plural.

/// `1 cycle`, `2 cycles`.
pub(crate) fn counted(n: u64, one: &str) -> String {
    many(n, one, &format!("{one}s"))
}

/// `1 entry`, `2 entries`.
pub(crate) fn many(n: u64, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

//! "Did you mean": the known name closest to a mistyped one.

/// The known name closest to `found`, if it is close enough: at most a third of its letters (and at least one) may be
/// inserted, left out, changed, or swapped with a neighbour. Among equally close names the first wins.
pub fn closest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if found.len() > 64 {
        return None;
    }
    let allowed = |name: &str| (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(found, name), name))
        .filter(|(distance, name)| *distance <= allowed(name) && *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_near_misses_only() {
        let known = ["kernel", "scale", "add", "sub", "id"];
        assert_eq!(closest("kernal", known), Some("kernel"));
        assert_eq!(closest("kenrel", known), Some("kernel"));
        assert_eq!(closest("ad", known), Some("add"));
        assert_eq!(closest("sum", known), Some("sub"));
        assert_eq!(closest("rotate", known), None);
        assert_eq!(closest("", known), None);
    }
}

//! "Did you mean": the known name nearest to a mistyped one.

/// The known name closest to `found`, if one is close enough to be meant: at most a third of its letters (and at least
/// one) inserted, left out, changed, or swapped with its neighbour. The first of equally close ones wins.
pub fn closest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if found.len() > 64 {
        return None;
    }
    let allowed = |name: &str| (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|name| (distance(found, name), name))
        .filter(|(distance, name)| *distance <= allowed(name) && *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Edit distance with swaps of neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let change = last[j] + usize::from(a[i] != b[j]);
            row[j + 1] = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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

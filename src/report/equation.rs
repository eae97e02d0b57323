//! One value of a program as an equation: `v2 = -(v1 + v1[north] + v1[south])`.

use super::{OptimizeRecord, Term};

/// The value at `step` of the record's decomposition as an equation over earlier values.
///
/// # Panics
/// If `step`, or a step that its terms name, is not in the record.
pub fn equation(record: &OptimizeRecord, step: usize) -> String {
    let value = &record.decomposition[step];
    let named = |term: &Term| format!("{}{}", record.decomposition[term.step].name, place(term.offset));
    format!("{} = {}", value.name, sum(&value.terms, named))
}

/// A linear combination; common coefficients are factored out.
fn sum(terms: &[Term], named: impl Fn(&Term) -> String) -> String {
    let Some(first) = terms.first() else { return "0".to_owned() };
    if terms.len() > 1 && first.coefficient != "1" && terms.iter().all(|t| t.coefficient == first.coefficient)
    {
        let inside: Vec<String> = terms.iter().map(named).collect();
        return format!("{}({})", factor(&first.coefficient), inside.join(" + "));
    }
    let mut text = String::new();
    for term in terms {
        let (negative, size) = match term.coefficient.strip_prefix('-') {
            Some(size) => (true, size),
            None => (false, term.coefficient.as_str()),
        };
        text.push_str(match (text.is_empty(), negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        text.push_str(&factor(size));
        text.push_str(&named(term));
    }
    text
}

/// A coefficient in front of its factor.
fn factor(coefficient: &str) -> String {
    match coefficient {
        "1" => String::new(),
        "-1" => "-".to_owned(),
        other => format!("{other}·"),
    }
}

/// Where a value is read: empty for the pixel itself, a word for a neighbour, otherwise the offset.
pub(super) fn place(offset: [i32; 3]) -> String {
    match offset {
        [0, 0, 0] => String::new(),
        [1, 0, 0] => "[east]".to_owned(),
        [-1, 0, 0] => "[west]".to_owned(),
        [0, 1, 0] => "[north]".to_owned(),
        [0, -1, 0] => "[south]".to_owned(),
        [1, 1, 0] => "[northeast]".to_owned(),
        [-1, 1, 0] => "[northwest]".to_owned(),
        [1, -1, 0] => "[southeast]".to_owned(),
        [-1, -1, 0] => "[southwest]".to_owned(),
        [x, y, 0] => format!("[{x},{y}]"),
        [x, y, z] => format!("[{x},{y},{z}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn equations_of_a_program() {
        let record = sample::sobel();
        let all: Vec<String> = (1..record.decomposition.len()).map(|step| equation(&record, step)).collect();
        assert_eq!(
            all,
            [
                "v1 = -image",
                "v2 = -(v1 + v1[north] + v1[south])",
                "v3 = -(image + v2)",
                "v4 = -v3[east]",
                "v5 = -(v4 + v3[west])",
            ]
        );
    }

    #[test]
    fn signs_factors_and_far_places() {
        let term = |offset, coefficient: &str| Term { step: 0, offset, coefficient: coefficient.to_owned() };
        let named = |term: &Term| format!("a{}", place(term.offset));
        assert_eq!(sum(&[], named), "0");
        assert_eq!(sum(&[term([0, 0, 0], "1"), term([2, -1, 0], "1")], named), "a + a[2,-1]");
        assert_eq!(sum(&[term([0, 0, 0], "-1/2"), term([0, 0, 1], "1")], named), "-1/2·a + a[0,0,1]");
        assert_eq!(sum(&[term([0, 0, 0], "1/2"), term([1, 0, 0], "1/2")], named), "1/2·(a + a[east])");
        assert_eq!(sum(&[term([0, 0, 0], "1"), term([1, 1, 0], "-3")], named), "a - 3·a[northeast]");
    }
}

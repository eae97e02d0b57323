//! Sums of products along a line as operations: which taps share one, and which are added or subtracted first.

use crate::backend::vector::machine::PreAdd;
use crate::backend::vector::workload::Element;

/// One operation: for each column of the datapath, a place along the line and its coefficient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MultiplyAdd {
    pub(super) taps: Vec<(usize, i64)>,
    /// For each column, the place that is combined with it before the multiplication.
    pub(super) mirror: Option<(Vec<usize>, PreAdd)>,
}

impl MultiplyAdd {
    /// The operation on places that come `first` later.
    fn after(mut self, first: usize) -> Self {
        let mirror = self.mirror.iter_mut().flat_map(|(places, _)| places);
        self.taps.iter_mut().map(|(place, _)| place).chain(mirror).for_each(|place| *place += first);
        self
    }
}

/// The way in which lanes take their data along a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// Each place is a separate vector, so any places can share an operation.
    Vectors,
    /// Places are neighbours in one window. Those of an operation are consecutive; two may also both be even.
    Window,
}

/// The maximum number of operations for one tap, each with a part of its coefficient.
pub(super) const MAX_PARTS: usize = 2;

/// Splits coefficients into parts that fit a type: one line if all fit, or else a second line with the excess. If
/// [`MAX_PARTS`] are not enough, the last line holds the remainder. Every part keeps the symmetry.
pub(super) fn parts(coefficients: &[i64], element: Element) -> Vec<Vec<i64>> {
    let [least, greatest] = element.range();
    let mut left = coefficients.to_vec();
    let mut found = Vec::new();
    while found.len() + 1 < MAX_PARTS && left.iter().any(|c| !(least..=greatest).contains(c)) {
        let part: Vec<i64> = left.iter().map(|c| (*c).clamp(-greatest, greatest)).collect();
        left.iter_mut().zip(&part).for_each(|(left, part)| *left -= part);
        found.push(part);
    }
    found.push(left);
    found
}

/// The operations of Σ coefficient · place with coefficients of a type. A tap takes several operations if it is too
/// large for the type. `fold` gives the combination of taps at equal distances from either end.
pub(super) fn steps(
    coefficients: &[i64],
    element: Element,
    columns: usize,
    line: Line,
    fold: Option<PreAdd>,
) -> Vec<MultiplyAdd> {
    parts(coefficients, element).iter().flat_map(|part| steps_of_part(part, columns, line, fold)).collect()
}

fn steps_of_part(coefficients: &[i64], columns: usize, line: Line, fold: Option<PreAdd>) -> Vec<MultiplyAdd> {
    let last = coefficients.len().saturating_sub(1);
    let mut found = Vec::new();
    // On shorter lines, the places that fill an operation have no mirror images.
    let fold = fold.filter(|_| columns <= coefficients.len());
    let mut single: Vec<usize> = (0..coefficients.len()).filter(|i| coefficients[*i] != 0).collect();
    if let Some(how) = fold {
        let mut pairs: Vec<usize> = single.iter().copied().filter(|i| 2 * i < last).collect();
        // A middle tap can be its own partner, with half its coefficient, to fill an operation.
        let middle = |i: &usize| 2 * i == last && coefficients[*i] % 2 == 0;
        if !pairs.len().is_multiple_of(columns) {
            pairs.extend(single.iter().copied().filter(middle));
        }
        single.retain(|i| 2 * i == last && !pairs.contains(i));
        let half = |i: usize| if 2 * i == last { coefficients[i] / 2 } else { coefficients[i] };
        for group in groups(&pairs, columns, line, last / 2) {
            let taps = group.iter().map(|(i, used)| (*i, if *used { half(*i) } else { 0 })).collect();
            let mirror = group.iter().map(|(i, _)| last - i).collect();
            found.push(MultiplyAdd { taps, mirror: Some((mirror, how)) });
        }
    }
    for group in groups(&single, columns, line, last) {
        let taps = group.iter().map(|(i, used)| (*i, if *used { coefficients[*i] } else { 0 })).collect();
        found.push(MultiplyAdd { taps, mirror: None });
    }
    found
}

/// The operations of a line after a shift replaces one tap, or most of it if it is too large for the type. The tap is a
/// power of two, at a place that `may` allows. `fold` gives the combination of the taps of a line without zeros at its
/// ends: the taps beside the shifted one may be combined where the whole line is not. Of equal choices, the first is taken,
/// and none if it saves nothing. Also returns the place and the bits of the shift.
pub(super) fn shifted(
    coefficients: &[i64],
    element: Element,
    columns: usize,
    line: Line,
    fold: impl Fn(&[i64]) -> Option<PreAdd>,
    may: impl Fn(usize) -> bool,
) -> (Option<(usize, u32)>, Vec<MultiplyAdd>) {
    let steps = |coefficients: &[i64]| {
        let (first, inner) = trimmed(coefficients);
        let steps = steps(inner, element, columns, line, fold(inner)).into_iter();
        steps.map(|step| step.after(first)).collect::<Vec<_>>()
    };
    let mut best = (None, steps(coefficients));
    for (place, bits, rest) in powers(coefficients, element).filter(|(place, ..)| may(*place)) {
        let mut others = coefficients.to_vec();
        others[place] = rest;
        let steps = steps(&others);
        if !steps.is_empty() && steps.len() < best.1.len() {
            best = (Some((place, bits)), steps);
        }
    }
    best
}

/// The places of a line whose coefficients are powers of two, or too large for a type and close to one. Also returns
/// the bits of the shift and the remainder to multiply.
pub(super) fn powers(coefficients: &[i64], element: Element) -> impl Iterator<Item = (usize, u32, i64)> + '_ {
    let [_, greatest] = element.range();
    let next_to = move |(place, c): (usize, &i64)| {
        let (c, below) = (*c, c.checked_ilog2());
        let powers = below.into_iter().flat_map(|bits| [bits, bits + 1]).filter(|bits| *bits < i64::BITS - 2);
        powers
            .map(move |bits| (place, bits, c - (1 << bits)))
            .filter(move |(.., rest)| *rest == 0 || (c > greatest && rest.abs() <= greatest))
    };
    coefficients.iter().enumerate().flat_map(next_to)
}

/// Strips the zeros at the ends of a line. Also returns the place where the rest begins.
pub(super) fn trimmed(line: &[i64]) -> (usize, &[i64]) {
    let first = line.iter().position(|c| *c != 0).unwrap_or(0);
    let end = line.iter().rposition(|c| *c != 0).map_or(first, |last| last + 1);
    (first, &line[first..end])
}

/// The combination of taps of a line at equal distances from its ends.
pub(super) fn symmetry(coefficients: &[i64]) -> Option<PreAdd> {
    let mirrored = || coefficients.iter().zip(coefficients.iter().rev());
    if coefficients.len() < 2 || coefficients.iter().all(|c| *c == 0) {
        return None;
    }
    if mirrored().all(|(a, b)| a == b) {
        return Some(PreAdd::Sum);
    }
    mirrored().all(|(a, b)| *a == -*b).then_some(PreAdd::Difference)
}

/// Groups places by `columns`. Groups are filled up with places of coefficient zero, none beyond `last`. In a window,
/// these may be up to a group further on.
fn groups(places: &[usize], columns: usize, line: Line, last: usize) -> Vec<Vec<(usize, bool)>> {
    let mut left = places.to_vec();
    let mut found = Vec::new();
    while let Some(first) = left.first().copied() {
        let taken: Vec<usize> = match line {
            Line::Vectors => left.iter().copied().take(columns).collect(),
            Line::Window if columns == 1 => vec![first],
            Line::Window if !left.contains(&(first + 1)) && columns == 2 && first.is_multiple_of(2) => {
                let alone = |i: &usize| i.is_multiple_of(2) && !left.contains(&(i + 1)) && *i != first;
                let lonely = left.iter().copied().find(alone);
                std::iter::once(first).chain(lonely).collect()
            }
            Line::Window => left.iter().copied().filter(|i| *i < first + columns).collect(),
        };
        left.retain(|i| !taken.contains(i));
        let group: Vec<(usize, bool)> = match line {
            Line::Window if columns == 2 && taken.len() == 2 => taken.iter().map(|i| (*i, true)).collect(),
            Line::Window => (first..first + columns).map(|i| (i, taken.contains(&i))).collect(),
            Line::Vectors => {
                let mut group: Vec<(usize, bool)> = taken.iter().map(|i| (*i, true)).collect();
                // Four columns are two pairs at one distance: a single pair stands for both, a third vector brings a fourth.
                match (taken.len(), columns) {
                    (1, _) => group.resize(columns, (first, false)),
                    (2, 4) => group.extend([(taken[0], false), (taken[1], false)]),
                    (3, 4) => match (0..=last).find(|i| !taken.contains(i)) {
                        Some(other) if other < first => group.insert(0, (other, false)),
                        Some(other) => group.push((other, false)),
                        None => group.push((last + 1, false)),
                    },
                    _ => {}
                }
                group
            }
        };
        found.push(group);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the operations, place by place.
    fn total(steps: &[MultiplyAdd], places: usize) -> Vec<i64> {
        let mut sums = vec![0; places + 4];
        for step in steps {
            for (column, (place, coefficient)) in step.taps.iter().enumerate() {
                sums[*place] += coefficient;
                if let Some((mirror, how)) = &step.mirror {
                    let sign = if *how == PreAdd::Sum { 1 } else { -1 };
                    sums[mirror[column]] += sign * coefficient;
                }
            }
        }
        assert!(sums[places..].iter().all(|sum| *sum == 0));
        sums.truncate(places);
        sums
    }

    #[test]
    fn operations_sum_up_to_the_line() {
        let lines: [&[i64]; 8] = [
            &[1, 2, 1],
            &[1, 0, -1],
            &[1, 4, 6, 4, 1],
            &[1, 4, 7, 4, 1],
            &[-1, -2, 0, 2, 1],
            &[3],
            &[1, 6, 15, 20, 15, 6, 1],
            &[0, 5, 0, 0, 7, 0, 2],
        ];
        for coefficients in lines {
            for columns in [1, 2, 4] {
                for line in [Line::Vectors, Line::Window] {
                    for fold in [None, symmetry(coefficients)] {
                        let steps = steps(coefficients, Element::Int16, columns, line, fold);
                        assert_eq!(total(&steps, coefficients.len()), coefficients, "{columns} {line:?}");
                        assert!(steps.iter().all(|step| step.taps.len() == columns));
                    }
                }
            }
        }
    }

    #[test]
    fn middle_taps_of_even_weight_join_the_others() {
        let count = |coefficients: &[i64]| {
            steps(coefficients, Element::Int16, 2, Line::Vectors, symmetry(coefficients)).len()
        };
        assert_eq!(count(&[1, 6, 15, 20, 15, 6, 1]), 2);
        assert_eq!(count(&[1, 6, 15, 21, 15, 6, 1]), 3);
        assert_eq!(count(&[1, 0, -1]), 1);
        assert_eq!(steps(&[1, 0, 1], Element::Int16, 2, Line::Window, None).len(), 1);
        assert_eq!(steps(&[1; 7], Element::Int16, 4, Line::Vectors, None).len(), 2);
    }

    #[test]
    fn a_power_of_two_is_shifted_where_that_saves_an_operation() {
        let found = |coefficients: &[i64], columns, fold: Option<PreAdd>| {
            let fold = |line: &[i64]| symmetry(line).filter(|how| Some(*how) == fold);
            let (shift, steps) =
                shifted(coefficients, Element::Int16, columns, Line::Vectors, fold, |_| true);
            let mut sums = total(&steps, coefficients.len());
            if let Some((place, bits)) = shift {
                assert_eq!(std::mem::replace(&mut sums[place], 1 << bits), 0);
            }
            assert_eq!(sums, coefficients);
            (shift, steps.len())
        };
        assert_eq!(found(&[3, 4, 3], 2, None), (Some((1, 2)), 1));
        assert_eq!(found(&[1, 2, 1], 1, None), (Some((0, 0)), 2));
        assert_eq!(found(&[1, 2, 1, 5], 2, None), (None, 2));
        assert_eq!(found(&[3, -4, 3], 2, None), (None, 2));
        assert_eq!(found(&[1, 3, 8, 3, 1], 2, Some(PreAdd::Sum)), (Some((2, 3)), 1));
        // What is left of an odd box is symmetric on its own.
        assert_eq!(found(&[1; 15], 2, Some(PreAdd::Sum)), (Some((0, 0)), 4));
        assert_eq!(found(&[0, 2, 3, 6, 3], 2, Some(PreAdd::Sum)), (Some((1, 1)), 1));
        // A sum of a single tap stays as it is.
        assert_eq!(found(&[4], 2, None), (None, 1));
        let aligned = shifted(&[3, 4, 3], Element::Int16, 2, Line::Vectors, |_| None, |place| place == 0);
        assert_eq!((aligned.0, aligned.1.len()), (None, 2));
    }

    #[test]
    fn coefficients_beyond_their_type_are_multiplied_in_parts() {
        let lines: [&[i64]; 4] = [&[1, 40000, 3], &[-65534, 5, -65534], &[-32768, 7], &[32768, -40000]];
        for coefficients in lines {
            for fold in [None, symmetry(coefficients)] {
                let steps = steps(coefficients, Element::Int16, 2, Line::Vectors, fold);
                assert_eq!(total(&steps, coefficients.len()), coefficients);
                let all: Vec<i64> = steps.iter().flat_map(|s| s.taps.iter().map(|tap| tap.1)).collect();
                assert_eq!(Element::Int16.beyond(&all), None, "{coefficients:?}");
            }
        }
        // The excess over two parts shows in the last part.
        let parts = parts(&[70000, 1], Element::Int16);
        assert_eq!(parts, [vec![32767, 1], vec![37233, 0]]);
        // A shift replaces all of a power of two, and most of a coefficient close to one.
        let next_to = |c: i64| powers(&[c], Element::Int16).collect::<Vec<_>>();
        assert_eq!(next_to(1 << 20), [(0, 20, 0)]);
        assert_eq!(next_to(40000), [(0, 15, 7232), (0, 16, -25536)]);
        assert_eq!((next_to(400_000), next_to(-65536), next_to(i64::MAX)), (vec![], vec![], vec![]));
    }

    #[test]
    fn symmetries_are_seen() {
        assert_eq!(symmetry(&[1, 2, 1]), Some(PreAdd::Sum));
        assert_eq!(symmetry(&[1, 0, -1]), Some(PreAdd::Difference));
        assert_eq!(symmetry(&[1, 1, -1]), None);
        assert_eq!(symmetry(&[4]), None);
        assert_eq!(symmetry(&[0, 0]), None);
    }
}

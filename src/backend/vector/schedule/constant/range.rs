//! Sums of columns that do not fit their type: shifted right where an error is tolerated, or divided into several that fit.

use super::plan::Inapplicable;
use super::split::{Column, Output, Piece, Split};
use crate::backend::vector::workload::Workload;

/// The maximum number of columns of neighbouring taps that take the place of one. Two digits nearly always suffice.
const MAX_COLUMNS: usize = 4;

/// The right shift, in bits, that makes sums of columns fit their type: zero unless the workload tolerates the error.
/// The shift of the outputs is reduced by it, so all columns share one shift, and single taps cannot be added.
pub(super) fn narrowed(workload: &Workload, split: &Split) -> Result<u32, Inapplicable> {
    let [low, high] = workload.element.range();
    let mut shift = 0;
    for column in split.columns.iter().filter(|column| !fits(workload, &column.coefficients)) {
        let [least, greatest] = bounds(&column.coefficients, workload.range);
        let infeasible = Inapplicable::Range { least, greatest };
        if workload.tolerance == 0 || split.has_rest() {
            return Err(infeasible);
        }
        let fits = |shift: u32| {
            // Rounding adds up to half a unit.
            let (least, greatest) =
                (2 * i128::from(least) - (1 << shift), 2 * i128::from(greatest) + (1 << shift));
            least >> (shift + 1) >= i128::from(low) && -(-greatest >> (shift + 1)) <= i128::from(high)
        };
        shift = shift.max((1..=workload.shift).find(|shift| fits(*shift)).ok_or(infeasible)?);
    }
    if shift > 0 {
        let weight = |output: &Output| {
            let coefficients = output.pieces.iter().flat_map(|piece| &piece.coefficients);
            coefficients.fold(0u64, |sum, c| sum.saturating_add(c.unsigned_abs()))
        };
        // Each column is off by up to half a unit after the shift.
        let weight = split.outputs.iter().map(weight).max().unwrap_or(0);
        let bound = weight.div_ceil(1 << (workload.shift - shift + 1));
        if bound > workload.tolerance {
            return Err(Inapplicable::Error { bound });
        }
    }
    Ok(shift)
}

/// The least and the greatest weighted sum of inputs in a range.
fn bounds(line: &[i64], range: [i64; 2]) -> [i64; 2] {
    let mut bounds = [0i64; 2];
    for coefficient in line {
        let ends = range.map(|end| end.saturating_mul(*coefficient));
        bounds[0] = bounds[0].saturating_add(ends[0].min(ends[1]));
        bounds[1] = bounds[1].saturating_add(ends[0].max(ends[1]));
    }
    bounds
}

/// Whether the sums of a column fit the type of the elements.
fn fits(workload: &Workload, line: &[i64]) -> bool {
    let [least, greatest] = bounds(line, workload.range);
    let [low, high] = workload.element.range();
    low <= least && greatest <= high
}

/// A split with each column that does not fit its type divided into columns that do and that add up to it. The rows of it
/// become rows of each of these; rows of one column are added. `None` if there are no such columns, or a coefficient of a row
/// leaves the exact range.
pub(super) fn divided(workload: &Workload, split: &Split) -> Option<Split> {
    let mut columns: Vec<Column> = Vec::new();
    let mut parts_of: Vec<Vec<(usize, i64)>> = Vec::new();
    for Column { channel, coefficients } in &split.columns {
        let mut places = Vec::new();
        for (factor, coefficients) in parts(coefficients, &|line| fits(workload, line))? {
            let part = Column { channel: *channel, coefficients };
            let known = columns.iter().position(|column| *column == part);
            places.push((known.unwrap_or(columns.len()), factor));
            if known.is_none() {
                columns.push(part);
            }
        }
        parts_of.push(places);
    }
    let output = |output: &Output| {
        let mut pieces: Vec<Piece> = Vec::new();
        for Piece { column, coefficients } in &output.pieces {
            for (column, factor) in parts_of[*column].iter().copied() {
                let at = pieces.iter().position(|piece| piece.column == column).unwrap_or(pieces.len());
                if at == pieces.len() {
                    pieces.push(Piece { column, coefficients: vec![0; coefficients.len()] });
                }
                for (sum, c) in pieces[at].coefficients.iter_mut().zip(coefficients) {
                    *sum = sum.checked_add(c.checked_mul(factor)?)?;
                }
            }
        }
        Some(Output { pieces, rest: output.rest.clone() })
    };
    let outputs = split.outputs.iter().map(output).collect::<Option<_>>()?;
    Some(Split { columns, outputs })
}

/// A line as a sum of multiples of lines that fit, each with its factor: of lines of neighbouring taps, or, if these are
/// fewer, of lines of two digits of its coefficients. `None` if there are no such lines.
fn parts(line: &[i64], fits: &dyn Fn(&[i64]) -> bool) -> Option<Vec<(i64, Vec<i64>)>> {
    // A tap is divided only if that saves a line.
    let divided = filled(line, fits, true);
    let count = divided.as_ref().map_or(usize::MAX, Vec::len);
    let whole = filled(line, fits, false).filter(|lines| lines.len() <= count);
    let neighbours =
        whole.or(divided).map(|lines| lines.into_iter().map(|line| (1, line)).collect::<Vec<_>>());
    let digits = (1..i64::BITS - 1).map(|bits| digits(line, 1 << bits));
    let digits = digits.filter(|lines| lines.iter().all(|(_, line)| fits(line)));
    digits.filter(|lines| lines.len() < count).min_by_key(Vec::len).or(neighbours)
}

/// The multiples of a base that are nearest to the coefficients of a line, over the base, and what they leave.
fn digits(line: &[i64], base: i64) -> Vec<(i64, Vec<i64>)> {
    let nearest = |c: &i64| {
        let (whole, part) = (c / base, c % base);
        if part.abs() > base / 2 { whole + c.signum() } else { whole }
    };
    let high: Vec<i64> = line.iter().map(nearest).collect();
    let low = line.iter().zip(&high).map(|(c, high)| c - base * high).collect();
    let lines = [(base, high), (1, low)];
    lines.into_iter().filter(|(_, line): &(i64, Vec<i64>)| line.iter().any(|c| *c != 0)).collect()
}

/// Fills one line after another with the taps of a line in order. `None` if a tap does not fit, or beyond [`MAX_COLUMNS`].
fn filled(line: &[i64], fits: &dyn Fn(&[i64]) -> bool, may_divide: bool) -> Option<Vec<Vec<i64>>> {
    let zeros = vec![0; line.len()];
    let mut found = vec![zeros.clone()];
    for (place, coefficient) in line.iter().enumerate() {
        let mut left = *coefficient;
        while left != 0 {
            let last = found.last_mut().expect("begun with one line");
            let may_take = |taken: i64| {
                let mut line = last.clone();
                line[place] += taken;
                fits(&line)
            };
            let taken = match may_divide {
                true => greatest(left, may_take),
                false => Some(left).filter(|taken| may_take(*taken)),
            };
            match taken {
                Some(taken) => {
                    last[place] += taken;
                    left -= taken;
                }
                None if *last == zeros || found.len() == MAX_COLUMNS => return None,
                None => found.push(zeros.clone()),
            }
        }
    }
    Some(found)
}

/// The integer of the greatest magnitude from one towards `most`, of its sign, for which `holds`, which holds for lesser ones, too.
fn greatest(most: i64, holds: impl Fn(i64) -> bool) -> Option<i64> {
    let (mut held, mut failed) = (0, most.unsigned_abs() + 1);
    while failed - held > 1 {
        let middle = held + (failed - held) / 2;
        match holds(middle as i64 * most.signum()) {
            true => held = middle,
            false => failed = middle,
        }
    }
    (held > 0).then(|| held as i64 * most.signum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::vector::workload::Element;

    fn workload(range: [i64; 2]) -> Workload {
        Workload { range, ..Workload::known("filter", Element::Int16, [32, 2], [1, 9], [1, 1], vec![0; 9]) }
    }

    #[test]
    fn columns_are_divided_into_as_few_as_fit() {
        let bytes = workload([0, 255]);
        let of = |line: &[i64]| {
            let parts = parts(line, &|line| fits(&bytes, line)).unwrap();
            let mut sum = vec![0; line.len()];
            for (factor, part) in &parts {
                assert!(fits(&bytes, part), "{part:?}");
                sum.iter_mut().zip(part).for_each(|(sum, c)| *sum += factor * c);
            }
            assert_eq!(sum, line);
            parts.into_iter().map(|(_, part)| part).collect::<Vec<_>>()
        };
        // At most 32767 / 255 = 128 in a column.
        let binomial = of(&[1, 8, 28, 56, 70, 56, 28, 8, 1]);
        assert_eq!(binomial, [[1, 8, 28, 56, 35, 0, 0, 0, 0], [0, 0, 0, 0, 35, 56, 28, 8, 1]]);
        assert_eq!(of(&[60, 61, 61, 60]), [[60, 61, 0, 0], [0, 0, 61, 60]]);
        // 8 times a column and another.
        let binomial = of(&[1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1]);
        assert_eq!(binomial[0], [0, 1, 6, 15, 26, 31, 26, 15, 6, 1, 0]);
        assert_eq!(binomial[1], [1, 2, -3, 0, 2, 4, 2, 0, -3, 2, 1]);
        assert_eq!(of(&[60, 60, 60, 60]), [[30, 30, 30, 30]]);
        assert_eq!(of(&[-300, 0]), [[-75, 0]]);
        // Opposite coefficients make sums on either side of zero.
        assert_eq!(of(&[128, -128]), [[128, -128]]);
        let wide = workload([-32768, 32767]);
        let of = |line: &[i64]| parts(line, &|line| fits(&wide, line));
        assert_eq!(of(&[1, -1]), None);
        assert_eq!(of(&[0, 1, 1]), Some(vec![(1, vec![0, 1, 0]), (1, vec![0, 0, 1])]));
    }

    #[test]
    fn rows_of_a_divided_column_are_rows_of_its_parts() {
        let column = |coefficients: &[i64]| Column { channel: 0, coefficients: coefficients.to_vec() };
        let piece = |column, row: &[i64]| Piece { column, coefficients: row.to_vec() };
        let split = Split {
            columns: vec![column(&[101, 100]), column(&[101, 0])],
            outputs: vec![Output { pieces: vec![piece(0, &[1, 2]), piece(1, &[3, 4])], rest: Vec::new() }],
        };
        let divided = divided(&workload([0, 255]), &split).unwrap();
        assert_eq!(divided.columns, [column(&[101, 0]), column(&[0, 100])]);
        let pieces = [piece(0, &[4, 6]), piece(1, &[1, 2])];
        assert_eq!(divided.outputs[0].pieces, pieces);
    }
}

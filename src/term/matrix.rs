//! Kernels as matrices, for messages that compare them.

use std::fmt::Write as _;

use crate::algebra::{Placed, Rational};

/// A kernel as rows of coefficients, north first, each behind `indent`; one block per layer and channel where there are
/// several, and a line that says where the first column and the last row lie.
pub fn matrix(kernel: &Placed, indent: &str) -> String {
    let shape = &kernel.shape;
    if shape.is_zero() {
        return format!("{indent}the zero kernel");
    }
    let [w, h, d] = shape.size().map(usize::from);
    let [x, y, z] = kernel.label.offset;
    let coefficient = |i: usize| match Rational::integer(shape.dense()[i]).mul(kernel.label.scale) {
        Some(value) => value.to_string(),
        None => format!("{}*{}", kernel.label.scale, shape.dense()[i]),
    };
    let texts: Vec<String> = (0..shape.dense().len()).map(coefficient).collect();
    let width = texts.iter().map(String::len).max().unwrap_or(1);
    let mut text = format!("{indent}x = {x}..{}, y = {y}..{}", x + w as i32 - 1, y + h as i32 - 1);
    for (block, rows) in texts.chunks(w * h).enumerate() {
        let (channel, layer) = (block / d, block % d);
        if shape.channels() > 1 || d > 1 {
            let _ = write!(text, "\n{indent}channel {channel}, z = {}", z + layer as i32);
        }
        for row in rows.chunks(w).rev() {
            let cells: Vec<String> = row.iter().map(|cell| format!("{cell:>width$}")).collect();
            let _ = write!(text, "\n{indent}[ {} ]", cells.join(" "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_matrix_has_north_on_top() {
        let kernel =
            Placed::from_dense(1, [-1, 0, 0], [2, 2, 1], &[1, -2, 3, 0], Rational::new(1, 4).unwrap())
                .unwrap();
        assert_eq!(matrix(&kernel, "  "), "  x = -1..0, y = 0..1\n  [  3/4    0 ]\n  [  1/4 -1/2 ]");
    }
}

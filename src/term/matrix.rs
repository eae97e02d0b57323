//! Kernels as matrices, for messages that compare them.

use std::fmt::Write as _;

use crate::algebra::{Placed, aligned};

/// A kernel as rows of coefficients, north first, each after `indent`. A kernel with several layers or channels has one
/// block for each; a line states the place of the first column and the last row. A kernel with scans is a numerator over
/// factors 1 − x^d.
pub fn matrix(kernel: &Placed, indent: &str) -> String {
    if kernel.shape.is_finite() {
        return finite(kernel, indent);
    }
    let Some((numerator, steps)) = kernel.recurrences() else { return finite(kernel, indent) };
    let factors = steps.iter().map(|[x, y, z]| format!(" (1 - x^({x}, {y}, {z}))"));
    format!("{}\n{indent}/{}", finite(&numerator, indent), factors.collect::<String>())
}

/// [`matrix`] of a kernel without scans.
fn finite(kernel: &Placed, indent: &str) -> String {
    let shape = &kernel.shape;
    if shape.is_zero() {
        return format!("{indent}the zero kernel");
    }
    let [w, h, d] = shape.size().map(usize::from);
    let [x, y, z] = kernel.label.offset;
    let texts = kernel.coefficient_texts();
    let rows: Vec<Vec<String>> = texts.chunks(w).map(<[String]>::to_vec).collect();
    let lines = aligned(&rows);
    let mut text = format!("{indent}x = {x}..{}, y = {y}..{}", x + w as i32 - 1, y + h as i32 - 1);
    for (block, lines) in lines.chunks(h).enumerate() {
        let (channel, layer) = (block / d, block % d);
        if shape.channels() > 1 || d > 1 || z != 0 {
            let _ = write!(text, "\n{indent}channel {channel}, z = {}", z + layer as i32);
        }
        for line in lines.iter().rev() {
            let _ = write!(text, "\n{indent}[ {line} ]");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::Rational;

    #[test]
    fn the_matrix_has_north_on_top() {
        let kernel =
            Placed::from_dense(1, [-1, 0, 0], [2, 2, 1], &[1, -2, 3, 0], Rational::new(1, 4).unwrap())
                .unwrap();
        assert_eq!(matrix(&kernel, "  "), "  x = -1..0, y = 0..1\n  [  3/4    0 ]\n  [  1/4 -1/2 ]");
    }

    #[test]
    fn scans_stand_below_the_numerator() {
        // Sums to the east are those to the west, reversed.
        let [east, west] = [1, -1].map(|x| matrix(&Placed::scan([x, 0, 0]).unwrap(), ""));
        assert_eq!(west, "x = 0..0, y = 0..0\n[ 1 ]\n/ (1 - x^(-1, 0, 0))");
        assert_eq!(east, "x = -1..-1, y = 0..0\n[ -1 ]\n/ (1 - x^(-1, 0, 0))");
    }
}

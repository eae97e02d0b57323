//! Kernels and decompositions as terms of kernel files.

use crate::algebra::{Arithmetic, Label, Placed, Rational, Shape};
use crate::syntax::{Layout, Sexp};

use super::{Decomposition, Direction};

/// The largest kernel written as a matrix, in entries.
const MAX_PLACES: u64 = 1 << 16;

/// Default names for the channels of a kernel whose filter is unknown.
pub(crate) fn default_inputs(channels: u16) -> Vec<String> {
    (0..channels).map(|channel| format!("in{channel}")).collect()
}

/// A kernel as `(kernel ROW…)`, scaled if its coefficients have a common denominator, with one `(from …)` per channel if
/// there are several, and after scans if it is infinite.
pub(crate) fn kernel_sexp(kernel: &Placed, inputs: &[String]) -> Sexp {
    if kernel.shape.is_finite() {
        return finite_sexp(kernel, inputs);
    }
    let Some((rest, steps)) = kernel.recurrences() else { return Sexp::form("scan", [Sexp::atom("?")]) };
    let scans = steps
        .into_iter()
        .filter_map(Direction::along)
        .map(|direction| Sexp::form("scan", direction.to_string().split(' ').map(Sexp::atom)));
    let mut terms: Vec<Sexp> = scans.collect();
    let is_alone = rest.shape.is_delta() && rest.shape.channels() == 1;
    if is_alone && terms.len() == 1 {
        return terms
            .pop()
            .map_or_else(|| Sexp::form("id", []), |scan| labelled(Arithmetic::LINEAR, rest.label, scan));
    }
    if !(is_alone && rest.label == Label::IDENTITY) {
        terms.push(finite_sexp(&rest, inputs));
    }
    Sexp::form("compose", terms)
}

fn finite_sexp(kernel: &Placed, inputs: &[String]) -> Sexp {
    let shape = &kernel.shape;
    // Whole coefficients go into the matrix; a fraction goes in front of it.
    let denominator = kernel.label.scale.denominator();
    let scale = Rational::integer(kernel.label.scale.numerator());
    let whole = Placed { label: Label { scale, ..kernel.label }, shape: shape.clone() };
    let from = |channel: u16| {
        let matrix = matrix_sexp(&whole, channel);
        if shape.channels() == 1 {
            return matrix;
        }
        let name = inputs.get(usize::from(channel)).map_or("?", String::as_str);
        Sexp::form("from", [Sexp::atom(name), matrix])
    };
    let reads = |channel: &u16| shape.taps().any(|(c, _, _)| c == *channel);
    let channels: Vec<Sexp> = (0..shape.channels()).filter(reads).map(from).collect();
    let sum = match <[Sexp; 1]>::try_from(channels) {
        Ok([only]) => only,
        Err(channels) if channels.is_empty() => from(0),
        Err(channels) => Sexp::form("add", channels),
    };
    if denominator == 1 { sum } else { Sexp::form("scale", [Sexp::atom(format!("1/{denominator}")), sum]) }
}

/// Whether a kernel is written as matrices of a reasonable size.
pub(super) fn is_printable(kernel: &Placed) -> bool {
    let (low, high) = box_with_pixel(kernel);
    let extent = |axis: usize| u64::try_from(high[axis] - low[axis] + 1).ok();
    let places = (0..3).try_fold(1u64, |places, axis| places.checked_mul(extent(axis)?));
    places.is_some_and(|places| places <= MAX_PLACES)
}

/// The smallest box that contains a kernel and the pixel itself: its lowest and its highest place.
fn box_with_pixel(kernel: &Placed) -> ([i64; 3], [i64; 3]) {
    let size = kernel.shape.size().map(i64::from);
    let low = kernel.label.offset.map(i64::from);
    let high = [0, 1, 2].map(|axis| (low[axis] + size[axis] - 1).max(0));
    (low.map(|low| low.min(0)), high)
}

/// One channel of a kernel, in the smallest box that contains it and the pixel itself.
fn matrix_sexp(kernel: &Placed, channel: u16) -> Sexp {
    let (texts, offset) = (kernel.coefficient_texts(), kernel.label.offset);
    let nothing = if kernel.shape.arithmetic().is_linear() { "0" } else { "." };
    let size = kernel.shape.size().map(i64::from);
    let (low, high) = box_with_pixel(kernel);
    let coefficient = |x: i64, y: i64, z: i64| {
        let at = [x - i64::from(offset[0]), y - i64::from(offset[1]), z - i64::from(offset[2])];
        if (0..3).any(|axis| at[axis] < 0 || at[axis] >= size[axis]) {
            return nothing.to_owned();
        }
        let index = ((i64::from(channel) * size[2] + at[2]) * size[1] + at[1]) * size[0] + at[0];
        usize::try_from(index).ok().and_then(|i| texts.get(i)).cloned().unwrap_or_else(|| nothing.to_owned())
    };
    let row =
        |y: i64, z: i64| Sexp::list((low[0]..=high[0]).map(|x| Sexp::atom(coefficient(x, y, z))).collect());
    let plane = |z: i64| (low[1]..=high[1]).rev().map(move |y| row(y, z));
    let mut items = Vec::new();
    if (0..3).any(|axis| low[axis] != -high[axis]) {
        let mut origin = vec![-low[0], high[1]];
        if low[2] != high[2] {
            origin.push(-low[2]);
        }
        items.push(Sexp::form("origin", origin.into_iter().map(|n| Sexp::atom(n.to_string()))));
    }
    if low[2] == high[2] {
        items.extend(plane(low[2]));
    } else {
        items.extend((low[2]..=high[2]).map(|z| Sexp::form("plane", plane(z))));
    }
    Sexp::form("kernel", items)
}

/// The term translated and scaled by `label`.
pub(crate) fn labelled(arithmetic: Arithmetic, label: Label, mut term: Sexp) -> Sexp {
    if label.offset != [0; 3] {
        let count = if label.offset[2] == 0 { 2 } else { 3 };
        let coordinates = label.offset[..count].iter().map(|o| Sexp::atom(o.to_string()));
        term = Sexp::form("shift", coordinates.chain([term]));
    }
    if (label.scale, label.weight) == (Rational::ONE, 0) {
        return term;
    }
    if arithmetic.is_linear() && label.scale == Rational::integer(-1) {
        return Sexp::form("neg", [term]);
    }
    let factor = label.number(arithmetic).map_or_else(|| "?".to_owned(), |factor| factor.to_string());
    Sexp::form("scale", [Sexp::atom(factor), term])
}

/// Whether a kernel made from its taps costs no more additions with the label written into the taps than with the label in
/// front: a factor that is no power of two is paid for once in front, and for every tap inside. A single tap of 1 is the
/// factor itself.
pub(crate) fn goes_into_taps(label: Label, shape: &Shape) -> bool {
    label.scale.is_power_of_two() && label.weight == 0 || shape.is_delta()
}

/// A kernel on one line, as kernel files write it.
pub fn kernel(kernel: &Placed) -> String {
    flat(&kernel_sexp(kernel, &default_inputs(kernel.shape.channels())))
}

/// A decomposition on one line, as kernel files write it.
pub fn decomposition(decomposition: &Decomposition) -> String {
    let part = |label: Label, shape: &Shape| {
        let placed = Placed { label, shape: shape.clone() };
        kernel_sexp(&placed, &default_inputs(shape.channels()))
    };
    flat(&match decomposition {
        Decomposition::Sum(terms) => {
            Sexp::form("add", terms.iter().map(|(label, shape)| part(*label, shape)))
        }
        Decomposition::Compose { label, outer, inner } => {
            let parts = [part(Label::IDENTITY, outer), part(Label::IDENTITY, inner)];
            labelled(outer.arithmetic(), *label, Sexp::form("compose", parts))
        }
    })
}

/// The S-expression on one line, without line breaks and alignment.
pub(crate) fn flat(sexp: &Sexp) -> String {
    Layout::default().print(sexp).split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pixel_itself_is_in_the_matrix() {
        let text = |low: [i32; 3], extent: [usize; 3], dense: &[i64], denominator: i64| {
            let scale = Rational::new(1, denominator).unwrap();
            kernel(&Placed::from_dense(1, low, extent, dense, scale).unwrap())
        };
        assert_eq!(text([-1, 0, 0], [3, 1, 1], &[1, 2, 1], 4), "(scale 1/4 (kernel (1 2 1)))");
        assert_eq!(text([0, 0, 0], [2, 1, 1], &[1, -3], 1), "(kernel (origin 0 0) (1 -3))");
        assert_eq!(text([0, 0, 0], [2, 2, 1], &[1, 0, 0, 2], 1), "(kernel (origin 0 1) (0 2) (1 0))");
        assert_eq!(text([1, 1, 0], [1, 1, 1], &[1], 1), "(kernel (origin 0 1) (0 1) (0 0))");
        assert_eq!(text([0, 0, 0], [1, 1, 1], &[0], 1), "(kernel (0))");
        let nothing = Placed::from_dense(2, [0; 3], [1; 3], &[0, 0], Rational::ONE).unwrap();
        assert_eq!(kernel(&nothing), "(from in0 (kernel (0)))");
    }
}

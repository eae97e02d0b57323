//! The common parts of two kernels: splits of one that leave something the other needs as well.

use std::cmp::Reverse;

use crate::backend::array::search::program::value::{
    Factor, ShapeId, Shapes, Tap, Terms, Value, View, ZERO, digits_of_weight,
};

/// The number of splits of each kind kept for a pair of kernels, those with most common digits first. It multiplies the work for
/// every pair in every state.
const SPLITS_KEPT: usize = 3;

/// Kernels are compared only if this takes at most this many comparisons of taps over all placements: some milliseconds. That
/// includes two dense kernels of 21×21, and excludes larger ones.
const MAX_COMPARISONS: usize = 1 << 21;

/// The minimum number of common signed digits of a useful split: a tap is made as quickly as it is copied.
const MIN_DIGITS: usize = 2;

/// Sums of two terms, relative to `kernel`, with one term that is also a part of `other`: all of `other`, or the common part at
/// some displacement and factor.
pub(crate) fn common_parts(kernel: ShapeId, other: ShapeId, shapes: &mut Shapes) -> Vec<Terms> {
    let mut overlay = Overlay::new(kernel, other, shapes);
    let places = overlay.places() * (overlay.taps.len() + overlay.others.len());
    if places > MAX_COMPARISONS || !shapes.charge((FACTORS.len() * places) as u64) {
        return Vec::new();
    }
    let [[width, height], [other_width, other_height]] = overlay.sizes;
    for dy in 1 - other_height..height {
        for dx in 1 - other_width..width {
            for (twos, negative) in FACTORS {
                if kernel != other || (dx, dy, twos, negative) != (0, 0, 0, false) {
                    overlay.lay(dx, dy, Factor { twos, threes: 0, negative });
                }
            }
        }
    }
    let Overlay { mut peels, mut overlaps, .. } = overlay;
    peels.sort_by_key(|(left, _)| *left);
    overlaps.sort_by_key(|(common, _)| *common);
    let one = Value { shape: kernel, dx: 0, dy: 0, factor: Factor::ONE };
    let mut found: Vec<Terms> = Vec::new();
    let mut push = |part: Value, shapes: &mut Shapes| {
        let rest = shapes.sum(&[(one, View::PLAIN), (part, View::MINUS)]);
        if let Some(rest) = rest.filter(|rest| rest.shape != ZERO && part.shape != ZERO) {
            let split = Terms::from_slice(&[part, rest]);
            if !found.contains(&split) {
                found.push(split);
            }
        }
    };
    for (_, (dx, dy, factor)) in peels.into_iter().take(SPLITS_KEPT) {
        let (Ok(dx), Ok(dy)) = (i8::try_from(dx), i8::try_from(dy)) else { continue };
        push(Value { shape: other, dx, dy, factor }, shapes);
    }
    for (_, shared) in overlaps.into_iter().take(SPLITS_KEPT) {
        if let Some(part) = shapes.of_taps(&shared) {
            push(part, shapes);
        }
    }
    found
}

/// The factors, as exponents of two and signs, with which one kernel is laid over the other.
const FACTORS: [(i8, bool); 6] = [(0, false), (0, true), (1, false), (1, true), (-1, false), (-1, true)];

/// A kernel that another one is laid over at every displacement.
struct Overlay {
    taps: Vec<Tap>,
    others: Vec<Tap>,
    /// The widths and heights of both.
    sizes: [[i32; 2]; 2],
    /// The index in `taps` of the tap at each place.
    tap_at: Vec<Option<usize>>,
    /// The number of signed digits of the kernel.
    whole: usize,
    rest: Vec<i32>,
    /// Displacements and factors of the other kernel, each with the number of digits that remain without it.
    peels: Vec<(usize, (i32, i32, Factor))>,
    /// The common parts, most digits first.
    overlaps: Vec<(Reverse<usize>, Vec<Tap>)>,
}

impl Overlay {
    fn new(kernel: ShapeId, other: ShapeId, shapes: &Shapes) -> Self {
        let [taps, others]: [Vec<Tap>; 2] = [kernel, other].map(|id| shapes.get(id).iter().collect());
        let size = |id: ShapeId| [i32::from(shapes.get(id).width), i32::from(shapes.get(id).height)];
        let whole = taps.iter().map(|tap| digits_of_weight(tap.3)).sum();
        let channels = taps.iter().map(|tap| tap.2 + 1).max().unwrap_or(0);
        let [width, height] = size(kernel);
        let mut overlay = Self {
            tap_at: vec![None; channels * height as usize * width as usize],
            sizes: [[width, height], size(other)],
            taps,
            others,
            whole,
            rest: Vec::new(),
            peels: Vec::new(),
            overlaps: Vec::new(),
        };
        for index in 0..overlay.taps.len() {
            let (x, y, channel, _) = overlay.taps[index];
            if let Some(place) = overlay.place(x, y, channel) {
                overlay.tap_at[place] = Some(index);
            }
        }
        overlay
    }

    /// The number of displacements at which the two overlap, rounded up to a full box.
    fn places(&self) -> usize {
        let [[width, height], [other_width, other_height]] = self.sizes;
        (width + other_width) as usize * (height + other_height) as usize
    }

    fn place(&self, x: i32, y: i32, channel: usize) -> Option<usize> {
        let [width, height] = self.sizes[0];
        let inside = (0..width).contains(&x) && (0..height).contains(&y);
        let place = || (channel * height as usize + y as usize) * width as usize + x as usize;
        inside.then(place).filter(|place| *place < self.tap_at.len())
    }

    /// Lays the other kernel over this one.
    fn lay(&mut self, dx: i32, dy: i32, factor: Factor) {
        let seen = |weight: i32| {
            let weight = if factor.negative { -weight } else { weight };
            if factor.twos > 0 { weight * 2 } else { weight }
        };
        // In half units if the other kernel is halved.
        let own = if factor.twos < 0 { 2 } else { 1 };
        let mut rest = std::mem::take(&mut self.rest);
        rest.clear();
        rest.extend(self.taps.iter().map(|(.., weight)| weight * own));
        let (mut common, mut beside) = (0, 0);
        let mut shared: Vec<Tap> = Vec::new();
        for (x, y, c, w) in &self.others {
            let (x, y, weight) = (x + dx, y + dy, seen(*w));
            match self.place(x, y, *c).and_then(|place| self.tap_at[place]) {
                Some(index) => {
                    let (before, least) = (rest[index], rest[index].abs().min(weight.abs()));
                    if before.signum() == weight.signum() && least % own == 0 {
                        let part = before.signum() * least / own;
                        common += digits_of_weight(part);
                        shared.push((x, y, *c, part));
                    }
                    rest[index] -= weight;
                }
                None => beside += digits_of_weight(weight),
            }
        }
        let left = beside + rest.iter().map(|weight| digits_of_weight(*weight)).sum::<usize>();
        self.rest = rest;
        if left + MIN_DIGITS <= self.whole {
            self.peels.push((left, (dx, dy, factor)));
        }
        if common >= MIN_DIGITS && common < self.whole {
            self.overlaps.push((Reverse(common), shared));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel of a row of weights.
    fn row(weights: &[i32], shapes: &mut Shapes) -> Value {
        let taps: Vec<Tap> = weights.iter().zip(0..).map(|(weight, x)| (x, 0, 0, *weight)).collect();
        shapes.of_taps(&taps).unwrap()
    }

    #[test]
    fn splits_add_up_to_the_kernel() {
        let mut shapes = Shapes::new(1);
        let (kernel, other) = (row(&[1, -2, 3, 1, -1], &mut shapes), row(&[3, 1, 2, -1], &mut shapes));
        for with in [other, kernel] {
            let splits = common_parts(kernel.shape, with.shape, &mut shapes);
            assert!(!splits.is_empty());
            for split in splits {
                let plain: Vec<(Value, View)> = split.iter().map(|term| (*term, View::PLAIN)).collect();
                let whole = Value { shape: kernel.shape, dx: 0, dy: 0, factor: Factor::ONE };
                assert_eq!(shapes.sum(&plain), Some(whole), "{split:?}");
            }
        }
    }

    #[test]
    fn a_kernel_within_another_is_found_displaced_negated_and_scaled() {
        let mut shapes = Shapes::new(1);
        // (1 3 -2 -6 -2) = (1 3 0 0 0) - 2·(0 0 1 3 1).
        let (kernel, part) = (row(&[1, 3, -2, -6, -2], &mut shapes), row(&[1, 3, 1], &mut shapes));
        let scaled = Value { dx: 2, factor: Factor { twos: 1, threes: 0, negative: true }, ..part };
        let rest = row(&[1, 3], &mut shapes);
        assert!(
            common_parts(kernel.shape, part.shape, &mut shapes).contains(&Terms::from_slice(&[scaled, rest]))
        );
    }

    #[test]
    fn what_two_kernels_share_is_split_off() {
        let mut shapes = Shapes::new(1);
        // (1 0 2 5 0 -1) and (2 5 0 1): the part (2 5) in the third place.
        let (kernel, other) = (row(&[1, 0, 2, 5, 0, -1], &mut shapes), row(&[2, 5, 0, 1], &mut shapes));
        let shared = Value { dx: 2, ..row(&[2, 5], &mut shapes) };
        let splits = common_parts(kernel.shape, other.shape, &mut shapes);
        assert!(splits.iter().any(|split| split[0] == shared), "{splits:?}");
        let delta = Shapes::delta(0).shape;
        assert!(common_parts(delta, other.shape, &mut shapes).is_empty());
    }
}

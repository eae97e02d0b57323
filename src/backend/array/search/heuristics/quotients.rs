//! Kernels divided by what an instruction adds up of the wide register: K = D·Q + R, where D is a sum of displaced copies. Q is what
//! the wide register may hold, and is found where the e-graph knows no decomposition of K, too.

use smallvec::SmallVec;

use crate::algebra::place;
use crate::backend::array::search::program::recipe::Divisor;
use crate::backend::array::search::program::value::{
    ShapeData, ShapeId, Shapes, Tap, Value, ZERO, digits_of, digits_of_weight,
};

/// The number of quotients kept for a kernel, those with the fewest digits first. Each is a content of the wide register that states
/// are expanded for.
const QUOTIENTS_KEPT: usize = 4;

/// Kernels with more cells in their box are not divided: the work for every divisor grows with the cells, and states of large kernels
/// take long as it is.
const MAX_CELLS: usize = 100;

/// Kernels with fewer signed digits are not divided: an instruction adds up that many taps.
const MIN_DIGITS: usize = 4;

/// Kernels with larger weights are not divided: sums of a few of these must fit 32 bits.
const MAX_WEIGHT: i32 = 1 << 24;

/// The maximum number of times that a quotient's weights are gone through. Each leaves fewer digits, so that few are needed.
const MAX_SWEEPS: usize = 6;

/// The work for each copy of each cell, in the units of [`Shapes::charge`].
const WORK_PER_COPY: usize = 32;

/// A kernel as displaced copies of another, beside a rest.
pub(crate) struct Quotient<'a> {
    pub(crate) divisor: &'a Divisor,
    /// What is copied.
    pub(crate) value: Value,
}

/// The quotients by some divisors that have fewer digits, together with their rests, than the kernel; those with the fewest.
pub(crate) fn quotients<'a>(
    kernel: ShapeId,
    divisors: &'a [Divisor],
    shapes: &mut Shapes,
) -> Vec<Quotient<'a>> {
    let data = shapes.get(kernel).clone();
    let cells = data.taps.len();
    if divisors.is_empty() || cells > MAX_CELLS {
        return Vec::new();
    }
    let (whole, largest) = (digits_of(&data), data.taps.iter().map(|tap| tap.abs()).max().unwrap_or(0));
    if whole < MIN_DIGITS || largest > MAX_WEIGHT {
        return Vec::new();
    }
    let copies: usize = divisors.iter().map(|divisor| divisor.terms.len()).sum();
    if !shapes.charge((WORK_PER_COPY * copies * cells) as u64) {
        return Vec::new();
    }
    let mut found: Vec<(usize, Quotient<'a>)> = Vec::new();
    for divisor in divisors {
        let Some(mut division) = Division::new(&data, largest, divisor) else { continue };
        division.divide();
        division.descend();
        let digits = division.digits();
        if digits < whole
            && let Some(value) = shapes.of_taps(&division.quotient())
            // Copies of a single tap are taps, which are known.
            && value.shape != ZERO
            && !shapes.is_delta(value.shape)
        {
            found.push((digits, Quotient { divisor, value }));
        }
    }
    found.sort_by_key(|(digits, _)| *digits);
    found.into_iter().take(QUOTIENTS_KEPT).map(|(_, quotient)| quotient).collect()
}

/// A kernel divided by a divisor: the quotient so far, and the rest that it leaves.
struct Division<'a> {
    /// The displacements and signs of the divisor's copies.
    copies: SmallVec<[([i32; 2], i32); 5]>,
    kernel: &'a ShapeData,
    /// The least displacement of the quotient at which all copies are within the kernel's box.
    low: [i32; 2],
    /// The width and height of the box of the quotient.
    size: [i32; 2],
    /// The largest weight of the kernel. Larger ones are not tried.
    largest: i32,
    /// Dense, as those of the kernel.
    quotient: Vec<i32>,
    rest: Vec<i32>,
}

impl<'a> Division<'a> {
    /// The division that leaves the whole kernel as the rest; `None` if its box does not hold the divisor's copies.
    fn new(kernel: &'a ShapeData, largest: i32, divisor: &Divisor) -> Option<Self> {
        let copies: SmallVec<[([i32; 2], i32); 5]> = divisor
            .terms
            .iter()
            .map(|view| ([view.dx, view.dy].map(i32::from), if view.factor.negative { -1 } else { 1 }))
            .collect();
        let (mut low, mut size) = ([0; 2], [kernel.width, kernel.height].map(i32::from));
        for axis in 0..2 {
            let along = copies.iter().map(|(at, _)| at[axis]);
            let (least, most) = (along.clone().min()?, along.max()?);
            low[axis] = -least;
            size[axis] -= most - least;
        }
        let area = usize::try_from(size[0]).ok()? * usize::try_from(size[1]).ok()?;
        let channels = kernel.taps.len() / (usize::from(kernel.width) * usize::from(kernel.height)).max(1);
        (area > 0).then(|| Self {
            copies,
            kernel,
            low,
            size,
            largest,
            quotient: vec![0; area * channels],
            rest: kernel.taps.to_vec(),
        })
    }

    /// The index in the rest of what a copy of a cell of the quotient covers.
    fn covered(&self, cell: usize, at: [i32; 2]) -> usize {
        let [width, height] = self.size.map(|size| size as usize);
        let [x, y, channel] = place([width, height, 1], cell);
        let [x, y] = [x, y].map(|place| place as i32);
        let [x, y] = [x + self.low[0] + at[0], y + self.low[1] + at[1]].map(|place| place as usize);
        (channel * usize::from(self.kernel.height) + y) * usize::from(self.kernel.width) + x
    }

    /// Adds to a weight of the quotient.
    fn add(&mut self, cell: usize, amount: i32) {
        self.quotient[cell] += amount;
        for (at, sign) in self.copies.clone() {
            let covered = self.covered(cell, at);
            self.rest[covered] -= sign * amount;
        }
    }

    /// Long division, which is exact if there need not be a rest: each weight of the quotient takes away the tap that it covers before
    /// all others do.
    fn divide(&mut self) {
        let Some((at, sign)) = self.copies.iter().min_by_key(|([x, y], _)| [*y, *x]).copied() else { return };
        for cell in 0..self.quotient.len() {
            let amount = sign * self.rest[self.covered(cell, at)];
            if amount.abs() <= self.largest {
                self.add(cell, amount);
            }
        }
    }

    /// Changes single weights of the quotient while that leaves fewer digits.
    fn descend(&mut self) {
        for _ in 0..MAX_SWEEPS {
            let mut changed = false;
            for cell in 0..self.quotient.len() {
                let amount = self.best_change(cell);
                if amount != 0 {
                    self.add(cell, amount);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// By how much to change a weight of the quotient: to zero, by one, or so that nothing is left of a tap.
    fn best_change(&self, cell: usize) -> i32 {
        let now = self.quotient[cell];
        let covered: SmallVec<[(i32, i32); 5]> =
            self.copies.iter().map(|(at, sign)| (self.rest[self.covered(cell, *at)], *sign)).collect();
        let digits = |amount: i32| {
            let rest = covered.iter().map(|(weight, sign)| digits_of_weight(weight - sign * amount));
            digits_of_weight(now + amount) + rest.sum::<usize>()
        };
        let changes = [-now, 1, -1].into_iter().chain(covered.iter().map(|(weight, sign)| weight * sign));
        let allowed = changes.filter(|amount| (now + amount).abs() <= self.largest);
        let best = allowed.map(|amount| (digits(amount), amount)).min_by_key(|(digits, _)| *digits);
        best.filter(|(fewest, _)| *fewest < digits(0)).map_or(0, |(_, amount)| amount)
    }

    /// The signed digits of the quotient and the rest.
    fn digits(&self) -> usize {
        self.quotient.iter().chain(&self.rest).map(|weight| digits_of_weight(*weight)).sum()
    }

    /// The taps of the quotient.
    fn quotient(&self) -> Vec<Tap> {
        let [width, height] = self.size;
        let weights = self.quotient.iter().zip(0..).filter(|(weight, _)| **weight != 0);
        weights
            .map(|(weight, index)| {
                let (x, y) = (self.low[0] + index % width, self.low[1] + index / width % height);
                (x, y, (index / (width * height)) as usize, *weight)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::array::search::program::value::View;

    /// The divisor of copies at these displacements.
    fn divisor(places: &[(i8, i8)]) -> Divisor {
        let terms = places.iter().map(|(dx, dy)| View { dx: *dx, dy: *dy, ..View::PLAIN }).collect();
        Divisor { terms, seen: SmallVec::new() }
    }

    fn kernel(rows: &[&[i32]], shapes: &mut Shapes) -> Value {
        let row = |(weights, y): (&&[i32], i32)| -> Vec<Tap> {
            weights.iter().zip(0..).map(|(weight, x)| (x, y, 0, *weight)).collect()
        };
        let taps: Vec<Tap> = rows.iter().zip(0..).flat_map(row).collect();
        shapes.of_taps(&taps).unwrap()
    }

    /// What is left of a kernel beside the copies, and how many digits fewer that and the quotient have.
    fn rest(whole: Value, quotient: &Quotient<'_>, shapes: &mut Shapes) -> (ShapeId, usize) {
        let mut terms = vec![(whole, View::PLAIN)];
        for copy in &quotient.divisor.terms {
            terms.push((quotient.value.seen(*copy).unwrap(), View::MINUS));
        }
        let rest = shapes.sum(&terms).unwrap().shape;
        let digits = [rest, quotient.value.shape].map(|id| digits_of(shapes.get(id))).iter().sum::<usize>();
        (rest, digits_of(shapes.get(whole.shape)) - digits)
    }

    #[test]
    fn copies_and_rest_have_fewer_digits_than_the_kernel() {
        let mut shapes = Shapes::new(1);
        let whole = kernel(&[&[1, 3, 2, -1], &[4, 7, -5, 2], &[0, 3, 3, 1]], &mut shapes);
        let divisors =
            [&[(0, 0), (1, 0)][..], &[(0, 0), (1, 1)], &[(0, 0), (-1, 1), (1, 1), (0, 2)]].map(divisor);
        let found = quotients(whole.shape, &divisors, &mut shapes);
        assert!(!found.is_empty());
        let saved: Vec<usize> = found.iter().map(|quotient| rest(whole, quotient, &mut shapes).1).collect();
        assert!(saved.is_sorted_by(|a, b| a >= b) && saved.iter().all(|saved| *saved > 0), "{saved:?}");
    }

    #[test]
    fn a_product_is_divided_without_rest() {
        let mut shapes = Shapes::new(1);
        // (1 1) over (1 0), times (1 -2 3) over (0 1 1); and the binomial that has one digit to a tap.
        let divisors = [divisor(&[(0, 0), (1, 0), (0, 1)]), divisor(&[(0, 0), (1, 0)])];
        let [odd, binomial] = [
            kernel(&[&[1, -2, 3], &[0, 1, 1]], &mut shapes),
            kernel(&[&[1, 1], &[2, 2], &[1, 1]], &mut shapes),
        ];
        for (factor, divisor) in [odd, binomial].into_iter().zip(&divisors) {
            let copies: Vec<_> = divisor.terms.iter().map(|view| (factor, *view)).collect();
            let product = shapes.sum(&copies).unwrap();
            let found = quotients(product.shape, std::slice::from_ref(divisor), &mut shapes);
            assert_eq!(found[0].value.shape, factor.shape);
            assert_eq!(rest(product, &found[0], &mut shapes).0, ZERO);
        }
    }

    #[test]
    fn few_taps_that_differ_are_left_beside_the_copies() {
        let mut shapes = Shapes::new(1);
        // (1 3 3 1) and one more in a second row.
        let whole = kernel(&[&[1, 3, 3, 1], &[0, 0, 1, 0]], &mut shapes);
        let half = kernel(&[&[1, 2, 1]], &mut shapes);
        let divisors = [divisor(&[(0, 0), (1, 0)])];
        let found = quotients(whole.shape, &divisors, &mut shapes);
        assert_eq!(found[0].value.shape, half.shape);
        let (left, _) = rest(whole, &found[0], &mut shapes);
        assert!(shapes.is_delta(left));
    }

    #[test]
    fn weights_beyond_the_range_are_not_divided() {
        let mut shapes = Shapes::new(1);
        let divisors = [divisor(&[(0, 0), (1, 0), (2, 0), (3, 0)])];
        for (odd, divided) in [(MAX_WEIGHT - 1, true), ((1 << 30) - 1, false)] {
            let large = kernel(&[&[odd, -odd, odd, odd, -odd, 3, odd, 1, -odd]], &mut shapes);
            let found = quotients(large.shape, &divisors, &mut shapes);
            assert!(divided || found.is_empty(), "{odd}");
        }
    }

    #[test]
    fn few_taps_are_not_divided() {
        let mut shapes = Shapes::new(1);
        let few = kernel(&[&[1, 2, 1]], &mut shapes);
        assert!(quotients(few.shape, &[divisor(&[(0, 0), (1, 0)])], &mut shapes).is_empty());
    }
}

//! Kernels modulo the group that costs little on most machines: translation, sign and powers of two.
//!
//! In idempotent semirings there are no signs, and a constant factor adds to weights: kernels are taken modulo this factor.
//!
//! A [`Shape`] is the canonical representative of its orbit. A [`Label`] is the group element (with the odd part of a common
//! denominator) that maps the shape to a kernel. A [`Placed`] shape is the pair of both: one kernel over all input channels.

mod chosen;
mod rational;

use std::sync::Arc;

use super::poles::Pole;
use super::{Arithmetic, Offset, Rational, gcd, lcm, place};

/// A canonical kernel: dense integer taps over x × y × z × channel, and the denominators of scans.
///
/// Canonical means: the bounding box over all channels starts at the origin and has no empty border; the coefficients are integers,
/// not all even; the first non-zero one (x fastest, then y, z, channel) is positive. The zero kernel has an empty box. In an idempotent
/// semiring, a place contains the code of a weight, and the first weight is 0: see [`Shape::dense`].
/// A rational kernel, such as a summed-area table, is in lowest terms. It is a rational function: the implementation of a scan chooses
/// its direction, which is fixed only for an infinite kernel.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Shape {
    size: [u16; 3],
    channels: u16,
    /// The taps, or with poles those of the numerator. Shared, because a kernel is a part of many others.
    taps: Arc<[i64]>,
    /// The factors of the denominator, sorted; `None` for a finite kernel.
    poles: Option<Arc<Vec<Pole>>>,
    arithmetic: Arithmetic,
}

/// The group element that maps a shape to a kernel: a translation and a factor. The factor is ±2^a/d with d odd in (+ ×); in an
/// idempotent semiring it adds to weights.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Label {
    /// The factor in (+ ×); 1 in idempotent semirings.
    pub scale: Rational,
    /// The translation, added to every tap's offset.
    pub offset: Offset,
    /// The number added to every tap's weight in idempotent semirings; 0 in (+ ×).
    pub weight: i64,
}

/// A kernel over all input channels, as a shape and the label that maps the shape to it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Placed {
    /// The group element.
    pub label: Label,
    /// The canonical kernel.
    pub shape: Shape,
}

impl Label {
    /// The identity.
    pub const IDENTITY: Self = Self { scale: Rational::ONE, offset: [0; 3], weight: 0 };

    /// A factor and a translation.
    pub const fn new(scale: Rational, offset: Offset) -> Self {
        Self { scale, offset, weight: 0 }
    }

    /// A translation.
    pub const fn at(offset: Offset) -> Self {
        Self { offset, ..Self::IDENTITY }
    }

    /// A factor in (+ ×).
    pub const fn scaled(scale: Rational) -> Self {
        Self { scale, ..Self::IDENTITY }
    }

    /// The factor written as this number; `None` for the zero of the semiring and for a number that is not a factor.
    pub fn of_number(arithmetic: Arithmetic, number: Rational) -> Option<Self> {
        if arithmetic.is_linear() {
            return (!number.is_zero()).then(|| Self::scaled(number));
        }
        Some(Self { weight: arithmetic.weight(number)?, ..Self::IDENTITY })
    }

    /// The number that denotes the factor.
    pub fn number(self, arithmetic: Arithmetic) -> Option<Rational> {
        if arithmetic.is_linear() { Some(self.scale) } else { arithmetic.number(self.weight) }
    }

    /// The label that applies `self` first and then `outer`.
    pub fn then(self, outer: Self) -> Option<Self> {
        Some(Self {
            scale: self.scale.mul(outer.scale)?,
            offset: add_offsets(self.offset, outer.offset)?,
            weight: self.weight.checked_add(outer.weight)?,
        })
    }

    /// The label of the sum of two like terms; `None` on overflow.
    pub fn plus(self, other: Self, arithmetic: Arithmetic) -> Option<Self> {
        if arithmetic.is_linear() {
            return Some(Self { scale: self.scale.add(other.scale)?, ..self });
        }
        Some(Self { weight: arithmetic.choose(self.weight, other.weight), ..self })
    }

    /// The label that undoes this one; `None` for a zero scale or an offset without an opposite.
    pub fn inverse(self) -> Option<Self> {
        let [x, y, z] = self.offset;
        let offset = [x.checked_neg()?, y.checked_neg()?, z.checked_neg()?];
        Some(Self { scale: Rational::ONE.div(self.scale)?, offset, weight: self.weight.checked_neg()? })
    }

    /// The label that applied twice is this one, with the greater factor of the two that can be. `None` if there is none.
    pub fn root(self) -> Option<Self> {
        let half = |n: i64| (n % 2 == 0).then_some(n / 2);
        let [x, y, z] = self.offset.map(|n| half(i64::from(n)));
        let offset = [x? as i32, y? as i32, z? as i32];
        Some(Self { scale: self.scale.root()?, offset, weight: half(self.weight)? })
    }
}

fn add_offsets(a: Offset, b: Offset) -> Option<Offset> {
    Some([a[0].checked_add(b[0])?, a[1].checked_add(b[1])?, a[2].checked_add(b[2])?])
}

impl Shape {
    /// The identity kernel on `channel` of `channels` in (+ ×).
    ///
    /// # Panics
    /// If there is no such channel.
    pub fn delta(channel: u16, channels: u16) -> Self {
        Self::delta_in(Arithmetic::LINEAR, channel, channels)
    }

    /// The identity kernel on `channel` of `channels`.
    ///
    /// # Panics
    /// If there is no such channel.
    pub(crate) fn delta_in(arithmetic: Arithmetic, channel: u16, channels: u16) -> Self {
        let mut taps = vec![0; channels as usize];
        taps[channel as usize] = 1;
        Self { size: [1; 3], channels, taps: taps.into(), poles: None, arithmetic }
    }

    /// The zero kernel in (+ ×).
    pub fn zero(channels: u16) -> Self {
        Self::zero_in(Arithmetic::LINEAR, channels)
    }

    /// The zero kernel.
    pub(crate) fn zero_in(arithmetic: Arithmetic, channels: u16) -> Self {
        Self { size: [0; 3], channels, taps: Arc::default(), poles: None, arithmetic }
    }

    /// The arithmetic of its coefficients.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// Extent in x, y and z.
    pub fn size(&self) -> [u16; 3] {
        self.size
    }

    /// The number of input channels.
    pub fn channels(&self) -> u16 {
        self.channels
    }

    /// Whether this is the zero kernel.
    pub fn is_zero(&self) -> bool {
        self.taps.is_empty()
    }

    /// Whether the kernel is finite: it has no poles.
    pub fn is_finite(&self) -> bool {
        self.poles.is_none()
    }

    /// Whether this is one tap of weight one.
    pub fn is_delta(&self) -> bool {
        self.size == [1; 3] && self.is_finite() && self.taps.iter().map(|t| t.abs()).sum::<i64>() == 1
    }

    /// The number of non-zero taps; for a rational kernel, here and below, those of the numerator.
    pub fn tap_count(&self) -> usize {
        self.taps.iter().filter(|t| **t != 0).count()
    }

    /// The sum of the taps' absolute values.
    pub fn l1(&self) -> i64 {
        self.taps.iter().fold(0i64, |sum, t| sum.saturating_add(t.saturating_abs()))
    }

    /// The non-zero taps: channel, offset, coefficient, in storage order. In idempotent semirings, the weight replaces the coefficient.
    pub fn taps(&self) -> impl Iterator<Item = (u16, Offset, i64)> + '_ {
        let size = self.size.map(usize::from);
        self.taps.iter().enumerate().filter(|(_, t)| **t != 0).map(move |(i, t)| {
            let [x, y, z] = place(size, i);
            let (channel, offset) = (z / size[2], [x, y, z % size[2]].map(|at| at as i32));
            (channel as u16, offset, if self.arithmetic.is_linear() { *t } else { Arithmetic::decode(*t) })
        })
    }

    /// The dense coefficients, x fastest, then y, z, channel. In idempotent semirings, 0 stands for no tap, a weight w ≥ 0 is stored as
    /// w + 1 and a negative weight as itself.
    pub fn dense(&self) -> &[i64] {
        &self.taps
    }
}

impl Placed {
    /// The canonical form of a list of taps (taps at the same place are added); `None` on overflow, for a tap of no channel, or if the
    /// box is wider than 65535 or holds more than 2^24 places.
    pub fn from_taps(channels: u16, taps: &[(u16, Offset, Rational)]) -> Option<Self> {
        if taps.iter().any(|(channel, ..)| *channel >= channels) {
            return None;
        }
        let zero = || Self { label: Label::at([0; 3]), shape: Shape::zero(channels) };
        let Some(first) = taps.iter().find(|t| !t.2.is_zero()) else { return Some(zero()) };
        let (mut low, mut high) = (first.1, first.1);
        let mut denominator = 1i64;
        for (_, offset, value) in taps.iter().filter(|t| !t.2.is_zero()) {
            for axis in 0..3 {
                low[axis] = low[axis].min(offset[axis]);
                high[axis] = high[axis].max(offset[axis]);
            }
            denominator = lcm(denominator, value.denominator())?;
        }
        let mut extent = [0usize; 3];
        for axis in 0..3 {
            extent[axis] = usize::try_from(i64::from(high[axis]) - i64::from(low[axis]) + 1).ok()?;
        }
        let places = extent
            .iter()
            .try_fold(channels as usize, |n, e| n.checked_mul(*e))
            .filter(|n| *n <= 1 << 24 && extent.iter().all(|e| *e <= u16::MAX as usize))?;
        let mut dense = vec![0i64; places];
        for (channel, offset, value) in taps.iter().filter(|t| !t.2.is_zero()) {
            let at = [0, 1, 2].map(|axis| (offset[axis] - low[axis]) as usize);
            let index = ((*channel as usize * extent[2] + at[2]) * extent[1] + at[1]) * extent[0] + at[0];
            let integer = value.numerator().checked_mul(denominator / value.denominator())?;
            dense[index] = dense[index].checked_add(integer)?;
        }
        Self::from_dense(channels, low, extent, &dense, Rational::new(1, denominator)?)
    }

    /// The canonical form of `scale` times a dense box (x fastest, then y, z, channel) whose first place is at `low`;
    /// `None` on overflow, if `dense` has not as many places as the box, or if the taps are wider apart than 65535.
    pub fn from_dense(
        channels: u16,
        low: Offset,
        extent: [usize; 3],
        dense: &[i64],
        scale: Rational,
    ) -> Option<Self> {
        let places = extent.iter().try_fold(usize::from(channels), |n, side| n.checked_mul(*side));
        if places != Some(dense.len()) {
            return None;
        }
        let found = Extent::of(extent, dense)?;
        if found.sign == 0 || scale.is_zero() {
            return Some(Self { label: Label::IDENTITY, shape: Shape::zero(channels) });
        }
        // The odd part of the content stays in the shape unless the denominator cancels it: only powers of two are free.
        let twos = found.content.trailing_zeros();
        let common = gcd(found.content >> twos, scale.denominator().unsigned_abs()) as i64;
        let divisor = (1i64 << twos).checked_mul(common)?.checked_mul(found.sign)?;
        let mut scale = scale.mul(Rational::integer(divisor))?;
        // An odd numerator also belongs to the shape.
        let odd = scale.numerator().abs() >> scale.numerator().trailing_zeros();
        scale = scale.div(Rational::integer(odd))?;
        let Extent { first, last, .. } = found;
        let [w, h, d] = extent;
        let mut size = [0; 3];
        for axis in 0..3 {
            size[axis] = u16::try_from(last[axis] - first[axis] + 1).ok()?;
        }
        let mut taps = Vec::with_capacity(dense.len());
        for c in 0..channels as usize {
            for z in first[2]..=last[2] {
                for y in first[1]..=last[1] {
                    let row = ((c * d + z) * h + y) * w;
                    for tap in &dense[row + first[0]..=row + last[0]] {
                        taps.push(if divisor == 1 && odd == 1 {
                            *tap
                        } else {
                            (tap / divisor).checked_mul(odd)?
                        });
                    }
                }
            }
        }
        let mut offset = low;
        for axis in 0..3 {
            offset[axis] = offset[axis].checked_add(i32::try_from(first[axis]).ok()?)?;
        }
        let shape = Shape { size, channels, taps: taps.into(), poles: None, arithmetic: Arithmetic::LINEAR };
        Some(Self { label: Label::new(scale, offset), shape })
    }

    /// The kernel with only the taps at the places in storage order that `keep` accepts; `None` on overflow.
    pub fn of_places(shape: &Shape, keep: impl Fn(usize) -> bool) -> Option<Self> {
        let taps = shape.taps.iter().enumerate().map(|(place, tap)| if keep(place) { *tap } else { 0 });
        let kept = Shape { taps: taps.collect(), ..shape.clone() };
        if shape.arithmetic.is_linear() {
            return Self::from_dense(
                kept.channels,
                [0; 3],
                kept.size.map(usize::from),
                &kept.taps,
                Rational::ONE,
            );
        }
        Self::from_weights(kept.arithmetic, kept.channels, kept.taps())
    }

    /// The identity kernel on `channel` of `channels`.
    ///
    /// # Panics
    /// If there is no such channel.
    pub fn delta(channel: u16, channels: u16) -> Self {
        Self { label: Label::IDENTITY, shape: Shape::delta(channel, channels) }
    }

    /// The taps with their exact coefficients as written; those of the numerator for a rational kernel. `None` on overflow.
    pub fn taps(&self) -> Option<Vec<(u16, Offset, Rational)>> {
        let taps = self.shape.taps().map(|(channel, offset, tap)| {
            let value = self.coefficient(tap)?;
            Some((channel, add_offsets(offset, self.label.offset)?, value))
        });
        taps.collect()
    }

    /// The coefficient of the kernel for a tap of the shape; `None` on overflow.
    fn coefficient(&self, tap: i64) -> Option<Rational> {
        let arithmetic = self.shape.arithmetic;
        if arithmetic.is_linear() {
            Rational::integer(tap).mul(self.label.scale)
        } else {
            arithmetic.number(tap.checked_add(self.label.weight)?)
        }
    }

    /// The coefficients as text in storage order. Places without a tap are `0` in (+ ×) and `.` in idempotent semirings. A coefficient
    /// whose exact value does not fit is written as a product.
    pub(crate) fn coefficient_texts(&self) -> Vec<String> {
        let linear = self.shape.arithmetic.is_linear();
        let text = |tap: &i64| match *tap {
            0 if !linear => ".".to_owned(),
            tap => match self.coefficient(if linear { tap } else { Arithmetic::decode(tap) }) {
                Some(value) => value.to_string(),
                None => format!("{}*{tap}", self.label.scale),
            },
        };
        self.shape.taps.iter().map(text).collect()
    }

    /// This kernel without its poles, translated and scaled by `label`.
    fn apply_finite(&self, label: Label) -> Option<Self> {
        if label.scale.is_zero() {
            return Some(Self { label: Label::IDENTITY, shape: Shape::zero(self.shape.channels) });
        }
        let combined = self.label.then(label)?;
        // If the scale is dyadic, or the shape has nothing to cancel with its odd part, the shape stays canonical.
        let odd_free = combined.scale.is_dyadic() || self.shape.numerator().is_delta();
        if combined.scale.numerator().unsigned_abs().is_power_of_two() && odd_free && !self.shape.is_zero() {
            return Some(Self { label: combined, shape: self.shape.numerator() });
        }
        Self::from_dense(
            self.shape.channels,
            combined.offset,
            self.shape.size.map(|s| s as usize),
            &self.shape.taps,
            combined.scale,
        )
    }

    /// Σ label · numerator, exactly.
    fn sum_finite<'a>(channels: u16, terms: impl IntoIterator<Item = (Label, &'a Shape)>) -> Option<Self> {
        let terms: Vec<(Label, &Shape)> = terms.into_iter().collect();
        if let Some(sum) = Self::sum_of_rows(channels, &terms) {
            return Some(sum);
        }
        let mut taps = Vec::new();
        for (label, shape) in terms {
            for (c, o, t) in shape.taps() {
                taps.push((c, add_offsets(o, label.offset)?, Rational::integer(t).mul(label.scale)?));
            }
        }
        Self::from_taps(channels, &taps)
    }

    /// The same sum, computed row by row over one denominator. `None` if this leaves the exact range, even if the sum
    /// would not.
    fn sum_of_rows(channels: u16, terms: &[(Label, &Shape)]) -> Option<Self> {
        let terms: Vec<_> =
            terms.iter().filter(|(label, s)| !s.is_zero() && !label.scale.is_zero()).collect();
        let (mut low, mut high) = ([i32::MAX; 3], [i32::MIN; 3]);
        let mut denominator = 1i64;
        for (label, shape) in &terms {
            if shape.channels != channels {
                return None;
            }
            for axis in 0..3 {
                let start = label.offset[axis];
                low[axis] = low[axis].min(start);
                high[axis] = high[axis].max(start.checked_add(i32::from(shape.size[axis]))?);
            }
            denominator = lcm(denominator, label.scale.denominator())?;
        }
        if terms.is_empty() {
            return None;
        }
        let mut extent = [0usize; 3];
        for axis in 0..3 {
            extent[axis] = usize::try_from(high[axis].checked_sub(low[axis])?).ok()?;
        }
        let [w, h, d] = extent;
        let places = extent.iter().try_fold(usize::from(channels), |n, e| n.checked_mul(*e))?;
        if places > 1 << 24 || extent.iter().any(|e| *e > usize::from(u16::MAX)) {
            return None;
        }
        let mut dense = vec![0i64; places];
        for (label, shape) in &terms {
            let factor = label.scale.numerator().checked_mul(denominator / label.scale.denominator())?;
            let [sw, sh, sd] = shape.size.map(usize::from);
            let [x, y, z] = [0, 1, 2].map(|axis| (label.offset[axis] - low[axis]) as usize);
            for (line, row) in shape.taps.chunks_exact(sw).enumerate() {
                let (c, at_z, at_y) = (line / (sh * sd), line / sh % sd, line % sh);
                let start = ((c * d + z + at_z) * h + y + at_y) * w + x;
                for (sum, tap) in dense[start..start + sw].iter_mut().zip(row) {
                    *sum = sum.checked_add(tap.checked_mul(factor)?)?;
                }
            }
        }
        Self::from_dense(channels, low, extent, &dense, Rational::new(1, denominator)?)
    }

    /// The polynomial product of the numerators.
    fn compose_finite(outer: &Self, inner: &Self) -> Option<Self> {
        let mut taps = Vec::new();
        let inner_taps = inner.taps()?;
        for (_, o, t) in outer.taps()? {
            for (c, p, u) in &inner_taps {
                taps.push((*c, add_offsets(o, *p)?, t.mul(*u)?));
            }
        }
        Self::from_taps(inner.shape.channels, &taps)
    }
}

/// The extent and content of the non-zero part of a dense box.
struct Extent {
    /// The first and last places along each axis, over all channels.
    first: [usize; 3],
    last: [usize; 3],
    /// The greatest common divisor of all coefficients.
    content: u64,
    /// The sign of the first coefficient; 0 if there is none.
    sign: i64,
}

impl Extent {
    /// Returns `None` if a coefficient cannot be negated.
    fn of([w, h, d]: [usize; 3], dense: &[i64]) -> Option<Self> {
        let mut found = Self { first: [usize::MAX; 3], last: [0; 3], content: 0, sign: 0 };
        for (line, row) in dense.chunks_exact(w.max(1)).enumerate() {
            let Some(west) = row.iter().position(|tap| *tap != 0) else { continue };
            let east = row.iter().rposition(|tap| *tap != 0).unwrap_or(west);
            let reach = [[west, east], [line % h; 2], [line / h % d; 2]];
            for (axis, [low, high]) in reach.into_iter().enumerate() {
                found.first[axis] = found.first[axis].min(low);
                found.last[axis] = found.last[axis].max(high);
            }
            if found.sign == 0 {
                found.sign = row[west].signum();
            }
            for tap in &row[west..=east] {
                if *tap == i64::MIN {
                    return None;
                }
                if found.content != 1 {
                    found.content = gcd(found.content, tap.unsigned_abs());
                }
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(taps: &[(i32, i64)], denominator: i64) -> Placed {
        let taps: Vec<_> =
            taps.iter().map(|(x, t)| (0, [*x, 0, 0], Rational::new(*t, denominator).unwrap())).collect();
        Placed::from_taps(1, &taps).unwrap()
    }

    #[test]
    fn translation_sign_and_powers_of_two_share_a_shape() {
        let a = row(&[(-1, 1), (0, 2), (1, 1)], 4);
        let b = row(&[(4, -2), (5, -4), (6, -2)], 1);
        assert_eq!(a.shape, b.shape);
        assert_eq!(a.label, Label::new(Rational::new(1, 4).unwrap(), [-1, 0, 0]));
        assert_eq!(b.label, Label::new(Rational::integer(-2), [4, 0, 0]));
    }

    #[test]
    fn odd_content_stays_and_odd_denominators_go() {
        let three = row(&[(0, 6), (1, 12)], 1);
        assert_eq!(three.shape.dense(), &[3, 6]);
        assert_eq!(three.label.scale, Rational::integer(2));
        let ninth = row(&[(0, 1), (1, 1)], 9);
        assert_eq!(ninth.shape.dense(), &[1, 1]);
        assert_eq!(ninth.label.scale, Rational::new(1, 9).unwrap());
        let third = row(&[(0, 3), (1, 6)], 9);
        assert_eq!((third.shape.dense(), third.label.scale), (&[1, 2][..], Rational::new(1, 3).unwrap()));
    }

    #[test]
    fn canonical_form_does_not_depend_on_how_it_was_reached() {
        let a = row(&[(0, 1), (1, 2)], 3);
        let by_sum = Placed::sum(1, [(a.label, &a.shape), (a.label, &a.shape), (a.label, &a.shape)]).unwrap();
        assert_eq!(by_sum, row(&[(0, 1), (1, 2)], 1));
        assert_eq!(a.apply(Label::scaled(Rational::integer(3))).unwrap(), row(&[(0, 1), (1, 2)], 1));
    }

    #[test]
    fn an_odd_denominator_cancels_with_a_single_tap() {
        let nine = row(&[(0, 9)], 1);
        let third = Label::scaled(Rational::new(1, 3).unwrap());
        assert_eq!(nine.apply(third).unwrap(), row(&[(0, 3)], 1));
    }

    #[test]
    fn what_does_not_fit_is_none() {
        let far = Label::at([i32::MAX, 0, 0]);
        assert_eq!(far.then(far), None);
        assert_eq!(Label { offset: [i32::MIN; 3], ..far }.inverse(), None);
        assert_eq!(Placed::from_dense(1, [0; 3], [2, 1, 1], &[1, i64::MIN], Rational::ONE), None);
        assert_eq!(row(&[(0, 1), (1, 3)], 1).apply(Label::scaled(Rational::integer(i64::MAX))), None);
        let nothing = Placed::from_dense(1, [4; 3], [1; 3], &[5], Rational::ZERO).unwrap();
        assert_eq!(nothing, row(&[], 1));
    }

    #[test]
    fn what_is_no_kernel_is_none() {
        let wide = |places: usize| {
            let mut dense = vec![0; places];
            (dense[0], dense[places - 1]) = (1, 3);
            Placed::from_dense(1, [0; 3], [places, 1, 1], &dense, Rational::ONE)
        };
        assert_eq!(wide(65_535).unwrap().shape.size(), [65_535, 1, 1]);
        assert!(wide(65_536).is_none() && wide(65_537).is_none());
        let dense = |channels, extent, dense: &[i64]| {
            Placed::from_dense(channels, [0; 3], extent, dense, Rational::ONE)
        };
        for (channels, extent) in
            [(0, [1; 3]), (2, [1; 3]), (1, [2, 1, 1]), (1, [0, 1, 1]), (1, [usize::MAX; 3])]
        {
            assert_eq!(dense(channels, extent, &[1]), None, "{channels} {extent:?}");
        }
        assert_eq!(dense(1, [0; 3], &[]), Some(row(&[], 1)));
        for channels in [0, 5] {
            assert_eq!(Placed::from_taps(channels, &[(5, [0; 3], Rational::ONE)]), None);
        }
    }

    #[test]
    fn composition_is_the_polynomial_product() {
        let pair = row(&[(0, 1), (1, 1)], 2);
        assert_eq!(Placed::compose(&pair, &pair).unwrap(), row(&[(0, 1), (1, 2), (2, 1)], 4));
    }
}

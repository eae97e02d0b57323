//! The irreducible factors of a square-free polynomial, from its factors modulo a prime at random points.

use super::frame::Frame;
use super::lift::Lifted;
use super::modular::{self, ByDegree};
use super::plane::Plane;
use super::polynomial::Polynomial;
use super::work::Spend;
use crate::algebra::Random;

/// The number of random points at which a polynomial is factored. The point with the fewest factors is lifted; the degree of a
/// divisor must be possible at all points.
const POINTS: usize = 3;

/// A polynomial at one point.
struct Point {
    frame: Frame,
    image: Plane,
    by_degree: ByDegree,
    degrees: Vec<usize>,
}

/// Factors, and whether they are known to be irreducible.
pub(super) struct Irreducible {
    pub(super) factors: Vec<Polynomial>,
    pub(super) is_complete: bool,
}

/// Factors a square-free polynomial all of whose factors contain the first variable of `frame`.
pub(super) fn irreducible(
    polynomial: &Polynomial,
    frame: &Frame,
    random: &mut Random,
    spend: Spend,
) -> Irreducible {
    let unknown = || Irreducible { factors: vec![polynomial.clone()], is_complete: false };
    let mut possible: Option<Vec<bool>> = None;
    let mut best: Option<Point> = None;
    for _ in 0..POINTS {
        let Some(point) = Point::draw(polynomial, frame.moved(random), spend) else { continue };
        let sums = subset_sums(&point.degrees);
        possible = Some(match possible {
            None => sums,
            Some(before) => before.iter().zip(&sums).map(|(a, b)| *a && *b).collect(),
        });
        let proper = possible.iter().flatten().filter(|is_possible| **is_possible).count();
        if proper <= 2 {
            return Irreducible { factors: vec![polynomial.clone()], is_complete: true };
        }
        if best.as_ref().is_none_or(|best| point.degrees.len() < best.degrees.len()) {
            best = Some(point);
        }
    }
    let (Some(point), Some(possible)) = (best, possible) else { return unknown() };
    let lifted = point.by_degree.irreducible(random, spend).and_then(|factors| {
        let lifted = Lifted::new(&point.image, &factors, random, spend)?;
        Some((lifted, factors.iter().map(|factor| factor.len() - 1).collect()))
    });
    let Some((lifted, degrees)) = lifted else { return unknown() };
    let mut search = Recombination { point, lifted, degrees, possible, rest: polynomial.clone(), spend };
    let (factors, is_exhausted) = search.run();
    Irreducible { factors, is_complete: is_exhausted && is_small(polynomial) }
}

impl Point {
    /// Factors a polynomial at the point of `frame`. `None` if it has a lower degree or multiple factors there, or if the work has run
    /// out.
    fn draw(polynomial: &Polynomial, frame: Frame, spend: Spend) -> Option<Self> {
        let image = frame.image(polynomial, spend)?;
        let at = modular::trim(image.iter().map(|line| line.first().copied().unwrap_or(0)).collect());
        if at.len() != image.len() || !spend((at.len() * at.len()) as u64) {
            return None;
        }
        if modular::gcd(&at, &modular::derivative(&at)).len() != 1 {
            return None;
        }
        let by_degree = ByDegree::of(modular::monic(&at), spend)?;
        let degrees = by_degree.degrees();
        Some(Self { frame, image, by_degree, degrees })
    }
}

/// For each number, whether it is a sum of some of the degrees.
fn subset_sums(degrees: &[usize]) -> Vec<bool> {
    let mut sums = vec![false; degrees.iter().sum::<usize>() + 1];
    sums[0] = true;
    for degree in degrees {
        for sum in (*degree..sums.len()).rev() {
            sums[sum] |= sums[sum - degree];
        }
    }
    sums
}

/// Whether the coefficients of each factor, multiplied by the last one of the polynomial, are below half of the prime. The
/// product of the heights of the factors is at most 2^d · √∏(dᵢ + 1) times the height of the polynomial, for degrees dᵢ with the
/// sum d (A. O. Gelfond, "Transcendental and Algebraic Numbers", 1960, chapter III, §4).
fn is_small(polynomial: &Polynomial) -> bool {
    let bits = |n: u64| u64::from(u64::BITS - n.leading_zeros());
    let (mut sum, mut roots) = (0, 0);
    for extent in polynomial.size() {
        sum += extent as u64 - 1;
        roots += bits(extent as u64);
    }
    sum + roots.div_ceil(2) + 2 * bits(polynomial.height()) < 60
}

/// The search for sets of factors at a point whose product is a divisor.
struct Recombination<'a> {
    point: Point,
    lifted: Lifted,
    degrees: Vec<usize>,
    possible: Vec<bool>,
    rest: Polynomial,
    spend: Spend<'a>,
}

impl Recombination<'_> {
    /// The divisors found, and whether the work sufficed. Small sets come first, so the divisors are irreducible.
    fn run(&mut self) -> (Vec<Polynomial>, bool) {
        let mut left: Vec<usize> = (0..self.degrees.len()).collect();
        let mut found = Vec::new();
        let mut count = 1;
        while 2 * count <= left.len() {
            match self.divisor_of(count, &left) {
                Err(OutOfWork) => {
                    found.push(self.rest.clone());
                    return (found, false);
                }
                Ok(None) => count += 1,
                Ok(Some((divisor, chosen))) => {
                    left.retain(|i| !chosen.contains(i));
                    found.push(divisor);
                }
            }
        }
        found.push(self.rest.primitive());
        (found, true)
    }

    /// A divisor made of `count` of the factors in `left`, and these factors. The rest is divided by it.
    fn divisor_of(
        &mut self,
        count: usize,
        left: &[usize],
    ) -> Result<Option<(Polynomial, Vec<usize>)>, OutOfWork> {
        let mut places: Vec<usize> = (0..count).collect();
        loop {
            let chosen: Vec<usize> = places.iter().map(|place| left[*place]).collect();
            if let Some((divisor, quotient)) = self.divisor(&chosen)? {
                self.rest = quotient;
                return Ok(Some((divisor, chosen)));
            }
            // The next set in lexicographic order.
            let Some(last) = (0..count).rev().find(|i| places[*i] < left.len() - count + i) else {
                return Ok(None);
            };
            places[last] += 1;
            for i in last + 1..count {
                places[i] = places[i - 1] + 1;
            }
        }
    }

    /// The divisor made of the chosen factors, and its quotient.
    fn divisor(&self, chosen: &[usize]) -> Result<Option<(Polynomial, Polynomial)>, OutOfWork> {
        let (frame, image) = (&self.point.frame, &self.point.image);
        let degree: usize = chosen.iter().map(|i| self.degrees[*i]).sum();
        let height = super::plane::height(image);
        if !(self.spend)((1 + chosen.len() * height * height / 2) as u64) {
            return Err(OutOfWork);
        }
        if !self.possible[degree] || degree > frame.degree(&self.rest) || !self.lifted.may_divide(chosen) {
            return Ok(None);
        }
        if !(self.spend)((chosen.len() * height * height * degree * degree / 2) as u64) {
            return Err(OutOfWork);
        }
        // The last coefficient of the product divides that of the remaining polynomial.
        let product = self.lifted.product(chosen);
        let divisor = frame.preimage(&product, frame.lead(&self.rest));
        let Some(divisor) = divisor else { return Ok(None) };
        if !(self.spend)(self.rest.quotient_work(&divisor)) {
            return Err(OutOfWork);
        }
        Ok(self.rest.quotient(&divisor).map(|quotient| (divisor, quotient)))
    }
}

/// The work has run out.
struct OutOfWork;

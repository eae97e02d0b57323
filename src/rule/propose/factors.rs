//! Factors of kernels as Laurent polynomials: the ways to write a kernel as a product, and common divisors of several
//! kernels.

use std::cmp::Ordering;

use super::Proposer;
use super::grid::{Best, Grid, Pattern, pattern_sum};
use crate::algebra::factor::{self, Factorisation, Polynomial};
use crate::algebra::{Label, Offset, Placed, Rational, Shape, place};
use crate::budget::Budget;
use crate::term::{Decomposition, Definition, order};

/// The maximum number of products of factors compared: kernels of few factors have fewer.
const MAX_PRODUCTS: usize = 256;

/// A product whose first factor has at most this many taps is written as a sum of copies of the second factor, if no copy
/// needs a multiplication.
const MAX_COPIES: usize = 9;

/// K = P ∘ Q exactly, where P is any product of irreducible factors.
pub(super) struct PolynomialFactors;

impl Proposer for PolynomialFactors {
    fn name(&self) -> &'static str {
        "polynomial-factors"
    }

    fn doc(&self) -> &'static str {
        "K = P ∘ Q, P a product of irreducible factors of K over the rationals"
    }

    fn factors(&self) -> bool {
        true
    }

    fn propose(&self, shape: &Shape, most: usize, budget: &Budget) -> Vec<Decomposition> {
        let grid = Grid::of(shape);
        let mut found = Best::of(shape, most);
        let Some(factors) = factors_of(&grid, budget) else { return Vec::new() };
        for product in products(&factors, budget) {
            if !budget.spend((1 + product.tap_count() as u64) * grid.work()) {
                break;
            }
            found.extend(composition(&grid, &product));
        }
        found.into_decompositions()
    }

    fn propose_among(
        &self,
        shapes: &[Shape],
        index: usize,
        most: usize,
        budget: &Budget,
    ) -> Vec<Decomposition> {
        let grid = Grid::of(&shapes[index]);
        let mut found = Best::of(&shapes[index], most);
        let Some(own) = polynomials(&grid, budget) else { return Vec::new() };
        for other in shapes.iter().filter(|other| **other != shapes[index]) {
            let Some(mut all) = polynomials(&Grid::of(other), budget) else { break };
            all.extend(own.iter().cloned());
            let common = factor::common_divisor(&all, &|work| budget.spend(work));
            let Some(common) = common.filter(|common| !common.is_constant()) else { continue };
            if budget.spend((1 + common.tap_count() as u64) * grid.work()) {
                found.extend(composition(&grid, &common));
            }
        }
        found.into_decompositions()
    }

    fn chain(&self, kernel: &Placed, least: usize, budget: &Budget) -> Vec<Definition> {
        let found = factors_of(&Grid::of(&kernel.shape), budget);
        let repeated = |(factor, times): (Polynomial, u32)| vec![factor; times as usize];
        let mut factors: Vec<Polynomial> =
            found.into_iter().flat_map(|found| found.factors).flat_map(repeated).collect();
        factors.retain(|factor| factor.tap_count() >= least);
        // The highest factor comes last: it reads the inputs, whose rows need the least memory.
        factors.sort_by_key(|factor| (factor.size()[1], factor.tap_count()));
        let mut links = Vec::new();
        let mut whole = kernel.clone();
        for factor in &factors {
            let Some((definition, inner)) = link(&whole, factor) else { break };
            links.push(definition);
            whole = inner;
        }
        links
    }
}

/// Splits a kernel into a factor applied after the rest, and returns the rest too, centred. The rest is halved until it
/// does not amplify its input, but no more often than the kernel is. `None` if the factor or the rest is a single tap.
fn link(whole: &Placed, factor: &Polynomial) -> Option<(Definition, Placed)> {
    let (label, outer, inner) = parts(&Grid::of(&whole.shape), factor)?;
    if outer.tap_count() < 2 || inner.tap_count() < 2 {
        return None;
    }
    let halvings = whole.label.scale.denominator().trailing_zeros().min(inner.l1().ilog2());
    let scale = Rational::power_of_two(-i32::try_from(halvings).ok()?)?;
    let middle = Label::new(scale, inner.size().map(|extent| -i32::from(extent / 2)));
    let labels = vec![whole.label.then(label)?.then(middle.inverse()?)?, middle];
    let way = Decomposition::Compose { label, outer, inner: inner.clone() };
    Some((Definition { whole: whole.shape.clone(), way, labels }, Placed { label: middle, shape: inner }))
}

/// The non-zero channels of a kernel, as polynomials. `None` if the budget is used up.
fn polynomials(grid: &Grid, budget: &Budget) -> Option<Vec<Polynomial>> {
    let places = grid.taps.len() / usize::from(grid.channels.max(1));
    let channels = grid.taps.chunks_exact(places.max(1));
    budget
        .spend(2 * grid.work())
        .then(|| channels.filter_map(|taps| Polynomial::new(grid.size, taps)).collect())
}

/// The common factors of all channels of a kernel. `None` if they do not make a proper product, or if the budget is used up.
pub(super) fn factors_of(grid: &Grid, budget: &Budget) -> Option<Factorisation> {
    let spend = |work| budget.spend(work);
    let common = match &polynomials(grid, budget)?[..] {
        [one] => one.clone(),
        several => factor::common_divisor(several, &spend)?,
    };
    let found = factor::factor(&common, &spend);
    let least = if grid.channels == 1 { 2 } else { 1 };
    (found.count() >= least).then_some(found)
}

/// Products of the factors, those with few factors first.
fn products(factors: &Factorisation, budget: &Budget) -> Vec<Polynomial> {
    // Each product is extended by factors that come no earlier than its last, so none is made twice.
    let mut found: Vec<(Polynomial, usize, u32)> = Vec::new();
    let extended = |from: usize, times: u32, product: Option<&Polynomial>| {
        let mut longer = Vec::new();
        for (index, (factor, most)) in factors.factors.iter().enumerate().skip(from) {
            let times = if index == from { times + 1 } else { 1 };
            if times <= *most && budget.spend(factor.tap_count() as u64 * 16) {
                let product = product.map_or_else(|| Some(factor.clone()), |product| product.product(factor));
                longer.extend(product.map(|product| (product, index, times)));
            }
        }
        longer
    };
    found.extend(extended(0, 0, None));
    let mut next = 0;
    while next < found.len() && found.len() < MAX_PRODUCTS {
        let (product, index, times) = found[next].clone();
        found.extend(extended(index, times, Some(&product)));
        next += 1;
    }
    found.truncate(MAX_PRODUCTS);
    found.into_iter().map(|(product, ..)| product).collect()
}

/// The kernel as the composition of a product and its cofactor. On one channel, the larger of the two is the inner one.
fn composition(grid: &Grid, product: &Polynomial) -> Option<Decomposition> {
    let (label, product, quotient) = parts(grid, product)?;
    let swapped = grid.channels == 1 && order(&product, &quotient) == Ordering::Greater;
    let (outer, inner) = if swapped { (quotient, product) } else { (product, quotient) };
    let is_free = |(.., tap): (u16, Offset, i64)| tap.unsigned_abs().is_power_of_two();
    if outer.tap_count() <= MAX_COPIES && outer.taps().all(is_free) {
        let pattern: Vec<(Offset, i64)> = outer.taps().map(|(_, at, tap)| (at, tap)).collect();
        return pattern_sum(&pattern, &Placed { label, shape: inner }, None);
    }
    Some(Decomposition::Compose { label, outer, inner })
}

/// A product of factors, the quotient of the kernel by it, and the label from their composition to the kernel.
pub(super) fn parts(grid: &Grid, product: &Polynomial) -> Option<(Label, Shape, Shape)> {
    let taps = product.taps().iter().enumerate().filter(|(_, tap)| **tap != 0);
    let pattern: Vec<(Offset, i64)> =
        taps.map(|(i, tap)| (place(product.size(), i).map(|at| at as i32), *tap)).collect();
    let quotient = divide(grid, &pattern)?.placed()?;
    let taps: Vec<_> = pattern.iter().map(|(at, tap)| (0, *at, Rational::integer(*tap))).collect();
    let product = Placed::from_taps(1, &taps)?;
    Some((quotient.label.then(product.label)?, product.shape, quotient.shape))
}

/// The exact quotient of `shape` by `pattern`; `None` if there is none. The weight of the last place of `pattern` in
/// storage order must divide the taps it meets; ±1 always does.
fn divide(shape: &Grid, pattern: &Pattern) -> Option<Grid> {
    let lead = *pattern.iter().max_by_key(|(p, _)| [p[2], p[1], p[0]])?;
    let mut rest = shape.clone();
    let mut quotient = Grid::empty_like(shape);
    for index in (0..rest.taps.len()).rev() {
        if rest.taps[index] == 0 {
            continue;
        }
        let (channel, at) = rest.place(index);
        if rest.taps[index] % lead.1 != 0 {
            return None;
        }
        let factor = rest.taps[index] / lead.1;
        let corner = [0, 1, 2].map(|axis| at[axis] - lead.0[axis]);
        quotient.taps[rest.index(channel, corner)?] = factor;
        for (p, weight) in pattern {
            let place = rest.index(channel, [0, 1, 2].map(|axis| corner[axis] + p[axis]))?;
            rest.taps[place] = rest.taps[place].checked_sub(factor.checked_mul(*weight)?)?;
        }
    }
    Some(quotient)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(channels: u16, size: [usize; 3], taps: &[i64]) -> Placed {
        Placed::from_dense(channels, [0; 3], size, taps, Rational::ONE).unwrap()
    }

    /// All pairs of factors that the proposer returns for the kernel. Each is checked.
    fn pairs(shape: &Shape) -> Vec<(Shape, Shape)> {
        let found = PolynomialFactors.propose(shape, 1000, &Budget::unlimited());
        let identity = Placed { label: Label::IDENTITY, shape: shape.clone() };
        assert!(found.iter().all(|d| d.denote(shape.channels()) == Some(identity.clone())));
        let pair = |d: &Decomposition| match d {
            Decomposition::Compose { outer, inner, .. } => (outer.clone(), inner.clone()),
            Decomposition::Sum(terms) => {
                let taps: Vec<_> = terms.iter().map(|(label, _)| (0, label.offset, label.scale)).collect();
                (Placed::from_taps(1, &taps).unwrap().shape, terms[0].1.clone())
            }
        };
        found.iter().map(pair).collect()
    }

    #[test]
    fn every_product_of_factors_is_proposed() {
        let [a, b, c] = [[3, -1, 0, 2], [1, 1, -2, 2], [1, 3, 1, -1]].map(|taps| kernel(1, [2, 2, 1], &taps));
        let two = Placed::compose(&a, &b).unwrap();
        let whole = Placed::compose(&two, &c).unwrap().shape;
        let found = pairs(&whole);
        for part in [&a, &b, &c, &two] {
            assert!(found.iter().any(|(outer, inner)| [outer, inner].contains(&&part.shape)), "{found:?}");
        }
        assert_eq!(pairs(&a.shape), []);
    }

    #[test]
    fn odd_contents_stay_with_a_factor() {
        let [a, b] = [[9, 3, 3, 6], [1, 1, -3, 2]].map(|taps| kernel(1, [2, 2, 1], &taps));
        let found = pairs(&Placed::compose(&a, &b).unwrap().shape);
        assert!(!found.is_empty());
    }

    #[test]
    fn a_factor_of_all_channels_is_proposed() {
        let outer = kernel(1, [2, 1, 1], &[1, 3]);
        let inner = kernel(3, [2, 2, 1], &[1, 2, 3, 4, 0, 0, 0, 0, 0, 1, 1, 0]);
        let whole = Placed::compose(&outer, &inner).unwrap().shape;
        assert_eq!(pairs(&whole), [(outer.shape, inner.shape.clone())]);
        assert_eq!(pairs(&inner.shape), []);
    }

    #[test]
    fn what_two_kernels_have_in_common_is_a_factor_of_both() {
        let [a, b, c] = [[3, -1, 0, 2], [1, 1, -2, 2], [1, 3, 1, -1]].map(|taps| kernel(1, [2, 2, 1], &taps));
        let two = Placed::compose(&a, &b).unwrap();
        let shapes = [&Placed::compose(&two, &c).unwrap(), &Placed::compose(&two, &two).unwrap(), &c]
            .map(|placed| placed.shape.clone());
        let among = |index| PolynomialFactors.propose_among(&shapes, index, 8, &Budget::unlimited());
        let [first, second, third] = [0, 1, 2].map(among);
        assert!(first.len() == 1 && first[0].parts().contains(&&two.shape));
        assert_eq!(second[0].parts(), [&two.shape; 2]);
        assert_eq!(third, []);
        assert_eq!(first[0].denote(1).unwrap().shape, shapes[0]);
    }

    #[test]
    fn a_chain_makes_the_kernel_of_its_irreducible_factors_and_of_a_product_of_binomials() {
        let [pair, row, column] = [(2, 1, &[1, 1][..]), (3, 1, &[1, 3, 1][..]), (1, 3, &[1, 5, 1][..])]
            .map(|(w, h, taps)| kernel(1, [w, h, 1], taps));
        let square = Placed::compose(&pair, &pair).unwrap();
        let thirty_second = Label::new(Rational::new(1, 32).unwrap(), [-2, -1, 0]);
        let whole = Placed::compose(&Placed::compose(&square, &column).unwrap(), &row).unwrap();
        let whole = whole.apply(thirty_second).unwrap();
        let chain = PolynomialFactors.chain(&whole, 3, &Budget::unlimited());
        let made: Vec<_> = chain.iter().map(|link| link.way.parts()).collect();
        assert_eq!(made.len(), 2);
        assert_eq!((made[0][0], &made[1][..]), (&row.shape, &[&column.shape, &square.shape][..]));
        // The sum of the innermost kernel is 4: it is halved twice. All kernels are centred.
        assert_eq!(chain[1].labels[1], Label::new(Rational::new(1, 4).unwrap(), [-1, 0, 0]));
        for (link, label) in chain.iter().zip([whole.label, chain[0].labels[1]]) {
            let parts = link.way.parts();
            let [outer, inner] = [0, 1].map(|i| Placed { label: link.labels[i], shape: parts[i].clone() });
            assert_eq!(Placed::compose(&outer, &inner), Some(Placed { label, shape: link.whole.clone() }));
        }
        assert_eq!(PolynomialFactors.chain(&square, 2, &Budget::unlimited()).len(), 1);
        for single in [&column, &square] {
            assert_eq!(PolynomialFactors.chain(single, 3, &Budget::unlimited()), []);
        }
    }

    #[test]
    fn three_dimensions() {
        let [a, b] = [[2, 1, 2], [1, 2, 2]].map(|size| kernel(1, size, &[1, 3, -1, 2]));
        let found = pairs(&Placed::compose(&a, &b).unwrap().shape);
        assert!(found.iter().any(|(x, y)| [x, y].contains(&&a.shape) && [x, y].contains(&&b.shape)));
    }
}

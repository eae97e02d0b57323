//! Complete factorisation of Laurent polynomials in up to three variables over the rationals, and common divisors.
//!
//! A kernel of one channel is a Laurent polynomial, and composition is multiplication. Numbers and monomials are units, so
//! polynomials here are integer, primitive and not divisible by a monomial.
//!
//! A polynomial is factored modulo one large prime: first in one variable, with the others at a random point (`modular`). The
//! factors are lifted to all variables (`lift`), and their products are read back as integer polynomials (`frame`). Every divisor
//! is verified by division, so factors are always exact. For the parts see J. von zur Gathen and J. Gerhard, "Modern Computer
//! Algebra", chapters 6, 14 and 15.

mod frame;
mod lift;
mod modular;
mod near;
mod plane;
mod polynomial;
mod recombine;
mod work;

pub use near::NearProducts;
pub use polynomial::Polynomial;
pub use work::Spend;

use super::Random;
use frame::Frame;

/// The seed of the points at which polynomials are evaluated.
const SEED: u64 = 61;

/// The number of random points tried; a divisor at one point may not be a divisor everywhere.
const TRIALS: usize = 2;

/// A polynomial as a product.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factorisation {
    /// The distinct non-constant factors with their multiplicities, sorted. Their product is the primitive part of the polynomial, up
    /// to sign.
    pub factors: Vec<(Polynomial, u32)>,
    /// Whether all factors are known to be irreducible: the work sufficed, and no coefficient of a factor can exceed half of the
    /// prime. It depends on random points and is wrong with a probability of less than 2^-40.
    pub is_complete: bool,
}

impl Factorisation {
    /// The number of factors, repetitions included.
    pub fn count(&self) -> u32 {
        self.factors.iter().map(|(_, times)| times).sum()
    }
}

/// Factors a polynomial. If the work runs out, returns the factors found so far, which may be reducible.
pub fn factor(polynomial: &Polynomial, spend: Spend) -> Factorisation {
    let mut search = Search { random: Random::new(SEED), spend, found: Vec::new(), is_complete: true };
    search.all(polynomial.primitive());
    let mut distinct = search.found;
    distinct.sort();
    distinct.dedup();
    // A repeated factor was found once, or inside products that the work did not suffice to split.
    let mut rest = polynomial.primitive();
    let mut factors = Vec::with_capacity(distinct.len());
    for divisor in distinct {
        let mut times = 0;
        while let Some(quotient) = rest.quotient(&divisor) {
            (rest, times) = (quotient, times + 1);
        }
        if times > 0 {
            factors.push((divisor, times));
        }
    }
    if !rest.is_constant() {
        factors.push((rest.primitive(), 1));
        factors.sort();
        search.is_complete = false;
    }
    Factorisation { factors, is_complete: search.is_complete }
}

/// The greatest common divisor of polynomials, primitive and with a positive first coefficient. `None` if the work has run out.
pub fn common_divisor(polynomials: &[Polynomial], spend: Spend) -> Option<Polynomial> {
    let primitive: Vec<Polynomial> = polynomials.iter().map(Polynomial::primitive).collect();
    let mut random = Random::new(SEED);
    (0..TRIALS).find_map(|_| {
        let frame = Frame::of(&primitive.iter().collect::<Vec<_>>(), &mut random);
        let mut images = primitive.iter().map(|polynomial| frame.image(polynomial, spend));
        let mut common = images.next()??;
        for image in images {
            common = plane::gcd(&common, &image?, spend)?;
        }
        // The last coefficient of the common divisor divides that of every polynomial.
        let leads = primitive.iter().map(|polynomial| frame.lead(polynomial).unsigned_abs());
        let lead = i64::try_from(leads.fold(0, super::gcd)).ok()?;
        let divisor = frame.preimage(&common, lead)?;
        primitive.iter().all(|polynomial| polynomial.quotient(&divisor).is_some()).then_some(divisor)
    })
}

/// The state of a factorisation.
struct Search<'a> {
    random: Random,
    spend: Spend<'a>,
    /// Factors, possibly with repetitions.
    found: Vec<Polynomial>,
    is_complete: bool,
}

impl Search<'_> {
    /// Finds the factors of a primitive polynomial.
    fn all(&mut self, polynomial: Polynomial) {
        let mut pending = vec![polynomial];
        while let Some(polynomial) = pending.pop() {
            if polynomial.is_constant() {
                continue;
            }
            let Some((frame, radical)) = self.radical(&polynomial, &mut pending) else {
                self.found.push(polynomial);
                self.is_complete = false;
                continue;
            };
            let irreducible = recombine::irreducible(&radical, &frame, &mut self.random, self.spend);
            self.found.extend(irreducible.factors);
            self.is_complete &= irreducible.is_complete;
        }
    }

    /// A frame, and the product of the distinct irreducible factors that depend on its first variable. The product of the other factors
    /// is appended to `later`. `None` if the work has run out.
    fn radical(
        &mut self,
        polynomial: &Polynomial,
        later: &mut Vec<Polynomial>,
    ) -> Option<(Frame, Polynomial)> {
        (0..TRIALS).find_map(|_| {
            let frame = Frame::of(&[polynomial], &mut self.random);
            let image = frame.image(polynomial, self.spend)?;
            let (content, rest) = frame.divisor(polynomial, &frame::content(&image))?;
            // Both images are in the same frame, because a content does not contain the first variable.
            let image = if content.is_constant() { image } else { frame.image(&rest, self.spend)? };
            let repeated = plane::gcd(&image, &plane::derivative(&image), self.spend)?;
            let (_, radical) = frame.divisor(&rest, &repeated)?;
            later.push(content);
            Some((frame, radical))
        })
    }
}

#[cfg(test)]
mod tests;

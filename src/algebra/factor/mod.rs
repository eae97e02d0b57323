//! Complete factorisation of Laurent polynomials in up to three variables over the rationals, and common divisors.
//!
//! A kernel of one channel is a Laurent polynomial, and composition is multiplication. Numbers and monomials are units, so
//! polynomials are taken to be integer, primitive and without a monomial that divides them.
//!
//! A polynomial is factored modulo one large prime: in one variable, with the others at a random point (`modular`); the factors are
//! lifted to all variables (`lift`), and products of them are read back as polynomials with integer coefficients (`frame`). Divisors
//! are divided by before they are believed, so factors are exact whatever happens on the way. For the parts see J. von zur Gathen
//! and J. Gerhard, "Modern Computer Algebra", chapters 6, 14 and 15.

mod field;
mod frame;
mod lift;
mod modular;
mod plane;
mod polynomial;
mod recombine;
mod work;

pub use polynomial::Polynomial;
pub use work::Spend;

use super::Random;
use frame::Frame;

/// The seed of points at which polynomials are evaluated.
const SEED: u64 = 61;

/// How many random points are tried where a divisor at one does not come from one everywhere.
const TRIALS: usize = 2;

/// A polynomial as a product.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factorisation {
    /// The distinct factors, none of them constant, with their multiplicities, sorted. Their product is the primitive part of the
    /// polynomial, up to sign.
    pub factors: Vec<(Polynomial, u32)>,
    /// Whether all factors are known to be irreducible: work was enough, and no coefficient of a factor can be larger than half of
    /// the prime. It rests on random points and is wrong with a probability of less than 2^-40.
    pub is_complete: bool,
}

impl Factorisation {
    /// The number of factors, repetitions included.
    pub fn count(&self) -> u32 {
        self.factors.iter().map(|(_, times)| times).sum()
    }
}

/// Factors a polynomial. Where work runs out the factors found so far are returned, which may be reducible.
pub fn factor(polynomial: &Polynomial, spend: Spend) -> Factorisation {
    let mut search = Search { random: Random::new(SEED), spend, found: Vec::new(), is_complete: true };
    search.all(polynomial.primitive());
    let mut distinct = search.found;
    distinct.sort();
    distinct.dedup();
    // A factor that occurs more than once was found once, or as parts of what work did not suffice to split.
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

/// The greatest common divisor of polynomials, primitive and with a positive first coefficient. `None` if work has run out.
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
        // The last coefficient of a divisor divides all others.
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
    /// Factors, some perhaps more than once.
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

    /// A frame, and the product of the distinct irreducible factors that depend on its first variable; the product of those that
    /// do not is left for later. `None` if work has run out.
    fn radical(
        &mut self,
        polynomial: &Polynomial,
        later: &mut Vec<Polynomial>,
    ) -> Option<(Frame, Polynomial)> {
        (0..TRIALS).find_map(|_| {
            let frame = Frame::of(&[polynomial], &mut self.random);
            let image = frame.image(polynomial, self.spend)?;
            let (content, rest) = frame.divisor(polynomial, &frame::content(&image))?;
            // Both images are of the same frame, as a content has no first variable.
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

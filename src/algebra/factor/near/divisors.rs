//! The divisors of forms in two variables modulo a small prime: their degrees, and those of degree two themselves.

use std::sync::OnceLock;

/// The largest degree of a form.
pub(super) const MAX_DEGREE: usize = 4;

/// The primes. With a larger one, fewer forms that should not have a divisor have one, but the table is larger: 1.3 MB for 11.
pub(super) const PRIMES: [usize; 3] = [7, 5, 11];

/// The bits that stand for degrees. The bits above them stand for divisors of degree two, several for each if there are more divisors
/// than bits.
const DEGREES: u32 = MAX_DEGREE as u32 + 1;

/// A set of degrees and divisors.
pub(super) type Set = u64;

/// All divisors of degree two.
pub(super) const QUADRATIC: Set = Set::MAX << DEGREES;

/// The coefficients of a form of degree n: those of x^i·y^(n − i), for i from 0 to n.
pub(super) type Form = [u8; MAX_DEGREE + 1];

/// The sets of all forms of one degree modulo one prime. A polynomial of lower degree is a form with y as a divisor.
pub(super) struct Divisors {
    degree: usize,
    sets: Vec<Set>,
}

/// The divisors of forms of a degree up to [`MAX_DEGREE`] modulo one of [`PRIMES`]. They are computed once, in a few milliseconds.
pub(super) fn divisors(prime: usize, degree: usize) -> &'static Divisors {
    static TABLES: [[OnceLock<Divisors>; MAX_DEGREE + 1]; PRIMES.len()] =
        [const { [const { OnceLock::new() }; MAX_DEGREE + 1] }; PRIMES.len()];
    let table = PRIMES.iter().position(|known| *known == prime).map(|at| &TABLES[at][degree]);
    table.expect("the prime is one of PRIMES").get_or_init(|| Divisors::new(prime, degree))
}

impl Divisors {
    fn new(prime: usize, degree: usize) -> Self {
        let mut sets = vec![0; prime.pow(degree as u32 + 1)];
        let mut quadratic = 0;
        for of in 1..=degree.min(2) {
            let degrees = 1 << of | 1 << (degree - of);
            for divisor in monic(prime, of) {
                let own = if of == 2 { 1 << (DEGREES + quadratic % (Set::BITS - DEGREES)) } else { 0 };
                quadratic += u32::from(of == 2);
                for rest in 0..prime.pow((degree - of) as u32 + 1) {
                    let product = product(&divisor[..=of], &form(rest, prime)[..=degree - of], prime);
                    sets[index(&product, prime)] |= degrees | own;
                }
            }
        }
        Self { degree, sets }
    }

    /// The set of the form with this index.
    pub(super) fn of(&self, index: usize) -> Set {
        self.sets[index]
    }

    /// The degrees of proper divisors.
    pub(super) fn proper(&self) -> Set {
        (1 << self.degree.max(1)) - 2
    }

    /// The degrees of proper divisors with a quotient, both of at least two.
    pub(super) fn middle(&self) -> Set {
        if self.degree < 4 { 0 } else { (1 << (self.degree - 1)) - 4 }
    }

    /// The set of the zero form, which everything divides; empty if the degree is zero.
    pub(super) fn all(&self) -> Set {
        self.sets[0]
    }
}

/// The index of a form: its coefficients as digits, the first one lowest.
pub(super) fn index(form: &[u8], prime: usize) -> usize {
    form.iter().rev().fold(0, |sum, digit| sum * prime + usize::from(*digit))
}

/// The form with an index.
fn form(mut index: usize, prime: usize) -> Form {
    std::array::from_fn(|_| {
        let digit = index % prime;
        index /= prime;
        digit as u8
    })
}

/// All forms of a degree up to factors: their last coefficient that is not zero is 1.
fn monic(prime: usize, degree: usize) -> impl Iterator<Item = Form> {
    (0..=degree as u32)
        .flat_map(move |lead| (prime.pow(lead)..2 * prime.pow(lead)).map(move |i| form(i, prime)))
}

fn product(a: &[u8], b: &[u8], prime: usize) -> Form {
    let mut sums = [0u16; MAX_DEGREE + 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            sums[i + j] += u16::from(*x) * u16::from(*y);
        }
    }
    sums.map(|sum| (sum % prime as u16) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_are_those_that_division_finds() {
        let found = divisors(5, 4);
        let set = |form: [u8; 5]| found.of(index(&form, 5));
        let quadratics = |set: Set| (set & QUADRATIC).count_ones();
        // x^4 + 2 is irreducible modulo 5, x^4 + 4·y^4 is the product of x − i·y over all i but zero.
        assert_eq!(set([2, 0, 0, 0, 1]), 0);
        assert_eq!((set([4, 0, 0, 0, 1]) & found.proper(), quadratics(set([4, 0, 0, 0, 1]))), (0b1110, 6));
        // x^4 + 1 = (x^2 + 2·y^2)(x^2 + 3·y^2).
        assert_eq!((set([1, 0, 0, 0, 1]) & found.proper(), quadratics(set([1, 0, 0, 0, 1]))), (0b100, 2));
        // x·(x^3 + x·y^2 + y^3), whose second factor is irreducible, and the same times y instead of x.
        for form in [[0, 1, 1, 0, 1], [1, 1, 0, 1, 0]] {
            assert_eq!((set(form) & found.proper(), quadratics(set(form))), (0b1010, 0));
        }
        assert_eq!(set([0; 5]), found.all(), "everything divides zero");
    }

    #[test]
    fn the_number_of_irreducible_forms_is_that_of_theory() {
        // Of p^4 monic polynomials of degree 4, (p^4 − p^2)/4 are irreducible; each has p − 1 multiples.
        for prime in [5usize, 7] {
            let irreducible = divisors(prime, 4).sets.iter().filter(|set| **set == 0).count();
            assert_eq!(irreducible, (prime.pow(4) - prime.pow(2)) / 4 * (prime - 1), "{prime}");
        }
    }
}

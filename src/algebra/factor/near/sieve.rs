//! Which coefficients must change, and by what modulo a prime, for a polynomial to be a product.
//!
//! At a point of all variables but one, the factors of a product are factors of a form, and their degrees are the same at all points.
//! The divisors of all forms of low degree modulo a small prime are a table. So almost all changes fail at one of the first
//! points, at the cost of one look-up each.

use super::super::work::Spend;
use super::divisors::{Divisors, Form, MAX_DEGREE, QUADRATIC, Set, divisors, index};

/// A polynomial at one point of all variables but one, modulo a prime.
struct View {
    /// The variable that is left.
    axis: usize,
    /// For each place, the weight of its coefficient.
    weights: Vec<u8>,
}

/// What is left of the polynomial in one view, and its index.
#[derive(Clone, Copy)]
struct Seen {
    form: Form,
    index: usize,
}

/// A change: places, each with what is subtracted there, modulo the prime.
pub(super) type Change = Vec<(usize, u8)>;

/// A polynomial in several views modulo one prime.
pub(super) struct Sieve {
    prime: usize,
    /// For each place, its exponents.
    exponents: Vec<[usize; 3]>,
    divisors: [&'static Divisors; 3],
    views: Vec<View>,
    seen: Vec<Seen>,
    /// The powers of the prime.
    powers: [usize; MAX_DEGREE + 1],
}

impl Sieve {
    /// The views of a polynomial in a box of at most 1 + [`MAX_DEGREE`] places along each axis. `None` if the work has run
    /// out.
    pub(super) fn new(prime: usize, size: [usize; 3], taps: &[i64], spend: Spend) -> Option<Self> {
        let exponents: Vec<[usize; 3]> =
            (0..taps.len()).map(|i| [i % size[0], i / size[0] % size[1], i / (size[0] * size[1])]).collect();
        let divisors = size.map(|extent| divisors(prime, extent - 1));
        // Zero and infinity come last: there, most changes change nothing.
        let points = (1..prime).chain([0, prime]);
        let axes = (0..3).filter(|axis| size[*axis] > 1);
        let views: Vec<View> = points
            .flat_map(|point| axes.clone().map(move |axis| (axis, point)))
            .map(|(axis, point)| View { axis, weights: weights(prime, size, &exponents, axis, point) })
            .collect();
        let work = views.len() * taps.len();
        spend(work as u64).then(|| {
            let seen = views.iter().map(|view| view.of(prime, &exponents, taps)).collect();
            let powers = std::array::from_fn(|i| prime.pow(i as u32));
            Self { prime, exponents, divisors, views, seen, powers }
        })
    }

    /// The prime.
    pub(super) fn prime(&self) -> usize {
        self.prime
    }

    /// The changes of `count` places, none of them by zero, after which the polynomial may be a product; some of
    /// them if the work runs out.
    pub(super) fn anywhere(&self, count: usize, spend: Spend) -> Vec<Change> {
        self.search(count, None, spend)
    }

    /// A change with one of zero at each other place.
    pub(super) fn with_another(&self, change: &[(usize, u8)]) -> Vec<Change> {
        let is_free = |place: &usize| change.iter().all(|(other, _)| other != place);
        let places = (0..self.exponents.len()).filter(is_free);
        let extended = places.map(|place| {
            let mut extended = [change, &[(place, 0)]].concat();
            extended.sort_unstable();
            extended
        });
        extended.collect()
    }

    /// The changes at these places, by zero too, after which the polynomial may be a product; some of them if the
    /// work runs out.
    pub(super) fn at(&self, places: &[usize], spend: Spend) -> Vec<Change> {
        self.search(places.len(), Some(places), spend)
    }

    fn search(&self, count: usize, places: Option<&[usize]>, spend: Spend) -> Vec<Change> {
        if count == 0 {
            return vec![Change::new()];
        }
        let middle = self.divisors.map(Divisors::middle);
        let is_wide = count > MANY && middle != [0; 3];
        let wide = if is_wide { middle } else { self.divisors.map(Divisors::proper) };
        let mut search =
            Search { sieve: self, count, wide, places, chosen: Vec::new(), found: Vec::new(), spend };
        search.extend(&self.seen);
        search.found
    }

    /// What is seen in a view after one more change.
    fn changed(&self, view: &View, seen: &Seen, (place, by): (usize, u8)) -> Seen {
        let exponent = self.exponents[place][view.axis];
        let (mut form, old) = (seen.form, seen.form[exponent]);
        let change = (self.prime - usize::from(by)) * usize::from(view.weights[place]);
        let new = (usize::from(old) + change) % self.prime;
        form[exponent] = new as u8;
        let power = self.powers[exponent];
        Seen { form, index: seen.index + new * power - usize::from(old) * power }
    }

    /// Whether the polynomial may be a product after one more change: of two factors that both depend on the same two variables, or with
    /// a divisor in one variable of degree two. Along one axis, the degrees of the two factors are among the `wide` ones.
    fn admits(&self, seen: &[Seen], change: (usize, u8), wide: &[Set; 3]) -> bool {
        let mut common = self.divisors.map(Divisors::all);
        let proper = self.divisors.map(Divisors::proper);
        for (view, seen) in self.views.iter().zip(seen) {
            common[view.axis] &= self.divisors[view.axis].of(self.changed(view, seen, change).index);
            let axes = [0, 1, 2].map(|axis| u8::from(common[axis] & proper[axis] != 0));
            let is_wide = (0..3).any(|axis| common[axis] & wide[axis] != 0);
            let has_quadratic = (common[0] | common[1] | common[2]) & QUADRATIC != 0;
            if !(is_wide && axes[0] + axes[1] + axes[2] > 1 || has_quadratic) {
                return false;
            }
        }
        true
    }
}

impl View {
    /// What the view shows of a polynomial.
    fn of(&self, prime: usize, exponents: &[[usize; 3]], taps: &[i64]) -> Seen {
        let mut sums = [0; MAX_DEGREE + 1];
        for ((tap, at), weight) in taps.iter().zip(exponents).zip(&self.weights) {
            sums[at[self.axis]] += tap.rem_euclid(prime as i64) as usize * usize::from(*weight);
        }
        let form = sums.map(|sum| (sum % prime) as u8);
        Seen { form, index: index(&form, prime) }
    }
}

/// The weights of places where all variables but one have one value; `prime` stands for infinity, where only the highest
/// power counts. The third variable has the next value, so that it is not always that of the second.
fn weights(prime: usize, size: [usize; 3], exponents: &[[usize; 3]], axis: usize, point: usize) -> Vec<u8> {
    let others: Vec<usize> = (0..3).filter(|other| *other != axis).collect();
    let value = |other: usize, exponent: usize| match (point + usize::from(other == others[1])) % (prime + 1)
    {
        infinity if infinity == prime => usize::from(exponent + 1 == size[other]),
        value => value.pow(exponent as u32) % prime,
    };
    let weight =
        |at: &[usize; 3]| others.iter().map(|other| value(*other, at[*other])).product::<usize>() % prime;
    exponents.iter().map(|at| weight(at) as u8).collect()
}

/// The number of changes above which only factors are looked for both of which are wide: at least three places, where the whole has five.
/// Others are possible modulo primes too often.
const MANY: usize = 2;

/// The state of one search through changes.
struct Search<'a> {
    sieve: &'a Sieve,
    count: usize,
    /// For each axis, the degrees of which one is required along some axis.
    wide: [Set; 3],
    /// The places of the changes, if they are given.
    places: Option<&'a [usize]>,
    chosen: Change,
    found: Vec<Change>,
    spend: Spend<'a>,
}

impl Search<'_> {
    /// Makes one more change in all ways. Returns whether the work sufficed.
    fn extend(&mut self, seen: &[Seen]) -> bool {
        let sieve = self.sieve;
        let (places, least) = match self.places {
            Some(places) => (places[self.chosen.len()]..places[self.chosen.len()] + 1, 0),
            None => (self.chosen.last().map_or(0, |(place, _)| place + 1)..sieve.exponents.len(), 1),
        };
        let is_last = self.chosen.len() + 1 == self.count;
        for place in places {
            let cost = if is_last { 2 } else { sieve.views.len() };
            if !(self.spend)((cost * sieve.prime) as u64) {
                return false;
            }
            for by in least..sieve.prime as u8 {
                self.chosen.push((place, by));
                if !is_last {
                    let changed = sieve
                        .views
                        .iter()
                        .zip(seen)
                        .map(|(view, seen)| sieve.changed(view, seen, (place, by)));
                    if !self.extend(&changed.collect::<Vec<_>>()) {
                        return false;
                    }
                } else if sieve.admits(seen, (place, by), &self.wide) {
                    self.found.push(self.chosen.clone());
                }
                self.chosen.pop();
            }
        }
        true
    }
}

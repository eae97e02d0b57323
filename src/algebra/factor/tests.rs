//! Tests of factorisation: known polynomials, and products of random ones.

use super::*;

const FREE: Spend = &|_| true;

fn polynomial(size: [usize; 3], taps: &[i64]) -> Polynomial {
    Polynomial::new(size, taps).unwrap()
}

fn row(taps: &[i64]) -> Polynomial {
    polynomial([taps.len(), 1, 1], taps)
}

fn product(factors: &[Polynomial]) -> Polynomial {
    factors.iter().fold(row(&[1]), |product, factor| product.product(factor).unwrap())
}

/// The factors with repetitions, checked to be complete.
fn factors(polynomial: &Polynomial) -> Vec<Polynomial> {
    let found = factor(polynomial, FREE);
    assert!(found.is_complete, "{found:?}");
    let repeated = |(factor, times): &(Polynomial, u32)| vec![factor.clone(); *times as usize];
    let all: Vec<Polynomial> = found.factors.iter().flat_map(repeated).collect();
    assert_eq!(product(&all).primitive(), polynomial.primitive());
    all
}

fn assert_factors(polynomial: &Polynomial, expected: &[Polynomial]) {
    let mut expected: Vec<Polynomial> = expected.iter().map(Polynomial::primitive).collect();
    expected.sort();
    assert_eq!(factors(polynomial), expected);
}

#[test]
fn one_variable() {
    // x⁴ + 4 is reducible without a root; x⁴ + 1 is irreducible and splits modulo every prime.
    assert_factors(&row(&[4, 0, 0, 0, 1]), &[row(&[2, 2, 1]), row(&[2, -2, 1])]);
    assert_factors(&row(&[1, 0, 0, 0, 1]), &[row(&[1, 0, 0, 0, 1])]);
    assert_factors(&row(&[-6, -3, 3]), &[row(&[1, 1]), row(&[2, -1])]);
    // x⁹ − 1 and x¹² − 1 are products of cyclotomic polynomials.
    let mut power = vec![0; 10];
    (power[0], power[9]) = (-1, 1);
    assert_factors(&row(&power), &[row(&[1, -1]), row(&[1, 1, 1]), row(&[1, 0, 0, 1, 0, 0, 1])]);
    let mut power = vec![0; 13];
    (power[0], power[12]) = (-1, 1);
    assert_eq!(factors(&row(&power)).len(), 6);
    // Swinnerton-Dyer: the sum of the square roots of 2, 3 and 5 has degree 8, but degree at most 2 modulo any prime.
    let sum = row(&[576, 0, -960, 0, 352, 0, -40, 0, 1]);
    assert_factors(&sum, std::slice::from_ref(&sum));
}

#[test]
fn powers() {
    let binomial = product(&vec![row(&[1, 1]); 12]);
    assert_factors(&binomial, &vec![row(&[1, 1]); 12]);
    let column = polynomial([1, 2, 1], &[1, 1]);
    let gauss = product(&[vec![row(&[1, 1]); 6], vec![column.clone(); 6]].concat());
    assert_factors(&gauss, &[vec![row(&[1, 1]); 6], vec![column; 6]].concat());
    let dense = polynomial([2, 2, 1], &[1, 2, -3, 1]);
    assert_factors(&product(&vec![dense.clone(); 5]), &vec![dense; 5]);
}

#[test]
fn two_variables() {
    // x² − 2y² has factors only over the reals, x² − 4y² over the rationals.
    let form = |a| polynomial([3, 3, 1], &[0, 0, 1, 0, 0, 0, a, 0, 0]);
    assert_factors(&form(-2), &[form(-2)]);
    let line = |a| polynomial([2, 2, 1], &[0, 1, a, 0]);
    assert_factors(&form(-4), &[line(2), line(-2)]);
    // x² + y² and x³ − y³.
    assert_factors(&form(1), &[form(1)]);
    let mut cubes = [0; 16];
    (cubes[3], cubes[12]) = (1, -1);
    let conic = polynomial([3, 3, 1], &[0, 0, 1, 0, 1, 0, 1, 0, 0]);
    assert_factors(&polynomial([4, 4, 1], &cubes), &[line(-1), conic]);
    // Coefficients that are not monic in any variable.
    let [a, b] = [[3, -2, 0, 1, 2, 2, -3, 1, 3], [2, 3, -1, 0, -3, 1, 1, 2, -2]];
    let [a, b] = [a, b].map(|taps| polynomial([3, 3, 1], &taps));
    assert_factors(&product(&[a.clone(), b.clone()]), &[a, b]);
}

#[test]
fn three_variables() {
    // a³ + b³ + c³ − 3abc = (a + b + c)(a² + b² + c² − ab − bc − ca) for a, b, c = x, y, z.
    let mut taps = [0; 64];
    (taps[3], taps[12], taps[48], taps[1 + 4 + 16]) = (1, 1, 1, -3);
    let sum = polynomial([2, 2, 2], &[0, 1, 1, 0, 1, 0, 0, 0]);
    let mut form = [0; 27];
    (form[2], form[6], form[18]) = (1, 1, 1);
    (form[1 + 3], form[3 + 9], form[1 + 9]) = (-1, -1, -1);
    assert_factors(&polynomial([4, 4, 4], &taps), &[sum, polynomial([3, 3, 3], &form)]);
    // Factors that lack variables are contents.
    let parts = [[2, 1, 1], [1, 2, 1], [1, 1, 2]].map(|size| polynomial(size, &[3, -2]));
    let mixed = polynomial([1, 2, 2], &[1, 2, 0, 5]);
    let parts = [&parts[..], &[mixed, polynomial([2, 1, 2], &[1, 0, 1, 1])]].concat();
    assert_factors(&product(&parts), &parts);
}

#[test]
fn products_of_random_polynomials_have_all_their_factors() {
    let mut random = Random::new(5);
    for size in [[3, 3, 1], [5, 2, 1], [9, 1, 1], [2, 2, 2], [3, 2, 2]] {
        for count in [1, 2, 3] {
            let mut parts = Vec::new();
            while parts.len() < count {
                let taps: Vec<i64> = (0..size.iter().product()).map(|_| random.integer(-3, 3)).collect();
                parts.extend(Polynomial::new(size, &taps));
            }
            let irreducible: Vec<Polynomial> = parts.iter().flat_map(factors).collect();
            assert_factors(&product(&parts), &irreducible);
        }
    }
}

#[test]
fn common_divisors() {
    let [a, b, c] = [[1, 2, 0, -1], [3, 1, -1, 2], [1, -1, 1, 4]].map(|taps| polynomial([2, 2, 1], &taps));
    let row = row(&[1, 3]);
    let with = |parts: &[&Polynomial]| product(&parts.iter().map(|p| (*p).clone()).collect::<Vec<_>>());
    let several = [with(&[&a, &b, &row]), with(&[&a, &c, &row, &row]), with(&[&a, &row, &b, &c])];
    assert_eq!(common_divisor(&several, FREE), Some(with(&[&a, &row]).primitive()));
    assert!(common_divisor(&[with(&[&a, &b]), with(&[&c, &row])], FREE).unwrap().is_constant());
}

#[test]
fn without_enough_work_factors_are_fewer_and_still_exact() {
    let parts = [[1, 2, 0, -1], [3, 1, -1, 2], [1, -1, 1, 4]].map(|taps| polynomial([2, 2, 1], &taps));
    let whole = product(&parts);
    let mut counts = Vec::new();
    for work in (0..20).map(|bits| 1 << bits) {
        let spent = std::cell::Cell::new(0);
        let spend = |work_done: u64| {
            spent.set(spent.get() + work_done);
            spent.get() <= work
        };
        let found = factor(&whole, &spend);
        let all = found.factors.iter().flat_map(|(factor, times)| vec![factor.clone(); *times as usize]);
        assert_eq!(product(&all.collect::<Vec<_>>()).primitive(), whole.primitive());
        assert_eq!(found.is_complete, found.count() == 3, "{work}");
        counts.push(found.count());
    }
    assert!(counts.is_sorted() && counts[0] == 1 && counts[19] == 3, "{counts:?}");
}

//! Factors random products of two or three kernels of 3×3, and one of each size up to 5×5×2.

use kalg::algebra::Random;
use kalg::algebra::factor::{Factorisation, Polynomial, factor};

/// A random polynomial with more than one tap and coefficients of -3 to 3.
fn random_polynomial(random: &mut Random, size: [usize; 3]) -> Polynomial {
    loop {
        let taps: Vec<i64> = (0..size.iter().product()).map(|_| random.integer(-3, 3)).collect();
        if let Some(found) = Polynomial::new(size, &taps).filter(|found| found.tap_count() > 1) {
            return found;
        }
    }
}

fn repeated(found: &Factorisation) -> Vec<Polynomial> {
    found.factors.iter().flat_map(|(factor, times)| vec![factor.clone(); *times as usize]).collect()
}

/// Whether all factors of a product are found: those of its parts, with the same multiplicities, each known to be irreducible.
fn is_factored(parts: &[Polynomial]) -> bool {
    let whole = parts[1..]
        .iter()
        .fold(parts[0].clone(), |product, part| product.product(part).expect("small coefficients"));
    let found = factor(&whole, &|_| true);
    let mut expected: Vec<Polynomial> =
        parts.iter().flat_map(|part| repeated(&factor(part, &|_| true))).collect();
    expected.sort();
    let product =
        repeated(&found).iter().try_fold(Polynomial::new([1; 3], &[1]).expect("one"), |a, b| a.product(b));
    assert_eq!(product.map(|product| product.primitive()), Some(whole.primitive()));
    found.is_complete && repeated(&found) == expected
}

#[test]
fn all_factors_of_two_hundred_products_are_found() {
    let mut random = Random::new(2024);
    let found = (0..200).filter(|number| {
        let parts: Vec<Polynomial> =
            (0..2 + number % 2).map(|_| random_polynomial(&mut random, [3, 3, 1])).collect();
        is_factored(&parts)
    });
    assert_eq!(found.count(), 200);
}

#[test]
fn sizes_may_differ_and_have_three_dimensions() {
    let mut random = Random::new(2025);
    for number in 0..100 {
        let parts: Vec<Polynomial> = (0..2 + number % 3)
            .map(|_| {
                let size = [5, 5, 2].map(|most| random.integer(1, most) as usize);
                random_polynomial(&mut random, if size == [1; 3] { [2, 1, 1] } else { size })
            })
            .collect();
        assert!(is_factored(&parts), "{parts:?}");
    }
}

//! What one operation on a 5×5 kernel costs. Run with `cargo bench --bench algebra`.
//!
//! The same composition through an ordered map from offsets to coefficients stands beside it, for comparison.

use std::collections::BTreeMap;
use std::hint::black_box;

use divan::Bencher;
use kalg::algebra::{Bounds, Kernel, MinPlus, ORIGIN, Offset, Placed, PlusTimes, Rational, Semiring};

fn main() {
    divan::main();
}

/// A 5×5 kernel with 25 distinct coefficients over `denominator`.
fn five(denominator: i64) -> Kernel<PlusTimes> {
    let bounds = Bounds::between([-2, -2, 0], [2, 2, 0]).expect("a small box");
    let value = |n| Rational::new(n, denominator).expect("a small fraction");
    Kernel::from_dense(bounds, (1..=25).map(value).collect())
}

#[divan::bench(args = [1, 16, 9])]
fn compose(bencher: Bencher, denominator: i64) {
    let kernel = five(denominator);
    bencher.bench(|| black_box(&kernel).compose(black_box(&kernel)));
}

#[divan::bench]
fn compose_with_holes(bencher: Bencher) {
    let taps: Vec<(Offset, Rational)> =
        five(1).taps().filter(|(offset, _)| (offset[0] + offset[1]) % 2 == 0).collect();
    let kernel = Kernel::<PlusTimes>::from_taps(&taps).expect("a part of a kernel");
    bencher.bench(|| black_box(&kernel).compose(black_box(&kernel)));
}

#[divan::bench]
fn compose_min_plus(bencher: Bencher) {
    let parse = |n: i64| MinPlus::parse(&n.to_string()).expect("an integer");
    let bounds = Bounds::between([-2, -2, 0], [2, 2, 0]).expect("a small box");
    let kernel = Kernel::<MinPlus>::from_dense(bounds, (1..=25).map(parse).collect());
    bencher.bench(|| black_box(&kernel).compose(black_box(&kernel)));
}

#[divan::bench]
fn compose_by_map(bencher: Bencher) {
    let kernel: BTreeMap<Offset, Rational> = five(1).taps().collect();
    bencher.bench(|| {
        let mut product: BTreeMap<Offset, Rational> = BTreeMap::new();
        for (p, a) in black_box(&kernel) {
            for (q, b) in black_box(&kernel) {
                let value = product.entry([p[0] + q[0], p[1] + q[1], p[2] + q[2]]).or_insert(Rational::ZERO);
                *value = a.mul(*b).and_then(|term| value.add(term)).expect("small numbers");
            }
        }
        product
    });
}

#[divan::bench]
fn add(bencher: Bencher) {
    let (kernel, moved) = (five(16), five(16).shift([1, 1, 0]).expect("a small offset"));
    bencher.bench(|| black_box(&kernel).add(black_box(&moved)));
}

#[divan::bench]
fn to_canonical_shape(bencher: Bencher) {
    let kernel = five(16);
    bencher.bench(|| Placed::from_kernels(black_box(std::slice::from_ref(&kernel))));
}

#[divan::bench]
fn identity(bencher: Bencher) {
    bencher.bench(|| Kernel::<PlusTimes>::monomial(black_box(ORIGIN), Rational::ONE));
}

//! The cost of one operation on a 5×5 kernel, and of factoring a kernel. Run with `cargo bench --bench algebra`.
//!
//! For comparison, the same composition through an ordered map from offsets to coefficients.

use std::collections::BTreeMap;
use std::hint::black_box;

use brunch::{Bench, Benches};
use kalg::algebra::factor::{Polynomial, factor};
use kalg::algebra::{Bounds, Kernel, MinPlus, ORIGIN, Offset, Placed, PlusTimes, Random, Rational, Semiring};

/// A 5×5 kernel with 25 distinct coefficients over `denominator`.
fn five(denominator: i64) -> Kernel<PlusTimes> {
    let bounds = Bounds::between([-2, -2, 0], [2, 2, 0]).expect("a small box");
    let value = |n| Rational::new(n, denominator).expect("a small fraction");
    Kernel::from_dense(bounds, (1..=25).map(value).collect())
}

fn with_holes() -> Kernel<PlusTimes> {
    let taps: Vec<(Offset, Rational)> =
        five(1).taps().filter(|(offset, _)| (offset[0] + offset[1]) % 2 == 0).collect();
    Kernel::from_taps(&taps).expect("a part of a kernel")
}

fn min_plus() -> Kernel<MinPlus> {
    let parse = |n: i64| MinPlus::parse(&n.to_string()).expect("an integer");
    let bounds = Bounds::between([-2, -2, 0], [2, 2, 0]).expect("a small box");
    Kernel::from_dense(bounds, (1..=25).map(parse).collect())
}

fn compose_maps(kernel: &BTreeMap<Offset, Rational>) -> BTreeMap<Offset, Rational> {
    let mut product: BTreeMap<Offset, Rational> = BTreeMap::new();
    for (p, a) in kernel {
        for (q, b) in kernel {
            let value = product.entry([p[0] + q[0], p[1] + q[1], p[2] + q[2]]).or_insert(Rational::ZERO);
            *value = a.mul(*b).and_then(|term| value.add(term)).expect("small numbers");
        }
    }
    product
}

/// A product of 3×3 kernels with coefficients of -3 to 3.
fn product_of_random(count: u64) -> Polynomial {
    let part = |stream| {
        let mut random = Random::stream(3, stream);
        let taps: Vec<i64> = (0..9).map(|_| random.integer(-3, 3)).collect();
        Polynomial::new([3, 3, 1], &taps).expect("nine coefficients, not all zero")
    };
    (1..count).fold(part(0), |product, stream| product.product(&part(stream)).expect("small coefficients"))
}

fn main() {
    let mut all = Benches::default();
    for denominator in [1, 16, 9] {
        let kernel = five(denominator);
        let name = format!("compose, over {denominator}");
        all.push(Bench::new(name).run(|| black_box(&kernel).compose(black_box(&kernel))));
    }
    let kernel = with_holes();
    all.push(Bench::new("compose, with holes").run(|| black_box(&kernel).compose(black_box(&kernel))));
    let kernel = min_plus();
    all.push(Bench::new("compose, min-plus").run(|| black_box(&kernel).compose(black_box(&kernel))));
    let map: BTreeMap<Offset, Rational> = five(1).taps().collect();
    all.push(Bench::new("compose, by ordered maps").run(|| compose_maps(black_box(&map))));
    let (kernel, moved) = (five(16), five(16).shift([1, 1, 0]).expect("a small offset"));
    all.push(Bench::new("add").run(|| black_box(&kernel).add(black_box(&moved))));
    let of = std::slice::from_ref(&kernel);
    all.push(Bench::new("to canonical shape").run(|| Placed::from_kernels(black_box(of))));
    let identity = || Kernel::<PlusTimes>::monomial(black_box(ORIGIN), Rational::ONE);
    all.push(Bench::new("identity").run(identity));
    for count in [2, 3] {
        let product = product_of_random(count);
        let name = format!("factor a product of {count} kernels of 3x3");
        all.push(Bench::new(name).run(|| factor(black_box(&product), &|_| true)));
    }
    all.finish();
}

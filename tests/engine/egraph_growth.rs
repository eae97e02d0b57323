//! Snapshots of the e-graph's size for a few kernels, so that a rule that makes it grow shows in review.
//! `INSTA_UPDATE=always cargo test --test engine egraph_growth` rewrites the table.

use std::fmt::Write as _;

use kalg::algebra::{Placed, Rational};
use kalg::budget::Budget;
use kalg::rule::{Rule, RuleSet};
use kalg::saturate::{EXTRACTION, Limits, saturate};

#[test]
fn sizes() {
    let kernels: [(&str, usize, &[i64]); 6] = [
        ("binomial 3", 3, &[1, 2, 1]),
        ("box 2 × 2", 2, &[1, 1, 1, 1]),
        ("row of five ones", 5, &[1, 1, 1, 1, 1]),
        ("laplacian 4", 3, &[0, 1, 0, 1, -4, 1, 0, 1, 0]),
        ("prewitt x", 3, &[-1, 0, 1, -1, 0, 1, -1, 0, 1]),
        ("sobel x", 3, &[-1, 0, 1, -2, 0, 2, -1, 0, 1]),
    ];
    let mut table = String::from("kernel            nodes classes iterations additions\n");
    for (name, width, taps) in kernels {
        let size = [width, taps.len() / width, 1];
        let kernel = Placed::from_dense(1, [0; 3], size, taps, Rational::ONE).unwrap();
        let limits = Limits { nodes: 12_000, ..Limits::default() };
        let found =
            saturate(&[("out".to_owned(), kernel)], &RuleSet::builtin().filtered(Rule::is_finite), &limits)
                .unwrap();
        let s = found.statistics();
        let (iterations, additions) = (s.iterations, found.extract(&Budget::of_work(EXTRACTION)).additions());
        let _ = writeln!(
            table,
            "{name:<16} {:>6} {:>7} {iterations:>10} {additions:>9}  {}",
            s.nodes, s.classes, s.stop_reason
        );
    }
    insta::assert_snapshot!(table);
}

//! The cost of programs for kernels with known good programs. All of it is deterministic: budgets are counted in search nodes,
//! and each is about the smallest that suffices.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use crate::compiled::{compiled, file, request};
use kalg::backend::array::machine::Division;
use kalg::report::OptimizeRecord;

/// The cycles of a kernel in bus operations, with quick halvings.
fn cycles(path: &str, nodes: u64) -> u32 {
    let mut request = request(file(path), "bus", nodes);
    request.division = Some(Division::Quick);
    figure(&compiled(&request)).1
}

/// The instructions of a kernel in macros, with their default halvings.
fn instructions(path: &str, nodes: u64) -> u32 {
    let record = compiled(&request(file(path), "macro", nodes));
    assert_eq!(record.division, "compensated");
    figure(&record).0
}

fn figure(record: &OptimizeRecord) -> (u32, u32) {
    (record.instructions.unwrap(), record.cycles.unwrap())
}

/// `name: file, bus cycles with a number of nodes, macro instructions with a number of nodes`.
macro_rules! figures {
    ($($name:ident: $file:literal, $cycles:literal in $bus:literal, $instructions:literal in $macro:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let (cycles, instructions) = (cycles($file, $bus), instructions($file, $macro));
                assert!(cycles <= $cycles, "{cycles} cycles, not {}", $cycles);
                assert!(instructions <= $instructions, "{instructions} instructions, not {}", $instructions);
            }
        )*
    };
}

// For comparison, Cain 3.1 in 60 s takes 6, 4, 5, 7, 8, 10, 8 and 21 instructions for the kernels other than
// [1 2 1]/4, in this order; with two cycles each, and five for a division.
figures! {
    box_3: "classic/box-3.sexp", 4 in 200, 6 in 200;
    prewitt_x: "classic/prewitt-x.sexp", 4 in 200, 4 in 200;
    sobel_x: "classic/sobel-x.sexp", 5 in 200, 5 in 200;
    laplacian_4: "classic/laplacian-4.sexp", 5 in 200, 5 in 1000;
    sharpen: "classic/sharpen.sexp", 5 in 200, 5 in 1000;
    row_121: "classic/row-121.sexp", 3 in 200, 4 in 200;
    gauss_3: "classic/gauss-3.sexp", 6 in 200, 8 in 200;
    box_5: "classic/box-5.sexp", 8 in 200, 8 in 200;
    analognet2: "cnn/analognet2.sexp", 25 in 150, 18 in 150;
}

#[test]
fn pixels_far_apart_bound_the_cycles_from_below() {
    // Two bus instructions widen the extent of registers by two pixels; from corner to corner it is eight.
    for (name, optimal) in [("motion-blur", None), ("box-5", Some(true))] {
        let mut request = request(file(format!("classic/{name}.sexp")), "bus", 1_000);
        request.division = Some(Division::Quick);
        let record = compiled(&request);
        assert_eq!(record.lower_bound, Some(8), "{name}");
        assert!(optimal.is_none() || record.optimal == optimal, "{name}");
    }
}

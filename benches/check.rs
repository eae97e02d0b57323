//! The cost of checking and running a program. Run with `cargo bench --bench check`.

use std::hint::black_box;
use std::sync::Arc;

use brunch::{Bench, Benches};
use kalg::backend::array::compile::{CheckRequest, check_program};
use kalg::backend::array::machine::{Reading, RegisterId, Target, Transfer, builtin_names};
use kalg::backend::array::simulate::{Options, PixelArray};
use kalg::picture::{Image, Pattern};
use kalg::syntax::Source;

fn target() -> Target {
    Target::builtin(builtin_names()[0]).expect("a built-in target")
}

/// A program of `count` instructions: ten that blur, sharpen and restore the image, repeated.
fn program(count: usize) -> String {
    const ROUND: [&str; 10] = [
        "mov(A, F);",
        "movx(B, A, east);",
        "movx(C, A, west);",
        "add(B, A, B, C);",
        "mov2x(C, B, north, north);",
        "add2x(D, B, C, south, east);",
        "divq(E, D);",
        "sub(D, A, E);",
        "addx(B, D, E, north);",
        "bus(NEWS, B, D);",
    ];
    let prologue = std::iter::once("mov(F, A);");
    prologue.chain(ROUND.into_iter().cycle()).take(count).collect::<Vec<_>>().join("\n")
}

/// Reads, evaluates, judges and reviews a program against a filter that it does not compute, so that the whole
/// answer is computed. The goal is less than 50 ms for 1,000 instructions.
fn check(instructions: usize) -> Bench {
    let filter = "(filter f (inputs image) (output out (kernel (1 2 1) (2 4 2) (1 2 1))))";
    let source = Source::new("program", program(instructions));
    let request = CheckRequest {
        against: Some(Source::new("filter.sexp", filter)),
        ..CheckRequest::new(source, Arc::new(target()), Reading::default())
    };
    let name = format!("check {instructions} instructions");
    Bench::new(name).run(|| check_program(black_box(&request)).expect("the program reads"))
}

/// 50 instructions on the whole array without noise. The goal is less than 10 ms.
fn run() -> Bench {
    let target = target();
    let source = Source::new("program", program(50));
    let program = target.parse(&source).expect("the program reads").program;
    let transfers: Vec<Transfer> = program.transfers(&target).expect("the program has a meaning");
    let image = Image::synthetic(Pattern::Scene, target.image, [-128, 127], 1);
    Bench::new("run 50 instructions").run(|| {
        let mut array = PixelArray::new(target.registers.len(), target.image, 0.0, Options::default());
        array.set(RegisterId(0), &image).expect("the image has the array's size");
        array.execute(black_box(&transfers));
        array.image(RegisterId(0))
    })
}

fn main() {
    let mut all = Benches::default();
    all.extend([check(100), check(1000), run()]);
    all.finish();
}

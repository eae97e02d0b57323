//! Checks hand-written programs against a filter: `cargo run --example check`.

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use kalg::{Compiler, Filter, Source, Target, Verdict};

/// Adds the four neighbours of each pixel.
const RIGHT: &str = "bus(NEWS, A); bus(B, XN, XS, XE, XW);";
/// Omits the western neighbour.
const WRONG: &str = "bus(NEWS, A); bus(B, XN, XS, XE);";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let neighbours = Filter::from_rows("neighbours", [[0, 1, 0], [1, 0, 1], [0, 1, 0]])?;
    let compiler = Compiler::new(&Target::builtin("scamp5")?).option("input", "A");

    let right = compiler.check(&Source::new("right.cpp", RIGHT), &neighbours)?;
    assert_eq!(right.verdict(), Verdict::Equal);

    let wrong = compiler.check(&Source::new("wrong.cpp", WRONG), &neighbours)?;
    assert_eq!(wrong.verdict(), Verdict::Different);
    print!("{}", wrong.report());
    Ok(())
}

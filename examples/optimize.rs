//! Compiles a filter for a pixel-processor array: `cargo run --example optimize`.

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use kalg::{Compiler, Filter, Target};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sharpen = Filter::from_rows("sharpen", [[0, -1, 0], [-1, 5, -1], [0, -1, 0]])?;
    let target = Target::builtin("scamp5")?;

    // A bound in search nodes gives the same program on every machine.
    let compiled = Compiler::new(&target).nodes(100).compile(&sharpen)?;
    println!("{}", compiled.report());

    // Options have the names that `kalg optimize --help` gives.
    let two = Compiler::new(&target).nodes(100).option("registers", "A,B").compile(&sharpen)?;
    println!("{} cycles with six registers, {} with two:", compiled.cost(), two.cost());
    print!("{}", two.code());
    Ok(())
}

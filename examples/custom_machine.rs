//! Compiles for a machine described by a text: `cargo run --example custom_machine`.

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use kalg::{Compiler, Filter, Source, Target};

/// A processor with multiplications as cheap as additions, and expensive memory reads.
const DESCRIPTOR: &str = "
(stream-machine multiplier
  (doc \"A processor with a multiplier and slow memory\")
  (addition 1)
  (multiplication 1)
  (shift 1)
  (load 4)
  (kibibyte 1/100)
  (width 640)
  (input streamed))
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let multiplier = Target::read(&Source::new("multiplier.sexp", DESCRIPTOR))?;
    let gauss = Filter::from_rows("gauss", [[1, 2, 1], [2, 4, 2], [1, 2, 1]])?;
    for target in [Target::builtin("ops")?, multiplier] {
        println!("{}", Compiler::new(&target).compile(&gauss)?.report());
    }
    Ok(())
}

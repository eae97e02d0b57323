//! The `kalg` command; all of it is in [`kalg::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    kalg::cli::main()
}

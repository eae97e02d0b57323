//! The `kalg` command. All of it is in [`kalg::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    kalg::cli::main()
}

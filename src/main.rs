//! The `kalg` command; all of it is in [`kalg::cli`].

fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}

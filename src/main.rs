//! The `hotplate` command.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    hotplate::cli::main()
}

//! `hotplate git`: hotplate as a diff driver of git.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::{Console, ExitStatus};
use crate::report::escape::for_terminal;
use source_diagnostics::MaskedSources;
use source_files::git::setup::{self, DriverSetup, SetupError, SetupScope, SetupStep};

/// Configure git to show templates by their meaning
#[derive(Debug, Args)]
pub(super) struct Git {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Setup(SetupCommand),
}

/// Configure git to show templates by their meaning, or remove that configuration
///
/// Lines in `.gitattributes` select the files, and settings of git select the command to run for them.
/// With `textconv`, every patch that git shows (`git diff`, `git log -p`, `git show`) compares the meaning of
/// templates. With `diff`, `git diff` shows the effect on the running stack, and the other commands
/// show such patches. `git diff --no-ext-diff --no-textconv` always shows the text.
#[derive(Debug, Args)]
struct SetupCommand {
    /// Configure this repository
    #[arg(long, conflicts_with = "global")]
    local: bool,
    /// Configure every repository of the user
    #[arg(long)]
    global: bool,
    /// What `git diff` shows
    #[arg(long, value_enum, default_value_t, value_name = "DRIVER")]
    driver: Driver,
    /// A pattern of files, as in `.gitattributes`; the defaults are `*.yaml`, `*.yml`,
    /// `*.template`, `*.hot` and `*.heat`
    #[arg(long = "pattern", value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Remove the configuration
    #[arg(long, conflicts_with_all = ["driver", "patterns"])]
    undo: bool,
    /// Only print what would be done
    #[arg(long)]
    dry_run: bool,
}

/// What `git diff` shows of a template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Driver {
    /// A patch of its meaning
    #[default]
    Textconv,
    /// The effect on the running stack
    Diff,
}

impl Git {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let Command::Setup(install) = self.command;
        install.run(console)
    }
}

impl SetupCommand {
    fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        match self.steps() {
            Ok(steps) => {
                console.print(&self.summary(&steps))?;
                Ok(ExitStatus::Done)
            }
            Err(error) => {
                console.diagnostics(&[error.diagnostic()], &MaskedSources::default());
                Ok(ExitStatus::Failed)
            }
        }
    }

    fn steps(&self) -> Result<Vec<SetupStep>, SetupError> {
        let scope = if self.global { SetupScope::Global } else { SetupScope::Local };
        let here = Path::new("");
        if self.undo {
            return setup::undo(scope, here, self.dry_run);
        }
        let executable = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("hotplate"));
        let patterns = match self.patterns.as_slice() {
            [] => setup::default_patterns(),
            patterns => patterns.to_vec(),
        };
        let driver = match self.driver {
            Driver::Textconv => setup::DiffDriver::Textconv,
            Driver::Diff => setup::DiffDriver::Diff,
        };
        let program = setup::program(&executable);
        DriverSetup { scope, driver, patterns, program }.apply(here, self.dry_run)
    }

    fn summary(&self, steps: &[SetupStep]) -> String {
        if steps.is_empty() {
            let nothing = if self.undo { "nothing to remove" } else { "already configured" };
            return format!("{nothing}\n");
        }
        let would = if self.dry_run { "would: " } else { "" };
        let line = |step: &SetupStep| format!("{would}{}\n", for_terminal(&step.to_string()));
        steps.iter().map(line).collect()
    }
}

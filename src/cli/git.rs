//! `hotplate git`: hotplate as git's driver for templates.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::{Console, ExitStatus, help};
use crate::report::escape::for_terminal;
use source_diagnostics::SourceMap;
use source_files::git::setup::{self, DriverSetup, SetupError, SetupScope, SetupStep};

/// Let git show templates by their meaning
#[derive(Debug, Args)]
#[command(after_help = help::GIT)]
pub(super) struct Git {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Setup(SetupCommand),
}

/// Set git up so that it shows templates by their meaning, or take that out again
///
/// Lines in `.gitattributes` say which files are meant, and settings of git what is run for them.
/// With `textconv`, every patch that git shows (`git diff`, `git log -p`, `git show`) is one of what
/// templates mean. With `diff`, `git diff` tells what happens to the running stack, and the others
/// show such patches. `git diff --no-ext-diff --no-textconv` shows the text in any case.
#[derive(Debug, Args)]
#[command(after_help = help::GIT_SETUP)]
struct SetupCommand {
    /// For this repository
    #[arg(long, conflicts_with = "global")]
    local: bool,
    /// For every repository of the user
    #[arg(long)]
    global: bool,
    /// What `git diff` is to show
    #[arg(long, value_enum, default_value_t, value_name = "DRIVER")]
    driver: Driver,
    /// A pattern of files, as in `.gitattributes`; without one `*.yaml`, `*.yml`,
    /// `*.template`, `*.hot` and `*.heat`
    #[arg(long = "pattern", value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Take everything out again
    #[arg(long, conflicts_with_all = ["driver", "patterns"])]
    undo: bool,
    /// Only tell what would be done
    #[arg(long)]
    dry_run: bool,
}

/// What `git diff` shows of a template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Driver {
    /// A patch of what it means
    #[default]
    Textconv,
    /// What happens to the running stack
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
                console.diagnostics(&[error.diagnostic()], &SourceMap::default());
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
            let nothing = if self.undo { "nothing is set up" } else { "everything is set up" };
            return format!("{nothing}\n");
        }
        let would = if self.dry_run { "would: " } else { "" };
        let line = |step: &SetupStep| format!("{would}{}\n", for_terminal(&step.to_string()));
        steps.iter().map(line).collect()
    }
}

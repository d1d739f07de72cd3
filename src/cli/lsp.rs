//! `hotplate lsp`: a language server on standard input and output.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use clap::Args;

use super::{Console, ExitStatus, heat_release};
use crate::language_server::{self, Project, ProjectError, Server, Settings, StdioTransport};
use hotplate_project::Configuration;

/// Run a language server for editors, on standard input and output
#[derive(Debug, Args)]
pub(super) struct Lsp {
    /// Write what the server does, and how long it takes, to a file; no text of a template is in it
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Accepted for editors that pass it: the server always uses standard input and output
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    pub(super) fn run(
        self,
        configuration: &Configuration,
        console: &mut Console,
    ) -> anyhow::Result<ExitStatus> {
        if std::io::stdin().is_terminal() {
            console.note("waiting for an editor, which starts this command itself: docs/editors.md has the settings\n");
        }
        let log = self.log.as_ref().map(|path| {
            let file = File::create(path).map(Mutex::new);
            file.with_context(|| format!("cannot write `{}`", path.display()))
        });
        let log = log.transpose()?;
        let write_log = Arc::new(move |line: &str| {
            if let Some(log) = &log {
                let mut file = log.lock().unwrap_or_else(PoisonError::into_inner);
                // A full disk is no reason to stop.
                let _ = writeln!(file, "{line}");
            }
        });
        // The message of a panic may contain text of a template.
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(std::io::stderr(), "hotplate: bug at {place}");
        }));
        let (connection, transport) = StdioTransport::start(write_log.clone())?;
        // `hotplate --no-discovery lsp` looks for no deployments, as the other commands then do.
        let is_closed = configuration.is_closed;
        let open =
            move |folder: &Path, settings: &Settings| open_in_scope(folder, settings, is_closed);
        let ended = Server::new(connection, Box::new(open), write_log).run();
        transport.finish();
        let is_shut_down = ended?;
        Ok(if is_shut_down { ExitStatus::Done } else { ExitStatus::Attention })
    }
}

/// The project in a folder, with the options that its `hotplate.toml` gives to the commands.
/// It fails if the configuration or a setting is wrong.
pub fn open_project(folder: &Path, settings: &Settings) -> Result<Box<dyn Project>, ProjectError> {
    open_in_scope(folder, settings, false)
}

fn open_in_scope(
    folder: &Path,
    settings: &Settings,
    is_closed: bool,
) -> Result<Box<dyn Project>, ProjectError> {
    let mut project = language_server::open_project(folder, settings, heat_release())?;
    if is_closed {
        project.configuration = project.configuration.closed();
    }
    Ok(Box::new(project))
}

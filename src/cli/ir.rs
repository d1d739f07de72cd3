//! `hotplate ir`: a template's intermediate representation.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::inputs::{ReadLimits, read_document};
use super::{Console, ExitStatus, heat_release};
use crate::report::SourceLocator;
use crate::report::ir::{json, to_text};
use heat_engine::environment::HiddenByNested;
use heat_template::dialect::{lower, read_candidate, reading_findings, unread_secrets};
use source_diagnostics::{Diagnostic, MaskedSources, ShowSecrets, SourceId};
use source_files::{FileSource, display_name};

/// Print the meaning of a template, as JSON or as text
#[derive(Debug, Args)]
pub(super) struct Ir {
    /// The template, or `-` for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print the meaning as text, one fact per line; a file that is not a template is printed as it is, and an
    /// unreadable template without the defaults of its parameters
    #[arg(long)]
    text: bool,
    /// Also show the defaults of hidden parameters in the text, and those of an unreadable template
    #[arg(long, requires = "text")]
    show_secrets: bool,
    #[command(flatten)]
    bounds: ReadLimits,
}

impl Ir {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let file = &self.file;
        if self.text {
            return as_text(
                file,
                ShowSecrets::if_requested(self.show_secrets),
                self.bounds,
                console,
            );
        }
        let mut sources = MaskedSources::default();
        let document = match read_document(file, self.bounds, &mut sources) {
            Ok(document) => document,
            Err(finding) => {
                console.diagnostics(&[*finding], &sources);
                return Ok(ExitStatus::Failed);
            }
        };
        let lowered = match lower(&document) {
            Ok(lowered) => lowered,
            Err(finding) => {
                console.diagnostics(&[*finding], &sources);
                return Ok(ExitStatus::Failed);
            }
        };
        console.diagnostics(&reading_findings(&document), &sources);
        console.diagnostics(&lowered.findings, &sources);
        let hidden: Vec<_> = lowered.hidden_defaults().collect();
        console.diagnostics(&hidden, &sources);
        let max_nodes = document.limits().nodes;
        let json = json::to_json(&lowered.stack, &mut SourceLocator::new(&sources), max_nodes);
        console.document(json.context("JSON cannot be written")?.as_bytes())?;
        let refused = lowered.findings.iter().any(Diagnostic::is_error);
        Ok(if refused { ExitStatus::Attention } else { ExitStatus::Done })
    }
}

/// git requests the text of every file with the name of a template, and aborts if it gets none:
/// only an unreadable file is an error here.
fn as_text(
    file: &Path,
    show_secrets: Option<ShowSecrets>,
    bounds: ReadLimits,
    console: &mut Console,
) -> anyhow::Result<ExitStatus> {
    let bytes = match bounds.files().read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            console.diagnostics(&[error.diagnostic()], &MaskedSources::default());
            return Ok(ExitStatus::Failed);
        }
    };
    let (text, document) = read_candidate(SourceId(0), bytes.clone(), false, &bounds.limits());
    match document.and_then(|document| lower(&document)) {
        Ok(mut lowered) => {
            let (files, source) = (bounds.files(), (SourceId(0), &text));
            HiddenByNested::of_text(heat_release(), &files, file, source, &bounds.limits())
                .hide(&mut lowered.stack);
            console.document(to_text(&lowered.stack, show_secrets).as_bytes())?;
        }
        Err(finding)
            if finding.code == heat_template::codes::NOT_A_TEMPLATE || show_secrets.is_some() =>
        {
            console.document(&bytes)?;
        }
        Err(_) => {
            let mut sources = MaskedSources::default();
            let source = sources.read(|sources| {
                let source = sources.add(display_name(file), text);
                (source, unread_secrets(source, sources.text(source)))
            });
            console.document(sources.text(source).as_bytes())?;
        }
    }
    Ok(ExitStatus::Done)
}

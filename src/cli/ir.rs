//! `hotplate ir`: a template's intermediate representation.

use std::path::{Path, PathBuf};

use clap::Args;

use super::inputs::{Bounds, template};
use super::{Console, ExitStatus, help};
use crate::diagnostics::{Diagnostic, SourceId, SourceMap};
use crate::files::FileSource;
use crate::hot::{Recognised, lower, recognise, secrets};
use crate::ir::json;
use crate::report::ir::to_text;
use crate::source::{decode, read};

/// Print what a template means, as JSON or as text
#[derive(Debug, Args)]
#[command(after_help = help::IR)]
pub(super) struct Ir {
    /// The template, or `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    file: Option<PathBuf>,
    /// Print the JSON Schema of the representation instead
    #[arg(long, conflicts_with = "file")]
    schema: bool,
    /// Print what the template means, one fact a line; what is no template is printed as it is
    #[arg(long, conflicts_with = "schema")]
    text: bool,
    /// Show the defaults of hidden parameters in the text, too
    #[arg(long, requires = "text")]
    show_secrets: bool,
    #[command(flatten)]
    bounds: Bounds,
}

impl Ir {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let Some(file) = self.file else {
            console.print(&crate::report::json::to_text(&json::schema())?)?;
            return Ok(ExitStatus::Done);
        };
        if self.text {
            return as_text(&file, self.show_secrets, self.bounds, console);
        }
        let mut sources = SourceMap::default();
        let template = match template(&file, self.bounds, &mut sources, console) {
            Ok(template) => template,
            Err(status) => return Ok(status),
        };
        let lowered = lower(&template.document, template.version, template.version_node);
        sources.mask(&secrets(&template.document));
        console.diagnostics(template.document.findings(), &sources);
        console.diagnostics(&lowered.findings, &sources);
        let hidden: Vec<_> = lowered.hidden_defaults().collect();
        console.diagnostics(&hidden, &sources);
        console.document(json::to_json(&lowered.stack).as_bytes())?;
        let refused = lowered.findings.iter().any(Diagnostic::is_error);
        Ok(if refused { ExitStatus::Attention } else { ExitStatus::Done })
    }
}

/// git asks for the text of every file that is named like a template, and gives up where it gets none:
/// nothing but a file that cannot be read is an error here.
fn as_text(
    file: &Path,
    show_secrets: bool,
    bounds: Bounds,
    console: &mut Console,
) -> anyhow::Result<ExitStatus> {
    let bytes = match bounds.files().read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            console.diagnostics(&[error.diagnostic()], &SourceMap::default());
            return Ok(ExitStatus::Failed);
        }
    };
    let text = decode(SourceId(0), bytes.clone()).ok();
    let document = text.and_then(|text| read(SourceId(0), text.into(), &bounds.limits()).ok());
    let stack = document.and_then(|document| match recognise(&document) {
        Recognised::Hot { version, node, .. } => Some(lower(&document, version, node).stack),
        Recognised::Cfn { .. } | Recognised::Other(_) | Recognised::Refused(_) => None,
    });
    match stack {
        Some(stack) => console.document(to_text(&stack, show_secrets).as_bytes())?,
        None => console.document(&bytes)?,
    }
    Ok(ExitStatus::Done)
}

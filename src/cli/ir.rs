//! `hotplate ir`: a template's intermediate representation.

use std::path::PathBuf;

use clap::Args;

use super::inputs::{Bounds, template};
use super::{Console, ExitStatus, help};
use crate::diagnostics::{Diagnostic, SourceMap};
use crate::hot::{lower, secrets};
use crate::ir::json;

/// Print the intermediate representation of a template as JSON
#[derive(Debug, Args)]
#[command(after_help = help::IR)]
pub(super) struct Ir {
    /// The template, or `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    file: Option<PathBuf>,
    /// Print the JSON Schema of the representation instead
    #[arg(long, conflicts_with = "file")]
    schema: bool,
    #[command(flatten)]
    bounds: Bounds,
}

impl Ir {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        let Some(file) = self.file else {
            console.print(&crate::report::json::to_text(&json::schema())?)?;
            return Ok(ExitStatus::Done);
        };
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

//! `hotplate versions`: which versions accept a template.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use rayon::prelude::*;

use super::inputs::{Bounds, or_here};
use super::{Console, ExitStatus, Format, help};
use crate::diagnostics::{Diagnostic, SourceId, SourceMap};
use crate::files::{FileError, FileSource, display_name, find};
use crate::hot::survey::{Survey, survey};
use crate::report::{Places, dialect, json, versions as report};
use crate::source::{decode, read};

/// Show which versions accept templates, and what demands them
#[derive(Debug, Args)]
#[command(after_help = help::VERSIONS)]
pub(super) struct Versions {
    /// Templates, folders to search for templates, or `-` for standard input
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// List the versions of HOT instead; as JSON, with their functions
    #[arg(long, conflicts_with = "paths")]
    list: bool,
    /// Print a page of Markdown instead: what each version knows
    #[arg(long, conflicts_with_all = ["paths", "list", "format"])]
    markdown: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: Bounds,
}

impl Versions {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        if self.list || self.markdown {
            console.print(&self.dialect()?)?;
            return Ok(ExitStatus::Done);
        }
        let files = self.bounds.files();
        let limits = self.bounds.limits();
        let found = find(&files, &or_here(self.paths));
        let read_one = |at: usize, path: &PathBuf| -> (Arc<str>, Result<Survey, Diagnostic>) {
            let source = SourceId(at as u32);
            let mut text: Arc<str> = "".into();
            let bytes = match files.read_content(path) {
                Ok(bytes) => bytes,
                Err(error) => return (text, Err(error.diagnostic())),
            };
            let surveyed = decode(source, bytes)
                .map(|decoded| text = decoded.into())
                .and_then(|()| read(source, Arc::clone(&text), &limits))
                .map(|document| survey(&document));
            (text, surveyed.map_err(|finding| *finding))
        };
        let results: Vec<_> = found
            .inputs
            .par_iter()
            .enumerate()
            .map(|(at, input)| read_one(at, &input.path))
            .collect();

        let mut sources = SourceMap::default();
        for (input, (text, _)) in found.inputs.iter().zip(&results) {
            sources.add(display_name(&input.path), Arc::clone(text));
        }
        let mut failures: Vec<Diagnostic> = found.errors.iter().map(FileError::diagnostic).collect();
        let mut templates = Vec::new();
        for (input, (_, result)) in found.inputs.into_iter().zip(results) {
            let path = display_name(&input.path).into_owned();
            match result {
                Ok(Survey::Template(template)) => templates.push((path, template)),
                Ok(Survey::Cfn(finding)) => {
                    if input.folder.is_none() {
                        console.diagnostics(&[*finding], &sources);
                    }
                }
                Ok(Survey::Other(finding)) => {
                    if input.folder.is_none() {
                        failures.push(*finding);
                    }
                }
                Ok(Survey::Refused(finding)) => failures.push(*finding),
                Err(finding) => failures.push(finding),
            }
        }
        if templates.is_empty() && failures.is_empty() {
            failures.extend(
                found
                    .folders
                    .into_iter()
                    .map(|path| FileError::NoTemplates { path }.diagnostic()),
            );
        }
        let mut places = Places::new(&sources);
        let text = match self.format {
            Format::Text => report::text(&templates, &mut places),
            Format::Json => json::to_text(&report::json(&templates, &mut places))
                .context("JSON cannot be written")?,
        };
        console.print(&text)?;
        console.diagnostics(&failures, &sources);
        Ok(if failures.is_empty() { ExitStatus::Done } else { ExitStatus::Failed })
    }

    /// What is told without any template.
    fn dialect(&self) -> anyhow::Result<String> {
        match self.format {
            _ if self.markdown => Ok(dialect::markdown()),
            Format::Text => Ok(dialect::list()),
            Format::Json => json::to_text(&dialect::json()).context("JSON cannot be written"),
        }
    }
}

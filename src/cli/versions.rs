//! `hotplate versions`: which versions accept a template.

use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use rayon::prelude::*;

use super::inputs::{ReadLimits, Selection};
use super::{Console, ExitStatus, Format, Verbosity, heat_release};
use crate::report::versions::{self as report, PathVersions};
use crate::report::{SourceLocator, json, upgrade, version_list};
use heat_engine::environment::HiddenByNested;
use heat_template::dialect::{read_candidate, unread_secrets};
use heat_template::hot::compatibility::{CompatibilityReport, check_all_compatibility};
use heat_template::ir::Stack;
use hotplate_check::compatibility;
use lossless_yaml::{Document, Limits, read_views};
use source_diagnostics::{Diagnostic, MaskedSources, SourceId};
use source_files::{FileError, FileSource, InputFile, display_name, is_named_jinja};

/// Show which versions accept templates, and which features require them
#[derive(Debug, Args)]
pub(super) struct Versions {
    #[command(flatten)]
    selection: Selection,
    /// Instead, list the versions of HOT and their OpenStack releases; as JSON, with their functions
    #[arg(long, conflicts_with = "paths")]
    list: bool,
    /// Instead, print a Markdown page; it lists the features of each version
    #[arg(long, conflicts_with_all = ["paths", "list", "format"])]
    markdown: bool,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    bounds: ReadLimits,
}

impl Versions {
    pub(super) fn run(self, console: &mut Console) -> anyhow::Result<ExitStatus> {
        if self.list || self.markdown {
            console.print(&self.dialect()?)?;
            return Ok(ExitStatus::Done);
        }
        let files = self.bounds.files();
        let limits = self.bounds.limits();
        let found = self.selection.find(&files);
        let read_one = |at: usize,
                        input: &InputFile|
         -> (Arc<str>, Result<CompatibilityResult, Diagnostic>) {
            let bytes = match input.read(&files) {
                Ok(bytes) => bytes,
                Err(error) => return ("".into(), Err(error.diagnostic())),
            };
            let source = SourceId(at as u32);
            let (text, document) = read_candidate(source, bytes, input.is_explicit, &limits);
            let document = match document {
                Err(finding) if finding.code == heat_template::codes::NOT_A_TEMPLATE => {
                    return (text, Ok((CompatibilityReport::Other(finding), None)));
                }
                document => document,
            };
            let surveyed = report_compatibility(source, &text, document, input, &files, &limits)
                .map_err(|finding| *finding);
            (text, surveyed)
        };
        let results: Vec<_> =
            found.inputs.par_iter().enumerate().map(|(at, input)| read_one(at, input)).collect();

        let mut sources = MaskedSources::default();
        for (input, (text, result)) in found.inputs.iter().zip(&results) {
            sources.read(|sources| {
                let source = sources.add(display_name(&input.path), Arc::clone(text));
                // Source lines are shown only for unreadable files.
                let mut secrets = Vec::new();
                if result.is_err() {
                    let (schema, path) = (heat_release(), &input.path);
                    let hidden =
                        HiddenByNested::of_text(schema, &files, path, (source, text), &limits);
                    secrets = unread_secrets(source, text);
                    secrets.extend(hidden.spans);
                }
                ((), secrets)
            });
        }
        let mut searched = vec![false; found.folders.len()];
        let mut answers: Vec<PathVersions> = Vec::new();
        let (mut cfn, mut others) = (0, 0);
        for (input, (_, result)) in found.inputs.into_iter().zip(results) {
            let (survey, jinja) = match result {
                Ok((report, jinja)) => (Ok(report), jinja),
                Err(finding) => (Err(finding), None),
            };
            let outcome = match survey {
                // A folder contains other files too; a file that the user names must be a template.
                Ok(CompatibilityReport::Other(_)) if !input.is_explicit => {
                    others += 1;
                    continue;
                }
                Ok(CompatibilityReport::Template(template)) => Ok(template),
                Ok(
                    CompatibilityReport::Cfn(finding)
                    | CompatibilityReport::Other(finding)
                    | CompatibilityReport::Refused(finding),
                ) => Err(*finding),
                Err(finding) => Err(finding),
            };
            for folder in input.folders {
                searched[folder] = true;
            }
            let by_chance = matches!(&outcome, Err(finding) if finding.code == heat_template::codes::CFN_TEMPLATE);
            if !input.is_explicit && by_chance {
                cfn += 1;
            } else {
                let path = display_name(&input.path).into_owned();
                answers.push(PathVersions { path, outcome, jinja_note: jinja });
            }
        }
        let empty = found.folders.into_iter().zip(searched).filter(|(_, searched)| !searched);
        let empty = empty.map(|(path, _)| FileError::NoTemplates { path });
        answers.extend(found.errors.into_iter().chain(empty).map(|error| PathVersions {
            path: display_name(error.path()).into_owned(),
            outcome: Err(error.diagnostic()),
            jinja_note: None,
        }));
        let mut places = SourceLocator::new(&sources);
        let text = match self.format {
            Format::Text => {
                report::text(&answers, console.verbosity() == Verbosity::Verbose, &mut places)
            }
            Format::Json => json::to_text(&report::json(&answers, &mut places))
                .context("JSON cannot be written")?,
        };
        console.print(&text)?;
        if self.format == Format::Text {
            console.note(&upgrade::skipped_files(others, cfn));
        }
        let valid =
            |answer: &PathVersions| !matches!(&answer.outcome, Ok(it) if !it.errors.is_empty());
        let done = if answers.iter().all(valid) { ExitStatus::Done } else { ExitStatus::Attention };
        let failures = answers.into_iter().filter_map(|answer| answer.outcome.err());
        let failures: Vec<Diagnostic> = failures.collect();
        console.diagnostics(&failures, &sources);
        let status = |finding: &Diagnostic| {
            if finding.is_error() { ExitStatus::Failed } else { ExitStatus::Attention }
        };
        Ok(failures.iter().map(status).fold(done, ExitStatus::max))
    }

    /// The output that needs no template.
    fn dialect(&self) -> anyhow::Result<String> {
        match self.format {
            _ if self.markdown => Ok(version_list::markdown()),
            Format::Text => Ok(version_list::list()),
            Format::Json => json::to_text(&report::VersionsJson::List(version_list::json()))
                .context("JSON cannot be written"),
        }
    }
}

/// The result for a template, with a note about parts that were not examined.
type CompatibilityResult = (CompatibilityReport, Option<Diagnostic>);

/// Determines the versions of a text; of a Jinja2 template, only the parts outside of tags are examined.
fn report_compatibility(
    source: SourceId,
    text: &str,
    document: Result<Document, Box<Diagnostic>>,
    input: &InputFile,
    files: &dyn FileSource,
    limits: &Limits,
) -> Result<CompatibilityResult, Box<Diagnostic>> {
    let named_jinja = is_named_jinja(&input.path);
    if named_jinja || document.is_err() {
        match read_views(source, text, limits) {
            Ok(Some(read)) => {
                let documents = read.views.iter().map(|viewed| &viewed.document);
                if let Some(survey) = check_all_compatibility(documents, heat_release()) {
                    return Ok((survey, Some(read.note)));
                }
            }
            Err(finding) if named_jinja && finding.code == lossless_yaml::codes::JINJA_SKIPPED => {
                return Err(finding);
            }
            Ok(None) | Err(_) => {}
        }
    }
    let hide = |stack: &mut Stack| {
        let text = (source, &Arc::from(text));
        HiddenByNested::of_text(heat_release(), files, &input.path, text, limits).hide(stack);
    };
    document.map(|document| (compatibility(&document, heat_release(), &hide), None))
}

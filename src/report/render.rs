//! The result of rendering to a target: the files, and what the target cannot express. The JSON is that of
//! `docs/schemas/render.json`.

use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::Serialize;

use super::escape::for_terminal;
use super::json::Finding;
use super::{SourceLocator, SourceRange};
use hotplate_emit::coverage::{Coverage, CoverageCount};
use hotplate_emit::{EmitOutput, LossKind};
use source_diagnostics::{Code, Diagnostic, MaskedSources, Severity, Span};

/// The report of a rendering.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RenderReport {
    /// The name of the target.
    pub target: String,
    /// The written files, the main file first; empty if nothing could be written.
    pub files: Vec<RenderedFile>,
    /// Parts that the target cannot express, in the order of the places.
    pub losses: Vec<LossEntry>,
    /// The share of the template that the target expresses; `null` if nothing could be written, and for text targets.
    pub coverage: Option<Coverage>,
    /// The findings other than losses.
    pub findings: Vec<Finding>,
}

/// A file that a target writes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RenderedFile {
    /// The path relative to the folder; `null` for the only file of a target that writes one file.
    pub path: Option<String>,
    /// The text; `null` if it was written to disk.
    pub text: Option<String>,
}

/// Something that a target cannot express.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LossEntry {
    /// The kind of loss.
    pub kind: LossKind,
    /// The stable code, `HP0902`.
    #[schemars(with = "String")]
    pub code: Code,
    /// The severity; an error makes the exit status 1.
    pub severity: Severity,
    /// The name of what is lost.
    pub subject: String,
    /// The resource, parameter, condition or output that it belongs to.
    pub owner: Option<String>,
    /// The loss, and its reason.
    pub message: String,
    /// What the user can do; `null` if nothing is known to help.
    pub suggestion: Option<String>,
    /// The place in the source; `null` if there is none.
    pub place: Option<SourceRange>,
    /// Further places of the same loss.
    pub also: Vec<SourceRange>,
    /// Whether null replaces a value in a template for Heat; the exit status is
    /// then 1.
    pub drops_value: bool,
    /// The source text at the place.
    pub snippet: Option<String>,
}

impl RenderReport {
    /// The report of a rendering that wrote nothing, with the reasons.
    pub fn refused(target: &str, findings: &[Diagnostic], sources: &MaskedSources) -> Self {
        RenderReport {
            target: target.to_owned(),
            files: Vec::new(),
            losses: Vec::new(),
            coverage: None,
            findings: Finding::all(findings, &mut SourceLocator::new(sources)),
        }
    }

    /// The report of what was written, including the texts unless they are written elsewhere. Secrets are
    /// omitted from the snippets.
    pub fn new(
        target: &str,
        emitted: &EmitOutput,
        with_text: bool,
        coverage: Option<Coverage>,
        findings: &[Diagnostic],
        sources: &MaskedSources,
    ) -> Self {
        let mut places = SourceLocator::new(sources);
        let file = |file: &hotplate_emit::EmittedFile| RenderedFile {
            path: file.path.as_ref().map(|path| path.to_string_lossy().replace('\\', "/")),
            text: with_text.then(|| file.text.clone()),
        };
        let losses = emitted.losses.iter().map(|loss| LossEntry {
            kind: loss.kind,
            code: loss.kind.code(),
            severity: loss.severity,
            subject: loss.subject.clone(),
            owner: loss.owner.clone(),
            message: loss.message.clone(),
            suggestion: loss.suggestion.clone(),
            place: places.locate(loss.span),
            also: loss.other_spans.iter().filter_map(|span| places.locate(*span)).collect(),
            drops_value: loss.writes_null,
            snippet: snippet(loss.span, sources),
        });
        RenderReport {
            target: target.to_owned(),
            files: emitted.files.iter().map(file).collect(),
            losses: losses.collect(),
            coverage,
            findings: Finding::all(findings, &mut SourceLocator::new(sources)),
        }
    }
}

/// The maximum number of losses of a kind that one line names.
const MAX_NAMED: usize = 5;

/// Losses as findings: a single one of its kind as it is, several as one finding at the place of the first.
pub fn grouped(losses: &[hotplate_emit::Loss]) -> Vec<Diagnostic> {
    let mut groups: IndexMap<(LossKind, Severity), Vec<&hotplate_emit::Loss>> = IndexMap::new();
    for loss in losses {
        groups.entry((loss.kind, loss.severity)).or_default().push(loss);
    }
    groups.into_values().filter_map(|group| group_finding(&group)).collect()
}

fn group_finding(group: &[&hotplate_emit::Loss]) -> Option<Diagnostic> {
    let (first, rest) = group.split_first()?;
    if rest.is_empty() {
        return Some(first.diagnostic());
    }
    let mut names: IndexSet<String> = IndexSet::new();
    for loss in group {
        let name = match &loss.owner {
            Some(owner) if *owner != loss.subject => format!("`{owner}`: {}", loss.subject),
            _ => format!("`{}`", loss.subject),
        };
        if !loss.subject.is_empty() {
            names.insert(name);
        }
    }
    let more = match names.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let named: Vec<&str> = names.iter().take(MAX_NAMED).map(String::as_str).collect();
    let names = match named.is_empty() {
        true => String::new(),
        false => format!(" ({}{more})", named.join(", ")),
    };
    let kind = first.kind;
    let message = format!(
        "{} {} of kind {}{names}; the first: {}",
        group.len(),
        if first.is_note() { "notes" } else { "losses" },
        kind.label(),
        first.message
    );
    let mut finding = Diagnostic::new(kind.code(), message).at(first.span);
    finding.severity = first.severity;
    // Advice that applies to each of them is given at once.
    if let Some(suggestion) = &first.suggestion
        && rest.iter().all(|loss| loss.suggestion.as_ref() == Some(suggestion))
    {
        finding = finding.help(suggestion.clone());
    }
    let has_advice =
        rest.iter().any(|loss| loss.suggestion.is_some()) || first.suggestion.is_some();
    let more = if has_advice && finding.help.is_empty() { " and what to do" } else { "" };
    Some(finding.help(format!("`-v` reports each of them with its place{more}")))
}

/// One line about what was written to which path.
pub fn summary(output: &Path, emitted: &EmitOutput, coverage: Option<Coverage>) -> String {
    let count = |number: usize, word: &str, plural: &str| match number {
        1 => format!("1 {word}"),
        number => format!("{number} {plural}"),
    };
    let resources = coverage.map(|coverage| {
        let CoverageCount { expressed, of } = coverage.resources;
        format!("{expressed} of {}, ", count(of, "resource", "resources"))
    });
    let output = for_terminal(&output.display().to_string()).into_owned();
    let notes = emitted.losses.iter().filter(|loss| loss.is_note()).count();
    let note = match notes {
        0 => String::new(),
        notes => format!(", {}", count(notes, "note", "notes")),
    };
    format!(
        "wrote {} to {output}: {}{}{note}\n",
        count(emitted.files.len(), "file", "files"),
        resources.unwrap_or_default(),
        count(emitted.losses.len() - notes, "loss", "losses"),
    )
}

/// The message if an output was requested but errors prevented the rendering.
pub fn nothing_written(output: &Path) -> String {
    let output = for_terminal(&output.display().to_string()).into_owned();
    format!("wrote nothing to {output}: fix the errors first\n")
}

/// The source text at a place; secrets are masked in the sources.
fn snippet(span: Span, sources: &MaskedSources) -> Option<String> {
    let text = sources.text(span.source);
    let snippet = text.get(span.start as usize..span.end as usize).map(str::to_owned);
    snippet.filter(|_| span.source != Span::NOWHERE.source)
}

/// The files one after the other; several files are separated by their paths.
pub fn concatenated(emitted: &EmitOutput) -> String {
    if let [file] = emitted.files.as_slice() {
        return file.text.clone();
    }
    let mut text = String::new();
    for file in &emitted.files {
        let path = file.path.as_deref().unwrap_or(Path::new("-"));
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}# ==> {} <==\n", path.display()));
        text.push_str(&file.text);
    }
    text
}

//! The findings of `check` as a client shows them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gen_lsp_types::{
    Code, Diagnostic as LspDiagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    DiagnosticTag, Location, Range,
};
use indexmap::IndexSet;
use source_diagnostics::cancellation::checkpoint;
use source_diagnostics::{Code as FindingCode, Diagnostic, MaskedSources, Severity, Span};

use super::file_view::FileView;
use super::snapshot::Snapshot;
use hotplate_check::Group;

/// The findings about files, by their paths.
pub(super) type FileDiagnostics = BTreeMap<PathBuf, Vec<LspDiagnostic>>;

/// The name that clients show beside a finding.
const SOURCE: &str = "hotplate";

/// The findings that may only result from lines that cannot be read: what they refer to, or lack, may be there.
const ABOUT_ABSENCE: &[FindingCode] = &[
    heat_template::codes::MISSING_KEY,
    heat_template::codes::NO_CONSTRAINT,
    heat_template::codes::SECTION_SHAPE,
    heat_template::codes::VALUE_SHAPE,
    heat_template::codes::UNKNOWN_REFERENCE,
    heat_engine::codes::UNKNOWN_PARAMETER,
    heat_engine::codes::PARAMETER_MISSING,
    heat_engine::codes::PARAMETER_GROUPS,
    heat_engine::codes::NO_VALUE,
    heat_engine::codes::NESTED_REFUSED,
    heat_engine::codes::UNKNOWN_DEPENDENCY,
];

/// The findings about what could be removed.
const UNUSED: &[FindingCode] = &[
    hotplate_check::codes::UNUSED_PARAMETER,
    hotplate_check::codes::UNUSED_CONDITION,
    hotplate_check::codes::UNUSED_REGISTRY_ENTRY,
    hotplate_check::codes::UNUSED_DEFAULT,
    hotplate_check::codes::UNUSED_VALUE,
];

/// The report of a check of one root template, about itself, its environments and the templates that it nests. The root is always
/// among the files, so that findings that are gone are gone.
pub(super) fn of_root(snapshot: &Snapshot, root: &Path) -> FileDiagnostics {
    let mut found = FileDiagnostics::from([(root.to_owned(), Vec::new())]);
    match &*snapshot.checked(root) {
        Err(why) => {
            let message = format!("not checked: {why}");
            add(&mut found, root, plain(Range::default(), DiagnosticSeverity::Error, message));
        }
        Ok(run) => {
            for template in &run.templates {
                let is_broken = is_broken(snapshot, &template.sources);
                for finding in &template.findings {
                    if is_broken && may_be_of_broken_text(finding) {
                        continue;
                    }
                    let (path, diagnostic) = converted(snapshot, root, finding, &template.sources);
                    add(&mut found, &path, diagnostic);
                }
            }
        }
    }
    found.values_mut().for_each(keep_distinct);
    found
}

/// Why an open file cannot be read as a whole.
pub(super) fn of_broken_text(snapshot: &Snapshot, view: &FileView) -> Vec<LspDiagnostic> {
    let lines = view.readable.left_out.len();
    let errors = view.readable.errors.iter().enumerate().map(|(at, error)| {
        let mut message = with_help(error.message.clone(), error);
        if at == 0 && view.document().is_some() {
            let noun = if lines == 1 { "line is" } else { "lines are" };
            message.push_str(&format!(
                "\n{lines} {noun} left out until the text can be read; findings that may depend on it are not reported"
            ));
        }
        in_view(snapshot, view, error, message)
    });
    errors.collect()
}

/// The results of reading a template.
pub(super) fn of_template(snapshot: &Snapshot, view: &FileView) -> Vec<LspDiagnostic> {
    let findings = view.template().map(|lowered| &lowered.findings).into_iter().flatten();
    let diagnostic =
        |it: &Diagnostic| in_view(snapshot, view, it, with_help(it.message.clone(), it));
    findings.map(diagnostic).collect()
}

/// A sentence about a file as a whole.
pub(super) fn note(message: String) -> LspDiagnostic {
    plain(Range::default(), DiagnosticSeverity::Information, message)
}

/// A finding about the text of a file.
fn in_view(
    snapshot: &Snapshot,
    view: &FileView,
    finding: &Diagnostic,
    message: String,
) -> LspDiagnostic {
    let range = finding.span().map(|span| view.range(span, snapshot.session.unit));
    let mut diagnostic = plain(range.unwrap_or_default(), severity(finding.severity), message);
    diagnostic.code = Some(Code::from(finding.code.to_string()));
    diagnostic
}

/// Whether one of the texts that a check reads is open and cannot be read as a whole.
fn is_broken(snapshot: &Snapshot, sources: &MaskedSources) -> bool {
    let limits = snapshot.project().limits();
    let names = (0..sources.next_id().0).map(|id| sources.name(source_diagnostics::SourceId(id)));
    // Other open texts may take long to read.
    let paths: BTreeSet<PathBuf> =
        names.filter_map(|name| snapshot.session.absolute(name)).collect();
    let mut open = paths.iter().filter_map(|path| snapshot.open_text(path));
    open.any(|open| !open.view(&limits).readable.is_whole())
}

fn may_be_of_broken_text(finding: &Diagnostic) -> bool {
    Group::of(finding) != Group::Error || ABOUT_ABSENCE.contains(&finding.code)
}

fn add(found: &mut FileDiagnostics, path: &Path, diagnostic: LspDiagnostic) {
    checkpoint();
    found.entry(path.to_owned()).or_default().push(diagnostic);
}

/// Keeps the first one of each that occurs several times.
pub(super) fn keep_distinct(diagnostics: &mut Vec<LspDiagnostic>) {
    let distinct: IndexSet<LspDiagnostic> = std::mem::take(diagnostics).into_iter().collect();
    *diagnostics = distinct.into_iter().collect();
}

/// A finding with the file that it is about. One without a place in a file is shown at the start of the root.
fn converted(
    snapshot: &Snapshot,
    root: &Path,
    finding: &Diagnostic,
    sources: &MaskedSources,
) -> (PathBuf, LspDiagnostic) {
    let place = finding.span().and_then(|span| place(snapshot, sources, span));
    let mut message = finding.message.clone();
    if let Some(label) = finding.primary.as_ref().filter(|label| !label.message.is_empty()) {
        message.push_str(&format!(": {}", label.message));
    }
    message = with_help(message, finding);
    if let (None, Some(span)) = (&place, finding.span()) {
        message = format!("{}: {message}", sources.name(span.source));
    }
    let (path, range) = match place {
        Some((view, range)) => (view, range),
        None => (root.to_owned(), Range::default()),
    };
    let mut diagnostic = plain(range, severity(finding.severity), message);
    diagnostic.code = Some(Code::from(finding.code.to_string()));
    diagnostic.tags = tags(finding);
    let related: Vec<DiagnosticRelatedInformation> = finding
        .related
        .iter()
        .filter_map(|label| {
            let (path, range) = self::place(snapshot, sources, label.span)?;
            let location = Location::new(snapshot.uri(&path), range);
            Some(DiagnosticRelatedInformation::new(location, label.message.to_string()))
        })
        .collect();
    diagnostic.related_information = (!related.is_empty()).then_some(related);
    (path, diagnostic)
}

/// The file and the range of a span; `None` if it is not in a file that can be read.
pub(super) fn place(
    snapshot: &Snapshot,
    sources: &MaskedSources,
    span: Span,
) -> Option<(PathBuf, Range)> {
    let path = snapshot.session.absolute(sources.name(span.source))?;
    let view = snapshot.view(&path)?;
    let range = view.range(span, snapshot.session.unit);
    Some((path, range))
}

fn with_help(mut message: String, finding: &Diagnostic) -> String {
    for help in &finding.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    message
}

fn plain(range: Range, severity: DiagnosticSeverity, message: String) -> LspDiagnostic {
    LspDiagnostic {
        range,
        severity: Some(severity),
        code: None,
        code_description: None,
        source: Some(SOURCE.to_owned()),
        message: message.into(),
        tags: None,
        related_information: None,
        data: None,
    }
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        Severity::Note => DiagnosticSeverity::Information,
    }
}

/// The findings that are shown as struck out, or as faded.
fn tags(finding: &Diagnostic) -> Option<Vec<DiagnosticTag>> {
    match Group::of(finding) {
        Group::Deprecated => Some(vec![DiagnosticTag::Deprecated]),
        Group::Error | Group::Suspicious | Group::Security | Group::Pedantic | Group::Policy => {
            UNUSED.contains(&finding.code).then(|| vec![DiagnosticTag::Unnecessary])
        }
    }
}

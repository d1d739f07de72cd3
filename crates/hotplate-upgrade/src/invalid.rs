//! Templates that Heat refuses before and after an upgrade.

use super::UpgradeOptions;
use heat_engine::eval::deployment;
use heat_template::hot::{CAPABILITIES, LoweredHot, Version, lower};
use heat_template::ir::Stack;
use heat_template::schema::Schema;
use hotplate_check::errors_of_template;
use lossless_yaml::{Document, NodeId};
use source_diagnostics::{Diagnostic, Span};

/// A lowered template whose findings are errors only where Heat refuses the template because of them.
pub(super) fn with_consequences(mut lowered: LoweredHot, schema: &'static Schema) -> LoweredHot {
    let findings = std::mem::take(&mut lowered.findings);
    lowered.findings = deployment::with_consequences(&lowered.stack, schema, findings);
    lowered
}

/// The errors for which Heat refuses a template, if it refuses the same parts in the target version: the findings of
/// the template with a suggestion. `None` if the template is valid, or if the target version
/// accepts what the declared one does not.
pub(super) fn persistent_errors(
    document: &Document,
    lowered: &LoweredHot,
    (from, version): (Version, NodeId),
    options: &UpgradeOptions,
) -> Option<Vec<Diagnostic>> {
    let stripped = options.strip_capabilities.then(|| capabilities(document)).flatten();
    let refused = |finding: &Diagnostic| {
        finding.is_error()
            && !finding.span().is_some_and(|span| stripped.is_some_and(|part| part.contains(span)))
    };
    let unread = document.findings().iter().any(Diagnostic::is_error);
    if !unread && !lowered.findings.iter().any(refused) {
        return None;
    }
    let target = (options.to != from)
        .then(|| with_consequences(lower(document, options.to, version), options.schema));
    let stays = |finding: &Diagnostic| {
        target.as_ref().is_none_or(|target| {
            target.findings.iter().any(|other| other.is_error() && other.span() == finding.span())
        })
    };
    if !unread && !lowered.findings.iter().filter(|finding| refused(finding)).any(stays) {
        return None;
    }
    let mut findings = lowered.findings.clone();
    advise(&mut findings, (from, options.to), refused);
    Some(findings)
}

/// The errors of a template that every version has: names that nothing declares, cycles, defaults that violate constraints.
/// `None` if there are none that are certain without an environment.
pub(super) fn errors_of_names(
    lowered: &LoweredHot,
    from: Version,
    options: &UpgradeOptions,
    hide: &dyn Fn(&mut Stack),
) -> Option<Vec<Diagnostic>> {
    let mut findings = errors_of_template(&lowered.stack, options.schema, hide);
    if findings.is_empty() {
        return None;
    }
    findings.extend(lowered.findings.iter().cloned());
    advise(&mut findings, (from, options.to), Diagnostic::is_error);
    Some(findings)
}

/// Adds a suggestion to the first of the findings that is `refused`.
pub(super) fn advise(
    findings: &mut [Diagnostic],
    (from, to): (Version, Version),
    refused: impl Fn(&Diagnostic) -> bool,
) {
    let Some(first) = findings.iter_mut().find(|finding| refused(finding)) else { return };
    let versions = if from == to { from.to_string() } else { format!("{from} and in {to}") };
    first.help.push(format!(
        "Heat refuses the template in {versions}, so it is not upgraded; fix the template first"
    ));
}

/// The span of the section that `--strip-capabilities` removes.
fn capabilities(document: &Document) -> Option<Span> {
    let entry = document.entry(document.root()?, CAPABILITIES)?;
    let key = document.span(entry.key);
    Some(Span { end: document.span(entry.value).end, ..key })
}

//! Determines which versions accept a template, and why.

use super::features::{Feature, features, version_range};
use super::lower::lower;
use super::recognize::{DocumentKind, recognize};
use super::reinterpretation::lower_as;
use super::version::Version;
use crate::ir::types::TypeFacts;
use lossless_yaml::{Document, NodeId};
use source_diagnostics::Diagnostic;

/// The compatibility of a template with versions.
#[derive(Clone, Debug)]
pub struct Compatibility {
    /// The version that the template declares.
    pub declared: Version,
    /// The lowest and the highest version that accept it, where a valid template has the same meaning as in the
    /// declared one; `None` if no version does.
    pub accepted: Option<(Version, Version)>,
    /// The features that it uses and that some version lacks.
    pub features: Vec<Feature>,
    /// The errors for which Heat refuses it in the declared version.
    pub errors: Vec<Diagnostic>,
    /// The first version that accepts the parts on which the declared one fails: the template is probably
    /// intended for that version or a later one.
    pub intended_version: Option<Version>,
}

/// The result of a compatibility check.
#[derive(Clone, Debug)]
pub enum CompatibilityReport {
    /// A HOT template, with the versions that accept it.
    Template(Compatibility),
    /// A CFN template, which has no versions of HOT; the finding says so.
    Cfn(Box<Diagnostic>),
    /// Not a template, for the reason in the finding.
    Other(Box<Diagnostic>),
    /// A template with an unknown or invalid version.
    Refused(Box<Diagnostic>),
}

/// Checks a text of which several documents show a part each: it requires what any of them requires.
pub fn check_all_compatibility<'d>(
    documents: impl IntoIterator<Item = &'d Document>,
    facts: &dyn TypeFacts,
) -> Option<CompatibilityReport> {
    let mut surveys = documents.into_iter().map(|document| check_compatibility(document, facts));
    let mut all = surveys.next()?;
    for other in surveys {
        let (CompatibilityReport::Template(all), CompatibilityReport::Template(other)) =
            (&mut all, other)
        else {
            continue;
        };
        all.features.extend(other.features);
        all.features.sort_by_key(|feature| feature.span);
        all.features.dedup();
    }
    if let CompatibilityReport::Template(all) = &mut all {
        // An error may disappear with the parts that are not shown.
        all.errors.clear();
        all.accepted = version_range(&all.features);
    }
    Some(all)
}

/// Checks which versions accept a document.
pub fn check_compatibility(document: &Document, facts: &dyn TypeFacts) -> CompatibilityReport {
    match recognize(document) {
        DocumentKind::Hot { version, node, .. } => {
            CompatibilityReport::Template(template(document, version, node, facts))
        }
        DocumentKind::Cfn { key, span, .. } => {
            let message = format!("`{key}` marks a CFN template");
            CompatibilityReport::Cfn(Box::new(
                Diagnostic::new(crate::codes::CFN_TEMPLATE, message).at(span),
            ))
        }
        DocumentKind::Other(finding) => CompatibilityReport::Other(finding),
        DocumentKind::Invalid(finding) => CompatibilityReport::Refused(finding),
    }
}

fn template(
    document: &Document,
    declared: Version,
    node: NodeId,
    facts: &dyn TypeFacts,
) -> Compatibility {
    let in_version = |version| {
        let lowered = lower(document, version, node);
        let found = document.findings().iter().chain(&lowered.findings);
        let errors: Vec<Diagnostic> = found.filter(|found| found.is_error()).cloned().collect();
        (features(document, &lowered), errors)
    };
    let (mut features, errors) = in_version(declared);
    let read = lower_as(document, declared, node, Version::LATEST, facts);
    let meant = read.reinterpreted.iter().map(|part| part.since).max();
    if errors.is_empty() && meant.is_some() {
        // Heat accepts the text and fails on it later.
        features = self::features(document, &read);
    } else if errors.is_empty() {
        // An error in a single branch requires no version.
        let is_gone = |until: Version| until < declared;
        features.retain(|feature| !feature.requirement.until.is_some_and(is_gone));
    }
    let mut accepted = version_range(&features);
    if !errors.is_empty() {
        // The requirements in the declared version say nothing about the others.
        accepted = None;
        for version in Version::all() {
            let (needed, errors) = in_version(version);
            let has_all = version_range(&needed)
                .is_some_and(|(lowest, highest)| lowest <= version && version <= highest);
            if errors.is_empty() && has_all {
                let lowest = accepted.map_or(version, |(lowest, _)| lowest);
                if lowest == version {
                    features = needed;
                }
                accepted = Some((lowest, version));
            }
        }
    }
    Compatibility { declared, accepted, features, errors, intended_version: meant }
}

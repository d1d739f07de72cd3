//! Which versions accept a template, and why.

use super::features::{Feature, features, version_range};
use super::lower::lower;
use super::recognize::{DocumentKind, recognize};
use super::reinterpretation::lower_as;
use super::version::Version;
use crate::schema::Schema;
use lossless_yaml::{Document, NodeId};
use source_diagnostics::Diagnostic;

/// What a template asks of the version.
#[derive(Clone, Debug)]
pub struct Compatibility {
    /// The declared version.
    pub declared: Version,
    /// The lowest and the highest version that accept it, where a valid template means the same as in the
    /// declared one; `None` where none does.
    pub accepted: Option<(Version, Version)>,
    /// What it uses that some version lacks.
    pub features: Vec<Feature>,
    /// Why Heat refuses it in the declared version; empty where it does not.
    pub errors: Vec<Diagnostic>,
    /// The first version that has what the declared one can only fail on: the template is probably
    /// meant as that one or a later one.
    pub intended_version: Option<Version>,
}

/// What a document is, and what it asks for.
#[derive(Clone, Debug)]
pub enum CompatibilityReport {
    /// A HOT template.
    Template(Compatibility),
    /// A CFN template.
    Cfn(Box<Diagnostic>),
    /// No template.
    Other(Box<Diagnostic>),
    /// A template of no version that Heat knows.
    Refused(Box<Diagnostic>),
}

/// Surveys a text of which several documents show a part each: it asks for what any of them asks for.
pub fn check_all_compatibility<'d>(
    documents: impl IntoIterator<Item = &'d Document>,
) -> Option<CompatibilityReport> {
    let mut surveys = documents.into_iter().map(check_compatibility);
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
        // What looks wrong may be right with what is not shown.
        all.errors.clear();
        all.accepted = version_range(&all.features);
    }
    Some(all)
}

/// Surveys a document.
pub fn check_compatibility(document: &Document) -> CompatibilityReport {
    match recognize(document) {
        DocumentKind::Hot { version, node, .. } => {
            CompatibilityReport::Template(template(document, version, node))
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

fn template(document: &Document, declared: Version, node: NodeId) -> Compatibility {
    let in_version = |version| {
        let lowered = lower(document, version, node);
        let found = document.findings().iter().chain(&lowered.findings);
        let errors: Vec<Diagnostic> = found.filter(|found| found.is_error()).cloned().collect();
        (features(document, &lowered), errors)
    };
    let (mut features, errors) = in_version(declared);
    let read = lower_as(document, declared, node, Version::LATEST, Schema::heat());
    let meant = read.reinterpreted.iter().map(|part| part.since).max();
    if errors.is_empty() && meant.is_some() {
        // Heat takes the text and fails on it.
        features = self::features(document, &read);
    } else if errors.is_empty() {
        // What Heat refuses in a branch alone demands nothing.
        let is_gone = |until: Version| until < declared;
        features.retain(|feature| !feature.requirement.until.is_some_and(is_gone));
    }
    let mut accepted = version_range(&features);
    if !errors.is_empty() {
        // What it asks for in the declared version says nothing about the others.
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

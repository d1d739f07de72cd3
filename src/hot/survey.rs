//! Which versions accept a template, and why.

use super::features::{Feature, features, version_range};
use super::lower::lower;
use super::recognise::{Recognised, recognise};
use super::version::Version;
use crate::diagnostics::{Code, Diagnostic};
use crate::source::Document;

/// What a template asks of the version.
#[derive(Clone, Debug)]
pub struct Surveyed {
    /// The declared version.
    pub declared: Version,
    /// The lowest and the highest version that have everything it uses; `None` where none has.
    pub accepted: Option<(Version, Version)>,
    /// What it uses that some version lacks.
    pub features: Vec<Feature>,
}

/// What a document is, and what it asks for.
#[derive(Clone, Debug)]
pub enum Survey {
    /// A HOT template.
    Template(Surveyed),
    /// A CFN template.
    Cfn(Box<Diagnostic>),
    /// No template.
    Other(Box<Diagnostic>),
    /// A template of no version that Heat knows.
    Refused(Box<Diagnostic>),
}

/// Surveys a text of which several documents show a part each: it asks for what any of them asks for.
pub fn survey_all<'d>(documents: impl IntoIterator<Item = &'d Document>) -> Option<Survey> {
    let mut surveys = documents.into_iter().map(survey);
    let mut all = surveys.next()?;
    for other in surveys {
        let (Survey::Template(all), Survey::Template(other)) = (&mut all, other) else { continue };
        all.features.extend(other.features);
        all.features.sort_by_key(|feature| feature.span);
        all.features.dedup();
        all.accepted = version_range(&all.features);
    }
    Some(all)
}

/// Surveys a document.
pub fn survey(document: &Document) -> Survey {
    match recognise(document) {
        Recognised::Hot { version, node, .. } => {
            let lowered = lower(document, version, node);
            let features = features(document, &lowered);
            let accepted = version_range(&features);
            Survey::Template(Surveyed { declared: version, accepted, features })
        }
        Recognised::Cfn { key, span, .. } => {
            let message = format!("`{key}` marks a CFN template");
            Survey::Cfn(Box::new(Diagnostic::new(Code::CfnTemplate, message).at(span)))
        }
        Recognised::Other(finding) => Survey::Other(finding),
        Recognised::Refused(finding) => Survey::Refused(finding),
    }
}

//! The formats of continuous integration, once for all commands: `check` (which reports the findings of policies, too) and
//! `diff` list [`Annotation`]s, and each format is written by one module from them alone.
//!
//! The writers use no crate for their formats. `serde-sarif` 0.8.0 has no `unsafe` and no C build, but a build script generates its
//! types: eleven crates that nothing else here needs (`schemafy_lib`, `Inflector`, `strum`, `typed-builder`, …) for a writer of 180
//! lines. `quick-junit` 0.8.0 is well kept (cargo-nextest writes with it), but brings seven (`chrono`, `uuid`, `quick-xml`, `vte`, …) for
//! one of 110 lines, and removes escape sequences, which this one makes visible.

mod github;
mod gitlab;
mod junit;
mod sarif;
mod zuul;

use sha2::{Digest, Sha256};
use source_diagnostics::Severity;

pub(super) use github::GithubLog;
pub(super) use gitlab::to_gitlab;
pub(super) use junit::{JunitLog, Outcome, Suite, TestCase};
pub(super) use sarif::{SarifLog, notification, rule};
pub(super) use zuul::to_zuul;

use super::SourceRange;
use super::json::Finding;

/// A finding or a change, as a format shows it at a place of a file.
#[derive(Debug)]
pub(super) struct Annotation<'r> {
    /// The name of the rule: `HP1001`, `impact/replace`.
    pub(super) rule: String,
    pub(super) severity: Severity,
    /// A heading above the sentence: the code with its title. Without one, the sentence is the heading.
    pub(super) heading: Option<String>,
    /// One line: what is wrong, or what happens.
    pub(super) sentence: String,
    /// What to do, or the reasons: one sentence each.
    pub(super) details: Vec<String>,
    /// The path of the file as the user knows it; empty if it concerns none.
    file: &'r str,
    pub(super) place: Option<&'r SourceRange>,
    /// Other places, with what is there.
    pub(super) related: Vec<(&'r SourceRange, &'r str)>,
    /// A hash that stays the same while the annotation moves within its file.
    pub(super) fingerprint: String,
    /// Whether it stops the whole update, which is worse than any other error.
    pub(super) stops_update: bool,
    /// The full name of what it is about, and its kind: `resource`.
    pub(super) subject: Option<(&'r str, String)>,
    /// The type of the resource that it is about.
    pub(super) resource_type: Option<&'r str>,
    /// The suppressions that apply.
    pub(super) suppressions: Vec<AnnotationSuppression<'r>>,
}

/// A suppression that applies to an annotation.
#[derive(Debug)]
pub(super) struct AnnotationSuppression<'r> {
    /// Whether it is a comment of the template.
    pub(super) is_in_source: bool,
    pub(super) reason: Option<&'r str>,
}

impl<'r> Annotation<'r> {
    /// An annotation at a place of a file, or at a file.
    pub(super) fn new(
        (rule, severity): (String, Severity),
        sentence: String,
        file: &'r str,
        place: Option<&'r SourceRange>,
        fingerprint: String,
    ) -> Self {
        Annotation {
            rule,
            severity,
            heading: None,
            sentence,
            details: Vec::new(),
            file,
            place,
            related: Vec::new(),
            fingerprint,
            stops_update: false,
            subject: None,
            resource_type: None,
            suppressions: Vec::new(),
        }
    }

    /// A finding that belongs to no template, such as one of a search for templates.
    pub(super) fn of_finding(finding: &'r Finding) -> Self {
        let Finding { code, severity, message, place, .. } = finding;
        let place = place.as_ref();
        let file = place.map_or("", |place| place.path.as_str());
        let hash = hex(Sha256::digest(format!("{code} {message}")).as_slice());
        let rule = (code.to_string(), *severity);
        let mut annotation = Annotation::new(rule, message.clone(), file, place, hash);
        annotation.heading = Some(code.to_string());
        annotation
    }

    /// The path below the folder that a code forge knows.
    pub(super) fn path(&self) -> &'r str {
        below_here(self.file)
    }

    pub(super) fn line(&self) -> u32 {
        self.place.map_or(1, |place| place.start.line)
    }

    fn heading(&self) -> &str {
        self.heading.as_deref().unwrap_or(&self.sentence)
    }

    /// The sentence with its details, one per line.
    pub(super) fn text(&self) -> String {
        let lines = std::iter::once(&self.sentence).chain(&self.details);
        lines.map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

/// A path without the name of the current folder.
fn below_here(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// A hash of what identifies an annotation.
pub(super) fn fingerprint(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

fn hex(hash: &[u8]) -> String {
    hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The annotations with their fingerprints; repeated ones are numbered, since a code forge shows one of each.
fn with_fingerprints<'s, 'r>(
    annotations: &'s [Annotation<'r>],
) -> impl Iterator<Item = (&'s Annotation<'r>, String)> {
    let mut seen = std::collections::HashMap::<&str, usize>::new();
    annotations.iter().map(move |annotation| {
        let fingerprint = annotation.fingerprint.as_str();
        let count = seen.entry(fingerprint).or_default();
        *count += 1;
        let number = if *count == 1 { String::new() } else { format!("-{count}") };
        (annotation, format!("{fingerprint}{number}"))
    })
}

//! A run over several templates: which of them are checked on their own, and each finding once.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::inline::InlineSuppressions;
use super::{Baseline, Group, Selection};
use crate::root_causes::root_causes;
use source_diagnostics::{Code, Diagnostic, Severity, SourceMap};

/// The findings about one template with its nested templates and environments.
#[derive(Debug, Default)]
pub struct CheckedTemplate {
    /// The URL of the template; empty if it could not be read.
    pub url: String,
    /// The URLs of the templates that it nests.
    pub nested: BTreeSet<String>,
    /// The findings, in the order of the checks.
    pub findings: Vec<Diagnostic>,
    /// The texts that the findings refer to.
    pub sources: SourceMap,
    /// Whether everything that was needed could be read.
    pub complete: bool,
    /// The parameters without a value, whose uses are checked for any value.
    pub unknown_parameters: usize,
}

/// The findings of a run.
#[derive(Debug, Default)]
pub struct CheckRun {
    /// The templates with the findings that are reported.
    pub templates: Vec<CheckedTemplate>,
    /// The number of findings of each code, in the order of the codes.
    pub counts: BTreeMap<Code, usize>,
    /// The number of templates that were checked as part of another one.
    pub nested: usize,
    /// The number of findings that the selection excludes.
    pub excluded: usize,
    /// The number of findings that comments suppress.
    pub suppressed: usize,
    /// The number of findings that the baseline contains.
    pub known: usize,
}

impl CheckRun {
    /// Combines the findings about templates. Those of a template that another one nests are found there, with the values
    /// that it is nested with.
    pub fn new(
        templates: Vec<CheckedTemplate>,
        selection: &Selection,
        baseline: &Baseline,
    ) -> Self {
        let mut known = baseline.known();
        let (mut templates, nested) = without_nested(templates);
        drop_foreign_parameters(&mut templates);
        let mut run = CheckRun { nested, ..CheckRun::default() };
        let mut seen = HashSet::new();
        for template in &mut templates {
            // One mistake is one finding.
            template.findings = root_causes(&template.findings);
            // Heat's client refuses the file before the server sees it.
            let client = lossless_yaml::codes::JSON_CLIENT_DIFFERS;
            for finding in template.findings.iter_mut().filter(|it| it.code == client) {
                finding.severity = Severity::Error;
            }
            let sources = &template.sources;
            let comments = InlineSuppressions::of(sources);
            let all = template.findings.len();
            template.findings.retain(|finding| !comments.suppress(finding));
            run.suppressed += all - template.findings.len();
            template.findings.extend(comments.findings());
            template.findings.retain(|finding| {
                let place = finding
                    .span()
                    .map(|span| (sources.name(span.source).to_owned(), span.start, span.end));
                if !seen.insert((finding.code, finding.message.clone(), place)) {
                    return false;
                }
                if !selection.contains(finding) {
                    run.excluded += 1;
                    return false;
                }
                if known.take(finding, sources) {
                    run.known += 1;
                    return false;
                }
                *run.counts.entry(finding.code).or_default() += 1;
                true
            });
            template
                .findings
                .sort_by_key(|finding| finding.span().map(|span| (span.source, span.start)));
        }
        run.templates = templates;
        run
    }

    /// The findings with the sources that they refer to.
    pub fn findings(&self) -> impl Iterator<Item = (&Diagnostic, &SourceMap)> {
        self.templates.iter().flat_map(|template| {
            template.findings.iter().map(|finding| (finding, &template.sources))
        })
    }

    /// The number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings().filter(|(finding, _)| finding.severity == severity).count()
    }

    /// Whether there is a finding of this severity or a worse one.
    pub fn has(&self, severity: Severity) -> bool {
        self.findings().any(|(finding, _)| finding.severity >= severity)
    }

    /// Whether everything could be read.
    pub fn is_complete(&self) -> bool {
        self.templates.iter().all(|template| template.complete)
    }

    /// The number of findings of each group.
    pub fn groups(&self) -> BTreeMap<Group, usize> {
        let mut groups = BTreeMap::new();
        for (finding, _) in self.findings() {
            *groups.entry(Group::of(finding)).or_default() += 1;
        }
        groups
    }
}

/// The templates that no other one nests, and the number of the others. Of templates that nest each other, the first stays.
fn without_nested(templates: Vec<CheckedTemplate>) -> (Vec<CheckedTemplate>, usize) {
    let mut inside: HashSet<String> = HashSet::new();
    let mut reached: HashMap<&str, bool> = HashMap::new();
    for template in &templates {
        let is_inside = reached.get(template.url.as_str()).copied().unwrap_or_default();
        for nested in template.nested.iter().filter(|nested| **nested != template.url) {
            // Of a cycle, the template that comes first is not inside of one that it nests itself.
            let nests_back = is_inside
                && templates
                    .iter()
                    .any(|other| other.url == *nested && other.nested.contains(&template.url));
            if !nests_back {
                reached.insert(nested, true);
                inside.insert(nested.clone());
            }
        }
    }
    let all = templates.len();
    let roots: Vec<CheckedTemplate> = {
        let keeps: Vec<bool> = templates.iter().map(|it| !inside.contains(&it.url)).collect();
        templates.into_iter().zip(keeps).filter(|(_, keep)| *keep).map(|(it, _)| it).collect()
    };
    let nested = all - roots.len();
    (roots, nested)
}

/// A parameter of an environment that some of the templates declare is not missing in the others.
fn drop_foreign_parameters(templates: &mut [CheckedTemplate]) {
    let readable = templates.iter().filter(|it| !it.url.is_empty()).count();
    let mut reports: HashMap<String, usize> = HashMap::new();
    let is_foreign = |finding: &Diagnostic| finding.code == heat_engine::codes::UNKNOWN_PARAMETER;
    for template in templates.iter() {
        for finding in template.findings.iter().filter(|it| is_foreign(it)) {
            *reports.entry(finding.message.clone()).or_default() += 1;
        }
    }
    for template in templates {
        template.findings.retain(|finding| {
            !is_foreign(finding) || reports.get(&finding.message).is_none_or(|it| *it == readable)
        });
    }
}

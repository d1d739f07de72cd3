//! A run over several templates: which of them are checked on their own, and each finding once.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::causes::CAUSES;
use super::inline::InlineSuppressions;
use super::{
    Baseline, EnvironmentReferences, Fix, FixSafety, FixedFinding, Group, LeftOutFix, Selection,
};
use source_diagnostics::{
    Code, Consequence, Diagnostic, MaskedSources, Severity, SourceId, SourceLocator, Span,
};

/// Input that hotplate reads, but Heat or its client refuses: errors where Heat is the question.
const REFUSED: [Code; 3] = [
    lossless_yaml::codes::JSON_CLIENT_DIFFERS,
    heat_template::codes::SECTION_NOT_IN_HEAT,
    heat_engine::codes::HEAT_REFUSES_SECTION,
];

/// Nested templates by their URLs, with the parameters in environments that each declares.
pub type NestedTemplates = BTreeMap<String, BTreeMap<String, Span>>;

/// A deployment of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeploymentId {
    /// The configuration declares it, at this position.
    Declared(usize),
    /// The repository implies it, at this position.
    Implied(usize),
    /// Only the base of a review has it.
    OfBase,
}

/// The findings about one template with its nested templates and environments.
#[derive(Debug, Default)]
pub struct CheckedTemplate {
    /// The URL of the template; empty if it could not be read.
    pub url: String,
    /// The text of the template itself; `None` if it could not be read.
    pub source: Option<SourceId>,
    /// The templates that it nests.
    pub nested: NestedTemplates,
    /// The findings, in the order of the checks.
    pub findings: Vec<Diagnostic>,
    /// The texts that the findings refer to.
    pub sources: MaskedSources,
    /// Whether everything that was needed could be read.
    pub complete: bool,
    /// The parameters without a value, whose uses are checked for any value.
    pub unknown_parameters: usize,
    /// The parts for which a rule of a policy is undecided.
    pub undecided: usize,
    /// The deployment; `None` if only the command line says what it is deployed with.
    pub deployment: Option<DeploymentId>,
    /// The environments of a deployment that a repository implies, each with the reason.
    pub evidence: Option<String>,
    /// Whether a time limit has stopped the checks, so that findings are missing.
    pub is_stopped: bool,
    /// Whether the findings are about something else than a template: the configuration, a policy, a path that cannot be read.
    pub about_other: bool,
    /// The types that its environments map to something else, perhaps with a `*` at the end.
    pub mapped_types: BTreeSet<String>,
    /// The names in a file that another file refers to, by the URL of the file: the parameters that templates and environments
    /// pass, and those of environments that the template declares. Each with a place that refers to it.
    pub references: BTreeMap<(String, String), Span>,
    /// The values that the environments give to every template that declares them.
    pub defaults: BTreeMap<String, Span>,
    /// What the template, and those below it with unused parameters, declare.
    pub interfaces: BTreeMap<SourceId, Interface>,
    /// The parameters that users of each type of the registry pass; those of computed types are together.
    pub type_arguments: BTreeMap<String, BTreeSet<String>>,
    /// The URLs of its environments, and the parameters in them that it declares.
    pub declared: (Vec<String>, BTreeMap<String, Span>),
    /// The fixes of findings, by their numbers.
    pub fixes: BTreeMap<usize, Fix>,
    /// The findings whose fix is not applied, by their numbers: how safe it would be, and why.
    pub left_out: BTreeMap<usize, (FixSafety, String)>,
}

/// The parameters that a template declares.
#[derive(Debug)]
pub struct Interface {
    /// The URL of the template.
    pub url: String,
    /// The names of the parameters.
    pub parameters: BTreeSet<String>,
}

/// The fewest parameters that users of a type pass by which a template that declares all of them is known to be made for the type.
const MIN_ARGUMENTS: usize = 3;

/// The files that a run found in folders and did not check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotChecked {
    /// Files that are neither templates nor environments.
    pub other_files: usize,
    /// Jinja2 templates, which must be rendered first.
    pub jinja: usize,
    /// Templates that test the rules of a policy, which are no templates of the project; omitted if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub policy_tests: usize,
    /// The paths of environments that no template was checked with.
    pub environments: Vec<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The paths of sources, by their names.
pub struct SourcePaths<'a> {
    /// Relative to the folder of the configuration; `None` for one outside of it.
    pub of_patterns: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// Relative to the folder of the baseline.
    pub of_baseline: &'a dyn Fn(&str) -> String,
}

impl std::fmt::Debug for SourcePaths<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SourcePaths").finish_non_exhaustive()
    }
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
    /// The number of constraints of parameters that were not checked, most of them since only a cloud can.
    pub unchecked_constraints: usize,
    /// The number of findings that the selection excludes.
    pub excluded: usize,
    /// The number of findings that comments suppress.
    pub suppressed: usize,
    /// The number of findings that the baseline contains.
    pub known: usize,
    /// The files that were found and not checked.
    pub not_checked: NotChecked,
    /// The names that files refer to that are not part of the run.
    pub outside: OutsideReferences,
    /// The findings that were fixed before.
    pub fixed: Vec<FixedFinding>,
    /// The findings whose fix was requested and not applied.
    pub left_out: Vec<LeftOutFix>,
}

/// The names in files of a run that other files refer to: the project's other templates, and environments with which no template
/// was checked. Each with a place that refers to it.
#[derive(Clone, Debug, Default)]
pub struct OutsideReferences {
    /// Parameters of any template, by name.
    pub passed: BTreeMap<String, String>,
    /// Parameters of a file, by its URL and their name; without a name, all of them.
    pub of_files: BTreeMap<(String, Option<String>), String>,
    /// Parameters in environments, by the URL and for each template that declares them.
    pub of_environments: BTreeMap<String, Vec<Arc<BTreeMap<String, String>>>>,
}

impl OutsideReferences {
    /// Adds those of an environment.
    pub fn add_environment(&mut self, path: &str, environment: EnvironmentReferences) {
        let names = environment.parameters.into_iter();
        self.passed.extend(names.map(|name| (name, path.to_owned())));
        let urls = environment.implementing.into_iter();
        self.of_files.extend(urls.map(|url| ((url, None), path.to_owned())));
    }

    /// Adds those of a template with what it nests.
    pub fn add_template(&mut self, template: &CheckedTemplate) {
        let mut places = SourceLocator::new(&template.sources);
        self.add_declared(template, &template.declared.1, &mut places);
        for (name, span) in &template.defaults {
            if let Some(place) = place_of(&mut places, *span) {
                self.passed.entry(name.clone()).or_insert(place);
            }
        }
        for ((url, name), span) in &template.references {
            if let Some(place) = place_of(&mut places, *span) {
                self.of_files.entry((url.clone(), Some(name.clone()))).or_insert(place);
            }
        }
    }

    /// Adds those of a template that another one nests, as if it had the same inputs on its own. The other one's references include
    /// what it passes on. `places` are those of the other one.
    pub fn add_nested(
        &mut self,
        template: &CheckedTemplate,
        url: &str,
        places: &mut SourceLocator<'_>,
    ) {
        let Some(declared) = template.nested.get(url) else { return };
        self.add_declared(template, declared, places);
        for name in declared.keys() {
            let passed = template.references.get(&(template.url.clone(), name.clone()));
            if let Some(place) = passed.and_then(|span| place_of(places, *span)) {
                self.of_files.entry((url.to_owned(), Some(name.clone()))).or_insert(place);
            }
        }
    }

    /// Adds the parameters in a template's environments that it, or a template that it nests, declares.
    fn add_declared(
        &mut self,
        template: &CheckedTemplate,
        declared: &BTreeMap<String, Span>,
        places: &mut SourceLocator<'_>,
    ) {
        let declared: BTreeMap<String, String> = declared
            .iter()
            .filter_map(|(name, span)| Some((name.clone(), place_of(places, *span)?)))
            .collect();
        if declared.is_empty() {
            return;
        }
        let declared = Arc::new(declared);
        for url in &template.declared.0 {
            self.of_environments.entry(url.clone()).or_default().push(Arc::clone(&declared));
        }
    }

    /// The place that refers to a parameter in a file.
    pub fn to(&self, url: &str, name: &str) -> Option<&str> {
        let of_file =
            |name: Option<&str>| self.of_files.get(&(url.to_owned(), name.map(str::to_owned)));
        let of_environment =
            || self.of_environments.get(url)?.iter().find_map(|declared| declared.get(name));
        let place = of_file(Some(name)).or_else(|| of_file(None)).or_else(of_environment);
        place.or_else(|| self.passed.get(name)).map(String::as_str)
    }
}

fn place_of(places: &mut SourceLocator<'_>, span: Span) -> Option<String> {
    places.locate(span).map(|place| format!("{}:{}", place.path, place.start.line))
}

impl CheckedTemplate {
    /// The parameters that environments give to the template, each with the file and the place in it.
    fn given_by_environment(&self) -> impl Iterator<Item = (&str, (String, u32))> {
        let own = self.references.iter().filter(|((url, _), span)| {
            *url == self.url
                && Some(span.source) != self.source
                && self.sources.contains(span.source)
        });
        own.map(|((_, name), span)| {
            (name.as_str(), (self.sources.name(span.source).to_owned(), span.start))
        })
    }
}

impl CheckRun {
    /// Combines the findings about templates. Those of a template that another one nests are found there, with the values
    /// that it is nested with. `source_paths` are those that patterns and the baseline mean.
    pub fn new(
        templates: Vec<CheckedTemplate>,
        selection: &Selection,
        source_paths: &SourcePaths<'_>,
        baseline: &Baseline,
    ) -> Self {
        let mut known = baseline.known();
        let (mut templates, nested) = without_nested(templates);
        drop_foreign_parameters(&mut templates);
        let mut run = CheckRun { nested, ..CheckRun::default() };
        let mut seen = HashSet::new();
        let mut paths: HashMap<String, Option<PathBuf>> = HashMap::new();
        for template in &mut templates {
            // One mistake is one finding.
            template.findings = source_diagnostics::root_causes(&template.findings, &[&CAUSES]);
            for finding in template.findings.iter_mut().filter(|it| REFUSED.contains(&it.code)) {
                finding.severity = Severity::Error;
            }
            let sources = &template.sources;
            let comments = InlineSuppressions::of(sources);
            let all = template.findings.len();
            template.findings.retain(|finding| !comments.suppress(finding));
            run.suppressed += all - template.findings.len();
            template.findings.extend(comments.findings(|code| selection.knows(code)));
            template.findings.retain(|finding| {
                let place = finding
                    .span()
                    .map(|span| (sources.name(span.source).to_owned(), span.start, span.end));
                let name = place.as_ref().map(|(name, ..)| name.clone());
                if !seen.insert((finding.code, finding.message.clone(), place)) {
                    return false;
                }
                let path = name.filter(|_| selection.depends_on_paths()).and_then(|name| {
                    let path = paths.entry(name);
                    path.or_insert_with_key(|name| (source_paths.of_patterns)(name)).as_deref()
                });
                if finding.code == heat_engine::codes::CONSTRAINT_NOT_CHECKED {
                    run.unchecked_constraints += 1;
                }
                if !selection.contains(finding, path) {
                    run.excluded += 1;
                    return false;
                }
                if known.take(finding, sources, source_paths.of_baseline) {
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
    pub fn findings(&self) -> impl Iterator<Item = (&Diagnostic, &MaskedSources)> {
        self.templates.iter().flat_map(|template| {
            template.findings.iter().map(|finding| (finding, &template.sources))
        })
    }

    /// The number of findings of each severity.
    pub fn severities(&self) -> BTreeMap<Severity, usize> {
        let mut severities = BTreeMap::new();
        for (finding, _) in self.findings() {
            *severities.entry(finding.severity).or_default() += 1;
        }
        severities
    }

    /// Whether there is a finding of this severity or a worse one.
    pub fn has(&self, severity: Severity) -> bool {
        self.findings().any(|(finding, _)| finding.severity >= severity)
    }

    /// The number of deployments of which something was not given or found.
    pub fn incomplete_count(&self) -> usize {
        self.incomplete_with(|_| true)
    }

    /// The number of deployments of which the environment that maps a type was not given or found.
    pub fn without_environment_count(&self) -> usize {
        self.incomplete_with(|code| code == heat_engine::codes::UNKNOWN_RESOURCE_TYPE)
    }

    /// The number of deployments of which a file was not given or found.
    pub fn without_file_count(&self) -> usize {
        self.incomplete_with(|code| code != heat_engine::codes::UNKNOWN_RESOURCE_TYPE)
    }

    fn incomplete_with(&self, is_wanted: impl Fn(Code) -> bool) -> usize {
        let is_incomplete =
            |it: &Diagnostic| it.consequence() == Consequence::Incomplete && is_wanted(it.code);
        self.templates.iter().filter(|it| it.findings.iter().any(&is_incomplete)).count()
    }

    /// The number of templates; one that has several deployments counts once.
    pub fn template_count(&self) -> usize {
        let about = self.templates.iter().filter(|it| !it.about_other);
        let (read, unread): (Vec<_>, Vec<_>) = about.partition(|it| !it.url.is_empty());
        read.into_iter().map(|it| &it.url).collect::<HashSet<_>>().len() + unread.len()
    }

    /// The number of deployments of the configuration with which templates were checked.
    pub fn deployment_count(&self) -> usize {
        let is_declared = |it: &&CheckedTemplate| it.deployment.is_some() && it.evidence.is_none();
        self.templates.iter().filter(is_declared).count()
    }

    /// The deployments that repositories imply: each template with its environments and the reasons.
    pub fn implied_deployments(&self) -> impl Iterator<Item = &str> {
        self.templates.iter().filter_map(|it| it.evidence.as_deref())
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

/// The templates that no other one nests, and the number of the others. Of templates that nest each other, the first stays; so does
/// one that the configuration deploys on its own.
fn without_nested(templates: Vec<CheckedTemplate>) -> (Vec<CheckedTemplate>, usize) {
    let mut nests: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    let mut order = Vec::new();
    for template in templates.iter().filter(|it| !it.url.is_empty()) {
        let below = nests.entry(&template.url).or_insert_with(|| {
            order.push(template.url.as_str());
            BTreeSet::new()
        });
        below.extend(template.nested.keys().map(String::as_str));
    }
    let mut inside: HashSet<&str> = HashSet::new();
    for url in order {
        let below = nests.get(url).into_iter().flatten().filter(|nested| **nested != url);
        for nested in below {
            // Of a cycle, the template that comes first is not inside of one that it nests itself.
            let nests_back =
                inside.contains(url) && nests.get(nested).is_some_and(|below| below.contains(url));
            if !nests_back {
                inside.insert(nested);
            }
        }
    }
    let inside: HashSet<String> = inside.into_iter().map(str::to_owned).collect();
    let is_root = |it: &CheckedTemplate| it.deployment.is_some() || !inside.contains(&it.url);
    let (roots, nested): (Vec<_>, Vec<_>) = templates.into_iter().partition(is_root);
    (roots, nested.len())
}

/// Drops findings about what others require of a template. One that implements a type of the registry, to which an environment of
/// the run maps it (these URLs) or all of whose parameters it declares, must declare what users of the type pass, and its outputs
/// stay within Heat. A parameter in an environment that several templates have must be declared by all of them.
pub fn drop_required_by_others(templates: &mut [CheckedTemplate], implementing: &HashSet<String>) {
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut users: HashMap<(String, u32), HashSet<String>> = HashMap::new();
    for template in &*templates {
        for (kind, names) in &template.type_arguments {
            types.entry(kind.clone()).or_default().extend(names.iter().cloned());
        }
        for (_, place) in template.given_by_environment() {
            users.entry(place).or_default().insert(template.url.clone());
        }
    }
    let types: BTreeSet<_> = types.into_values().filter(|it| it.len() >= MIN_ARGUMENTS).collect();
    let made_for = |it: &Interface| types.iter().find(|names| names.is_subset(&it.parameters));
    for template in templates {
        let shared = template.given_by_environment();
        let shared = shared.filter(|(_, place)| users.get(place).is_some_and(|it| it.len() > 1));
        let shared: HashSet<String> = shared.map(|(name, _)| name.to_owned()).collect();
        let CheckedTemplate { interfaces, sources, deployment, findings, .. } = template;
        let own = template.source;
        findings.retain(|finding| {
            let Some(span) = finding.span() else { return true };
            let Some(interface) = interfaces.get(&span.source) else { return true };
            let implements = implementing.contains(&interface.url);
            if finding.code == crate::codes::UNUSED_PARAMETER {
                let name = sources.text(span.source).get(span.range()).unwrap_or_default();
                let name = name.trim_matches(['"', '\'']);
                let is_passed = made_for(interface).is_some_and(|names| names.contains(name));
                return !(implements
                    || is_passed
                    || own == Some(span.source) && shared.contains(name));
            }
            let is_root = deployment.is_some() || !implements && made_for(interface).is_none();
            finding.code != crate::codes::SECRET_IN_OUTPUT || is_root
        });
    }
}

/// What some of the templates use of an environment of the command line is not without use in the others. A deployment
/// of the configuration says what its templates have.
fn drop_foreign_parameters(templates: &mut [CheckedTemplate]) {
    let is_common = |it: &CheckedTemplate| it.deployment.is_none();
    let readable = templates.iter().filter(|it| is_common(it) && !it.url.is_empty()).count();
    let mut reports: HashMap<String, usize> = HashMap::new();
    let codes = [
        heat_engine::codes::UNKNOWN_PARAMETER,
        crate::codes::UNUSED_DEFAULT,
        crate::codes::UNUSED_REGISTRY_ENTRY,
    ];
    let is_foreign = |finding: &Diagnostic| codes.contains(&finding.code);
    for template in templates.iter().filter(|it| is_common(it)) {
        for finding in template.findings.iter().filter(|it| is_foreign(it)) {
            *reports.entry(finding.message.clone()).or_default() += 1;
        }
    }
    for template in templates.iter_mut().filter(|it| is_common(it)) {
        template.findings.retain(|finding| {
            !is_foreign(finding) || reports.get(&finding.message).is_none_or(|it| *it == readable)
        });
    }
}

//! Selects the candidate of the resource registry that has the capabilities listed in `requires`.
//!
//! The rules are those of Heat's specification of template capabilities, which Heat never implemented. A
//! list in the registry is replaced by the one candidate that matches, before the environments are merged:
//! later stages see a single entry, as Heat does.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::collect::{FileCollector, FileContent};
use super::location::Location;
use super::registry::{ACTIONS_KEY, HOOKS_KEY};
use super::sections::{REGISTRY, REQUIRES};
use super::tree::{
    EarlierOutcome, EarlierValue, EnvironmentMap, EnvironmentNode, EnvironmentValue, as_json,
};
use heat_template::hot::{DocumentKind, lower, recognize};
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, Span};

/// The capability that lists the resource types that a template can implement.
pub const RESOURCE_TYPE: &str = "resource_type";

/// Capabilities by name, with their values.
pub type Capabilities = IndexMap<String, Vec<String>>;

/// What `requires` lists: by name, the values of which one is required, with the place.
type Requirements = IndexMap<String, (Vec<String>, Span)>;

/// A list of candidates in the registry, and the result of the selection.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateList {
    /// The keys of its path in the registry; the last one is the type.
    pub path: Vec<String>,
    /// The list as it is written.
    pub node: EnvironmentNode,
    /// The candidates, each with its mismatches.
    pub candidates: Vec<Candidate>,
}

/// A candidate: one of several templates or types.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The file or the type, as written.
    pub node: EnvironmentNode,
    /// The declared capabilities; empty for a type.
    pub capabilities: Capabilities,
    /// The reasons why it cannot be selected; empty if it matches.
    pub mismatches: Vec<CandidateMismatch>,
}

/// The reason why a candidate does not match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CandidateMismatch {
    /// The file cannot be read.
    #[error("it cannot be read")]
    Unreadable,
    /// The file is not a template.
    #[error("it is not a template")]
    NotATemplate,
    /// It implements other types.
    #[error("it implements only {}", .0.join(", "))]
    Type(Vec<String>),
    /// It does not declare a capability that another candidate declares.
    #[error("it does not declare `{key}`, which must be {}", one_of(wanted))]
    Undeclared {
        /// The name of the capability.
        key: String,
        /// The values of which one is required.
        wanted: Vec<String>,
    },
    /// It declares other values than required.
    #[error("its `{key}` is {}, but must be {}", one_of(declared), one_of(wanted))]
    Differs {
        /// The name of the capability.
        key: String,
        /// The values that the candidate declares.
        declared: Vec<String>,
        /// The values of which one is required.
        wanted: Vec<String>,
    },
}

impl CandidateList {
    /// The resource type that the list is for.
    pub fn resource_type(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// The candidate that matches, if it is the only one.
    pub fn chosen(&self) -> Option<&Candidate> {
        let mut matching = self.matching();
        matching.next().filter(|_| matching.next().is_none())
    }

    /// All candidates that match.
    pub fn matching(&self) -> impl Iterator<Item = &Candidate> {
        self.candidates.iter().filter(|candidate| candidate.mismatches.is_empty())
    }

    fn finding(&self, required: &Requirements) -> Option<Diagnostic> {
        let name = self.resource_type();
        if self.candidates.is_empty() {
            let message = format!("the list of candidates for `{name}` is empty");
            return Some(
                Diagnostic::new(crate::codes::EMPTY_CANDIDATES, message).at(self.node.span),
            );
        }
        let matching: Vec<&Candidate> = self.matching().collect();
        let mut finding = match matching.as_slice() {
            [_] => return None,
            [] => {
                let message = format!("no candidate for `{name}` meets the requirements");
                Diagnostic::new(crate::codes::NO_CANDIDATE, message).at(self.node.span)
            }
            several => {
                let message = format!("{} candidates for `{name}` match", several.len());
                let finding = Diagnostic::new(crate::codes::AMBIGUOUS_CANDIDATES, message);
                finding.at(self.node.span).help(distinguishing_requirement(several, required))
            }
        };
        for candidate in &self.candidates {
            let message = match candidate.mismatches.as_slice() {
                [] if candidate.capabilities.is_empty() => "matches, declares nothing".to_owned(),
                [] => format!("matches: {}", spelled(&candidate.capabilities)),
                lacks => {
                    lacks.iter().map(CandidateMismatch::to_string).collect::<Vec<_>>().join("; ")
                }
            };
            finding = finding.related(candidate.node.span, message);
        }
        Some(finding)
    }
}

/// Additions to `requires` that would leave only one candidate.
fn distinguishing_requirement(matching: &[&Candidate], required: &Requirements) -> String {
    let declared: Vec<&Capabilities> = matching.iter().map(|it| &it.capabilities).collect();
    let keys = distinguishing(&declared);
    // To require again what all of them match changes nothing.
    let (matched, keys): (Vec<&str>, Vec<&str>) =
        keys.into_iter().partition(|key| required.contains_key(*key));
    if let ([], [key, ..]) = (&*keys, &*matched) {
        return format!(
            "all of them match the required `{key}`: declare it more narrowly, or keep only one of them"
        );
    }
    if keys.is_empty() {
        return "their declarations do not distinguish them; keep only one of them".to_owned();
    }
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    format!("they differ in {}: add that to `requires`", keys.join(", "))
}

/// The capabilities in which candidates differ, so that requiring one can select between them.
pub fn distinguishing<'c>(candidates: &[&'c Capabilities]) -> Vec<&'c str> {
    let mut keys: Vec<&str> = Vec::new();
    for key in candidates.iter().flat_map(|declared| declared.keys()) {
        let first = candidates.first().and_then(|first| first.get(key));
        let differs = candidates.iter().any(|declared| declared.get(key) != first);
        if differs && key != RESOURCE_TYPE && !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    keys
}

fn spelled(capabilities: &Capabilities) -> String {
    let pairs = capabilities.iter().map(|(key, values)| format!("`{key}` is {}", one_of(values)));
    pairs.collect::<Vec<_>>().join(", ")
}

fn one_of(values: &[String]) -> String {
    let shown = |value: &String| if value.is_empty() { "empty".to_owned() } else { value.clone() };
    match values {
        [] => "nothing".to_owned(),
        values => values.iter().map(shown).collect::<Vec<_>>().join(" or "),
    }
}

/// Whether two lists have an item in common.
pub fn intersect(one: &[String], other: &[String]) -> bool {
    one.iter().any(|item| other.contains(item))
}

/// Whether a template can implement a type, or a pattern of types.
pub fn serves(declared: &Capabilities, resource_type: &str) -> bool {
    declared.get(RESOURCE_TYPE).is_none_or(|types| {
        types.iter().any(|served| match resource_type.strip_suffix('*') {
            Some(prefix) => served.starts_with(prefix),
            None => served == resource_type,
        })
    })
}

/// The capabilities that a template declares, and findings about them. Templates in other dialects than HOT declare
/// nothing.
pub fn declared(document: &Document) -> Result<(Capabilities, Vec<Diagnostic>), Box<Diagnostic>> {
    match recognize(document) {
        DocumentKind::Hot { version, node, .. } => {
            let lowered = lower(document, version, node);
            let root = document.root();
            let section =
                root.and_then(|root| document.get(root, heat_template::hot::CAPABILITIES));
            let Some(section) = section else { return Ok((Capabilities::new(), Vec::new())) };
            let span = document.span(section);
            let mut findings = lowered.findings;
            // The key of the section is outside: that Heat does not know it is reported elsewhere.
            findings.retain(|finding| finding.span().is_some_and(|it| span.contains(it)));
            let mut capabilities = Capabilities::new();
            for entry in document.entries(section) {
                let Some(name) = document.str(entry.key) else { continue };
                let node = as_json(document, entry.value)?;
                capabilities.insert(name.to_owned(), items(&node).iter().map(compared).collect());
            }
            Ok((capabilities, findings))
        }
        DocumentKind::Cfn { .. } => Ok((Capabilities::new(), Vec::new())),
        DocumentKind::Other(finding) | DocumentKind::Invalid(finding) => Err(finding),
    }
}

/// The values of a capability: the items of a list, or the only value.
fn items(node: &EnvironmentNode) -> &[EnvironmentNode] {
    match &node.value {
        EnvironmentValue::List(items) => items,
        _ => std::slice::from_ref(node),
    }
}

/// The string as which a value is compared.
fn compared(item: &EnvironmentNode) -> String {
    match item.as_text() {
        Some(text) => text.into_owned(),
        None if item.is_null() => String::new(),
        None => item.to_json().to_string(),
    }
}

/// Whether there is any list of candidates in a registry.
pub(super) fn has_candidates(registry: &EnvironmentMap) -> bool {
    registry.iter().any(|(key, node)| match &node.value {
        EnvironmentValue::List(_) => is_type(key),
        EnvironmentValue::Map(map) => has_candidates(map),
        _ => false,
    })
}

/// Whether a key is a type; hooks and restricted actions may have lists, too.
fn is_type(key: &str) -> bool {
    key != HOOKS_KEY && key != ACTIONS_KEY
}

/// Selects from every list of a merged environment. The candidates are read through the collector,
/// but only the selected ones are searched for further files and sent along.
pub(super) fn choose_candidates(
    sections: &EnvironmentMap,
    collector: &mut FileCollector<'_, '_>,
) -> Vec<CandidateList> {
    let requires = required(sections.get(REQUIRES), &mut collector.findings);
    let mut resolver =
        CandidateResolver { requires, collector, read: HashMap::new(), choices: Vec::new() };
    if let Some(registry) = sections.get(REGISTRY).and_then(EnvironmentNode::as_map) {
        resolver.scope(&mut Vec::new(), registry);
    }
    resolver.choices
}

/// The requirements with the spans of their names.
fn required(
    section: Option<&EnvironmentNode>,
    findings: &mut Vec<Diagnostic>,
) -> IndexMap<String, (Vec<String>, Span)> {
    let mut required = IndexMap::new();
    for (key, node) in section.and_then(EnvironmentNode::as_map).into_iter().flatten() {
        let items = items(node);
        for item in items.iter().filter(|item| item.as_text().is_none()) {
            let message = format!("a value of `{key}` is not a string");
            let label = match compared(item) {
                text if text.is_empty() => "compared as an empty string".to_owned(),
                text => format!("compared as `{text}`"),
            };
            findings.push(
                Diagnostic::new(heat_template::codes::CAPABILITY_SHAPE, message)
                    .labeled(item.span, label),
            );
        }
        required.insert(key.clone(), (items.iter().map(compared).collect(), node.key));
    }
    required
}

struct CandidateResolver<'c, 'a, 'f> {
    requires: Requirements,
    collector: &'c mut FileCollector<'a, 'f>,
    /// The capabilities of the templates, by their URLs.
    read: HashMap<String, Capabilities>,
    choices: Vec<CandidateList>,
}

impl CandidateResolver<'_, '_, '_> {
    fn scope(&mut self, path: &mut Vec<String>, scope: &EnvironmentMap) {
        for (key, node) in scope {
            path.push(key.clone());
            match &node.value {
                EnvironmentValue::Map(map) => self.scope(path, map),
                // A list with other values than texts is invalid as an entry.
                EnvironmentValue::List(items)
                    if is_type(key) && items.iter().all(|item| item.as_text().is_some()) =>
                {
                    self.list(path, node, items);
                }
                _ => {}
            }
            path.pop();
        }
    }

    fn list(&mut self, path: &[String], node: &EnvironmentNode, items: &[EnvironmentNode]) {
        let mut candidates: Vec<Candidate> = Vec::new();
        for item in items {
            // A candidate that occurs twice counts once.
            if candidates.iter().any(|candidate| candidate.node.value == item.value) {
                continue;
            }
            let (declares, lacks) = match self.declares(item) {
                Ok(declares) => (declares, Vec::new()),
                Err(lack) => (Capabilities::new(), vec![lack]),
            };
            candidates.push(Candidate {
                node: item.clone(),
                capabilities: declares,
                mismatches: lacks,
            });
        }
        let mut choice = CandidateList { path: path.to_vec(), node: node.clone(), candidates };
        self.check_candidates(&mut choice);
        self.collector.findings.extend(choice.finding(&self.requires));
        self.choices.push(choice);
    }

    /// Records the mismatches of every candidate.
    fn check_candidates(&mut self, choice: &mut CandidateList) {
        let resource_type = choice.resource_type().to_owned();
        let knows =
            |key: &String| choice.candidates.iter().any(|it| it.capabilities.contains_key(key));
        let (known, ignored): (Vec<_>, Vec<_>) =
            self.requires.iter().partition(|(key, _)| knows(key));
        if !choice.candidates.is_empty() {
            for (key, (_, span)) in ignored {
                let message = format!("no candidate for `{resource_type}` declares `{key}`");
                self.collector.findings.push(
                    Diagnostic::new(crate::codes::REQUIREMENT_IGNORED, message)
                        .labeled(*span, "this requirement is ignored")
                        .related(choice.node.key, "the candidates"),
                );
            }
        }
        for candidate in choice.candidates.iter_mut().filter(|it| it.mismatches.is_empty()) {
            if !serves(&candidate.capabilities, &resource_type) {
                let types = candidate.capabilities.get(RESOURCE_TYPE).cloned().unwrap_or_default();
                candidate.mismatches.push(CandidateMismatch::Type(types));
            }
            for (key, (wanted, _)) in &known {
                let (key, wanted) = ((*key).clone(), wanted.clone());
                match candidate.capabilities.get(&key) {
                    Some(declared) if intersect(declared, &wanted) => {}
                    Some(declared) => {
                        let declared = declared.clone();
                        candidate.mismatches.push(CandidateMismatch::Differs {
                            key,
                            declared,
                            wanted,
                        });
                    }
                    None => {
                        candidate.mismatches.push(CandidateMismatch::Undeclared { key, wanted })
                    }
                }
            }
        }
    }

    fn declares(&mut self, item: &EnvironmentNode) -> Result<Capabilities, CandidateMismatch> {
        let EnvironmentValue::File(location) = &item.value else { return Ok(Capabilities::new()) };
        if let Some(known) = self.read.get(location.url()) {
            return Ok(known.clone());
        }
        let declares = self.read_file(location, item.span)?;
        self.read.insert(location.url().to_owned(), declares.clone());
        Ok(declares)
    }

    fn read_file(
        &mut self,
        location: &Location,
        span: Span,
    ) -> Result<Capabilities, CandidateMismatch> {
        let (_, content) =
            self.collector.content(location, span).ok_or(CandidateMismatch::Unreadable)?;
        let FileContent::Template(document) = content else {
            return Err(CandidateMismatch::NotATemplate);
        };
        let (capabilities, findings) =
            declared(&document).map_err(|_| CandidateMismatch::NotATemplate)?;
        self.collector.findings.extend(findings);
        Ok(capabilities)
    }
}

/// Replaces the lists with the selected candidates. Lists without a unique match stay.
pub(super) fn replace(registry: &mut EnvironmentMap, choices: &[CandidateList]) {
    for (key, node) in registry {
        match &mut node.value {
            EnvironmentValue::Map(map) => replace(map, choices),
            EnvironmentValue::List(_) if is_type(key) => {
                // The key's span distinguishes lists that an alias shares.
                let choice = choices.iter().find(|choice| choice.node.key == node.key);
                if let Some(chosen) = choice.and_then(CandidateList::chosen) {
                    let mut one = chosen.node.clone();
                    one.key = node.key;
                    let list = std::mem::replace(node, one);
                    node.earlier
                        .push(EarlierValue { node: list, outcome: EarlierOutcome::Candidate });
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::registry::Implementation;
    use super::super::{Environment, EnvironmentInputs, FileAccess, MergeSide};
    use super::*;
    use heat_template::schema::Schema;
    use lossless_yaml::Limits;
    use source_diagnostics::SourceMap;
    use source_files::MemoryFiles;

    const TEMPLATES: [(&str, &str); 8] = [
        ("puppet.yaml", "capabilities: {deployment: puppet, ha: [pacemaker, keepalived]}"),
        ("docker.yaml", "capabilities: {deployment: docker, color: red}"),
        ("both.yaml", "capabilities: {deployment: [puppet, docker]}"),
        ("typed.yaml", "capabilities: {deployment: puppet, resource_type: [A::B, A::C]}"),
        ("plain.yaml", "description: declares nothing"),
        ("wrong.yaml", "capabilities: {deployment: 5, ha: [pacemaker, {}]}"),
        ("list.yaml", "capabilities: [deployment]"),
        ("odd.yaml", "capabilities: {ha: yes, size: 3.5, color: }"),
    ];

    fn load(environments: &[&str], merge: MergeSide) -> Environment {
        let mut files: Vec<(String, String)> = TEMPLATES
            .iter()
            .map(|(name, text)| {
                ((*name).to_owned(), format!("heat_template_version: 2015-10-15\n{text}\n"))
            })
            .collect();
        files.push(("text.yaml".to_owned(), "no: template\n".to_owned()));
        let paths = (0..environments.len()).map(|at| format!("e{at}"));
        files.extend(paths.clone().zip(environments.iter().map(|text| (*text).to_owned())));
        let files: MemoryFiles = files.into_iter().collect();
        let environments =
            paths.map(|path| Location::from_argument(path.as_ref(), &files)).collect();
        let request =
            EnvironmentInputs { environments, merge, ..EnvironmentInputs::new(Schema::heat()) };
        let (limits, mut sources) = (Limits::default(), SourceMap::default());
        Environment::load(&request, None, &mut FileAccess::new(&files), &limits, &mut sources)
            .expect("no arguments")
    }

    /// The target of `A::B`, or the codes of the errors.
    fn chosen(requires: &str, list: &str) -> String {
        let environment = format!("requires: {requires}\nresource_registry: {{'A::B': {list}}}\n");
        shown(&load(&[&environment], MergeSide::Server), "A::B")
    }

    fn shown(environment: &Environment, resource_type: &str) -> String {
        let errors = environment.findings.iter().filter(|finding| finding.is_error());
        let errors: Vec<String> = errors.map(|finding| finding.code.to_string()).collect();
        if !errors.is_empty() {
            return errors.join(" ");
        }
        let name = |node: &EnvironmentNode| match &node.value {
            EnvironmentValue::File(location) => location.to_string(),
            _ => node.as_text().unwrap_or_default().into_owned(),
        };
        match environment.registry.lookup(resource_type, None) {
            Ok(Implementation::Template(_, Some(entry))) => name(&entry.node),
            Ok(Implementation::Plugin(name, _)) => name.to_owned(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_candidate_matches_or_it_is_an_error() {
        for (requires, list, expected) in [
            // The specification's own example.
            ("{deployment: puppet}", "[puppet.yaml, docker.yaml]", "puppet.yaml"),
            ("{deployment: docker}", "[puppet.yaml, docker.yaml]", "docker.yaml"),
            ("{deployment: ansible}", "[puppet.yaml, docker.yaml]", "HP0521"),
            ("{}", "[puppet.yaml, docker.yaml]", "HP0522"),
            ("{}", "[puppet.yaml]", "puppet.yaml"),
            ("{}", "[]", "HP0523"),
            // A list matches on any common item, on either side.
            ("{ha: pacemaker}", "[puppet.yaml, docker.yaml]", "puppet.yaml"),
            ("{deployment: [ansible, docker]}", "[puppet.yaml, docker.yaml]", "docker.yaml"),
            ("{ha: [x, keepalived]}", "[puppet.yaml, docker.yaml]", "puppet.yaml"),
            ("{deployment: puppet}", "[both.yaml, puppet.yaml]", "HP0522"),
            ("{deployment: []}", "[puppet.yaml, docker.yaml]", "HP0521"),
            // Every required key that concerns the list has to match.
            ("{deployment: puppet, ha: x}", "[puppet.yaml, docker.yaml]", "HP0521"),
            // A key that no candidate declares does not concern it.
            ("{deployment: puppet, size: big}", "[puppet.yaml, docker.yaml]", "puppet.yaml"),
            ("{size: big}", "[plain.yaml]", "plain.yaml"),
            // A candidate without a key that another one declares does not match.
            ("{color: red}", "[both.yaml, docker.yaml]", "docker.yaml"),
            ("{deployment: puppet}", "[plain.yaml, both.yaml]", "both.yaml"),
            ("{}", "[plain.yaml, both.yaml]", "HP0522"),
            // Types declare nothing.
            ("{deployment: puppet}", "[OS::Heat::None, puppet.yaml]", "puppet.yaml"),
            ("{deployment: puppet}", "[OS::Heat::None]", "OS::Heat::None"),
            // A candidate that occurs twice counts once.
            ("{}", "[plain.yaml, plain.yaml]", "plain.yaml"),
            // An unreadable file or one that is not a template does not match; the former is also an error.
            ("{}", "[text.yaml, plain.yaml]", "plain.yaml"),
            ("{}", "[text.yaml]", "HP0521"),
            ("{}", "[missing.yaml, plain.yaml]", "HP0001"),
            // Values of any kind are compared as strings.
            ("{deployment: [puppet, 5]}", "[wrong.yaml, docker.yaml]", "wrong.yaml"),
            ("{deployment: '5'}", "[wrong.yaml, docker.yaml]", "wrong.yaml"),
            ("{ha: [{}]}", "[wrong.yaml, puppet.yaml]", "wrong.yaml"),
            ("{ha: true}", "[odd.yaml, puppet.yaml]", "odd.yaml"),
            ("{ha: on}", "[odd.yaml, puppet.yaml]", "odd.yaml"),
            ("{ha: 'yes'}", "[odd.yaml, puppet.yaml]", "HP0521"),
            ("{size: 3.50}", "[odd.yaml, plain.yaml]", "odd.yaml"),
            ("{color: }", "[odd.yaml, docker.yaml]", "odd.yaml"),
            ("{color: ''}", "[odd.yaml, docker.yaml]", "odd.yaml"),
            // Wrong shapes are found where they are.
            ("[deployment]", "[plain.yaml]", "HP0505"),
            ("{}", "[list.yaml]", "HP0207"),
            ("{}", "[plain.yaml, 5]", "HP0506"),
        ] {
            assert_eq!(chosen(requires, list), expected, "{requires} {list}");
        }
    }

    #[test]
    fn a_candidate_for_other_types_is_out() {
        for (key, expected) in [("A::B", "HP0522"), ("A::C", "HP0522"), ("A::D", "puppet.yaml")] {
            let environment = format!(
                "requires: {{deployment: puppet}}\nresource_registry: {{'{key}': [typed.yaml, puppet.yaml]}}\n"
            );
            assert_eq!(shown(&load(&[&environment], MergeSide::Server), key), expected, "{key}");
        }
        let typed = Capabilities::from([("resource_type".to_owned(), vec!["A::B".to_owned()])]);
        assert!(serves(&typed, "A::*") && !serves(&typed, "B::*"));
    }

    #[test]
    fn requirements_and_lists_may_come_from_different_files() {
        let registry = "resource_registry: {'A::B': [puppet.yaml, docker.yaml]}\n";
        let (puppet, docker) =
            ("requires: {deployment: puppet}\n", "requires: {deployment: docker}\n");
        for merge in [MergeSide::Server, MergeSide::Client] {
            let of = |environments: &[&str]| shown(&load(environments, merge), "A::B");
            assert_eq!(of(&[puppet, registry]), "puppet.yaml");
            assert_eq!(of(&[registry, puppet, docker]), "docker.yaml");
            // An overridden requirement does not count.
            let later = "resource_registry: {'A::B': plain.yaml}\n";
            assert_eq!(of(&[registry, later]), "plain.yaml");
        }
    }

    #[test]
    fn only_what_is_chosen_is_sent_and_the_list_is_remembered() {
        let environment = load(
            &[
                "requires: {deployment: docker}\nresource_registry:\n  resources: {web: {'A::B': [puppet.yaml, docker.yaml], hooks: [pre-create]}}\n",
            ],
            MergeSide::Server,
        );
        let files: Vec<String> =
            environment.files.iter().map(|file| file.location.to_string()).collect();
        assert_eq!(files, ["docker.yaml"]);
        let [choice] = environment.candidate_lists.as_slice() else { panic!("one list") };
        assert_eq!(choice.path, ["resources", "web", "A::B"]);
        let lacks: Vec<usize> = choice.candidates.iter().map(|it| it.mismatches.len()).collect();
        assert_eq!(lacks, [1, 0]);
        let entries = environment.registry.entries();
        assert_eq!(entries[0].node.earlier[0].outcome, EarlierOutcome::Candidate);
    }
}

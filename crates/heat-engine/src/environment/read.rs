//! Reads one environment file as Heat's client does before it sends it.
//!
//! Heat's rules: `docs/heat.md#sections-of-an-environment`, `docs/heat.md#files-of-the-registry`.

use super::access::FileAccess;
use super::location::{BaseFolder, Location};
use super::registry::{ACTIONS_KEY, BASE_URL, HOOKS_KEY, RESOURCES};
use super::sections::{self, REGISTRY};
use super::tree::{EnvironmentMap, EnvironmentNode, EnvironmentValue, as_json};
use lossless_yaml::{
    Document, Entry, Limits, NodeId, NodeKind, decode_into, read_yaml, scan_all_values,
};
use source_diagnostics::{Diagnostic, SourceId, SourceMap, Span, did_you_mean, redacted};

/// An environment file as the client sends it: keys are text, references to files are resolved.
#[derive(Clone, Debug)]
pub struct EnvironmentFile {
    /// The location of the file.
    pub location: Location,
    /// The id of its source.
    pub source: SourceId,
    /// The sections that Heat knows; null ones are included.
    pub sections: EnvironmentMap,
}

/// The maximum number of nodes visited to find the spans of all values of a file, through aliases repeatedly. If
/// this is not enough, the whole text counts as secret.
const MAX_VISITED_NODES: usize = 1_000_000;

/// A value in the text of an environment, even if it has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenValue {
    /// The name of the parameter; `None` if it is unknown.
    pub name: Option<String>,
    /// The span of the value.
    pub span: Span,
}

/// Reads a file. `None` if it is invalid; the findings say why. `written` then has its values,
/// too.
pub fn read_environment(
    location: &Location,
    access: &FileAccess<'_>,
    limits: &Limits,
    sources: &mut SourceMap,
    written: &mut Vec<WrittenValue>,
    findings: &mut Vec<Diagnostic>,
) -> Option<EnvironmentFile> {
    let bytes = match access.read_named(location) {
        Ok(bytes) => bytes,
        Err(finding) => {
            findings.push(*finding);
            return None;
        }
    };
    let source = sources.next_id();
    let document = decode_into(sources, location.to_string(), bytes)
        .and_then(|(source, text)| read_yaml(source, text, limits));
    let document = match document {
        Ok(document) => document,
        Err(finding) => {
            let values = scan_all_values(source, sources.text(source), is_public);
            let values = values.into_iter();
            let value = |(name, span): (Option<&str>, Span)| WrittenValue {
                name: name.map(str::to_owned),
                span,
            };
            written.extend(values.map(value));
            findings.push(*finding);
            return None;
        }
    };
    let first = written.len();
    values(&document, written);
    let values: Vec<Span> = written[first..].iter().map(|value| value.span).collect();
    findings.extend(redacted(document.findings(), &values));
    if document
        .findings()
        .iter()
        .any(|finding| finding.code == lossless_yaml::codes::RECURSIVE_ALIAS)
    {
        return None;
    }
    let sections = match document.root().map(|root| (root, document.kind(root))) {
        None | Some((_, NodeKind::Null)) => EnvironmentMap::new(),
        Some((root, NodeKind::Mapping(_))) => sections_of(&document, root, location, findings),
        Some((root, _)) => {
            let message = "an environment must be a map of sections";
            findings.push(
                Diagnostic::new(crate::codes::NOT_AN_ENVIRONMENT, message).at(document.span(root)),
            );
            return None;
        }
    };
    Some(EnvironmentFile { location: location.clone(), source, sections })
}

fn sections_of(
    document: &Document,
    root: NodeId,
    location: &Location,
    findings: &mut Vec<Diagnostic>,
) -> EnvironmentMap {
    let mut found = EnvironmentMap::new();
    for entry in document.entries(root) {
        let span = document.span(entry.key);
        let Some(name) = document.str(entry.key).filter(|name| sections::is_known(name)) else {
            findings.push(unknown_section(document, entry.key, span));
            continue;
        };
        if name == sections::REQUIRES {
            let message = "hotplate uses `requires` to select candidates of the resource registry; Heat refuses it";
            findings.push(Diagnostic::new(crate::codes::HEAT_REFUSES_SECTION, message).at(span));
        }
        match as_json(document, entry.value) {
            Ok(mut node) => {
                node.key = span;
                if name == REGISTRY {
                    resolve_registry(&mut node, location, findings);
                }
                found.insert(name.to_owned(), node);
            }
            Err(finding) => findings.push(*finding),
        }
    }
    found
}

/// Whether a section contains no parameter values.
fn is_public(section: &str) -> bool {
    section != sections::PARAMETERS && section != sections::DEFAULTS && sections::is_known(section)
}

/// The values of an environment as they are written.
fn values(document: &Document, found: &mut Vec<WrittenValue>) {
    // A line with a percent sign may be a misplaced part of a password.
    found.extend(document.unknown_directives().map(|span| WrittenValue { name: None, span }));
    let Some(root) = document.root() else { return };
    let entries = |id| match document.kind(id) {
        NodeKind::Mapping(mapping) => Some(mapping.written()),
        _ => None,
    };
    let mut budget = MAX_VISITED_NODES;
    let mut add = |name: Option<&str>, value: NodeId| {
        let places = document.all_spans(value, &mut budget).into_iter();
        found.extend(places.map(|span| WrittenValue { name: name.map(str::to_owned), span }));
    };
    let Some(all) = entries(root) else { return add(None, root) };
    for section in all {
        let name = document.str(section.key);
        if name.is_some_and(is_public) {
            continue;
        }
        match entries(section.value).filter(|_| name.is_some_and(sections::is_known)) {
            Some(pairs) => {
                for Entry { key, value } in pairs {
                    add(document.str(*key), *value);
                }
            }
            None => add(None, section.value),
        }
    }
}

fn unknown_section(document: &Document, key: NodeId, span: Span) -> Diagnostic {
    let message = match document.str(key) {
        Some(name) => {
            let shown: String = name.chars().take(40).collect();
            format!("environment has wrong section `{shown}`")
        }
        None => "environment has a section whose name is not a string".to_owned(),
    };
    let finding = Diagnostic::new(crate::codes::UNKNOWN_ENVIRONMENT_SECTION, message).at(span);
    match document.str(key).and_then(|name| did_you_mean(name, sections::names())) {
        Some(near) => finding.did_you_mean(near),
        None if document.str(key) == Some("heat_template_version") => {
            finding.help("this looks like a template; pass the environment instead")
        }
        None => finding,
    }
}

/// Resolves the files of a registry as the client does: at its top level, and for each name under
/// `resources`.
fn resolve_registry(
    node: &mut EnvironmentNode,
    location: &Location,
    findings: &mut Vec<Diagnostic>,
) {
    let (span, kind) = (node.span, node.kind());
    let map = match &mut node.value {
        EnvironmentValue::Null => return,
        EnvironmentValue::Map(map) => map,
        _ => {
            let message = format!("`{REGISTRY}` must be a map, but this is {kind}");
            findings
                .push(Diagnostic::new(crate::codes::ENVIRONMENT_SECTION_SHAPE, message).at(span));
            node.value = EnvironmentValue::Map(EnvironmentMap::new());
            return;
        }
    };
    let base = base_of(map, findings).unwrap_or_else(|| location.folder());
    resolve_entries(map, &base, findings);
    let Some(resources) = map.get_mut(RESOURCES) else { return };
    let EnvironmentValue::Map(names) = &mut resources.value else {
        let message = format!("`{RESOURCES}` must be a map, but this is {}", resources.kind());
        findings.push(refused(&message, resources.span));
        map.shift_remove(RESOURCES);
        return;
    };
    for (name, scope) in names.iter_mut() {
        let (span, kind) = (scope.span, scope.kind());
        let EnvironmentValue::Map(entries) = &mut scope.value else {
            findings.push(refused(
                &format!("`{name}` must be a map of types, but this is {kind}"),
                span,
            ));
            continue;
        };
        let base = base_of(entries, findings).unwrap_or_else(|| base.clone());
        resolve_entries(entries, &base, findings);
    }
    // Invalid entries are dropped, so that they are reported once.
    names.retain(|_, scope| matches!(scope.value, EnvironmentValue::Map(_)));
}

fn base_of(map: &EnvironmentMap, findings: &mut Vec<Diagnostic>) -> Option<BaseFolder> {
    let base_url = map.get(BASE_URL)?;
    match &base_url.value {
        EnvironmentValue::Text(url) if !url.is_empty() => return Some(BaseFolder::of_url(url)),
        // Nothing can be read from there.
        EnvironmentValue::Text(_) => return Some(BaseFolder::of_url("")),
        _ => {}
    }
    findings.push(refused(
        &format!("`{BASE_URL}` must be a string, but this is {}", base_url.kind()),
        base_url.span,
    ));
    None
}

fn resolve_entries(map: &mut EnvironmentMap, base: &BaseFolder, findings: &mut Vec<Diagnostic>) {
    let mut refuse = Vec::new();
    for (key, node) in map.iter_mut() {
        let (span, kind) = (node.span, node.kind());
        match &mut node.value {
            // Any other value was reported already.
            value if key == BASE_URL => {
                if !matches!(value, EnvironmentValue::Text(_)) {
                    refuse.push(key.clone());
                }
            }
            _ if key == RESOURCES => {}
            EnvironmentValue::Map(_) => {}
            EnvironmentValue::Null
            | EnvironmentValue::Bool(_)
            | EnvironmentValue::Int(_)
            | EnvironmentValue::Float(_) => {
                findings.push(refused(
                    &format!("Heat's client fails on {kind} as the value of `{key}`"),
                    span,
                ));
                refuse.push(key.clone());
            }
            _ if key == HOOKS_KEY || key == ACTIONS_KEY => {}
            EnvironmentValue::List(items) => {
                let message = format!("`{key}` has a list of candidates; Heat refuses it");
                findings
                    .push(Diagnostic::new(crate::codes::HEAT_REFUSES_SECTION, message).at(span));
                items.iter_mut().for_each(|item| resolve_text(&mut item.value, base));
            }
            value => resolve_text(value, base),
        }
    }
    map.retain(|key, _| !refuse.contains(key));
}

/// Resolves a text without `::`, which refers to a file.
fn resolve_text(value: &mut EnvironmentValue, base: &BaseFolder) {
    if let EnvironmentValue::Text(text) = value
        && !text.contains("::")
    {
        *value = EnvironmentValue::File(base.resolve(text));
    }
}

fn refused(message: &str, span: Span) -> Diagnostic {
    Diagnostic::new(crate::codes::REGISTRY_ENTRY, message).at(span)
}

/// The registry at a node, for tests of what comes after it.
#[cfg(test)]
pub(super) fn resolved_registry(
    document: &Document,
    node: NodeId,
    location: &Location,
) -> (EnvironmentMap, Vec<Diagnostic>) {
    let mut node = as_json(document, node).expect("JSON");
    let mut findings = Vec::new();
    resolve_registry(&mut node, location, &mut findings);
    findings.retain(Diagnostic::is_error);
    (node.as_map().cloned().unwrap_or_default(), findings)
}

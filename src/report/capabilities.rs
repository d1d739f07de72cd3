//! Reports about capabilities of templates and the candidates chosen by them, as text, YAML and JSON.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::json::Finding;
use super::{SourceLocator, escape};
use crate::resolved_tree::ResolvedTree;
use heat_engine::environment::capabilities::{RESOURCE_TYPE, distinguishing};
use heat_engine::environment::registry::{BASE_URL, RESOURCES};
use heat_engine::environment::sections::REGISTRY;
use heat_engine::environment::{
    Candidate, CandidateList, CandidateMismatch, Capabilities, EnvironmentMap, EnvironmentNode,
    EnvironmentValue, Registry,
};
use lossless_yaml::Value;
use lossless_yaml::yaml::writer;
use source_diagnostics::Diagnostic;
use source_files::display_name;

/// A template with the capabilities that it declares.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TemplateCapabilities {
    /// The path as displayed to the user.
    pub path: String,
    /// The capabilities that it declares.
    pub capabilities: Capabilities,
}

/// Every capability with its values, and for each type the templates that can implement it, in the order of
/// the templates.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct CapabilitiesSummary {
    /// Maps each capability and value to the templates that declare it.
    capabilities: IndexMap<String, IndexMap<String, Vec<String>>>,
    /// Maps each type to the templates that can implement it.
    resource_types: IndexMap<String, Vec<String>>,
    /// The types with several templates: which one is chosen, and which capabilities decide.
    decisions: Vec<TypeDecision>,
}

/// The choice between several templates for a type.
#[derive(Debug, Serialize, JsonSchema)]
struct TypeDecision {
    /// The type, after the keys of the registry that lead to it.
    path: Vec<String>,
    /// The templates and types between which the choice is; those that match, if an environment requires something.
    candidates: Vec<String>,
    /// The chosen candidate; `null` if the choice is open.
    chosen: Option<String>,
    /// The capabilities that decided, or that can decide an open choice, with their values; empty if none can.
    capabilities: IndexMap<String, Vec<String>>,
}

impl TypeDecision {
    fn of_list(list: &CandidateList) -> Self {
        let chosen = list.chosen().map(|chosen| name(&chosen.node));
        let matching: Vec<&Candidate> = list.matching().collect();
        let declared: Vec<&Capabilities> = matching.iter().map(|it| &it.capabilities).collect();
        let mut keys: Vec<&str> = match &chosen {
            Some(_) => {
                list.candidates.iter().flat_map(|it| &it.mismatches).filter_map(key).collect()
            }
            None => distinguishing(&declared),
        };
        let mut seen = Vec::new();
        keys.retain(|key| {
            !seen.contains(key) && {
                seen.push(key);
                true
            }
        });
        TypeDecision {
            path: list.path.clone(),
            candidates: matching.iter().map(|it| name(&it.node)).collect(),
            chosen,
            capabilities: values(&keys, &declared),
        }
    }

    fn of_templates(resource_type: &str, templates: &[&TemplateCapabilities]) -> Self {
        let declared: Vec<&Capabilities> = templates.iter().map(|it| &it.capabilities).collect();
        TypeDecision {
            path: vec![resource_type.to_owned()],
            candidates: templates.iter().map(|it| it.path.clone()).collect(),
            chosen: None,
            capabilities: values(&distinguishing(&declared), &declared),
        }
    }

    /// One line about the choice.
    fn text(&self) -> String {
        let shown: Vec<String> = self
            .capabilities
            .iter()
            .map(|(key, values)| format!("`{key}` ({})", values.join(", ")))
            .collect();
        let scope = match self.path.split_last() {
            Some((_, scope)) if !scope.is_empty() => format!("{}: ", scope.join("/")),
            _ => String::new(),
        };
        let decision = match (&self.chosen, self.candidates.as_slice(), shown.as_slice()) {
            (Some(chosen), _, []) => format!("chosen: {chosen}, the only one that can be"),
            (Some(chosen), _, by) => format!("chosen: {chosen}, by {}", by.join(" and ")),
            (None, [], _) => "open: no candidate meets the requirements".to_owned(),
            (None, _, []) => "open: the declarations do not distinguish the candidates".to_owned(),
            (None, _, [by]) => format!("open: {by} decides"),
            (None, _, by) => format!("open: {} decide", by.join(" and ")),
        };
        format!("{scope}{decision}")
    }
}

/// The capability that a mismatch is about.
fn key(mismatch: &CandidateMismatch) -> Option<&str> {
    match mismatch {
        CandidateMismatch::Undeclared { key, .. } | CandidateMismatch::Differs { key, .. } => {
            Some(key)
        }
        CandidateMismatch::Type(_) => Some(RESOURCE_TYPE),
        CandidateMismatch::Unreadable | CandidateMismatch::NotATemplate => None,
    }
}

/// The values of some capabilities.
fn values(keys: &[&str], declared: &[&Capabilities]) -> IndexMap<String, Vec<String>> {
    let of = |key: &str| {
        let mut values = Vec::new();
        for value in declared.iter().filter_map(|declared| declared.get(key)).flatten() {
            push_new(&mut values, value);
        }
        values
    };
    keys.iter().map(|key| ((*key).to_owned(), of(key))).collect()
}

impl CapabilitiesSummary {
    /// Summarizes what templates declare; `candidates` are further pairs of type and template, `lists` the lists of
    /// candidates in a registry.
    pub fn new(
        templates: &[TemplateCapabilities],
        candidates: &[(String, String)],
        lists: &[CandidateList],
    ) -> Self {
        let mut summary = CapabilitiesSummary::default();
        for template in templates {
            for (name, values) in &template.capabilities {
                if name == RESOURCE_TYPE {
                    values.iter().for_each(|value| summary.serve(value, &template.path));
                    continue;
                }
                let known = summary.capabilities.entry(name.clone()).or_default();
                for value in values {
                    push_new(known.entry(value.clone()).or_default(), &template.path);
                }
            }
        }
        for (resource_type, path) in candidates {
            summary.serve(resource_type, path);
        }
        let is_listed = |name: &String| lists.iter().any(|list| list.resource_type() == name);
        summary.decisions.extend(lists.iter().map(TypeDecision::of_list));
        for (name, paths) in summary.resource_types.iter().filter(|(name, _)| !is_listed(name)) {
            let templates: Vec<&TemplateCapabilities> =
                templates.iter().filter(|template| paths.contains(&template.path)).collect();
            if templates.len() > 1 {
                summary.decisions.push(TypeDecision::of_templates(name, &templates));
            }
        }
        summary
    }

    fn serve(&mut self, resource_type: &str, path: &str) {
        push_new(self.resource_types.entry(resource_type.to_owned()).or_default(), path);
    }

    /// One line per capability, with its values, and one per type, with its templates.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if !self.capabilities.is_empty() {
            text.push_str("capabilities:\n");
            for (name, values) in &self.capabilities {
                line(&mut text, name, values.keys());
            }
        }
        if !self.resource_types.is_empty() {
            text.push_str("resource types:\n");
            for (name, templates) in &self.resource_types {
                line(&mut text, name, templates.iter());
                let decisions = self.decisions.iter().filter(|it| it.path.last() == Some(name));
                for decision in decisions {
                    text.push_str(&format!("    {}\n", escape::on_one_line(&decision.text())));
                }
            }
        }
        text
    }
}

fn push_new(list: &mut Vec<String>, item: &str) {
    if !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

fn line<'a>(text: &mut String, name: &str, items: impl Iterator<Item = &'a String>) {
    let items: Vec<&str> = items.map(String::as_str).collect();
    let line = format!("{name}: {}", items.join(", "));
    text.push_str(&format!("  {}\n", escape::on_one_line(&line)));
}

/// The JSON report of `list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CapabilitiesList {
    #[serde(flatten)]
    summary: CapabilitiesSummary,
    templates: Vec<TemplateCapabilities>,
    /// The number of files that are not templates.
    skipped: usize,
    diagnostics: Vec<Finding>,
}

impl CapabilitiesList {
    /// The report of templates and findings.
    pub fn new(
        summary: CapabilitiesSummary,
        templates: Vec<TemplateCapabilities>,
        skipped: usize,
        findings: &[Diagnostic],
        places: &mut SourceLocator<'_>,
    ) -> Self {
        let diagnostics = Finding::all(findings, places);
        CapabilitiesList { summary, templates, skipped, diagnostics }
    }
}

/// The JSON report of `find`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CapabilitiesMatches {
    templates: Vec<TemplateCapabilities>,
    /// The number of files that are not templates.
    skipped: usize,
    diagnostics: Vec<Finding>,
}

impl CapabilitiesMatches {
    /// The report of matching templates and findings.
    pub fn new(
        templates: Vec<TemplateCapabilities>,
        skipped: usize,
        findings: &[Diagnostic],
        places: &mut SourceLocator<'_>,
    ) -> Self {
        CapabilitiesMatches { templates, skipped, diagnostics: Finding::all(findings, places) }
    }
}

/// The JSON report of `resolve`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResolvedRegistry {
    /// An environment for Heat; `null` if a candidate could not be chosen.
    environment: Option<serde_json::Value>,
    choices: Vec<RegistryChoice>,
    /// The written files; `null` without `--output`, and if nothing could be written.
    written: Option<WrittenTree>,
    diagnostics: Vec<Finding>,
}

/// The files of a deployment as Heat takes them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WrittenTree {
    /// The path of the template; `null` if none was named.
    template: Option<String>,
    /// The paths of the environments, in the order in which Heat's client must get them.
    environments: Vec<String>,
    /// The paths of all files.
    files: Vec<String>,
}

impl WrittenTree {
    /// The files of a tree that was written into a folder.
    pub fn new(folder: &Path, tree: &ResolvedTree) -> Self {
        let shown = |path: &PathBuf| display_name(&folder.join(path)).into_owned();
        WrittenTree {
            template: tree.template.as_ref().map(shown),
            environments: tree.environments.iter().map(shown).collect(),
            files: tree.files.keys().map(shown).collect(),
        }
    }

    /// How many files were written, and how Heat's client takes them.
    pub fn text(&self, folder: &Path, more_parameters: bool) -> String {
        let count = match self.files.len() {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        let template = self.template.as_deref().unwrap_or("TEMPLATE");
        let environments = self.environments.iter().map(|path| format!(" -e {path}"));
        let create = format!(
            "openstack stack create STACK -t {template}{}",
            environments.collect::<String>()
        );
        let parameters = match more_parameters {
            true => "the parameters of the command line are not written: pass them to Heat, too\n",
            false => "",
        };
        format!(
            "wrote {count} to {}; for Heat:\n  {}\n{parameters}",
            escape::on_one_line(&display_name(folder)),
            escape::on_one_line(&create)
        )
    }
}

/// A list of candidates in the registry, and the choice.
#[derive(Debug, Serialize, JsonSchema)]
struct RegistryChoice {
    /// The keys of the registry that lead to the list.
    path: Vec<String>,
    /// The chosen candidate; `null` if none matches.
    chosen: Option<String>,
    candidates: Vec<RegistryCandidate>,
}

/// A template, or a type, that can be chosen.
#[derive(Debug, Serialize, JsonSchema)]
struct RegistryCandidate {
    name: String,
    capabilities: Capabilities,
    matches: bool,
    /// Why it does not match, one sentence per reason.
    lacks: Vec<String>,
}

impl ResolvedRegistry {
    /// The report of a registry and the choices in it.
    pub fn new(
        registry: Option<&Registry>,
        choices: &[CandidateList],
        written: Option<WrittenTree>,
        findings: &[Diagnostic],
        places: &mut SourceLocator<'_>,
    ) -> Self {
        let chosen = |choice: &CandidateList| RegistryChoice {
            path: choice.path.clone(),
            chosen: choice.chosen().map(|chosen| name(&chosen.node)),
            candidates: choice
                .candidates
                .iter()
                .map(|candidate| RegistryCandidate {
                    name: name(&candidate.node),
                    capabilities: candidate.capabilities.clone(),
                    matches: candidate.mismatches.is_empty(),
                    lacks: candidate.mismatches.iter().map(ToString::to_string).collect(),
                })
                .collect(),
        };
        ResolvedRegistry {
            environment: registry.map(|registry| {
                let registry = EnvironmentNode::new(
                    EnvironmentValue::Map(for_heat(registry)),
                    source_diagnostics::Span::NOWHERE,
                );
                serde_json::json!({ REGISTRY: registry.to_json() })
            }),
            choices: choices.iter().map(chosen).collect(),
            written,
            diagnostics: Finding::all(findings, places),
        }
    }
}

/// A file as displayed to the user, or a type.
fn name(node: &EnvironmentNode) -> String {
    match &node.value {
        EnvironmentValue::File(location) => location.to_string(),
        _ => node.as_text().unwrap_or_default().into_owned(),
    }
}

/// The registry as an environment for Heat. Files are URLs, so the environment can be stored anywhere.
pub fn environment(registry: &Registry) -> Result<String, Box<Diagnostic>> {
    let section = Value::map([(REGISTRY, value(EnvironmentValue::Map(for_heat(registry))))]);
    writer::write(&section, &writer::YamlOptions::default())
}

/// The registry with URLs for files, which do not need `base_url`.
fn for_heat(registry: &Registry) -> EnvironmentMap {
    let mut top = registry.to_tree();
    top.shift_remove(BASE_URL);
    if let Some(EnvironmentNode { value: EnvironmentValue::Map(resources), .. }) =
        top.get_mut(RESOURCES)
    {
        for scope in resources.values_mut() {
            if let EnvironmentValue::Map(scope) = &mut scope.value {
                scope.shift_remove(BASE_URL);
            }
        }
        if resources.is_empty() {
            top.shift_remove(RESOURCES);
        }
    }
    top.values_mut().for_each(url_for_file);
    top
}

fn url_for_file(node: &mut EnvironmentNode) {
    match &mut node.value {
        EnvironmentValue::File(location) => {
            node.value = EnvironmentValue::Text(location.url().to_owned())
        }
        EnvironmentValue::List(items) => items.iter_mut().for_each(url_for_file),
        EnvironmentValue::Map(map) => map.values_mut().for_each(url_for_file),
        _ => {}
    }
}

fn value(tree: EnvironmentValue) -> Value {
    match tree {
        EnvironmentValue::Null => Value::Null,
        EnvironmentValue::Bool(bool) => Value::Bool(bool),
        EnvironmentValue::Int(int) => Value::Int(int),
        EnvironmentValue::Float(float) => Value::Float(float),
        EnvironmentValue::Text(text) => Value::Text(text),
        EnvironmentValue::File(location) => Value::Text(location.url().to_owned()),
        EnvironmentValue::List(items) => {
            Value::List(items.into_iter().map(|item| value(item.value)).collect())
        }
        EnvironmentValue::Map(map) => {
            Value::map(map.into_iter().map(|(key, node)| (key, value(node.value))))
        }
    }
}

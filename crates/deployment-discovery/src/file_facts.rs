//! The part of a template or an environment that says how they belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lossless_yaml::{Document, NodeId};
use source_files::normal;

/// The facts about a template.
#[derive(Debug, Default)]
pub(crate) struct TemplateFacts {
    /// The parameters, and whether each must be given a value.
    pub(crate) parameters: BTreeMap<String, bool>,
    /// The names of the types of its resources and of the members of its groups.
    pub(crate) types: BTreeSet<String>,
    /// The files that it names: nested templates, and files that a function reads.
    pub(crate) files: BTreeSet<PathBuf>,
}

/// The facts about an environment.
#[derive(Debug, Default)]
pub(crate) struct EnvironmentFacts {
    /// The names in `parameters`.
    pub(crate) parameters: BTreeSet<String>,
    /// The names in `parameter_defaults`.
    pub(crate) defaults: BTreeSet<String>,
    /// The types that it maps, perhaps with a `*`, each with what it maps them to.
    pub(crate) registry: BTreeMap<String, String>,
    /// The lengths of what is before the `*` in these types.
    pub(crate) pattern_lengths: BTreeSet<usize>,
}

#[derive(Debug)]
pub(crate) enum FileFacts {
    Template(TemplateFacts),
    Environment(EnvironmentFacts),
}

/// The sections of a template, in each dialect.
const VERSIONS: [&str; 3] =
    ["heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion"];
const PARAMETERS: [&str; 2] = ["parameters", "Parameters"];
const RESOURCES: [&str; 2] = ["resources", "Resources"];
const SECTIONS: [&str; 3] = ["parameters", "parameter_defaults", "resource_registry"];

/// The facts of a file; `None` if it is neither a template nor an environment.
pub(crate) fn facts_of(path: &Path, document: &Document) -> Option<FileFacts> {
    let root = document.root()?;
    let section = |names: &[&str]| names.iter().find_map(|name| document.get(root, name));
    if VERSIONS.iter().any(|name| document.get(root, name).is_some()) {
        let mut facts = TemplateFacts::default();
        for entry in section(&PARAMETERS).map_or(&[][..], |node| document.entries(node)) {
            let has_default =
                ["default", "Default"].iter().any(|key| document.get(entry.value, key).is_some());
            let name = document.str(entry.key).map(str::to_owned);
            facts.parameters.extend(name.map(|name| (name, !has_default)));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        if let Some(resources) = section(&RESOURCES) {
            visit_pairs(document, resources, &mut |key, value| match key {
                "type" | "Type" if is_file(value) => {
                    facts.files.insert(normal(&folder.join(value)));
                }
                "type" | "Type" if value.contains("::") => {
                    facts.types.insert(value.to_owned());
                }
                "get_file" => {
                    facts.files.insert(normal(&folder.join(value)));
                }
                _ => {}
            });
        }
        return Some(FileFacts::Template(facts));
    }
    if !SECTIONS.iter().any(|name| document.get(root, name).is_some()) {
        return None;
    }
    let entries = document.entries(root).iter();
    let is_known = |name: &str| {
        SECTIONS.contains(&name) || ["encrypted_param_names", "event_sinks"].contains(&name)
    };
    // A file of Ansible or of a values store may have `parameters`, too.
    if !entries.clone().all(|entry| {
        document.str(entry.key).is_some_and(|name| is_known(name) || name.contains("merge"))
    }) {
        return None;
    }
    let mut facts = EnvironmentFacts::default();
    for (name, value) in pairs(document, root, "resource_registry") {
        facts.registry.extend(document.str(value).map(|target| (name.to_owned(), target.into())));
    }
    let starts = facts.registry.keys().filter_map(|name| name.strip_suffix('*'));
    facts.pattern_lengths = starts.map(str::len).collect();
    let names = |section| pairs(document, root, section).map(|(name, _)| name.to_owned()).collect();
    (facts.parameters, facts.defaults) = (names("parameters"), names("parameter_defaults"));
    Some(FileFacts::Environment(facts))
}

fn pairs<'d>(
    document: &'d Document,
    root: NodeId,
    section: &str,
) -> impl Iterator<Item = (&'d str, NodeId)> {
    let entries = document.get(root, section).map_or(&[][..], |node| document.entries(node));
    entries.iter().filter_map(|entry| Some((document.str(entry.key)?, entry.value)))
}

/// Whether a type is the name of a template.
fn is_file(kind: &str) -> bool {
    [".yaml", ".yml", ".template", ".json", ".hot"].iter().any(|end| kind.ends_with(end))
        && !kind.contains("://")
}

/// Calls a function with each node from one on, in the order of the document. A node that aliases share is visited once.
fn visit(document: &Document, from: Option<NodeId>, f: &mut impl FnMut(NodeId)) {
    let mut seen = BTreeSet::new();
    let mut open: Vec<NodeId> = from.into_iter().collect();
    while let Some(node) = open.pop() {
        let node = document.resolve(node);
        if !seen.insert(node) {
            continue;
        }
        f(node);
        open.extend(document.entries(node).iter().rev().map(|it| it.value));
        open.extend(document.items(node).iter().rev());
    }
}

/// Calls a function with each key that has a text below a node, and with the text.
fn visit_pairs(document: &Document, from: NodeId, f: &mut impl FnMut(&str, &str)) {
    visit(document, Some(from), &mut |node| {
        for entry in document.entries(node) {
            if let (Some(key), Some(value)) = (document.str(entry.key), document.str(entry.value)) {
                f(key, value);
            }
        }
    });
}

/// Calls a function with each text in a document and its first line. A block's text begins below its header.
pub(crate) fn visit_texts(document: &Document, f: &mut impl FnMut(usize, &str)) {
    visit(document, document.root(), &mut |node| {
        if let Some(text) = document.str(node) {
            let span = document.span(node);
            let is_block = document.slice(span).starts_with(['|', '>']);
            f(document.position(span.start).line as usize + usize::from(is_block), text);
        }
    });
}

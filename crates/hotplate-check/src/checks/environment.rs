//! Entries of an environment that have no effect on the deployment.
//!
//! Heat's rules: `docs/heat.md#order-of-registry-entries`, `docs/heat.md#entries-that-heat-ships`.

use super::{Check, Scope};
use std::collections::HashSet;

use indexmap::IndexSet;

use crate::codes;
use crate::stacks::{CheckedResource, CheckedStack};
use crate::work_limit::WorkLimit;
use heat_engine::environment::registry::is_template_name;
use heat_engine::environment::sections::{DEFAULTS, PARAMETERS, REGISTRY};
use heat_engine::environment::{
    DeclaredType, Environment, EnvironmentNode, EnvironmentValue, FileContent, Location,
    ParameterTypes,
};
use heat_engine::eval::template_graph::ResolvedImplementation;
use heat_template::ir::{Expr, ExprKind};
use heat_template::schema::{Column, columns};
use lossless_yaml::Document;
use source_diagnostics::{Diagnostic, Suggestions};

/// Entries of environments that no template uses.
pub(crate) const CHECK: Check = Check {
    scope: Scope::Deployment,
    codes: &[codes::UNUSED_DEFAULT, codes::UNUSED_REGISTRY_ENTRY],
    run: |it, found| check(it.stacks, it.environment, it.root_text, found),
};

/// Types that create resources of other types, which no template names.
static IMPLICIT_TYPES: Column<Vec<&str>> = Column::new(columns::CREATED_TYPES);

/// Adds a finding for each type in the resource registry that no template of the deployment names, and for each of
/// `parameter_defaults` that none declares. `root` is the text of the template itself.
pub(crate) fn check(
    stacks: &[CheckedStack<'_>],
    environment: &Environment,
    root: &str,
    found: &mut Vec<Diagnostic>,
) {
    // A template that could not be read can use everything.
    let files = &environment.files;
    if !environment.complete || files.unread().next().is_some() || !files.outside().is_empty() {
        return;
    }
    // Heat's own templates are not available.
    let mut implementations =
        stacks.iter().flat_map(|it| it.deployed.node.implementations.values());
    if implementations.any(|it| matches!(it, ResolvedImplementation::Shipped(_))) {
        return;
    }
    let declared = stacks.iter().flat_map(|it| it.stack().parameters.keys());
    let declared: IndexSet<&str> = declared.map(String::as_str).collect();
    let mut suggestions = Suggestions::new(declared);
    for (name, node) in environment.parameter_defaults() {
        if environment.declarations.declared(name) != DeclaredType::Undeclared {
            continue;
        }
        let message = format!("no template of the deployment declares the parameter `{name}`");
        let finding = Diagnostic::new(codes::UNUSED_DEFAULT, message).at(node.key);
        found.push(match suggestions.nearest(name, finding.span()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        });
    }
    found.extend(suggestions.limit_finding());
    let Some(texts) = texts(stacks, environment, root) else { return };
    let names = NamesInTexts::of(&texts);
    let mut work = WorkLimit::new(MAX_BYTES_SEARCHED);
    for entry in environment.registry.entries() {
        // Entries of single resources can be for members of groups, whose names are not known.
        let [kind] = entry.path.as_slice() else { continue };
        let start = kind.trim_end_matches('*');
        // A file in a template is relative to it.
        if is_template_name(kind) {
            continue;
        }
        match names.contain(start, &texts, &mut work) {
            Some(true) => continue,
            Some(false) => {}
            None => {
                work.leave_out(entry.node.key);
                continue;
            }
        }
        let message = format!("no template of the deployment uses the type `{kind}`");
        found.push(Diagnostic::new(codes::UNUSED_REGISTRY_ENTRY, message).at(entry.node.key));
    }
    found.extend(work.finding("entries of the resource registry"));
}

/// The most bytes that are searched for the types of a registry: about a thirtieth of a second.
const MAX_BYTES_SEARCHED: u64 = 60_000_000;

/// The names in texts: most types are one of them, and the others are searched in fewer bytes.
struct NamesInTexts<'t> {
    names: HashSet<&'t str>,
    /// All of them, each on a line.
    joined: String,
}

impl<'t> NamesInTexts<'t> {
    fn of(texts: &'t [String]) -> Self {
        let names: IndexSet<&str> =
            texts.iter().flat_map(|text| text.split(|c| !is_part_of_name(c))).collect();
        let joined = names.iter().copied().collect::<Vec<_>>().join("\n");
        NamesInTexts { names: names.into_iter().collect(), joined }
    }

    /// Whether one of the texts contains this one; `None` if the search would take too long.
    fn contain(&self, text: &str, texts: &[String], work: &mut WorkLimit) -> Option<bool> {
        if self.names.contains(text) {
            return Some(true);
        }
        if text.chars().all(is_part_of_name) {
            return work.spend(self.joined.len() as u64).then(|| self.joined.contains(text));
        }
        let bytes: usize = texts.iter().map(String::len).sum();
        work.spend(bytes as u64).then(|| texts.iter().any(|it| it.contains(text)))
    }
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, ':' | '_' | '-' | '.' | '/')
}

/// All texts that can name a type: of templates, and of entries that lead to other types. `None` if a type is computed: then
/// the entries are what parameters choose from.
fn texts(
    stacks: &[CheckedStack<'_>],
    environment: &Environment,
    root: &str,
) -> Option<Vec<String>> {
    let mut texts = vec![root.to_owned()];
    for stack in stacks {
        for implementation in stack.deployed.node.implementations.values() {
            match implementation {
                ResolvedImplementation::Plugin(kind, _) => implied(kind, &mut texts),
                ResolvedImplementation::Group(group) => implied(group.plugin, &mut texts),
                ResolvedImplementation::Template(_)
                | ResolvedImplementation::Shipped(_)
                | ResolvedImplementation::Candidates
                | ResolvedImplementation::NotFound(_) => {}
            }
        }
        let is_computed = stack.resources().any(|it| computes_member_types(&it));
        if is_computed || stack.stack().expressions().any(computes_type) {
            return None;
        }
    }
    for file in environment.files.iter() {
        texts.push(match &file.content {
            FileContent::Template(document) => document.text().to_owned(),
            FileContent::Text(text) => text.to_string(),
            FileContent::Base64(_) => continue,
        });
    }
    for entry in environment.registry.entries() {
        collect_texts(&entry.node, &mut texts);
    }
    Some(texts)
}

fn implied(kind: &str, texts: &mut Vec<String>) {
    texts.extend(IMPLICIT_TYPES.of(kind).iter().map(|kind| (*kind).to_owned()));
}

fn collect_texts(node: &EnvironmentNode, texts: &mut Vec<String>) {
    match &node.value {
        EnvironmentValue::Text(text) => texts.push(text.clone()),
        EnvironmentValue::List(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        EnvironmentValue::Map(map) => map.values().for_each(|item| collect_texts(item, texts)),
        EnvironmentValue::Null
        | EnvironmentValue::Bool(_)
        | EnvironmentValue::Int(_)
        | EnvironmentValue::Float(_)
        | EnvironmentValue::File(_) => {}
    }
}

/// Whether an expression contains the definition of a resource with a type that is not a text.
fn computes_type(expr: &Expr) -> bool {
    let mut computes = false;
    expr.walk(&mut |expr: &Expr| {
        let is_text = expr.member("type").is_none_or(|kind| kind.as_text().is_some());
        computes |= !is_text && expr.member("properties").is_some();
    });
    computes
}

/// Whether the types of the members of a chain are computed.
fn computes_member_types(resource: &CheckedResource<'_>) -> bool {
    let chain = resource.implementation.and_then(|it| it.plugin());
    if chain.is_none_or(|(kind, _)| kind != "OS::Heat::ResourceChain") {
        return false;
    }
    match resource.properties.and_then(|it| it.member("resources")).map(|it| &it.kind) {
        Some(ExprKind::List(items)) => items.iter().any(|item| item.as_text().is_none()),
        _ => true,
    }
}

/// What an environment refers to.
#[derive(Clone, Debug)]
pub struct EnvironmentReferences {
    /// The URLs of the templates to which its registry maps types.
    pub implementing: Vec<String>,
    /// The names of the parameters that it passes.
    pub parameters: Vec<String>,
}

impl EnvironmentReferences {
    /// What an environment at this location refers to.
    pub fn of(environment: &Document, location: &Location) -> Self {
        let section = |name: &str| {
            let section = environment.root().and_then(|root| environment.get(root, name));
            section.map_or(&[][..], |section| environment.entries(section)).iter()
        };
        let targets = section(REGISTRY).filter_map(|entry| environment.str(entry.value));
        let templates = targets.filter(|target| is_template_name(target));
        let folder = location.folder();
        let names = section(PARAMETERS).chain(section(DEFAULTS));
        let names = names.filter_map(|entry| environment.str(entry.key));
        EnvironmentReferences {
            implementing: templates.map(|it| folder.resolve(it).url().to_owned()).collect(),
            parameters: names.map(str::to_owned).collect(),
        }
    }
}

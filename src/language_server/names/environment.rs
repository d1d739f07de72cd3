//! The names in an environment.

use heat_engine::environment::registry::{HOOKS_KEY, RESOURCES};
use heat_engine::environment::sections::{DEFAULTS, ENCRYPTED, PARAMETERS, REGISTRY, STRATEGIES};
use lossless_yaml::{Document, NodeId};
use smol_str::SmolStr;

use super::written::written;
use super::{FileNames, NameKind, NameOwner, NameRole, Occurrence, UntracedName};

/// The key of `parameter_merge_strategies` that is the strategy of all other parameters.
const DEFAULT_STRATEGY: &str = "default";

/// The names of an environment: parameters, and the resources that its registry has entries for.
pub(super) fn names(document: &Document) -> FileNames {
    let mut names = FileNames::default();
    let Some(root) = document.root() else { return names };
    for (section, owner) in
        [(PARAMETERS, NameOwner::Root), (DEFAULTS, NameOwner::Tree), (STRATEGIES, NameOwner::Tree)]
    {
        let Some(map) = document.get(root, section) else { continue };
        for entry in document.entries(map) {
            let is_name =
                !(section == STRATEGIES && document.str(entry.key) == Some(DEFAULT_STRATEGY));
            if is_name {
                add(&mut names, document, NameKind::Parameter, entry.key, owner);
            }
        }
    }
    for &item in document.get(root, ENCRYPTED).map(|list| document.items(list)).unwrap_or_default()
    {
        add(&mut names, document, NameKind::Parameter, item, NameOwner::Tree);
    }
    let registry = document.get(root, REGISTRY);
    if let Some(resources) = registry.and_then(|it| document.get(it, RESOURCES)) {
        add_resources(&mut names, document, resources);
    }
    names
}

fn add(names: &mut FileNames, document: &Document, kind: NameKind, node: NodeId, owner: NameOwner) {
    let Some(name) = document.str(node).map(SmolStr::new) else { return };
    let span = document.span(node);
    match written(document, span, &name) {
        Some(bytes) => {
            names.occurrences.push(Occurrence { kind, name, owner, role: NameRole::Value, bytes });
        }
        None => {
            let (name, bytes, reason) =
                (Some(name), span.range(), "does not have the name as it is");
            names.untraced.push(UntracedName { kind, name, owner, bytes, reason });
        }
    }
}

/// The resources of the root template that have entries, hooks or restricted actions. What is below them is of nested templates.
fn add_resources(names: &mut FileNames, document: &Document, resources: NodeId) {
    for entry in document.entries(resources) {
        let Some(name) = document.str(entry.key) else { continue };
        if name.contains(['*', '?', '[']) {
            let (name, bytes) = (Some(SmolStr::new(name)), document.span(entry.key).range());
            let (kind, owner, reason) =
                (NameKind::Resource, NameOwner::Root, "names resources by a pattern");
            names.untraced.push(UntracedName { kind, name, owner, bytes, reason });
            continue;
        }
        add(names, document, NameKind::Resource, entry.key, NameOwner::Root);
        for below in document.entries(entry.value) {
            let inner = document.str(below.key).unwrap_or_default();
            let is_map = !document.entries(below.value).is_empty();
            if is_map && inner != HOOKS_KEY {
                let (name, bytes) = (Some(SmolStr::new(inner)), document.span(below.key).range());
                let (kind, owner) = (NameKind::Resource, NameOwner::Tree);
                let reason = "names a resource of a nested template";
                names.untraced.push(UntracedName { kind, name, owner, bytes, reason });
            }
        }
    }
}

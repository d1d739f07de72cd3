//! Reads a resolved tree as Heat's client would, and compares it with the deployment that it was made of.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use super::{ResolvedTree, SelectedDeployment, path_in, with_capabilities};
use crate::codes;
use heat_engine::environment::registry::{ACTIONS_KEY, BASE_URL, HOOKS_KEY};
use heat_engine::environment::sections::{REGISTRY, REQUIRES};
use heat_engine::environment::{
    Environment, EnvironmentInputs, EnvironmentMap, EnvironmentNode, EnvironmentValue, FileAccess,
    Location, RootTemplate,
};
use lossless_yaml::{as_sent, read};
use source_diagnostics::{Diagnostic, SourceMap};
use source_files::MemoryFiles;

/// Where the tree is in memory.
const FOLDER: &str = "/tree";

/// The finding about a tree that is not the deployment without what Heat does not know; `None` if it is.
pub(super) fn differences(
    deployment: &SelectedDeployment<'_>,
    base: &Path,
    tree: &ResolvedTree,
) -> Option<Diagnostic> {
    let reason = difference(deployment, base, tree)?;
    let message = format!("the written files would not have the meaning of the original: {reason}");
    let finding = Diagnostic::new(codes::TREE_DIFFERS, message);
    let first = deployment.environment.named.first();
    let finding = match first.and_then(|file| file.sections.get(REGISTRY)) {
        Some(registry) => finding.at(registry.key),
        None => finding,
    };
    Some(
        finding.help(
            "write lists of candidates and `requires` without anchors, aliases and merge keys",
        ),
    )
}

fn difference(
    deployment: &SelectedDeployment<'_>,
    base: &Path,
    tree: &ResolvedTree,
) -> Option<&'static str> {
    let files: MemoryFiles = tree
        .files
        .iter()
        .map(|(path, bytes)| (Path::new(FOLDER).join(path), bytes.clone()))
        .collect();
    let location = |path: &PathBuf| Location::from_argument(&Path::new(FOLDER).join(path), &files);
    let mut sources = SourceMap::default();
    let root = match &tree.template {
        None => None,
        Some(path) => {
            let text = String::from_utf8(tree.files.get(path)?.clone()).ok()?;
            let source = sources.add("", text.as_str().into());
            let Ok(document) = read(source, as_sent(&text).into(), deployment.limits) else {
                return Some("the template cannot be read");
            };
            Some((location(path), document))
        }
    };
    let request = EnvironmentInputs {
        environments: tree.environments.iter().map(location).collect(),
        merge: deployment.merge,
        ..EnvironmentInputs::new(deployment.schema)
    };
    let mut access = FileAccess::new(&files);
    access.allow(Path::new(FOLDER));
    let borrowed = root.as_ref().map(|(location, document)| RootTemplate { location, document });
    let loaded =
        Environment::load(&request, borrowed, &mut access, deployment.limits, &mut sources);
    let Ok(environment) = loaded else { return Some("they cannot be read") };
    let is_refused = |finding: &Diagnostic| {
        finding.is_error() || finding.code == heat_engine::codes::HEAT_REFUSES_SECTION
    };
    if !environment.complete || environment.findings.iter().any(is_refused) {
        return Some("they have an error");
    }
    let new = SelectedDeployment {
        template: root.as_ref().map(|(location, document)| (location, document)),
        environment: &environment,
        sources: &sources,
        ..*deployment
    };
    if !with_capabilities(&new).is_empty() || !environment.candidate_lists.is_empty() {
        return Some("something is left that Heat does not know");
    }
    if names(&new, Path::new(FOLDER)) != names(deployment, base) {
        return Some("the files are others");
    }
    let compared = |environment: &Environment, base: &Path| {
        // Parameters of the command line are not written.
        let named = environment.named.iter().map(|file| sections(&file.sections, base));
        let merged = environment.sections.get(REGISTRY).map(|node| registry(node, base));
        (named.collect::<Vec<_>>(), merged)
    };
    let same = compared(&environment, Path::new(FOLDER)) == compared(deployment.environment, base);
    (!same).then_some("a section differs")
}

/// The paths of the files.
fn names(deployment: &SelectedDeployment<'_>, base: &Path) -> BTreeSet<Option<PathBuf>> {
    deployment.environment.files.iter().map(|file| path_in(&file.location, base)).collect()
}

/// The sections of an environment file, without what Heat does not know.
fn sections(sections: &EnvironmentMap, base: &Path) -> Json {
    let known = sections.iter().filter(|(name, _)| *name != REQUIRES);
    let known = known.map(|(name, node)| match name.as_str() {
        REGISTRY => (name.clone(), registry(node, base)),
        _ => (name.clone(), node.to_json()),
    });
    // A map of which nothing is left is removed.
    Json::Object(known.filter(|(_, node)| !node.is_null()).collect())
}

/// A registry without lists, which are left only where another environment overrides them, and without folders.
fn registry(node: &EnvironmentNode, base: &Path) -> Json {
    let EnvironmentValue::Map(map) = &node.value else {
        return match &node.value {
            EnvironmentValue::File(location) => json!({ "file": path_in(location, base) }),
            _ => node.to_json(),
        };
    };
    let mut entries = Map::new();
    for (key, node) in map.iter().filter(|(key, _)| *key != BASE_URL) {
        match &node.value {
            EnvironmentValue::List(_) if key == HOOKS_KEY || key == ACTIONS_KEY => {
                entries.insert(key.clone(), node.to_json());
            }
            EnvironmentValue::List(_) => {}
            EnvironmentValue::Map(_) => match registry(node, base) {
                Json::Null => {}
                scope => drop(entries.insert(key.clone(), scope)),
            },
            _ => drop(entries.insert(key.clone(), registry(node, base))),
        }
    }
    // An empty block map is null.
    if entries.is_empty() { Json::Null } else { Json::Object(entries) }
}

//! The resource registries of environments: the types that they map, and the names of types that they map them to.
//!
//! Heat's rules: `docs/heat.md#the-resource-registry`, `docs/heat.md#successors-of-types`.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::names::{KEEPS_MAPPING, exact_name, no_successor};
use super::successors::successor;
use super::{Modernize, ModernizePlan, known_type};
use crate::codes;
use crate::rule::{PlannedRewrite, Rewrite, TextChange};
use crate::rules::TYPE_NAME_RULE;
use heat_engine::environment::sections::{REGISTRY, is_environment};
use heat_template::schema::{Schema, SupportIn, SupportStatus};
use lossless_yaml::{Document, Limits, NodeId, NodeKind, read};
use source_diagnostics::{Diagnostic, SourceId};

/// Keys of a registry that are not types.
const NO_TYPES: [&str; 3] = ["base_url", "hooks", "restricted_actions"];

/// A row of a registry, also of the part for single resources.
pub(crate) struct RegistryRow<'d> {
    kind: &'d str,
    /// The target of the mapping: a text, or a list of candidates.
    target: NodeId,
}

/// The types that an environment maps to another type or template, perhaps with a `*` at the end.
///
/// # Errors
///
/// If the text cannot be read.
pub fn mapped_types(bytes: &[u8], limits: &Limits) -> Result<BTreeSet<String>, Box<Diagnostic>> {
    let text: Arc<str> = String::from_utf8_lossy(bytes).into();
    let document = read(SourceId(0), text, limits)?;
    Ok(mapped_by(&document).collect())
}

/// The types that a file maps, if it is an environment.
pub(crate) fn mapped_in(document: &Document) -> impl Iterator<Item = String> {
    is_environment(document).then(|| mapped_by(document)).into_iter().flatten()
}

fn mapped_by(document: &Document) -> impl Iterator<Item = String> {
    let rows = registry(document).into_iter();
    let maps = |row: &RegistryRow<'_>| document.str(row.target) != Some(row.kind);
    rows.filter(maps).map(|row| row.kind.to_owned())
}

/// The texts that the registry of an environment maps types to.
pub(crate) fn registry_targets(document: &Document) -> HashSet<NodeId> {
    registry(document).into_iter().map(|row| document.resolve(row.target)).collect()
}

fn registry(document: &Document) -> Vec<RegistryRow<'_>> {
    let mut rows = Vec::new();
    if let Some(registry) = document.root().and_then(|root| document.get(root, REGISTRY)) {
        collect(document, registry, &mut HashSet::new(), &mut rows);
    }
    rows
}

fn collect<'d>(
    document: &'d Document,
    map: NodeId,
    seen: &mut HashSet<NodeId>,
    rows: &mut Vec<RegistryRow<'d>>,
) {
    if !seen.insert(document.resolve(map)) {
        return;
    }
    for entry in document.entries(map) {
        let Some(kind) = document.str(entry.key).filter(|key| !NO_TYPES.contains(key)) else {
            continue;
        };
        match document.kind(document.resolve(entry.value)) {
            NodeKind::Mapping(_) => collect(document, entry.value, seen, rows),
            NodeKind::Text(_) | NodeKind::Sequence(_) => {
                rows.push(RegistryRow { kind, target: entry.value });
            }
            // A null removes a row, and Heat refuses everything else.
            _ => {}
        }
    }
}

/// Plans the rewrites of what an environment maps types to. The types that it maps keep their names: templates use them.
pub(crate) fn plan_registry(
    document: &Document,
    schema: &'static Schema,
    modernize: &Modernize,
) -> ModernizePlan {
    let mut planner = RegistryPlanner {
        document,
        schema,
        modernize,
        shared: document
            .nodes()
            .iter()
            .filter_map(|node| match node.kind {
                NodeKind::Alias(target) => Some(target),
                _ => None,
            })
            .collect(),
        plan: ModernizePlan { rewrites: Vec::new(), findings: Vec::new() },
    };
    let mut seen = HashSet::new();
    for row in registry(document) {
        if seen.insert(document.resolve(row.target)) {
            planner.row(&row);
        }
    }
    planner.plan
}

struct RegistryPlanner<'a> {
    document: &'a Document,
    schema: &'static Schema,
    modernize: &'a Modernize,
    /// The nodes that aliases refer to.
    shared: Vec<NodeId>,
    plan: ModernizePlan,
}

impl RegistryPlanner<'_> {
    fn row(&mut self, row: &RegistryRow<'_>) {
        let (document, schema, heat) = (self.document, self.schema, self.modernize.heat);
        let node = document.resolve(row.target);
        // Candidates are templates, or types that a capability decides; they are not examined.
        let Some(target) = document.str(node) else { return self.candidates(node) };
        let span = document.span(node);
        if self.modernize.places.as_ref().is_some_and(|it| !it.contains(&span.start)) {
            return;
        }
        let real = schema.real_name(target);
        if target.ends_with('*') {
            if real != target {
                let message = format!("`{target}` keeps its name: it stands for several types");
                let help = format!("write `{real}` if the release has all of them");
                self.by_hand(node, message, help);
            }
            return;
        }
        let exact = exact_name(schema, heat, target);
        let is_mapped = self.modernize.maps(target) || self.modernize.maps(&real);
        match exact {
            Some(_) if is_mapped || target == row.kind => {
                let message = format!("`{target}` keeps its name: an environment maps it");
                self.by_hand(node, message, KEEPS_MAPPING.to_owned());
            }
            Some(_) if self.is_shared(node) => {
                let message = format!("`{target}` keeps its name: an alias shares it");
                self.by_hand(node, message, "write it out in each place".to_owned());
            }
            Some(name) => {
                let changes = vec![TextChange::Scalar { node, text: name.into_owned() }];
                let rewrite = Rewrite::exact(node, changes);
                self.plan.rewrites.push(PlannedRewrite { rule: TYPE_NAME_RULE.name, rewrite });
            }
            None => {}
        }
        if !is_mapped {
            self.gone(row, node, target, &real);
        }
    }

    /// Reports a type whose service is gone: which properties its resources have is not in the environment.
    fn gone(&mut self, row: &RegistryRow<'_>, node: NodeId, target: &str, real: &str) {
        let heat = self.modernize.heat;
        let Some(info) = known_type(self.schema, real) else { return };
        let SupportIn::Stage(stage) = info.support.in_release(heat) else { return };
        let is_discouraged =
            matches!(stage.status, SupportStatus::Deprecated | SupportStatus::Hidden);
        if !is_discouraged || info.support.substitute.is_some() {
            return;
        }
        let (message, help) = match successor(real) {
            Some(successor) => (
                format!("`{}` stays mapped to `{target}`, which is discouraged", row.kind),
                format!(
                    "map it to `{}` if it has all properties and attributes that templates use of `{}`; a running stack keeps its resources only until their next update",
                    successor.to, row.kind
                ),
            ),
            None => no_successor(self.schema, heat, target, real, info, stage),
        };
        self.by_hand(node, message, help);
    }

    fn candidates(&mut self, node: NodeId) {
        let document = self.document;
        let old = document.nodes().iter().enumerate().filter_map(|(at, it)| {
            let inner = NodeId(at as u32);
            let is_inside = document.span(node).contains(document.span(inner));
            let name = document.str(inner).filter(|_| is_inside && it.start < it.end)?;
            exact_name(self.schema, self.modernize.heat, name)?;
            Some((inner, name.to_owned()))
        });
        for (inner, name) in old.collect::<Vec<_>>() {
            let message = format!("`{name}` keeps its name: it is a candidate of several");
            let help = "`hotplate capabilities list` shows which one is chosen".to_owned();
            self.by_hand(inner, message, help);
        }
    }

    /// Whether an alias or a merge key brings a node to another place as well.
    fn is_shared(&self, node: NodeId) -> bool {
        let span = self.document.span(node);
        self.shared.iter().any(|target| self.document.span(*target).contains(span))
    }

    fn by_hand(&mut self, node: NodeId, message: String, help: String) {
        let finding = Diagnostic::new(codes::MODERNIZE_BY_HAND, message);
        self.plan.findings.push(finding.at(self.document.span(node)).help(help));
    }
}

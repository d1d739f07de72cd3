//! Environments in an upgrade with `--modernize`: the names of types that their registries map other types to.
//!
//! Heat's rule: `docs/heat.md#the-resource-registry`.

use std::sync::Arc;

use super::engine::{applied, group_by_cause};
use super::modernize::{Modernize, ModernizePlan, NormalForm, plan_registry, registry_targets};
use super::render::Renderer;
use super::{Status, Upgrade, UpgradeOptions, proof};
use heat_engine::environment::sections::{DEFAULTS, PARAMETERS};
use heat_template::ir::equivalence::DeclaredChanges;
use lossless_yaml::{Document, Limits, NodeId, NodeKind, read};
use source_diagnostics::{Diagnostic, Span};

/// Upgrades an environment. The types that it maps itself count as mapped, as those of other environments.
pub(super) fn upgrade(
    document: &Document,
    options: &UpgradeOptions,
    modernize: &Modernize,
    limits: &Limits,
    result: &mut Upgrade,
) {
    result.secrets = values(document);
    let mut modernize = modernize.clone();
    modernize.mapped.extend(super::modernize::mapped_in(document));
    let ModernizePlan { rewrites, findings } = plan_registry(document, options.schema, &modernize);
    result.findings.extend(group_by_cause(findings, |finding| finding));
    let rewrites: Vec<_> = rewrites.into_iter().filter(|it| options.allows(it.rule)).collect();
    if rewrites.is_empty() {
        return;
    }
    let renderer =
        Renderer::new(document, rewrites.iter().flat_map(|planned| &planned.rewrite.changes));
    result.rewrites = rewrites.iter().map(|it| applied(document, it, &renderer)).collect();
    let edits = renderer.edits();
    let proved =
        edits.apply(document).map_err(|finding| finding.message.clone()).and_then(|text| {
            let limits = Limits { bytes: usize::MAX, ..*limits };
            let after = read(proof::RESULT, Arc::from(text.as_str()), &limits)
                .map_err(|finding| finding.message.clone())?;
            let is_same = proof::comments_kept(document, &after).is_ok()
                && same(document, &after, options, &modernize);
            is_same
                .then(|| (text, values(&after)))
                .ok_or_else(|| "another value differs".to_owned())
        });
    match proved {
        Ok((text, secrets)) => {
            result.status = Status::upgraded(&result.rewrites);
            result.text = Some(text);
            result.new_secrets = secrets;
            result.edits = edits;
        }
        Err(why) => {
            result.status = Status::Unproved;
            let message = format!("the rewritten text was not proved: {why}");
            let finding = Diagnostic::new(crate::codes::PROOF_FAILED, message);
            let first = result.rewrites.first().map_or(Span::NOWHERE, |rewrite| rewrite.span);
            result.findings.push(finding.at(first));
        }
    }
}

/// Whether both texts have the same values, and types that are mapped to the same implementations.
fn same(
    before: &Document,
    after: &Document,
    options: &UpgradeOptions,
    modernize: &Modernize,
) -> bool {
    let targets = registry_targets(before);
    let mut nothing = DeclaredChanges::new();
    let normal_form =
        NormalForm { schema: options.schema, modernize, successions: &[], declared: &mut nothing };
    let nodes = before.nodes().iter().zip(after.nodes()).enumerate();
    let is_same = |(at, (one, other)): (usize, (&lossless_yaml::Node, &lossless_yaml::Node))| {
        let id = NodeId(at as u32);
        match (&one.kind, &other.kind) {
            (NodeKind::Text(_), NodeKind::Text(_)) => match (before.str(id), after.str(id)) {
                (Some(one), Some(other)) if targets.contains(&id) => {
                    normal_form.real_type(one) == normal_form.real_type(other)
                }
                (one, other) => one == other,
            },
            (one, other) => one == other,
        }
    };
    targets == registry_targets(after)
        && before.nodes().len() == after.nodes().len()
        && nodes.into_iter().all(is_same)
}

/// The values of parameters: which of them a template hides is unknown.
fn values(document: &Document) -> Vec<Span> {
    let Some(root) = document.root() else { return Vec::new() };
    let sections = [PARAMETERS, DEFAULTS].into_iter().filter_map(|name| document.get(root, name));
    let entries = sections.flat_map(|section| document.entries(section));
    entries.map(|entry| document.span(entry.value)).collect()
}

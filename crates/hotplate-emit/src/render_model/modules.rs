//! Collects the templates of a deployment, and the implementations of their resources.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::rejected::{RejectedItems, rejected_value_loss};
use super::{Module, ModuleId, ResourceImplementation, member_definition};
use crate::Loss;
use crate::kit::UniqueNames;
use heat_engine::eval::HeatGroup;
use heat_engine::eval::template_graph::{
    ResolvedImplementation, TemplateFile, TemplateGraph, TemplateNode, TemplateReference, limits,
};
use heat_template::ir::{ExprKind, Parameter, Resource, Stack};
use source_diagnostics::{Diagnostic, Span};

/// The templates that are found so far, and what is known about them.
pub(super) struct RenderModelBuilder<'a> {
    pub(super) templates: &'a TemplateGraph<'a>,
    pub(super) modules: Vec<Module>,
    pub(super) names: UniqueNames,
    pub(super) by_url: HashMap<String, Vec<ModuleId>>,
    pub(super) findings: Vec<Diagnostic>,
    /// Nested templates without invalid defaults, by their URLs.
    pub(super) stacks: HashMap<String, Arc<Stack>>,
    /// How many templates were visited, including those that were already known.
    pub(super) visited: usize,
    pub(super) rejected: RejectedItems,
    pub(super) losses: Vec<Loss>,
}

impl RenderModelBuilder<'_> {
    /// The stack without invalid defaults of parameters: each becomes a loss.
    pub(super) fn without_invalid_defaults(&mut self, stack: Arc<Stack>) -> Arc<Stack> {
        let refused = |parameter: &Parameter| {
            let span = parameter.default.as_ref()?.span;
            Some((span, self.rejected.values.get(&span)?.clone()))
        };
        let refused: Vec<(String, Span, String)> = stack
            .parameters
            .iter()
            .filter_map(|(name, parameter)| {
                let (span, why) = refused(parameter)?;
                Some((name.clone(), span, why))
            })
            .collect();
        let is_null =
            |it: &Parameter| it.default.as_ref().is_some_and(|it| it.kind == ExprKind::Null);
        if refused.is_empty() && !stack.parameters.values().any(is_null) {
            return stack;
        }
        let mut sound = Stack::clone(&stack);
        for parameter in sound.parameters.values_mut().filter(|it| is_null(it)) {
            parameter.default = None;
        }
        for (name, span, why) in refused {
            let what = format!("the default of `{name}`");
            self.losses.push(rejected_value_loss(&name, &what, &why, span));
            if let Some(parameter) = sound.parameters.get_mut(&name) {
                parameter.default = None;
            }
        }
        Arc::new(sound)
    }

    pub(super) fn add_module(
        &mut self,
        file: &TemplateFile,
        stack: Arc<Stack>,
        node: &Arc<TemplateNode>,
        depth: usize,
    ) -> ModuleId {
        let TemplateFile { location, document } = file;
        let id = ModuleId(self.modules.len());
        let path = location.to_string();
        let name = self.name(&path);
        let url = location.url().to_owned();
        self.by_url.entry(url.clone()).or_default().push(id);
        self.visited += 1;
        self.modules.push(Module {
            name,
            path,
            base: location.folder(),
            document: Arc::clone(document),
            stack: Arc::clone(&stack),
            implementations: IndexMap::new(),
            implicit_dependencies: IndexMap::new(),
            node: Arc::clone(node),
            url: url.clone(),
            is_root: id.0 == 0,
            evaluated: OnceLock::new(),
        });
        for (name, resource) in &stack.resources {
            let (Some(kind), Some(found)) = (&resource.kind, node.implementations.get(name)) else {
                continue;
            };
            let made_by = match (self.rejected.resource(resource), found) {
                // A stack in another region has a type of Heat, which targets can express.
                (None, _) | (Some(_), ResolvedImplementation::Plugin(..)) => {
                    self.implementation_of(node, &kind.text, found, Some(resource), depth)
                }
                (Some(why), _) => ResourceImplementation::Unknown(why.to_owned()),
            };
            self.modules[id.0].implementations.insert(name.clone(), made_by);
        }
        // Each path to a template has its own registry, but nearly always the entries are the same.
        let unit = &self.modules[id.0];
        let same = |other: &&ModuleId| {
            **other != id && self.modules[other.0].implementations == unit.implementations
        };
        let known = self.by_url.get(&unit.url).and_then(|ids| ids.iter().find(same)).copied();
        match known {
            // All templates below it are known as well, so it is the last one.
            Some(known) if id.0 + 1 == self.modules.len() => {
                self.modules.pop();
                if let Some(ids) = self.by_url.get_mut(&url) {
                    ids.retain(|other| *other != id);
                }
                known
            }
            _ => id,
        }
    }

    fn name(&mut self, path: &str) -> String {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let stem = file.split('.').next().unwrap_or(file);
        let letters = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
        let mut base: String = letters.collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
            base.insert_str(0, "stack_");
        }
        self.names.allocate_numbered(&base)
    }

    /// The implementation of a type in a template.
    fn implementation_of(
        &mut self,
        node: &TemplateNode,
        kind: &SmolStr,
        found: &ResolvedImplementation,
        definition: Option<&Resource>,
        depth: usize,
    ) -> ResourceImplementation {
        match found {
            ResolvedImplementation::Plugin(plugin, _) => {
                ResourceImplementation::ResourceType(SmolStr::new_static(plugin))
            }
            ResolvedImplementation::Group(group) => {
                let member = definition.and_then(|it| member_type(group.group, it));
                let member = member.map(|kind| {
                    let found = node.member_implementation(group, &kind);
                    Box::new(self.implementation_of(node, &kind, &found, None, depth + 1))
                });
                ResourceImplementation::Group { kind: group.group, member }
            }
            ResolvedImplementation::Template(reference) => self.template(reference, depth),
            ResolvedImplementation::Shipped(_)
            | ResolvedImplementation::Candidates
            | ResolvedImplementation::NotFound(_) => {
                ResourceImplementation::Unknown(why_unavailable(found, kind))
            }
        }
    }

    fn template(&mut self, reference: &TemplateReference, depth: usize) -> ResourceImplementation {
        let url = &reference.url;
        let tree = || reference.registry.to_tree();
        let same = |id: &&ModuleId| self.modules[id.0].node.registry.to_tree() == tree();
        if let Some(id) = self.by_url.get(url).and_then(|ids| ids.iter().find(same)) {
            return ResourceImplementation::Template(*id);
        }
        let refusal = limits::too_deep(depth).or_else(|| limits::too_many_templates(self.visited));
        let node = refusal.map_or_else(|| self.templates.node(reference), Err);
        let node = match node {
            Ok(node) => node,
            Err(finding) => return ResourceImplementation::Unknown(finding.message),
        };
        let template = &node.template;
        let Some(file) = &template.file else {
            unreachable!("a template that a reference leads to is in a file")
        };
        let stack = match self.stacks.get(url) {
            Some(stack) => Arc::clone(stack),
            None => {
                self.findings.extend(template.lowering_findings.iter().cloned());
                let stack = self.without_invalid_defaults(Arc::clone(&template.stack));
                self.stacks.insert(url.clone(), Arc::clone(&stack));
                stack
            }
        };
        ResourceImplementation::Template(self.add_module(file, stack, &node, depth + 1))
    }
}

/// Why a resource is not rendered whose type has no implementation that can be followed.
pub(crate) fn why_unavailable(found: &ResolvedImplementation, kind: &str) -> String {
    match found {
        ResolvedImplementation::Shipped(_) => {
            format!("`{kind}` is a template that comes with Heat")
        }
        ResolvedImplementation::Candidates => format!("`{kind}` has several candidates"),
        ResolvedImplementation::Plugin(..)
        | ResolvedImplementation::Group(_)
        | ResolvedImplementation::Template(_)
        | ResolvedImplementation::NotFound(_) => {
            format!("neither Heat nor the registry has `{kind}`")
        }
    }
}

/// The type of a group's members, if the template determines it.
fn member_type(group: HeatGroup, resource: &Resource) -> Option<SmolStr> {
    match group {
        HeatGroup::DeploymentGroup { structured: false } => {
            Some("OS::Heat::SoftwareDeployment".into())
        }
        HeatGroup::DeploymentGroup { structured: true } => {
            Some("OS::Heat::StructuredDeployment".into())
        }
        _ => member_definition(group, resource)?.member("type")?.as_text().map(SmolStr::new),
    }
}

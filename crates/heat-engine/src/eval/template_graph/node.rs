//! A template under the registry that applies to it.

use std::sync::Arc;

use indexmap::IndexMap;
use smol_str::SmolStr;

use super::implementation::{GroupReference, ImplementationResolver, ResolvedImplementation};
use crate::environment::registry::is_template_name;
use crate::environment::{BaseFolder, Location, Registry};
use heat_template::ir::Stack;
use lossless_yaml::Document;
use source_diagnostics::Diagnostic;

/// A template as the graph keeps it: lowered, with what its text says about it.
#[derive(Clone, Debug)]
pub struct Template {
    /// The result of lowering it.
    pub stack: Arc<Stack>,
    /// The version as the template declares it.
    pub version: &'static str,
    /// The findings of lowering it.
    pub lowering_findings: Vec<Diagnostic>,
    /// The folder that its references are relative to; `None` if they are URLs already.
    pub base: Option<BaseFolder>,
    /// The file of a nested template.
    pub file: Option<TemplateFile>,
}

/// The file of a nested template.
#[derive(Clone, Debug)]
pub struct TemplateFile {
    /// The file or URL that it was read from, from which its own names start.
    pub location: Location,
    /// The YAML that it was lowered from, for places and comments.
    pub document: Arc<Document>,
}

/// A template with the implementations of its resources: a node of the graph.
#[derive(Debug)]
pub struct TemplateNode {
    /// The template.
    pub template: Arc<Template>,
    /// The resource registry that applies to it.
    pub registry: Arc<Registry>,
    /// The implementations of its resources, by name.
    pub implementations: IndexMap<String, ResolvedImplementation>,
}

impl Template {
    /// The root template of a deployment.
    pub fn root(
        location: &Location,
        stack: Arc<Stack>,
        version: &'static str,
        lowering_findings: Vec<Diagnostic>,
    ) -> Self {
        let base = Some(location.folder());
        Template { stack, version, lowering_findings, base, file: None }
    }

    /// A template without a file, whose references are URLs.
    pub(in crate::eval) fn generated(
        stack: Arc<Stack>,
        version: &'static str,
        lowering_findings: Vec<Diagnostic>,
    ) -> Self {
        Template { stack, version, lowering_findings, base: None, file: None }
    }

    /// A type in the template as the client sends it: a file is a URL.
    fn sent_type(&self, kind: &SmolStr) -> SmolStr {
        match &self.base {
            Some(base) if is_template_name(kind) => base.resolve(kind).url().into(),
            Some(_) | None => kind.clone(),
        }
    }
}

impl TemplateNode {
    pub(in crate::eval) fn new(template: Arc<Template>, registry: Arc<Registry>) -> Self {
        let mut resolver = ImplementationResolver::new(&registry);
        let resources = template.stack.resources.iter();
        let implementations = resources
            .filter_map(|(name, resource)| {
                let kind = template.sent_type(&resource.kind.as_ref()?.text);
                Some((name.clone(), resolver.resolve(&kind, Some(name))))
            })
            .collect();
        TemplateNode { template, registry, implementations }
    }

    /// The URL of a nested template that is in a file.
    pub fn url(&self) -> Option<&str> {
        self.template.file.as_ref().map(|file| file.location.url())
    }

    /// The implementation of a group's members, whose type is written in this template. Entries for members of
    /// certain names do not count.
    pub fn member_implementation(
        &self,
        group: &GroupReference,
        kind: &SmolStr,
    ) -> ResolvedImplementation {
        ImplementationResolver::new(&group.registry).resolve(&self.template.sent_type(kind), None)
    }
}

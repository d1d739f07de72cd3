//! The stack that a resource stands for, according to its implementation.

use smol_str::SmolStr;

use super::deployer::Deployer;
use crate::environment::Environment;
use crate::eval::child_outputs::OutputMapping;
use crate::eval::template_graph::{GroupReference, ResolvedImplementation, TemplateReference};
use crate::eval::{EvalResult, EvaluatedResource, Value};
use source_diagnostics::Diagnostic;

/// The source of the stack that a resource stands for.
pub(super) enum ChildKind<'r> {
    /// A template that Heat runs as a nested stack of its own.
    Template(&'r TemplateReference),
    /// A group, which generates its members' template.
    Group(&'r GroupReference),
    /// `OS::Heat::Stack`
    Remote,
}

impl ChildKind<'_> {
    /// How attributes of the resource map to outputs of the child.
    pub(super) fn output_mapping(&self) -> OutputMapping {
        match self {
            ChildKind::Template(_) => OutputMapping::Name,
            ChildKind::Group(group) => OutputMapping::Path(group.group),
            ChildKind::Remote => OutputMapping::Outputs,
        }
    }
}

/// Whether Heat accepts any attribute name for such a resource. An unknown implementation may have
/// any attribute.
pub(super) fn accepts_any_attribute(found: &ResolvedImplementation) -> bool {
    found.plugin().is_none_or(|(_, info)| info.dynamic_attributes)
}

/// The kind of stack that a resource stands for; `None` if it is not a stack.
pub(super) fn child_kind<'r>(
    found: &'r ResolvedImplementation,
    environment: &Environment,
    resource: &EvaluatedResource,
) -> Result<Option<ChildKind<'r>>, Diagnostic> {
    match found {
        // An adopted stack exists elsewhere: its template is never sent.
        ResolvedImplementation::Plugin("OS::Heat::Stack", _) => {
            let adopts = |id: &EvalResult| matches!(id, Ok(id) if *id.unsealed() != Value::Null);
            let is_adopted = resource.external_id.as_ref().is_some_and(adopts);
            Ok((!is_adopted).then_some(ChildKind::Remote))
        }
        ResolvedImplementation::Plugin(..) => Ok(None),
        ResolvedImplementation::Group(group) => Ok(Some(ChildKind::Group(group))),
        ResolvedImplementation::Template(template) => Ok(Some(ChildKind::Template(template))),
        ResolvedImplementation::Shipped(_)
        | ResolvedImplementation::Candidates
        | ResolvedImplementation::NotFound(_) => {
            found.unavailable(&resource.kind, environment).map_or(Ok(None), Err)
        }
    }
}

impl Deployer<'_> {
    /// The attribute names of a resource, according to its implementation.
    pub(super) fn attributes(&self, found: &ResolvedImplementation) -> Option<Vec<SmolStr>> {
        if let ResolvedImplementation::Template(reference) = found {
            let template = self.request.templates.template(&reference.url).ok()?;
            return Some(template.stack.outputs.keys().map(SmolStr::from).collect());
        }
        let (_, info) = found.plugin()?;
        // Every resource has this attribute.
        let names = info.attributes.keys().copied().chain(std::iter::once("show"));
        Some(names.map(SmolStr::from).collect())
    }
}

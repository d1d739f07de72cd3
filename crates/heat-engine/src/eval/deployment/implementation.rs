//! What the type of a resource is implemented by.
//!
//! Heat's rule: `docs/heat.md#the-resource-registry`.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::deployer::Deployer;
use super::stack_request::StackRequest;
use crate::environment::registry::{Implementation, LookupError, NestedTemplate, RegistryEntry};
use crate::eval::child_outputs::OutputMapping;
use crate::eval::groups::HeatGroup;
use crate::eval::request_files::TemplateFiles;
use crate::eval::{EvalResult, EvaluatedResource, FileLookup as _, Value};
use heat_template::schema::Schema;
use source_diagnostics::{Diagnostic, Span};

/// The source of the stack that a resource stands for.
pub(super) enum ChildKind<'r> {
    /// A template file with its URL, and the registry entry that names it.
    Template(String, Option<&'r RegistryEntry>),
    /// A group, which generates its members' template.
    Group(HeatGroup),
    /// `OS::Heat::Stack`
    Remote,
}

/// The implementations of resource types, by resource name.
pub(super) type Implementations<'r> = HashMap<&'r str, Result<Implementation<'r>, LookupError>>;

impl ChildKind<'_> {
    /// How attributes of the resource map to outputs of the child.
    pub(super) fn output_mapping(&self) -> OutputMapping {
        match self {
            ChildKind::Template(..) => OutputMapping::Name,
            ChildKind::Group(kind) => OutputMapping::Path(*kind),
            ChildKind::Remote => OutputMapping::Outputs,
        }
    }
}

/// Whether Heat accepts any attribute name for such a resource. An unknown implementation may have
/// any attribute.
pub(super) fn accepts_any_attribute(found: &Result<Implementation<'_>, LookupError>) -> bool {
    match found {
        Ok(Implementation::Plugin(_, info)) => info.dynamic_attributes,
        Ok(Implementation::Template(..) | Implementation::Candidates(_)) | Err(_) => true,
    }
}

/// The URL of a template, if it is in a file.
pub(super) fn url(template: &NestedTemplate) -> Option<&str> {
    match template {
        NestedTemplate::File(location) => Some(location.url()),
        NestedTemplate::Key(key) => Some(key),
        NestedTemplate::Shipped(_) => None,
    }
}

/// The kind of stack that a resource stands for; `None` if it is not a stack.
pub(super) fn child_kind<'r>(
    found: &Result<Implementation<'r>, LookupError>,
    schema: &Schema,
    resource: &EvaluatedResource,
    span: Span,
) -> Result<Option<ChildKind<'r>>, Diagnostic> {
    let cannot =
        |message: String| Diagnostic::new(crate::codes::NESTED_NOT_FOLLOWED, message).at(span);
    match found {
        // An adopted stack exists elsewhere: its template is never sent.
        Ok(Implementation::Plugin("OS::Heat::Stack", _)) => {
            let adopts = |id: &EvalResult| matches!(id, Ok(id) if *id.unsealed() != Value::Null);
            let is_adopted = resource.external_id.as_ref().is_some_and(adopts);
            Ok((!is_adopted).then_some(ChildKind::Remote))
        }
        Ok(Implementation::Plugin(plugin, _)) => Ok(HeatGroup::of(plugin).map(ChildKind::Group)),
        Ok(Implementation::Template(NestedTemplate::Shipped(file), _)) => {
            let kind = &resource.kind;
            Err(cannot(format!("`{kind}` is Heat's own template {file}, which is not available")))
        }
        Ok(Implementation::Template(template, entry)) => {
            Ok(url(template).map(|url| ChildKind::Template(url.to_owned(), *entry)))
        }
        // The failed choice of a candidate has already been reported.
        Ok(Implementation::Candidates(_)) => Ok(None),
        Err(error) => {
            let finding =
                Diagnostic::new(crate::codes::UNKNOWN_RESOURCE_TYPE, error.to_string()).at(span);
            let finding = match schema.did_you_mean(&resource.kind) {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding,
            };
            Err(finding.help(
                "map the types of your own cloud in an environment (`-e REGISTRY`); \
                 `openstack orchestration resource type list` lists the types of a cloud",
            ))
        }
    }
}

impl Deployer<'_> {
    /// Looks up the implementations of all resource types.
    pub(super) fn look_up_implementations<'r>(
        &self,
        request: &'r StackRequest<'_>,
        files: &TemplateFiles<'_>,
    ) -> Implementations<'r> {
        let kinds = request.stack.resources.iter().filter_map(|(name, resource)| {
            let written = &resource.kind.as_ref()?.text;
            Some((name.as_str(), files.request_name("type", written).unwrap_or(written.clone())))
        });
        kinds.map(|(name, kind)| (name, request.registry.lookup(&kind, Some(name)))).collect()
    }

    /// The attribute names of a resource, according to its implementation.
    pub(super) fn attributes(
        &self,
        found: &Result<Implementation<'_>, LookupError>,
    ) -> Option<Vec<SmolStr>> {
        match found {
            Ok(Implementation::Plugin(_, info)) => {
                // Every resource has this attribute.
                let names = info.attributes.keys().copied().chain(std::iter::once("show"));
                Some(names.map(SmolStr::from).collect())
            }
            Ok(Implementation::Template(template, _)) => {
                let nested = self.template(url(template)?, Span::NOWHERE).ok()?;
                Some(nested.stack.outputs.keys().map(SmolStr::from).collect())
            }
            Ok(Implementation::Candidates(_)) | Err(_) => None,
        }
    }
}

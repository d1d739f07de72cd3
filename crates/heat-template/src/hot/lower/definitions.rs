//! Lowers the definitions of resources and outputs, which the dialects share but for the names of their keys.
//!
//! Heat's rules: `docs/heat.md#keys-of-a-resource`, `docs/heat.md#keys-of-an-output`.

use super::expressions::as_condition;
use super::lowerer::{Lowerer, LoweringDialect};
use crate::hot::call::LoweringContext;
use crate::hot::functions::CallContext;
use crate::hot::recognize::kind_name;
use crate::ir::{
    DeletionPolicy, Dependency, Expr, ExprKind, Output, Resource, SpannedName, UnknownKey,
};
use lossless_yaml::{Entry, NodeId, NodeKind};
use source_diagnostics::Diagnostic;

/// Sections whose items are definitions with keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// The template, whose keys are its sections.
    Template,
    /// A member of `parameters`.
    Parameter,
    /// A member of `resources`.
    Resource,
    /// A member of `outputs`.
    Output,
}

impl Definition {
    /// The word for it in messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Definition::Template => "template",
            Definition::Parameter => "parameter",
            Definition::Resource => "resource",
            Definition::Output => "output",
        }
    }
}

impl<'d, D: LoweringDialect> Lowerer<'d, D> {
    /// A resource with its name.
    pub(super) fn resource(&mut self, member: Entry) -> (String, Resource) {
        let document = self.document;
        let name = self.name(member.key);
        let mut resource = Resource::new(name.span);
        let Some(entries) = self.definition(Definition::Resource, &name, member.value) else {
            resource.extensions.push(self.extension(name.clone(), member.value));
            return (name.text.into(), resource);
        };
        let mut typed = false;
        for &Entry { key, value: node } in entries {
            let written = self.name(key);
            let Some(known) = D::key(self, Definition::Resource, &written, key) else {
                // Calls in it are recorded all the same: a later version may have the key.
                let value = self.value(node, CallContext::Value);
                resource.extensions.push(UnknownKey { name: written, value });
                continue;
            };
            match known {
                "type" => {
                    typed = true;
                    match document.str(node) {
                        Some(text) if !text.is_empty() => {
                            let span = document.span(node);
                            resource.kind = Some(SpannedName { text: text.into(), span });
                        }
                        _ => {
                            self.wrong_shape(&written, node, "a string that is not empty");
                            resource.extensions.push(self.extension(written, node));
                        }
                    }
                }
                "properties" => resource.properties = Some(self.object(&written, node)),
                "metadata" => resource.metadata = Some(self.object(&written, node)),
                "update_policy" => resource.update_policy = Some(self.object(&written, node)),
                "depends_on" => match self.dependencies(&written, node) {
                    Some(names) => {
                        resource.depends_on = names;
                        resource.depends_on_span = Some(document.span(node));
                    }
                    None => {
                        resource.extensions.push(self.extension(written, node));
                    }
                },
                "deletion_policy" => {
                    let value = self.value(node, CallContext::Value);
                    resource.deletion_policy_span = Some(value.span);
                    resource.deletion_policy = Some(self.deletion_policy(value, node));
                }
                "external_id" => resource.external_id = Some(self.value(node, CallContext::Value)),
                "condition" => {
                    let value = self.value(node, CallContext::Condition);
                    resource.condition = Some(as_condition(value));
                }
                "description" => resource.description = Some(self.data(node)),
                other => unreachable!("resource key {other} is in the table and not lowered"),
            }
        }
        if !typed {
            self.missing(Definition::Resource, &name, "type");
        }
        (name.text.into(), resource)
    }

    /// An output with its name.
    pub(super) fn output(&mut self, member: Entry) -> (String, Output) {
        let name = self.name(member.key);
        let mut output = Output {
            name_span: name.span,
            description: None,
            value: None,
            condition: None,
            extensions: Vec::new(),
        };
        let Some(entries) = self.definition(Definition::Output, &name, member.value) else {
            output.extensions.push(self.extension(name.clone(), member.value));
            return (name.text.into(), output);
        };
        for &Entry { key, value: node } in entries {
            let written = self.name(key);
            let Some(known) = D::key(self, Definition::Output, &written, key) else {
                output.extensions.push(self.extension(written, node));
                continue;
            };
            match known {
                "description" => output.description = Some(self.data(node)),
                "value" => output.value = Some(self.value(node, CallContext::Value)),
                "condition" => {
                    let value = self.value(node, CallContext::Condition);
                    output.condition = Some(as_condition(value));
                }
                other => unreachable!("output key {other} is in the table and not lowered"),
            }
        }
        if output.value.is_none() {
            self.missing(Definition::Output, &name, "value");
        }
        (name.text.into(), output)
    }

    fn deletion_policy(&mut self, value: Expr, node: NodeId) -> DeletionPolicy {
        let Some(text) = value.as_text() else {
            if value.is_literal() {
                let finding = Diagnostic::new(
                    crate::codes::VALUE_SHAPE,
                    "a deletion policy must be a string",
                );
                self.report(finding.at(value.span));
            }
            return DeletionPolicy::Other(value);
        };
        if !D::has_deletion_policy(self, text, value.span, node) {
            return DeletionPolicy::Other(value);
        }
        match text {
            "Delete" | "delete" => DeletionPolicy::Delete,
            "Retain" | "retain" => DeletionPolicy::Retain,
            "Snapshot" | "snapshot" => DeletionPolicy::Snapshot,
            other => unreachable!("deletion policy {other} is in the table and not lowered"),
        }
    }

    /// Lowers a map, or a call that yields one.
    fn object(&mut self, key: &SpannedName, node: NodeId) -> Expr {
        let value = self.value(node, CallContext::Value);
        if value.is_literal() && !matches!(value.kind, ExprKind::Map(_)) {
            match self.document.kind(node) {
                NodeKind::Mapping(_) => {
                    let message = format!("`{}` is a call that does not return a map", key.text);
                    let finding = Diagnostic::new(crate::codes::VALUE_SHAPE, message);
                    self.report(finding.at(self.document.span(node)));
                }
                _ => self.wrong_shape(key, node, "a map"),
            }
        }
        value
    }

    /// The names of `depends_on`: a text or a list of texts.
    fn dependencies(&mut self, key: &SpannedName, node: NodeId) -> Option<Vec<Dependency>> {
        let document = self.document;
        let nodes = match document.kind(node) {
            NodeKind::Text(_) => vec![node],
            NodeKind::Sequence(items) => items.to_vec(),
            _ => {
                self.wrong_shape(key, node, "a string or a list of strings");
                return None;
            }
        };
        let mut names = Vec::with_capacity(nodes.len());
        for node in nodes {
            let Some(text) = document.str(node) else {
                self.wrong_shape(key, node, "a string");
                return None;
            };
            names.push(Dependency { text: text.into(), span: document.span(node) });
        }
        Some(names)
    }

    /// The pairs of a definition, which must be a map.
    pub(super) fn definition(
        &mut self,
        what: Definition,
        name: &SpannedName,
        node: NodeId,
    ) -> Option<&'d [Entry]> {
        let what = what.noun();
        match self.document.kind(node) {
            NodeKind::Mapping(mapping) => Some(&mapping.entries),
            kind => {
                let kind = kind_name(kind);
                let message = format!("{what} `{}` is {kind}, but must be a map", name.text);
                let finding = Diagnostic::new(crate::codes::VALUE_SHAPE, message)
                    .at(self.document.span(node));
                self.report(finding.related(name.span, format!("the {what}")));
                None
            }
        }
    }

    /// Reports a definition without a key that it needs.
    pub(super) fn missing(&mut self, what: Definition, name: &SpannedName, key: &'static str) {
        let key = D::key_name(key);
        let message = format!("{} `{}` has no `{key}`", what.noun(), name.text);
        self.report(Diagnostic::new(crate::codes::MISSING_KEY, message).at(name.span));
    }

    /// Reports the value of a key that has the wrong type.
    pub(super) fn wrong_shape(&mut self, key: &SpannedName, node: NodeId, wanted: &str) {
        let found = kind_name(self.document.kind(node));
        let message = format!("`{}` is {found}, but must be {wanted}", key.text);
        let finding = Diagnostic::new(crate::codes::VALUE_SHAPE, message);
        self.report(finding.at(self.document.span(node)));
    }
}

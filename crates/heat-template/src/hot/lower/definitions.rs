//! Lowers the definitions of resources and outputs, which the dialects share but for the names of their keys.
//!
//! Heat's rules: `docs/heat.md#keys-of-a-resource`, `docs/heat.md#keys-of-an-output`.

use super::expressions::as_condition;
use super::names::name_of;
use crate::hot::call::LoweringContext;
use crate::hot::functions::CallContext;
use crate::hot::recognize::kind_name;
use crate::ir::{
    DeletionPolicy, Dependency, Expr, ExprKind, Output, Resource, SpannedName, UnknownKey,
};
use lossless_yaml::{Document, Entry, NodeId, NodeKind};
use source_diagnostics::Diagnostic;

/// What has a definition with keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// A member of `resources`.
    Resource,
    /// A member of `outputs`.
    Output,
}

impl Definition {
    /// The word for it in messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Definition::Resource => "resource",
            Definition::Output => "output",
        }
    }
}

/// A dialect that lowers definitions.
pub(crate) trait DefinitionLowerer<'d>: LoweringContext {
    fn document(&self) -> &'d Document;
    /// Lowers a node as data: maps in it are never calls.
    fn data(&mut self, node: NodeId) -> Expr;
    /// Lowers a node as a value: maps may be calls, as the context allows.
    fn value(&mut self, node: NodeId, context: CallContext) -> Expr;
    /// HOT's name of a key of a definition, whose node is `node`. A key that Heat does not use is reported.
    fn definition_key(
        &mut self,
        definition: Definition,
        key: &SpannedName,
        node: NodeId,
    ) -> Option<&'static str>;
    /// The dialect's name of a key that HOT has, too.
    fn key_name(&self, key: &'static str) -> &'static str;
    /// Reads a deletion policy, which is at `node`.
    fn deletion_policy(&mut self, value: Expr, node: NodeId) -> DeletionPolicy;

    /// A resource with its name.
    fn resource(&mut self, member: Entry) -> (String, Resource) {
        let document = self.document();
        let name = name_of(document, member.key);
        let mut resource = Resource {
            name_span: name.span,
            kind: None,
            properties: None,
            metadata: None,
            depends_on: Vec::new(),
            depends_on_span: None,
            deletion_policy: None,
            deletion_policy_span: None,
            update_policy: None,
            external_id: None,
            condition: None,
            description: None,
            extensions: Vec::new(),
        };
        let Some(entries) = self.definition(&name, member.value, "resource") else {
            let value = self.data(member.value);
            resource.extensions.push(UnknownKey { name: name.clone(), value });
            return (name.text.into(), resource);
        };
        let mut typed = false;
        for &Entry { key, value: node } in entries {
            let written = name_of(document, key);
            let Some(known) = self.definition_key(Definition::Resource, &written, key) else {
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
                            self.wrong_shape(&written, node, "a string");
                            let value = self.data(node);
                            resource.extensions.push(UnknownKey { name: written, value });
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
                        let value = self.data(node);
                        resource.extensions.push(UnknownKey { name: written, value });
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
            self.missing(&name, "resource", self.key_name("type"));
        }
        (name.text.into(), resource)
    }

    /// An output with its name.
    fn output(&mut self, member: Entry) -> (String, Output) {
        let document = self.document();
        let name = name_of(document, member.key);
        let mut output = Output {
            name_span: name.span,
            description: None,
            value: None,
            condition: None,
            extensions: Vec::new(),
        };
        let Some(entries) = self.definition(&name, member.value, "output") else {
            let value = self.data(member.value);
            output.extensions.push(UnknownKey { name: name.clone(), value });
            return (name.text.into(), output);
        };
        for &Entry { key, value: node } in entries {
            let written = name_of(document, key);
            let Some(known) = self.definition_key(Definition::Output, &written, key) else {
                let value = self.data(node);
                output.extensions.push(UnknownKey { name: written, value });
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
            self.missing(&name, "output", self.key_name("value"));
        }
        (name.text.into(), output)
    }

    /// Lowers a map, or a call that yields one.
    fn object(&mut self, key: &SpannedName, node: NodeId) -> Expr {
        let value = self.value(node, CallContext::Value);
        if value.is_literal() && !matches!(value.kind, ExprKind::Map(_)) {
            match self.document().kind(node) {
                NodeKind::Mapping(_) => {
                    let message = format!("`{}` is a call that does not return a map", key.text);
                    let finding = Diagnostic::new(crate::codes::VALUE_SHAPE, message);
                    self.report(finding.at(self.document().span(node)));
                }
                _ => self.wrong_shape(key, node, "a map"),
            }
        }
        value
    }

    /// The names of `depends_on`: a text or a list of texts.
    fn dependencies(&mut self, key: &SpannedName, node: NodeId) -> Option<Vec<Dependency>> {
        let document = self.document();
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
    fn definition(&mut self, name: &SpannedName, node: NodeId, what: &str) -> Option<&'d [Entry]> {
        let document = self.document();
        match document.kind(node) {
            NodeKind::Mapping(mapping) => Some(&mapping.entries),
            kind => {
                let kind = kind_name(kind);
                let message = format!("{what} `{}` is {kind}, but must be a map", name.text);
                let finding =
                    Diagnostic::new(crate::codes::VALUE_SHAPE, message).at(document.span(node));
                self.report(finding.related(name.span, format!("the {what}")));
                None
            }
        }
    }

    /// Reports a definition without a key that it needs.
    fn missing(&mut self, name: &SpannedName, what: &str, key: &str) {
        let message = format!("{what} `{}` has no `{key}`", name.text);
        self.report(Diagnostic::new(crate::codes::MISSING_KEY, message).at(name.span));
    }

    /// Reports the value of a key that has the wrong type.
    fn wrong_shape(&mut self, key: &SpannedName, node: NodeId, wanted: &str) {
        let document = self.document();
        let found = kind_name(document.kind(node));
        let message = format!("`{}` is {found}, but must be {wanted}", key.text);
        self.report(Diagnostic::new(crate::codes::VALUE_SHAPE, message).at(document.span(node)));
    }
}

//! Lowers the definitions of resources, with their dependencies and deletion policies.
//!
//! Heat's rules: `docs/heat.md#keys-of-a-resource`, `docs/heat.md#deletion-policies`.

use super::Lowerer;
use super::expressions::as_condition;
use crate::hot::call::LoweringContext;
use crate::hot::functions::CallContext;
use crate::hot::keys;
use crate::ir::{DeletionPolicy, Dependency, Expr, ExprKind, Resource, SpannedName, UnknownKey};
use lossless_yaml::{Entry, NodeId, NodeKind};
use source_diagnostics::{Diagnostic, did_you_mean};

impl Lowerer<'_> {
    pub(super) fn resource(&mut self, member: Entry) -> (String, Resource) {
        let name = self.name(member.key);
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
        for &entry in entries {
            let key = self.name(entry.key);
            if !self.known_key(keys::RESOURCE, &key, entry.key, "resource") {
                // Calls in it are recorded all the same: a later version may have the key.
                let value = self.value(entry.value, CallContext::Value);
                resource.extensions.push(UnknownKey { name: key, value });
                continue;
            }
            let document = self.document;
            match &*key.text {
                "type" => {
                    typed = true;
                    match document.str(entry.value) {
                        Some(text) if !text.is_empty() => {
                            let span = document.span(entry.value);
                            resource.kind = Some(SpannedName { text: text.into(), span });
                        }
                        _ => {
                            self.wrong_shape(&key, entry.value, "a text");
                            let value = self.data(entry.value);
                            resource.extensions.push(UnknownKey { name: key, value });
                        }
                    }
                }
                "properties" => resource.properties = self.object(&key, entry.value),
                "metadata" => resource.metadata = self.object(&key, entry.value),
                "update_policy" => resource.update_policy = self.object(&key, entry.value),
                "depends_on" => match self.dependencies(&key, entry.value) {
                    Some(names) => {
                        resource.depends_on = names;
                        resource.depends_on_span = Some(self.document.span(entry.value));
                    }
                    None => {
                        let value = self.data(entry.value);
                        resource.extensions.push(UnknownKey { name: key, value });
                    }
                },
                "deletion_policy" => {
                    let value = self.value(entry.value, CallContext::Value);
                    resource.deletion_policy_span = Some(value.span);
                    resource.deletion_policy = Some(self.deletion_policy(value, entry.value));
                }
                "external_id" => {
                    resource.external_id = Some(self.value(entry.value, CallContext::Value));
                }
                "condition" => {
                    let value = self.value(entry.value, CallContext::Condition);
                    resource.condition = Some(as_condition(value));
                }
                "description" => resource.description = Some(self.data(entry.value)),
                other => unreachable!("resource key {other} is in the table and not lowered"),
            }
        }
        if !typed {
            self.missing(&name, "resource", "type");
        }
        (name.text.into(), resource)
    }

    /// Lowers a map, or a call that yields one.
    fn object(&mut self, key: &SpannedName, node: NodeId) -> Option<Expr> {
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
        Some(value)
    }

    fn dependencies(&mut self, key: &SpannedName, node: NodeId) -> Option<Vec<Dependency>> {
        let document = self.document;
        let nodes = match document.kind(node) {
            NodeKind::Text(_) => vec![node],
            NodeKind::Sequence(items) => items.to_vec(),
            _ => {
                self.wrong_shape(key, node, "a text or a list of texts");
                return None;
            }
        };
        let mut names = Vec::with_capacity(nodes.len());
        for node in nodes {
            let Some(text) = document.str(node) else {
                self.wrong_shape(key, node, "a text");
                return None;
            };
            names.push(Dependency { text: text.into(), span: document.span(node) });
        }
        Some(names)
    }

    fn deletion_policy(&mut self, value: Expr, node: NodeId) -> DeletionPolicy {
        let Some(text) = value.as_text() else {
            if value.is_literal() {
                let finding =
                    Diagnostic::new(crate::codes::VALUE_SHAPE, "a deletion policy must be a text");
                self.report(finding.at(value.span));
            }
            return DeletionPolicy::Other(value);
        };
        if !keys::known(keys::DELETION_POLICIES, text, self.version)
            && !self.reinterpret_key(keys::DELETION_POLICIES, text, node, "deletion policy")
        {
            let mut finding = Diagnostic::new(
                crate::codes::DELETION_POLICY_UNKNOWN,
                format!("`{text}` is not a deletion policy of {}", self.version),
            )
            .at(value.span);
            let policies = keys::DELETION_POLICIES.iter().map(|(name, _)| *name);
            let policies =
                policies.filter(|it| keys::known(keys::DELETION_POLICIES, it, self.version));
            if let Some(since) = keys::since(keys::DELETION_POLICIES, text) {
                finding =
                    finding.help(format!("this spelling is available from version {since} on"));
            } else if let Some(near) = did_you_mean(text, policies) {
                finding = finding.help(format!("did you mean `{near}`?"));
            }
            self.report(finding);
            return DeletionPolicy::Other(value);
        }
        match text {
            "Delete" | "delete" => DeletionPolicy::Delete,
            "Retain" | "retain" => DeletionPolicy::Retain,
            "Snapshot" | "snapshot" => DeletionPolicy::Snapshot,
            other => unreachable!("deletion policy {other} is in the table and not lowered"),
        }
    }
}

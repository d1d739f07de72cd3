//! Lowers a CFN template to the neutral model.
//!
//! As for HOT, lowering continues after errors: what Heat refuses becomes a finding and, in the
//! model, an extension or an invalid call.
//!
//! Heat's rule: `docs/heat.md#keys-of-the-cfn-formats`.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::keys;
use super::{CfnFormat, PSEUDO};
use crate::hot::{
    CallContext, HEAT_MAX_SIZE, LoweringContext, SharedNodes, as_condition, kind_name,
};
use crate::ir::{
    self, Condition, DeletionPolicy, Dependency, Expr, ExprKind, Mapping, Output, ParameterType,
    Resource, SpannedName, Stack, UnknownKey,
};
use lossless_yaml::{Document, Entry, NodeId, NodeKind, ScalarOffsets};
use source_diagnostics::{Diagnostic, Span, did_you_mean};

/// The result of lowering.
#[derive(Clone, Debug)]
pub struct LoweredCfn {
    /// The neutral model.
    pub stack: Stack,
    /// The findings of lowering.
    pub findings: Vec<Diagnostic>,
}

/// Lowers a template of `format`, whose version is the value at `version_node`, to the neutral model.
pub fn lower(document: &Document, format: CfnFormat, version_node: NodeId) -> LoweredCfn {
    let span = document.span(version_node);
    let stack = Stack::empty(ir::TemplateFormat { dialect: "cfn", version: format.date(), span });
    let resource_names = OnceCell::new();
    let shared = SharedNodes::default();
    let mut lowerer =
        Lowerer { document, format, stack, findings: Vec::new(), resource_names, shared };
    let text = document.text();
    if text.len() > HEAT_MAX_SIZE && text.chars().count() > HEAT_MAX_SIZE {
        let message = format!("the template has more than {HEAT_MAX_SIZE} characters");
        lowerer.report(Diagnostic::new(crate::codes::LARGER_THAN_HEAT, message).at(span));
    }
    lowerer.template();
    LoweredCfn { stack: lowerer.stack, findings: lowerer.findings }
}

pub(super) struct Lowerer<'d> {
    pub(super) document: &'d Document,
    pub(super) format: CfnFormat,
    stack: Stack,
    pub(super) findings: Vec<Diagnostic>,
    resource_names: OnceCell<HashSet<&'d str>>,
    pub(super) shared: SharedNodes,
}

impl LoweringContext for Lowerer<'_> {
    fn report(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    fn has_resource(&self, name: &str) -> bool {
        let document = self.document;
        let names = self.resource_names.get_or_init(|| {
            let section = document.root().and_then(|root| document.get(root, "Resources"));
            let entries = section.map(|section| document.entries(section)).unwrap_or_default();
            entries.iter().filter_map(|entry| document.str(entry.key)).collect()
        });
        names.contains(name)
    }

    fn has_parameter(&self, name: &str) -> bool {
        self.stack.parameters.contains_key(name)
    }

    fn parameter_type(&self, name: &str) -> Option<ParameterType> {
        self.stack.parameters.get(name)?.kind
    }

    fn is_pseudo_parameter(&self, name: &str) -> bool {
        PSEUDO.contains(&name)
    }

    fn dialect(&self) -> String {
        self.format.to_string()
    }

    fn scalar_offsets(&self, scalar: Span, text: &str) -> Option<ScalarOffsets> {
        self.document.scalar_offsets(scalar, text)
    }
}

impl<'d> Lowerer<'d> {
    fn template(&mut self) {
        let document = self.document;
        let Some(root) = document.root() else { return };
        // The meaning of a name depends on the parameters, so these come first.
        let (parameters, rest): (Vec<Entry>, Vec<Entry>) = document
            .entries(root)
            .iter()
            .copied()
            .partition(|entry| document.str(entry.key) == Some("Parameters"));
        for entry in parameters.into_iter().chain(rest) {
            self.section(entry);
        }
    }

    fn section(&mut self, entry: Entry) {
        let name = self.name(entry.key);
        if !keys::known(keys::SECTIONS, &name.text, self.format) {
            let message = format!("`{}` is not a section of {}", name.text, self.format);
            let finding = Diagnostic::new(crate::codes::UNKNOWN_SECTION, message).at(name.span);
            let finding = self.with_suggestion(finding, keys::SECTIONS, &name);
            self.report(finding);
            let value = self.data(entry.value);
            self.stack.extensions.push(UnknownKey { name, value });
            return;
        }
        match &*name.text {
            "Description" => self.stack.description = Some(self.data(entry.value)),
            "Parameters" => {
                for &member in self.members(&name, entry.value) {
                    let (name, parameter) = self.parameter(member);
                    self.stack.parameters.insert(name, parameter);
                }
            }
            "Mappings" => {
                for &member in self.members(&name, entry.value) {
                    let name = self.name(member.key);
                    let value = self.data(member.value);
                    let mapping = Mapping { name_span: name.span, value };
                    self.stack.mappings.insert(name.text.into(), mapping);
                }
            }
            "Conditions" => {
                for &member in self.members(&name, entry.value) {
                    let name = self.name(member.key);
                    let value = self.value(member.value, CallContext::Condition);
                    let condition = Condition { name_span: name.span, value };
                    self.stack.conditions.insert(name.text.into(), condition);
                }
            }
            "Resources" => {
                for &member in self.members(&name, entry.value) {
                    let (name, resource) = self.resource(member);
                    self.stack.resources.insert(name, resource);
                }
            }
            "Outputs" => {
                for &member in self.members(&name, entry.value) {
                    let (name, output) = self.output(member);
                    self.stack.outputs.insert(name, output);
                }
            }
            // The version key.
            _ => {}
        }
    }

    /// The pairs of a section that must be a map. A falsy value counts as empty, except for `Conditions`.
    fn members(&mut self, name: &SpannedName, node: NodeId) -> &'d [Entry] {
        let document = self.document;
        let strict = &*name.text == "Conditions";
        match document.kind(node) {
            NodeKind::Mapping(mapping) => return &mapping.entries,
            NodeKind::Null if !strict => {}
            NodeKind::Sequence(items) if items.is_empty() && !strict => {}
            kind => {
                let message = format!("`{}` is {}, but must be a map", name.text, kind_name(kind));
                self.report(
                    Diagnostic::new(crate::codes::SECTION_SHAPE, message).at(document.span(node)),
                );
                let value = self.data(node);
                self.stack.extensions.push(UnknownKey { name: name.clone(), value });
            }
        }
        &[]
    }

    fn resource(&mut self, member: Entry) -> (String, Resource) {
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
        let document = self.document;
        let mut typed = false;
        for &entry in entries {
            let key = self.name(entry.key);
            if !keys::is_resource_key(&key.text, self.format) {
                self.ignored(keys::RESOURCE, &key, "resource");
                let value = self.value(entry.value, CallContext::Value);
                resource.extensions.push(UnknownKey { name: key, value });
                continue;
            }
            match &*key.text {
                "Type" => {
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
                "Properties" => resource.properties = Some(self.object(&key, entry.value)),
                "Metadata" => resource.metadata = Some(self.object(&key, entry.value)),
                "UpdatePolicy" => resource.update_policy = Some(self.object(&key, entry.value)),
                "DependsOn" => match self.dependencies(&key, entry.value) {
                    Some(names) => {
                        resource.depends_on = names;
                        resource.depends_on_span = Some(document.span(entry.value));
                    }
                    None => {
                        let value = self.data(entry.value);
                        resource.extensions.push(UnknownKey { name: key, value });
                    }
                },
                "DeletionPolicy" => {
                    let value = self.value(entry.value, CallContext::Value);
                    resource.deletion_policy_span = Some(value.span);
                    resource.deletion_policy = Some(self.deletion_policy(value));
                }
                "Condition" => {
                    let value = self.value(entry.value, CallContext::Condition);
                    resource.condition = Some(as_condition(value));
                }
                "Description" => resource.description = Some(self.data(entry.value)),
                other => unreachable!("resource key {other} is in the table and not lowered"),
            }
        }
        if !typed {
            self.missing(&name, "resource", "Type");
        }
        (name.text.into(), resource)
    }

    /// Lowers a map, or a call that yields one.
    fn object(&mut self, key: &SpannedName, node: NodeId) -> Expr {
        let value = self.value(node, CallContext::Value);
        if value.is_literal() && !matches!(value.kind, ExprKind::Map(_)) {
            self.wrong_shape(key, node, "a map");
        }
        value
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

    fn deletion_policy(&mut self, value: Expr) -> DeletionPolicy {
        match value.as_text() {
            Some("Delete") => return DeletionPolicy::Delete,
            Some("Retain") => return DeletionPolicy::Retain,
            Some("Snapshot") => return DeletionPolicy::Snapshot,
            Some(text) => {
                let message = format!("`{text}` is not a deletion policy");
                let finding = Diagnostic::new(crate::codes::DELETION_POLICY_UNKNOWN, message);
                self.report(finding.at(value.span));
            }
            None if value.is_literal() => {
                let finding =
                    Diagnostic::new(crate::codes::VALUE_SHAPE, "a deletion policy must be a text");
                self.report(finding.at(value.span));
            }
            None => {}
        }
        DeletionPolicy::Other(value)
    }

    fn output(&mut self, member: Entry) -> (String, Output) {
        let name = self.name(member.key);
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
        for &entry in entries {
            let key = self.name(entry.key);
            if !keys::is_output_key(&key.text, self.format) {
                self.ignored(keys::OUTPUT, &key, "output");
                let value = self.data(entry.value);
                output.extensions.push(UnknownKey { name: key, value });
                continue;
            }
            match &*key.text {
                "Description" => output.description = Some(self.data(entry.value)),
                "Value" => output.value = Some(self.value(entry.value, CallContext::Value)),
                "Condition" => {
                    let value = self.value(entry.value, CallContext::Condition);
                    output.condition = Some(as_condition(value));
                }
                other => unreachable!("output key {other} is in the table and not lowered"),
            }
        }
        if output.value.is_none() {
            self.missing(&name, "output", "Value");
        }
        (name.text.into(), output)
    }

    /// The pairs of a definition, which must be a map.
    pub(super) fn definition(
        &mut self,
        name: &SpannedName,
        node: NodeId,
        what: &str,
    ) -> Option<&'d [Entry]> {
        let document = self.document;
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

    pub(super) fn unknown_key(
        &mut self,
        table: &[(&'static str, bool)],
        key: &SpannedName,
        what: &str,
    ) {
        let message = format!("`{}` is not a key of a {what} in Heat", key.text);
        let finding = Diagnostic::new(crate::codes::UNKNOWN_KEY, message).at(key.span);
        let finding = self.with_suggestion(finding, table, key);
        self.report(finding);
    }

    fn ignored(&mut self, table: &[(&'static str, bool)], key: &SpannedName, what: &str) {
        let message = format!("Heat ignores `{}` in a {what}", key.text);
        let finding = Diagnostic::new(crate::codes::IGNORED_KEY, message).at(key.span);
        let finding = self.with_suggestion(finding, table, key);
        self.report(finding);
    }

    fn with_suggestion(
        &self,
        finding: Diagnostic,
        table: &[(&'static str, bool)],
        key: &SpannedName,
    ) -> Diagnostic {
        let names = table.iter().map(|(name, _)| *name);
        match did_you_mean(&key.text, names.filter(|name| *name != key.text)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        }
    }

    pub(super) fn missing(&mut self, name: &SpannedName, what: &str, key: &str) {
        let message = format!("{what} `{}` has no `{key}`", name.text);
        self.report(Diagnostic::new(crate::codes::MISSING_KEY, message).at(name.span));
    }

    fn wrong_shape(&mut self, key: &SpannedName, node: NodeId, wanted: &str) {
        let found = kind_name(self.document.kind(node));
        let message = format!("`{}` is {found}, but must be {wanted}", key.text);
        self.report(
            Diagnostic::new(crate::codes::VALUE_SHAPE, message).at(self.document.span(node)),
        );
    }
}

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
    CallContext, Definition, DefinitionLowerer, HEAT_MAX_SIZE, LoweringContext, SharedNodes,
    kind_name,
};
use crate::ir::{
    self, Condition, DeletionPolicy, Expr, Mapping, ParameterType, SpannedName, Stack, UnknownKey,
};
use lossless_yaml::{Document, Entry, NodeId, NodeKind, ScalarOffsets};
use source_diagnostics::{Diagnostic, Span, did_you_mean};

/// The result of lowering.
#[derive(Clone, Debug)]
pub struct LoweredCfn {
    /// The stack in the intermediate representation.
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

impl<'d> DefinitionLowerer<'d> for Lowerer<'d> {
    fn document(&self) -> &'d Document {
        self.document
    }

    fn data(&mut self, node: NodeId) -> Expr {
        self.expression(node, None)
    }

    fn value(&mut self, node: NodeId, context: CallContext) -> Expr {
        self.expression(node, Some(context))
    }

    fn definition_key(
        &mut self,
        definition: Definition,
        key: &SpannedName,
        _node: NodeId,
    ) -> Option<&'static str> {
        let table = match definition {
            Definition::Resource => keys::RESOURCE,
            Definition::Output => keys::OUTPUT,
        };
        if keys::known(table, &key.text, self.format) {
            return keys::name_in_hot(&key.text);
        }
        self.ignored(table, key, definition.noun());
        None
    }

    fn key_name(&self, key: &'static str) -> &'static str {
        keys::name_in_cfn(key)
    }

    fn deletion_policy(&mut self, value: Expr, _node: NodeId) -> DeletionPolicy {
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
                let finding = Diagnostic::new(
                    crate::codes::VALUE_SHAPE,
                    "a deletion policy must be a string",
                );
                self.report(finding.at(value.span));
            }
            None => {}
        }
        DeletionPolicy::Other(value)
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
}

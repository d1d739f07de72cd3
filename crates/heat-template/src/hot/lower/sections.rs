//! Lowers the sections of a template, and the contents of the simple ones: conditions, parameter
//! groups and capabilities.
//!
//! Heat's rules: `docs/heat.md#sections-of-hot`, `docs/heat.md#empty-sections`.

use super::Lowerer;
use super::definitions::DefinitionLowerer;
use crate::hot::call::LoweringContext;
use crate::hot::functions::CallContext;
use crate::hot::keys;
use crate::hot::recognize::kind_name;
use crate::ir::{Capability, Condition, ExprKind, ParameterGroup, SpannedName, UnknownKey};
use lossless_yaml::{Entry, NodeId, NodeKind};
use source_diagnostics::Diagnostic;

impl<'d> Lowerer<'d> {
    pub(super) fn template(&mut self) {
        let document = self.document;
        let Some(root) = document.root() else { return };
        let entries = document.entries(root);
        // Calls are normalized by the types of parameters, so these come first.
        let (parameters, rest): (Vec<_>, Vec<_>) = entries
            .iter()
            .copied()
            .partition(|entry| document.str(entry.key) == Some("parameters"));
        for entry in parameters.into_iter().chain(rest) {
            self.section(entry);
        }
    }

    fn section(&mut self, entry: Entry) {
        let name = self.name(entry.key);
        if keys::known(keys::EXTRA_SECTIONS, &name.text, self.version) {
            self.extra_section(&name, entry.value);
            return;
        }
        if !keys::known(keys::SECTIONS, &name.text, self.version)
            && !self.reinterpret_key(keys::SECTIONS, &name.text, entry.key, "section")
        {
            let finding =
                self.unknown(crate::codes::UNKNOWN_SECTION, &name, keys::SECTIONS, "section");
            self.report(finding);
            let value = self.data(entry.value);
            self.stack.extensions.push(UnknownKey { name, value });
            return;
        }
        match &*name.text {
            keys::VERSION => {}
            "description" => self.stack.description = Some(self.data(entry.value)),
            "parameters" => {
                let members = self.section_map(&name, entry.value);
                self.stack.parameters.reserve(members.len());
                for &member in members {
                    let (name, parameter) = self.parameter(member);
                    self.stack.parameters.insert(name, parameter);
                }
            }
            "parameter_groups" => self.groups(&name, entry.value),
            "conditions" => {
                for &member in self.section_map(&name, entry.value) {
                    let name = self.name(member.key);
                    let value = self.value(member.value, CallContext::Condition);
                    self.stack
                        .conditions
                        .insert(name.text.into(), Condition { name_span: name.span, value });
                }
            }
            "resources" => {
                let members = self.section_map(&name, entry.value);
                self.stack.resources.reserve(members.len());
                for &member in members {
                    let (name, resource) = self.resource(member);
                    self.stack.resources.insert(name, resource);
                }
            }
            "outputs" => {
                let members = self.section_map(&name, entry.value);
                self.stack.outputs.reserve(members.len());
                for &member in members {
                    let (name, output) = self.output(member);
                    self.stack.outputs.insert(name, output);
                }
            }
            other => unreachable!("section {other} is in the table and not lowered"),
        }
    }

    /// Lowers a section that Heat does not know.
    fn extra_section(&mut self, name: &SpannedName, node: NodeId) {
        let message = format!("only hotplate knows the section `{}`; Heat refuses it", name.text);
        let finding = Diagnostic::new(crate::codes::SECTION_NOT_IN_HEAT, message).at(name.span);
        self.report(finding.help("`--strip-capabilities` removes it from the result"));
        match &*name.text {
            keys::CAPABILITIES => {
                for &member in self.section_map(name, node) {
                    let (name, capability) = self.capability(member);
                    self.stack.capabilities.insert(name, capability);
                }
            }
            other => unreachable!("section {other} is in the table and not lowered"),
        }
    }

    fn capability(&mut self, member: Entry) -> (String, Capability) {
        let name = self.name(member.key);
        let value = self.data(member.value);
        let wrong = match &value.kind {
            ExprKind::List(items) => items.iter().find(|item| item.as_text().is_none()),
            ExprKind::Text(_) => None,
            _ => Some(&value),
        };
        if let Some(wrong) = wrong {
            let message = format!("`{}` must be a string or a list of strings", name.text);
            let finding = Diagnostic::new(crate::codes::CAPABILITY_SHAPE, message).at(wrong.span);
            self.report(match wrong.kind {
                ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Date(_) => {
                    finding.help("put it in quotes to make it a string")
                }
                _ => finding,
            });
        }
        (name.text.into(), Capability { name_span: name.span, value })
    }

    /// The pairs of a section that must be a map. Null counts as empty, except for
    /// `conditions`; Heat accepts any other falsy value as empty.
    fn section_map(&mut self, name: &SpannedName, node: NodeId) -> &'d [Entry] {
        let document = self.document;
        match document.kind(node) {
            NodeKind::Mapping(mapping) => return &mapping.entries,
            NodeKind::Null if &*name.text != "conditions" => {}
            NodeKind::Sequence(items) if items.is_empty() && &*name.text != "conditions" => {}
            kind => {
                let finding = Diagnostic::new(
                    crate::codes::SECTION_SHAPE,
                    format!("`{}` is {}, but must be a map", name.text, kind_name(kind)),
                )
                .at(self.document.span(node));
                self.report(finding);
                let value = self.data(node);
                self.stack.extensions.push(UnknownKey { name: name.clone(), value });
            }
        }
        &[]
    }

    fn groups(&mut self, name: &SpannedName, node: NodeId) {
        match self.document.kind(node) {
            NodeKind::Sequence(items) => {
                for &item in items {
                    let value = self.data(item);
                    self.stack.groups.push(ParameterGroup { value });
                }
            }
            NodeKind::Null => {}
            NodeKind::Mapping(mapping) if mapping.entries.is_empty() => {}
            kind => {
                let finding = Diagnostic::new(
                    crate::codes::SECTION_SHAPE,
                    format!("`parameter_groups` is {}, but must be a list", kind_name(kind)),
                )
                .at(self.document.span(node));
                self.report(finding);
                let value = self.data(node);
                self.stack.extensions.push(UnknownKey { name: name.clone(), value });
            }
        }
    }
}

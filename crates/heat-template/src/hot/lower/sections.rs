//! Lowers the sections of a template, and the contents of the simple ones: conditions, mappings, parameter
//! groups and capabilities.
//!
//! Heat's rules: `docs/heat.md#sections-of-hot`, `docs/heat.md#empty-sections`.

use super::definitions::Definition;
use super::lowerer::{Lowerer, LoweringDialect};
use crate::hot::call::LoweringContext;
use crate::hot::functions::CallContext;
use crate::hot::keys;
use crate::hot::recognize::kind_name;
use crate::ir::{Capability, Condition, ExprKind, Mapping, ParameterGroup, SpannedName, Stack};
use indexmap::IndexMap;
use lossless_yaml::{Entry, NodeId, NodeKind};
use python_semantics::number::Integer;
use source_diagnostics::Diagnostic;

impl<'d, D: LoweringDialect> Lowerer<'d, D> {
    pub(super) fn template(&mut self) {
        let document = self.document;
        let Some(root) = document.root() else { return };
        // Calls are normalized by the types of parameters, so these come first.
        let (parameters, rest): (Vec<_>, Vec<_>) = document
            .entries(root)
            .iter()
            .copied()
            .partition(|entry| document.str(entry.key) == Some(D::key_name("parameters")));
        for entry in parameters.into_iter().chain(rest) {
            self.section(entry);
        }
    }

    fn section(&mut self, Entry { key, value: node }: Entry) {
        let name = self.name(key);
        let Some(known) = D::key(self, Definition::Template, &name, key) else {
            let unknown = self.extension(name, node);
            self.stack.extensions.push(unknown);
            return;
        };
        match known {
            keys::VERSION => {}
            "description" => self.stack.description = Some(self.data(node)),
            "parameters" => {
                let members = self.members(name, node, true);
                self.stack.parameters.reserve(members.len());
                for &member in members {
                    let same = self.same(|stack| &stack.parameters, member);
                    let (name, parameter) = same.unwrap_or_else(|| self.parameter(member));
                    self.stack.parameters.insert(name, parameter);
                }
            }
            "parameter_groups" => self.groups(name, node),
            "mappings" => {
                for &member in self.members(name, node, true) {
                    let name = self.name(member.key);
                    let value = self.data(member.value);
                    let mapping = Mapping { name_span: name.span, value };
                    self.stack.mappings.insert(name.text.into(), mapping);
                }
            }
            "conditions" => {
                for &member in self.members(name, node, false) {
                    let name = self.name(member.key);
                    let value = self.value(member.value, CallContext::Condition);
                    let condition = Condition { name_span: name.span, value };
                    self.stack.conditions.insert(name.text.into(), condition);
                }
            }
            "resources" => {
                let members = self.members(name, node, true);
                self.stack.resources.reserve(members.len());
                for &member in members {
                    let same = self.same(|stack| &stack.resources, member);
                    let (name, resource) = same.unwrap_or_else(|| self.resource(member));
                    self.stack.resources.insert(name, resource);
                }
            }
            "outputs" => {
                let members = self.members(name, node, true);
                self.stack.outputs.reserve(members.len());
                for &member in members {
                    let same = self.same(|stack| &stack.outputs, member);
                    let (name, output) = same.unwrap_or_else(|| self.output(member));
                    self.stack.outputs.insert(name, output);
                }
            }
            keys::CAPABILITIES => {
                for &member in self.members(name, node, true) {
                    let (name, capability) = self.capability(member);
                    self.stack.capabilities.insert(name, capability);
                }
            }
            other => unreachable!("section {other} is in the table and not lowered"),
        }
    }

    /// A definition with its name, if it is known from an earlier version of the template.
    fn same<T: Clone>(
        &self,
        definitions: fn(&Stack) -> &IndexMap<String, T>,
        member: Entry,
    ) -> Option<(String, T)> {
        self.earlier.as_ref()?.same(definitions, self.document, member)
    }

    fn capability(&mut self, member: Entry) -> (String, Capability) {
        let name = self.name(member.key);
        let value = self.data(member.value);
        let items = match &value.kind {
            ExprKind::List(items) => items.as_slice(),
            _ => std::slice::from_ref(&value),
        };
        for item in items {
            let compared = match &item.kind {
                ExprKind::Text(_) => continue,
                ExprKind::Null => "compared as an empty string".to_owned(),
                ExprKind::Bool(value) => format!("compared as `{value}`"),
                _ => "compared as its JSON text".to_owned(),
            };
            let message = format!("a value of `{}` is not a string", name.text);
            let finding = Diagnostic::new(crate::codes::CAPABILITY_SHAPE, message);
            self.report(finding.labeled(item.span, compared));
        }
        (name.text.into(), Capability { name_span: name.span, value })
    }

    /// The pairs of a section that must be a map. Null, and any other falsy value, counts as empty if it
    /// `may_be_empty`, which only the conditions may not.
    fn members(&mut self, name: SpannedName, node: NodeId, may_be_empty: bool) -> &'d [Entry] {
        match self.document.kind(node) {
            NodeKind::Mapping(mapping) => return &mapping.entries,
            _ if may_be_empty && self.is_falsy(node) => {}
            _ => self.misshapen_section(name, node, "a map"),
        }
        &[]
    }

    fn groups(&mut self, name: SpannedName, node: NodeId) {
        match self.document.kind(node) {
            NodeKind::Sequence(items) => {
                for &item in items {
                    let value = self.data(item);
                    self.stack.groups.push(ParameterGroup { value });
                }
            }
            _ if self.is_falsy(node) => {}
            _ => self.misshapen_section(name, node, "a list"),
        }
    }

    /// Whether Python takes the value as false.
    fn is_falsy(&mut self, node: NodeId) -> bool {
        match self.data(node).kind {
            ExprKind::Null | ExprKind::Bool(false) => true,
            ExprKind::Int(number) => number == Integer::Small(0),
            ExprKind::Float(number) => number == 0.0,
            ExprKind::Text(text) => text.is_empty(),
            ExprKind::List(items) => items.is_empty(),
            ExprKind::Map(pairs) => pairs.is_empty(),
            _ => false,
        }
    }

    fn misshapen_section(&mut self, name: SpannedName, node: NodeId, wanted: &str) {
        let kind = kind_name(self.document.kind(node));
        let message = format!("`{}` is {kind}, but must be {wanted}", name.text);
        let finding = Diagnostic::new(crate::codes::SECTION_SHAPE, message);
        self.report(finding.at(self.document.span(node)));
        let unread = self.extension(name, node);
        self.stack.extensions.push(unread);
    }
}

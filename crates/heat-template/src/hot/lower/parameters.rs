//! Lowers the definitions of parameters, with their types and constraints.
//!
//! Heat's rules: `docs/heat.md#keys-of-a-parameter`, `docs/heat.md#one-constraint-per-entry`.

use super::Lowerer;
use super::definitions::DefinitionLowerer;
use crate::hot::call::LoweringContext;
use crate::hot::keys;
use crate::hot::recognize::kind_name;
use crate::hot::version::Version;
use crate::ir::{
    ConstraintKind, Parameter, ParameterConstraint, ParameterType, SpannedName, UnknownKey,
};
use lossless_yaml::{Entry, NodeId, NodeKind};
use source_diagnostics::Diagnostic;

impl Lowerer<'_> {
    pub(super) fn parameter(&mut self, member: Entry) -> (String, Parameter) {
        let name = self.name(member.key);
        let mut parameter = Parameter {
            name_span: name.span,
            kind: None,
            label: None,
            description: None,
            default: None,
            hidden: None,
            is_encrypted: false,
            immutable: None,
            constraints: Vec::new(),
            tags: None,
            extensions: Vec::new(),
        };
        let Some(entries) = self.definition(&name, member.value, "parameter") else {
            let value = self.data(member.value);
            parameter.extensions.push(UnknownKey { name: name.clone(), value });
            return (name.text.into(), parameter);
        };
        let mut typed = false;
        for &entry in entries {
            let key = self.name(entry.key);
            if !self.known_key(keys::PARAMETER, &key, entry.key, "parameter") {
                let value = self.data(entry.value);
                parameter.extensions.push(UnknownKey { name: key, value });
                continue;
            }
            match &*key.text {
                "type" => {
                    typed = true;
                    parameter.kind = self.parameter_kind(entry.value);
                    if parameter.kind.is_none() {
                        let value = self.data(entry.value);
                        parameter.extensions.push(UnknownKey { name: key, value });
                    }
                }
                "label" => parameter.label = Some(self.data(entry.value)),
                "description" => parameter.description = Some(self.data(entry.value)),
                "default" => parameter.default = Some(self.data(entry.value)),
                "hidden" => parameter.hidden = Some(self.data(entry.value)),
                "immutable" => parameter.immutable = Some(self.data(entry.value)),
                "tags" => parameter.tags = Some(self.data(entry.value)),
                "constraints" => match self.document.kind(entry.value) {
                    NodeKind::Sequence(items) => {
                        for &item in items {
                            let constraint = self.constraint(item);
                            parameter.constraints.push(constraint);
                        }
                    }
                    NodeKind::Null => {}
                    _ => {
                        self.wrong_shape(&key, entry.value, "a list");
                        let value = self.data(entry.value);
                        parameter.extensions.push(UnknownKey { name: key, value });
                    }
                },
                _ => {
                    let value = self.data(entry.value);
                    parameter.extensions.push(UnknownKey { name: key, value });
                }
            }
        }
        if !typed {
            self.missing(&name, "parameter", "type");
        }
        (name.text.into(), parameter)
    }

    fn parameter_kind(&mut self, node: NodeId) -> Option<ParameterType> {
        let kind = self.document.str(node).and_then(ParameterType::from_hot_name);
        if kind.is_none() {
            let written = self.document.slice(self.document.span(node)).to_owned();
            self.report(
                Diagnostic::new(
                    crate::codes::UNKNOWN_PARAMETER_TYPE,
                    format!("`{}` is not a parameter type", written.trim()),
                )
                .at(self.document.span(node)),
            );
        }
        kind
    }

    fn constraint(&mut self, node: NodeId) -> ParameterConstraint {
        let span = self.document.span(node);
        let mut constraint = ParameterConstraint {
            kind: ConstraintKind::Missing,
            description: None,
            extensions: Vec::new(),
            span,
        };
        let document = self.document;
        let entries = match document.kind(node) {
            NodeKind::Mapping(mapping) => &mapping.entries,
            kind => {
                let finding = Diagnostic::new(
                    crate::codes::VALUE_SHAPE,
                    format!("a constraint must be a map, but this is {}", kind_name(kind)),
                );
                self.report(finding.at(span));
                let value = self.data(node);
                let name = SpannedName { text: "".into(), span };
                constraint.extensions.push(UnknownKey { name, value });
                return constraint;
            }
        };
        // Heat uses one kind per entry: the first in its own order, not in the order of the text.
        let heeded = |version: Version| {
            keys::CONSTRAINTS.iter().filter(|(_, since)| *since <= version).find_map(|(kind, _)| {
                entries.iter().position(|entry| document.str(entry.key) == Some(kind))
            })
        };
        let heeded = heeded(self.version).or_else(|| {
            let at = heeded(self.reinterpretation.as_ref()?.version)?;
            let key = entries[at].key;
            self.reinterpret_key(keys::CONSTRAINTS, document.str(key)?, key, "constraint")
                .then_some(at)
        });
        for (at, entry) in entries.iter().enumerate() {
            let key = self.name(entry.key);
            let value = self.data(entry.value);
            if Some(at) == heeded {
                constraint.kind = match &*key.text {
                    "modulo" => ConstraintKind::Modulo(value),
                    "range" => ConstraintKind::Range(value),
                    "length" => ConstraintKind::Length(value),
                    "allowed_values" => ConstraintKind::AllowedValues(value),
                    "allowed_pattern" => ConstraintKind::AllowedPattern(value),
                    "custom_constraint" => ConstraintKind::Custom(value),
                    other => unreachable!("constraint {other} is in the table and not lowered"),
                };
            } else if &*key.text == "description" {
                constraint.description = Some(value);
            } else {
                let finding = if keys::since(keys::CONSTRAINTS, &key.text).is_some() {
                    Diagnostic::new(
                        crate::codes::IGNORED_KEY,
                        format!("Heat uses one constraint per entry and ignores `{}`", key.text),
                    )
                    .help("write a separate entry for each constraint")
                } else {
                    Diagnostic::new(
                        crate::codes::UNKNOWN_KEY,
                        format!("`{}` is not a kind of constraint", key.text),
                    )
                };
                self.report(finding.at(key.span));
                constraint.extensions.push(UnknownKey { name: key, value });
            }
        }
        if heeded.is_none() {
            let finding =
                Diagnostic::new(crate::codes::NO_CONSTRAINT, "this entry contains no constraint");
            self.report(finding.at(span));
        }
        constraint
    }
}

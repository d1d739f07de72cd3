//! Lowers parameters of CFN templates, whose constraints are keys of the declaration.
//!
//! Heat's rule: `docs/heat.md#parameters-of-the-cfn-formats`.

use super::keys;
use super::lower::Lowerer;
use crate::hot::{DefinitionLowerer, LoweringContext, name_of};
use crate::ir::{
    ConstraintKind, Expr, ExprKind, Pair, Parameter, ParameterConstraint, ParameterType,
    SpannedName, UnknownKey,
};
use lossless_yaml::{Entry, NodeId};
use source_diagnostics::Diagnostic;

/// The constraints of two limits with their keys, in the order in which Heat reads them; the model has a map of
/// two keys.
const LIMITS: [(bool, [&str; 2]); 2] =
    [(true, ["MinValue", "MaxValue"]), (false, ["MinLength", "MaxLength"])];

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
            match &*key.text {
                "Type" => {
                    typed = true;
                    parameter.kind = self.parameter_kind(entry.value);
                    if parameter.kind.is_none() {
                        let value = self.data(entry.value);
                        parameter.extensions.push(UnknownKey { name: key, value });
                    }
                }
                "Label" => parameter.label = Some(self.data(entry.value)),
                "Description" => parameter.description = Some(self.data(entry.value)),
                "Default" => parameter.default = Some(self.data(entry.value)),
                "NoEcho" => parameter.hidden = Some(self.no_echo(entry.value)),
                other if keys::is_parameter_key(other) => {}
                _ => {
                    self.unknown_key(keys::PARAMETER, &key, "parameter");
                    let value = self.data(entry.value);
                    parameter.extensions.push(UnknownKey { name: key, value });
                }
            }
        }
        if !typed {
            self.missing(&name, "parameter", "Type");
        }
        self.constraints(entries, &mut parameter);
        (name.text.into(), parameter)
    }

    fn parameter_kind(&mut self, node: NodeId) -> Option<ParameterType> {
        let document = self.document;
        let kind = match document.str(node) {
            Some("String") => Some(ParameterType::Text),
            Some("Number") => Some(ParameterType::Number),
            Some("CommaDelimitedList") => Some(ParameterType::TextList),
            Some("Json") => Some(ParameterType::Json),
            Some("Boolean") => Some(ParameterType::Boolean),
            _ => None,
        };
        if kind.is_none() {
            let span = document.span(node);
            let message =
                format!("`{}` is not a parameter type in Heat", document.slice(span).trim());
            let finding = Diagnostic::new(crate::codes::UNKNOWN_PARAMETER_TYPE, message).at(span);
            let types = "`String`, `Number`, `CommaDelimitedList`, `Json` and `Boolean`";
            self.report(finding.help(format!("the types are {types}")));
        }
        kind
    }

    /// Heat compares the value, converted to text, with `true`.
    fn no_echo(&mut self, node: NodeId) -> Expr {
        let written = self.data(node);
        let hidden = match &written.kind {
            ExprKind::Bool(value) => *value,
            ExprKind::Text(text) => text.eq_ignore_ascii_case("true"),
            _ => false,
        };
        Expr { kind: ExprKind::Bool(hidden), span: written.span }
    }

    fn constraints(&mut self, entries: &[Entry], parameter: &mut Parameter) {
        let document = self.document;
        let find =
            |key: &str| entries.iter().copied().find(|entry| document.str(entry.key) == Some(key));
        let description = find("ConstraintDescription").map(|entry| self.data(entry.value));
        let mut add = |kind, span| {
            let description = description.clone();
            let constraint =
                ParameterConstraint { kind, description, extensions: Vec::new(), span };
            parameter.constraints.push(constraint);
        };
        for (is_range, names) in LIMITS {
            let found = names.map(find);
            let Some(first) = found.iter().flatten().next() else { continue };
            let span = document.span(first.value);
            let pairs = ["min", "max"].into_iter().zip(found).filter_map(|(name, entry)| {
                let entry = entry?;
                let key_span = document.span(entry.key);
                let key = Expr::new(ExprKind::Text(name.into()), key_span);
                Some(Pair { key, value: self.data(entry.value) })
            });
            let limits = Expr::new(ExprKind::Map(pairs.collect()), span);
            let kind = match is_range {
                true => ConstraintKind::Range(limits),
                false => ConstraintKind::Length(limits),
            };
            add(kind, span);
        }
        if let Some(entry) = find("AllowedValues") {
            let values = self.data(entry.value);
            let span = values.span;
            add(ConstraintKind::AllowedValues(values), span);
        }
        if let Some(entry) = find("AllowedPattern") {
            let pattern = self.data(entry.value);
            let span = pattern.span;
            add(ConstraintKind::AllowedPattern(pattern), span);
        }
    }

    /// A key as a name.
    pub(super) fn name(&self, node: NodeId) -> SpannedName {
        name_of(self.document, node)
    }
}

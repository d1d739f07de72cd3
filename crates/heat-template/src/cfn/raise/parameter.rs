//! Raises parameters, whose constraints are a flat map of keys instead of a list as in HOT.

use super::{PairsBuilder, Raiser, data};
use crate::cfn::keys;
use crate::cfn::node::{CfnNode, UnsupportedKind};
use crate::ir::{ConstraintKind, Expr, ExprKind, Parameter, ParameterConstraint};
use lossless_yaml::Value;

impl Raiser<'_> {
    pub(super) fn parameter(&mut self, parameter: &Parameter) -> CfnNode {
        let mut pairs = PairsBuilder::default();
        if let Some(kind) = parameter.kind {
            pairs.add("Type", CfnNode::text(keys::type_name(kind)));
        }
        pairs.data("Label", parameter.label.as_ref());
        pairs.data("Description", parameter.description.as_ref());
        pairs.data("Default", parameter.default.as_ref());
        if let Some(hidden) = &parameter.hidden {
            // HOT treats any value that is not empty as true, CFN only the word `true`.
            pairs.add("NoEcho", CfnNode::data(Value::Bool(parameter.is_hidden()), hidden.span));
        }
        self.constraints(&mut pairs, &parameter.constraints);
        if let Some(immutable) = &parameter.immutable
            && parameter.is_immutable()
        {
            let message = "CFN templates have no immutable parameters";
            self.record_omission(UnsupportedKind::Section, "immutable", message, immutable.span);
        }
        if let Some(tags) = &parameter.tags {
            let message = "parameters of CFN templates have no tags";
            self.record_omission(UnsupportedKind::Section, "tags", message, tags.span);
        }
        for extension in &parameter.extensions {
            let message = "Heat ignores this key, and CFN templates have no such key";
            self.record_difference(
                UnsupportedKind::Section,
                &extension.name.text,
                message,
                extension.name.span,
            );
        }
        pairs.done()
    }

    fn constraints(&mut self, pairs: &mut PairsBuilder, constraints: &[ParameterConstraint]) {
        let mut expressed: Vec<&ParameterConstraint> = Vec::new();
        for constraint in constraints {
            for extension in &constraint.extensions {
                let message = "Heat ignores a second kind of constraint in one entry";
                self.record_difference(
                    UnsupportedKind::Section,
                    &extension.name.text,
                    message,
                    extension.name.span,
                );
            }
            let subject = subject(&constraint.kind);
            let is_second = expressed.iter().any(|other| kind_of(other) == kind_of(constraint));
            let message = match &constraint.kind {
                ConstraintKind::Modulo(_) | ConstraintKind::Custom(_) | ConstraintKind::Missing => {
                    "CFN templates do not have this constraint"
                }
                _ if is_second => {
                    "a parameter of a CFN template has only one constraint of each kind"
                }
                ConstraintKind::Range(limits) => {
                    limited(pairs, limits, keys::RANGE);
                    expressed.push(constraint);
                    continue;
                }
                ConstraintKind::Length(limits) => {
                    limited(pairs, limits, keys::LENGTH);
                    expressed.push(constraint);
                    continue;
                }
                ConstraintKind::AllowedValues(values) => {
                    pairs.add("AllowedValues", data(values));
                    expressed.push(constraint);
                    continue;
                }
                ConstraintKind::AllowedPattern(pattern) => {
                    pairs.add("AllowedPattern", data(pattern));
                    expressed.push(constraint);
                    continue;
                }
            };
            self.record_omission(UnsupportedKind::Section, subject, message, constraint.span);
        }
        // All constraints share one description.
        let mut texts: Vec<String> = Vec::new();
        let mut without = false;
        for constraint in &expressed {
            match constraint.description.as_ref().map(|text| data(text).to_value()) {
                Some(Value::Text(text)) if texts.contains(&text) => {}
                Some(Value::Text(text)) => texts.push(text),
                Some(_) | None => without = true,
            }
        }
        if texts.is_empty() {
            return;
        }
        if texts.len() > 1 || without {
            let first = expressed.iter().find_map(|constraint| constraint.description.as_ref());
            let span = first.map_or(source_diagnostics::Span::NOWHERE, |text| text.span);
            let message = "the constraints of a CFN parameter share one description";
            self.record_difference(UnsupportedKind::Section, "description", message, span);
        }
        let written = expressed.iter().find_map(|constraint| constraint.description.as_ref());
        match texts.as_slice() {
            [_] => pairs.data("ConstraintDescription", written),
            _ => pairs.add("ConstraintDescription", CfnNode::text(&texts.join("; "))),
        }
    }
}

fn subject(kind: &ConstraintKind) -> &'static str {
    match kind {
        ConstraintKind::Range(_) => "range",
        ConstraintKind::Length(_) => "length",
        ConstraintKind::Modulo(_) => "modulo",
        ConstraintKind::AllowedValues(_) => "allowed_values",
        ConstraintKind::AllowedPattern(_) => "allowed_pattern",
        ConstraintKind::Custom(_) => "custom_constraint",
        ConstraintKind::Missing => "constraints",
    }
}

fn kind_of(constraint: &ParameterConstraint) -> std::mem::Discriminant<ConstraintKind> {
    std::mem::discriminant(&constraint.kind)
}

/// The limits of a map with `min` and `max`.
fn limited(pairs: &mut PairsBuilder, limits: &Expr, keys: [&str; 2]) {
    let ExprKind::Map(given) = &limits.kind else { return };
    for (name, key) in ["min", "max"].into_iter().zip(keys) {
        if let Some(pair) = given.iter().rev().find(|pair| pair.key.as_text() == Some(name)) {
            pairs.data(key, Some(&pair.value));
        }
    }
}

//! Collects what the expressions of a stack refer to, without branches that are not taken.

use std::collections::HashMap;

use smol_str::SmolStr;

use super::{DataflowEdge, DataflowNode, StackId};
use crate::comparison::DefinitionPart;
use heat_engine::eval::deployment::Deployed;
use heat_engine::eval::{Evaluation, Value};
use heat_template::ir::{AttributeRef, DeletionPolicy, Expr, ExprKind};
use source_diagnostics::Span;

/// The references in the expressions of a stack.
#[derive(Default)]
pub(super) struct UseIndex {
    pub(super) resources: HashMap<SmolStr, Vec<(UsedValue, UseSite)>>,
    pub(super) parameters: HashMap<SmolStr, Vec<UseSite>>,
    pub(super) conditions: HashMap<SmolStr, Vec<UseSite>>,
}

/// The used part of a resource.
pub(super) enum UsedValue {
    Reference,
    /// An attribute; `None` for the map of all. Unknown parts of the path are `None`.
    Attribute(Option<SmolStr>, Vec<Option<SmolStr>>),
}

#[derive(Clone)]
pub(super) struct UseSite {
    pub(super) owner: UseOwner,
    /// The keys of literal maps that lead to the use.
    pub(super) path: Vec<SmolStr>,
    pub(super) span: Span,
    pub(super) is_control: bool,
}

#[derive(Clone)]
pub(super) enum UseOwner {
    Part(SmolStr, DefinitionPart),
    Output(SmolStr),
    Condition(SmolStr),
}

impl UseSite {
    /// Converts the use to an edge of the data flow.
    pub(super) fn edge(&self, id: StackId) -> DataflowEdge {
        let to = match &self.owner {
            UseOwner::Part(name, part) => {
                DataflowNode::Part(id, name.clone(), part.clone(), self.path.clone())
            }
            UseOwner::Output(name) => DataflowNode::Output(id, name.clone()),
            UseOwner::Condition(name) => DataflowNode::Condition(id, name.clone()),
        };
        DataflowEdge { target: to, span: Some(self.span), is_control: self.is_control }
    }
}

impl UseIndex {
    /// Collects all references of a stack, without branches that are not taken.
    pub(super) fn of(deployed: &Deployed) -> Self {
        let mut reader =
            UseCollector { uses: UseIndex::default(), evaluation: &deployed.evaluation };
        for (name, condition) in &deployed.stack.conditions {
            reader.read(&condition.value, &UseSite::new(UseOwner::Condition(name.into())), true);
        }
        for (name, resource) in &deployed.stack.resources {
            let part = |part| UseSite::new(UseOwner::Part(name.into(), part));
            match resource.properties.as_ref().map(|expr| (&expr.kind, expr)) {
                Some((ExprKind::Map(pairs), _)) => {
                    for pair in pairs {
                        if let Some(key) = pair.key.as_text() {
                            let by = part(DefinitionPart::Property(key.to_owned()));
                            reader.read(&pair.value, &by, true);
                        }
                    }
                }
                Some((_, expr)) => reader.read(expr, &part(DefinitionPart::Properties), false),
                None => {}
            }
            let policy = match &resource.deletion_policy {
                Some(DeletionPolicy::Other(expr)) => Some(expr),
                _ => None,
            };
            for (expr, kind) in [
                (resource.metadata.as_ref(), DefinitionPart::Metadata),
                (resource.update_policy.as_ref(), DefinitionPart::UpdatePolicy),
                (policy, DefinitionPart::DeletionPolicy),
                (resource.external_id.as_ref(), DefinitionPart::ExternalId),
            ] {
                if let Some(expr) = expr {
                    reader.read(expr, &part(kind), true);
                }
            }
            if let Some(condition) = &resource.condition {
                reader.read(condition, &part(DefinitionPart::Condition).as_control(), false);
            }
        }
        for (name, output) in &deployed.stack.outputs {
            let by = UseSite::new(UseOwner::Output(name.into()));
            if let Some(condition) = &output.condition {
                reader.read(condition, &by.as_control(), false);
                if reader.known_condition(condition) == Some(false) {
                    continue;
                }
            }
            if let Some(value) = &output.value {
                reader.read(value, &by, true);
            }
        }
        reader.uses
    }
}

impl UseSite {
    fn new(by: UseOwner) -> Self {
        UseSite { owner: by, path: Vec::new(), span: Span::NOWHERE, is_control: false }
    }

    fn at(&self, place: Span) -> Self {
        UseSite { span: place, ..self.clone() }
    }

    fn as_control(&self) -> Self {
        UseSite { is_control: true, ..self.clone() }
    }
}

/// Visits expressions and records uses.
struct UseCollector<'a> {
    uses: UseIndex,
    evaluation: &'a Evaluation,
}

impl UseCollector<'_> {
    /// Visits an expression; `literal` as long as only literal maps enclose it.
    fn read(&mut self, expr: &Expr, by: &UseSite, literal: bool) {
        match &expr.kind {
            ExprKind::Map(pairs) if literal => {
                for pair in pairs {
                    match pair.key.as_text() {
                        Some(key) => {
                            let mut inner = by.clone();
                            inner.path.push(key.into());
                            self.read(&pair.value, &inner, true);
                        }
                        None => self.read(&pair.value, by, false),
                    }
                }
                return;
            }
            ExprKind::Choose(choice) => {
                self.read(&choice.condition, &by.as_control(), false);
                let truth = self.known_condition(&choice.condition);
                if truth != Some(false) {
                    self.read(&choice.then, by, literal);
                }
                if let Some(otherwise) = choice.otherwise.as_ref().filter(|_| truth != Some(true)) {
                    self.read(otherwise, by, literal);
                }
                return;
            }
            ExprKind::Parameter(parameter) => {
                if let Some(name) = self.text(&parameter.name) {
                    self.uses.parameters.entry(name).or_default().push(by.at(expr.span));
                }
            }
            ExprKind::Condition(name) => {
                self.uses.conditions.entry(name.clone()).or_default().push(by.at(expr.span));
            }
            ExprKind::Resource(name) => {
                if let Some(name) = self.text(name) {
                    let uses = self.uses.resources.entry(name).or_default();
                    uses.push((UsedValue::Reference, by.at(expr.span)));
                }
            }
            ExprKind::Attribute(attribute) => self.attribute(attribute, &by.at(expr.span)),
            _ => {}
        }
        expr.for_each_child(|child| self.read(child, by, false));
    }

    fn attribute(&mut self, attribute: &AttributeRef, by: &UseSite) {
        let Some(resource) = self.text(&attribute.resource) else { return };
        let path = attribute.path.iter().map(|part| self.text(part)).collect();
        let of = match &attribute.attribute {
            // The name may be unknown.
            Some(name) => UsedValue::Attribute(self.text(name), path),
            None => UsedValue::Attribute(None, Vec::new()),
        };
        self.uses.resources.entry(resource).or_default().push((of, by.clone()));
    }

    /// The text of a literal or of a parameter with a known value.
    fn text(&self, expr: &Expr) -> Option<SmolStr> {
        match &expr.kind {
            ExprKind::Text(text) => Some(text.clone()),
            ExprKind::Int(number) => Some(format!("{number}").into()),
            ExprKind::Parameter(parameter) if parameter.path.is_empty() => {
                let value = self.evaluation.parameters.get(parameter.name.as_text()?)?;
                match value.as_ref().ok()?.unsealed() {
                    Value::Text(text) => Some(text.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The value of a condition, if known.
    fn known_condition(&self, condition: &Expr) -> Option<bool> {
        match &condition.kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Condition(name) | ExprKind::Text(name) => {
                match self.evaluation.conditions.get(name.as_str())?.as_ref().ok()?.unsealed() {
                    Value::Bool(value) => Some(*value),
                    _ => None,
                }
            }
            ExprKind::Not(inner) => self.known_condition(inner).map(|value| !value),
            ExprKind::And(items) => {
                let truths: Vec<_> = items.iter().map(|item| self.known_condition(item)).collect();
                match truths.contains(&Some(false)) {
                    true => Some(false),
                    false => truths.into_iter().all(|it| it == Some(true)).then_some(true),
                }
            }
            ExprKind::Or(items) => {
                let truths: Vec<_> = items.iter().map(|item| self.known_condition(item)).collect();
                match truths.contains(&Some(true)) {
                    true => Some(true),
                    false => truths.into_iter().all(|it| it == Some(false)).then_some(false),
                }
            }
            _ => None,
        }
    }
}

//! How much of a deployment a target says without a loss.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Emitter, Loss, LossKind, Program, Says, Use};
use crate::diagnostics::{Severity, Span};
use crate::ir::{Expr, ExprKind, Resource, Stack};

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Share {
    /// Without a loss.
    pub said: usize,
    /// In all.
    pub of: usize,
}

impl Share {
    fn count(&mut self, is_said: bool) {
        self.of += 1;
        self.said += usize::from(is_said);
    }
}

/// How much is said without a loss, over all templates of a deployment, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Coverage {
    /// Resources whose type is said.
    pub resources: Share,
    /// The same of those whose type has a counterpart in the target's table.
    pub mapped: Share,
    /// Properties at the top of a resource that are said with everything in them.
    pub properties: Share,
    /// Calls of functions, attributes aside.
    pub functions: Share,
    /// Attributes that are asked for.
    pub attributes: Share,
    /// Parameters with all that is said of them.
    pub parameters: Share,
    /// Outputs with all that is said of them.
    pub outputs: Share,
}

impl Coverage {
    /// What the losses leave.
    pub fn of(program: &Program<'_>, emitter: &dyn Emitter, losses: &[Loss]) -> Self {
        let mut coverage = Coverage::default();
        for unit in &program.units {
            let source = unit.document.source();
            let here: Vec<&Loss> =
                losses.iter().filter(|loss| loss.span.source == source && counts(loss)).collect();
            let is_mapped = |resource: &str| match unit.uses.get(resource) {
                Some(Use::Type(kind)) => !matches!(emitter.says_type(kind), (_, Says::Not(_))),
                Some(Use::Template(_)) => true,
                Some(Use::Group { .. } | Use::Unknown(_)) | None => false,
            };
            coverage.stack(&unit.stack, &here, &is_mapped);
        }
        coverage
    }

    fn stack(&mut self, stack: &Stack, losses: &[&Loss], is_mapped: &dyn Fn(&str) -> bool) {
        for (name, parameter) in &stack.parameters {
            self.parameters.count(!owned(losses, name, parameter.name_span));
        }
        for condition in stack.conditions.values() {
            self.calls(&condition.value, losses, false);
        }
        for (name, resource) in &stack.resources {
            self.resource(name, resource, losses, is_mapped(name));
        }
        for (name, output) in &stack.outputs {
            let inside = output.value.iter().any(|value| touched(losses, value.span));
            self.outputs.count(!inside && !owned(losses, name, output.name_span));
            if let Some(value) = &output.value {
                self.calls(value, losses, false);
            }
        }
    }

    fn resource(&mut self, name: &str, resource: &Resource, losses: &[&Loss], is_mapped: bool) {
        let kind = resource.kind.as_ref().map(|kind| kind.span);
        let is_lost = losses.iter().any(|loss| {
            let is_here = loss.span == resource.name_span || Some(loss.span) == kind;
            loss.kind == LossKind::ResourceType && (is_here || loss.owner.as_deref() == Some(name))
        });
        self.resources.count(!is_lost);
        if is_mapped {
            self.mapped.count(!is_lost);
        }
        let Some(properties) = &resource.properties else { return };
        match &properties.kind {
            ExprKind::Map(pairs) => {
                for pair in pairs {
                    let whole = Span { end: pair.value.span.end, ..pair.key.span };
                    let by_name = losses.iter().any(|loss| {
                        loss.kind == LossKind::Property
                            && loss.owner.as_deref() == Some(name)
                            && Some(loss.subject.as_str()) == pair.key.as_text()
                    });
                    let is_said = !is_lost && !by_name && !touched(losses, whole);
                    self.properties.count(is_said);
                    self.calls(&pair.value, losses, is_lost || by_name);
                }
            }
            _ => {
                self.properties.count(!is_lost && !touched(losses, properties.span));
                self.calls(properties, losses, is_lost);
            }
        }
        for expr in resource.metadata.iter().chain(&resource.update_policy) {
            self.calls(expr, losses, is_lost);
        }
    }

    fn calls(&mut self, expr: &Expr, losses: &[&Loss], is_lost: bool) {
        expr.walk(&mut |part| {
            let is_said = !is_lost && !losses.iter().any(|loss| holds(loss.span, part.span));
            match &part.kind {
                ExprKind::Attribute(_) => self.attributes.count(is_said),
                kind if part.is_literal() || matches!(kind, ExprKind::Condition(_)) => {}
                _ => self.functions.count(is_said),
            }
        });
    }
}

/// A note tells of a difference in what is said; what it is about is there.
fn counts(loss: &Loss) -> bool {
    loss.kind != LossKind::Comment && loss.severity != Severity::Note
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Whether there is a loss inside of a place, or around it.
fn touched(losses: &[&Loss], place: Span) -> bool {
    losses.iter().any(|loss| holds(place, loss.span) || holds(loss.span, place))
}

/// Whether there is a loss of something that belongs to a name in a section.
fn owned(losses: &[&Loss], name: &str, name_span: Span) -> bool {
    losses.iter().any(|loss| {
        loss.span == name_span
            || loss.owner.as_deref() == Some(name)
                && matches!(loss.kind, LossKind::Section | LossKind::Value | LossKind::Function)
    })
}

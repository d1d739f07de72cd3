//! A resource that stands for a nested stack.

use std::collections::BTreeSet;
use std::sync::Arc;

use python_semantics::ExceptionClass;

use super::ChildStack;
use super::implementation::ChildKind;
use super::stack_request::StackRequest;
use crate::eval::groups::AttributePath;
use crate::eval::properties::PropertyValues;
use crate::eval::{
    Dependency, EvalResult, EvaluatedProperties, EvaluatedResource, Facade, Failure, Unknown, Value,
};
use heat_template::ir::{Expr, ExprKind, Stack};
use source_diagnostics::Span;

/// A resource that stands for a nested stack, in a pass over its parent.
pub(super) struct ChildResource<'a> {
    pub(super) parent: &'a StackRequest<'a>,
    pub(super) name: &'a str,
    pub(super) resource: &'a EvaluatedResource,
    /// Where the resource's type is written.
    pub(super) span: Span,
    pub(super) kind: ChildKind<'a>,
    /// The attributes that the parent requests.
    pub(super) references: &'a [AttributePath],
}

impl ChildResource<'_> {
    /// The values of the resource's properties.
    ///
    /// # Errors
    ///
    /// The child, if the properties as a whole have no known value.
    pub(super) fn properties(&self) -> Result<&PropertyValues, ChildStack> {
        match &self.resource.properties {
            EvaluatedProperties::Each(each) => Ok(each),
            EvaluatedProperties::Whole(Ok(value)) if value.holds_unknown() => {
                Err(self.unknown_from_value(value))
            }
            // Heat does not accept a function in place of a nested stack's properties.
            EvaluatedProperties::Whole(_) => {
                let message = "argument of this type is not iterable";
                Err(ChildStack::Failed(Failure::new(ExceptionClass::TypeError, message, self.span)))
            }
        }
    }

    /// Where a property is written, or else the type.
    pub(super) fn property_span(&self, property: &str) -> Span {
        self.written(property).map_or(self.span, |value| value.span)
    }

    fn written(&self, property: &str) -> Option<&Expr> {
        let resource = self.parent.stack().resources.get(self.name)?;
        resource.properties.as_ref()?.member(property)
    }

    /// The definition of a group's members as it is written.
    fn member_definition(&self) -> Option<&Expr> {
        ["resource_def", "resource"].into_iter().find_map(|key| self.written(key))
    }

    /// Where the members of a group are defined, or else the type of the group.
    pub(super) fn definition_span(&self) -> Span {
        self.member_definition().map_or(self.span, |definition| definition.span)
    }

    /// Where the type of a group's members is written, or else the type of the group.
    pub(super) fn member_span(&self) -> Span {
        let written = self.member_definition().and_then(|definition| definition.member("type"));
        written.map_or(self.span, |kind| kind.span)
    }

    /// Where the type of one member is written: the types of a chain are a list.
    pub(super) fn type_span_of_member(&self, number: usize) -> Span {
        match self.written("resources").map(|types| &types.kind) {
            Some(ExprKind::List(types)) => types.get(number).map_or(self.span, |kind| kind.span),
            _ => self.member_span(),
        }
    }

    /// The parts of the resource that its nested template can read with `resource_facade`.
    pub(super) fn facade(&self) -> Facade {
        let value = |outcome: &Option<EvalResult>| match outcome {
            Some(Ok(value)) => value.clone(),
            Some(Err(_)) | None => Value::Null,
        };
        Facade {
            metadata: value(&self.resource.metadata),
            deletion_policy: self.resource.deletion_policy.clone(),
            update_policy: value(&self.resource.update_policy),
        }
    }

    /// The child if it cannot be determined because `value` is unknown.
    pub(super) fn unknown_from_value(&self, value: &Value) -> ChildStack {
        let mut depends_on = BTreeSet::new();
        value.collect_dependencies(&mut depends_on);
        self.unknown_from_dependencies(depends_on)
    }

    /// The child if it cannot be determined because of what it depends on.
    pub(super) fn unknown_from_dependencies(&self, depends_on: BTreeSet<Dependency>) -> ChildStack {
        let expr = Expr::new(ExprKind::Text(self.resource.kind.clone()), self.span);
        ChildStack::Unknown(Arc::new(Unknown::opaque(expr, depends_on)))
    }
}

/// Where the type of a resource is written.
pub(super) fn type_span(stack: &Stack, name: &str) -> Span {
    let resource = stack.resources.get(name);
    let kind = resource.and_then(|resource| resource.kind.as_ref());
    kind.map(|kind| kind.span)
        .or(resource.map(|resource| resource.name_span))
        .unwrap_or(stack.format.span)
}

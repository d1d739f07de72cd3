//! The inputs of a nested stack, which are determined before it is evaluated.
//!
//! Heat's rule: `docs/heat.md#nested-stacks`.

use std::sync::Arc;

use super::child_resource::ChildResource;
use super::child_stacks::BuiltChild;
use super::deployer::Deployer;
use super::implementation::ChildKind;
use super::{ChildStack, limits};
use crate::eval::groups::{self, GroupMembers, HeatGroup};
use crate::eval::nested_parameters::{self, NestedParameters};
use crate::eval::properties::PropertyValues;
use crate::eval::template_graph::{TemplateNode, TemplateReference, limits as nesting};
use crate::eval::{
    EvaluatedProperties, Facade, Failure, HeatExceptionClass, Key, Operation, Unknown, Value,
    in_plain_words,
};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Diagnostic;

/// The inputs of a child's values. A child is evaluated again only if this changes.
#[derive(PartialEq)]
pub(super) enum ChildInput {
    Template(NestedParameters, Facade),
    Group(GroupMembers, Facade),
    Undetermined,
}

/// The progress of a child.
pub(super) enum ChildState {
    /// Its stack was evaluated, or its failure is known.
    Ready(BuiltChild),
    /// It is to be evaluated; the template is set if it is a file.
    Pending(ChildInput, Option<Arc<TemplateNode>>),
}

/// A child whose inputs are determined.
pub(super) struct PreparedChild<'a> {
    pub(super) resource: ChildResource<'a>,
    pub(super) state: ChildState,
    pub(super) findings: Vec<Diagnostic>,
}

impl ChildState {
    fn of(
        input: ChildInput,
        template: Option<Arc<TemplateNode>>,
        before: Option<BuiltChild>,
    ) -> Self {
        match before.filter(|before| before.input == input) {
            Some(before) => ChildState::Ready(before),
            None => ChildState::Pending(input, template),
        }
    }
}

/// The child if its properties are refused.
fn refused(
    child: &ChildResource<'_>,
    failure: Failure,
    properties: &PropertyValues,
    findings: &mut Vec<Diagnostic>,
) -> ChildStack {
    report_refused(child, &failure, properties, findings);
    ChildStack::Failed(failure)
}

/// Reports that a property is refused. A value that failed is reported where it is computed.
fn report_refused(
    child: &ChildResource<'_>,
    failure: &Failure,
    properties: &PropertyValues,
    findings: &mut Vec<Diagnostic>,
) {
    if !properties.values().any(|value| value.as_ref() == Err(failure)) {
        findings.push(Diagnostic {
            code: crate::codes::NESTED_REFUSED,
            ..failure.finding(child.parent.stack())
        });
    }
}

/// The properties of a nested template if one function returns all of them: each is a part of its unknown value.
fn unknown_properties(
    whole: &Value,
    child: &ChildResource<'_>,
    node: &TemplateNode,
) -> PropertyValues {
    let of = |name: &String| {
        let expr = Expr::new(ExprKind::Text(name.as_str().into()), child.span);
        let arguments = vec![whole.clone(), Value::text(name)];
        let value = Value::Unknown(Arc::new(Unknown::call(expr, Operation::Select, arguments)));
        (Key::from(name.as_str()), Ok(value))
    };
    node.template.stack.parameters.keys().map(of).collect()
}

/// So many required properties that a child lacks are reported one by one. Heat stops at the first.
const MAX_REPORTED_MISSING: usize = 10;

impl Deployer<'_> {
    /// Determines the inputs of a child. `before` is the child of the last pass, which is reused if they are the same.
    pub(super) fn prepare_child<'a>(
        &self,
        resource: ChildResource<'a>,
        before: Option<BuiltChild>,
    ) -> PreparedChild<'a> {
        let mut findings = Vec::new();
        let state = self.child_state(&resource, before, &mut findings).unwrap_or_else(|child| {
            ChildState::Ready(BuiltChild {
                input: ChildInput::Undetermined,
                child,
                outputs: resource.kind.output_mapping(),
            })
        });
        PreparedChild { resource, state, findings }
    }

    /// The progress of a child; an error is a child that is not evaluated from inputs.
    fn child_state(
        &self,
        child: &ChildResource<'_>,
        before: Option<BuiltChild>,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<ChildState, ChildStack> {
        check_depth(child, findings)?;
        // Which stacks exceed the limit is not deterministic: `limits` reports it once for the whole deployment.
        if self.is_exhausted() {
            return Err(ChildStack::Failed(Failure::new(
                HeatExceptionClass::RequestLimitExceeded,
                limits::TOO_MANY_RESOURCES,
                child.span,
            )));
        }
        let assumed;
        let properties = match (&child.resource.properties, &child.kind) {
            (EvaluatedProperties::Whole(Ok(whole)), ChildKind::Template(reference))
                if self.request.assume_members && whole.holds_unknown() =>
            {
                let node = self.readable_template(child, reference, findings)?;
                assumed = unknown_properties(whole, child, &node);
                &assumed
            }
            _ => child.properties()?,
        };
        let values = properties.values().filter_map(|value| value.as_ref().ok());
        self.budget
            .spend_on(values)
            .map_err(|problem| ChildStack::Failed(problem.at(child.span)))?;
        match &child.kind {
            ChildKind::Template(reference) => {
                let node = self.readable_template(child, reference, findings)?;
                let input = self.template_input(child, &node, properties, findings)?;
                Ok(ChildState::of(input, Some(node), before))
            }
            ChildKind::Group(group) => {
                let input = self.group_input(child, group.group, properties, findings)?;
                Ok(ChildState::of(input, None, before))
            }
            ChildKind::Remote => Err(self
                .remote_stack(child, properties)
                .unwrap_or_else(|failure| refused(child, failure, properties, findings))),
        }
    }

    /// The template of a child.
    fn readable_template(
        &self,
        child: &ChildResource<'_>,
        reference: &TemplateReference,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<Arc<TemplateNode>, ChildStack> {
        self.request.templates.node(reference).map_err(|finding| {
            let message = finding.message.clone();
            // The unreadable file was reported when it was looked up.
            if !self.files.is_unreadable(&reference.url) {
                findings.push(match finding.span() {
                    Some(_) => finding.related(child.span, "it is referenced here"),
                    None => finding.at(child.span),
                });
            }
            ChildStack::Failed(Failure::new(HeatExceptionClass::NotFound, message, child.span))
        })
    }

    fn template_input(
        &self,
        child: &ChildResource<'_>,
        node: &TemplateNode,
        properties: &PropertyValues,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<ChildInput, ChildStack> {
        let stack = &node.template.stack;
        let declared = &stack.parameters;
        let span = |property: &str| child.property_span(property);
        let mut passed = nested_parameters::from_properties(declared, properties, span);
        let mut failures = std::mem::take(&mut passed.refused).into_iter();
        if self.request.recover {
            failures.for_each(|failure| report_refused(child, &failure, properties, findings));
        } else if let Some(failure) = failures.next() {
            return Err(refused(child, failure, properties, findings));
        }
        let mut suggestions =
            source_diagnostics::Suggestions::new(declared.keys().map(String::as_str));
        for property in &passed.undeclared {
            let message = format!("Unknown Property {property}");
            let finding = in_plain_words(&message, |words| {
                Diagnostic::new(crate::codes::NESTED_REFUSED, words).at(span(property))
            });
            findings.push(suggestions.suggest(finding, property));
        }
        findings.extend(suggestions.limit_finding());
        let mut missing = declared.iter().filter(|(name, parameter)| {
            parameter.default.is_none()
                && !passed.values.contains_key(*name)
                && !self.defaults.contains_key(*name)
        });
        for (name, parameter) in missing.by_ref().take(MAX_REPORTED_MISSING) {
            let message = format!("Property {name} not assigned");
            let finding = in_plain_words(&message, |words| {
                Diagnostic::new(crate::codes::NESTED_REFUSED, words).at(child.span)
            });
            findings.push(finding.related(parameter.name_span, "this parameter has no default"));
        }
        let more = missing.count();
        if more > 0 {
            let message = format!("{more} more properties are required");
            findings.push(Diagnostic::new(crate::codes::NESTED_REFUSED, message).at(child.span));
        }
        self.count_prepared(stack);
        Ok(ChildInput::Template(passed, child.facade()))
    }

    fn group_input(
        &self,
        child: &ChildResource<'_>,
        group: HeatGroup,
        properties: &PropertyValues,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<ChildInput, ChildStack> {
        let assumed = self.request.assume_members.then(|| groups::with_a_member(group, properties));
        let properties = assumed.as_ref().unwrap_or(properties);
        let members = groups::members(
            group,
            self.schema(),
            properties,
            child.references,
            child.definition_span(),
            &self.budget,
            child.parent.running_child(child.name).and_then(|it| it.group.as_ref()),
        )
        .map_err(|failure| {
            // That a property has the wrong type is found with the others that have.
            if self.request.recover && failure.class.is_value_error() {
                return ChildStack::Failed(failure);
            }
            refused(child, failure, properties, findings)
        })?;
        match members {
            GroupMembers::Unknown(depends_on) => Err(child.unknown_from_dependencies(depends_on)),
            GroupMembers::Known(mut template) => {
                // What is wrong with the type of the members is reported where that is written.
                let resources = Arc::make_mut(&mut template.stack).resources.values_mut();
                for (number, member) in resources.enumerate() {
                    let span = child.type_span_of_member(number);
                    member.kind.iter_mut().for_each(|kind| kind.span = span);
                }
                self.count_prepared(&template.stack);
                Ok(ChildInput::Group(GroupMembers::Known(template), child.facade()))
            }
        }
    }
}

/// Fails if the child is nested too deeply to be evaluated, and reports one that is too deep for Heat's default.
fn check_depth(
    child: &ChildResource<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Result<(), ChildStack> {
    let ancestors = &child.parent.ancestors;
    let Some(warning) = nesting::deeper_than_heat(ancestors.depth) else { return Ok(()) };
    let contains_itself = || match &child.kind {
        ChildKind::Template(template) => ancestors.contains_template(&template.url),
        ChildKind::Group(_) | ChildKind::Remote => false,
    };
    let refusal = match nesting::too_deep(ancestors.depth) {
        None if contains_itself() => {
            let message = "the stack contains itself without end";
            Some(Diagnostic::new(crate::codes::NESTING_CYCLE, message))
        }
        refusal => refusal,
    };
    let Some(refusal) = refusal else {
        findings.push(warning.at(child.span));
        return Ok(());
    };
    let message = refusal.message.clone();
    findings.push(refusal.at(child.span));
    let class = HeatExceptionClass::RequestLimitExceeded;
    Err(ChildStack::Failed(Failure::new(class, message, child.span)))
}

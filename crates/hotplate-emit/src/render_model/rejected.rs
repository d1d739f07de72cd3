//! Items that Heat rejects, and that are omitted for that reason.

use std::collections::HashMap;

use crate::{Loss, LossKind};
use heat_engine::eval::Failure;
use heat_engine::eval::deployment::{ChildStack, Deployed};
use heat_template::ir::Resource;
use source_diagnostics::{Code, Diagnostic, Span, SpanIndex};

/// Items that Heat rejects. No target renders them: an invalid value must not be written anywhere.
pub(super) struct RejectedItems {
    /// Resources whose nested stack or group Heat does not create: spans in their definitions, with the
    /// reason. Values of parameters that are not fixed do not count, since the user may pass others.
    pub(super) resources: Vec<(Span, String)>,
    /// The same spans, to find the ones inside a definition.
    places: SpanIndex,
    /// Spans of values and defaults of parameters, with the reason.
    pub(super) values: HashMap<Span, String>,
}

impl RejectedItems {
    pub(super) fn new(deployed: &Deployed, intended: &Deployed) -> Self {
        let mut failed = HashMap::new();
        collect_failed_children(deployed, &mut failed);
        let is_value = |code: Code| {
            matches!(
                code,
                heat_engine::codes::PARAMETER_VALUE
                    | heat_engine::codes::PARAMETER_DEFAULT
                    | heat_engine::codes::CONSTRAINT_VIOLATED
            )
        };
        let reason = |finding: &Diagnostic| {
            let span = finding.span()?;
            Some((span, format!("Heat rejects it: {}", finding.message)))
        };
        let findings = deployed.findings();
        let resources = findings.iter().filter(|finding| match finding.code {
            heat_engine::codes::NESTED_REFUSED => {
                finding.span().is_some_and(|span| failed.contains_key(&span))
            }
            code => is_value(code),
        });
        let mut resources: Vec<(Span, String)> = resources.filter_map(reason).collect();
        // That the property of a group has the wrong type is a finding about the property.
        let of_groups = failed.iter().filter(|(_, failure)| failure.class.is_value_error());
        let of_groups = of_groups.filter(|(span, _)| !resources.iter().any(|(it, _)| it == *span));
        let of_groups: Vec<(Span, String)> = of_groups
            .map(|(span, it)| (*span, format!("Heat rejects it: {}", it.words())))
            .collect();
        resources.extend(of_groups);
        let values = intended.findings();
        let values = values.iter().chain(&findings).filter(|finding| is_value(finding.code));
        let values = values.filter_map(reason).collect();
        let places = SpanIndex::new(resources.iter().map(|(span, _)| *span).enumerate());
        RejectedItems { resources, places, values }
    }

    /// Why Heat does not create the nested stack or group of a resource.
    pub(super) fn resource(&self, resource: &Resource) -> Option<&str> {
        let kind = resource.kind.as_ref().map(|kind| kind.span);
        let properties = resource.properties.as_ref().map(|properties| properties.span);
        let at =
            [kind, properties].into_iter().flatten().find_map(|it| self.places.contained_in(it))?;
        self.resources.get(at).map(|(_, why)| why.as_str())
    }
}

/// The loss of a parameter's value that Heat rejects.
pub(super) fn rejected_value_loss(name: &str, what: &str, why: &str, span: Span) -> Loss {
    let message = format!("{what} is omitted: {why}");
    let loss = Loss::new(LossKind::Value, name, message, span).with_owner(name);
    loss.suggesting("give the parameter a value that matches its declaration")
}

/// Collects why stacks and groups could not be created, by their spans.
fn collect_failed_children<'d>(deployed: &'d Deployed, found: &mut HashMap<Span, &'d Failure>) {
    for child in deployed.children.values() {
        match child {
            ChildStack::Stack(stack) => collect_failed_children(stack, found),
            ChildStack::Failed(failure) => {
                found.insert(failure.span, failure);
            }
            ChildStack::Unknown(_) => {}
        }
    }
}

//! Types, properties and attributes that the release deprecates or hides, and types that make nothing.

use super::cloud::Cloud;
use super::location::locate;
use super::stacks::CheckedStack;
use crate::codes;
use heat_engine::eval::typed_properties::ValueStep;
use heat_engine::eval::{EvaluatedProperties, Value};
use heat_template::ir::{Expr, ExprKind};
use heat_template::schema::{Property, Support, SupportStatus, Table};
use source_diagnostics::{Code, Diagnostic, Span};

/// Adds findings about the types and the properties of resources.
pub(super) fn check_resources(
    stack: &CheckedStack<'_>,
    cloud: &Cloud,
    found: &mut Vec<Diagnostic>,
) {
    for resource in stack.resources() {
        let Some((_, info)) = resource.implementation.and_then(|it| it.plugin()) else { continue };
        let kind = &resource.evaluated.kind;
        let is_supported = status_in(&info.support, cloud)
            .is_none_or(|support| support.status == SupportStatus::Supported);
        if info.is_placeholder() && !is_supported {
            let message = format!("Heat accepts `{kind}` but creates nothing for it");
            let finding =
                Diagnostic::new(codes::TYPE_WITHOUT_EFFECT, message).at(resource.type_span);
            found.push(with_successor(finding, &info.support));
            continue;
        }
        let subject = format!("the type `{kind}`");
        found.extend(discouraged(
            codes::DEPRECATED_TYPE,
            &subject,
            &info.support,
            resource.type_span,
            cloud,
        ));
        if let (EvaluatedProperties::Each(each), Some(written)) =
            (&resource.evaluated.properties, resource.properties)
        {
            let given =
                each.iter().filter_map(|(key, value)| Some((key.as_text()?, value.as_ref().ok()?)));
            let mut path = Vec::new();
            check_members(&info.properties, given, &mut path, written, cloud, found);
        }
    }
}

fn check_members<'v>(
    schema: &Table<Property>,
    given: impl Iterator<Item = (&'v str, &'v Value)>,
    path: &mut Vec<ValueStep>,
    written: &Expr,
    cloud: &Cloud,
    found: &mut Vec<Diagnostic>,
) {
    for (name, value) in given {
        let Some(property) = schema.get(name) else { continue };
        path.push(ValueStep::Key(name.into()));
        let subject = format!("the property `{name}`");
        let span = locate(written, path, true);
        found.extend(discouraged(
            codes::DEPRECATED_PROPERTY,
            &subject,
            &property.support,
            span,
            cloud,
        ));
        check_value(property, value, path, written, cloud, found);
        path.pop();
    }
}

fn check_value(
    property: &Property,
    value: &Value,
    path: &mut Vec<ValueStep>,
    written: &Expr,
    cloud: &Cloud,
    found: &mut Vec<Diagnostic>,
) {
    match value.unsealed() {
        Value::List(items) => {
            let Some(of_item) = &property.items else { return };
            for (at, item) in items.iter().enumerate() {
                path.push(ValueStep::Item(at));
                check_value(of_item, item, path, written, cloud, found);
                path.pop();
            }
        }
        Value::Map(map) => {
            let given = map.iter().filter_map(|(key, value)| Some((key.as_text()?, value)));
            check_members(&property.members, given, path, written, cloud, found);
        }
        _ => {}
    }
}

/// Adds findings about the attributes that a template reads.
pub(super) fn check_attributes(
    stack: &CheckedStack<'_>,
    cloud: &Cloud,
    found: &mut Vec<Diagnostic>,
) {
    let implementations = &stack.deployed.node.implementations;
    for expr in stack.stack().expressions() {
        expr.walk(&mut |expr: &Expr| {
            let ExprKind::Attribute(reference) = &expr.kind else { return };
            let name = reference.attribute.as_ref().and_then(|it| Some((it.as_text()?, it.span)));
            let Some((name, span)) = name else { return };
            let resource = reference.resource.as_text().and_then(|it| implementations.get(it));
            let Some((_, info)) = resource.and_then(|it| it.plugin()) else { return };
            let Some(attribute) = info.attribute(name) else { return };
            let subject = format!("the attribute `{name}`");
            found.extend(discouraged(
                codes::DEPRECATED_ATTRIBUTE,
                &subject,
                &attribute.support,
                span,
                cloud,
            ));
        });
    }
}

/// The status in the release of the cloud; `None` if the release does not have it yet.
fn status_in<'s>(support: &'s Support, cloud: &Cloud) -> Option<&'s Support> {
    match cloud.release {
        Some(release) => support.in_release(release.heat()),
        None => Some(support),
    }
}

/// A finding if the status says that something should not be used, or cannot be used yet.
fn discouraged(
    code: Code,
    subject: &str,
    support: &Support,
    span: Span,
    cloud: &Cloud,
) -> Option<Diagnostic> {
    let Some(support) = status_in(support, cloud) else {
        let release = cloud.release.map(ToString::to_string).unwrap_or_default();
        let message = format!("{subject} does not exist in OpenStack {release}");
        return Some(Diagnostic::new(codes::NOT_IN_RELEASE, message).at(span));
    };
    let status = match support.status {
        SupportStatus::Supported => return None,
        SupportStatus::Deprecated => "deprecated",
        SupportStatus::Hidden => "deprecated and hidden",
        SupportStatus::Unsupported => "not supported by the Heat project",
    };
    let since = support.since.map_or_else(String::new, |since| format!(" since {since}"));
    let finding = Diagnostic::new(code, format!("{subject} is {status}{since}")).at(span);
    Some(with_successor(finding, support))
}

fn with_successor(finding: Diagnostic, support: &Support) -> Diagnostic {
    match support.see.as_slice() {
        [] => finding,
        [one] => finding.help(format!("use `{one}` instead")),
        several => finding.help(format!("see `{}`", several.join("`, `"))),
    }
}

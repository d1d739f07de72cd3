//! Types, properties and attributes that the release does not have, deprecates or hides, and types that create nothing.

use super::cloud::Cloud;
use super::{Check, Scope};
use crate::codes;
use crate::location::locate;
use crate::stacks::CheckedStack;
use heat_engine::eval::typed_properties::ValueStep;
use heat_engine::eval::{EvaluatedProperties, Value};
use heat_template::hot::Release;
use heat_template::ir::{Expr, ExprKind};
use heat_template::schema::{Property, Schema, Support, SupportIn, SupportStatus, Table};
use source_diagnostics::{Code, Diagnostic, Span};

/// Types and properties that the release deprecates or lacks.
pub(crate) const RESOURCES: Check = Check {
    scope: Scope::Stack,
    codes: &[
        codes::DEPRECATED_PROPERTY,
        codes::DEPRECATED_TYPE,
        codes::FACTS_MISSING,
        codes::NOT_IN_RELEASE,
        codes::TYPE_WITHOUT_EFFECT,
    ],
    run: |it, found| check_resources(it.stack, it.release, found),
};

/// Attributes that the release deprecates or lacks.
pub(crate) const ATTRIBUTES: Check = Check {
    scope: Scope::Template,
    codes: &[codes::DEPRECATED_ATTRIBUTE, codes::NOT_IN_RELEASE],
    run: |it, found| check_attributes(it.stack, it.release, found),
};

/// Adds findings about the types and the properties of resources.
pub(crate) fn check_resources(
    stack: &CheckedStack<'_>,
    release: HeatRelease<'_>,
    found: &mut Vec<Diagnostic>,
) {
    for resource in stack.resources() {
        let Some((_, info)) = resource.implementation.and_then(|it| it.plugin()) else { continue };
        let kind = &resource.evaluated.kind;
        if info.creates_nothing_in(release.major) {
            let message = format!("Heat accepts `{kind}` but creates nothing for it");
            let finding =
                Diagnostic::new(codes::TYPE_WITHOUT_EFFECT, message).at(resource.type_span);
            found.push(release.with_advice(finding, &info.support));
            continue;
        }
        // Half of a conversion: the other half has to follow.
        let empty = resource.evaluated.dependencies().find(|name| {
            let implementation = stack.deployed.node.implementations.get(*name);
            let plugin = implementation.and_then(|it| it.plugin());
            plugin.is_some_and(|(_, info)| info.creates_nothing_in(release.major))
        });
        if let Some(empty) = empty {
            let message =
                format!("`{}` needs `{empty}`, for which Heat creates nothing", resource.name);
            let finding =
                Diagnostic::new(codes::TYPE_WITHOUT_EFFECT, message).at(resource.type_span);
            found.push(finding.help("convert both to types of the same service"));
        }
        let subject = format!("the type `{kind}`");
        let of_type = release.discouraged(
            codes::DEPRECATED_TYPE,
            &subject,
            &info.support,
            resource.type_span,
        );
        let is_absent = of_type.as_ref().is_some_and(|it| it.code == codes::NOT_IN_RELEASE);
        found.extend(of_type);
        if is_absent {
            continue;
        }
        if info.placeholder_since.is_some() {
            let message = format!(
                "the properties that `{kind}` has in OpenStack {} are unknown, so they are not checked",
                release.name()
            );
            let finding = Diagnostic::new(codes::FACTS_MISSING, message).at(resource.type_span);
            found.push(
                finding
                    .help("Heat has dropped them from later releases, together with the service"),
            );
        }
        if let (EvaluatedProperties::Each(each), Some(written)) =
            (&resource.evaluated.properties, resource.properties)
        {
            let given =
                each.iter().filter_map(|(key, value)| Some((key.as_text()?, value.as_ref().ok()?)));
            let mut path = Vec::new();
            check_members(&info.properties, given, &mut path, written, release, found);
        }
    }
}

fn check_members<'v>(
    schema: &Table<Property>,
    given: impl Iterator<Item = (&'v str, &'v Value)>,
    path: &mut Vec<ValueStep>,
    written: &Expr,
    release: HeatRelease<'_>,
    found: &mut Vec<Diagnostic>,
) {
    for (name, value) in given {
        let Some(property) = schema.get(name) else { continue };
        path.push(ValueStep::Key(name.into()));
        let subject = format!("the property `{name}`");
        let span = locate(written, path, true);
        found.extend(release.discouraged(
            codes::DEPRECATED_PROPERTY,
            &subject,
            &property.support,
            span,
        ));
        check_value(property, value, path, written, release, found);
        path.pop();
    }
}

fn check_value(
    property: &Property,
    value: &Value,
    path: &mut Vec<ValueStep>,
    written: &Expr,
    release: HeatRelease<'_>,
    found: &mut Vec<Diagnostic>,
) {
    match value.unsealed() {
        Value::List(items) => {
            let Some(of_item) = &property.items else { return };
            for (at, item) in items.iter().enumerate() {
                path.push(ValueStep::Item(at));
                check_value(of_item, item, path, written, release, found);
                path.pop();
            }
        }
        Value::Map(map) => {
            let given = map.iter().filter_map(|(key, value)| Some((key.as_text()?, value)));
            check_members(&property.members, given, path, written, release, found);
        }
        _ => {}
    }
}

/// Adds findings about the attributes that a template reads.
pub(crate) fn check_attributes(
    stack: &CheckedStack<'_>,
    release: HeatRelease<'_>,
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
            found.extend(release.discouraged(
                codes::DEPRECATED_ATTRIBUTE,
                &subject,
                &attribute.support,
                span,
            ));
        });
    }
}

/// The release of Heat that templates are checked for.
#[derive(Clone, Copy)]
pub(crate) struct HeatRelease<'a> {
    schema: &'a Schema,
    /// The major version of Heat.
    major: u32,
}

impl<'a> HeatRelease<'a> {
    /// The release of the cloud; the one that the facts describe if it is unknown.
    pub(crate) fn of(cloud: &Cloud, schema: &'a Schema) -> Self {
        HeatRelease { schema, major: cloud.release.map_or(schema.major(), Release::heat) }
    }

    fn name(self) -> String {
        Release::of_heat(self.major).map(ToString::to_string).unwrap_or_default()
    }

    /// A finding if the status says that something should not be used, or cannot be used yet.
    fn discouraged(
        self,
        code: Code,
        subject: &str,
        support: &Support,
        span: Span,
    ) -> Option<Diagnostic> {
        let stage = match support.in_release(self.major) {
            SupportIn::Stage(stage) => stage,
            SupportIn::BeforeRecords => return None,
            SupportIn::Absent => {
                let message = format!("{subject} does not exist in OpenStack {}", self.name());
                let finding = Diagnostic::new(codes::NOT_IN_RELEASE, message).at(span);
                let first = support.stages().last().and_then(|stage| stage.since);
                return Some(match first.and_then(Release::of_status) {
                    Some(first) => finding.help(format!("it exists since OpenStack {first}")),
                    None => finding,
                });
            }
        };
        let status = match stage.status {
            SupportStatus::Supported => return None,
            SupportStatus::Deprecated => "deprecated",
            SupportStatus::Hidden => "deprecated and hidden",
            SupportStatus::Unsupported => "not supported by the Heat project",
        };
        let since = match stage.since.map(|since| (since, Release::of_status(since))) {
            Some((_, Some(release))) => format!(" since OpenStack {release}"),
            // Before the first release of the table.
            Some((since, None)) => format!(" since {since}"),
            None => String::new(),
        };
        let finding = Diagnostic::new(code, format!("{subject} is {status}{since}")).at(span);
        Some(self.with_advice(finding, support))
    }

    /// Adds Heat's own message, and what to use instead.
    fn with_advice(self, mut finding: Diagnostic, support: &Support) -> Diagnostic {
        if let Some(message) = support.message_in(self.major) {
            finding = finding.help(format!("Heat says: {message}"));
        }
        let SupportIn::Stage(stage) = support.in_release(self.major) else { return finding };
        match self.schema.successor(stage, self.major) {
            Some(successor) => finding.help(successor.advice()),
            None => finding,
        }
    }
}

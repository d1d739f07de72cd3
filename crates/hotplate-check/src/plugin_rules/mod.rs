//! The rules of plugins about properties that do not go together: each plugin's `validate`, as far as it needs no cloud.
//!
//! A rule is a row of the column `plugin_rules`, of a form in [`table`]; one that is too special for a row is a function in [`special`], or in
//! [`in_stack`] if it looks at other parts of the resource or at other resources. The column `service_rules` has what the services refuse
//! after Heat has accepted it. A violation is reported only
//! if it is certain whatever the unknown values are.
//!
//! Source: `heat.engine.resources`, Heat 27.0.1.
//!
//! Heat's rule: `docs/heat.md#rules-of-plugins`.

use std::collections::HashSet;

mod in_stack;
mod sentences;
mod service;
mod special;
mod table;
mod view;

use super::location::locate;
use super::stacks::{CheckedResource, CheckedStack};
use crate::codes;
use heat_engine::eval::typed_properties::{TypedProperties, ValueStep, of_plugin};
use heat_engine::eval::{Key, Value};
use heat_template::ir::{Expr, ExprKind};
use heat_template::schema::ResourceType;
use source_diagnostics::{Code, Diagnostic, SpanIndex};
use table::{RULES, Rule, SERVICE_RULES};
use view::{PropertyView, Set};

pub use sentences::{PluginRules, rules_of};

/// Where the properties of a rule are.
struct RuleContext<'a> {
    stack: &'a CheckedStack<'a>,
    resource: &'a CheckedResource<'a>,
    info: &'a ResourceType,
}

/// A violated rule.
struct Violation {
    /// The property to point at; empty for the resource.
    property: &'static str,
    message: String,
}

/// Adds the violations of all resources.
pub(super) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    let [misspelled, refused] = [&[codes::UNKNOWN_PROPERTY], OF_SCHEMAS].map(|codes| {
        let places =
            found.iter().filter(|it| codes.contains(&it.code)).filter_map(Diagnostic::span);
        SpanIndex::new(places.enumerate())
    });
    for resource in stack.resources() {
        let Some((kind, info)) = resource.implementation.and_then(|it| it.plugin()) else {
            continue;
        };
        let rows: Vec<_> = RULES.of(kind).iter().chain(SERVICE_RULES.of(kind)).collect();
        if rows.is_empty() || resource.evaluated.external_id.is_some() {
            continue;
        }
        let properties = &resource.evaluated.properties;
        let TypedProperties::Each(values) = of_plugin(properties, info, None) else { continue };
        let context = RuleContext { stack, resource: &resource, info };
        let top = PropertyView::top(&values);
        let secrets = top.secrets();
        // A name that seems to be missing may be misspelled.
        let is_misspelled = resource
            .properties
            .is_some_and(|written| misspelled.contained_in(written.span).is_some());
        // A property that several rules refuse is one mistake.
        let mut spans = Vec::new();
        for row in rows {
            for (mut path, view) in top.within(&row.within) {
                let Some(violation) = violation(&row.rule, &context, &view) else { continue };
                if violation.property.is_empty() && is_misspelled {
                    continue;
                }
                if !violation.property.is_empty() {
                    path.push(ValueStep::Key(violation.property.into()));
                }
                // A default is written nowhere.
                let is_written = |written: &Expr| match (&written.kind, path.first()) {
                    (_, None) => false,
                    (ExprKind::Map(_), Some(ValueStep::Key(name))) => {
                        written.member(name).is_some()
                    }
                    _ => true,
                };
                let span = match resource.properties {
                    Some(written) if is_written(written) => locate(written, &path, true),
                    _ => resource.type_span,
                };
                // Heat asks the plugin only about what its schema accepts.
                let value = resource.properties.map(|written| locate(written, &path, false));
                let is_refused = value
                    .is_some_and(|value| !path.is_empty() && refused.contained_in(value).is_some());
                if is_refused || spans.contains(&span) {
                    continue;
                }
                spans.push(span);
                let shows = |secret: &String| violation.message.contains(secret.as_str());
                let message = match secrets.iter().any(shows) {
                    true => "properties with hidden values do not go together".to_owned(),
                    false => violation.message,
                };
                found.push(match row.source {
                    "" => Diagnostic::new(codes::PLUGIN_RULE, message).at(span),
                    source => {
                        // The namespace of a type is the service.
                        let service = kind.split("::").nth(1).unwrap_or(kind);
                        let message = format!("{service} refuses this: {message}");
                        let finding = Diagnostic::new(codes::SERVICE_RULE, message).at(span);
                        finding.help(format!("the rule is in `{source}`"))
                    }
                });
            }
        }
    }
}

/// The facts of a type's schema about properties.
const OF_SCHEMAS: &[Code] = &[
    codes::UNKNOWN_PROPERTY,
    codes::PROPERTY_MISSING,
    codes::PROPERTY_TYPE,
    codes::PROPERTY_CONSTRAINT,
];

fn violation(rule: &Rule, context: &RuleContext<'_>, view: &PropertyView<'_>) -> Option<Violation> {
    let is_set = |name: &str| view.get(name) == Set::Yes;
    let is_unset = |name: &str| view.get(name) == Set::No;
    let quoted = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let excluded = |one: &'static str, other: &'static str| {
        (is_set(one) && is_set(other)).then(|| Violation {
            property: other,
            message: format!("`{one}` and `{other}` exclude each other"),
        })
    };
    let one_of = |names: &[&str]| {
        names.iter().all(|name| is_unset(name)).then(|| Violation {
            property: "",
            message: match names {
                [name] => format!("`{name}` is required"),
                _ => format!("one of {} is required", quoted(names)),
            },
        })
    };
    match *rule {
        Rule::Exclude(one, other) => excluded(one, other),
        Rule::OneOf(ref names) => one_of(names),
        Rule::ExactlyOne(one, other) => excluded(one, other).or_else(|| one_of(&[one, other])),
        Rule::AnyBut(project) => {
            let names: Vec<&str> =
                context.info.properties.keys().copied().filter(|name| *name != project).collect();
            one_of(&names)
        }
        Rule::Gone(name) => is_set(name).then(|| Violation {
            property: name,
            message: format!("Heat does not support `{name}` any more"),
        }),
        Rule::Not(name, value) => view.is(name, value).then(|| Violation {
            property: name,
            message: format!("`{name}` must not be `{value}`"),
        }),
        Rule::Ordered(low, high) => {
            let (least, most) = (view.number(low)?, view.number(high)?);
            (least > most).then(|| Violation {
                property: high,
                message: format!("`{low}`, {least}, is above `{high}`, {most}"),
            })
        }
        Rule::AllowedWith(one, other, value, ref allowed) => {
            let given = view.text(one)?;
            (view.is(other, value) && !allowed.contains(&given)).then(|| Violation {
                property: one,
                message: format!("`{one}` must be {} if `{other}` is `{value}`", quoted(allowed)),
            })
        }
        Rule::Requires(one, other) => (is_set(one) && is_unset(other))
            .then(|| Violation { property: one, message: format!("`{one}` requires `{other}`") }),
        Rule::OnlyWith(one, other, ref allowed) => {
            let value = view.text(other)?;
            (is_set(one) && !allowed.contains(&value)).then(|| Violation {
                property: one,
                message: format!("`{one}` is only allowed if `{other}` is {}", quoted(allowed)),
            })
        }
        Rule::RequiredWith(one, other, value) => {
            (is_unset(one) && view.is(other, value)).then(|| Violation {
                property: other,
                message: format!("`{one}` is required if `{other}` is `{value}`"),
            })
        }
        Rule::ForbiddenWith(one, other, value) => {
            (is_set(one) && view.is(other, value)).then(|| {
                let message = format!("`{one}` is not allowed if `{other}` is `{value}`");
                Violation { property: one, message }
            })
        }
        Rule::Between(name, least, most) => {
            let number = view.number(name)?;
            (!(least..=most).contains(&number)).then(|| Violation {
                property: name,
                message: format!("`{name}` must be from {least} to {most}"),
            })
        }
        Rule::Longest(name, most) => {
            let is_long =
                |text: Option<&str>| text.is_some_and(|text| text.chars().nth(most).is_some());
            let (found, what) = match view.value(name)? {
                Value::Text(text) => (is_long(Some(text.as_str())), "has"),
                Value::List(items) => {
                    (items.iter().any(|it| is_long(view::text_of(it))), "has an item of")
                }
                Value::Map(map) => {
                    let mut pairs = map.iter();
                    let is_long = |(key, value): (&Key, &Value)| {
                        is_long(key.as_text()) || is_long(view::text_of(value))
                    };
                    (pairs.any(is_long), "has a key or value of")
                }
                _ => return None,
            };
            found.then(|| Violation {
                property: name,
                message: format!("`{name}` {what} more than {most} characters"),
            })
        }
        Rule::StartsWith(name, part) | Rule::EndsWith(name, part) => {
            let text = view.text(name).filter(|text| !text.is_empty())?;
            let (is_right, verb) = match rule {
                Rule::StartsWith(..) => (text.starts_with(part), "begin"),
                _ => (text.ends_with(part), "end"),
            };
            (!is_right).then(|| Violation {
                property: name,
                message: format!("`{name}` must {verb} with `{part}`"),
            })
        }
        Rule::Distinct(list, key) => {
            let items = view.items(list);
            let mut seen = HashSet::new();
            let texts = items.iter().filter_map(|item| in_stack::referenced(item, key));
            let twice = texts.into_iter().find(|text| !text.is_empty() && !seen.insert(*text))?;
            Some(Violation {
                property: list,
                message: format!("two items of `{list}` have the `{key}` `{twice}`"),
            })
        }
        Rule::Linked(link, other, value, own, ref allowed) => {
            in_stack::linked((context, view), (link, other, value), own, allowed)
        }
        Rule::Special(rule) => (rule.function())(view),
        Rule::Service(rule) => (rule.function())(view),
        Rule::InStack(rule) => (rule.function())(context, view),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;

    #[test]
    fn every_rule_names_properties_of_its_plugin() {
        for (kind, row) in RULES.each().chain(SERVICE_RULES.each()) {
            let info = Schema::heat().types.get(kind).expect(kind);
            let known = |name: &str| {
                let path: Vec<&str> = row.within.iter().copied().chain([name]).collect();
                let is_known = info.property_at(&path).is_some();
                // Heat knows the keys of `Ebs` only when it creates the volume.
                assert!(is_known || name == "SnapshotId", "{kind}: no property {path:?}");
            };
            match &row.rule {
                Rule::Exclude(one, other)
                | Rule::Requires(one, other)
                | Rule::OnlyWith(one, other, _)
                | Rule::RequiredWith(one, other, _)
                | Rule::ForbiddenWith(one, other, _) => [*one, *other].into_iter().for_each(known),
                Rule::ExactlyOne(one, other)
                | Rule::Ordered(one, other)
                | Rule::AllowedWith(one, other, ..) => [*one, *other].into_iter().for_each(known),
                Rule::OneOf(names) => names.iter().copied().for_each(known),
                Rule::AnyBut(name) | Rule::Gone(name) | Rule::Not(name, _) => known(name),
                Rule::Between(name, ..)
                | Rule::Longest(name, _)
                | Rule::StartsWith(name, _)
                | Rule::EndsWith(name, _) => known(name),
                Rule::Distinct(list, key) => {
                    let path: Vec<&str> = row.within.iter().copied().chain([*list, *key]).collect();
                    assert!(info.property_at(&path).is_some(), "{kind}: no property {path:?}");
                }
                Rule::Linked(link, _, _, own, _) => [*link, *own].into_iter().for_each(known),
                Rule::Special(_) | Rule::Service(_) | Rule::InStack(_) => {}
            }
        }
    }
}

//! The rules of plugins about properties that do not go together: each plugin's `validate`, as far as it needs no cloud.
//!
//! A rule is a row of [`table`]; one that is too special for a row is a function in [`special`]. A violation is reported only
//! if it is certain whatever the unknown values are.
//!
//! Source: `heat.engine.resources`, Heat 27.0.1.

mod special;
mod table;
mod view;

use super::location::locate;
use super::stacks::CheckedStack;
use crate::codes;
use heat_engine::eval::typed_properties::{TypedProperties, ValueStep, of_plugin};
use heat_template::schema::Plugin;
use source_diagnostics::Diagnostic;
use table::{RULES, Rule};
use view::{PropertyView, Set};

/// A violated rule.
struct Violation {
    /// The property to point at; empty for the resource.
    property: &'static str,
    message: String,
}

/// Adds the violations of all resources.
pub(super) fn check(stack: &CheckedStack<'_>, found: &mut Vec<Diagnostic>) {
    for resource in stack.resources() {
        let Some((_, info)) = resource.implementation.and_then(|it| it.plugin()) else { continue };
        let Plugin::Class(plugin) = info.plugin else { continue };
        if resource.evaluated.external_id.is_some() {
            continue;
        }
        let mut rows = RULES.iter().filter(|row| row.plugin == plugin).peekable();
        if rows.peek().is_none() {
            continue;
        }
        let properties = &resource.evaluated.properties;
        let TypedProperties::Each(values) = of_plugin(properties, info, None) else { continue };
        let mut report = |list: Option<(&'static str, usize)>, violation: Violation| {
            let mut path: Vec<ValueStep> = Vec::new();
            if let Some((name, at)) = list {
                path.extend([ValueStep::Key(name.into()), ValueStep::Item(at)]);
            }
            if !violation.property.is_empty() {
                path.push(ValueStep::Key(violation.property.into()));
            }
            let span = match resource.properties {
                Some(written) if !path.is_empty() => locate(written, &path, true),
                _ => resource.type_span,
            };
            found.push(Diagnostic::new(codes::PLUGIN_RULE, violation.message).at(span));
        };
        let top = PropertyView::top(&values);
        for row in rows {
            match row.items {
                None => {
                    if let Some(violation) = violation(&row.rule, &top) {
                        report(None, violation);
                    }
                }
                Some(list) => {
                    for (at, item) in top.items(list).into_iter().enumerate() {
                        if let Some(violation) = violation(&row.rule, &item) {
                            report(Some((list, at)), violation);
                        }
                    }
                }
            }
        }
    }
}

fn violation(rule: &Rule, view: &PropertyView<'_>) -> Option<Violation> {
    let is_set = |name: &str| view.get(name) == Set::Yes;
    let is_unset = |name: &str| view.get(name) == Set::No;
    let quoted = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    match *rule {
        Rule::Exclude(one, other) => (is_set(one) && is_set(other)).then(|| Violation {
            property: other,
            message: format!("`{one}` and `{other}` exclude each other"),
        }),
        Rule::OneOf(names) => names.iter().all(|name| is_unset(name)).then(|| Violation {
            property: "",
            message: format!("one of {} is required", quoted(names)),
        }),
        Rule::Requires(one, other) => (is_set(one) && is_unset(other))
            .then(|| Violation { property: one, message: format!("`{one}` requires `{other}`") }),
        Rule::OnlyWith(one, other, allowed) => {
            let value = view.text(other)?;
            (is_set(one) && !allowed.contains(&value)).then(|| Violation {
                property: one,
                message: format!("`{one}` is only allowed if `{other}` is {}", quoted(allowed)),
            })
        }
        Rule::RequiredWith(one, other, value) => (is_unset(one) && view.text(other) == Some(value))
            .then(|| Violation {
                property: other,
                message: format!("`{one}` is required if `{other}` is `{value}`"),
            }),
        Rule::ForbiddenWith(one, other, value) => (is_set(one) && view.text(other) == Some(value))
            .then(|| Violation {
                property: one,
                message: format!("`{one}` is not allowed if `{other}` is `{value}`"),
            }),
        Rule::Special(check) => check(view),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heat_template::schema::Schema;

    #[test]
    fn every_rule_names_properties_of_its_plugin() {
        for row in RULES {
            let mut types = Schema::heat().types.values();
            let info = types.find(|info| info.plugin == Plugin::Class(row.plugin));
            let info = info.unwrap_or_else(|| panic!("no type has the plugin {}", row.plugin));
            let known = |name: &str| {
                let path: Vec<&str> = row.items.into_iter().chain([name]).collect();
                assert!(info.property_at(&path).is_some(), "{}: no property {path:?}", row.plugin);
            };
            match row.rule {
                Rule::Exclude(one, other)
                | Rule::Requires(one, other)
                | Rule::OnlyWith(one, other, _)
                | Rule::RequiredWith(one, other, _)
                | Rule::ForbiddenWith(one, other, _) => [one, other].into_iter().for_each(known),
                Rule::OneOf(names) => names.iter().copied().for_each(known),
                Rule::Special(_) => {}
            }
        }
    }
}

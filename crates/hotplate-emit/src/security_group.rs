//! The code that all targets share for the rules of security groups, which [`SecurityRule`] decodes. A new group allows all outgoing traffic ([`DEFAULT_EGRESS`]) until one of its rules
//! is an egress rule.

#[cfg(test)]
mod tests;

use super::render_model::{Module, ResourceImplementation, member_definition, property};
use heat_engine::eval::{PartialEvaluator, Value};
use heat_engine::security_rule::{
    Direction, REMOTE_GROUP_MODE, ReadValue, RemoteEnd, SecurityRule, Undecoded,
};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Diagnostic;

/// The address families to which a new group allows all outgoing traffic.
pub(super) const DEFAULT_EGRESS: [&str; 2] = ["IPv4", "IPv6"];

const TYPE: &str = "OS::Neutron::SecurityGroup";

/// A rule of a group that is a map literal.
pub(super) fn rule<'e>(
    folding: &PartialEvaluator<'_>,
    rule: &'e Expr,
) -> SecurityRule<'e, &'e Expr> {
    SecurityRule::in_group(|name| ReadValue::of_expr(folding, rule.member(name)))
}

/// What happens to the default egress rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefaultEgress {
    Kept,
    /// They are replaced, since the template has its own egress rules.
    Replaced,
    /// Unknown until the rules are computed.
    Computed,
}

impl DefaultEgress {
    /// Combines the results for two lists of rules.
    #[must_use]
    pub(super) fn and(self, other: DefaultEgress) -> DefaultEgress {
        match (self, other) {
            (DefaultEgress::Replaced, _) | (_, DefaultEgress::Replaced) => DefaultEgress::Replaced,
            (DefaultEgress::Computed, _) | (_, DefaultEgress::Computed) => DefaultEgress::Computed,
            (DefaultEgress::Kept, DefaultEgress::Kept) => DefaultEgress::Kept,
        }
    }
}

/// The effect of a list of rules, or of a single rule, on the default egress rules.
pub(super) fn egress(folding: &PartialEvaluator<'_>, rules: &Expr) -> DefaultEgress {
    let all = |items: &[Expr]| {
        items.iter().map(|item| egress(folding, item)).fold(DefaultEgress::Kept, DefaultEgress::and)
    };
    match &rules.kind {
        ExprKind::List(items) => all(items),
        ExprKind::Unary(function, lists)
            if function.concatenates() && matches!(lists.kind, ExprKind::List(_)) =>
        {
            egress(folding, lists)
        }
        ExprKind::Map(_) => of_rule(&rule(folding, rules)),
        ExprKind::Choose(choice) if folding.constant(rules).is_none() => {
            let then = egress(folding, &choice.then);
            let otherwise = choice
                .otherwise
                .as_ref()
                .map_or(DefaultEgress::Kept, |rules| egress(folding, rules));
            if then == otherwise { then } else { DefaultEgress::Computed }
        }
        // How often a loop repeats its body, or whether it does at all, may be unknown.
        ExprKind::Repeat(repeat) if egress(folding, &repeat.template) == DefaultEgress::Kept => {
            DefaultEgress::Kept
        }
        _ => match folding.value(rules) {
            Ok(value) => of_value(&value),
            Err(_) => DefaultEgress::Computed,
        },
    }
}

fn of_value(rules: &Value) -> DefaultEgress {
    match rules.unsealed() {
        Value::List(items) => {
            items.iter().map(of_value).fold(DefaultEgress::Kept, DefaultEgress::and)
        }
        Value::Map(map) => of_rule(&SecurityRule::in_group(|name| ReadValue::of(map.get(name)))),
        Value::Null | Value::Elided => DefaultEgress::Kept,
        _ => DefaultEgress::Computed,
    }
}

fn of_rule<U>(rule: &SecurityRule<'_, U>) -> DefaultEgress {
    match rule.direction() {
        Ok(Direction::Egress) => DefaultEgress::Replaced,
        Err(Undecoded::Opaque(_)) => DefaultEgress::Computed,
        Ok(Direction::Ingress) | Err(Undecoded::Refused(_)) => DefaultEgress::Kept,
    }
}

fn is_group(made_by: &ResourceImplementation) -> bool {
    matches!(made_by, ResourceImplementation::ResourceType(kind) if kind == TYPE)
}

/// Whether a template defines security groups.
pub(super) fn has_groups(unit: &Module) -> bool {
    let mut uses = unit.implementations.values();
    uses.any(|made_by| match made_by {
        ResourceImplementation::Group { member: Some(member), .. } => is_group(member),
        made_by => is_group(made_by),
    })
}

/// Warnings about remote groups in rules of a template that Heat ignores.
pub(super) fn ignored_groups(unit: &Module, folding: &PartialEvaluator<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (name, resource) in &unit.stack.resources {
        let rules = match unit.implementations.get(name) {
            Some(made_by) if is_group(made_by) => property(resource, "rules"),
            Some(ResourceImplementation::Group { kind, member: Some(member) })
                if is_group(member) =>
            {
                let properties =
                    member_definition(*kind, resource).and_then(|it| it.member("properties"));
                properties.and_then(|it| it.member("rules"))
            }
            _ => None,
        };
        let Some(rules) = rules else { continue };
        rules.walk(&mut |written| {
            let Some(group) = written.member(REMOTE_GROUP_MODE) else { return };
            if ReadValue::of_expr(folding, Some(group)).is_empty() {
                return;
            }
            let RemoteEnd::Prefix(prefix) = rule(folding, written).remote else { return };
            let peers = match prefix.is_empty() {
                true => "every address",
                false => "all addresses of `remote_ip_prefix`",
            };
            let message = format!(
                "Heat ignores `remote_group_id` in a rule of `{name}`, which is open to {peers}"
            );
            let help = "add `remote_mode: remote_group_id`, or remove `remote_group_id`";
            found.push(
                Diagnostic::new(crate::codes::REMOTE_GROUP_IGNORED, message)
                    .at(group.span)
                    .help(help),
            );
        });
    }
    found
}

//! Heat's semantics of security group rules, which all targets share.
//!
//! Source: `_format_rule` and `_create_rules` of Heat's plugin for `OS::Neutron::SecurityGroup`.
//! `remote_mode` selects the remote end, and the other one is not even sent; a mode without a group means
//! the group itself. A new group allows all outgoing traffic ([`DEFAULT_EGRESS`]) until one of its rules
//! is an egress rule.

use super::render_model::{Module, ResourceImplementation, member_definition, property};
use heat_engine::eval::{PartialEvaluator, Value};
use heat_template::ir::{Expr, ExprKind};
use source_diagnostics::Diagnostic;

/// The address families to which a new group allows all outgoing traffic.
pub(super) const DEFAULT_EGRESS: [&str; 2] = ["IPv4", "IPv6"];

/// The `remote_mode` that selects the remote group of a rule.
pub(super) const REMOTE_GROUP_MODE: &str = "remote_group_id";

const TYPE: &str = "OS::Neutron::SecurityGroup";

/// Whether a `remote_mode` selects the remote group; `None` if the mode is unknown.
pub(super) fn group_counts_by_mode(mode: Option<&Value>) -> Option<bool> {
    match mode.map(Value::unsealed) {
        None => Some(false),
        Some(Value::Unknown(_)) => None,
        Some(Value::Text(mode)) => Some(mode == REMOTE_GROUP_MODE),
        Some(_) => Some(false),
    }
}

/// The remote end of a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RemoteEnd<'e> {
    /// `remote_ip_prefix`, or any address.
    Prefix,
    /// `remote_group_id`, or the group itself.
    Group,
    /// Depends on this mode, which is unknown while rendering.
    ByMode(&'e Expr),
}

/// The remote end of a rule that is a map literal.
pub(super) fn remote<'e>(folding: &PartialEvaluator<'_>, rule: &'e Expr) -> RemoteEnd<'e> {
    let Some(mode) = rule.member("remote_mode") else { return RemoteEnd::Prefix };
    let known = folding.constant(mode).map(|mode| mode.reveal().0);
    match known.as_ref().and_then(|known| group_counts_by_mode(Some(known))) {
        Some(true) => RemoteEnd::Group,
        Some(false) => RemoteEnd::Prefix,
        None => RemoteEnd::ByMode(mode),
    }
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

/// What a list of rules, or a single rule, does to the default egress rules.
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
        ExprKind::Map(_) if rules.is_data() => of_value(&Value::from_expr_as_sent(rules)),
        ExprKind::Map(_) => match rules.member("direction") {
            None => DefaultEgress::Kept,
            Some(direction) => match folding.constant(direction) {
                Some(direction) => of_direction(Some(&direction)),
                None => DefaultEgress::Computed,
            },
        },
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
        Value::Map(map) => of_direction(map.get("direction")),
        Value::Null | Value::Elided => DefaultEgress::Kept,
        _ => DefaultEgress::Computed,
    }
}

fn of_direction(direction: Option<&Value>) -> DefaultEgress {
    match direction.map(Value::unsealed) {
        Some(Value::Text(text)) if text == "egress" => DefaultEgress::Replaced,
        Some(Value::Unknown(_)) => DefaultEgress::Computed,
        Some(_) | None => DefaultEgress::Kept,
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
        rules.walk(&mut |rule| {
            let given = |key: &str| rule.member(key).filter(|it| it.kind != ExprKind::Null);
            let Some(group) = given(REMOTE_GROUP_MODE) else { return };
            if remote(folding, rule) != RemoteEnd::Prefix {
                return;
            }
            let peers = match given("remote_ip_prefix") {
                None => "every address",
                Some(_) => "all addresses of `remote_ip_prefix`",
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

//! Rules of a security group: one object for each.

use super::PropertyRequest;
use crate::mapping::PropertyMapping;
use crate::openstack_provider::model::{Argument, ProviderObject, WantedType};
use crate::openstack_provider::resource_builder::{Arguments, ResourceBuilder};
use crate::openstack_provider::schema::ProviderSchema;
use crate::openstack_provider::table::is_restricting_argument;
use crate::openstack_provider::values::{ListItem, items, written};
use crate::security_group::{DefaultEgress, egress, rule as decoded};
use heat_engine::eval::python;
use heat_engine::security_rule::{
    AddressFamily, Protocol, REMOTE_GROUP_MODE, REMOTE_PREFIX, ReadValue, RemoteEnd,
};
use heat_template::ir::{Expr, ExprKind, Pair, Shared};
use source_diagnostics::Span;

const RULE: &str = "openstack_networking_secgroup_rule_v2";

/// Rules of a group. Heat deletes the default egress rules if the template has egress rules of its own.
pub(super) fn rules<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { property, given, .. } = of;
    let Some(value) = given else { return };
    let value = builder.computed_list(value);
    let mut all = DefaultEgress::Kept;
    let mut computed = Vec::new();
    for (index, item) in items(&value, true).into_iter().enumerate() {
        let (of_item, list) = match item {
            ListItem::Written(map) => {
                rule(builder, property, index, map);
                (egress(&builder.catalog.evaluator, map), direction_of(map))
            }
            ListItem::Computed(list) => {
                rules_of_list(builder, property, index, list.clone());
                (egress(&builder.catalog.evaluator, &list), list)
            }
        };
        if of_item == DefaultEgress::Computed {
            computed.push(Argument::Expr(list, WantedType::Any));
        }
        all = all.and(of_item);
    }
    let is_deleted = match all {
        DefaultEgress::Kept => return,
        DefaultEgress::Replaced => Argument::Bool(true),
        DefaultEgress::Computed => Argument::AnyIs {
            lists: computed,
            key: "direction".to_owned(),
            text: "egress".to_owned(),
        },
    };
    builder.arguments.push(("delete_default_rules".to_owned(), is_deleted));
}

/// A list that holds only the direction of a rule.
fn direction_of(map: &Expr) -> Expr {
    let pairs: Vec<Pair> = match &map.kind {
        ExprKind::Map(pairs) => {
            pairs.iter().filter(|pair| pair.key.as_text() == Some("direction")).cloned().collect()
        }
        _ => Vec::new(),
    };
    let rule = Expr::new(ExprKind::Map(pairs.into()), map.span);
    Expr::new(ExprKind::List([rule].into()), map.span)
}

fn rule(
    builder: &mut ResourceBuilder<'_, '_>,
    property: &'static PropertyMapping,
    index: usize,
    map: &Expr,
) {
    let Some(info) = ProviderSchema::get().resource(RULE) else { return };
    let heat = builder.heat_property("rules").and_then(|rules| rules.items.as_deref());
    let mut arguments =
        builder.members(property, &info.arguments, heat.map(|items| &items.members), map);
    let counts = decoded(&builder.catalog.evaluator, map).remote;
    let is_lost = |(name, member): (&String, &'static PropertyMapping)| {
        let to = member.to.as_deref().filter(|to| is_restricting_argument(RULE, to))?;
        let is_given = written(property, map, name).is_some_and(|it| it.kind != ExprKind::Null);
        (is_given && !arguments.iter().any(|(there, _)| there == to)).then(|| to.to_owned())
    };
    if let Some(lost) = property.members.iter().find_map(is_lost) {
        return builder.report_dropped_rule(&format!("`{lost}` cannot be expressed"), map.span);
    }
    if let Err(why) = ports(builder, &mut arguments) {
        return builder.report_dropped_rule(why, map.span);
    }
    let given = ReadValue::of_expr(&builder.catalog.evaluator, map.member(REMOTE_GROUP_MODE));
    let group = take(&mut arguments, REMOTE_GROUP_MODE);
    let group = if given.is_empty() { Some(builder.reference()) } else { group };
    let prefix = take(&mut arguments, REMOTE_PREFIX);
    let [prefix, group] = ends(prefix, group);
    let made = RuleWithoutRemote { property, arguments, each: None, index, span: map.span };
    match counts {
        RemoteEnd::Prefix(_) => made.one(builder, "", prefix, None),
        RemoteEnd::Group(..) | RemoteEnd::OwnGroup => made.one(builder, "", group, None),
        RemoteEnd::ByMode(mode) => {
            let by_group = Expr::new(ExprKind::Text(REMOTE_GROUP_MODE.into()), mode.span);
            let is_group = ExprKind::Equals(Shared::new([mode.clone(), by_group]));
            let condition = Expr::new(is_group, mode.span);
            made.both(builder, [prefix, group], |then, otherwise| Argument::Conditional {
                condition: condition.clone(),
                then,
                otherwise,
            });
        }
    }
}

/// A remote end as an argument.
type RuleRemote = Option<(String, Argument)>;

/// The two possible remote ends: the prefix, and the group.
fn ends(prefix: Option<Argument>, group: Option<Argument>) -> [RuleRemote; 2] {
    [
        prefix.map(|prefix| (REMOTE_PREFIX.to_owned(), prefix)),
        group.map(|group| (REMOTE_GROUP_MODE.to_owned(), group)),
    ]
}

/// A rule without its remote end.
#[derive(Clone)]
struct RuleWithoutRemote {
    property: &'static PropertyMapping,
    arguments: Arguments,
    each: Option<Argument>,
    index: usize,
    span: Span,
}

impl RuleWithoutRemote {
    /// The rule with one remote end.
    fn one(
        mut self,
        builder: &mut ResourceBuilder<'_, '_>,
        suffix: &str,
        end: RuleRemote,
        only_if: Option<Argument>,
    ) {
        self.arguments.extend(end);
        let object = ProviderObject {
            suffix: format!("rule_{}{suffix}", self.index),
            kind: RULE.to_owned(),
            arguments: self.arguments,
            each: self.each,
            only_if,
            after: Vec::new(),
            ignores: Vec::new(),
            span: self.span,
        };
        builder.object(self.property, object);
    }

    /// The rule once for each remote end, of which one exists: the provider rejects both arguments before
    /// it knows which of them is null.
    fn both(
        self,
        builder: &mut ResourceBuilder<'_, '_>,
        [prefix, group]: [RuleRemote; 2],
        choose: impl Fn(Box<Argument>, Box<Argument>) -> Argument,
    ) {
        let truth = |is: bool| Box::new(Argument::Bool(is));
        let by_group = self.clone();
        self.one(builder, "", prefix, Some(choose(truth(false), truth(true))));
        by_group.one(builder, "_group", group, Some(choose(truth(true), truth(false))));
    }
}

fn take(arguments: &mut Arguments, name: &str) -> Option<Argument> {
    let at = arguments.iter().position(|(known, _)| known == name)?;
    Some(arguments.remove(at).1)
}

/// The ports of a rule for the provider, which has no null for numbers: it omits 0, and
/// Neutron then allows every type, code or port.
pub(in crate::openstack_provider) fn ports(
    builder: &ResourceBuilder<'_, '_>,
    arguments: &mut Arguments,
) -> Result<(), &'static str> {
    let known = |name: &str| {
        let (_, value) = arguments.iter().find(|(known, _)| known == name)?;
        match value {
            Argument::Text(text) => Some(text.clone()),
            Argument::Number(number) => Some(number.to_string()),
            Argument::Expr(value, _) => {
                python::str(&builder.catalog.evaluator.constant(value)?.reveal().0).ok()
            }
            _ => None,
        }
    };
    let is_given = |name: &str| arguments.iter().any(|(known, _)| known == name);
    let [first, last] = ["port_range_min", "port_range_max"].map(known);
    // Each name of ICMP is one in both families.
    let protocol = known("protocol").and_then(|it| Protocol::read(&it, AddressFamily::V4));
    let is_icmp = protocol.is_some_and(Protocol::is_icmp);
    match (first.as_deref(), last.as_deref()) {
        (Some("0"), Some("65535")) => {
            arguments.retain(|(name, _)| !name.starts_with("port_range_"));
        }
        (Some("0"), _) | (_, Some("0")) if is_icmp => {
            return Err("the provider omits an ICMP type or code that is 0");
        }
        _ if is_icmp && is_given("port_range_min") && !is_given("port_range_max") => {
            // The provider requires both, and omits this one since it is 0.
            arguments.push(("port_range_max".to_owned(), Argument::Number(0)));
        }
        _ => {}
    }
    Ok(())
}

fn rules_of_list(
    builder: &mut ResourceBuilder<'_, '_>,
    property: &'static PropertyMapping,
    index: usize,
    list: Expr,
) {
    let Some(info) = ProviderSchema::get().resource(RULE) else { return };
    let heat = builder.heat_property("rules").and_then(|rules| rules.items.as_deref());
    let mut arguments: Arguments =
        builder.members_of_item(property, &info.arguments, heat.map(|items| &items.members), &list);
    let own = builder.reference();
    let prefix = take(&mut arguments, REMOTE_PREFIX);
    let group =
        take(&mut arguments, REMOTE_GROUP_MODE).map(|given| Argument::First(vec![given, own]));
    let span = list.span;
    let each = Some(Argument::Expr(list, WantedType::Any));
    let made = RuleWithoutRemote { property, arguments, each, index, span };
    made.both(builder, ends(prefix, group), |then, otherwise| Argument::ItemIs {
        path: vec!["remote_mode".to_owned()],
        text: Some(REMOTE_GROUP_MODE.to_owned()),
        then,
        otherwise,
    });
}

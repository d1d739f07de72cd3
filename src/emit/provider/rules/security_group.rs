//! Rules of a security group: an object for each.

use super::super::making::{Arguments, Making};
use super::super::model::{Argument, Wanted};
use super::super::values::{Item, items};
use super::compute::under;
use crate::emit::mapping::PropertyMapping;
use crate::eval::Value;
use crate::ir::Expr;

const RULE: &str = "openstack_networking_secgroup_rule_v2";

/// Heat takes the usual rules for outgoing traffic away where the template has some of its own.
pub(super) fn rules<'c>(
    making: &mut Making<'c, '_>,
    name: &str,
    property: &'static PropertyMapping,
    given: Option<&'c Expr>,
) {
    let Some(value) = given else { return };
    let value = making.written_out(value);
    let mut has_egress = false;
    let mut is_open = false;
    for (index, item) in items(&value, true).into_iter().enumerate() {
        match item {
            Item::Written(map) => {
                match known(making, map, "direction") {
                    Some(direction) => has_egress |= direction.as_deref() == Some("egress"),
                    None => is_open = true,
                }
                rule(making, property, index, map);
            }
            Item::Computed(list) => {
                is_open = true;
                computed(making, property, index, list);
            }
        }
    }
    if has_egress {
        making.arguments.push(("delete_default_rules".to_owned(), Argument::Bool(true)));
    } else if is_open {
        let how = "where a computed rule is for outgoing traffic, Heat takes the usual rules for that \
                   away, and the provider leaves them";
        making.note(name, value.span, how, "write `delete_default_rules = true` if that is so");
    }
}

/// The value of a key that is known: text, or nothing.
fn known(making: &Making<'_, '_>, map: &Expr, key: &str) -> Option<Option<String>> {
    let Some(value) = under(map, key) else { return Some(None) };
    match making.catalog.folding.constant(value)?.reveal().0 {
        Value::Text(text) => Some(Some(text.to_string())),
        _ => Some(None),
    }
}

fn rule(making: &mut Making<'_, '_>, property: &'static PropertyMapping, index: usize, map: &Expr) {
    let Some(info) = super::super::schema::ProviderSchema::get().resource(RULE) else { return };
    let heat = making.heat_property("rules").and_then(|rules| rules.items.as_deref());
    let mut arguments =
        making.members(property, &info.arguments, heat.map(|items| &items.members), map);
    let mode = known(making, map, "remote_mode");
    let by_group = match mode {
        Some(mode) => mode.as_deref() == Some("remote_group_id"),
        // Which of the two counts is computed: the one that is given.
        None => under(map, "remote_group_id").is_some(),
    };
    // Heat uses one of the two.
    let dropped = if by_group { "remote_ip_prefix" } else { "remote_group_id" };
    arguments.retain(|(name, _)| name != dropped);
    let has_group = arguments.iter().any(|(name, _)| name == "remote_group_id");
    if by_group && !has_group {
        arguments.push(("remote_group_id".to_owned(), making.reference()));
    }
    making.object(RULE, format!("rule_{index}"), property, arguments, None, map.span);
}

fn computed(
    making: &mut Making<'_, '_>,
    property: &'static PropertyMapping,
    index: usize,
    list: Expr,
) {
    let Some(info) = super::super::schema::ProviderSchema::get().resource(RULE) else { return };
    let heat = making.heat_property("rules").and_then(|rules| rules.items.as_deref());
    let arguments: Arguments =
        making.members_of_item(property, &info.arguments, heat.map(|items| &items.members), &list);
    let how = "`remote_mode` of computed rules is ignored: the group counts where one is given";
    let mut says_mode = false;
    list.walk(&mut |part| says_mode |= part.as_text() == Some("remote_mode"));
    if says_mode {
        making.differs("rules", list.span, how, "write the rules one by one");
    }
    let span = list.span;
    let each = Some(Argument::Expr(list, Wanted::Any));
    making.object(RULE, format!("rule_{index}"), property, arguments, each, span);
}

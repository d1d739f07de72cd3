//! Ports and subnets: properties whose empty value is expressed by a different argument.

use super::PropertyRequest;
use crate::openstack_provider::model::{Argument, WantedType};
use crate::openstack_provider::resource_builder::ResourceBuilder;
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind};

/// `security_groups` of a port: an empty list means no group at all, an absent one the default group.
pub(super) fn port_security_groups<'c>(
    builder: &mut ResourceBuilder<'c, '_>,
    of: PropertyRequest<'c>,
) {
    let PropertyRequest { name, property, given } = of;
    let Some(value) = given else { return };
    match &value.kind {
        ExprKind::List(items) if items.is_empty() => {
            builder.arguments.push(("no_security_groups".to_owned(), Argument::Bool(true)));
        }
        _ => builder.add_property(name, property, value),
    }
}

/// `gateway_ip` of a subnet: an empty string means no gateway, an absent one the first address.
pub(super) fn subnet_gateway<'c>(builder: &mut ResourceBuilder<'c, '_>, of: PropertyRequest<'c>) {
    let PropertyRequest { name, given, .. } = of;
    let Some(value) = given else {
        let properties = builder.definition.properties;
        let is_null = properties.and_then(|all| all.member(name)).is_some();
        if is_null {
            no_gateway(builder);
        }
        return;
    };
    match builder.catalog.evaluator.constant(value).map(|value| value.reveal().0) {
        Some(Value::Text(text)) if text.is_empty() => no_gateway(builder),
        Some(Value::Null) => no_gateway(builder),
        // As if no gateway were given.
        Some(Value::Text(text)) if text == "auto" => {}
        Some(_) => push(builder, name, value),
        None => {
            push(builder, name, value);
            let how = "if the value is empty, Heat creates a subnet without a gateway, but the \
                       provider one with the first address as its gateway";
            if matches!(value.kind, ExprKind::Parameter(_) | ExprKind::Choose(_)) {
                note(builder, name, value, how);
            }
        }
    }
}

fn push(builder: &mut ResourceBuilder<'_, '_>, name: &str, value: &Expr) {
    builder.arguments.push((name.to_owned(), Argument::Expr(value.clone(), WantedType::Text)));
}

fn no_gateway(builder: &mut ResourceBuilder<'_, '_>) {
    builder.arguments.push(("no_gateway".to_owned(), Argument::Bool(true)));
}

fn note(builder: &mut ResourceBuilder<'_, '_>, name: &str, value: &Expr, how: &str) {
    builder.report_note(name, value.span, how, "set `no_gateway = true` if there should be none");
}

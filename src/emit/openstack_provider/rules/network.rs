//! Ports and subnets: properties whose empty value is expressed by a different argument.

use super::super::model::{Argument, WantedType};
use super::super::resource_builder::ResourceBuilder;
use crate::emit::mapping::PropertyMapping;
use heat_engine::eval::Value;
use heat_template::ir::{Expr, ExprKind};

/// `security_groups` of a port: an empty list means no group at all, an absent one the default group.
pub(super) fn port_security_groups<'c>(
    making: &mut ResourceBuilder<'c, '_>,
    name: &str,
    property: &'static PropertyMapping,
    given: Option<&'c Expr>,
) {
    let Some(value) = given else { return };
    match &value.kind {
        ExprKind::List(items) if items.is_empty() => {
            making.arguments.push(("no_security_groups".to_owned(), Argument::Bool(true)));
        }
        _ => making.add_property(name, property, value),
    }
}

/// `gateway_ip` of a subnet: an empty string means no gateway, an absent one the first address.
pub(super) fn subnet_gateway<'c>(
    making: &mut ResourceBuilder<'c, '_>,
    name: &str,
    _: &'static PropertyMapping,
    given: Option<&'c Expr>,
) {
    let Some(value) = given else {
        let properties = making.definition.properties;
        let is_null =
            properties.and_then(|all| crate::emit::render_model::entry(all, name)).is_some();
        if is_null {
            no_gateway(making);
        }
        return;
    };
    match making.catalog.evaluator.constant(value).map(|value| value.reveal().0) {
        Some(Value::Text(text)) if text.is_empty() => no_gateway(making),
        Some(Value::Null) => no_gateway(making),
        // As if no gateway were given.
        Some(Value::Text(text)) if text == "auto" => {}
        Some(_) => push(making, name, value),
        None => {
            push(making, name, value);
            let how = "if the value is empty, Heat creates a subnet without a gateway, but the \
                       provider one with the first address as its gateway";
            if matches!(value.kind, ExprKind::Parameter(_) | ExprKind::Choose(_)) {
                note(making, name, value, how);
            }
        }
    }
}

fn push(making: &mut ResourceBuilder<'_, '_>, name: &str, value: &Expr) {
    making.arguments.push((name.to_owned(), Argument::Expr(value.clone(), WantedType::Text)));
}

fn no_gateway(making: &mut ResourceBuilder<'_, '_>) {
    making.arguments.push(("no_gateway".to_owned(), Argument::Bool(true)));
}

fn note(making: &mut ResourceBuilder<'_, '_>, name: &str, value: &Expr, how: &str) {
    making.report_note(name, value.span, how, "set `no_gateway = true` if there should be none");
}

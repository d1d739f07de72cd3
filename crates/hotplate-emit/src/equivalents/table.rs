//! The types whose resources Heat makes of those of other types, with what becomes of their properties: `table.yaml`.

use std::sync::OnceLock;

use super::{Translation, networks, rules, scaling};
use crate::mapping::{Mapping, TypeMapping};
use heat_template::ir::Expr;

const TABLE: &str = include_str!("table.yaml");

/// The resources that connect routers with the external network.
pub(super) const GATEWAY_ATTACHMENT: &str = "AWS::EC2::VPCGatewayAttachment";

/// The rule of a type whose equivalent has properties of the same names.
pub(super) const SAME_PROPERTIES: &str = "same_properties";

/// A type, and the type whose resources Heat makes of it.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) kind: &'static str,
    pub(super) to: &'static str,
    pub(super) mapping: &'static TypeMapping,
}

pub(super) fn table() -> &'static Mapping {
    static READ: OnceLock<Mapping> = OnceLock::new();
    READ.get_or_init(|| {
        #[expect(clippy::expect_used, reason = "a part of the program, read by every test run")]
        Mapping::read(TABLE).expect("the table has the layout of a mapping")
    })
}

pub(super) fn row(kind: &str) -> Option<Row> {
    let (kind, mapping) = table().types.get_key_value(kind)?;
    Some(Row { kind, to: mapping.to.as_deref()?, mapping })
}

/// The translation of a property. `None` as its result if it cannot translate the value.
pub(super) type PropertyRule = fn(&mut Translation<'_>, &Expr) -> Option<()>;

pub(super) fn property_rule(name: &str) -> Option<PropertyRule> {
    Some(match name {
        "address" => rules::address,
        "address_of_instance" => rules::address_of_instance,
        "block_devices" => rules::block_devices,
        "egress" => rules::egress,
        "ingress" => rules::ingress,
        "network_interfaces" => rules::network_interfaces,
        "subnet" => rules::subnet,
        "volumes" => rules::volumes,
        _ => return None,
    })
}

/// What else Heat makes of a resource, whatever its properties are. `None` as its result if it cannot be translated.
pub(super) type TypeRule = fn(&mut Translation<'_>) -> Option<()>;

pub(super) fn type_rule(name: &str) -> Option<TypeRule> {
    Some(match name {
        "gateways" => networks::gateways,
        "members" => scaling::members,
        "port" => networks::port,
        "route_table" => networks::route_table,
        "subnet" => networks::subnet,
        "vpc" => networks::vpc,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_types_of_heat_and_rules_of_the_code() {
        let schema = heat_template::schema::Schema::heat();
        for (kind, mapping) in &table().types {
            let info = schema.type_info(kind).unwrap_or_else(|| panic!("no type {kind}"));
            let row = row(kind).unwrap_or_else(|| panic!("{kind} has no equivalent"));
            assert!(schema.type_info(row.to).is_some(), "{kind}: no type {}", row.to);
            let rule = mapping.rule.as_deref().filter(|rule| *rule != SAME_PROPERTIES);
            assert!(rule.is_none_or(|rule| type_rule(rule).is_some()), "{kind}: {rule:?}");
            for (name, property) in &mapping.properties {
                assert!(info.property(name).is_some(), "{kind} has no {name}");
                let rule = property.rule.as_deref();
                let is_known = match rule {
                    None => true,
                    Some("adds_to" | "tags") => property.to.is_some(),
                    Some(rule) => property_rule(rule).is_some(),
                };
                assert!(is_known, "{kind}.{name}: {rule:?}");
            }
            for (name, attribute) in &mapping.attributes {
                let is_known = match attribute.rule.as_deref() {
                    None | Some("text") => attribute.to.is_some(),
                    Some(rule) => ["member_addresses", "port_address", "reference"].contains(&rule),
                };
                assert!(is_known, "{kind}.{name}: {:?}", attribute.rule);
            }
        }
    }
}

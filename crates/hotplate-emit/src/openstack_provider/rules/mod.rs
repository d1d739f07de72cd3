//! Rules for what a table cannot express, by the names that the table uses for them; one file for each
//! service.

mod compute;
mod gateway;
mod image;
mod network;
mod port_addresses;
mod random;
pub(super) mod security_group;
pub(super) mod server_networks;
pub(super) mod spread;
mod stack;
mod volume;

use super::catalog::{ObjectCatalog, ResourceDefinition};
use super::model::ResourceObjects;
use super::resource_builder::ResourceBuilder;
use crate::Losses;
use crate::mapping::{PropertyMapping, TypeMapping};
use heat_template::ir::Expr;

/// A property that a rule translates.
#[derive(Clone, Copy)]
pub(super) struct PropertyRequest<'c> {
    pub(super) name: &'c str,
    pub(super) property: &'static PropertyMapping,
    /// `None` if the template does not set it.
    pub(super) given: Option<&'c Expr>,
}

pub(super) type PropertyRule = for<'c> fn(&mut ResourceBuilder<'c, '_>, PropertyRequest<'c>);

pub(super) fn of_property(name: &str) -> Option<PropertyRule> {
    Some(match name {
        "implied" => implied,
        "server_flavor" => compute::flavor,
        "server_image" => compute::image,
        "server_personality" => compute::personality,
        "scheduler_hints" => compute::scheduler_hints,
        "user_data" => compute::user_data,
        "user_data_update_policy" => compute::user_data_update_policy,
        "device_name" => volume::device_name,
        "flavor_tenants" => compute::flavor_tenants,
        "first_port" => compute::first_port,
        "server_networks" => server_networks::networks,
        "server_volumes" => volume::mapping,
        "server_devices" => volume::mapping_v2,
        "volume_hints" => volume::scheduler_hints,
        "port_security_groups" => network::port_security_groups,
        "subnet_gateway" => network::subnet_gateway,
        "security_group_rules" => security_group::rules,
        "router_gateway" => gateway::of_router,
        "image_location" => image::location,
        "random_characters" => random::characters,
        "random_salt" => random::salt,
        "stack_template" => stack::template,
        _ => return None,
    })
}

/// Translates a resource that is a part of another one's object.
pub(super) fn part(
    catalog: &ObjectCatalog<'_>,
    mapping: &TypeMapping,
    definition: &ResourceDefinition<'_>,
    losses: &mut Losses,
) -> Option<ResourceObjects> {
    match mapping.part_of.as_deref() {
        Some("router_gateway") => gateway::part(catalog, definition, losses),
        Some(_) | None => None,
    }
}

/// Does nothing: the note in the table says why nothing is needed.
fn implied(_: &mut ResourceBuilder<'_, '_>, _: PropertyRequest<'_>) {}

//! Resources that are only a list: each item becomes an object, with the properties that the resource has for
//! all of them.

use crate::openstack_provider::catalog::{ResourceDefinition, provider_attribute};
use crate::openstack_provider::model::ResourceObjects;
use crate::openstack_provider::resource_builder::ResourceBuilder;
use crate::openstack_provider::schema::{ProviderSchema, missing};

/// The objects, each with the arguments of the resource itself.
pub(in crate::openstack_provider) fn finish(
    builder: ResourceBuilder<'_, '_>,
) -> Option<ResourceObjects> {
    let ResourceBuilder { mut others, arguments, definition, losses, .. } = builder;
    for object in &mut others {
        object.arguments.splice(0..0, arguments.iter().cloned());
    }
    let lacking = others.iter().find_map(|object| {
        let known = ProviderSchema::get().resource(&object.kind)?;
        missing(&known.arguments, &object.arguments).first().copied()
    });
    if others.is_empty() || lacking.is_some() {
        let ResourceDefinition { owner, kind, .. } = definition;
        let message = match lacking {
            Some(name) => {
                format!("`{owner}` ({kind}) has no `{name}`, which the provider requires")
            }
            None => format!("`{owner}` ({kind}) has no items"),
        };
        let loss = crate::LossKind::ResourceType;
        let loss = crate::Loss::new(loss, definition.kind, message, definition.span);
        losses.add(loss.with_owner(definition.owner));
        return None;
    }
    Some(ResourceObjects {
        objects: others,
        reference: provider_attribute(definition.owner, 0, "id"),
    })
}

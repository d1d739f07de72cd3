//! The adoption of a flat stack, whose resources have their places in the saved stack.

use std::collections::HashSet;

use super::adopter::{Adopter, ResourcePosition};
use super::adoption::{Adoption, ModuleStep};
use crate::flatten::{FlatStack, ResourceOrigin};
use crate::openstack_provider::catalog::ObjectCatalog;
use crate::openstack_provider::table::type_mapping;
use crate::{ModuleId, RenderModel, ResourceImplementation};
use saved_stack::{SavedStack, SavedStackFiles};

/// Matches the objects of a flat stack with a saved stack.
pub fn adopt_flat(
    model: &RenderModel<'_>,
    flat: &FlatStack,
    catalog: &ObjectCatalog<'_>,
    saved: &SavedStackFiles,
) -> Adoption {
    let nothing = SavedStack::default();
    let root = saved.stack.as_ref().unwrap_or(&nothing);
    let found = |origin: &ResourceOrigin| {
        let (last, path) = origin.path.split_last()?;
        let stack = path.iter().try_fold(root, |stack, name| {
            stack.resources.get(name.as_str()).and_then(|it| it.nested.as_ref())
        });
        stack?.resources.get(last.as_str())
    };
    let origins = flat.origins.iter().filter(|(_, origin)| !origin.is_helper);
    let resources =
        origins.filter_map(|(name, origin)| Some((name.clone(), found(origin)?.clone())));
    let stack = SavedStack { resources: resources.collect(), ..SavedStack::default() };
    let mut adopter = Adopter {
        model,
        modules: vec![&flat.module],
        catalogs: std::slice::from_ref(catalog),
        lists: &saved.lists,
        adoption: Adoption { stack: root.name.clone(), ..Adoption::default() },
        rules: HashSet::new(),
    };
    for (name, origin) in flat.origins.iter().filter(|(_, origin)| !origin.is_helper) {
        let Some(resource) = flat.module.stack.resources.get(name) else { continue };
        let Some(ResourceImplementation::ResourceType(kind)) =
            flat.module.implementations.get(name)
        else {
            continue;
        };
        let (Some(expressed), Some(mapping)) = (catalog.resource(name), type_mapping(kind)) else {
            continue;
        };
        let around = &origin.path[..origin.path.len().saturating_sub(1)];
        let step = |name: &String| ModuleStep { resource: name.clone(), member: None };
        let path: Vec<ModuleStep> = around.iter().map(step).collect();
        match stack.resources.get(name) {
            Some(found) => {
                let at = ResourcePosition {
                    id: ModuleId(0),
                    path: &path,
                    resource: name,
                    member: None,
                    properties: resource.properties.as_ref(),
                    deployed: Some(model.full_deployment),
                };
                adopter.objects(&at, mapping, expressed, &found.id, &stack);
            }
            None if resource.condition.is_none() => {
                adopter.missing(name, resource.name_span, "it is not in the file");
            }
            None => {}
        }
    }
    adopter.adoption
}

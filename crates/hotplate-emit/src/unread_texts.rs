//! Texts that nothing in a result without Heat reads: scripts of software deployments, which only Heat has, and scripts
//! that nothing uses. Without them, nobody has to give values to parameters that only they use.

use std::collections::HashSet;

use super::kit::TextResource;
use super::render_model::{Module, RenderModel, ResourceImplementation};
use super::without_effect::{References, is_deployment};

/// Why such a text is omitted.
pub(super) const UNREAD: &str = "nothing reads it but software deployments, which only Heat has";

/// The deployment without the texts that nothing in the result reads; `None` if all are read.
pub(super) fn without_unread_texts<'a>(model: &RenderModel<'a>) -> Option<RenderModel<'a>> {
    let unread: Vec<Vec<String>> = model
        .modules
        .iter()
        .map(|module| unread_texts(module).into_iter().map(str::to_owned).collect())
        .collect();
    if unread.iter().all(Vec::is_empty) {
        return None;
    }
    let mut model = model.with_stacks(indexmap::IndexMap::new());
    for (module, names) in model.modules.iter_mut().zip(unread) {
        let unread = || ResourceImplementation::Unknown(UNREAD.to_owned());
        module.implementations.extend(names.into_iter().map(|name| (name, unread())));
    }
    Some(model)
}

/// The texts of a template that nothing but software deployments reads.
pub(super) fn unread_texts(module: &Module) -> HashSet<&str> {
    let mut unread: HashSet<&str> = module
        .implementations
        .iter()
        .filter_map(|(name, it)| match it {
            ResourceImplementation::ResourceType(kind) => {
                TextResource::of(kind).map(|_| name.as_str())
            }
            ResourceImplementation::Template(_)
            | ResourceImplementation::Group { .. }
            | ResourceImplementation::Unknown(_) => None,
        })
        .collect();
    // A text that is read may contain another one.
    loop {
        let mut read = References::default();
        for (name, resource) in &module.stack.resources {
            let is_deployment = module.implementations.get(name).is_some_and(is_deployment);
            if !is_deployment && !unread.contains(name.as_str()) {
                resource.properties.iter().chain(&resource.metadata).for_each(|it| read.add(it));
            }
        }
        let outputs = module.stack.outputs.values();
        outputs.filter_map(|output| output.value.as_ref()).for_each(|it| read.add(it));
        let before = unread.len();
        unread.retain(|name| !read.contain(name));
        if unread.len() == before {
            return unread;
        }
    }
}

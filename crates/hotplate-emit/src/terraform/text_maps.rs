//! Finds the variables of JSON parameters that can only be maps of strings: nothing else uses them than arguments
//! that take such a map.

use std::collections::{HashMap, HashSet};

use super::hcl::{Body, BodyItem, Hcl, HclBlock, for_each_name};
use super::scope::{ModuleScope, ResourceForm};
use crate::openstack_provider::schema::{ArgumentType, ProviderSchema};

/// The variables of a module that are used as maps of strings, and as nothing else.
pub(super) fn text_maps(scope: &ModuleScope<'_>, main: &Body, outputs: &Body) -> HashSet<String> {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for body in [main, outputs] {
        for_each_name(body, &mut |name| {
            if let Some(variable) = name.strip_prefix("var.") {
                *uses.entry(variable.to_owned()).or_default() += 1;
            }
        });
    }
    let mut as_maps: HashMap<&str, usize> = HashMap::new();
    for item in main {
        let BodyItem::Block(block) = item else { continue };
        for item in &block.body {
            if let BodyItem::Argument(argument) = item
                && let Hcl::Name(name) = &argument.value
                && let Some(variable) = name.strip_prefix("var.")
                && takes_text_map(scope, block, &argument.name)
            {
                *as_maps.entry(variable).or_default() += 1;
            }
        }
    }
    let only = as_maps.into_iter().filter(|(name, count)| uses.get(*name) == Some(count));
    only.map(|(name, _)| name.to_owned()).collect()
}

/// Whether an argument of a block is a map of strings.
fn takes_text_map(scope: &ModuleScope<'_>, block: &HclBlock, argument: &str) -> bool {
    match (block.kind.as_str(), block.labels.as_slice()) {
        ("resource", [kind, _]) => {
            let known = ProviderSchema::get().argument(kind, argument);
            known.is_some_and(|it| it.kind == ArgumentType::Map && it.items.is_none())
        }
        ("module", [label]) => scope.resource_forms.values().any(|form| match form {
            ResourceForm::Module { name, unit, .. } if name == label => {
                let called = scope.finished_modules.get(unit);
                called.is_some_and(|done| done.text_maps.contains(argument))
            }
            _ => false,
        }),
        _ => false,
    }
}

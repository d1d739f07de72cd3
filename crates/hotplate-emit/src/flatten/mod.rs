//! Flattens a deployment into one stack, for targets without a counterpart of nested stacks: nested
//! templates, and groups whose members are known, are expanded.
//!
//! - A resource of a nested stack is named after its path: `web_server` for `server` in the template
//!   that implements `web`, `nodes_0` for a member of a group.
//! - A parameter of a nested template becomes the value that its resource passes. A long value becomes an
//!   `OS::Heat::Value` resource of its own, so that nothing is written twice and no expression explodes.
//! - A reference to an output, or to an attribute of a group, becomes a reference to what it returns.
//! - A resource whose condition is false while rendering is absent, and references to it become
//!   null. Other conditions stay; resources of a nested stack inherit the condition of their parent.
//! - `depends_on` of a resource names all that it waits for in Heat, by a reference or since its plugin does, too. A
//!   resource of a nested stack waits for all that the stack's resource waits for, and who waits for a nested
//!   stack waits for all of its resources.
//! - A group whose members are unknown while rendering stays a group, see [`Module::implementations`].

mod attributes;
mod builder;
mod expand;
mod member_number;
mod rewrite;
mod values;

use indexmap::IndexMap;

use super::render_model::{Module, ModuleId, ParameterValue, RenderModel};
use super::{Loss, LossKind, Losses};

/// The maximum number of resources of a flat stack.
const MAX_RESOURCES: usize = 20_000;

/// A deployment as one stack.
#[derive(Debug)]
pub struct FlatStack {
    /// The stack, in the form of a root template. Its resources have their types after the registry is
    /// applied. Parameters, conditions and outputs are those of the root template, in its order, followed by
    /// those that nested templates need: parameters that only the environment sets, and
    /// conditions. The implementation of a resource is a type of Heat, a group whose members are unknown, or
    /// unknown; never a template.
    pub module: Module,
    /// The origin of each resource.
    pub origins: IndexMap<String, ResourceOrigin>,
    /// The values that the user or the environment gives to parameters, except fixed ones.
    pub parameter_values: IndexMap<String, ParameterValue>,
    /// Features that a flat stack cannot express, such as scaling.
    pub losses: Losses,
}

/// The origin of a resource of a flat stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceOrigin {
    /// The template that defines it.
    pub module: ModuleId,
    /// Its name in that template; for a member of a group, the name of the group.
    pub resource: String,
    /// The names that lead to it from the root template: of the resources whose nested stacks contain it,
    /// of groups and their members, and its own.
    pub path: Vec<String>,
    /// Whether it holds a value that several resources use, and has no definition in a template.
    pub is_helper: bool,
}

/// Flattens a deployment into one stack.
pub fn flatten(model: &RenderModel<'_>) -> FlatStack {
    let mut tree = expand::expand(model);
    let too_many = tree.is_full;
    let mut flat = builder::build(&mut tree);
    if too_many {
        let message =
            format!("the deployment has more than {MAX_RESOURCES} resources; the rest is omitted");
        let span = flat.module.stack.format.span;
        flat.losses.add(Loss::new(LossKind::Section, "resources", message, span));
    }
    flat
}

#[cfg(test)]
mod tests;

//! One stack out of a whole deployment, for targets without anything like a nested stack: nested
//! templates and groups whose members are known are unrolled.
//!
//! - A resource of a nested stack gets the name of its place: `web_server` for `server` in the template
//!   that `web` stands for, `nodes_0` for a member of a group.
//! - A parameter of a nested template is what its resource gives it. Where that is long it becomes a
//!   resource `OS::Heat::Value` of its own, so that nothing is written twice and no expression explodes.
//! - What asks for an output or for an attribute of a group asks for what stands behind it.
//! - A resource whose condition does not hold while rendering is not there, and what refers to it is
//!   null. Other conditions stay; resources of a nested stack inherit that of their parent.
//! - A group whose members are not known while rendering stays a group, see [`Unit::uses`].

mod attributes;
mod builder;
mod expand;
mod member_number;
mod rewrite;
mod values;

use indexmap::IndexMap;

use super::render_model::{Module, ModuleId, ParameterValue, RenderModel};
use super::{Loss, LossKind, Losses};

/// The most resources that a flat stack has.
const MAX_RESOURCES: usize = 20_000;

/// A deployment as one stack.
#[derive(Debug)]
pub struct FlatStack {
    /// The stack, as if it were the first template. The types of its resources are those after the
    /// registry. Parameters, conditions and outputs are those of the first template, in its order; then
    /// come those that nested ones need: parameters that only the environment gives a value to, and
    /// conditions. What makes a resource is a type of Heat's, a group whose members are not known, or
    /// nothing that can be looked up; never a template.
    pub module: Module,
    /// Where each resource comes from.
    pub origins: IndexMap<String, ResourceOrigin>,
    /// The values that are given to parameters, by the user or the environment, and not baked.
    pub parameter_values: IndexMap<String, ParameterValue>,
    /// What is lost on the way.
    pub losses: Losses,
}

/// Where a resource of a flat stack comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceOrigin {
    /// The template that it is written in.
    pub module: ModuleId,
    /// Its name there; of a member of a group that of the group.
    pub resource: String,
    /// The names that lead to it from the first template: of resources that stand for stacks, of groups
    /// and their members, and its own.
    pub path: Vec<String>,
    /// It is not a resource of a template but holds a value that several others use.
    pub is_helper: bool,
}

/// Makes one stack of a deployment.
pub fn flatten(program: &RenderModel<'_>) -> FlatStack {
    let mut tree = expand::expand(program);
    let too_many = tree.is_full;
    let mut flat = builder::build(&mut tree);
    if too_many {
        let message = format!("more than {MAX_RESOURCES} resources: the rest is left out");
        let span = flat.module.stack.format.span;
        flat.losses.add(Loss::new(LossKind::Section, "resources", message, span));
    }
    flat
}

#[cfg(test)]
mod tests;

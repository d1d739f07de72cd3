//! A deployment: a stack with its nested stacks, at all levels.
//!
//! Which children a stack has, and with what parameters, depends on its values: a stack is evaluated, its
//! resources are looked up in its registry, and each resource that is a template or a group becomes a
//! child with its own registry. Without placeholder values, the outputs of children are passed to their
//! siblings until no further value becomes known.

mod child_input;
mod child_resource;
mod child_stacks;
mod deployed;
mod deployer;
mod findings;
mod given_secrets;
mod implementation;
mod limits;
mod remote_stack;
mod request;
mod stack;
mod stack_request;
mod template_errors;

pub use deployed::{ChildStack, Deployed};
pub use deployer::{deploy, deploy_assuming, is_exhausted};
pub use request::{DeploymentRequest, MAX_RESOURCES};
pub use template_errors::{template_errors, with_consequences};

//! The parameters of a deployment: those of the template and of every nested template, each in its context.
//!
//! What a user must provide before a stack can be created is spread over the tree: a parameter of a nested template gets
//! its value from a property of the resource, or else from `parameter_defaults`. [`ListedTemplate`] is one template in the
//! context of the resource that nests it, with its parameters, the origins of their values and their uses.

mod listing;
mod uses;

pub use listing::{DeploymentParameters, ListedParameter, ListedTemplate, ValueOrigin};

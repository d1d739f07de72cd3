//! The templates of a deployment with the implementation of each resource, as far as they do not depend on values.
//!
//! A node is a template with the registry that applies to it; an edge is a resource that a nested template
//! implements. Evaluation and rendering follow the same edges, so that a template is read and lowered once, and
//! a type has one implementation. A template that contains itself is a cycle of the graph.
//!
//! Heat's rules: `docs/heat.md#the-registry-of-a-nested-stack`, `docs/heat.md#nested-stacks`.

mod graph;
mod implementation;
pub mod limits;
mod node;

pub use graph::TemplateGraph;
pub use implementation::{GroupReference, ResolvedImplementation, TemplateReference};
pub use node::{Template, TemplateFile, TemplateNode};

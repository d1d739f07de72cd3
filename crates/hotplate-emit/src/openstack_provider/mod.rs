//! The OpenStack provider that Terraform, OpenTofu and Pulumi share: which objects a resource becomes,
//! with which arguments, and how references to them are expressed. Independent of those languages; the
//! data are in `targets/terraform/mapping.yaml`.
//!
//! Targets query a [`ObjectCatalog`]; [`counterpart`] returns the counterpart of a type. `rules/` handles what
//! a table cannot express.

pub mod adopt;
mod attributes;
mod catalog;
pub mod model;
mod resource_builder;
mod rules;
pub mod schema;
mod table;
#[cfg(test)]
mod tests;
mod values;

pub use catalog::{AttributeValue, ObjectCatalog, ResourceDefinition};
pub use table::{
    Counterpart, counterpart, grants_access, is_restricting_argument, table, type_support,
};

//! A deployment in the terms of the OpenStack provider, which Terraform, OpenTofu and Pulumi share: which
//! objects a resource becomes, with which arguments, and how others refer to them. Neutral of any of
//! these languages; the facts are in `targets/terraform/mapping.yaml`.
//!
//! [`Catalog`] is what a target asks, [`counterpart`] what becomes of a type. `rules/` says what a table
//! cannot.

pub mod adopt;
mod attributes;
mod catalog;
mod resource_builder;
pub mod model;
mod identifier_kind;
mod rules;
pub mod schema;
mod table;
#[cfg(test)]
mod tests;
mod values;

pub use catalog::{ObjectCatalog, ResourceDefinition, AttributeValue};
pub use table::{Counterpart, grants_access, counterpart, is_restricting_argument, type_support, table};

//! A deployment in the terms of the OpenStack provider, which Terraform, OpenTofu and Pulumi share: which
//! objects a resource becomes, with which arguments, and how others refer to them. Neutral of any of
//! these languages; the facts are in `targets/terraform/mapping.yaml`.
//!
//! [`Catalog`] is what a target asks, [`counterpart`] what becomes of a type. `rules/` says what a table
//! cannot.

pub mod adopt;
mod attributes;
mod catalog;
mod identifier_kind;
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

//! A deployment in the terms of the OpenStack provider, which Terraform, OpenTofu and Pulumi share: which
//! objects a resource becomes, with which arguments, and how others refer to them. Neutral of any of
//! these languages; the facts are in `targets/terraform/mapping.yaml`.

pub mod model;

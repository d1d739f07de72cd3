//! `terraform`, `terraform-json`: a deployment for OpenTofu and Terraform with the OpenStack provider.
//!
//! The root template becomes the root module, every nested template a module in `modules/`. Expressions are
//! in `expression.rs`, `text.rs` and `collections.rs`, references to resources in `references.rs`, objects
//! of the provider in `provider.rs`; `print.rs` and `json.rs` write the files.

mod addresses;
mod arguments;
mod collections;
mod data_sources;
mod expression;
mod groups;
mod hcl;
mod json;
mod literal;
mod locals;
mod messages;
mod module;
mod names;
mod nested;
mod object_loops;
mod order;
mod outputs;
mod print;
mod project;
mod provider;
mod references;
mod resource_forms;
mod scope;
mod secrets;
mod support;
#[cfg(test)]
mod tests;
mod text;
mod text_maps;
mod validation;
mod values;
mod variables;

use super::{BootWait, EmitOutput, EmitRequest, Emitter, TargetSupport};
use saved_stack::TakeOver;
use source_diagnostics::Diagnostic;

/// The targets `terraform` and `terraform-json`.
#[derive(Debug)]
pub(super) struct Terraform(FileSyntax);

pub(super) const HCL: Terraform = Terraform(FileSyntax::Hcl);
pub(super) const JSON: Terraform = Terraform(FileSyntax::Json);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileSyntax {
    Hcl,
    Json,
}

/// How to wait for a server.
const BOOT_WAIT: BootWait = BootWait {
    template: include_str!("../../targets/terraform/boot_wait.txt"),
    use_it: "add this, with the user of the image, and `depends_on = [terraform_data.{condition}]` to {waiting}",
    name: names::name,
};

impl Emitter for Terraform {
    fn name(&self) -> &str {
        match self.0 {
            FileSyntax::Hcl => "terraform",
            FileSyntax::Json => "terraform-json",
        }
    }

    fn summary(&self) -> &str {
        match self.0 {
            FileSyntax::Hcl => {
                "modules for OpenTofu and Terraform with the OpenStack provider, in HCL"
            }
            FileSyntax::Json => "modules for OpenTofu and Terraform, in Terraform's JSON syntax",
        }
    }

    fn take_over(&self) -> TakeOver {
        TakeOver::Imports
    }

    fn distinguishes_identifiers(&self) -> bool {
        true
    }

    fn boot_wait(&self) -> Option<BootWait> {
        Some(BOOT_WAIT)
    }

    fn replaces_heat(&self) -> bool {
        true
    }

    fn type_support(&self, name: &str) -> (Option<String>, TargetSupport) {
        support::type_support(name)
    }

    fn emit(&self, request: &EmitRequest<'_>) -> Result<EmitOutput, Box<Diagnostic>> {
        project::write_project(request, self.0)
    }
}

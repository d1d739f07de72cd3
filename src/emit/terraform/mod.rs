//! `terraform`, `terraform-json`: a deployment for OpenTofu and Terraform with the OpenStack provider.
//!
//! The user's template is the root module, every nested template a module in `modules/`. Expressions are
//! in `expression.rs`, `text.rs`, `collections.rs`; what refers to resources in `references.rs`; objects
//! of the provider are spelled in `provider.rs`; `print.rs` and `json.rs` write the files.

mod collections;
mod data_sources;
mod expression;
mod groups;
mod hcl;
mod json;
mod literal;
mod module;
mod names;
mod nested;
mod outputs;
mod places;
mod print;
mod provider;
mod references;
mod scope;
mod secrets;
mod software;
mod support;
#[cfg(test)]
mod tests;
mod text;
mod validation;
mod values;
mod variables;
mod written;

use super::{Emitted, Emitter, Request, Says};
use heat_template::hot::Meaning;
use source_diagnostics::Diagnostic;

/// The target `terraform`: HCL.
#[derive(Debug)]
pub(super) struct Terraform;

/// The target `terraform-json`: the same in Terraform's JSON syntax.
#[derive(Debug)]
pub(super) struct TerraformJson;

/// How files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    Hcl,
    Json,
}

impl Emitter for Terraform {
    fn name(&self) -> &str {
        "terraform"
    }

    fn summary(&self) -> &str {
        "modules for OpenTofu and Terraform with the OpenStack provider, in HCL"
    }

    fn adopts(&self) -> bool {
        true
    }

    fn says_type(&self, name: &str) -> (Option<String>, Says) {
        support::says_type(name)
    }

    fn says_function(&self, function: Meaning) -> Says {
        support::says_function(function)
    }

    fn emit(&self, request: &Request<'_>) -> Result<Emitted, Box<Diagnostic>> {
        written::emit(request, Spelling::Hcl)
    }
}

impl Emitter for TerraformJson {
    fn name(&self) -> &str {
        "terraform-json"
    }

    fn summary(&self) -> &str {
        "the same in Terraform's JSON syntax"
    }

    fn adopts(&self) -> bool {
        true
    }

    fn says_type(&self, name: &str) -> (Option<String>, Says) {
        support::says_type(name)
    }

    fn says_function(&self, function: Meaning) -> Says {
        support::says_function(function)
    }

    fn emit(&self, request: &Request<'_>) -> Result<Emitted, Box<Diagnostic>> {
        written::emit(request, Spelling::Json)
    }
}
